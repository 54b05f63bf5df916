"""The routes by name, and the rule by which `auto` chooses one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from mechdesign.errors import UnsupportedError
from mechdesign.runtime.deadline import is_late, now, time_left, until
from mechdesign.solve.pricing.utility_kind import UtilityKind, kind_of
from mechdesign.solve.resources.effort import duration, too_slow
from mechdesign.solve.resources.memory import beyond_memory, too_large
from mechdesign.solve.routes import (
    attributes,
    blocks,
    closed_form,
    columns,
    convex,
    directions,
    drawn,
    few_labels,
    few_outputs,
    kernels,
    known,
    labels,
    lifts,
    likeliest,
    maps,
    minimax,
    mixture,
    near_prior,
    orders,
    prior_by_prior,
    priors,
    quantised,
    rays,
    scores,
    subsets,
    weights,
)
from mechdesign.solve.task import Plan, Refusal, Route, Size, Task
from mechdesign.solve.task.refusals import Refusals
from mechdesign.tolerances import RAY_COMFORT

ROUTES: dict[str, Route] = {
    route.name: route
    for route in (
        rays.ROUTE,
        columns.ROUTE,
        quantised.ROUTE,
        subsets.ROUTE,
        lifts.ROUTE,
        near_prior.ROUTE,
        likeliest.ROUTE,
        few_labels.ROUTE,
        labels.ROUTE,
        directions.ROUTE,
        orders.ROUTE,
        priors.ROUTE,
        prior_by_prior.ROUTE,
        weights.ROUTE,
        attributes.ROUTE,
        drawn.ROUTE,
        blocks.ROUTE,
        scores.ROUTE,
        maps.ROUTE,
        kernels.ROUTE,
        minimax.ROUTE,
        mixture.ROUTE,
        convex.ROUTE,
        closed_form.ROUTE,
        few_outputs.ROUTE,
        known.ROUTE,
    )
}


#: Up to this many rays the program over them is quicker than cells and their bound: n = 8 by three times, n = 10 alike.
CELL_RAYS = 1024


#: Why the last resort is taken.
LAST_RESORT = "no other route answers: it is the best known mechanism, and its gap says how far it may be off"


@dataclass(frozen=True)
class Chosen:
    """A route that answers a question: its plan and size, why it, and why the others were not taken."""

    route: Route
    plan: Plan
    size: Size
    reason: str
    refusals: Refusals = field(default_factory=lambda: Refusals({}))

    @property
    def name(self) -> str:
        """That of the route."""
        return self.route.name


def choose(task: Task, name: str) -> Chosen:
    """Return the route that answers `task`, with its plan.

    Raises
    ------
    UnsupportedError
        The named route refuses, or every route where constraints of your own stand; the message holds the sentences.
    """
    dense = beyond_memory(task)
    if dense is not None:
        return _without_cone(task, name, dense)
    if name == "auto":
        return _automatic(task)
    plan, size = asked(task, ROUTES[name])
    if isinstance(plan, Refusal):
        raise UnsupportedError(f"The route {name} refuses: {plan.why}.")
    others = {other: "not asked: the route was named" for other in ROUTES if other != name}
    by = f": {plan.by}" if plan.by else ""
    return Chosen(ROUTES[name], plan, size, f"you asked for it{by}{duration(size)}", Refusals(others))


def _without_cone(task: Task, name: str, dense: str) -> Chosen:
    """Return a route that makes no array of the notion's constraints, which would take too much memory."""
    lean = {each: route for each, route in ROUTES.items() if not route.makes_cone and name in ("auto", each)}
    refusals: dict[str, str] = {}
    for each, route in lean.items():
        plan, size = asked(task, route)
        if isinstance(plan, Plan):
            others = {other: dense for other in ROUTES if other not in lean} | refusals
            return Chosen(route, plan, size, f"{dense}{duration(size)}", Refusals(others))
        refusals[each] = plan.why
    also = "".join(f"; {each}: {why}" for each, why in refusals.items())
    raise UnsupportedError(f"No route answers {task.objective} under {task.notion}: {dense}{also}.")


def others_in_order(task: Task, failed: str) -> Iterator[Chosen]:
    """Yield the routes that `auto` would take after one that failed, while there is time, each with its reason."""
    for name, reason in preference(task):
        if name == failed or is_late():
            continue
        plan, size = asked(task, ROUTES[name])
        if isinstance(plan, Plan):
            yield Chosen(ROUTES[name], plan, size, f"{failed} failed; {reason}")


def last_resort(task: Task, reason: str) -> Chosen | None:
    """Return the best known mechanism as an answer, None if no known mechanism is private."""
    plan = known.ROUTE.asked(task)
    return Chosen(known.ROUTE, plan, known.ROUTE.size(task), reason) if isinstance(plan, Plan) else None


def preference(task: Task) -> tuple[tuple[str, str], ...]:
    """Return the routes that `auto` tries, each with the reason for its place."""
    if task.outputs is None:
        return _unrestricted(task)
    last = ("few_outputs", "which decisions so few outputs should stand for is searched, region by region")
    return (*_unrestricted(task), last)


def _unrestricted(task: Task) -> tuple[tuple[str, str], ...]:
    if task.subject_to is not None:
        return (("convex", "constraints of your own are part of one program over Q"),)
    first = tuple((name, why) for name, route in ROUTES.items() if (why := route.first_of_all(task)) is not None)
    return (*first, *(pair for pair in _by_kind(task) if pair[0] not in dict(first)))


