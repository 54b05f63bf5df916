"""What is said where a design's gap is wider than asked, and how it may be closed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from mechdesign.mechanism.certificate import LAST_RESORT
from mechdesign.notions import Notion
from mechdesign.objectives import InformationDesign
from mechdesign.solve.certificate.claims import span
from mechdesign.tolerances import GAIN_GAP, SPAN_SHARE

if TYPE_CHECKING:
    from mechdesign.designing.result import Design

#: Inputs up to which nearly every pair of the catalogue is certified (``tests/solve/routes/test_pairs.py``).
FEW_INPUTS = 12
#: A gap up to which a mechanism is near enough for most purposes.
NEAR = 0.05


def shortfall(design: Design, asked: float) -> str | None:
    """Return the sentence of a gap that is wider than `asked`, or hidden by its divisor; None for no such gap."""
    question, stats = design.mechanism.asked, design.solver_stats
    if design.gap <= asked:
        return _hidden(design)
    return (
        f"The certified gap is {design.gap:.1e}, wider than the {asked:.1e} asked for "
        f"({question.objective} under {question.notion}, n = {design.mechanism.shape[0]}, route {design.route}, "
        f"solver {stats.name}: {stats.status}). "
        f"The mechanism is private{' but uninformative: it ignores its input' * design.uninformative}; "
        f"{_remedy(design)}."
    )


def _hidden(design: Design) -> str | None:
    """Return the sentence of a gap that is small beside the span alone, and not beside what is gained."""
    question, size = design.mechanism.asked, max(abs(design.value), abs(design.bound))
    inputs = question.notion.inputs(question.problem)
    if design.gap_of_gain <= GAIN_GAP or size >= SPAN_SHARE * span(question.objective, inputs):
        return None
    parts = [part for part in question.notion.parts() if not _at_epsilon(part)]
    silent = any(part.parameter <= part.columns(inputs).least_level for part in parts)
    if silent or question.objective.measures_leakage:
        # No information may be disclosed, or none is best, and what the bound is off is rounding.
        return None
    return (
        f"What the mechanism gains over one that ignores its input may be missed by a share of "
        f"{design.gap_of_gain:.1e} of it: the certified gap of {design.gap:.1e} is relative to {SPAN_SHARE:g} of the "
        f"span, since so little can be disclosed at all ({question.objective} under {question.notion}, "
        f"n = {design.mechanism.shape[0]}, route {design.route}). The mechanism is private; ask for a level at which "
        "more can be disclosed, or compare the value with those of mechdesign.baselines."
    )


def _remedy(design: Design) -> str:
    """Return a sentence on how a wide gap may be closed."""
    question = design.mechanism.asked
    inputs, parts = question.notion.inputs(question.problem), question.notion.parts()
    if inputs.is_hidden and any(part.parameter <= part.columns(inputs).least_level for part in parts):
        return (
            "at the least level a hidden secret has to see equal probabilities to the last bit, which multiples of "
            "2**-53 can seldom give: ask for a level higher by 1e-9"
        )
    if design.interrupted:
        return "it is the best of a search that was interrupted: let it go on for a smaller gap"
    if design.late:
        return "the time limit ended the search: a longer time_limit may close the gap"
    tried = dict.fromkeys(attempt.route for attempt in design.attempts)
    said = f"the search came to its own end (tried: {', '.join(tried)}), so that a longer time_limit does not help"
    if design.gap <= NEAR:
        enough = f"gap={_enough(design.gap)} asks for no more"
        among = design.mechanism.claimed.among(question.outputs)
        return f"{said}; nothing private{among} is better by more than the gap, and {enough}"
    if design.route == LAST_RESORT and len(tried) == 1:
        said = "no route that searches answers this question, and design.refusals says why"
    if isinstance(question.objective, InformationDesign):
        # Fewer categories would be another survey.
        return f"{said}; it may be the bound that is far off: design.rivals has the values of known mechanisms"
    shape = question.notion.columns(inputs)
    few = f"at most {FEW_INPUTS}" if shape.banded or shape.around_mass else "a few"
    return said + f"; merge inputs into {few}, of which the optimum is certified" * (inputs.n > FEW_INPUTS)


def _at_epsilon(notion: Notion) -> bool:
    """Return whether the level is what is allowed beside a positive epsilon, which by itself allows something."""
    return notion.level_name != "epsilon" and getattr(notion, "epsilon", 0.0) > 0.0


def _enough(gap: float) -> str:
    """Return a round number above the gap, as one would type it.

    Examples
    --------
    >>> _enough(0.0023), _enough(0.00017), _enough(0.05)
    ('0.005', '0.0002', '0.05')
    """
    power = 10.0 ** math.floor(math.log10(gap))
    return f"{next(step * power for step in (1.0, 2.0, 5.0, 10.0) if gap <= step * power):g}"
