"""What the package says of its work: through the logger ``mechdesign``, at the level INFO."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

LOGGER = logging.getLogger("mechdesign")
# Without a handler of the user's nothing is said, not even that there is none.
LOGGER.addHandler(logging.NullHandler())


def sayer(verbose: bool) -> Callable[[str], None] | None:
    """Return what says a sentence, or None where nobody listens.

    Parameters
    ----------
    verbose : bool
        Whether to print sentences on stdout too, where no handler of the user's has them already. Neither the logger's
        level nor its handlers are changed: other threads may use them.

    Examples
    --------
    >>> say = sayer(True)
    >>> say("route rays: it is exact")
    route rays: it is exact
    >>> sayer(False) is None
    True
    """
    listened = LOGGER.isEnabledFor(logging.INFO)
    if not (verbose or listened):
        return None
    printing = verbose and not (listened and _has_handler())
    own = logging.StreamHandler(sys.stdout) if printing else None

    def say(sentence: str) -> None:
        record = LOGGER.makeRecord(LOGGER.name, logging.INFO, __file__, 0, sentence, (), None)
        if LOGGER.isEnabledFor(logging.INFO):
            LOGGER.handle(record)
        if own is not None:
            own.handle(record)

    return say


def _has_handler() -> bool:
    """Return whether a handler of the user's gets what the logger is given."""
    own = [handler for handler in LOGGER.handlers if not isinstance(handler, logging.NullHandler)]
    return bool(own or (LOGGER.propagate and logging.getLogger().handlers))
