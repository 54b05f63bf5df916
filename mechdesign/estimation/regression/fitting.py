"""A regression of the answers that randomised reports hide: read, started from the naive fit, maximised and judged."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, FitWarning, SolverError
from mechdesign.estimation.from_reports import require_possible
from mechdesign.estimation.given_reports import GivenReports, given_reports
from mechdesign.estimation.goodness_of_fit import goodness_of_fit
from mechdesign.estimation.identifiability import require_identifiable
from mechdesign.estimation.likelihood import likeliest
from mechdesign.estimation.records import By
from mechdesign.estimation.regression.covariates import INTERCEPT, Covariates
from mechdesign.estimation.regression.likelihood import Likelihood, pooled
from mechdesign.estimation.regression.newton import Reached, maximised
from mechdesign.estimation.regression.result import Family, Regression
from mechdesign.estimation.regression.sandwich import SurveyScores, survey_scores
from mechdesign.estimation.regression.scales import Scales, scaled
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.columns import require_one_order_of_all, weights_of
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.runtime.threads import blas_limited

if TYPE_CHECKING:
    from mechdesign.estimation.verbs import Verbs

#: The likeliest population need only be near, in nats per report.
NEAR = 1e-9
#: Reports of each input that are added to the population that steps start from, so that no share is 0.
ADDED = 0.5
#: Starts beside the first, and how far from it, as scores.
STARTS, SPREAD = 4, 1.0
#: With more kinds of people than this, one start that meets only negative curvature is enough.
MANY = 50_000
#: A log-likelihood that is larger by this is, in nats, whatever the rounding.
HIGHER = 1e-6
#: Coefficients of which an answer has scores beyond this, without a maximum, run to infinity.
INFINITE = 10.0
#: More coefficients take minutes.
MOST_COEFFICIENTS = 2000


@dataclass(frozen=True, eq=False)
class Given:
    """What a regression is made from, checked.

    Attributes
    ----------
    reports : ndarray of int, shape (people,)
    counts : ndarray of int, shape (m,)
        Reports of each output.
    known : Covariates
    columns : ndarray, shape (people, k)
        Covariates as numbers.
    drawn : SurveyScores
        How they were drawn: their weights, strata and clusters.
    weighted : bool
        Whether any of these was given.
    """

    reports: Indices
    counts: Indices
    known: Covariates
    columns: Array
    drawn: SurveyScores
    weighted: bool


@blas_limited(1)
def regression(
    mechanism: Verbs,
    reports: Any,
    covariates: Any,
    family: Any,
    *,
    intercept: Any,
    reference: Any,
    survey: Mapping[str, Any],
    by: By | None,
    missing: Any,
    drop_missing: bool,
) -> Regression:
    """Return the regression that `Verbs.regression` asks for."""
    problem = mechanism.inputs
    chosen, place = _family(family, problem.n), _reference(reference, problem)
    require_identifiable(mechanism.identifiability, np.eye(problem.n), "the frequencies, nor coefficients", problem)
    read = given_reports(reports, mechanism.outputs, by, missing, drop_missing, stacklevel=5)
    given = _given(mechanism, reports, read, covariates, domains.truth("intercept", intercept), survey)
    matrix, people = np.asarray(mechanism.matrix), len(given.reports)
    population = likeliest(matrix, given.counts / people, NEAR)
    fit = goodness_of_fit(matrix, given.counts, mechanism.identifiability.rank, population)
    if not fit.fits:
        warnings.warn(fit.sentence(), FitWarning, stacklevel=4)

    order = [place, *(x for x in range(problem.n) if x != place)]
    first, sums, kinds = pooled(given.columns, given.reports, given.drawn.weights)
    scales = scaled(given.columns[first], sums, given.known)
    likelihood = Likelihood(scales.columns, given.reports[first], sums, matrix[order])
    theta = (people * population.theta + ADDED) / (people + ADDED * problem.n)
    maxima = _maxima(likelihood, _start(theta[order], scales, given.known))
    reached = maxima[0]
    _require_maximum(reached, likelihood, scales, given.known, [problem.named(x) for x in order[1:]])
    with np.errstate(over="ignore", invalid="ignore"):
        coefficients = scales.back(reached.coefficients)
        covariance, gap = _covariance(reached, likelihood, scales, kinds, given.drawn if given.weighted else None)
    _require_in_floats(coefficients, covariance, scales, given.known)
    return Regression(
        problem,
        chosen,
        place,
        given.known,
        frozen(coefficients),
        frozen(covariance),
        reached.value,
        gap,
        given.counts,
        len(maxima),
        max(each.value for each in maxima) > reached.value + HIGHER,
        given.weighted,
        fit,
        given.drawn.words,
    )


def _given(
    mechanism: Verbs, reports: Any, read: GivenReports, covariates: Any, intercept: bool, survey: Mapping[str, Any]
) -> Given:
    """Return what a regression is made from, or raise the DomainError that says what is wrong with it."""
    outputs = mechanism.matrix.shape[1]
    found = read.outputs.reshape(-1)
    if not len(found):
        raise DomainError("reports", "empty", "a regression needs reports", "give at least one")
    counts = np.bincount(found, minlength=outputs).astype(np.int64)
    require_possible(mechanism.numerators, counts)
    counts.setflags(write=False)
    require_one_order_of_all(reports, {**_by_argument(covariates), **survey})
    weights = survey["weights"]
    # Columns are of everybody; rows without a report are left out of them afterwards.
    everybody = len(found) + read.left_out
    known, columns = _covariates(covariates, reports, everybody, intercept)
    _require_few(known, mechanism.inputs.n)
    each = np.ones(everybody) if weights is None else weights_of("weights", weights, reports, everybody)
    if read.present is not None:
        columns, each = columns[read.present], each[read.present]
    each = each * (len(found) / each.sum())
    how = survey_scores(survey["strata"], survey["clusters"], reports, read.present, each)
    return Given(found, counts, known, columns, how, weights is not None or how.strata is not None)


def _covariance(
    reached: Reached, likelihood: Likelihood, scales: Scales, kinds: Indices, how: SurveyScores | None
) -> tuple[Array, float]:
    """Return the covariance of the coefficients, in a survey the sandwich, and the distance by its errors.

    Parameters
    ----------
    reached : Reached
    likelihood : Likelihood
    scales : Scales
    kinds : ndarray of int, shape (people,)
        Which kind each person is of.
    how : SurveyScores or None
        How people were drawn; None of people who all count alike.
    """
    assert reached.covariance is not None
    plain = scales.covariance_back(reached.covariance)
    if how is None:
        return plain, reached.gap
    middle = how.middle(kinds, likelihood.scores(reached.coefficients))
    sandwich = scales.covariance_back(reached.covariance @ middle @ reached.covariance)
    # The distance is one in standard errors of reports without weights.
    with np.errstate(divide="ignore"):
        return sandwich, reached.gap * float(np.sqrt(np.max(np.diag(plain) / np.diag(sandwich))))


def _require_in_floats(coefficients: Array, covariance: Array, scales: Scales, known: Covariates) -> None:
    """Raise if a covariate is measured in a unit so small or large that a variance is 0 or infinite in floats."""
    variances = np.diag(covariance).reshape(coefficients.shape)
    fine = np.isfinite(coefficients) & np.isfinite(variances) & (variances > 0.0)
    if not (fine.all() and np.isfinite(covariance).all()):
        j = int(np.argmax(np.abs(np.log(np.maximum(scales.spreads, np.finfo(float).tiny)))))
        rule = "the variance of its coefficient is beyond floats"
        shown = f"of standard deviation {scales.spreads[j]:.3g}"
        raise DomainError(f'covariates["{known.terms[j]}"]', shown, rule, "measure it in another unit")


def _family(given: Any, inputs: int) -> Family:
    if given not in get_args(Family):
        raise DomainError("family", given, 'it has to be "logistic" or "multinomial"', "choose one of them")
    if inputs < 2:
        raise DomainError("mechanism", "of one input", "a regression explains one answer beside another", "ask for two")
    if given == "logistic" and inputs > 2:
        rule = f"a logistic regression is of two inputs, and this mechanism has {inputs}"
        raise DomainError("family", given, rule, 'give "multinomial"')
    found: Family = given
    return found


def _reference(given: Any, problem: Problem) -> int:
    """Return the input whose coefficients are 0."""
    if given is None:
        return 0
    names = [problem.named(x) for x in range(problem.n)]
    if str(given) not in names:
        shown = f"{', '.join(names[:6])}{' and more' * (len(names) > 6)}"
        raise DomainError("reference", given, f"the inputs are {shown}", "name one of them")
    return names.index(str(given))


def _by_argument(covariates: Any) -> dict[str, Any]:
    """Return the columns of covariates by what they are called in messages."""
    if isinstance(covariates, Mapping):
        return {f'covariates["{name}"]': column for name, column in covariates.items()}
    return {"covariates": covariates}


def _covariates(given: Any, reports: Any, people: int, intercept: bool) -> tuple[Covariates, Array]:
    if given is None:
        if not intercept:
            rule = "a regression without an intercept needs a covariate"
            raise DomainError("covariates", None, rule, "give a column, or leave the intercept in")
        return Covariates((), True, False), np.ones((people, 1))
    known, columns = Covariates.of(given, intercept=intercept)
    if len(columns) != people:
        rule = f"there are {people} reports, and a row of covariates belongs to each"
        raise DomainError("covariates", f"of {len(columns)} rows", rule, "give one row for each report, in their order")
    return known, columns


def _require_few(known: Covariates, inputs: int) -> None:
    coefficients = len(known.terms) * (inputs - 1)
    if coefficients > MOST_COEFFICIENTS:
        widest = max(known.each, key=lambda each: len(each.terms))
        rule = f"at most {MOST_COEFFICIENTS} coefficients are estimated"
        remedy = f'merge levels of "{widest.name}", which has {len(widest.terms)} columns, or leave it out'
        raise DomainError("covariates", f"of {coefficients} coefficients", rule, remedy)


def _start(theta: Array, scales: Scales, known: Covariates) -> Array:
    """Return the coefficients of the estimated population, the same for everybody; 0 without an intercept."""
    start = np.zeros((len(theta) - 1, len(known.terms)))
    if known.intercept:
        start[:, 0] = np.log(theta[1:] / theta[0])
    return scales.forth(start)


def _maxima(likelihood: Likelihood, start: Array) -> list[Reached]:
    """Return where several starts lead, the highest maximum first; one if there is no other, or people are many."""
    found = [maximised(likelihood, start)]
    certain = ((likelihood.matrix > 0.0).sum(axis=0) <= 1).all()
    if not certain and (len(likelihood.reports) <= MANY or not found[0].concave):
        chance = np.random.default_rng(0)
        others = [start + SPREAD * chance.standard_normal(start.shape) for _ in range(STARTS)]
        found += [maximised(likelihood, other) for other in others]
    return sorted(found, key=lambda each: (not math.isfinite(each.gap), -each.value))


def _require_maximum(
    reached: Reached, likelihood: Likelihood, scales: Scales, known: Covariates, inputs: list[str]
) -> None:
    """Raise if the likelihood has no maximum near, which separation is the reason for, mostly."""
    if math.isfinite(reached.gap):
        return
    if np.abs(likelihood.predictor(reached.coefficients)).max() < INFINITE:
        message = "No maximum of the likelihood was proved; fewer covariates, or more reports, may help."
        raise SolverError(message, iterate=reached.coefficients)
    x, term, sign = _running(scales.back(reached.direction), scales.spreads, known)
    rule = f'its coefficient for "{inputs[x]}" runs to {"" if sign > 0 else "minus "}infinity: it separates reports'
    remedy = "leave it out, merge it with another category, or take more reports"
    if term == INTERCEPT:
        rule = f'"{inputs[x]}" is estimated to be the answer of {"everybody" if sign > 0 else "nobody"}'
        remedy = "leave that answer out, or take more reports"
    raise DomainError(f'covariates["{term}"]', "without a finite estimate", rule, remedy)


def _running(direction: Array, spreads: Array, known: Covariates) -> tuple[int, str, float]:
    """Return the input and the term whose coefficient runs to infinity, and with which sign."""
    moved = np.abs(direction) * spreads
    x, j = np.unravel_index(int(np.argmax(moved)), moved.shape)
    if known.intercept and moved.shape[1] > 1:
        slopes: npt.NDArray[np.float64] = moved[:, 1:]
        # The intercept makes up for what any other coefficient does.
        if slopes.max() >= 0.1 * moved.max():
            x, j = np.unravel_index(int(np.argmax(slopes)), slopes.shape)
            j += 1
    return int(x), known.terms[int(j)], float(direction[x, j])
