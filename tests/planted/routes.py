"""Routes, bounds and repairs with one planted defect each, and the clause that must catch it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

import mechdesign as md
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.repair.exactly_private import repair, round_rows
from mechdesign.solve.task import Refusal
from tests.helpers.changed_routes import changed
from tests.planted.bent import bent

RAYS = ROUTES["rays"]


def answering(change):
    """Return the route `rays` with a change of its candidate."""
    return changed(RAYS, change)


def refusing(said):
    """Return the route `rays` with another refusal."""
    return replace(RAYS, plan=lambda task: Refusal(said))


def with_rows(candidate, rows):
    """Return the candidate with other multipliers of the rows."""
    return replace(candidate, multipliers=replace(candidate.multipliers, rows=rows))


def tilted(rows):
    """Return multipliers with the same sum, moved by a tenth of their size along a direction that sums to zero."""
    direction = np.linspace(-1, 1, len(rows))
    return rows + 0.1 * np.abs(rows).max() * direction


def constant(candidate):
    """Return the candidate with the mean row for every input."""
    return replace(candidate, matrix=np.tile(candidate.matrix.mean(axis=0), (len(candidate.matrix), 1)))


def spread(share):
    """Return the change that mixes a matrix with its mean row: with a negative share it leaves the notion."""
    return lambda c: replace(c, matrix=(1 - share) * c.matrix + share * c.matrix.mean(axis=0))


#: Clause, name, the route with a defect.
ROUTE_DEFECTS = [
    ("refusal", "one word", refusing("no")),
    ("refusal", "not a text", refusing(True)),
    ("candidate", "transposed matrix", answering(lambda c: replace(c, matrix=np.vstack([c.matrix, c.matrix[:1]]).T))),
    ("candidate", "rows that miss one", answering(lambda c: replace(c, matrix=0.999 * c.matrix))),
    ("candidate", "multipliers not finite", answering(lambda c: with_rows(c, c.multipliers.rows * np.nan))),
    ("candidate", "a multiplier too few", answering(lambda c: with_rows(c, c.multipliers.rows[1:]))),
    ("private", "reports the input", answering(lambda c: replace(c, matrix=np.eye(len(c.matrix))))),
    ("private", "epsilon of 1.0004", answering(spread(-0.0004))),
    ("gap", "multipliers of zero", answering(lambda c: with_rows(c, 0 * c.multipliers.rows))),
    ("gap", "uninformative matrix", answering(constant)),
    ("optimal", "uninformative matrix", answering(constant)),
    ("optimal", "mixed by a hundred-thousandth", answering(spread(1e-5))),
    ("multipliers", "of the other sign", answering(lambda c: with_rows(c, -c.multipliers.rows))),
    ("multipliers", "tilted", answering(lambda c: with_rows(c, tilted(c.multipliers.rows)))),
]


class AnotherSlice(md.LDP):
    """Columns are compared where their entries sum to one, not where their mass is one."""

    def shape(self, problem):
        return bent(super().shape(problem), normal=np.ones(problem.n))


def bound_on_another_slice(notion, objective, problem, multipliers, tolerance=0.0):
    return utility_bound(AnotherSlice(notion.epsilon), objective, problem, multipliers, tolerance)


def bound_without_rho(notion, objective, problem, multipliers, tolerance=0.0):
    return SimpleNamespace(utility=float(np.sum(multipliers.rows)))


def bound_without_negative_rho(notion, objective, problem, multipliers, tolerance=0.0):
    return SimpleNamespace(
        utility=max(utility_bound(notion, objective, problem, multipliers, tolerance).utility, np.sum(multipliers.rows))
    )


def bound_of_a_smaller_level(notion, objective, problem, multipliers, tolerance=0.0):
    return utility_bound(notion.at(0.9 * notion.parameter), objective, problem, multipliers, tolerance)


def bound_of_sampled_columns(notion, objective, problem, multipliers, tolerance=0.0):
    rays = notion.columns(problem).rays().columns[:, ::2]
    excess = (objective.column_utility(rays, problem) - multipliers.rows @ rays) / (
        notion.columns(problem).normal @ rays
    )
    return SimpleNamespace(utility=float(np.sum(multipliers.rows) + excess.max()))


def bound_that_hides_nan(notion, objective, problem, multipliers, tolerance=0.0):
    return SimpleNamespace(utility=float(np.nan_to_num(np.sum(multipliers.rows), posinf=0.0, neginf=0.0)))


def bound_that_passes_nan_on(notion, objective, problem, multipliers, tolerance=0.0):
    return SimpleNamespace(utility=float(np.sum(multipliers.rows)))


def bound_without_rounding(notion, objective, problem, multipliers, tolerance=0.0):
    found = utility_bound(notion, objective, problem, multipliers, tolerance)
    return SimpleNamespace(utility=found.utility - found.rounding)


class WithoutOneRay(md.LDP):
    """One of the cone's rays is forgotten."""

    def shape(self, problem):
        def rays(shape):
            found = shape.rays()
            return replace(found, columns=found.columns[:, 1:], cost=found.cost[:, 1:])

        return bent(super().shape(problem), rays=rays)


