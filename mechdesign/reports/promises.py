"""What each notion guarantees, in words: what a report can tell, for whom that holds, and what is not promised."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

from mechdesign.displays.numbers import rounded_up
from mechdesign.notions import Notion
from mechdesign.problem import Problem

#: Notions whose levels add up at most where one person reports several times and the secret is the answer itself.
ADD_UP = frozenset(
    ("BlockLDP", "LDP", "MaximalLeakage", "MetricDP", "MutualInformationPrivacy", "UtilityOptimizedLDP", "WorstCaseLIP")
)
#: Of a larger level the factor is not written out.
MOST_WRITTEN = 20.0
#: Notions that state the probabilities which they are about.
STATED = frozenset(("BoundedPriorLIP", "WeightedTV"))


def factor(epsilon: float) -> str:
    """Return ``e^epsilon`` in words, rounded up.

    Examples
    --------
    >>> factor(1.0), factor(800.0)
    ('e^1 = 2.719', 'e^800')
    """
    written = f"e^{rounded_up(epsilon, 6)}"
    return written if epsilon > MOST_WRITTEN else f"{written} = {rounded_up(math.exp(epsilon), 4)}"


def _times(notion: Any, pair: str, rest: str = "") -> str:
    return f"No report is more than {factor(notion.epsilon)} times as likely for one as for the other of {pair}.{rest}"


def _odds(notion: Any, whose: str) -> str:
    return (
        f"No report makes any value more probable or less probable by more than a factor of {factor(notion.epsilon)}, "
        f"for whoever {whose}."
    )


_ODDS = " Whoever sees a report changes their odds between the two by no more, whatever they know besides."

#: By the name of the notion: the guarantee as a sentence about a report.
PROMISES: dict[str, Callable[[Any], str]] = {
    "LDP": lambda notion: _times(notion, "any two values", _ODDS),
    "WorstCaseLIP": lambda notion: _odds(notion, "has any prior at all"),
    "LIP": lambda notion: _odds(notion, "has the prior stated here"),
    "BoundedPriorLIP": lambda notion: _odds(notion, "has a prior within the stated bounds"),
    "CentralizedIP": lambda notion: (
        f"No output makes any value of any one record more probable or less probable by more than a factor of "
        f"{factor(notion.epsilon)}, for whoever has the stated priors of the records."
    ),
    "MaxLift": lambda notion: (
        f"No report makes any value more than {factor(notion.epsilon)} times as probable as it was, for whoever has "
        "the prior stated here. A report may make values less probable, and may rule some out."
    ),
    "AsymmetricLIP": lambda notion: (
        f"For whoever has the prior stated here, no report makes any value more probable by more than a factor of "
        f"{factor(notion.upper)}, nor less probable by more than a factor of {factor(notion.lower)}."
    ),
    "ApproximateLDP": lambda notion: (
        f"For any two values and any set of reports, the probability of the set for one is at most "
        f"{factor(notion.epsilon)} times that for the other, plus delta = {notion.delta:g}."
    ),
    "BlockLDP": lambda notion: _times(
        notion, "any two values of one block", " A report may tell which block a value is in."
    ),
    "MetricDP": lambda notion: (
        f"No report is more than e^({notion.epsilon:g} d) times as likely for one as for the other of two values at a "
        "distance d. Values far from each other are protected less, and an infinite distance not at all."
    ),
    "UtilityOptimizedLDP": lambda notion: (
        f"A report that does not reveal a value is no more than {factor(notion.epsilon)} times as likely for one as "
        "for the other of any two values. Values that are not sensitive may be revealed."
    ),
    "ProfileDP": lambda notion: (
        f"No report is more than {factor(notion.epsilon)} times as likely from people of one profile as from those of "
        "another, where the two are joined by an edge. The profile is protected, and not the datum itself."
    ),
    "MaximalLeakage": lambda notion: (
        f"On average over reports, the probability of guessing the secret, or anything that follows from it, grows by "
        f"a factor of at most {factor(notion.epsilon)}, whatever the prior."
    ),
    "MutualInformationPrivacy": lambda notion: (
        f"On average over reports, a report tells at most {notion.epsilon:g} nats of the secret. A rare report may "
        "betray the secret altogether."
    ),
    "StrongChiSquare": lambda notion: (
        f"For every report, the chi-square divergence of what is believed of the secret with it from what is believed "
        f"without it is at most {notion.epsilon:g} squared."
    ),
    "StrongL1": lambda notion: (
        f"For every report, the probabilities of the secret's values with it and without it differ by at most "
        f"{notion.epsilon:g} in sum."
    ),
    "WeightedTV": lambda notion: (
        f"Whoever guesses the secret from a report is wrong with a probability of at least "
        f"{(1.0 - notion.delta) / 2.0:g}, where the second value has the probability {notion.weight:g}."
    ),
}


def promises(notion: Notion) -> tuple[str, ...]:
    """Return what is guaranteed: a sentence for each part of the notion, its formula where it has none."""
    found = []
    for part in notion.parts():
        said = PROMISES.get(part.name)
        formula = (inspect.getdoc(type(part)) or part.name).partition("\n\n")[0].replace("\n", " ")
        found.append(said(part) if said else f"The mechanism satisfies {part}: {formula}")
    return tuple(found)


def for_whom(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return against whom the guarantee holds: what they may know, and whose prior it depends on."""
    names = {part.name for part in notion.parts()}
    said = ["It holds for everyone who reports through this mechanism once, against everyone who sees the report."]
    if any(part.needs_prior for part in notion.parts()):
        source = f": {problem.prior_source}" if problem.prior_source else ", whose source is not stated"
        said.append(
            f"It is relative to a prior{source}. Whoever knows more of a person than that prior says may learn more "
            "from a report than the guarantee says."
        )
    elif names & STATED:
        said.append("It holds for the probabilities that the notion states, and says nothing for others.")
    else:
        said.append("It depends on no prior: what others know of a person already does not weaken it.")
    if problem.is_hidden:
        said.append(
            f"It protects a secret of {problem.secrets} values by what is stated of how answers depend on the secret; "
            "where that is wrong, so is the guarantee."
        )
    return tuple(said)


def not_promised(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return what the guarantee does not cover."""
    said = [
        _repeated({part.name for part in notion.parts()}, problem.is_hidden),
        "Draw each person's answer once, and keep the report: the mean of many reports of one person tells the answer.",
        "Other data on the same person, such as a correlated answer to another question, are not covered.",
        "It does not hide who took part, nor what the reports of many people tell of the population.",
        "It is a statement on this matrix: reports that are drawn in another manner have no guarantee.",
    ]
    if not notion.closed_under_postprocessing:
        said.append("To merge outputs, or to mix the mechanism with another one, may break the guarantee.")
    return tuple(said)


def _repeated(names: set[str], hidden: bool) -> str:
    """Return what becomes of the level where one person reports several times."""
    together = "md.together says what several reports tell."
    if not hidden and names <= ADD_UP:
        return f"Repeated reports add up: two reports of one person have up to twice the level. {together}"
    if not hidden and names <= ADD_UP | {"ApproximateLDP"}:
        return f"Repeated reports add up: two reports of one person have up to twice epsilon and delta. {together}"
    return (
        "The guarantee does not compose: the level of several reports of one person may be more than the sum of theirs "
        f"(two reports under LIP(1) can have a level of 2.677). {together}"
    )
