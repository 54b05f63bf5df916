"""Known mechanisms to compare with."""

from mechdesign.baselines.extremes import no_privacy, uninformative
from mechdesign.baselines.randomised_response import randomised_response, strongest_randomised_response

__all__ = ["no_privacy", "randomised_response", "strongest_randomised_response", "uninformative"]
