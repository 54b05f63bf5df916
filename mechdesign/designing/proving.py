"""A design whose bound is proved in integers, where a proof is known for its question."""

from __future__ import annotations

from dataclasses import replace

from mechdesign.designing.result import Design
from mechdesign.proofs import checked, proved, refusal
from mechdesign.runtime.deadline import is_late

#: By how much of its size the proof's bound may be off the one in floating point, and the share of the gap asked for.
CLOSE, OF_GAP = 1e-8, 0.25
#: A proof that shows more than the gap asked for, and than so many times the gap in floating point, is none.
WIDER = 2.0


def with_proof(made: Design, gap: float) -> tuple[Design, str | None]:
    """Return the design with a proof in integers, or as it is with the reason why there is none.

    With a proof, value, bound and gaps are what the proof shows, rounded outward.
    """
    question, claimed = made.mechanism.asked, made.mechanism.claimed
    if claimed.multipliers.of_own_constraints:
        return made, "constraints of your own are not covered"
    why = refusal(question)
    if why is not None:
        return made, why
    if is_late():
        return made, "the time limit left no time for it"
    inputs = question.notion.inputs(question.problem)
    try:
        proof = proved(question, inputs, made.by_decision, claimed, min(CLOSE, OF_GAP * gap))
        if proof is None:
            return made, "none was found within the digits of its multipliers"
        found = checked(question, inputs, made.by_decision, claimed.multipliers, claimed.route, proof)
    except KeyboardInterrupt:
        return made, "it was interrupted"
    if found.gap > max(gap, WIDER * claimed.gap):
        return made, f"the one that was found shows a gap of {found.gap:.1e} only"
    mechanism = replace(made.mechanism, certificate=found)
    return replace(made, mechanism=mechanism, value=found.value, bound=found.bound, gap=found.gap), None
