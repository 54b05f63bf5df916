"""Information design against subset selection in closed form, brute force over rays, and its own certificate."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, linprog, minimize

import mechdesign as md
from mechdesign.objectives.frequency_covariance import contrasts
from tests.helpers.brute_force import ldp_vectors, lip_rows, vertices

CRITERIA = ("A", "D", "E")
SKEWED = np.array([0.01, 0.04, 0.25, 0.7])


def criterion(name, matrix, theta, weights=None):
    """Return the criterion by its definition, the covariance being a pseudo-inverse."""
    columns = matrix[:, matrix.max(axis=0) > 0]
    n = len(theta)
    around = np.eye(n) - 1 / n
    information = around @ (columns / (theta @ columns)) @ columns.T @ around
    if np.linalg.matrix_rank(information, tol=1e-9) < n - 1:
        return math.inf
    covariance = np.linalg.pinv(information, rcond=1e-12, hermitian=True)
    sizes = np.linalg.eigvalsh(covariance)[1:]
    weights = np.ones(n) if weights is None else weights
    return {"A": weights @ np.diag(covariance), "D": np.log(sizes).sum(), "E": sizes[-1]}[name]


def subset_selection(n, k, epsilon):
    """Return the mechanism that reports a set of k inputs, likelier by e^epsilon where it holds the true one."""
    sets = np.array([[x in chosen for chosen in combinations(range(n), k)] for x in range(n)])
    matrix = np.where(sets, math.exp(epsilon), 1.0)
    return matrix / matrix.sum(axis=1, keepdims=True)


def closed_form(name, n, k, epsilon):
    """Return the criterion of subset selection at uniform frequencies, where M is a multiple of the identity."""
    ratio = math.exp(epsilon)
    per_contrast = (ratio - 1) ** 2 * k * (n - k) * n / ((n - 1) * (n + (ratio - 1) * k) ** 2)
    return {"A": (n - 1) / per_contrast, "D": -(n - 1) * math.log(per_contrast), "E": 1 / per_contrast}[name]


def by_slsqp(name, columns, theta, weights=None):
    """Return the least criterion over weights of `columns`, by a general-purpose method from the best start."""
    n, count = columns.shape
    basis = contrasts(n)
    told = basis.T @ columns / np.sqrt(theta @ columns)
    loading = basis.T @ np.diag(np.ones(n) if weights is None else weights) @ basis

    def value(w):
        information = (told * w) @ told.T
        if name == "D":
            return -np.linalg.slogdet(information)[1]
        return np.trace(loading @ np.linalg.inv(information))

    def slope(w):
        inverse = np.linalg.inv((told * w) @ told.T)
        inner = inverse if name == "D" else inverse @ loading @ inverse
        return -np.einsum("ir,ij,jr->r", told, inner, told)

    # The start has every weight as large as all can be at once.
    rows = np.hstack([columns, columns.sum(axis=1, keepdims=True)])
    start = linprog(-np.eye(count + 1)[-1], A_eq=rows, b_eq=np.ones(n)).x
    found = minimize(
        value,
        start[:-1] + start[-1],
        jac=slope,
        method="SLSQP",
        bounds=[(0, None)] * count,
        constraints=LinearConstraint(columns, 1.0, 1.0),
        options={"ftol": 1e-13, "maxiter": 2000},
    )
    assert np.abs(columns @ found.x - 1).max() < 1e-8
    return found.fun


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_uniform_frequencies_give_the_best_subset_selection(n, epsilon, name):
    problem = md.Problem(prior=np.full(n, 1 / n))
    each = [closed_form(name, n, k, epsilon) for k in range(1, n)]
    for k, expected in enumerate(each, start=1):
        matrix = subset_selection(n, k, epsilon)
        assert md.InformationDesign(name).value(matrix, problem) == pytest.approx(expected, rel=1e-10, abs=1e-10)
        assert criterion(name, matrix, problem.prior) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    made = md.design(problem, md.LDP(epsilon), md.InformationDesign(name))
    assert made.gap <= 1e-6 and made.audit.holds
    assert made.value == pytest.approx(min(each), rel=1e-6, abs=1e-6)
    assert made.bound <= min(each) + 1e-9 * abs(min(each))


@pytest.mark.parametrize("name", CRITERIA)
def test_skewed_frequencies_beat_every_subset_selection(name):
    objective, problem = md.InformationDesign(name), md.Problem(prior=[0.02, 0.03, 0.05, 0.1, 0.8])
    made = md.design(problem, md.LDP(1.0), objective)
    best = min(criterion(name, subset_selection(5, k, 1.0), problem.prior) for k in (1, 2, 3, 4))
    assert made.gap <= 1e-6
    assert made.value < best - 0.05 * abs(best)


@pytest.mark.parametrize("name", ["A", "D"])
@pytest.mark.parametrize("notion", ["LDP", "LIP"])
@pytest.mark.parametrize("n", [2, 3, 4])
def test_general_purpose_method_over_brute_force_rays_finds_no_other_optimum(n, notion, name, rng):
    theta = rng.dirichlet(np.ones(n)) + 0.02
    theta /= theta.sum()
    weights = rng.uniform(0.2, 2.0, size=n) if name == "A" else None
    if notion == "LDP":
        asked, columns = md.LDP(1.2), ldp_vectors(n, 1.2)[:, 1:]
    else:
        asked, columns = md.LIP(0.8), vertices(lip_rows(theta, 0.8), np.full(n, 1 / n))
    made = md.design(md.Problem(prior=theta), asked, md.InformationDesign(name, weights=weights))
    other = by_slsqp(name, columns, theta, weights)
    assert made.gap <= 1e-6
    assert made.value == pytest.approx(other, rel=3e-6, abs=3e-6)
    assert made.bound <= other + 1e-7 * abs(other)
    assert made.value == pytest.approx(criterion(name, made.matrix, theta, weights), rel=1e-8)


@pytest.mark.parametrize("name", CRITERIA)
def test_no_random_mixture_of_rays_passes_the_bound(name, rng):
    theta = np.array([0.1, 0.3, 0.6])
    bound = md.design(md.Problem(prior=theta), md.LDP(1.0), md.InformationDesign(name)).bound
    columns, nearest = ldp_vectors(3, 1.0)[:, 1:], math.inf
    for _ in range(80):
        gains = rng.normal(size=(2, columns.shape[1]))
        first, second = (linprog(gain, A_eq=columns, b_eq=np.ones(3)).x for gain in gains)
        value = criterion(name, columns * (first + second) / 2, theta)
        assert value >= bound - 1e-9 * abs(bound)
        nearest = min(nearest, value)
    assert nearest - bound < 0.2 * abs(bound)


@pytest.mark.parametrize("name", CRITERIA)
@pytest.mark.parametrize("n", [3, 4])
def test_erasure_is_the_optimum_under_delta_alone(n, name, rng):
    # Tell the truth with probability delta, else nothing: the covariance is that without privacy over delta.
    theta = rng.dirichlet(np.full(n, 3.0))
    made = md.design(md.Problem(prior=theta), md.ApproximateLDP(0.0, 0.2), md.InformationDesign(name))
    sizes = np.linalg.eigvalsh(np.diag(theta) - np.outer(theta, theta))[1:]
    expected = {"A": (1 - theta @ theta) / 0.2, "D": np.log(sizes / 0.2).sum(), "E": sizes[-1] / 0.2}[name]
    assert made.value == pytest.approx(expected, rel=2e-6, abs=2e-6)
    assert made.gap <= 1e-6


def test_two_inputs_are_the_fisher_information_of_their_contrast():
    problem, direction = md.Problem(prior=[0.2, 0.8]), np.array([1.0, -1.0]) / math.sqrt(2)
    fisher = md.design(problem, md.LDP(0.7), md.FisherInformation(problem.prior, direction), route="rays").value
    values = {name: md.design(problem, md.LDP(0.7), md.InformationDesign(name)).value for name in CRITERIA}
    assert values == pytest.approx({"A": 1 / fisher, "D": -math.log(fisher), "E": 1 / fisher}, rel=1e-8)


def test_rays_that_do_not_fit_one_program_enter_in_rounds():
    problem = md.Problem(prior=np.full(10, 0.1))
    made = md.design(problem, md.LDP(1.0), md.InformationDesign("A"))
    assert " of 1022 rays" in made.note and not made.note.startswith("over 1022")
    assert made.value == pytest.approx(min(closed_form("A", 10, k, 1.0) for k in range(1, 10)), rel=2e-6)
    assert made.gap <= 1e-6


@pytest.mark.parametrize("name", CRITERIA)
def test_few_outputs_suffice(name, rng):
    for n in (3, 5, 7):
        theta = rng.dirichlet(np.ones(n)) + 0.01
        made = md.design(md.Problem(prior=theta / theta.sum()), md.LDP(1.0), md.InformationDesign(name))
        assert made.matrix.shape[1] <= n * (n + 1) // 2


@pytest.mark.parametrize("name", CRITERIA)
def test_singular_information_is_infinitely_bad(name):
    objective, problem = md.InformationDesign(name), md.Problem(prior=[0.2, 0.3, 0.5])
    two = np.array([[0.7, 0.3], [0.2, 0.8], [0.6, 0.4]])
    for matrix in (np.tile([[0.1, 0.2, 0.7]], (3, 1)), two, np.hstack([two, np.zeros((3, 2))]), np.ones((3, 1))):
        assert objective.value(matrix, problem) == math.inf
    assert math.isfinite(objective.value(np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]), problem))


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 20.0, 200.0])
@pytest.mark.parametrize("name", CRITERIA)
def test_extreme_levels_are_answered(name, epsilon):
    made = md.design(md.Problem(prior=SKEWED), md.LDP(epsilon), md.InformationDesign(name))
    assert made.gap <= 1e-6 and made.audit.holds


@pytest.mark.parametrize("name", CRITERIA)
def test_scs_agrees(name):
    problem, objective = md.Problem(prior=[0.2, 0.3, 0.5]), md.InformationDesign(name)
    first, second = (md.design(problem, md.LDP(1.0), objective, solver=s, gap=1e-4) for s in ("CLARABEL", "scs"))
    assert first.value == pytest.approx(second.value, rel=2e-4)


def test_claims_survive_the_file(tmp_path):
    objective = md.InformationDesign("A", theta=SKEWED, weights=[1, 2, 3, 4])
    made = md.design(md.Problem(n=4), md.LDP(1.0), objective)
    loaded = md.load(made.mechanism.save(tmp_path / "covariance.json"))
    assert loaded.question.objective == objective
    assert loaded.certificate.bound == pytest.approx(made.bound, rel=1e-12)
    assert np.array_equal(loaded.matrix, made.matrix)


def test_what_cannot_be_answered_is_refused_with_a_sentence():
    problem, objective = md.Problem(prior=[0.2, 0.3, 0.5]), md.InformationDesign("A")
    with pytest.raises(md.InfeasibleError, match="singular"):
        md.design(problem, md.LDP(0.0), objective)
    with pytest.raises(md.InfeasibleError, match="singular"):
        md.design(md.Problem(prior=[0.4, 0.6]), md.LIP(0.0), objective)
    with pytest.raises(md.UnsupportedError, match="curved side"):
        md.design(problem, md.StrongChiSquare(0.5), objective, route="weights")
    with pytest.raises(md.UnsupportedError, match="convex route"):
        md.design(problem, md.LDP(1.0), objective, route="weights", subject_to=lambda Q: [Q <= 1])
    with pytest.raises(md.UnsupportedError, match="no criterion of an information matrix"):
        md.design(problem, md.LDP(1.0), md.MutualInformation(), route="weights")
    with pytest.raises(md.UnsupportedError, match="outputs"):
        md.design(problem, md.LDP(1.0), objective, outputs=2)
    with pytest.raises(md.UnsupportedError, match='route="weights"'):
        objective.expression(np.eye(3), problem)


BAD = {
    "theta of other inputs": (
        lambda: md.design(md.Problem(n=3), md.LDP(1.0), md.InformationDesign("A", theta=[0.5, 0.5])),
        "theta",
        "3 inputs",
    ),
    "weights of other inputs": (
        lambda: md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.InformationDesign("A", weights=[1, 1, 1])),
        "weights",
        "2 inputs",
    ),
    "a single input": (lambda: md.design(md.Problem(prior=[1.0]), md.LDP(1.0), md.InformationDesign("A")), "n", "two"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_are_named(case):
    call, argument, text = BAD[case]
    with pytest.raises(md.DomainError) as caught:
        call()
    assert caught.value.argument == argument
    assert text in str(caught.value)


@pytest.mark.parametrize("criterion", ["A", "D", "E"])
def test_the_words_of_a_design_are_its_values(criterion):
    """Of a coin of truth 3/4 each frequency has variance 1 from one report, and their difference 4."""
    objective = md.InformationDesign(criterion)
    value = objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(prior=[0.5, 0.5]))
    wanted = {
        "A": ("sum of the variances", 1 + 1),
        "D": ("logarithm", math.log(4 / 2)),
        "E": ("contrast of unit", 4 / 2),
    }
    assert wanted[criterion][0] in objective.in_words and value == pytest.approx(wanted[criterion][1], rel=1e-12)
