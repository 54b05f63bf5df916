"""Referee a formula of one's own: `check_claim`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array, entries, real, text, truth, vector, whole
from mechdesign.parameters.functions import function
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.referee import Row, hearing, row_of
from mechdesign.referee.verifying import seed_of
from mechdesign.solve.pricing.revealing_outputs import columns_by_decision
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Check, Equal, Optimum, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole

#: What a user's formula may return.
Given = Array | Mechanism | float | tuple[Array | Mechanism, float]


def check_claim(
    problem_family: tuple[int, int] | Problem | Sequence[Problem] | Family,
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
    problem_family : tuple of int, Problem, sequence of Problem, or Family
        The problems: all priors and values at ``(least, most)`` inputs; or those that are given; or those of a family,
        whose points have a `prior` and may have `values`.
    notion : callable or Notion
        Takes epsilon to the notion (a class will do), or one notion.
    objective : Objective or callable
        What is optimised; or what a problem makes of it.
    formula : callable
        ``formula(problem, notion, objective)``: the matrix that is said to be optimal, shape (inputs, outputs), or a
        `Mechanism`; or the optimal value; or both.
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
        Its verdict is computed as for the papers' statements; its `points` are distinct questions.

    Raises
    ------
    DomainError
        A family of no problems, a formula that returns no numbers, a domain without a point, or an argument that is
        not what is said here.

    Examples
    --------
    Randomised response over two inputs is optimal under LDP:

    >>> import mechdesign as md
    >>> def response(problem, notion, objective):
    ...     return md.baselines.randomised_response(problem, notion.epsilon)
    >>> row = md.check_claim((2, 2), md.LDP, md.MMSE(), response)
    >>> row.verdict
    'holds'
    """
    function("formula", formula, 3, "it has to be a function", "take problem, notion and objective")
    place = text("name", name)
    theorem = Theorem(
        key=f"yours/{place}",
        place=place,
        kind="exact optimum",
        words=text("words", words),
        family=_family(problem_family, notion, objective, epsilon),
        printed=lambda question: _given(
            formula(question.problem, question.notion, question.objective), question.problem.n
        ),
        test=_test,
        claimed=_conditions("claimed", claimed),
        narrower=_conditions("narrower", narrower),
    )
    heard = hearing(theorem, thorough=truth("thorough", thorough), seed=seed_of(rng))
    # One question that was drawn many times is one.
    distinct = {_question_key(heard.subject(point)) for point in heard.plan.claimed}
    return row_of(theorem, replace(heard.ruling(), points=len(distinct)))


def _question_key(question: Question) -> Any:
    """Return a key by which questions are distinguished: their content, or their text where it cannot be hashed."""
    parts = (question.problem, question.notion, question.objective)
    try:
        hash(parts)
    except TypeError:
        return repr(parts)
    return parts


def _conditions(argument: str, given: Any) -> tuple[Condition, ...]:
    rule, remedy = "it has to consist of conditions", "give a list of Condition"
    found = (given,) if isinstance(given, Condition) else entries(argument, given, rule, remedy)
    if not all(isinstance(condition, Condition) for condition in found):
        raise DomainError(argument, given, rule, remedy)
    return found


def _family(given: Any, notion: Any, objective: Any, epsilon: tuple[float, float]) -> Family:
    takes_epsilon = not isinstance(notion, Notion)

    def subject(point: Point) -> Question:
        problem = getattr(point, "problem", None)
        if problem is None:
            problem = Problem(prior=point.prior, values=getattr(point, "values", None))
        asked = _made("notion", notion, Notion, point.epsilon) if takes_epsilon else notion
        useful = objective if isinstance(objective, Objective) else _made("objective", objective, Objective, problem)
        return Question(asked.inputs(problem), asked, useful)

    if isinstance(given, Family):
        return Family(given.variables, subject)
    if isinstance(given, Problem):
        given = (given,)
    level = {"epsilon": Real(*_range(epsilon))} if takes_epsilon else {}
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(size, int | np.integer) for size in given):
        least, most = (whole("problem_family", size, 1) for size in given)
        if least > most:
            raise DomainError("problem_family", given, "the least size comes first", f"give {most, least}")
        sizes = {"n": Whole(least, most), "prior": Distribution("n"), "values": Vector("n", 0.0, 4.0)}
        return Family({**sizes, **level}, subject)
    rule, remedy = "it has to be two sizes, problems, or a Family", "give (2, 4) for all problems of two to four inputs"
    problems = entries("problem_family", given, rule, remedy)
    if not problems or not all(isinstance(problem, Problem) for problem in problems):
        raise DomainError("problem_family", given, rule, remedy)
    return Family({"problem": Choice(problems), **level}, subject)


def _made(argument: str, maker: Any, kind: type, of: Any) -> Any:
    """Return the notion or objective that `maker` makes of `of`, or raise where it makes something else."""
    rule = f"it has to be one of the {kind.__name__.lower()}s, or to make one"
    remedy = "give one, or a function that returns one"
    # An objective's class makes nothing of a problem.
    found = function(argument, maker, 1, rule, remedy, classes=kind is Notion)(of)
    if not isinstance(found, kind):
        raise DomainError(argument, maker, rule, remedy)
    return found


def _range(epsilon: Any) -> tuple[float, float]:
    low, high = vector("epsilon", epsilon, 2).tolist()
    if low > high:
        raise DomainError("epsilon", epsilon, "the least epsilon comes first", f"give {high, low}")
    return real("epsilon", low, 0.0), real("epsilon", high, 0.0)


def _given(result: Any, inputs: int) -> Published | float:
    """Return the result of a formula in its checked form: a matrix, a value, or both."""
    given = result if isinstance(result, tuple) else (result,)
    parts = [columns_by_decision(part) if isinstance(part, Mechanism) else part for part in given]
    try:
        # NumPy takes None for a number that is none.
        arrays = [np.asarray(part, dtype=float) for part in parts if part is not None]
    except (TypeError, ValueError):
        arrays = []
    shapes = [array.shape for array in arrays] if len(arrays) == len(parts) else []
    if shapes == [()]:
        return float(arrays[0])
    if shapes and len(shapes[0]) == 2 and shapes[0][0] == inputs and shapes[0][1] > 0 and shapes[1:] in ([], [()]):
        return Published(arrays[0], *(float(value) for value in arrays[1:]))
    rule = f"it has to return a matrix with {inputs} rows, a value, or both"
    raise DomainError("formula", result, rule, "return an array of numbers, a number, or the two of them")


def _test(question: Question, given: Published | float) -> Iterator[Check]:
    if isinstance(given, Published):
        yield from is_optimal(question, given)
    else:
        yield Equal(given, Optimum(question), "the value is the optimum")
