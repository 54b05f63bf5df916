"""Regression of the answers that randomised reports hide on covariates that are known, by maximum likelihood."""

from mechdesign.estimation.regression.hypotheses import HypothesisTest
from mechdesign.estimation.regression.prediction import Prediction
from mechdesign.estimation.regression.result import Family, Regression

__all__ = ["Family", "HypothesisTest", "Prediction", "Regression"]
