"""What one does with any transition matrix: draw from it, estimate from its reports, and account for them."""

from mechdesign.estimation.accounting_verbs import AccountingVerbs
from mechdesign.estimation.differences import Difference
from mechdesign.estimation.estimating import Estimate
from mechdesign.estimation.functional import Functional
from mechdesign.estimation.goodness_of_fit import GoodnessOfFit
from mechdesign.estimation.posterior import Posterior
from mechdesign.estimation.quantiles import Quantile
from mechdesign.estimation.ratio import Ratio
from mechdesign.estimation.regression import HypothesisTest, Prediction, Regression
from mechdesign.estimation.surveys.grouped import GroupedEstimate
from mechdesign.estimation.surveys.replicates import Replicates
from mechdesign.estimation.verbs import Verbs

__all__ = [
    "AccountingVerbs",
    "Difference",
    "Estimate",
    "Functional",
    "GoodnessOfFit",
    "GroupedEstimate",
    "HypothesisTest",
    "Posterior",
    "Prediction",
    "Quantile",
    "Ratio",
    "Regression",
    "Replicates",
    "Verbs",
]
