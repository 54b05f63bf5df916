"""What each notion guarantees, in words: how much a report can reveal."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from mechdesign.displays.numbers import in_full, rounded_down, rounded_up
from mechdesign.exact import exp_up, float_below
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.reports.distances import extent
from mechdesign.reports.subjects import Subject, subject, wholes

#: Of a larger level the factor is not written out.
MOST_WRITTEN = 20.0
#: Names of values that a sentence lists.
MOST_NAMED = 12
#: How a sentence begins that says what a guarantee leaves open: another one beside it may rule that out.
OPEN = "As far as this goes, "

Promise = Callable[[Any, Problem, Subject], str]


def factor(epsilon: float) -> str:
    """Return ``e^epsilon`` in words: the level in full, the number rounded up.

    Examples
    --------
    >>> factor(1.0), factor(0.0), factor(800.0)
    ('e^1 (at most 2.719)', 'e^0 (which is 1)', 'e^800')
    """
    written = f"e^{in_full(epsilon)}"
    if epsilon == 0:
        return f"{written} (which is 1)"
    return written if epsilon > MOST_WRITTEN else f"{written} (at most {rounded_up(exp_up(epsilon), 4)})"


def promises(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return what is guaranteed for the inputs of a mechanism: a sentence or two for each notion that holds.

    A notion without words of its own is given by its formula.
    """
    found, protected = [], subject(notion, problem)
    for each in wholes(notion):
        said = PROMISES.get(each.name)
        formula = (inspect.getdoc(type(each)) or each.name).partition("\n\n")[0].replace("\n", " ")
        found.append(said(each, problem, protected) if said else f"The mechanism satisfies {each}: {formula}")
    return tuple(found)


def _times(epsilon: float, pair: str) -> str:
    return f"No report is more than {factor(epsilon)} times as likely for one as for the other of {pair}."


def _ldp(notion: Any, problem: Problem, of: Subject) -> str:
    said = _times(notion.epsilon, f"any two {of.values}")
    if problem.is_hidden:
        return said
    return f"{said} People who see a report change their odds between the two by no more, whatever they know besides."


def _odds(whose: str) -> Promise:
    return lambda notion, problem, of: (
        f"No report makes any of the {of.values} more probable or less probable by more than a factor of "
        f"{factor(notion.epsilon)}, for whoever {whose}."
    )


def _centralized(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        "No output makes any value of any one record more probable or less probable by more than a factor of "
        f"{factor(notion.epsilon)}, for whoever has the stated priors of the records."
    )


def _interior(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report makes any of the {of.values} more probable by more than a factor of {factor(notion.epsilon)}, for "
        f"whoever gives each of them a probability of at least {in_full(notion.c)} before."
    )


def _lift(notion: Any, problem: Problem, of: Subject) -> str:
    return _sides(math.inf, notion.epsilon, of)


def _sides(lower: float, upper: float, of: Subject) -> str:
    """Return how much more and how much less probable a report can make a value: one side may be unbounded."""
    start = f"For whoever has the prior stated here, no report makes any of the {of.values}"
    up, down = (f"{way} probable by more than a factor of " for way in ("more", "less"))
    if math.isinf(lower):
        ruled_out = f" {OPEN}a report may make some less probable, and may rule some out." if upper else ""
        return f"{start} {up}{factor(upper)}.{ruled_out}"
    if math.isinf(upper):
        raised = f" {OPEN}a report may make some more probable by a larger factor." if lower else ""
        return f"{start} {down}{factor(lower)}.{raised}"
    return f"{start} {up}{factor(upper)}, nor {down}{factor(lower)}."


def _approximate(notion: Any, problem: Problem, of: Subject) -> str:
    said = (
        f"For any two {of.values} and any set of reports, the probability of the set for one is at most "
        f"{factor(notion.epsilon)} times that for the other, plus delta = {in_full(notion.delta)}."
    )
    if not notion.delta:
        return said
    return f"{said} {OPEN}with probability up to delta a report may reveal {of.it} entirely."


def _block(notion: Any, problem: Problem, of: Subject) -> str:
    said = _times(notion.epsilon, f"any two {of.values} of one block")
    return f"{said} {OPEN}a report may reveal which block {of.it} is in."


