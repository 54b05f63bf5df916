"""Known mechanisms: of a problem and epsilon a Mechanism, exactly private; of a number n the two extremes as arrays."""

from mechdesign.baselines.exponential import exponential
from mechdesign.baselines.extremes import no_privacy, uninformative
from mechdesign.baselines.geometric import geometric
from mechdesign.baselines.hadamard_response import hadamard_response
from mechdesign.baselines.randomised_response import randomised_response
from mechdesign.baselines.response_matrix import response_matrix, strongest_randomised_response
from mechdesign.baselines.stochastic_rounding import stochastic_rounding
from mechdesign.baselines.subset_selection import subset_selection
from mechdesign.baselines.unary_encoding import unary_encoding

__all__ = [
    "exponential",
    "geometric",
    "hadamard_response",
    "no_privacy",
    "randomised_response",
    "response_matrix",
    "stochastic_rounding",
    "strongest_randomised_response",
    "subset_selection",
    "unary_encoding",
    "uninformative",
]
