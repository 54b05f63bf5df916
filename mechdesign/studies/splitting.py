"""A budget of LDP split between several questions of one person by branch and bound over their levels."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mechdesign.designing.settings import Settings, all_but
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.notions import LDP
from mechdesign.objectives import Objective
from mechdesign.parameters import Real
from mechdesign.parameters.checks import entries
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.deadline import now
from mechdesign.studies.budget_split import BudgetSplit, in_order_of_questions, questions
from mechdesign.studies.split_search import Search

#: Questions of one person at most.
MOST_QUESTIONS = 6
#: The gap that is asked for: it takes some dozens of designs of each question.
GAP = 1e-2
#: The share of that gap which the designs of the search may have.
OF_DESIGNS = 0.05
#: The keywords of `design`, which each design is asked with.
KEYWORDS = all_but("gap", "within", "time_limit", "subject_to", "theorems", "proof")
WEIGHT = Real(low=0.0, open_low=True)


def split_budget(
    problems: Sequence[Problem] | Mapping[str, Problem],
    notion: LDP,
    objective: Objective | Sequence[Objective] | Mapping[str, Objective],
    *,
    weights: Sequence[float] | Mapping[str, float] | None = None,
    gap: float = GAP,
    within: float | None = None,
    time_limit: float | None = None,
    **keywords: Any,
) -> BudgetSplit:
    """Return designs of several questions of one person under one budget of LDP, split so that the sum is best.

    One person answers all questions, and each answer is reported by a mechanism of its own. The levels of LDP add up:
    all reports together satisfy the notion. The split is searched by branch and bound over the levels; since a design
    is the better the higher its level, the bounds of designs at the upper ends of intervals bound every split between.

    Parameters
    ----------
    problems : sequence of Problem, or mapping
        One for each question, 2 to 6; a mapping names the questions, as columns of a table of answers are named.
    notion : LDP
        What all reports of a person satisfy together.
    objective : Objective, sequence of Objective, or mapping
        What has to stay useful in each question: one for all, or one for each, of the same sense.
    weights : sequence of float or mapping, optional
        Positive, one for each question: what its value counts in the sum. Ones by default, where the objectives are
        of one kind; values of several kinds need to be given weights.
    gap : float
        The relative gap that is asked for, in (0, 1].
    within : float, optional
        The share of each question's optimum that may be given up for fewer outputs, as in `design`.
    time_limit : float, optional
        Seconds for the whole search.
    **keywords
        The others of `design`, for each design.

    Returns
    -------
    BudgetSplit
        The designs, with the sum of their values and a bound on that of every split.

    Raises
    ------
    DomainError
        Another number of problems, another notion than LDP or one at level 0, objectives or weights that do not fit, a
        keyword that `design` does not have.
    UnsupportedError
        A problem with a hidden secret.

    Examples
    --------
    >>> import mechdesign as md
    >>> age, smokes = md.Problem(n=6), md.Problem(labels=["no", "yes"])
    >>> both = md.split_budget([age, smokes], md.LDP(2.0), md.InformationDesign("A"), gap=0.05)
    >>> bool(both.levels[0] > both.levels[1]), both.gap <= 0.05, both.value < both.equal
    (True, True, True)
    >>> both.sample([[0, 5, 3], ["no", "yes", "no"]]).shape
    (3, 2)
    """
    names, given = questions(problems)
    if not 2 <= len(given) <= MOST_QUESTIONS:
        rule = f"a budget is split between 2 to {MOST_QUESTIONS} questions"
        raise DomainError("problems", f"{len(given)} of them", rule, "give one problem for each question")
    for k, problem in enumerate(given):
        required(f"problems[{k}]", problem, Problem)
        if problem.is_hidden:
            raise UnsupportedError(
                f"problems[{k}] has a hidden secret: levels of LDP add up where it is the answers that are protected."
            )
    if type(notion) is not LDP or not 0.0 < notion.epsilon < math.inf:
        rule = "levels add up, and can be split, under LDP at a positive level"
        raise DomainError("notion", str(notion), rule, "give md.LDP(epsilon) with what all reports may have together")
    settings = replace(Settings.of(keywords, KEYWORDS, "a split"), gap=gap, within=within, time_limit=time_limit)
    objectives = _objectives(in_order_of_questions("objective", objective, names), len(given))
    kinds = sorted({each.name for each in objectives})
    if len(kinds) > 1 and weights is None:
        rule = "a sum of different quantities needs to know what one of each is worth"
        raise DomainError("weights", None, f"{' and '.join(kinds)} are added: {rule}", "give weights=[...]")
    search = Search(
        tuple(given),
        notion.epsilon,
        objectives,
        _weights(in_order_of_questions("weights", weights, names), len(given)),
        replace(settings, gap=OF_DESIGNS * settings.gap, time_limit=None),
    )
    limit = settings.time_limit
    return replace(search.found(settings.gap, None if limit is None else now() + limit), names=names)


def _objectives(given: Any, count: int) -> tuple[Objective, ...]:
    found = (given,) * count if isinstance(given, Objective) else entries("objective", given, "it has to be one", "")
    for k, each in enumerate(found):
        required(f"objective[{k}]", each, Objective)
    if len(found) != count or len({each.sense for each in found}) > 1:
        rule = f"it has to be one for all, or {count} that are all minimised or all maximised"
        raise DomainError("objective", f"{len(found)} of them", rule, "give one objective")
    return tuple(found)


def _weights(given: Any, count: int) -> tuple[float, ...]:
    if given is None:
        return (1.0,) * count
    found = entries("weights", given, "it has to be a sequence of numbers", "give a list")
    if len(found) != count:
        raise DomainError("weights", f"{len(found)} of them", f"there are {count} questions", "give one for each")
    return tuple(WEIGHT.check(f"weights[{k}]", each) for k, each in enumerate(found))