def _metric(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report is more than e^({in_full(notion.epsilon)} d) times as likely for one as for the other of two "
        f"{of.values} at a distance d. Those far from each other are protected less. {extent(notion, OPEN)}"
    )


def _utility_optimized(notion: Any, problem: Problem, of: Subject) -> str:
    names = [f'"{problem.named(x)}"' for x in notion.sensitive[:MOST_NAMED]]
    more = len(notion.sensitive) - len(names)
    listed = ", ".join([*names, *([f"{more} more"] if more else [])])
    which = f"No report reveals the sensitive answers: {listed}. " if listed else "No answer is sensitive. "
    left = (
        f"{OPEN}an answer that is not sensitive may be revealed entirely." if len(notion.sensitive) < problem.n else ""
    )
    return (
        f"A report that does not reveal an answer is no more than {factor(notion.epsilon)} times as likely for one as "
        f"for the other of any two answers. {which}{left}".rstrip()
    )


def _profile(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report is more than {factor(notion.epsilon)} times as likely from people of one profile as from those of "
        "another, where the two are joined by an edge. The profile is protected, and not the answer itself."
    )


def _leakage(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"On average over reports, the probability of guessing {of.it}, or anything that follows from it, grows by "
        f"a factor of at most {factor(notion.epsilon)}, whatever the prior.{_rare(notion, of)}"
    )


def _gain(notion: Any, problem: Problem, of: Subject) -> str:
    what = "the probability of guessing it at once" if _is_guess(notion) else "the best mean gain of the stated actions"
    return (
        f"On average over reports, whoever acts on {of.it} gains from a report at most a factor of "
        f"{factor(notion.epsilon)}: {what} grows by no more.{_rare(notion, of)}"
    )


def _is_guess(notion: Any) -> bool:
    gain = notion.gain.tolist()
    return bool(gain == [[float(w == s) for s in range(len(gain))] for w in range(len(gain))])


def _information(notion: Any, problem: Problem, of: Subject) -> str:
    most = f"a report reveals at most {in_full(notion.epsilon)} nats of {of.it}"
    return f"On average over reports, {most}.{_rare(notion, of)}"


def _sibson(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"On average over reports, a report discloses at most {in_full(notion.epsilon)} nats of {of.it} by Sibson's "
        f"measure of order {in_full(notion.alpha)}, in which a rare report that discloses more weighs more."
        f"{_rare(notion, of)}"
    )


def _rare(notion: Any, of: Subject) -> str:
    """Return what an average leaves open; nothing where the average is zero."""
    return f" {OPEN}single reports may reveal {of.it} entirely." if notion.epsilon else ""


def _chi_square(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"For every report, the chi-square divergence of what is believed of {of.it} with it from what is believed "
        f"without it is at most {in_full(notion.epsilon)} squared."
    )


def _l1(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"For every report, the probabilities of the {of.values} with it and without it differ by at most "
        f"{in_full(notion.epsilon)} in sum."
    )


def _weighted(notion: Any, problem: Problem, of: Subject) -> str:
    wrong = rounded_down(float_below((1 - notion.limit) / 2), 6)
    return (
        f"Whoever guesses {of.it} from a report is wrong with a probability of at least {wrong}, where "
        f'"{problem.named_secret(1)}" has the probability {in_full(notion.weight)}.'
    )


#: By the name of the notion: the guarantee as a sentence about a report.
PROMISES: dict[str, Promise] = {
    "LDP": _ldp,
    "WorstCaseLIP": _odds("has any prior at all"),
    "LIP": _odds("has the prior stated here"),
    "BoundedPriorLIP": _odds("has a prior within the stated bounds"),
    "CentralizedIP": _centralized,
    "MaxLift": _lift,
    "AsymmetricLIP": lambda notion, problem, of: _sides(notion.lower, notion.upper, of),
    "ApproximateLDP": _approximate,
    "BlockLDP": _block,
    "MetricDP": _metric,
    "GLeakage": _gain,
    "InteriorPML": _interior,
    "UtilityOptimizedLDP": _utility_optimized,
    "ProfileDP": _profile,
    "MaximalLeakage": _leakage,
    "MutualInformationPrivacy": _information,
    "SibsonLeakage": _sibson,
    "StrongChiSquare": _chi_square,
    "StrongL1": _l1,
    "WeightedTV": _weighted,
}
