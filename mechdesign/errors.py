"""What can go wrong, as sentences that name the argument, its value, the rule and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: Characters of a value that messages show.
SHOWN = 80


class MechdesignError(Exception):
    """Base of every error that mechdesign raises on purpose."""


class DomainError(MechdesignError, ValueError):
    """A value lies outside its domain.

    Parameters
    ----------
    argument : str
        The argument's name, with the index where there is one (``"prior[2]"``).
    value : object
        What was given.
    rule : str
        What the argument has to satisfy.
    remedy : str
        What to do instead.
    """

    def __init__(self, argument: str, value: object, rule: str, remedy: str) -> None:
        super().__init__(argument, value, rule, remedy)
        self.argument, self.value, self.rule, self.remedy = argument, value, rule, remedy

    def __str__(self) -> str:
        shown = self.value if isinstance(self.value, str) and self.value.strip() else written(self.value)
        return f"{self.argument} is {_cut(shown)}, but {self.rule}; {self.remedy}."

    def __repr__(self) -> str:
        argument, value, *said = map(written, self.args)
        return f"{type(self).__name__}({', '.join((argument, _cut(value), *said))})"


def _cut(shown: str) -> str:
    return shown if len(shown) <= SHOWN else f"{shown[: SHOWN - 3]}..."


def written(value: object) -> str:
    """Return `value` as it is written in Python, whatever it is; where it cannot be written, its type.

    Examples
    --------
    >>> written([1, None]), written(10**5000)
    ('[1, None]', 'of type int, too long to be written')
    """
    try:
        return repr(value)
    except ValueError:
        # Python writes no integer of more than some thousand digits.
        return f"of type {type(value).__name__}, too long to be written"
    except Exception:  # noqa: BLE001 - what an object of the user's raises is its own
        return f"of type {type(value).__name__}, which has no text of its own"


class InfeasibleError(MechdesignError):
    """No mechanism satisfies what was asked."""


class UnsupportedError(MechdesignError):
    """A route (or every route) refuses the question, with the reason."""


class SolverError(MechdesignError):
    """A solver failed, or is not installed; ``status``, ``log`` and ``iterate`` say how far it came."""

    def __init__(self, message: str, *, status: str = "", log: str = "", iterate: object = None) -> None:
        super().__init__(message)
        self.status, self.log, self.iterate = status, log, iterate


class CertificateError(MechdesignError):
    """A claim could not be confirmed: a matrix that is not private, a file that was edited."""


class OtherFileError(CertificateError):
    """What was given as a mechanism file is a file of another kind: nothing was claimed."""


class WriteError(MechdesignError, OSError):
    """A file could not be written; what it held before is as it was.

    Parameters
    ----------
    path : str
        The file.
    reason : str
        What the system said.
    remedy : str
        What to do instead.
    """

    def __init__(self, path: str, reason: str, remedy: str) -> None:
        super().__init__(f"{path} cannot be written ({reason}); {remedy}.")
        self.path, self.reason, self.remedy = path, reason, remedy

    def __reduce__(self) -> tuple[type[WriteError], tuple[str, str, str]]:
        return type(self), (self.path, self.reason, self.remedy)


class FileWarning(UserWarning):
    """A file was read that should be written again: of an older format, or with damaged rows that are done again."""


class DataWarning(UserWarning):
    """Data were taken as they are, and may not be what was meant: names or free text for categories."""


class RandomnessError(MechdesignError):
    """The operating system gave no randomness, or too little: nothing was sampled."""


class GapWarning(UserWarning):
    """A design was returned whose certified gap is wider than asked."""


class FitWarning(UserWarning):
    """An estimate was made from reports that hardly come from the mechanism, whatever the population."""


class ProofWarning(UserWarning):
    """A proof in integers was asked for, and the bound is certified in floating point only."""


#: Names are listed up to this many, and compared with another up to so many.
LISTED, MANY = 40, 2000


def nearest(name: str, names: Iterable[str], alike: float = 0.6) -> str:
    """Say which of `names` is closest to `name`, as a remedy; none where they are less `alike` than that, of 1.

    Examples
    --------
    >>> nearest("MSE", ["MMSE", "HammingLoss"])
    'did you mean "MMSE"? (one of HammingLoss, MMSE)'
    >>> nearest("LPD", ["LDP", "LIP"])
    'did you mean "LDP"? (one of LDP, LIP)'
    >>> nearest("fastest", ["lifts", "rays"])
    'use one of lifts, rays'
    """
    known = sorted(names)
    folded = {k.casefold(): k for k in known}
    sought = name.casefold()
    close = (
        difflib.get_close_matches(sought, folded, n=max(len(folded), 1), cutoff=alike) if len(folded) <= MANY else []
    )
    # An abbreviation is the start of one name: eps of epsilon.
    close = close or [k for k in folded if len(sought) > 1 and k.startswith(sought)]
    more = f" and {len(known) - LISTED} more" if len(known) > LISTED else ""
    listed = f"one of {', '.join(known[:LISTED])}{more}"
    if not close:
        return f"use {listed}"
    # Letters that changed places come before others as much alike: LPD is LDP, not LIP.
    best = max(close, key=lambda other: other in _swapped(sought))
    return f'did you mean "{folded[best]}"? ({listed})'


def _swapped(word: str) -> set[str]:
    """Return the words in which two letters beside each other have changed places."""
    return {word[:k] + word[k + 1] + word[k] + word[k + 2 :] for k in range(len(word) - 1)}
