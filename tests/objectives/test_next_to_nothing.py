"""Where next to nothing is disclosed: values, utilities and functionals against 60 digits, at levels from 1e-12 on."""

from dataclasses import replace

import mpmath
import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives import Generator
from tests.helpers import exact_values
from tests.helpers.exact_values import exact, next_to_constant, response
from tests.helpers.made_objectives import LeCam
from tests.planted.functions import PLANTED, PlainMean

LEVELS = (1e-12, 1e-10, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0)


def vectors(rng, n):
    return rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))


def tilt(rng, n):
    direction = rng.normal(size=n)
    return rng.dirichlet(np.ones(n)), direction - direction.mean()


def plain(rng, n):
    return md.Problem(n=n)


def whole(rng, n):
    return md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))


#: Objectives whose gain keeps its digits, however small it is.
ACCURATE = {
    "KLDivergence": (lambda rng, n: md.KLDivergence(*vectors(rng, n)), plain),
    "JensenShannon": (lambda rng, n: md.JensenShannon(*vectors(rng, n)), plain),
    "ChiSquare": (lambda rng, n: md.ChiSquare(*vectors(rng, n)), plain),
    "Hellinger": (lambda rng, n: md.Hellinger(*vectors(rng, n)), plain),
    "TotalVariation": (lambda rng, n: md.TotalVariation(*vectors(rng, n)), plain),
    "FDivergence of a power": (lambda rng, n: md.FDivergence(md.PowerGenerator(2.5), *vectors(rng, n)), plain),
    **{
        f"RenyiDivergence {order}": (lambda rng, n, a=order: md.RenyiDivergence(a, *vectors(rng, n)), plain)
        for order in (0.01, 0.3, 0.5, 0.99, 1.4, 2.0, 5.0)
    },
    "FisherInformation": (lambda rng, n: md.FisherInformation(*tilt(rng, n)), plain),
    "MMSE": (lambda rng, n: md.MMSE(), whole),
    "HistogramMMSE": (lambda rng, n: md.HistogramMMSE(), whole),
    "LabelMMSE": (lambda rng, n: md.LabelMMSE(rng.dirichlet(np.ones(2), size=n).T, rng.normal(size=2)), whole),
    "MutualInformation": (lambda rng, n: md.MutualInformation(), whole),
    "ErrorProbability": (lambda rng, n: md.ErrorProbability(), lambda rng, n: md.Problem(prior=np.ones(n) / n)),
    "ChernoffExponent": (lambda rng, n: md.ChernoffExponent(*vectors(rng, n)), plain),
    "HoeffdingExponent": (lambda rng, n: md.HoeffdingExponent(0.0, *vectors(rng, n)), plain),
}

#: Objectives that say how far they are rounded, no more.
HONEST = {
    "FDivergence of a user's": (lambda rng, n: md.FDivergence(LeCam(), *vectors(rng, n)), plain),
    "FDivergence of a user's that cancels": (lambda rng, n: md.FDivergence(PlainMean(), *vectors(rng, n)), plain),
    "HammingLoss": (lambda rng, n: md.HammingLoss(), whole),
    "AbsoluteError": (lambda rng, n: md.AbsoluteError(), whole),
    "ExpectedLoss": (lambda rng, n: md.ExpectedLoss(rng.normal(size=(n, n))), whole),
    "LabelInformation": (lambda rng, n: md.LabelInformation(rng.dirichlet(np.ones(2), size=n).T), whole),
    "LeakageLoss": (lambda rng, n: md.LeakageLoss(), plain),
    "MeanInformation": (lambda rng, n: md.MeanInformation(rng.dirichlet(np.ones(n), size=2)), plain),
    "WorstCaseInformation": (lambda rng, n: md.WorstCaseInformation(rng.dirichlet(np.ones(n), size=2)), plain),
}
ELSEWHERE = {"HanKobayashiExponent", "InformationDesign", "MaxOffDiagonal", "UnbiasedMean", "WorstCaseLoss"}


def test_every_objective_is_here():
    named = {name for name in md.objectives.__all__ if isinstance(getattr(md, name, None), type)}
    known = {name for name in named if issubclass(getattr(md, name), md.Objective) and getattr(md, name).card.full_name}
    assert known - {name.split()[0] for name in (*ACCURATE, *HONEST)} == ELSEWHERE


def matrices(n, level, rng):
    return response(n, level), next_to_constant(n, n, level, rng)


def relative(found, wanted):
    return 0.0 if found == wanted else float(abs(mpmath.mpf(found) - wanted) / abs(wanted))


@pytest.mark.thinned(4)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ACCURATE)
def test_gains_keep_their_digits(name, level, rng):
    maker, asked = ACCURATE[name]
    for n in (2, 3, 5):
        objective, problem = maker(rng, n), asked(rng, n)
        for matrix in matrices(n, level, rng):
            wanted = exact_values.gained(objective, problem, matrix)
            gained, rounding = objective.improvement(matrix, problem)
            assert relative(gained, wanted) <= 1e-12
            assert abs(exact(gained) - wanted) <= rounding
            if objective.kind == "sublinear" and hasattr(objective, "column_utility") and objective.sense == "maximise":
                total = float(objective.column_utility(matrix, problem).sum())
                idle = exact(objective.column_utility(np.ones((n, 1)), problem)[0])
                assert relative(exact(total) - idle, wanted) <= 1e-12
            if objective.sense == "maximise":
                assert (
                    relative(objective.value(matrix, problem), exact_values.value(objective, problem, matrix)) <= 1e-12
                )


