"""What a problem need not have, asked for as if it had: the error names what is missing, and how to give it."""

import numpy as np
import pytest

import mechdesign as md


def test_what_was_given_is_returned():
    problem = md.Problem(prior=[0.25, 0.75], values=[3, 5])
    assert problem.required_prior is problem.prior and problem.required_values is problem.values
    hidden = problem.hidden([[0.9, 0.2], [0.1, 0.8]])
    assert np.array_equal(hidden.required_prior_of_secret, hidden.prior_of_secret)
    assert hidden.required_prior_of_secret == pytest.approx([0.375, 0.625])


@pytest.mark.parametrize(
    ("name", "argument", "remedy"),
    [
        ("required_prior", "prior", "give Problem(prior=...)"),
        ("required_values", "values", "give Problem(values=...)"),
        ("required_prior_of_secret", "prior", "hidden(..., secret_prior=...)"),
    ],
)
def test_what_is_missing_is_named(name, argument, remedy):
    with pytest.raises(md.DomainError) as caught:
        getattr(md.Problem(n=3), name)
    assert caught.value.argument == argument and remedy in str(caught.value)
