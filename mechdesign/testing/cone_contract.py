"""What every notion's cone must satisfy: normal, rays and support function describe one and the same set."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from mechdesign.notions import Cone, Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.extreme_rays import enumerable, extreme_rays
from mechdesign.solve.pricing.revealing_outputs import reveals
from mechdesign.solve.pricing.support import support
from mechdesign.testing.contract import Clause, require
from mechdesign.testing.programs import best_over_matrices, best_over_rays
from mechdesign.testing.random_problems import private_channel

#: Two solvers agree this well on one program.
SOLVED: Final = 1e-6
#: Rounding of entries of order one, and of formulas evaluated twice.
ROUNDING: Final = 1e-10
#: Random functionals for each clause; programs cost more.
MANY, FEW = 30, 4


def normal_is_a_slice(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The normal is positive and sums to one: only then is the mass of all outputs one."""
    inputs = notion.inputs(problem)
    normal = notion.columns(inputs).normal
    require(normal.shape == (inputs.n,), f"the normal has shape {normal.shape} for {inputs.n} inputs")
    require(np.all(normal > 0), f"the normal has the entry {normal.min()!r}")
    require(abs(normal.sum() - 1) <= 1e-12, f"the normal sums to {normal.sum()!r}")


def shape_is_seen_through_a_channel(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """A hidden secret is a map before a shape: its cone and budgets are linear in what is seen of a column."""
    inputs = notion.inputs(problem)
    shape, columns = notion.shape(inputs), notion.columns(inputs)
    require(columns.n == inputs.n, f"the columns have {columns.n} entries for {inputs.n} inputs")
    require(columns.polyhedral == notion.polyhedral, f"polyhedral is {notion.polyhedral}, of its shape the opposite")
    channel = rng.dirichlet(np.ones(shape.n + 1), size=shape.n)
    whole, seen = shape.cone_of(np.eye(shape.n)), shape.cone_of(channel)
    far = [whole.on_column @ channel - seen.on_column, whole.on_auxiliary - seen.on_auxiliary]
    budget, charged = shape.budget_of(np.eye(shape.n)), shape.budget_of(channel)
    far += [budget.pieces @ channel - charged.pieces, budget.limits - charged.limits]
    most = max(float(np.abs(each).max(initial=0.0)) for each in far)
    require(most <= ROUNDING, f"through a channel the rows or budgets differ by {most:.2g} from those of the shape")


def rays_are_private(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Each ray is nonzero, at most 1, lies in the cone, and takes of the budget what it says."""
    inputs = notion.inputs(problem)
    rays = all_rays(notion, inputs)
    if rays is None:
        return
    require(rays.columns.min() >= 0 and rays.columns.max() <= 1 + ROUNDING, "a ray leaves [0, 1]")
    require(np.all(rays.columns.max(axis=0) > 1e-6), "a ray is zero, or next to it")
    budget = notion.columns(inputs).budget()
    require(rays.cost.shape == (len(budget), rays.columns.shape[1]), "the cost has another shape")
    require(
        np.allclose(rays.cost, budget.cost(rays.columns), rtol=0, atol=ROUNDING),
        "a ray takes something else of the budget",
    )
    within = rays.columns[:, ~reveals(rays.columns, notion.columns(inputs).revealed)]
    missed = outside(notion.columns(inputs).cone(), within)
    require(missed <= ROUNDING, f"a ray misses the cone by {missed:.2g}")
    if not len(budget):
        level = notion.level(rays.columns, inputs)
        require(level.excess(notion) <= 1e-9, f"a ray has the level {level.values}, above {notion.parameters}")


def rays_hold_the_constant(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The constant column, which every notion allows, is a mixture of the rays: no list of them is empty."""
    from scipy.optimize import linprog

    inputs = notion.inputs(problem)
    rays = all_rays(notion, inputs)
    if rays is None:
        return
    columns = rays.columns
    require(columns.shape[1] > 0, "the list of the extreme rays is empty")
    found = linprog(np.zeros(columns.shape[1]), A_eq=columns, b_eq=np.ones(inputs.n), method="highs")
    require(found.status == 0, "the constant column is no mixture of the rays")


def rays_reach(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The linear program over rays has the optimum of the program over matrices."""
    inputs = notion.inputs(problem)
    rays = all_rays(notion, inputs)
    if rays is None:
        return
    budget = notion.columns(inputs).budget()
    for trial in range(FEW):
        # Decisions at random, and one decision for each input: the first asks for large sets, the second for small.
        gains = rng.normal(size=(inputs.n, 4)) if trial % 2 else np.diag(rng.exponential(size=inputs.n))
        utility = (gains.T @ rays.columns).max(axis=0)
        over_rays = best_over_rays(rays, utility, np.ones(inputs.n), budget.limits)
        direct = best_over_matrices(notion, gains, problem)
        far = abs(over_rays - direct) / max(abs(direct), float(np.abs(gains).max()))
        require(far <= SOLVED, f"the program over rays gives {over_rays:.9g}, the one over matrices {direct:.9g}")


def rays_are_enumerated(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The rays that a formula gives are those enumerated from the cone, no more and no fewer."""
    inputs = notion.inputs(problem)
    rays, cone, budget = notion.columns(inputs).rays(), notion.columns(inputs).cone(), notion.columns(inputs).budget()
    if rays is None:
        return
    count = notion.columns(inputs).ray_count()
    require(
        count is not None and rays.columns.shape[1] <= count,
        f"rays gives {rays.columns.shape[1]}, ray_count allows {count}",
    )
    require(enumerable(cone, budget), f"the cone of {notion} for {inputs.n} inputs cannot be enumerated; take fewer")
    given, found = (r.columns / r.columns.max(axis=0) for r in (rays, extreme_rays(cone, budget)))
    distance = np.abs(given[:, :, None] - found[:, None, :]).max(axis=0)
    for side, far in (
        ("the cone has a ray that the formula lacks", distance.min(axis=0)),
        ("the formula gives a column that is no extreme ray", distance.min(axis=1)),
    ):
        require(far.max() <= 1e-8, f"{side} ({int((far > 1e-8).sum())} of {len(far)})")


def support_is_largest(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The support function is at least ``h . q - nu beta(q)`` for every private column q of the slice."""
    inputs = notion.inputs(problem)
    normal, budget = notion.columns(inputs).normal, notion.columns(inputs).budget()
    columns = np.hstack([private_channel(notion, inputs, 4, rng) for _ in range(MANY)])
    rays = all_rays(notion, inputs)
    if rays is not None:
        columns = np.hstack([columns, rays.columns])
    columns = columns / (normal @ columns)
    for nu in (size * rng.uniform(0.5, 1.0, len(budget)) for size in ((0.0, 0.5, 3.0) if len(budget) else (0.0,))):
        functionals = some_functionals(inputs.n, rng)
        cost = nu @ budget.cost(columns)
        reached = (functionals @ columns - cost).max(axis=1)
        short = reached - support(notion, inputs, functionals, nu).values
        scale = 1.0 + np.abs(functionals).max(axis=1)
        far = float((short / scale).max())
        require(far <= 1e-9, f"a private column has {far:.2g} more than the support function (nu = {nu})")


def support_is_attained(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The support function is reached by the column that it gives, and that column lies on the slice of the cone."""
    inputs = notion.inputs(problem)
    normal, budget, cone = notion.columns(inputs).normal, notion.columns(inputs).budget(), notion.columns(inputs).cone()
    for nu in (size * rng.uniform(0.5, 1.0, len(budget)) for size in ((0.0, 0.5, 3.0) if len(budget) else (0.0,))):
        functionals = some_functionals(inputs.n, rng)
        found = support(notion, inputs, functionals, nu)
        cost = nu @ budget.cost(found.columns)
        reached = np.einsum("tx,xt->t", functionals, found.columns) - cost
        scale = 1.0 + np.abs(functionals).max(axis=1)
        far = float((np.abs(found.values - reached) / scale).max())
        require(far <= 1e-8, f"the support function is {far:.2g} away from the value of its own column (nu = {nu})")
        require(np.allclose(normal @ found.columns, 1.0, rtol=0, atol=1e-9), "a column lies off the slice")
        missed = outside(cone, found.columns[:, ~reveals(found.columns, notion.columns(inputs).revealed)])
        require(missed <= 1e-8, f"a column of the support function misses the cone by {missed:.2g}")
        if not notion.polyhedral and not len(budget):
            # The cone alone does not say it.
            level = notion.level(found.columns, inputs).value
            require(level <= notion.parameter + 1e-6, f"a column of the support function has the level {level!r}")


def some_functionals(n: int, rng: np.random.Generator) -> Array:
    """Return random functionals of several scales, zero and ties among them, shape (t, n)."""
    scaled = rng.normal(size=(MANY, n)) * 10.0 ** rng.uniform(-3, 3, size=(MANY, 1))
    return np.vstack([scaled, np.zeros(n), np.ones(n), -np.ones(n), np.eye(n), np.round(rng.normal(size=(4, n)))])


def outside(cone: Cone, columns: Array) -> float:
    """Return by how much the worst of `columns` misses the cone, its auxiliary variables chosen for the best."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, kron

    negative = max(0.0, -float(columns.min(initial=0.0)))
    if len(cone.on_column) == 0 or columns.shape[1] == 0:
        return negative
    slack = cone.on_column @ columns
    if cone.on_auxiliary.shape[1] == 0:
        return max(negative, -float(slack.min()))
    count, extra = columns.shape[1], cone.on_auxiliary.shape[1]
    # -on_auxiliary t_y - s <= on_column q_y for every column y, s as small as possible.
    rows: Any = hstack([kron(np.eye(count), -cone.on_auxiliary), csr_array(-np.ones((slack.size, 1)))])
    cost = np.concatenate([np.zeros(count * extra), [1.0]])
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(cost, A_ub=rows.tocsr(), b_ub=slack.T.ravel(), method="highs", options=tight)
    return max(negative, float(found.fun))


#: The contract of cones, by name.
CONE_CLAUSES: dict[str, Clause] = {
    "normal": normal_is_a_slice,
    "shape": shape_is_seen_through_a_channel,
    "rays are private": rays_are_private,
    "rays hold the constant": rays_hold_the_constant,
    "rays reach": rays_reach,
    "rays are enumerated": rays_are_enumerated,
    "support is largest": support_is_largest,
    "support is attained": support_is_attained,
}
