"""The objectives that are answered without a matrix under LDP, and the record of each."""

from __future__ import annotations

from typing import Final

from mechdesign.many_inputs.by_formula import ByFormula
from mechdesign.many_inputs.frequencies import Frequencies
from mechdesign.many_inputs.guesses import Guesses
from mechdesign.many_inputs.information import Information
from mechdesign.objectives import Objective
from mechdesign.problem import Problem

#: An objective is answered by the first one that it fits.
SORTS: Final[tuple[ByFormula, ...]] = (Frequencies(), Guesses(), Information())


def sort_of(objective: Objective, inputs: Problem) -> ByFormula | None:
    """Return what is known of the objective by formula; None if nothing is.

    Examples
    --------
    >>> import mechdesign as md
    >>> people = md.Problem(prior=[0.5, 0.5])
    >>> type(sort_of(md.HammingLoss(), people)).__name__, sort_of(md.InformationDesign("D"), people)
    ('Guesses', None)
    """
    return next((sort for sort in SORTS if sort.fits(objective, inputs)), None)


def in_words() -> str:
    """Return which objectives are answered without a matrix.

    Examples
    --------
    >>> in_words().split(" or ")[-1]
    'MutualInformation at equal priors'
    """
    *most, last = (sort.answers for sort in SORTS)
    return f"{', '.join(most)} or {last}"
