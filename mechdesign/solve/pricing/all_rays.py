"""The extreme rays of a notion: by its formula, enumerated in floating point, or in integers where rounding decides."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.optimize import nnls

from mechdesign.notions import Notion, Rays
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import OutOfTime, sooner, time_left
from mechdesign.runtime.learned import learned
from mechdesign.solve.pricing.exact_rays import exact_rays
from mechdesign.solve.pricing.extreme_rays import MOST_INPUTS, enumeration
from mechdesign.solve.pricing.revealing_outputs import with_units
from mechdesign.tolerances import RAY_LIMIT, ROUNDING

#: Share of the time that is left which the enumeration of rays may take.
OF_ENUMERATION = 0.5


def all_rays(notion: Notion, problem: Problem) -> Rays | None:
    """Return the notion's rays, by its formula or by enumeration; None where there are too many, or for want of time.

    Where the notion is a union of cones, those of all of them.
    """
    return _in_time(_all_rays, notion, problem)


def cone_rays(notion: Notion, problem: Problem) -> Rays | None:
    """Return the rays of the notion's cone alone, without the columns that reveal an input; None likewise."""
    return _in_time(_cone_rays, notion, problem)


def _in_time(rays: Callable[[Notion, Problem], Rays | None], notion: Notion, problem: Problem) -> Rays | None:
    """Return the rays, or None if they take more than a share of the time that is left, or took that long before."""
    if not notion.polyhedral:
        return None
    left = time_left()
    # Where no deadline holds for a while, what was in vain under the design's own is so all the same.
    given = 0.0 if left is None else OF_ENUMERATION * left
    in_vain = learned(("enumerated in vain", notion, problem), list[float])
    if in_vain and given <= max(in_vain):
        return None
    try:
        with sooner(0.0 if left is None else (1.0 - OF_ENUMERATION) * left):
            return rays(notion, problem)
    except OutOfTime:
        in_vain.append(given)
        return None


@lru_cache(maxsize=64)
def _all_rays(notion: Notion, problem: Problem) -> Rays | None:
    found = _cone_rays(notion, problem)
    return found if found is None else with_units(found, notion, problem)


def without_list(notion: Notion, problem: Problem) -> str | None:
    """Return why a program over all extreme rays is out of the question, or None."""
    found = rays_or_why(notion, problem)
    return found if isinstance(found, str) else None


def rays_or_why(notion: Notion, problem: Problem) -> Rays | str:
    """Return the notion's rays, or why a program over all of them is out of the question."""
    if not notion.polyhedral:
        return f"the columns of {notion.name} are a cone with a curved side, whose extreme rays are no finite list"
    count = notion.columns(problem).ray_count()
    if count is not None and count > RAY_LIMIT:
        return f"{notion.name} has up to {count:.3g} extreme rays for {problem.n} inputs (limit {RAY_LIMIT})"
    rays = all_rays(notion, problem)
    if rays is None:
        return f"the cone of {notion.name} for {problem.n} inputs is too large to enumerate its rays{_in_the_time()}"
    return rays


def _in_the_time() -> str:
    return "" if time_left() is None else " within the time limit"


@lru_cache(maxsize=64)
def _cone_rays(notion: Notion, problem: Problem) -> Rays | None:
    known = notion.columns(problem).rays()
    if known is not None:
        return known
    # Before the cone is made: that of many inputs may be large.
    if notion.columns(problem).ray_count() is not None or problem.n > MOST_INPUTS:
        return None
    cone = notion.columns(problem).facets()
    if cone is None:
        return None
    found = enumeration(cone, notion.columns(problem).budget())
    rays = found.rays if found.rays is not None and holds_constant(found.rays) else None
    # What the secret sees may differ by less than the rounding that is allowed for: integers then decide.
    if rays is None or (problem.is_hidden and found.by_tolerance):
        exact = exact_rays(notion, problem)
        rays = exact if exact is not None and holds_constant(exact) else rays
    return rays


def holds_constant(rays: Rays) -> bool:
    """Return whether the constant column, which every notion allows, is a mixture of the rays."""
    n, count = rays.columns.shape
    if not count:
        return False
    try:
        return bool(nnls(rays.columns, np.ones(n))[1] <= ROUNDING * n)
    except RuntimeError:
        # More steps than its limit: nothing is known of these rays.
        return False