def of_a_rare_input(objective, problem, mass):
    """Return the objective and the problem with so much of each distribution moved to the last input."""

    def moved(vector):
        return np.append((1.0 - mass) * vector[:-1] / vector[:-1].sum(), mass)

    given = {name: moved(getattr(objective, name)) for name in ("first", "second") if hasattr(objective, name)}
    if problem.prior is not None:
        problem = replace(problem, prior=moved(problem.prior))
    return replace(objective, **given), problem


@pytest.mark.parametrize("level", [1e-8, 1e-6, 1e-4])
@pytest.mark.parametrize("name", [name for name in ACCURATE if name not in {"FisherInformation", "ErrorProbability"}])
def test_gains_keep_their_digits_beside_a_rare_input_whose_row_is_far_from_the_others(name, level, rng):
    maker, asked = ACCURATE[name]
    for n in (3, 5):
        objective, problem = of_a_rare_input(maker(rng, n), asked(rng, n), level**2)
        matrix = np.vstack([next_to_constant(n - 1, n, level, rng), np.eye(n)[0] * (1.0 - n * 2.0**-23) + 2.0**-23])
        gained, rounding = objective.improvement(matrix, problem)
        wanted = exact_values.gained(objective, problem, matrix)
        assert relative(gained, wanted) <= 1e-14
        assert abs(exact(gained) - wanted) <= rounding


@pytest.mark.thinned(8)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [*ACCURATE, *HONEST])
def test_values_are_as_near_as_they_say(name, level, rng):
    maker, asked = (ACCURATE | HONEST)[name]
    for n in (2, 3, 5):
        objective, problem = maker(rng, n), asked(rng, n)
        for matrix in matrices(n, level, rng):
            wanted = exact_values.value(objective, problem, matrix)
            missed = abs(exact(objective.value(matrix, problem)) - wanted)
            assert missed <= objective.rounding(matrix, problem)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", [name for name, (maker, _) in ACCURATE.items() if "Exponent" not in name])
def test_functionals_support_next_to_nothing(name, level, rng):
    """At its own column ``g . v`` is the utility, within some units of ``|g| . v``; elsewhere no more."""
    maker, asked = ACCURATE[name]
    objective, problem = maker(rng, 3), asked(rng, 3)
    columns = np.hstack(matrices(3, level, rng))
    functionals = objective.supporting(columns, problem)
    for y, functional in enumerate(functionals.T):
        for z in (y, (y + 1) % columns.shape[1]):
            reached = mpmath.fsum(exact(g) * exact(v) for g, v in zip(functional, columns[:, z], strict=True))
            utility = exact(objective.column_utility(columns[:, [z]], problem)[0])
            room = 1e-15 * float(np.abs(functional) @ columns[:, z] + objective.magnitude(columns[:, [z]], problem)[0])
            assert reached <= utility + 4 * room
            assert z != y or abs(reached - utility) <= 4 * room


def reference(f, w):
    """Return ``f(1 + w)`` by the formula in its docstring."""
    t = 1 + w
    if f.name == "PowerGenerator":
        a = exact(f.order)
        return (t**a - a * t + a - 1) / (a * (a - 1))
    return {
        "KLGenerator": lambda: t * mpmath.log(t) - w,
        "JensenShannonGenerator": lambda: (t * mpmath.log(2 * t / (1 + t)) + mpmath.log(2 / (1 + t))) / 2,
        "HellingerGenerator": lambda: (mpmath.sqrt(t) - 1) ** 2 / 2,
        "ChiSquareGenerator": lambda: w * w,
        "TotalVariationGenerator": lambda: abs(w) / 2,
    }[f.name]()


GENERATORS = (
    md.KLGenerator(),
    md.JensenShannonGenerator(),
    md.HellingerGenerator(),
    md.ChiSquareGenerator(),
    md.TotalVariationGenerator(),
    *(md.PowerGenerator(a) for a in (1e-3, 0.3, 0.49, 0.51, 0.999, 1.001, 1.7, 2.5, 6.0)),
)


def missed(f):
    """Return the largest relative error of f, its derivative and the tangent's rest at changes of every size."""
    sizes = np.geomspace(1e-16, f.reach, 41)
    w = np.concatenate([-sizes, sizes])
    worst = 0.0
    for k, change in enumerate(w):
        x = exact(change)
        value, slope = reference(f, x), mpmath.diff(lambda u: reference(f, u), x, h=abs(x) * mpf_step)
        rest = value - x * slope
        found = (f.value_near(w)[k], value), (f.derivative_near(w)[k], slope), (f.rest_near(w)[k], rest)
        # A difference quotient of 60 digits has some 20 of the derivative.
        worst = max(worst, *(relative(a, b) for a, b in found if abs(b) > 1e-12 * abs(value)))
    return worst


mpf_step = mpmath.mpf("1e-15")


@pytest.mark.parametrize("f", GENERATORS, ids=str)
def test_generators_keep_their_digits_next_to_one(f):
    assert missed(f) <= 1e-13


@pytest.mark.parametrize("f", GENERATORS, ids=str)
def test_far_from_one_the_plain_forms_do(f):
    t = np.array([1e-12, 1e-3, 0.2, 0.8, 0.94, 1.07, 1.3, 3.0, 50.0])
    for ratio, found in zip(t, f.value(t), strict=True):
        assert relative(found, reference(f, exact(ratio) - 1)) <= 1e-13


@pytest.mark.parametrize("name", PLANTED)
def test_forms_that_cancel_are_caught(name, rng):
    planted = PLANTED[name]
    if isinstance(planted, Generator):
        assert missed(planted) > 1e-3
        return
    objective, problem = planted(*vectors(rng, 3)), md.Problem(n=3)
    matrix = response(3, 1e-9)
    assert relative(objective.value(matrix, problem), exact_values.value(objective, problem, matrix)) > 1e-9
