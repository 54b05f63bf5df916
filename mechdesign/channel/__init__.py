"""What one does with any transition matrix: draw from it, estimate from its reports, and account for them."""

from mechdesign.channel.differences import Difference
from mechdesign.channel.estimating import Estimate
from mechdesign.channel.functional import Functional
from mechdesign.channel.posterior import Posterior
from mechdesign.channel.quantiles import Quantile
from mechdesign.channel.verbs import Verbs
from mechdesign.channel.weighted import WeightedEstimate

__all__ = ["Difference", "Estimate", "Functional", "Posterior", "Quantile", "Verbs", "WeightedEstimate"]
