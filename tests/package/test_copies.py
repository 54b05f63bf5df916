"""Copies of results are as read-only as the originals, and results can be kept in sets."""

import copy
import math
import pickle

import numpy as np
import pytest

import mechdesign as md

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
MADE = md.design(SURVEY, md.LIP(1.0), md.MMSE())
COPIES = {"pickled": lambda it: pickle.loads(pickle.dumps(it)), "deep": copy.deepcopy, "shallow": copy.copy}


@pytest.mark.parametrize("way", COPIES)
def test_copies_are_read_only_and_equal(way):
    for original in (MADE.mechanism, SURVEY, MADE.mechanism.claimed.multipliers):
        again = COPIES[way](original)
        assert again == original
        arrays = [value for value in vars(again).values() if isinstance(value, np.ndarray)]
        assert arrays
        assert not any(array.flags.writeable for array in arrays)
    with pytest.raises(ValueError, match="read-only"):
        COPIES[way](MADE).mechanism.matrix[:] = 1.0


def test_designs_can_be_kept_in_sets():
    assert len({MADE, MADE, md.design(SURVEY, md.LIP(0.5), md.MMSE())}) == 2


@pytest.mark.parametrize("n", [5, 22, 24, 300])
def test_the_profile_of_randomised_response_is_its_formula_rounded_up(n):
    """Of k-ary response all pairs tie: few are computed in fractions, many get the rounding of floats on top."""
    truth = math.e / (math.e + n - 1)
    made = md.baselines.randomised_response(md.Problem(n=n), 1.0)
    for epsilon in (0.0, 0.4):
        delta = truth * (1.0 - math.exp(epsilon - 1.0))
        assert 0.0 <= made.privacy_profile(epsilon)[0] - (delta - 1e-15 * n) <= 1e-11
