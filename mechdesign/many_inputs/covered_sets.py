"""How likely reports cover an input, and what is known of how many inputs they cover."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from mechdesign.families import Family
from mechdesign.families.block_design import BlockDesign


@dataclass(frozen=True)
class CoveredSets:
    """The probabilities that a report covers inputs, with mean and variance of the share of the inputs it covers.

    Attributes
    ----------
    own : float
        The probability that a report covers the person's input.
    other : float
        The probability that it covers another given input.
    share : Fraction, optional
        The mean over all reports of the share of the n inputs that one covers; None if reports off the person's input
        are not equally likely.
    spread : Fraction
        The variance of that share over all reports: 0 if all cover equally many inputs.

    Examples
    --------
    >>> from mechdesign.families import Hadamard, KaryResponse
    >>> CoveredSets.of(KaryResponse(4, Fraction(3)))
    CoveredSets(own=0.5, other=0.16666666666666666, share=Fraction(1, 4), spread=Fraction(0, 1))
    >>> CoveredSets.of(Hadamard(5, Fraction(3))).spread > 0
    True
    """

    own: float
    other: float
    share: Fraction | None = None
    spread: Fraction = Fraction(0)

    @classmethod
    def of(cls, family: Family) -> CoveredSets | None:
        """Return the sets of a family whose reports are the blocks of a design; None for another family.

        Of N reports K cover each input and L each pair of them: the mean of the share is ``K / N``, and the mean of its
        square ``(K + (n - 1) L) / (n N)``.
        """
        if not isinstance(family, BlockDesign):
            return None
        reports, covering, both = family.design
        share = Fraction(covering, reports)
        spread = Fraction(covering + (family.n - 1) * both, family.n * reports) - share**2
        return cls(float(family.own), float(family.other), share, spread)

    def is_of_single_inputs(self, n: int) -> bool:
        """Return whether each report covers one input."""
        return self.share == Fraction(1, n) and self.spread == 0
