"""The formula of a class in plain text: the first paragraph of its own docstring, or what its card says instead."""

from __future__ import annotations

import inspect

from mechdesign.catalogue.card import card_of


def formula_of(member: type) -> str:
    """Return the formula of a notion or an objective on one line; what its card means if it has no docstring.

    A subclass asks something else than its base class, so that a docstring is not inherited; the one that a dataclass
    writes for itself, ``Name(epsilon: float)``, is none.

    Examples
    --------
    >>> import mechdesign as md
    >>> formula_of(md.LDP)
    "Pr(y | s) <= e^epsilon Pr(y | s') for all secrets s, s' and outputs y; epsilon in nats."
    >>> formula_of(type("Own", (md.LDP,), {}))
    ''
    """
    own = vars(member).get("__doc__") or ""
    if own.startswith(f"{member.__name__}("):
        own = ""
    return inspect.cleandoc(own).partition("\n\n")[0].replace("\n", " ") or card_of(member).means
