"""Levels of a frontier that go on from the last one: as good as designs of their own, whatever they start from."""

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.errors import GapWarning, SolverError
from mechdesign.solve.routes import rays
from mechdesign.solve.task import warm_columns, warm_program


def drawn(rng, n):
    prior = rng.dirichlet(np.full(n, rng.choice([0.3, 1.0, 5.0])))
    return md.Problem(prior=(prior + 1e-4) / (1 + 1e-4 * n), values=np.sort(rng.integers(0, 3 * n, n)).astype(float))


def losses(problem, rng):
    distance = np.abs(np.subtract.outer(problem.values, problem.values))
    return md.ExpectedLoss(
        [distance, distance**2, rng.random((problem.n, problem.n)), 1.0 * (distance > 0)][rng.integers(4)]
    )


def close(rng, count):
    """Return levels so close that one has much in common with the next, in any order."""
    return rng.permutation(rng.uniform(0.05, 3.0) * np.cumprod(rng.uniform(1.02, 1.5, count)))


def divergence(problem, rng):
    first, second = rng.dirichlet(np.full(problem.n, 2.0), 2) + 0.01
    return md.KLDivergence(first / first.sum(), second / second.sum())


#: Kinds of notion and objective, and the numbers of inputs at which each goes on from the last level.
FOLLOWED = (
    (md.LDP, losses, 4, 14),
    (md.LIP, losses, 4, 14),
    (md.MaxLift, losses, 4, 14),
    (md.LIP, lambda problem, rng: md.MMSE(), 10, 12),
    (md.MaxLift, lambda problem, rng: md.MMSE(), 10, 12),
    (md.LIP, divergence, 10, 11),
    (md.LDP, lambda problem, rng: md.MutualInformation(), 8, 10),
    (md.LIP, divergence, 6, 8),
)


def followed(seed):
    """Return a problem, a notion's class, an objective and levels."""
    rng = np.random.default_rng(seed)
    kind, objective, least, most = FOLLOWED[seed % len(FOLLOWED)]
    problem = drawn(rng, int(rng.integers(least, most + 1)))
    return problem, kind, objective(problem, rng), close(rng, 3)


def assert_each_as_good(seed, route="auto"):
    """Hold every level against a design of its own: its gap and audit, and each value against the other's bound."""
    problem, kind, objective, levels = followed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GapWarning)
        found = md.frontier(problem, kind, objective, levels, route=route)
        apart = [md.design(problem, kind(float(level)), objective, route=route) for level in levels]
    assert found.complete
    for level, made, alone in zip(levels, found, apart, strict=True):
        scale = max(abs(alone.value), abs(alone.bound), 1e-6)
        # Next to no privacy a design of its own may fall short too.
        assert made.gap <= max(1e-6, 1.01 * alone.gap)
        assert md.audit(made.matrix, kind(float(level)), problem).holds
        assert abs(made.value - alone.value) <= 2e-6 * scale + abs(alone.value - alone.bound)
        for one, other in ((made, alone), (alone, made)):
            reached, most = (objective.to_utility(number, problem) for number in (one.value, other.bound))
            assert reached <= most + 1e-9 * scale


#: Over a continuum a design of its own takes ten times as long as elsewhere.
QUICK = [seed for seed in range(56) if seed < 16 or seed % len(FOLLOWED) not in {3, 4, 5}]


@pytest.mark.thinned(4)
@pytest.mark.parametrize("seed", QUICK)
def test_levels_that_are_close_are_as_good_as_designs_of_their_own(seed):
    assert_each_as_good(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [seed for seed in range(240) if seed not in QUICK])
def test_many_levels_that_are_close(seed):
    assert_each_as_good(seed)


def test_levels_go_on_from_the_last_one():
    """Counted, not timed: pivots of a basis that is taken over, columns that are, and rays that are."""
    rng = np.random.default_rng(3)
    problem = md.Problem(prior=rng.dirichlet(np.full(20, 2.0)), values=np.sort(rng.normal(size=20)))
    levels = np.geomspace(0.5, 1.5, 12)
    found = md.frontier(problem, md.LDP, md.AbsoluteError(), levels)
    assert {made.solver_stats.name for made in found} == {"HIGHS"}
    pivots = [made.solver_stats.iterations for made in found]
    # From nothing each of the ten would take about as many as the first.
    assert sum(pivots[2:]) <= 10 * pivots[0] / 4
    found = md.frontier(problem, md.LIP, md.MMSE(), levels)
    assert sum("columns" in made.note for made in found) >= 8
    assert found[0].solver_stats.name == "STRUCTURED"


