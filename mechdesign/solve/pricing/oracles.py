"""Pricing oracles: by which formula, list or search the largest excess of a column over its multipliers is bounded.

One ordered table decides. For multipliers ``lam`` of the rows and ``nu >= 0`` of the budgets an oracle bounds
``mu(q) - nu . beta(q) - lam . q`` over the slice ``c . q = 1`` of the notion's cone, from above.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.notions.wider import wider
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.information_over_priors import is_mean
from mechdesign.objectives.label_information import INFORMATION
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import in_share
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.bounded_lift import has_majorant, lifts, majorant
from mechdesign.solve.pricing.branched_lifts import excess_of_lifts
from mechdesign.solve.pricing.few_labels import QUICK_LABELS, has_few_labels, over_few_labels
from mechdesign.solve.pricing.functionals import (
    functionals_of,
    has_functionals,
    has_own_cost,
    largest_of,
    over_functionals,
    over_functionals_at_cost,
)
from mechdesign.solve.pricing.label_space import (
    contraction,
    multipliers_of_labels,
    of_datum,
    over_labels,
    seen_by_labels,
)
from mechdesign.solve.pricing.largest_excess import column_excess, no_excess
from mechdesign.solve.pricing.leaked_information import information_above, is_of_leakage
from mechdesign.solve.pricing.likeliest_revealed import excess, is_of_peaks
from mechdesign.solve.pricing.line_of_a_ratio import is_continuum, over_continuum
from mechdesign.solve.pricing.mixture_of_priors import at_mixture
from mechdesign.solve.pricing.near_prior import near_prior
from mechdesign.solve.pricing.priced_columns import Columns, Oracle, Priced, no_columns
from mechdesign.solve.pricing.sets_in_blocks import price_on_blocks
from mechdesign.solve.pricing.subdivision import Excess
from mechdesign.solve.pricing.subset_utility import is_of_subsets
from mechdesign.solve.pricing.subsets_of_inputs import MOST_NODES
from mechdesign.solve.pricing.support import charged_off
from mechdesign.solve.pricing.utility_of_lifts import utility_of_lifts
from mechdesign.tolerances import RAY_COMFORT

#: Nodes that are open at once while the multipliers still change.
FEW_NODES = 256
#: Share of the time left in which the columns of other notions are priced: no more than a bound comes of it.
OF_PARTS = 0.2
#: How far their pricing may stop early, as a share of the bound: what they allow beyond the notion costs more.
COARSE = 1e-2


def priced(columns: Columns) -> Priced:
    """Return a bound on the largest excess of a column, by the first oracle that applies.

    Raises
    ------
    UnsupportedError
        None does.
    """
    notion, objective, problem = columns.notion, columns.objective, columns.problem
    for oracle in ORACLES:
        found = oracle.price(columns) if oracle.applies(notion, objective, problem) else None
        if found is not None:
            return found
    raise UnsupportedError(f"There is no certificate for {objective.name} under {notion.name} at n = {problem.n}.")


def is_priced(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether there is an oracle for the columns: extreme rays are listed where there is no other."""
    quick = (oracle for oracle in ORACLES if oracle.price is not _over_rays)
    known = any(oracle.applies(notion, objective, problem) for oracle in quick)
    return known or (_may_be_listed(notion, objective, problem) and all_rays(notion, problem) is not None)


def _has_functionals(notion: Notion, objective: Objective, problem: Problem) -> bool:
    return has_functionals(objective, problem)


def _by_functionals(columns: Columns) -> Priced:
    notion, objective, problem = columns.notion, columns.objective, columns.problem
    gains = functionals_of(objective, problem, columns.multipliers)
    if not has_own_cost(objective, columns.multipliers):
        return over_functionals(notion, problem, gains, columns.rows, columns.budget)
    own = np.asarray(columns.multipliers.own_cost).T
    return over_functionals_at_cost(notion, objective, problem, gains, columns.rows, columns.budget, own)


