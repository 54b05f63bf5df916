"""Known mechanisms: by a problem and epsilon, exactly private; survey designs by their instruction; two extremes."""

from mechdesign.baselines.exponential import exponential
from mechdesign.baselines.extremes import no_privacy, uninformative
from mechdesign.baselines.geometric import geometric
from mechdesign.baselines.hadamard_response import hadamard_response
from mechdesign.baselines.local_hashing import local_hashing
from mechdesign.baselines.longitudinal_variances import longitudinal_variances
from mechdesign.baselines.numeric_variances import numeric_errors, numeric_variances
from mechdesign.baselines.projective_response import projective_response
from mechdesign.baselines.randomised_response import randomised_response
from mechdesign.baselines.response_matrix import response_matrix, strongest_randomised_response
from mechdesign.baselines.stochastic_rounding import stochastic_rounding
from mechdesign.baselines.subset_selection import subset_selection
from mechdesign.baselines.survey_designs import (
    additive_scrambling,
    cheater_detection,
    crosswise,
    forced_response,
    invariant_pram,
    kuk,
    mangat,
    triangular,
    unrelated_question,
    warner,
)
from mechdesign.baselines.unary_encoding import unary_encoding

__all__ = [
    "additive_scrambling",
    "cheater_detection",
    "crosswise",
    "exponential",
    "forced_response",
    "geometric",
    "hadamard_response",
    "invariant_pram",
    "kuk",
    "local_hashing",
    "longitudinal_variances",
    "mangat",
    "no_privacy",
    "numeric_errors",
    "numeric_variances",
    "projective_response",
    "randomised_response",
    "response_matrix",
    "stochastic_rounding",
    "strongest_randomised_response",
    "subset_selection",
    "triangular",
    "unary_encoding",
    "uninformative",
    "unrelated_question",
    "warner",
]
