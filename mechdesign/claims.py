"""Referee a formula of one's own: `check_claim`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from mechdesign.domains import Array, truth
from mechdesign.errors import DomainError
from mechdesign.ledger import SEED
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.referee import Row, referee, row_of
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Check, Equal, Optimum, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole

#: What a user's formula may return.
Given = Array | float | tuple[Array, float]


def check_claim(
    problem_family: tuple[int, int] | Sequence[Problem] | Family,
    notion: Callable[[float], Notion] | Notion,
    objective: Objective | Callable[[Problem], Objective],
    formula: Callable[[Problem, Notion, Objective], Given],
    *,
    epsilon: tuple[float, float] = (0.05, 4.0),
    claimed: Iterable[Condition] = (),
    narrower: Iterable[Condition] = (),
    name: str = "the claim",
    words: str = "The formula is the optimum.",
    thorough: bool = False,
    rng: np.random.Generator | int | None = None,
) -> Row:
    """Test whether a formula is the optimum ``min or max over Q of objective``, and return its row of a ledger.

    Parameters
    ----------
    problem_family : tuple of int, sequence of Problem, or Family
        The problems: all priors and values at ``(least, most)`` inputs; or those that are given; or those of a family,
        whose points have a `prior` and may have `values`.
    notion : callable or Notion
        Takes epsilon to the notion (a class will do), or one notion.
    objective : Objective or callable
        What is optimised; or what a problem makes of it.
    formula : callable
        ``formula(problem, notion, objective)``: the matrix that is said to be optimal, shape (inputs, outputs); or the
        optimal value; or both.
    epsilon : tuple of float
        The range of epsilon in nats, where `notion` takes one and the family has none.
    claimed, narrower : iterable of Condition
        The domain that is claimed, and the part of it where the formula may hold; their sides take a `Question`.
    name, words : str
        What the row says.
    thorough : bool
        Some ten times the points.
    rng : Generator or int, optional
        Where the points come from.

    Returns
    -------
    Row
        Its verdict is computed as for the papers' statements.

    Raises
    ------
    DomainError
        A family of no problems, a formula that returns no numbers, a domain without a point.

    Examples
    --------
    Randomised response over two inputs is optimal under LDP:

    >>> import mechdesign as md
    >>> from mechdesign.baselines import randomised_response
    >>> row = md.check_claim((2, 2), md.LDP, md.MMSE(), lambda p, notion, o: randomised_response(p.n, notion.epsilon))
    >>> row.verdict
    'holds'
    """
    theorem = Theorem(
        key=f"yours/{name}",
        place=name,
        kind="exact optimum",
        words=words,
        family=_family(problem_family, notion, objective, epsilon),
        printed=lambda question: _given(formula(question.problem, question.notion, question.objective)),
        test=_test,
        claimed=tuple(claimed),
        narrower=tuple(narrower),
    )
    seed = SEED if rng is None else int(rng.integers(1 << 31)) if isinstance(rng, np.random.Generator) else int(rng)
    return row_of(theorem, referee(theorem, thorough=truth("thorough", thorough), seed=seed))


def _family(given: Any, notion: Any, objective: Any, epsilon: tuple[float, float]) -> Family:
    takes_epsilon = not isinstance(notion, Notion)

    def subject(point: Point) -> Question:
        problem = getattr(point, "problem", None)
        if problem is None:
            problem = Problem(prior=point.prior, values=getattr(point, "values", None))
        asked = notion(point.epsilon) if takes_epsilon else notion
        useful = objective if isinstance(objective, Objective) else objective(problem)
        return Question(asked.inputs(problem), asked, useful)

    if isinstance(given, Family):
        return Family(given.variables, subject)
    level = {"epsilon": Real(*epsilon)} if takes_epsilon else {}
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(size, int) for size in given):
        sizes = {"n": Whole(*given), "prior": Distribution("n"), "values": Vector("n", 0.0, 4.0)}
        return Family({**sizes, **level}, subject)
    problems = tuple(given) if isinstance(given, Iterable) else ()
    if not problems or not all(isinstance(problem, Problem) for problem in problems):
        rule = "it has to be two sizes, problems, or a Family"
        raise DomainError("problem_family", given, rule, "give (2, 4) for all problems of two to four inputs")
    return Family({"problem": Choice(problems), **level}, subject)


def _given(result: Any) -> Published | float:
    if isinstance(result, tuple):
        return Published(np.asarray(result[0], dtype=float), float(result[1]))
    array = np.asarray(result, dtype=float)
    return Published(array) if array.ndim == 2 else float(array)


def _test(question: Question, given: Published | float) -> Iterator[Check]:
    if isinstance(given, Published):
        yield from is_optimal(question, given)
    else:
        yield Equal(given, Optimum(question), "the value is the optimum")