def _over_sets(columns: Columns) -> Priced:
    """Search the sets of inputs whose columns are the extreme ones."""
    notion, objective, rows = columns.notion, columns.objective, columns.rows
    assert is_separable(objective), "is_of_subsets() asks for it"
    most = FEW_NODES if columns.for_search else MOST_NODES
    return _estimated(price_on_blocks(notion, objective, columns.problem, rows, columns.tolerance, most), rows)


def _is_mixed(notion: Notion, objective: Objective, problem: Problem) -> bool:
    mixed = at_mixture(notion, objective, problem) if is_mean(objective) else None
    return mixed is not None and is_priced(notion, INFORMATION, mixed[0])


def _at_mixture(columns: Columns) -> Priced | None:
    """Price the information at the mixture of the priors, or at one near to it."""
    mean = columns.objective
    mixed = at_mixture(columns.notion, mean, columns.problem) if is_mean(mean) else None
    if mixed is None:
        return None
    found = priced(replace(columns, objective=INFORMATION, problem=mixed[0]))
    return replace(found, bound=found.bound + mixed[1])


def _can_cut(notion: Notion, objective: Objective, problem: Problem) -> bool:
    return is_separable(objective) and not is_convex(objective) and no_excess(notion, objective, problem) is None


def _by_cutting(columns: Columns) -> Priced:
    """Cut up the slice of all columns until the excess of every part is bounded."""
    notion, objective = columns.notion, columns.objective
    assert is_separable(objective)
    # What one of several notions allows by itself may have a formula.
    several = not columns.for_search and len(notion.members()) > 1 and _has_parts(notion, objective, columns.problem)
    of_parts = _by_parts(columns) if several else None
    if of_parts is not None and of_parts.bound <= max(columns.tolerance, of_parts.rounding):
        return of_parts
    found = column_excess(notion, objective, columns.problem, columns.rows, columns.budget, columns.tolerance)
    cut = _estimated(found, columns.rows)
    of_label = None if objective.label_table is None or columns.for_search else _by_label(columns)
    bounds = (found.bound for found in (cut, of_label, of_parts) if found is not None)
    return replace(cut, bound=min(bounds))


def _may_be_listed(notion: Notion, objective: Objective, problem: Problem) -> bool:
    return is_separable(objective)


def _are_few(notion: Notion, objective: Objective, problem: Problem) -> bool:
    count = notion.columns(problem).ray_count() if is_separable(objective) else np.inf
    return count is None or count <= RAY_COMFORT


def _over_rays(columns: Columns) -> Priced | None:
    """Take the largest excess of all extreme rays, each raised by its own rounding; None where they are too many."""
    notion, objective, problem = columns.notion, columns.objective, columns.problem
    rays, lam, nu = all_rays(notion, problem), columns.rows, columns.budget
    if rays is None or not is_separable(objective):
        return None
    mass = notion.columns(problem).normal @ rays.columns
    utility = objective.column_utility(rays.columns, problem)
    excess = (utility - nu @ rays.cost - lam @ rays.columns) / mass
    # Each ray by itself: the best one may be another whose terms are larger.
    terms = np.maximum(objective.magnitude(rays.columns, problem), np.abs(utility))
    terms += nu @ rays.cost_sizes + np.abs(lam) @ rays.columns
    rounding = rounding_unit(problem.n + len(nu)) * terms + rays.missed(np.abs(lam)) + charged_off(rays, nu)
    rounding += np.abs(excess) * rays.missed(notion.columns(problem).normal)
    if rays.errors is None:
        rounding += 2.0 * rays.share * terms
    else:
        rounding += 2.0 * (np.abs(objective.supporting(rays.columns, problem)) * rays.errors).sum(axis=0)
    return largest_of(excess, rounding / mass, rays.columns / mass)


def _by_leakage(columns: Columns) -> Priced:
    """Bound the utility by the information that the budget itself is about."""
    above = information_above(columns.problem, float(columns.budget[0]))
    return over_functionals(columns.notion, columns.problem, above[None, :], columns.rows, np.zeros(1))


def _by_likeliest(columns: Columns) -> Priced:
    """Compare the multipliers with the multipliers of a formula, which no set of inputs exceeds."""
    return excess(columns.problem, columns.rows, float(columns.budget[0]))


