"""Every tolerance of the package, by name, with its reason."""

from __future__ import annotations

from typing import Final

#: A distribution that a user types may miss one by this much (decimals add up to about 1e-12);
#: it is kept as given and normalised exactly in the rational check.
SUM_TO_ONE: Final = 1e-9

#: The denominator of every entry of a returned matrix is 2**53: exact in float64, and sampled bit for bit.
DENOMINATOR_BITS: Final = 53

#: Outputs of less mass than this are merged into another: rounding to 2**-53 would move their ratios by 1e-7.
NEGLIGIBLE_MASS: Final = 1e-9
#: Outputs that no input makes more often are merged with others where that costs no more than the gap asked for.
NEGLIGIBLE: Final = 1e-6

#: The gap that a design has to reach unless the user says otherwise.
GAP: Final = 1e-6

#: The gap's denominator never falls below this share of the span between no privacy and no information.
SPAN_SHARE: Final = 1e-6

#: A gap beyond this share of what is gained is warned of where that floor of the denominator hides it, and mechanisms
#: known in closed form are tried: multiples of 2**-53 alone cost 1e-4 of what is gained at a level of 1e-12.
GAIN_GAP: Final = 1e-3

#: A gap below this is the rounding of the value: where the value is large, no gain beside it differs from zero.
RESOLVED: Final = 1e-12

#: A level this close below its least value is taken as that value (float noise of 1 - 2w), and said.
LEAST_LEVEL: Final = 1e-12

#: A level that misses what is asked by no more than this, in its own unit or as a share of it, misses by the rounding
#: of floats: a product of a thousand probabilities is off by 1e-13.
MISSED_BY_ROUNDING: Final = 1e-12

#: Optimality and feasibility asked of solvers: repair and certificate pay for what they miss.
SOLVER: Final = 1e-9

#: Optimality asked of an interior point where the optimum itself may be next to 0: what leaks when little is asked.
SOLVER_OF_LEAKAGE: Final = 1e-12

#: Multipliers beyond this are taken for nonsense and replaced by zeros: their products would overflow.
LARGEST_MULTIPLIER: Final = 1e100

#: A user's own constraints may be missed by this much after the repair, relative to their coefficients.
SUBJECT_TO: Final = 1e-6

#: Programs that would take more bytes than this, or half of what is free, are not built unless the user says so.
MEMORY: Final = 4e9

#: Two outputs are merged when that costs less than this share of the utility.
MERGE_LOSS: Final = 1e-10

#: More extreme rays than this are not enumerated (n = 16 under LDP is the published method's end).
RAY_LIMIT: Final = 1 << 17

#: Up to this many rays the linear program over them takes milliseconds, so `auto` prefers it.
RAY_COMFORT: Final = 4096

#: Two floating-point computations of one number of order one agree this well; more is a contradiction.
ROUNDING: Final = 1e-10

#: What a file claims may pass what follows from it by this share, beside the rounding of its sums: another machine adds
#: in another order, and ends in other last digits.
CLAIM: Final = 1e-12

#: A question this close outside the boundary of a theorem's domain counts as on it: what two roundings leave.
BOUNDARY: Final = 1e-12

#: Programs and bounds take e^epsilon at this epsilon at most: beyond it the cones are equal in floating point.
LARGEST_EXPONENT: Final = 700.0

#: How much of the value the pricing of a bound may stop early; it is inside the bound.
PRICING: Final = 1e-10

#: How much of what is gained it may stop early besides: far less than a gap that is warned of.
PRICING_OF_GAIN: Final = 1e-7

#: Losses whose largest is between these in size: beyond, products with multipliers overflow or lose their digits.
SMALLEST_LOSS: Final = 1e-100
LARGEST_LOSS: Final = 1e100

#: Values whose largest is between these in size, as their squares are taken.
SMALLEST_VALUE: Final = 1e-50
LARGEST_VALUE: Final = 1e50

#: The gap that the referee asks of the optima it holds claims against.
REFEREE_GAP: Final = 1e-9

#: Two sides of a claim that differ by more than this share of their size differ.
REFEREE_ROUNDING: Final = 1e-8

#: A certificate wider than this share of the value decides nothing: than what two sides may differ by.
REFEREE_WIDTH: Final = REFEREE_ROUNDING

#: How much the order of a remainder, as it is measured, may miss the order that is claimed.
REFEREE_SLOPE: Final = 0.25
