"""What a guarantee means for somebody who thought an answer as likely as not: the odds in one sentence."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from mechdesign.baselines.exponential import shortest
from mechdesign.exact import exp_down, exp_up
from mechdesign.notions import ApproximateLDP, MetricDP, Notion, ProfileDP
from mechdesign.problem import Problem
from mechdesign.reports.subjects import RECORD, subject, wholes

#: Notions that bound the ratio of any two probabilities of a report, and with it the odds, whatever the prior.
BOUNDED = frozenset(("LDP", "WorstCaseLIP"))
#: In tenths of a percent: what is said of a larger probability.
CERTAIN = 1000


def odds(notion: Notion, problem: Problem) -> tuple[str, ...]:
    """Return a sentence for each notion that bounds odds, or the probabilities of whoever has the stated prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> odds(md.LDP(1.0), md.Problem(n=2))[0]
    'Somebody who thought an answer as likely as not (50 %) thinks it at most 73.2 % likely after seeing the report.'
    """
    said = (_pairs(each, problem) or _lifted(each, problem) for each in wholes(notion))
    return tuple(line for line in said if line)


def _pairs(notion: Notion, problem: Problem) -> str:
    """Return the sentence of a notion that bounds the ratio of two probabilities; empty for any other."""
    of, epsilon, who, seen = subject(notion, problem), notion.parameter, "Somebody who", "the report"
    if isinstance(notion, ApproximateLDP):
        epsilon = math.inf if notion.delta else notion.epsilon
    elif isinstance(notion, MetricDP):
        # One float further up than the product, which is rounded.
        epsilon = math.nextafter(notion.epsilon * float(np.max(shortest(notion.distance))), math.inf)
    elif isinstance(notion, ProfileDP):
        joined = {frozenset(edge) for edge in notion.edges}
        whole = len(notion.profiles) * (len(notion.profiles) - 1) // 2
        epsilon = notion.epsilon if len(joined) == whole else math.inf
    elif notion.name == "BlockLDP":
        who = f"Somebody who knew the block of {of.it} and"
    elif notion.name == "UtilityOptimizedLDP":
        seen = "a report that reveals no answer"
    elif notion.name not in BOUNDED:
        return ""
    if math.isinf(epsilon):
        return ""
    factor = Fraction(exp_up(epsilon)) if epsilon < math.log(1e300) else None
    after = CERTAIN if factor is None else math.ceil(CERTAIN * factor / (1 + factor))
    thing = {"the answer": "an answer", "the profile": "a profile"}.get(of.it, "a value of the secret")
    start = f"{who} thought {thing} as likely as not (50 %)"
    if after >= CERTAIN:
        return f"{start} may be all but certain of it after seeing {seen}: the level is large."
    return f"{start} thinks it at most {_percent(after)} likely after seeing {seen}."


def _lifted(notion: Notion, problem: Problem) -> str:
    """Return the sentence of a notion that bounds the lift under the stated prior; empty for any other."""
    sides = {"LIP": ("epsilon", "epsilon"), "MaxLift": (None, "epsilon"), "AsymmetricLIP": ("lower", "upper")}
    if notion.name not in sides or problem.prior_of_secret is None or subject(notion, problem) is RECORD:
        return ""
    down, up = (math.inf if name is None else float(getattr(notion, name)) for name in sides[notion.name])
    shares = problem.exact_prior_of_secret
    s = max(range(len(shares)), key=shares.__getitem__)
    before = Fraction(shares[s], sum(shares))
    # The other values together keep a share e^-lower of their probability.
    ends = [1 - (1 - before) * Fraction(exp_down(-down))] if math.isfinite(down) else []
    ends += [before * Fraction(exp_up(up))] if up < math.log(1e300) else []
    after = min((math.ceil(CERTAIN * end) for end in ends), default=CERTAIN)
    if after >= CERTAIN or before >= 1:
        return ""
    return (
        f'Whoever has the stated prior thinks "{problem.named_secret(s)}" {_percent(round(CERTAIN * before))} likely '
        f"before, and at most {_percent(after)} likely after seeing the report."
    )


def _percent(tenths: int) -> str:
    return f"{tenths // 10}.{tenths % 10} %" if tenths % 10 else f"{tenths // 10} %"
