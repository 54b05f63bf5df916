"""The matrix of an interior point over a metric is mended by the pairs of the metric where that costs less."""

import numpy as np

import mechdesign as md
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.solve.routes.columns import _closed
from mechdesign.solve.task import Task

PLACES = np.stack(np.meshgrid(np.arange(5.0), np.arange(5.0)), axis=-1).reshape(-1, 2)
STREETS = np.abs(PLACES[:, None] - PLACES).sum(axis=2)


def test_what_is_mended_costs_no_more_than_by_a_constant_mechanism(rng):
    problem, notion, loss = md.Problem(prior=rng.dirichlet(np.ones(25))), md.MetricDP(3.0, STREETS), STREETS
    objective = md.ExpectedLoss(loss)
    task, gains = Task(problem, notion, objective), objective.gains(problem)
    best = md.design(problem, notion, objective)
    exact = np.zeros((25, 25))
    exact[:, [int(name) for name in best.mechanism.outputs]] = best.mechanism.matrix
    less = []
    for noise in (1e-12, 1e-9, 1e-7, 1e-5):
        rough = np.maximum(exact + noise * rng.normal(size=exact.shape), 0.0)
        value = {
            name: (gains.T * repair(matrix, notion, problem, keep_outputs=True).matrix).sum()
            for name, matrix in (("plain", rough), ("closed", _closed(task, gains, rough)))
        }
        assert value["plain"] - 1e-12 <= value["closed"] <= -best.bound + 1e-12
        less.append(value["closed"] - value["plain"])
    # Where noise is more than entries far away have, they are mended at a part of the cost.
    assert max(less) > 1e-6


def test_other_notions_keep_their_matrix(rng):
    problem, objective = md.Problem(prior=rng.dirichlet(np.ones(4))), md.HammingLoss()
    matrix = rng.dirichlet(np.ones(4), size=4)
    assert _closed(Task(problem, md.LDP(1.0), objective), objective.gains(problem), matrix) is matrix


def test_rows_without_any_output_are_left_to_the_repair():
    objective = md.ExpectedLoss(STREETS)
    task = Task(md.Problem(prior=np.full(25, 0.04)), md.MetricDP(3.0, STREETS), objective)
    matrix = np.eye(25)
    matrix[3] = 0.0
    assert _closed(task, objective.gains(task.problem), matrix) is matrix