class RaysInward(md.LDP):
    """Every ray is a trifle inside of the cone."""

    def shape(self, problem):
        def rays(shape):
            found = shape.rays()
            return replace(found, columns=found.columns + 1e-12 * (1.0 - found.columns))

        return bent(super().shape(problem), rays=rays)


def bound_without_one_ray(notion, objective, problem, multipliers, tolerance=0.0):
    return utility_bound(WithoutOneRay(notion.epsilon), objective, problem, multipliers, tolerance)


def bound_of_rays_inward(notion, objective, problem, multipliers, tolerance=0.0):
    return utility_bound(RaysInward(notion.epsilon), objective, problem, multipliers, tolerance)


def bound_of_negative_budgets(notion, objective, problem, multipliers, tolerance=0.0):
    rays, nu = notion.columns(problem).rays(), multipliers.budget
    excess = objective.column_utility(rays.columns, problem) - nu @ rays.cost - multipliers.rows @ rays.columns
    rho = float((excess / (notion.columns(problem).normal @ rays.columns)).max())
    total = float(multipliers.rows.sum() + nu @ notion.columns(problem).budget().limits) + rho
    return SimpleNamespace(utility=total + 1e-9 * abs(total))


#: Clause, the bound with a defect.
BOUND_DEFECTS = [
    ("sound", bound_on_another_slice),
    ("sound", bound_without_rho),
    ("sound", bound_of_a_smaller_level),
    ("sound", bound_of_sampled_columns),
    ("shifts", bound_on_another_slice),
    ("shifts", bound_without_negative_rho),
    ("not a number", bound_that_hides_nan),
    ("not a number", bound_that_passes_nan_on),
    ("exactly sound", bound_without_rounding),
    ("exactly sound", bound_without_one_ray),
    ("exactly sound", bound_of_rays_inward),
]


def normalised(matrix):
    clipped = np.maximum(matrix, 0.0)
    totals = clipped.sum(axis=1, keepdims=True)
    return clipped / np.where(totals > 0, totals, 1.0)


def clips_and_normalises(matrix, notion, problem, *, keep_outputs=False):
    return SimpleNamespace(matrix=normalised(matrix))


def rounds_to_nearest(matrix, notion, problem, *, keep_outputs=False):
    known = repair(matrix, notion, problem, keep_outputs=keep_outputs).matrix
    return SimpleNamespace(matrix=np.ldexp(np.round(np.ldexp(known, 53) * (1 + 1e-9)), -53))


def leaves_negative_entries(matrix, notion, problem, *, keep_outputs=False):
    return SimpleNamespace(matrix=np.ldexp(np.round(np.ldexp(np.asarray(matrix), 53)), -53))


def rounds_without_mixing(matrix, notion, problem, *, keep_outputs=False):
    filled = np.where(matrix.sum(axis=1, keepdims=True) > 0, np.maximum(matrix, 0), np.maximum(matrix, 0).mean(axis=0))
    return SimpleNamespace(matrix=np.ldexp(round_rows(filled).astype(float), -53))


def forgets_the_interior(matrix, notion, problem, *, keep_outputs=False):
    """Repairs at a level a little above the one that was asked for."""
    return repair(matrix, notion.at(notion.parameter + 1e-9), problem, keep_outputs=keep_outputs)


def always_constant(matrix, notion, problem, *, keep_outputs=False):
    return repair(np.tile(normalised(matrix).mean(axis=0), (problem.n, 1)), notion, problem, keep_outputs=keep_outputs)


def mixes_a_hundredth(matrix, notion, problem, *, keep_outputs=False):
    mixed = 0.99 * normalised(matrix) + 0.01 * normalised(matrix).mean(axis=0)
    return repair(mixed, notion, problem, keep_outputs=keep_outputs)


def drops_outputs(matrix, notion, problem, *, keep_outputs=False):
    known = repair(matrix, notion, problem, keep_outputs=keep_outputs).matrix
    return SimpleNamespace(matrix=np.hstack([known[:, :1] + known[:, 1:2], known[:, 2:]]))


def mixes_always(matrix, notion, problem, *, keep_outputs=False):
    nudged = np.asarray(matrix) + 2.0**-30 * (np.asarray(matrix).mean(axis=0) - matrix)
    return repair(nudged, notion, problem, keep_outputs=keep_outputs)


#: Clause, the repair with a defect.
REPAIR_DEFECTS = [
    ("stochastic", clips_and_normalises),
    ("stochastic", rounds_to_nearest),
    ("stochastic", leaves_negative_entries),
    ("private", clips_and_normalises),
    ("private", rounds_without_mixing),
    ("private", forgets_the_interior),
    ("small", always_constant),
    ("small", mixes_a_hundredth),
    ("small", drops_outputs),
    ("untouched", mixes_always),
    ("untouched", mixes_a_hundredth),
]
