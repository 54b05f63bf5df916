"""Values of utilities in exact arithmetic: bounds on either side, or a refusal, however loose a bound is."""

from fractions import Fraction

import pytest

import mechdesign as md
from mechdesign.testing.sized import OBJECTIVES, sized_problem

#: Orders on either side of 1, where a divergence is of another sign.
ORDERS = {"RenyiDivergence": (0.3, 2.0)}
SIZES = (0, 1, 10**3, 10**30, 10**300)


def forms(name, rng):
    objective = OBJECTIVES[name](md.Problem(n=3), rng)
    changed = [md.RenyiDivergence(order, objective.first, objective.second) for order in ORDERS.get(name, ())]
    for each in changed or [objective]:
        form = each.exact_form(sized_problem(3, rng))
        if form is not None:
            yield form


@pytest.mark.parametrize("name", OBJECTIVES)
def test_every_utility_has_a_value_or_a_refusal(name, rng):
    for form in forms(name, rng):
        for size in SIZES:
            for utility in (Fraction(size), Fraction(-size), Fraction(1, size or 1)):
                try:
                    low, high = form.value(utility)
                except md.CertificateError:
                    continue
                assert low <= high
