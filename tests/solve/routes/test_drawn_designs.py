"""Information designs over drawn columns: against all extreme rays at few inputs, and their bound at many."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.certificate import squared_entries
from mechdesign.solve.certificate.squared_entries import Squares, least_by_squares
from mechdesign.solve.pricing.bounded_lift import lifts
from mechdesign.solve.routes import drawn
from mechdesign.solve.search.best_shares import best_shares
from mechdesign.solve.search.drawn_design import DrawnDesign
from mechdesign.solve.task import Task
from tests.planted.bent import bent

NOTIONS = {
    "LIP": md.LIP(1.0),
    "MaxLift": md.MaxLift(0.5),
    "AsymmetricLIP": md.AsymmetricLIP(1.0, 0.4),
    "MaximalLeakage": md.MaximalLeakage(0.3),
    "StrongChiSquare": md.StrongChiSquare(0.4),
    "StrongL1": md.StrongL1(0.5),
    "MutualInformationPrivacy": md.MutualInformationPrivacy(0.1),
}
EACH = pytest.mark.parametrize("name", NOTIONS)


def asked(n, criterion="A", seed=0, *, unequal=True):
    """Return a problem with a skewed prior, and a criterion at other frequencies."""
    rng = np.random.default_rng([seed, n])
    prior, theta = rng.dirichlet(np.full(n, 3.0)), rng.dirichlet(np.full(n, 3.0))
    weights = rng.uniform(0.5, 2.0, size=n) if criterion == "A" and seed else None
    return md.Problem(prior=prior), md.InformationDesign(criterion, theta if unequal else None, weights)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("criterion", ["A", "D", "E"])
@pytest.mark.parametrize("name", ["LIP", "MaxLift", "AsymmetricLIP", "MaximalLeakage", "StrongL1"])
def test_the_bound_by_squares_is_below_the_optimum_over_all_rays(name, criterion):
    for n, seed in ((3, 0), (4, 1), (5, 2)):
        problem, objective = asked(n, criterion, seed)
        made = md.design(problem, NOTIONS[name], objective, route="weights")
        found = least_by_squares(NOTIONS[name], objective, problem, np.random.default_rng(seed).random(n))
        assert made.gap <= 1e-5 and found
        for least, rounding in found:
            assert least - rounding <= made.value + 1e-5 * abs(made.value)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("n", [4, 9])
@EACH
def test_drawn_columns_are_private_and_none_passes_the_bound(name, n):
    problem, objective = asked(n)
    notion, task = NOTIONS[name], Task(problem, NOTIONS[name], objective)
    draws = drawn.columns_of(task)
    for again in range(2):
        columns, near = draws.draw(60, again)
        assert columns.shape == (n, len(near)) and columns.min() >= 0
        made = DrawnDesign(objective, problem, draws, 400).first()
        matrix = made.columns * made.weights
        assert np.allclose(matrix.sum(axis=1), 1.0, atol=1e-9)
        assert notion.level(matrix, problem).excess(notion) <= 1e-8
        assert all(least <= made.value for least, _ in least_by_squares(notion, objective, problem, None))


@pytest.mark.parametrize(
    ("name", "gap"),
    [("LIP", 3e-2), ("MaxLift", 3e-2), ("AsymmetricLIP", 3e-2), ("MaximalLeakage", 1e-3), ("StrongChiSquare", 1e-3)],
)
def test_many_inputs_come_near_their_bound(name, gap, tmp_path):
    problem, objective = asked(30)
    made = md.design(problem, NOTIONS[name], objective, gap=gap)
    assert made.gap <= gap and made.route == "drawn" and made.audit.holds
    made.mechanism.save(tmp_path / "q.json")
    assert md.load(tmp_path / "q.json").certificate.bound == pytest.approx(made.bound, rel=1e-9)


@EACH
def test_they_are_better_than_shifts_of_sets(name):
    problem, objective = asked(30)
    wide = {"gap": 1.0, "route": "blocks"}
    before = md.design(problem, NOTIONS[name], objective, **wide).value
    assert md.design(problem, NOTIONS[name], objective, gap=1.0).value < 0.97 * before


@pytest.mark.parametrize("criterion", ["A", "D"])
def test_the_gradient_of_the_weights_is_that_of_the_criterion(criterion):
    problem, objective = asked(5, criterion, 1)
    draws = drawn.columns_of(Task(problem, md.LIP(1.0), objective))
    design = DrawnDesign(objective, problem, draws, 300)
    columns, weights = design.first().kept
    factors = design.basis.T @ columns / np.sqrt(design.theta @ columns)
    value, gradient = design._at(factors, weights)
    assert value == pytest.approx(objective.value(columns * weights, problem), rel=1e-9)
    step = 1e-6 * weights.mean()
    for place in range(0, len(weights), 7):
        moved = weights.copy()
        moved[place] += step
        assert (design._at(factors, moved)[0] - value) / step == pytest.approx(gradient[place], rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("criterion", ["A", "D"])
def test_the_best_shares_bound_most(criterion):
    problem, objective = asked(12, criterion, 1)
    bounds = lifts(md.LIP(1.0), problem)
    shares = best_shares(objective, problem, bounds)
    best, equal, *others = (least for least, _ in least_by_squares(md.LIP(1.0), objective, problem, shares))
    assert best >= max(equal, *others)
    # No other shares near these bound more: the size of the slope is concave in them.
    for seed in range(5):
        other = shares * np.random.default_rng(seed).uniform(0.9, 1.1, size=12)
        assert least_by_squares(md.LIP(1.0), objective, problem, other)[0][0] <= best + 1e-7 * abs(best)


def test_multipliers_of_another_shape_bound_all_the_same():
    problem, objective = asked(20)
    made = md.design(problem, md.LIP(1.0), objective, gap=0.1)
    question = made.mechanism.asked
    for weights in (None, np.ones(3), np.full(20, np.nan), -np.ones(20), np.zeros(20)):
        certificate = drawn.least_without_rays(md.LIP(1.0), question.objective, problem, np.zeros(20), weights)
        assert 0.0 < certificate[0] <= made.value


@pytest.mark.parametrize("name", ["LIP", "MaximalLeakage", "StrongChiSquare", "StrongL1"])
def test_a_limit_that_forgets_the_mass_is_caught(name, monkeypatch):
    """Planted: what the squares may add up to is taken for a half, and the bound passes what is reached."""
    problem, objective = asked(6)
    made = md.design(problem, NOTIONS[name], objective, gap=1.0)
    limit = Squares.limit.fget
    monkeypatch.setattr(Squares, "limit", property(lambda self: 0.4 * limit(self)))
    assert max(least for least, _ in least_by_squares(NOTIONS[name], objective, problem, None)) > made.value


def test_the_spread_of_masses_is_asked_of_the_slice_of_mass_one_alone(monkeypatch):
    class OtherSlice(md.StrongChiSquare):
        def shape(self, problem):
            return bent(super().shape(problem), normal=np.full(problem.n, 1.0 / problem.n))

    problem, objective = asked(6)
    monkeypatch.setattr(squared_entries, "SHARES", (1.0,))
    assert len(least_by_squares(md.StrongChiSquare(0.4), objective, problem, None)) == 1
    assert least_by_squares(OtherSlice(0.4), objective, problem, None) == []


def test_a_slope_that_is_not_positive_bounds_nothing(monkeypatch):
    """Planted: what is negative of the slope is cut off, as if it had taken nothing from the limit."""
    theta = np.append(0.92, np.full(8, 0.01))
    problem, objective = md.Problem(prior=np.full(9, 1 / 9)), md.InformationDesign("A", theta)
    asked = md.StrongChiSquare(0.9), objective, problem, None
    monkeypatch.setattr(squared_entries, "SHARES", (0.0,))
    assert least_by_squares(*asked) == []
    value = md.design(problem, asked[0], objective, gap=1.0).value
    slope = Squares.slope

    def cut_off(self, theta):
        found, error = slope(self, theta)
        sizes, vectors = np.linalg.eigh(found)
        return (vectors * np.maximum(sizes, 1e3 * error)) @ vectors.T, error

    monkeypatch.setattr(Squares, "slope", cut_off)
    assert least_by_squares(*asked)[0][0] > value


#: Budgets over so few inputs that the same sets are drawn many times, and one that few of the sets take much of.
FEW = {
    "MutualInformationPrivacy": (md.MutualInformationPrivacy(0.1), 5),
    "GLeakage": (md.GLeakage(0.1, np.eye(8) + 0.2), 8),
    "WeightedTV": (md.WeightedTV(0.5), 2),
}


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
@pytest.mark.parametrize("name", FEW)
def test_all_frequencies_of_few_inputs_are_identified(name):
    notion, n = FEW[name]
    problem, objective = asked(n)
    found = drawn.ROUTE.solve(Task(problem, notion, objective))
    # Disclosing each input alike, as often as the notion allows, is no better.
    alike = md.design(problem, notion, objective, route="known").value
    assert 0 < objective.value(found.matrix, problem) <= alike * (1 + 1e-6)


def test_an_inverse_of_next_to_nothing_is_no_small_variance():
    problem, objective = asked(4)
    design = DrawnDesign(objective, problem, drawn.columns_of(Task(problem, NOTIONS["MaximalLeakage"], objective)), 60)
    # Three columns that differ by rounding: what they identify is rank one.
    alike = np.ones((3, 4)) * [1.0, 2.0, 3.0, 4.0] + 1e-17 * np.random.default_rng(0).normal(size=(3, 4))
    assert design._at(alike, np.ones(4))[0] > 1e12


def zipf(n):
    shares = 1.0 / np.arange(1.0, n + 1.0)
    return md.Problem(prior=shares / shares.sum())


@pytest.mark.parametrize(
    ("objective", "gap"),
    [
        (md.InformationDesign("A"), 1e-3),
        (md.InformationDesign("A", weights=range(1, 26)), 1e-3),
        (md.InformationDesign("D"), 2e-3),
        (md.InformationDesign("worst"), 5e-3),
        (md.InformationDesign("A", queries="prefix"), 2e-3),
        (md.InformationDesign("A", queries=np.eye(25)[:3]), 5e-2),
    ],
    ids=["A", "weighted", "D", "worst", "prefix", "few"],
)
def test_unequal_frequencies_under_ldp_come_near_their_bound(objective, gap):
    made = md.design(zipf(25), md.LDP(1.0), objective, gap=gap)
    assert made.route == "drawn" and made.gap <= gap and made.audit.holds
    # The same frequencies, called queries, have the same answer.
    if objective.criterion == "A" and not objective.is_weighted:
        other = md.design(zipf(25), md.LDP(1.0), md.InformationDesign("A", queries=np.eye(25)), gap=gap)
        assert made.bound <= other.value and other.bound <= made.value


def test_they_are_no_worse_than_shifts_of_sets():
    for epsilon in (0.5, 2.0, 4.0):
        asked = (zipf(24), md.LDP(epsilon), md.InformationDesign("A"))
        before, made = (md.design(*asked, route=route, gap=1.0) for route in ("blocks", "drawn"))
        assert made.value <= before.value * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [12.0, 20.0, 40.0])
@pytest.mark.parametrize("more", [{"weights": range(1, 25)}, {"queries": "prefix"}], ids=["weighted", "prefix"])
def test_at_a_large_epsilon_single_inputs_are_drawn(epsilon, more):
    """Found by a reviewer: only sets of no input and of all were drawn, and the design ended in a division by zero."""
    objective = md.InformationDesign("A", **more)
    made = md.design(zipf(24), md.LDP(epsilon), objective, gap=1.0)
    response = md.baselines.randomised_response(md.Problem(n=24), epsilon).matrix
    assert made.audit.holds and made.value <= objective.value(response, zipf(24)) * (1 + 1e-9)


@pytest.mark.parametrize("criterion", ["A", "D"])
def test_they_have_the_bound_by_sizes_of_sets_too(criterion):
    """Found by a reviewer: at a large epsilon drawn columns had a weaker bound than shifts of sets."""
    asked = (zipf(24), md.LDP(12.0), md.InformationDesign(criterion))
    blocks, drawn = (md.design(*asked, route=route, gap=1.0) for route in ("blocks", "drawn"))
    assert drawn.bound >= blocks.bound - 1e-9 * abs(blocks.bound)


def test_the_largest_variance_under_lifts_is_near_its_bound():
    """The criterion "E" has shares of its own, not those of "A", which left a tenth here."""
    problem = md.Problem(prior=np.random.default_rng(0).dirichlet(np.full(12, 3.0)))
    made = md.design(problem, md.MaxLift(0.5), md.InformationDesign("E"), gap=0.01, route="drawn")
    assert made.gap <= 0.01


def test_an_epsilon_that_floats_do_not_see_has_no_columns():
    with pytest.raises(md.UnsupportedError, match="an epsilon that floats see"):
        md.design(md.Problem(n=14), md.LDP(1e-17), md.InformationDesign("A", queries="prefix"), route="drawn")
