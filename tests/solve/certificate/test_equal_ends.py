"""Where the input itself may be told, no gap is left: nothing does better, whatever the prior's smallest shares are."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.certificate import claims
from mechdesign.testing.sized import OBJECTIVES

#: Of values so small that rounding is large beside them: the chance that anybody holds them is 3e-6.
SKEWED = md.Problem(prior=[1 - 3e-6, 1e-6, 1e-6, 1e-6], values=[0, 1, 2, 3])
#: Notions that allow the identity.
OPEN = [md.MutualInformationPrivacy(0.01), md.MaximalLeakage(3.0), md.ApproximateLDP(1.0, 1.0)]


@pytest.mark.thinned(6)
@pytest.mark.parametrize("objective", [name for name in OBJECTIVES if name != "LeakageLoss"])
@pytest.mark.parametrize("notion", OPEN, ids=str)
def test_no_gap_is_left_where_everything_may_be_told(notion, objective):
    asked = OBJECTIVES[objective](md.Problem(n=4), np.random.default_rng(2))
    made = md.design(SKEWED, notion, asked)
    assert made.gap <= 1e-6


@pytest.mark.parametrize("objective", [md.ErrorProbability(), md.HistogramMMSE(), md.HammingLoss()], ids=str)
def test_it_survives_the_file(objective, tmp_path):
    made = md.design(SKEWED, md.MaximalLeakage(3.0), objective)
    loaded = md.load(made.mechanism.save(tmp_path / "a.json"))
    assert (loaded.claimed.value, loaded.claimed.bound, loaded.claimed.gap) == (0.0, 0.0, 0.0)


def test_rounding_counts_where_some_output_hides_the_input():
    """Planted: one output in a million hides its input, so that a value of 0 would be rounding."""
    nearly = np.eye(4)
    nearly[0] = [1.0 - 2.0**-50, 2.0**-50, 0.0, 0.0]
    assert claims._is_the_input(np.eye(4)) and not claims._is_the_input(nearly)
    asked = md.ErrorProbability()
    question = md.Question(SKEWED, md.MaximalLeakage(3.0), asked)
    derived = claims.derive(
        question, SKEWED, nearly, md.design(SKEWED, md.MaximalLeakage(3.0), asked).mechanism.claimed.multipliers, "rays"
    )
    assert derived.gap > 0.0
