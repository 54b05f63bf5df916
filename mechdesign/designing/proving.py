"""A design whose bound is proved in integers, where a proof is known for its question."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace

from mechdesign.designing.result import Design
from mechdesign.errors import CertificateError, ProofWarning
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.parameters.checks import frozen
from mechdesign.proofs import checked, proved, refusal
from mechdesign.proofs.checking import LARGEST_MATRIX
from mechdesign.runtime.deadline import OutOfTime, is_late, until
from mechdesign.solve.pricing.revealing_outputs import decision_of_each_output

#: By how much of its size the proof's bound may be off the one in floating point, and the share of the gap asked for.
CLOSE, OF_GAP = 1e-8, 0.25
#: A proof that shows more than the gap asked for, and than so many times the gap in floating point, is none.
WIDER = 2.0
LATE = "the time limit left no time for it"


def with_proof(made: Design, gap: float) -> tuple[Design, str | None]:
    """Return the design with a proof in integers, or the design as given with the reason why no proof was found.

    With a proof, value, bound and gaps are what the proof shows, rounded outward. Ctrl-C is the caller's.
    """
    if isinstance(made.mechanism, ImplicitMechanism):
        return made, "mechanisms without a matrix have no proof that is read without the package"
    question, claimed = made.mechanism.asked, made.mechanism.claimed
    if claimed.multipliers.of_own_constraints:
        return made, "constraints of your own are not covered"
    why = refusal(question)
    if why is not None:
        return made, why
    if math.prod(made.mechanism.shape) > LARGEST_MATRIX:
        return made, f"its matrix has {math.prod(made.mechanism.shape)} numbers, more than readers of proofs take"
    if is_late():
        return made, LATE
    inputs = question.notion.inputs(question.problem)
    try:
        proof = proved(question, inputs, made.by_decision, claimed, min(CLOSE, OF_GAP * gap))
    except OutOfTime:
        return made, LATE
    if proof is None:
        return made, "none was found within the digits of its multipliers"
    proof = replace(proof, decisions=frozen(decision_of_each_output(made.mechanism)))
    try:
        found = checked(question, inputs, made.by_decision, claimed.multipliers, claimed.route, proof)
    except CertificateError as error:
        # Of some matrices the value has no enclosure: a covariance that is nearly infinite, say.
        said = str(error).removeprefix("The proof fails: ").rstrip(".")
        return made, f"the one that was found does not hold ({said})"
    if found.gap > max(gap, WIDER * claimed.gap):
        return made, f"the one that was found shows a gap of {found.gap:.1e} only"
    mechanism = replace(made.mechanism, certificate=found)
    return replace(made, mechanism=mechanism, value=found.value, bound=found.bound, gap=found.gap), None


@dataclass
class Proofs:
    """Proofs of several designs of one study, and why those have none that have none.

    Attributes
    ----------
    wanted : bool
        Whether proofs are looked for.
    missing : list of str
        The reason of each design without one.
    interrupted : bool
        Whether Ctrl-C ended the search for a proof: its design is without one, and no more are made.
    """

    wanted: bool
    missing: list[str] = field(default_factory=list)
    interrupted: bool = False

    def of(self, made: Design, gap: float, started: float, time_limit: float | None) -> Design:
        """Return the design with a proof, if proofs are wanted and one is found in what is left of its time."""
        if not self.wanted:
            return made
        try:
            with until(None if time_limit is None else started + time_limit):
                found, why = with_proof(made, gap)
        except KeyboardInterrupt:
            self.interrupted, found, why = True, made, "it was interrupted"
        self.missing += [] if why is None else [why]
        return found

    def warn(self) -> None:
        """Warn once, on behalf of the caller of the study, of designs without a proof."""
        if self.missing:
            count = "1 bound" if len(self.missing) == 1 else f"{len(self.missing)} bounds"
            said = f"No proof in integers of {count}: {self.missing[0]}. Certified in floating point instead."
            warnings.warn(said, ProofWarning, stacklevel=3)


def manners(proved: int, bounds: int) -> str:
    """Return a sentence on how many of several bounds are proved in integers.

    Examples
    --------
    >>> manners(2, 3)
    '2 of 3 bounds are proved in integers, the other certified in floating point'
    >>> manners(3, 3)
    'all bounds are proved in integers'
    """
    if proved == bounds:
        return "all bounds are proved in integers"
    if not proved:
        return "bounds are certified in floating point"
    rest = "the other" if bounds - proved == 1 else "the others"
    return f"{proved} of {bounds} bounds are proved in integers, {rest} certified in floating point"
