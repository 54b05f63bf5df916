"""What is small is moved to where it does least harm, and what is alike is merged, where both cost hardly anything."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import until
from mechdesign.solve.repair import fewer_outputs as module
from mechdesign.solve.repair.fewer_outputs import lean
from mechdesign.solve.task import Task

PROBLEM = md.Problem(prior=[0.5, 0.3, 0.2], values=[0.0, 1.0, 3.0])
NOTION = md.LDP(1.0)
PLAIN = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.25, 0.25, 0.5]])
TABLE = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]])


def split(matrix, place, share):
    """Return the matrix with a share of one output as a further output."""
    part = share * matrix[:, [place]]
    rest = matrix.copy()
    rest[:, [place]] -= part
    return np.hstack([rest, part])


@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation(), md.InformationDesign("A")], ids=str)
@pytest.mark.parametrize("share", [0.5, 1e-3])
def test_a_split_output_is_made_whole(objective, share):
    found = lean(split(PLAIN, 1, share), Task(PROBLEM, NOTION, objective))
    order = np.lexsort(found)
    assert found.shape == (3, 3) and np.allclose(found[:, order], PLAIN[:, np.lexsort(PLAIN)], rtol=0, atol=1e-15)


@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation(), md.InformationDesign("A")], ids=str)
def test_what_has_no_output_too_many_is_returned_itself(objective):
    assert lean(PLAIN, Task(PROBLEM, NOTION, objective)) is PLAIN


def test_under_rules_of_the_user_and_late_nothing_is_merged():
    given = split(PLAIN, 1, 0.5)
    assert lean(given, Task(PROBLEM, NOTION, md.MMSE(), subject_to=lambda Q: [])) is given
    with until(0.0):
        assert lean(given, Task(PROBLEM, NOTION, md.MMSE())) is given


def test_many_pairs_are_not_compared(monkeypatch):
    given, task = split(PLAIN, 1, 0.5), Task(PROBLEM, NOTION, md.MutualInformation())
    monkeypatch.setattr(module, "MOST_PAIRED", 8 * 3)
    assert lean(given, task).shape == (3, 3)
    monkeypatch.setattr(module, "MOST_PAIRED", 8 * 3 - 1)
    assert lean(given, task) is given


@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation(), md.InformationDesign("A")], ids=str)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_small_output_goes_where_it_says_nearly_the_same(objective, place):
    tilted = split(PLAIN, place, 1e-7)
    tilted[0, -1] *= 1.01
    tilted[0, place] -= tilted[0, -1] - 1e-7 * PLAIN[0, place]
    found = lean(tilted, Task(PROBLEM, NOTION, objective))
    assert not found[:, 3].any() and np.allclose(found[:, :3], PLAIN, rtol=0, atol=1e-8)
    assert np.allclose(found.sum(axis=1), 1.0, rtol=0, atol=1e-15)


def test_a_small_output_that_is_needed_stays():
    """It costs more than a tenth of the gap to hide that an input is known."""
    needed = np.hstack([0.99995 * PLAIN, np.array([[5e-5], [0.0], [0.0]])])
    needed[1:, 2] += 5e-5
    task = Task(PROBLEM, md.MaximalLeakage(2.0), md.MMSE())
    assert lean(needed, task) is needed
    generous = Task(PROBLEM, md.MaximalLeakage(2.0), md.MMSE(), gap=1e-2)
    assert not lean(needed, generous)[:, 3].any()


def test_of_unknown_cost_smaller_outputs_are_moved_by_the_gap_asked():
    for mass, gap, kept in ((5e-5, 1e-3, True), (1e-7, 1e-3, False), (1e-7, 1e-8, True), (5e-9, 1e-8, False)):
        given = np.hstack([(1.0 - mass) * PLAIN, np.array([[mass], [0.0], [0.0]])])
        found = lean(given, Task(PROBLEM, NOTION, md.InformationDesign("A"), gap=gap))
        assert (found is given) == kept
        # The first output is the likeliest one of the input that it reveals.
        assert kept or np.allclose(found[0, 0], given[0, 0] + mass, rtol=0, atol=1e-16)


def test_of_a_cost_that_is_not_known_the_nearest_output_is_taken(monkeypatch):
    monkeypatch.setattr(module, "_cheapest", lambda *_: None)
    given = np.hstack([PLAIN * (1.0 - 1e-7), 1e-7 * np.array([[0.0], [1.0], [0.0]])])
    found = module._without_negligible(given, Task(PROBLEM, NOTION, md.MMSE()))
    assert not found[:, 3].any() and found[1, 1] == given[1, 1] + given[1, 3]


def test_many_entries_are_not_moved(monkeypatch):
    given, task = split(PLAIN, 1, 1e-7), Task(PROBLEM, NOTION, md.HammingLoss())
    given = split(given, 0, 1e-7)[:, [0, 1, 2, 4]]
    given = given / given.sum(axis=1, keepdims=True)
    task = Task(PROBLEM, NOTION, md.InformationDesign("A"))
    monkeypatch.setattr(module, "MOST_MOVED", 12)
    monkeypatch.setattr(module, "merge_proportional", lambda columns: columns)
    assert not lean(given, task)[:, 3].any()
    monkeypatch.setattr(module, "MOST_MOVED", 11)
    assert lean(given, task) is given


def test_a_small_decision_goes_to_the_next_best():
    loss = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 0.6, 0.0]])
    matrix = np.array([[0.6, 0.4, 0.0], [0.4, 0.6, 0.0], [0.4, 0.6 - 1e-7, 1e-7]])
    task = Task(PROBLEM, NOTION, md.ExpectedLoss(loss), gap=1e-5)
    found = lean(matrix, task)
    assert np.allclose(found, [[0.6, 0.4, 0.0], [0.4, 0.6, 0.0], [0.4, 0.6, 0.0]], rtol=0, atol=1e-15)
    # It costs 0.2 * 0.6 * 1e-7 of about 0.5: more than a tenth of a gap of 1e-7.
    assert lean(matrix, Task(PROBLEM, NOTION, md.ExpectedLoss(loss), gap=1e-7)) is matrix


def test_the_cost_of_a_merger_is_what_the_utility_loses():
    column, objective = np.array([2e-5, 1e-5, 1e-5]), md.MutualInformation()
    place, cost = module._cheapest(column, PLAIN, np.arange(3), objective, PROBLEM)

    def worth(columns):
        return objective.column_utility(columns, PROBLEM)

    # Of columns of one size, which an output that is split has: a ratio of about one loses no digits.
    sizes = PLAIN.sum(axis=0) / column.sum()
    exact = [
        float((worth(column[:, None]) + worth(PLAIN[:, [y]]) - worth(PLAIN[:, [y]] + column[:, None]))[0])
        for y in range(3)
    ]
    assert place == int(np.argmin(exact)) == 0 and sizes.min() > 1.0
    assert cost == pytest.approx(exact[0], rel=1e-6)


def test_what_counts_is_the_less_of_the_value_and_what_is_gained():
    worth, whole = module._gained(PLAIN, md.MutualInformation(), PROBLEM)
    terms = md.MutualInformation().column_utility(PLAIN, PROBLEM)
    assert worth == pytest.approx(terms.sum(), rel=1e-12) and whole == pytest.approx(np.abs(terms).sum(), rel=1e-12)
    objective = md.MMSE()
    worth, _ = module._gained(PLAIN, objective, PROBLEM)
    value, idle = objective.value(PLAIN, PROBLEM), objective.uninformative(PROBLEM)
    assert worth == pytest.approx(min(idle - value, value), rel=1e-12) and idle - value < value
    worth, _ = module._gained(np.eye(3) * 0.999 + 0.001 / 3, objective, PROBLEM)
    assert worth == pytest.approx(objective.value(np.eye(3) * 0.999 + 0.001 / 3, PROBLEM), rel=1e-9)


def test_of_a_curved_value_its_share_of_the_utility_counts():
    first, second = np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.3, 0.6])
    objective, matrix = md.RenyiDivergence(0.3, first, second), 0.99 * np.eye(3) + 0.01 / 3
    worth, _ = module._gained(matrix, objective, PROBLEM)
    value = objective.value(matrix, PROBLEM)
    step = 1e-6 * value
    slope = (objective.to_utility(value + step, PROBLEM) - objective.to_utility(value - step, PROBLEM)) / (2 * step)
    assert worth == pytest.approx(abs(value * slope), rel=1e-6) and abs(slope - 1.0) > 0.2


@pytest.mark.parametrize("size", [0.1, 10.0])
def test_how_near_two_outputs_are_is_a_share(size):
    problem = md.Problem(prior=PROBLEM.prior, values=size * np.array([1.0, 2.0, 4.0]))
    for share, alike in ((0.5e-4 / 30, True), (2e-4 / 30, False)):
        # Nearly equal posterior means.
        other = np.array([0.5 * (1 - 3 * share), 0.25 * (1 + 3 * share), 0.25 * (1 + 3 * share)])
        pair = np.column_stack([[0.5, 0.25, 0.25], other]) / PROBLEM.prior[:, None]
        means = np.sort(md.MMSE().ratio(problem).at(pair))
        assert (means[1] - means[0] <= 1e-4 * means[1]) == alike
        assert module._some_alike(pair, md.MMSE(), problem) == alike


def test_mergers_may_cost_a_share_of_what_is_gained(monkeypatch):
    given, objective, shares = split(0.99 * np.eye(3) + 0.01 / 3, 1, 0.5), md.MMSE(), []

    def merged(columns, objective, problem, share):
        shares.append(share)
        return columns

    monkeypatch.setattr(module, "merge_alike", merged)
    assert lean(given, Task(PROBLEM, NOTION, objective)) is given
    worth, whole = module._gained(given, objective, PROBLEM)
    assert shares == [pytest.approx(1e-10 * worth / whole, rel=1e-12)] and worth < 0.9 * whole
    # What would be lost in rounding is not looked for.
    for loss, tried in ((1.001, True), (0.999, False)):
        shares.clear()
        monkeypatch.setattr(module, "MERGE_LOSS", loss * 64 * np.finfo(float).eps * whole / worth)
        assert lean(given, Task(PROBLEM, NOTION, objective)) is given and bool(shares) == tried


@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation()], ids=str)
def test_whether_some_are_alike_is_seen_before_all_are_compared(objective):
    assert not module._some_alike(PLAIN, objective, PROBLEM)
    assert module._some_alike(split(PLAIN, 1, 0.2), objective, PROBLEM)
    near = split(PLAIN, 1, 0.2)
    near[0, 3] *= 1.0 + 1e-5
    assert module._some_alike(near, objective, PROBLEM)
    near[0, 3] *= 1.01
    assert not module._some_alike(near, objective, PROBLEM)
