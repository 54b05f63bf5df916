"""Sentences that promise something of a report to the people who are asked, for cards to say."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full, rounded_up
from mechdesign.exact import exp_up
from mechdesign.problem import Problem

#: A promise: a sentence or two of a notion, the problem over its inputs, and the words for what it protects.
Promise = Callable[[Any, Problem, Subject], str]

#: Of a larger level the factor is not written out.
MOST_WRITTEN = 20.0
#: How a sentence begins that says what a guarantee leaves open: another one beside it may rule that out.
OPEN = "As far as this goes, "


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


def times(epsilon: float, pair: str) -> str:
    """Return that no report is much likelier for one than for the other of a pair.

    Examples
    --------
    >>> times(0.0, "any two answers")
    'No report is more than e^0 (which is 1) times as likely for one as for the other of any two answers.'
    """
    return f"No report is more than {factor(epsilon)} times as likely for one as for the other of {pair}."


def both_ways(whose: str) -> Promise:
    """Return the promise of epsilon that nothing becomes more or less probable by more, for those with a prior."""
    return lambda notion, problem, of: (
        f"No report makes any of the {of.values} more probable or less probable by more than a factor of "
        f"{factor(notion.epsilon)}, for anyone who {whose}."
    )


def sides(lower: float, upper: float, of: Subject) -> str:
    """Return how much more and how much less probable a report can make a value: one side may be unbounded."""
    start = f"For anyone who has the prior stated here, no report makes any of the {of.values}"
    up, down = (f"{way} probable by more than a factor of " for way in ("more", "less"))
    if math.isinf(lower):
        ruled_out = f" {OPEN}a report may make some less probable, and may rule some out." if upper else ""
        return f"{start} {up}{factor(upper)}.{ruled_out}"
    if math.isinf(upper):
        raised = f" {OPEN}a report may make some more probable by a larger factor." if lower else ""
        return f"{start} {down}{factor(lower)}.{raised}"
    return f"{start} {up}{factor(upper)}, nor {down}{factor(lower)}."


def rare(notion: Any, of: Subject) -> str:
    """Return what an average leaves open; nothing if the average is zero."""
    return f" {OPEN}single reports may reveal {of.it} entirely." if notion.epsilon else ""