#: Of each kind of utility but sums over columns, the routes in the order in which they are tried, each with its reason.
BY_KIND: dict[UtilityKind, tuple[tuple[str, str], ...]] = {
    UtilityKind.EXPONENT: (
        ("orders", "at each order it is a program or a design of its own, and the order is searched"),
    ),
    **dict.fromkeys(
        (UtilityKind.FIGURE, UtilityKind.DESIGN),
        (
            ("weights", "over the weights of extreme rays it is one convex program"),
            ("drawn", "there are too many extreme rays to list; columns drawn at random are weighed"),
            ("blocks", "there are too many extreme rays to list; cyclic shifts of sets identify all frequencies alike"),
        ),
    ),
    UtilityKind.DECISIONS: (
        ("columns", "over finitely many decisions it is one linear program, handed to the solver as arrays"),
        ("rays", "there are few extreme rays, so one small linear program is exact"),
        ("convex", "over finitely many decisions it is one convex program over Q"),
        ("directions", "columns are priced one by one, with their share of the budget"),
        ("kernels", "programs over all pairs of inputs are too large, and mixtures of exponential kernels are not"),
    ),
    UtilityKind.LEAST: (
        ("priors", "the least over priors of sums over extreme rays is one small linear program"),
        ("prior_by_prior", "there is no short list of extreme rays, and information is concave in the prior"),
    ),
    UtilityKind.MAXIMUM: (
        ("convex", "the objective is convex to minimise, so one program over Q is exact"),
        ("minimax", "programs over all pairs of inputs are too large, and the best maps of few priors are not"),
        ("mixture", "columns that reveal the input are mixed with what is best on the average without them"),
    ),
}


def _by_kind(task: Task) -> tuple[tuple[str, str], ...]:
    return BY_KIND.get(kind_of(task.objective, task.problem)) or _over_columns(task)


def _over_columns(task: Task) -> tuple[tuple[str, str], ...]:
    """Return the routes for a sum over columns: by the number of extreme rays."""
    count = task.columns.ray_count()
    by_rays = ("rays", "there are few extreme rays, so one small linear program is exact")
    by_columns = ("columns", "there are too many extreme rays to be quick, and the decisions are one number")
    last = ("rays", "the decisions are not one number, so the extreme rays are enumerated")
    few = count is None or count <= RAY_COMFORT
    by_directions = ("directions", "columns are priced in every direction, with their share of the budget")
    by_mixture = ("mixture", "columns that reveal the input are mixed with what is best without them")
    by_cells = ("quantised", "randomised response on consecutive cells is optimal, and its bound needs no rays")
    by_lifts = ("lifts", "there are too many extreme rays to list, so parts of the lifts' range are priced")
    by_near = ("near_prior", "columns are weighed, and bounded input by input, so the gap is what that bound leaves")
    by_priors = ("prior_by_prior", "the information at the mixture of the priors bounds the mean")
    by_sets = ("subsets", "there are too many extreme rays to be quick, and each is a set that few sums describe")
    if few:
        quick = count is None or count <= CELL_RAYS
        before = () if quick else (by_cells,)
        return (*before, by_rays, by_columns, by_directions, by_near, by_priors)
    return (by_cells, by_sets, by_columns, by_mixture, by_directions, last, by_lifts, by_near, by_priors)


def _automatic(task: Task) -> Chosen:
    refusals: dict[str, str] = {}
    for name, reason in preference(task):
        plan, size = asked(task, ROUTES[name])
        if isinstance(plan, Plan):
            unasked = [other for other in ROUTES if other != name and other not in refusals]
            left = time_left()
            others = Refusals(refusals, {o: partial(_why_not, task, left, o, name) for o in unasked})
            return Chosen(ROUTES[name], plan, size, f"{reason}{duration(size)}", others)
        refusals[name] = plan.why
    for other in ROUTES:
        if other not in refusals:
            # A theorem's domain may take as long to look up as its answer.
            refusal = "not asked: the time limit has passed" if is_late() else _refusal(task, other)
            refusals[other] = refusal or "it answers only where it is asked for by name"
    last = last_resort(task, LAST_RESORT)
    if last is None:
        raise unanswered(task, refusals)
    del refusals[known.ROUTE.name]
    return replace(last, refusals=Refusals(refusals))


def unanswered(task: Task, refusals: Mapping[str, str]) -> UnsupportedError:
    """Return the error that says why no route for such questions answers; the other routes answer none like it."""
    named: dict[str, list[str]] = {}
    for name in (*(name for name, _ in preference(task)), known.ROUTE.name):
        if name in refusals:
            named.setdefault(refusals[name], []).append(name)
    listed = "; ".join(f"{', '.join(names)}: {why}" for why, names in named.items())
    return UnsupportedError(f"No route answers {task.objective} under {task.notion}. {listed}.")


def asked(task: Task, route: Route) -> tuple[Plan | Refusal, Size]:
    """Return the route's plan, or its refusal, also where its program is too large or takes too long; and its size."""
    size = route.size(task)
    large = too_large(task, size.bytes) or too_slow(task, size)
    if large is not None and route.size_first:
        return Refusal(large), size
    found = route.asked(task)
    return (Refusal(large) if large is not None and isinstance(found, Plan) else found), size


def _refusal(task: Task, name: str) -> str | None:
    found, _ = asked(task, ROUTES[name])
    return found.why if isinstance(found, Refusal) else None


def _why_not(task: Task, left: float | None, other: str, chosen: str) -> str:
    """Return why a route was not taken at the time that was left, whenever the reason is asked for."""
    with until(None if left is None else now() + left):
        return _why_passed_over(task, other, chosen)


def _why_passed_over(task: Task, other: str, chosen: str) -> str:
    if other == "rays":
        # Its refusal would enumerate; the count is enough to say why it was passed over.
        count = task.columns.ray_count()
        if count is not None and count > RAY_COMFORT:
            return f"there are up to {count:.3g} extreme rays"
    refusal = _refusal(task, other)
    return refusal or f"it would answer too; {chosen} comes first"
