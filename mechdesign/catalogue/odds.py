"""What a guarantee means for somebody who thought an answer as likely as not: the odds in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from mechdesign.catalogue.subject import RECORD, Subject
from mechdesign.exact import exp_down, exp_up
from mechdesign.problem import Problem

#: A sentence of a notion, the problem over its inputs, and the words for what it protects; empty for none.
Odds = Callable[[Any, Problem, Subject], str]
#: In tenths of a percent: what is said of a larger probability.
CERTAIN = 1000


def between_two(epsilon: float, of: Subject, who: str = "Somebody who", seen: str = "the report") -> str:
    """Return what is thought after a report by somebody who thought one of two values as likely as the other.

    Parameters
    ----------
    epsilon : float
        No report is more than ``e^epsilon`` times as likely for one as for the other; infinite for no such bound.
    of : Subject
        What is protected.
    who, seen : str
        How the sentence begins, and what is seen.

    Examples
    --------
    >>> from mechdesign.catalogue.subject import ANSWER
    >>> between_two(1.0, ANSWER)
    'Somebody who thought an answer as likely as not (50 %) thinks it at most 73.2 % likely after seeing the report.'
    """
    if math.isinf(epsilon):
        return ""
    factor = Fraction(exp_up(epsilon)) if epsilon < math.log(1e300) else None
    after = CERTAIN if factor is None else math.ceil(CERTAIN * factor / (1 + factor))
    start = f"{who} thought {of.one} as likely as not (50 %)"
    if after >= CERTAIN:
        return f"{start} may be all but certain of it after seeing {seen}: the level is large."
    return f"{start} thinks it at most {_percent(after)} likely after seeing {seen}."


def of_every_pair(notion: Any, problem: Problem, of: Subject) -> str:
    """Return the odds of a notion that bounds the ratio of any two probabilities of a report by ``e^epsilon``."""
    return between_two(notion.epsilon, of)


def lifted(problem: Problem, of: Subject, lower: float, upper: float) -> str:
    """Return what is thought of the likeliest value by those with the stated prior; empty if that bounds nothing.

    Parameters
    ----------
    problem : Problem
        With the prior.
    of : Subject
        What is protected.
    lower, upper : float
        A probability falls by a factor of at most ``e^lower`` and grows by at most ``e^upper``; infinite for no bound.
    """
    if problem.prior_of_secret is None or of is RECORD:
        return ""
    shares = problem.exact_prior_of_secret
    s = max(range(len(shares)), key=shares.__getitem__)
    before = Fraction(shares[s], sum(shares))
    # The other values together keep a share e^-lower of their probability.
    ends = [1 - (1 - before) * Fraction(exp_down(-lower))] if math.isfinite(lower) else []
    ends += [before * Fraction(exp_up(upper))] if upper < math.log(1e300) else []
    after = min((math.ceil(CERTAIN * end) for end in ends), default=CERTAIN)
    if after >= CERTAIN or before >= 1:
        return ""
    value = f'"{problem.named_secret(s)}" {_percent(round(CERTAIN * before))} likely before'
    return (
        f"Anyone who has the stated prior thinks {value}, and at most {_percent(after)} likely after seeing the report."
    )


def _percent(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10} %" if tenths % 10 else f"{tenths // 10} %"