def test_a_solver_that_is_named_is_the_one_taken():
    problem = drawn(np.random.default_rng(4), 12)
    for name in ("STRUCTURED", "CLARABEL"):
        for objective in (md.HammingLoss(), md.MMSE()):
            found = md.frontier(problem, md.LIP, objective, [0.8, 0.9, 1.0], solver=name)
            assert {made.solver_stats.name for made in found} == {name}


def wide(seed, route="columns"):
    """Return whether a frontier's gaps are told to be wider than asked."""
    problem, kind, objective, levels = followed(seed)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = md.frontier(problem, kind, objective, levels, route=route)
    assert bool(told) == bool((found.gaps > 1e-6).any())
    return bool(told)


def test_planted_columns_that_are_never_priced_are_caught(monkeypatch):
    """The last level's columns and multipliers for the answer: its certificate is its own, and says how far off."""
    assert not wide(3)
    monkeypatch.setattr(warm_columns._Program, "priced", lambda self: True)
    assert wide(3)
    with pytest.raises(AssertionError):
        assert_each_as_good(3, "columns")


def test_planted_boxes_that_keep_the_last_level_are_caught(monkeypatch):
    """A program that is not moved has the multipliers of another level."""
    original = warm_program.WarmProgram._move

    def still(self, band):
        if not self.present:
            original(self, band)

    assert not any(wide(seed) for seed in (0, 1, 8))
    monkeypatch.setattr(warm_program.WarmProgram, "_move", still)
    assert all(wide(seed) for seed in (0, 1, 8))


def test_planted_rays_that_are_never_priced_are_caught(monkeypatch):
    original, seen = rays._reduced, []

    def blind(program, utility, found):
        seen.append(len(utility))
        # What is kept is chosen as before; what is missing is not seen.
        return np.abs(original(program, utility, found))

    assert not any(wide(seed, "rays") for seed in (6, 14, 22))
    monkeypatch.setattr(rays, "_reduced", blind)
    assert any(wide(seed, "rays") for seed in (6, 14, 22))
    assert seen


@pytest.mark.thinned(8)
@pytest.mark.parametrize("error", ["time limit reached", "crash"])
def test_a_program_that_cannot_be_gone_on_with_is_solved_anew(error, monkeypatch):
    def broken(*arguments):
        raise SolverError(error, status=error)

    monkeypatch.setattr(warm_program.WarmProgram, "solve", broken)
    monkeypatch.setattr(warm_columns._Program, "run", broken)
    for seed in (0, 3):
        assert_each_as_good(seed)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("level", [1e-9, 1e-5, 1e-4, 50.0])
def test_levels_at_the_ends(level, rng):
    problem = drawn(rng, 10)
    kinds = [(md.LDP, md.HammingLoss()), (md.LIP, md.HammingLoss())] + [(md.LIP, md.MMSE())] * (level < 1.0)
    for kind, objective in kinds:
        levels = [level, 1.01 * level, 1.02 * level]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GapWarning)
            found = md.frontier(problem, kind, objective, levels)
            apart = [md.design(problem, kind(each), objective).gap for each in levels]
        assert (found.gaps <= np.maximum(1e-6, 1.01 * np.array(apart))).all()
        assert all(made.audit.holds for made in found)


def test_columns_taken_apart_add_up(rng):
    """The functionals' best columns, with weights from a linear program, give the column back."""
    from scipy.optimize import nnls

    problem = drawn(rng, 9)
    notion = md.LIP(0.7)
    band = notion.columns(problem).cone().band_of_inputs
    for column in md.design(problem, notion, md.HammingLoss()).matrix.T:
        found = warm_columns.taken_apart(column, band)
        if column @ problem.prior < warm_columns.NO_MASS:
            assert not found
            continue
        parts = notion.columns(problem).support(np.array(found), np.zeros(0)).columns
        assert nnls(parts, column)[1] <= 1e-6