def _is_lifted(notion: Notion, objective: Objective, problem: Problem) -> bool:
    return has_majorant(objective) and not len(notion.columns(problem).budget()) and lifts(notion, problem) is not None


def _by_lifts(columns: Columns) -> Priced | None:
    """Bound the utility by its chords over the range of the lift, in parts if a tolerance is given."""
    bounds, utility = lifts(columns.notion, columns.problem), utility_of_lifts(columns.objective)
    if bounds is None or utility is None or not is_separable(columns.objective):
        return None
    above = majorant(bounds, columns.objective)
    chords = over_functionals(columns.notion, columns.problem, above[None, :], columns.rows, columns.budget)
    if not 0.0 < columns.tolerance < chords.bound:
        return chords
    found = excess_of_lifts(bounds, utility, columns.rows, columns.tolerance)
    return min(chords, _estimated(found, columns.rows))


def _is_near_prior(notion: Notion, objective: Objective, problem: Problem) -> bool:
    return near_prior(notion, objective, problem) is not None


def _near_prior(columns: Columns) -> Priced | None:
    """Bound convex functions of lifts near 1 by knapsacks, or input by input."""
    found = near_prior(columns.notion, columns.objective, columns.problem)
    return None if found is None else Priced(*found.excess(columns.rows), no_columns(columns.problem.n))


def _over_few_labels(columns: Columns) -> Priced | None:
    """Cut up what few labels see until the excess of every part is bounded, if their own problem has no near bound."""
    table = columns.objective.label_table
    known = None if columns.for_search else _over_labels(columns)
    many = table is not None and len(table) > QUICK_LABELS
    if known is not None and (many or known.bound <= columns.tolerance):
        return known
    found = over_few_labels(columns)
    if found is None:
        return known
    cut = _estimated(found, columns.rows)
    return cut if known is None else replace(cut, bound=min(cut.bound, known.bound))


def _over_labels(columns: Columns) -> Priced | None:
    """Price what the labels see, where the labels are the inputs."""
    seen = seen_by_labels(columns.notion, columns.objective, columns.problem)
    if seen is None or not is_priced(columns.notion, INFORMATION, seen.problem):
        return None
    over = multipliers_of_labels(seen, columns.rows)
    asked = replace(
        columns, objective=INFORMATION, problem=seen.problem, rows=over, multipliers=Multipliers(over, columns.budget)
    )
    return over_labels(columns, priced(asked), seen, over)


def _is_about_label(notion: Notion, objective: Objective, problem: Problem) -> bool:
    if objective.label_table is None:
        return False
    seen = seen_by_labels(notion, objective, problem)
    of_labels = seen is not None and is_priced(notion, INFORMATION, seen.problem)
    return of_labels or is_priced(notion, INFORMATION, problem)


def _by_label(columns: Columns) -> Priced | None:
    """Bound the information on a label by what the labels see, and by the information on the datum: the lesser.

    Where few labels price the columns of a notion that is implied, by that one; the information on the datum takes
    longer, and is asked besides if a sum over columns is charged.
    """
    asked = columns.notion, columns.objective, columns.problem
    of_parts = any(has_few_labels(part, *asked[1:]) for part, _ in _priced_parts(*asked))
    found = [_by_parts(columns)] if of_parts else []
    if not of_parts or len(columns.budget):
        found += [bound for bound in (_over_labels(columns), _by_contraction(columns)) if bound]
    return min(found, default=None)


def _by_contraction(columns: Columns) -> Priced | None:
    """Bound the information on the label by a share of the information on the datum."""
    table = columns.objective.label_table
    share = 0.0 if table is None else contraction(table)
    if share == 0.0 or not is_priced(columns.notion, INFORMATION, columns.problem):
        return None
    found = priced(of_datum(columns, share))
    slack = 4.0 * rounding_unit(1) * abs(found.bound) * share
    return Priced(share * found.bound + slack, share * found.rounding + slack, no_columns(columns.problem.n))


