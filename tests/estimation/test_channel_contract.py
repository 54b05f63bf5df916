"""The sampler and the estimator keep their contracts, and each planted defect is caught by the clause that names it."""

import pytest

from mechdesign.testing import check_estimator, check_sampler
from mechdesign.testing.estimator_contract import ESTIMATOR_CLAUSES
from mechdesign.testing.sampler_contract import SAMPLER_CLAUSES
from tests.planted import channels as wrong


def test_the_sampler_keeps_its_contract(rng):
    check_sampler(wrong.sample, rng)


def test_the_estimator_keeps_its_contract(rng):
    check_estimator(wrong.estimate, rng)


@pytest.mark.parametrize(("clause", "broken"), wrong.SAMPLERS, ids=lambda part: getattr(part, "__name__", part))
def test_a_wrong_sampler_is_caught(clause, broken, rng):
    with pytest.raises(AssertionError):
        SAMPLER_CLAUSES[clause](broken, rng)


# As in check_estimator(): of many samples some fit badly by chance.
@pytest.mark.filterwarnings("ignore::mechdesign.errors.FitWarning")
@pytest.mark.thinned(16)
@pytest.mark.parametrize(("clause", "broken"), wrong.ESTIMATORS, ids=lambda part: getattr(part, "__name__", part))
def test_a_wrong_estimator_is_caught(clause, broken, rng):
    with pytest.raises(AssertionError):
        ESTIMATOR_CLAUSES[clause](broken, rng)


def test_every_clause_has_a_defect_that_trips_it():
    assert {clause for clause, _ in wrong.SAMPLERS} == set(SAMPLER_CLAUSES)
    assert {clause for clause, _ in wrong.ESTIMATORS} == set(ESTIMATOR_CLAUSES)
