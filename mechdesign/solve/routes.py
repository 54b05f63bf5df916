"""The routes by name, and the rule by which `auto` chooses one of them."""

from __future__ import annotations

from mechdesign.errors import DomainError, UnsupportedError, nearest
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.solve import closed_form, columns, convex, design_weights, directions, few_outputs, orders, rays
from mechdesign.solve.task import Route, Task
from mechdesign.tolerances import RAY_COMFORT

ROUTES: dict[str, Route] = {
    route.name: route
    for route in (
        rays.ROUTE,
        columns.ROUTE,
        directions.ROUTE,
        orders.ROUTE,
        design_weights.ROUTE,
        convex.ROUTE,
        closed_form.ROUTE,
        few_outputs.ROUTE,
    )
}


def choose(task: Task, name: str) -> tuple[Route, str, dict[str, str]]:
    """Return the route that answers `task`, why it, and why the others were not taken.

    Raises
    ------
    DomainError
        A name that no route has.
    UnsupportedError
        The named route (or every route) refuses; the message holds the sentences.
    """
    if name == "auto":
        return _automatic(task)
    if not isinstance(name, str) or name not in ROUTES:
        remedy = nearest(str(name), ["auto", *ROUTES])
        raise DomainError("route", str(name), "it has to be auto or the name of a route", remedy)
    refusal = ROUTES[name].refusal(task)
    if refusal is not None:
        raise UnsupportedError(f"The route {name} refuses: {refusal}.")
    others = {other: "not asked: the route was named" for other in ROUTES if other != name}
    return ROUTES[name], "you asked for it", others


def preference(task: Task) -> tuple[tuple[str, str], ...]:
    """Return the routes that `auto` tries, each with the reason for its place."""
    if task.outputs is None:
        return _unrestricted(task)
    last = ("few_outputs", "which decisions so few outputs should stand for is searched, region by region")
    return (*_unrestricted(task), last)


def _unrestricted(task: Task) -> tuple[tuple[str, str], ...]:
    if task.subject_to is not None:
        return (("convex", "constraints of your own are part of one program over Q"),)
    if isinstance(task.objective, Exponent):
        return (("orders", "at each order it is one linear program over the extreme rays, and the order is searched"),)
    if isinstance(task.objective, InformationDesign):
        return (("weights", "over the weights of extreme rays it is one convex program"),)
    if is_separable(task.objective) and task.objective.gains(task.problem) is not None:
        return (
            ("columns", "over finitely many decisions it is one linear program, handed to the solver as arrays"),
            ("rays", "there are few extreme rays, so one small linear program is exact"),
            ("convex", "over finitely many decisions it is one convex program over Q"),
            ("directions", "columns are priced one by one, with their share of the budget"),
        )
    if not is_separable(task.objective):
        return (("convex", "the objective is convex to minimise, so one program over Q is exact"),)
    count = task.notion.ray_count(task.problem)
    by_rays = ("rays", "there are few extreme rays, so one small linear program is exact")
    by_columns = ("columns", "there are too many extreme rays to be quick, and the decisions are one number")
    last = ("rays", "the decisions are not one number, so the extreme rays are enumerated")
    few = count is None or count <= RAY_COMFORT
    by_directions = ("directions", "columns are priced in every direction, with their share of the budget")
    return (by_rays, by_columns, by_directions) if few else (by_columns, by_directions, last)


def _automatic(task: Task) -> tuple[Route, str, dict[str, str]]:
    refusals: dict[str, str] = {}
    for name, reason in preference(task):
        refusal = ROUTES[name].refusal(task)
        if refusal is None:
            for other in ROUTES:
                if other != name and other not in refusals:
                    refusals[other] = _why_not(task, other, name)
            return ROUTES[name], reason, refusals
        refusals[name] = refusal
    for other, route in ROUTES.items():
        refusals.setdefault(other, route.refusal(task) or "it answers only where it is asked for by name")
    listed = "; ".join(f"{name}: {why}" for name, why in refusals.items())
    raise UnsupportedError(f"No route answers {task.objective} under {task.notion}. {listed}.")


def _why_not(task: Task, other: str, chosen: str) -> str:
    if other == "rays":
        # Its refusal would enumerate; the count is enough to say why it was passed over.
        count = task.notion.ray_count(task.problem)
        if count is not None and count > RAY_COMFORT:
            return f"there are up to {count:.3g} extreme rays"
    refusal = ROUTES[other].refusal(task)
    return refusal or f"it would answer too; {chosen} comes first"