def _priced_parts(notion: Notion, objective: Objective, problem: Problem) -> list[tuple[Notion, slice]]:
    """Return which of several notions have an oracle, each with its budgets' places; else those that they imply."""
    members, several, start = notion.members(), list[tuple[Notion, slice]](), 0
    for part in members:
        budgets = len(part.columns(problem).budget())
        asked = part if budgets else plain(part, problem)[0]
        several.append((asked, slice(start, start + budgets)))
        start += budgets
    parts = [] if members == (notion,) else [each for each in several if is_priced(each[0], objective, problem)]
    implied = [] if parts else [made for part in members if (made := wider(part, problem)) is not None]
    return parts or [(part, slice(0)) for part in implied if is_priced(part, objective, problem)]


def _has_parts(notion: Notion, objective: Objective, problem: Problem) -> bool:
    return bool(_priced_parts(notion, objective, problem))


def _by_parts(columns: Columns) -> Priced:
    """Price the columns of each part by itself, without the others' charges: what all allow, each of them does."""
    parts = _priced_parts(columns.notion, columns.objective, columns.problem)
    tolerance = columns.tolerance
    if len(columns.notion.members()) == 1:
        # Multipliers that add up to nothing are worth no search.
        coarse = COARSE * abs(float(columns.rows.sum()))
        tolerance = max(tolerance, coarse) if coarse else 0.0
    asked = replace(columns, tolerance=tolerance)
    with in_share(OF_PARTS):
        found = min(priced(replace(asked, notion=part, budget=columns.budget[places])) for part, places in parts)
    # The columns of a part need not be those of the others.
    return replace(found, columns=no_columns(columns.problem.n))


def is_in_parts(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether several notions have no oracle that is a formula, but one of them alone has."""
    asked = notion, objective, problem
    return len(notion.members()) > 1 and not _is_priced_but_by({_by_cutting, _by_label}, *asked) and _has_parts(*asked)


def is_implied(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether the columns of one notion are priced by nothing but a notion that it implies."""
    asked = notion, objective, problem
    if notion.members() != (notion,) or _is_priced_but_by(set(), *asked):
        return False
    listed = _may_be_listed(*asked) and all_rays(notion, problem) is not None
    return not listed and _has_parts(*asked)


def _is_priced_but_by(left_out: set[Any], notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether an oracle applies besides lists of rays, other notions' and those that are left out."""
    others = (oracle for oracle in ORACLES if oracle.price not in {_by_parts, _over_rays, *left_out})
    return any(oracle.applies(notion, objective, problem) for oracle in others)


def _estimated(found: Excess, rows: Array) -> Priced:
    """Return a bound from branch and bound, raised by an estimate of its rounding from the size of its terms."""
    rounding = 4.0 * rounding_unit(len(rows)) * (float(np.abs(rows).sum()) + abs(found.bound) + found.size)
    return Priced(found.bound + rounding, rounding, found.columns)


#: Those that a search prices by, too.
CONTINUUM = Oracle("continuum", is_continuum, over_continuum)
SETS = Oracle("sets", is_of_subsets, _over_sets)
CUTTING = Oracle("cutting", _can_cut, _by_cutting)
LIFTS = Oracle("lifts", _is_lifted, _by_lifts)
NEAR_PRIOR = Oracle("near the prior", _is_near_prior, _near_prior)
FEW_LABELS = Oracle("few labels", has_few_labels, _over_few_labels)
LABELS = Oracle("labels", _is_about_label, _by_label)
#: In the order in which they are tried.
ORACLES = (
    Oracle("functionals", _has_functionals, _by_functionals),
    Oracle("few extreme rays", _are_few, _over_rays),
    Oracle("likeliest revealed", is_of_peaks, _by_likeliest),
    CONTINUUM,
    SETS,
    FEW_LABELS,
    CUTTING,
    Oracle("extreme rays", _may_be_listed, _over_rays),
    Oracle("leakage", is_of_leakage, _by_leakage),
    LIFTS,
    NEAR_PRIOR,
    LABELS,
    Oracle("mixture of priors", _is_mixed, _at_mixture),
    Oracle("parts", _has_parts, _by_parts),
)
