"""Randomised-response designs of survey research, as the instruction to the respondent says them."""

from mechdesign.baselines.survey_designs.additive_scrambling import additive_scrambling
from mechdesign.baselines.survey_designs.cheater_detection import cheater_detection
from mechdesign.baselines.survey_designs.crosswise import crosswise
from mechdesign.baselines.survey_designs.forced_response import forced_response
from mechdesign.baselines.survey_designs.invariant_pram import invariant_pram
from mechdesign.baselines.survey_designs.kuk import kuk
from mechdesign.baselines.survey_designs.mangat import mangat
from mechdesign.baselines.survey_designs.triangular import triangular
from mechdesign.baselines.survey_designs.unrelated_question import unrelated_question
from mechdesign.baselines.survey_designs.warner import warner

__all__ = [
    "additive_scrambling",
    "cheater_detection",
    "crosswise",
    "forced_response",
    "invariant_pram",
    "kuk",
    "mangat",
    "triangular",
    "unrelated_question",
    "warner",
]
