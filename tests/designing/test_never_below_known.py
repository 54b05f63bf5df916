"""No design is below a known mechanism that is private under its notion, nor tells nothing where something is told."""

import warnings
import zlib

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines.known_mechanisms import known_mechanisms
from mechdesign.question import Question
from mechdesign.runtime.deadline import reading
from mechdesign.solve.search.known_mechanisms import utility_of
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.sized import NOTIONS, OBJECTIVES, some_pair

#: Those that have so many inputs themselves.
NAMES = [name for name in NOTIONS if name not in {"CentralizedIP", "ProfileDP", "WeightedTV"}]
#: Leakage is not for the sender to raise: what is best tells least.
USEFUL = [name for name in OBJECTIVES if name != "LeakageLoss"]
#: A pair for each kind of notion and objective, at hundreds of inputs.
LARGE = [
    ("LDP", "MMSE"),
    ("LIP", "MutualInformation"),
    ("MaxLift", "HistogramMMSE"),
    ("AsymmetricLIP", "AbsoluteError"),
    ("MaximalLeakage", "MutualInformation"),
    ("BlockLDP", "TotalVariation"),
    ("StrongL1", "HammingLoss"),
    ("MetricDP", "ErrorProbability"),
    ("WorstCaseLIP", "KLDivergence"),
    ("UtilityOptimizedLDP", "MMSE"),
]


def designed(notion, objective, n, clock):
    """Return the design of a pair in what its clock counts as a second, with its task."""
    seed = zlib.crc32(f"{notion} {objective} {n}".encode())
    problem, made, wanted = some_pair(notion, objective, n, np.random.default_rng(seed))
    with warnings.catch_warnings(), reading(CountingClock(clock)):
        warnings.simplefilter("ignore", md.GapWarning)
        found = md.design(problem, made, wanted, time_limit=1.0)
    return found, Task(made.inputs(problem), made, wanted)


def better_known(found, task):
    """Return the known mechanisms that are better than a design."""
    reached = utility_of(task, found.by_decision)
    rivals = known_mechanisms(Question(task.problem, task.notion, task.objective))
    offered = [(name, matrix) for name, _, matrix in rivals if matrix is not None]
    slack = 1e-9 * abs(reached)
    return [name for name, matrix in offered if utility_of(task, matrix) > reached + slack]


@pytest.mark.parametrize(
    ("notion", "objective"), [("MaxLift", "InformationDesign"), ("Intersection", "MutualInformation")]
)
def test_no_known_mechanism_at_the_epsilon_that_is_private_here_is_better(notion, objective):
    # Hadamard response at the notion's own epsilon is far weaker, or not private.
    found, task = designed(notion, objective, 24, 5e-3)
    assert found.audit.holds and better_known(found, task) == []


@pytest.mark.thinned(120)
@pytest.mark.parametrize("objective", USEFUL)
@pytest.mark.parametrize("notion", NAMES)
def test_no_known_mechanism_is_better(notion, objective):
    found, task = designed(notion, objective, 24, 5e-3)
    assert found.audit.holds and better_known(found, task) == []


@pytest.mark.slow
@pytest.mark.parametrize(("notion", "objective"), LARGE)
def test_three_hundred_inputs_have_more_than_nothing_within_what_counts_as_a_second(notion, objective):
    found, task = designed(notion, objective, 300, 2e-4)
    idle = task.objective.uninformative(task.problem)
    assert found.audit.holds
    assert found.gap <= 0.01 or abs(found.value - idle) > 1e-9 * abs(idle)


def test_planted_a_constant_mechanism_is_caught():
    """Planted: a design whose matrix tells nothing."""
    found, task = designed("LDP", "MutualInformation", 24, 1e-3)

    class Poor:
        by_decision = np.full((24, 2), 0.5)

    assert better_known(Poor, task) != [] and better_known(found, task) == []
