"""From a family of small questions to closed forms of their optima."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import entries, real, whole
from mechdesign.problem import Problem
from mechdesign.question.given import required

if TYPE_CHECKING:
    from mechdesign.studies.conjecturing.conjecture import Conjecture

#: Fewer sizes determine no formula and confirm it, too.
FEWEST = 3


def conjecture(
    family: Callable[[int], Problem] | Any,
    notion: Any,
    objective: Objective,
    sizes: Sequence[int],
    *,
    letter: str = "n",
    high: float = 4.5,
) -> tuple[Conjecture, ...]:
    r"""Return closed forms that the exact optima of a family of small questions have in common.

    The optimum at each size is a rational function of ``E = e^epsilon`` on intervals with exact ends
    (``md.frontier(..., exact=True)``). Intervals that stand at one place, counted from the largest E or from the
    smallest, are compared: where each coefficient of their formulas and of the polynomials of their ends is a rational
    function of the size, determined by fewer sizes than there are, that is a conjecture. The referee rules on it at
    other sizes and levels.

    Parameters
    ----------
    family : callable
        Takes a whole number to a problem: the number of inputs, the denominator of a mass.
    notion : Notion or type of Notion
        `LDP`, `LIP` or `MaxLift`.
    objective : Objective
        An expected loss.
    sizes : sequence of int
        At least three; a formula with k coefficients takes k + 1. Even and odd ones may have forms of their own.
    letter : str
        The name of the whole number in formulas.
    high : float
        Up to which level frontiers are computed, in nats.

    Returns
    -------
    tuple of Conjecture
        With `value`, `low`, `high` as formulas, `at` as a function, and `theorem` for the referee; empty where nothing
        is common.

    Raises
    ------
    DomainError
        A family that is no function, fewer than three different sizes, or one that is no whole number of at least 1.
    UnsupportedError
        python-flint is not installed, or no exact frontier is known for such a question.

    Examples
    --------
    >>> import mechdesign as md
    >>> def even(n):
    ...     return md.Problem(prior=[1 / n] * n)
    >>> found = md.conjecture(even, md.LIP, md.HammingLoss(), [3, 4, 5, 6])
    >>> [(each.value, each.low, each.high) for each in found]
    [('(n - 1)/(n*E)', 'n - 1', ''), ('(n - E)/n', '', 'n - 1')]

    A statement for the referee, which tries it at sizes up to nine:

    >>> md.verify(theorems=[found[0].theorem("mine/hamming")]).rows[0].verdict
    'holds'
    """
    required("objective", objective, Objective)
    if not callable(family):
        rule, remedy = "it has to take a whole number to a problem", "give lambda n: md.Problem(prior=[1 / n] * n), say"
        raise DomainError("family", family, rule, remedy)
    given = entries("sizes", sizes, "it has to be a sequence of whole numbers", "give a list")
    wanted = [whole(f"sizes[{k}]", size, 1) for k, size in enumerate(given)]
    if len(set(wanted)) < FEWEST or len(set(wanted)) < len(wanted):
        rule = f"there have to be at least {FEWEST}, all different"
        raise DomainError("sizes", wanted, rule, "give more: each coefficient takes some, and one more confirms it")
    if not isinstance(letter, str) or not letter.isidentifier() or letter == "E":
        raise DomainError("letter", letter, "it has to be a name other than E", "give 'n', say")
    try:
        from mechdesign.studies.conjecturing.finding import found_forms
    except ImportError:
        raise UnsupportedError(
            "Conjectures need python-flint, which is not installed: pip install 'mechdesign[exact]'."
        ) from None
    return found_forms(family, notion, objective, wanted, letter, real("high", high, 0.1, 20.0))
