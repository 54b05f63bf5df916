"""Several notions at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, least_lift
from mechdesign.columns import Shape
from mechdesign.columns.meet import Meet
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.exact import Integers
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.notions.plain import plain
from mechdesign.notions.utility_optimized_ldp import UtilityOptimizedLDP
from mechdesign.parameters import Cases, Each, Instance
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class Joined(Each):
    """Sequences of at least two notions; those that are intersections are replaced by what they are made of."""

    def check(self, argument: str, value: Any) -> tuple[Notion, ...]:
        """Return the notions, none of which is an intersection."""
        joined: list[Notion] = []
        for notion in super().check(argument, value):
            joined += notion.notions if isinstance(notion, Intersection) else (notion,)
        if len(joined) < 2:
            rule = "an intersection has at least two"
            raise DomainError(argument, f"{len(joined)} of them", rule, "join two with a & b")
        return tuple(joined)

    def invalid(self, near: Any = None) -> Cases:
        """Yield what is invalid for any sequence, and a single notion."""
        yield from super().invalid(near)
        yield "a single one", [self.of.example]

    def ends(self, near: Any = None) -> Cases:
        """Yield a list, and an intersection alone."""
        yield "a list", list(self.example)
        yield "an intersection", [Intersection(self.example)]


#: The domain of one of the notions, and of all.
NOTION = Instance(Notion, "it has to be a Notion", LDP(1.0))
JOINED = Joined(NOTION, "it has to be a sequence of notions", "join two with a & b")


@dataclass(frozen=True)
class Intersection(Notion):
    r"""a & b: all of the notions hold; the level is a tuple, one number for each of them in its own unit.

    Parameters
    ----------
    notions : sequence of Notion
        At least two. Those that are intersections themselves are replaced by what they are made of.

    Raises
    ------
    DomainError
        Fewer than two notions, or something else among them; a problem over which they disagree what the
        mechanism's inputs, its secret or their prior are.
    UnsupportedError
        Two notions whose columns are no polyhedron, or one of them beside a budget.

    Notes
    -----
    The cone is the intersection of the cones, the budgets are those of all. Its rays are enumerated from the cone's
    rows where these are few; the routes `columns` and `convex` need no rays. An input may be revealed where each
    notion lets it be, or has the column ``e_x`` in its cone.

    Examples
    --------
    >>> import mechdesign as md
    >>> both = md.LDP(1.0) & md.LIP(0.25)
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> report = md.audit([[0.6, 0.4], [0.4, 0.6]], both, problem)
    >>> str(both), report.holds, [round(level, 6) for level in report.level]
    ('LDP(epsilon=1) & LIP(epsilon=0.25)', True, [0.405465, 0.223144])
    """

    card = Card(
        "several notions together",
        examples=(
            lambda rng: (LDP(1.0) & LIP(0.6), random_problem(3, rng, skew=2.0)),
            lambda rng: (LIP(0.5) & LDP(0.7), random_problem(3, rng, secrets=2)),
            lambda rng: (LDP(0.8) & UtilityOptimizedLDP(0.5, (0,)), random_problem(3, rng)),
            lambda rng: (UtilityOptimizedLDP(0.9, (0,)) & UtilityOptimizedLDP(0.6, (1,)), random_problem(4, rng)),
        ),
        sized=lambda problem, rng: LDP(1.0) & LIP(0.6),
        # The edge of LIP, well inside of LDP at twice the level.
        edge=lambda: Edge(LDP(2.0) & LIP(1.0), fair(), *least_lift(1.0)),
    )

    notions: tuple[Notion, ...]
    domains = {"notions": JOINED}

    if TYPE_CHECKING:

        def __init__(self, notions: Sequence[Notion]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        joined = self.notions
        names = {notion.level_name for notion in joined}
        declared = {
            "level_name": names.pop() if len(names) == 1 else "level",
            "level_unit": joined[0].level_unit if len({notion.level_unit for notion in joined}) == 1 else "",
            "most_level": min(notion.most_level for notion in joined),
            "convex": all(notion.convex for notion in joined),
            "closed_under_postprocessing": all(notion.closed_under_postprocessing for notion in joined),
            "needs_prior": any(notion.needs_prior for notion in joined),
            "polyhedral": all(notion.polyhedral for notion in joined),
        }
        for name, value in declared.items():
            object.__setattr__(self, name, value)

    def parts(self) -> tuple[Notion, ...]:
        """Return the notions; for one that has several levels, those that it is made of."""
        return tuple(part for notion in self.notions for part in notion.parts())

    def at(self, level: float | tuple[float, ...]) -> Self:
        """Return a copy of the intersection at other levels: one for each of the parts, or one number for all."""
        levels = level if isinstance(level, tuple) else (level,) * len(self.parts())
        moved, start = [], 0
        for notion in self.notions:
            end = start + len(notion.parts())
            moved.append(notion.at(levels[start] if end - start == 1 else levels[start:end]))
            start = end
        return type(self)(moved)

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem over the mechanism's inputs, on which all have to agree."""
        first = self.notions[0].inputs(problem)
        for notion in self.notions[1:]:
            if notion.inputs(problem) != first:
                raise DomainError(
                    "notions",
                    str(self),
                    f"{self.notions[0].name} and {notion.name} speak of different inputs or secrets of one mechanism",
                    "join notions that agree on them, such as two relative to the same hidden secret",
                )
        reduced = self.plain(first)
        if reduced is not self:
            return reduced.inputs(first)
        curved = next((notion for notion in self.notions if not notion.polyhedral), None)
        beside = [notion.columns(first) for notion in self.notions if notion is not curved]
        if curved and any(not columns.polyhedral or len(columns.budget()) for columns in beside):
            raise UnsupportedError(
                f"{self} joins {curved.name}, whose columns are no polyhedron, with another such notion or with a "
                "bound on a sum over outputs, which no route certifies; drop one of the two."
            )
        if curved and len(curved.columns(first).budget()) and self.columns(first).revealed:
            raise UnsupportedError(
                f"{self} reveals inputs under {curved.name}, a smooth bound on a sum over outputs, which no route "
                "certifies; drop one of the two."
            )
        return first

    def plain(self, problem: Problem) -> Notion:
        """Return the notions in their plain forms, those that differ only in their levels as one at the least."""
        found: list[Notion] = []
        for notion in (plain(part, problem)[0] for part in self.notions):
            for place, one in enumerate(found):
                stricter = _stricter(one, notion)
                if stricter is not None:
                    found[place] = plain(stricter, problem)[0]
                    break
            else:
                found.append(notion)
        if tuple(found) == self.notions:
            return self
        return found[0] if len(found) == 1 else Intersection(found)

    def members(self) -> tuple[Notion, ...]:
        """Return the notions."""
        return self.notions

    def shape(self, problem: Problem) -> Shape:
        """Return the columns of all members, and what they let an output reveal."""
        return Meet(problem.n, tuple(notion.columns(problem) for notion in self.notions), self._revealed(problem))

    def _revealed(self, problem: Problem) -> tuple[int, ...]:
        """Return the inputs x whose column ``e_x`` is no member's violation, if one of them is a union of cones."""
        candidates = {x for notion in self.notions for x in notion.columns(problem).revealed}
        units = np.eye(problem.n)

        def allowed(notion: Notion, x: int) -> bool:
            # One column of a sum may be anything; what the sum allows its budget says.
            columns = notion.columns(problem)
            if x in columns.revealed or len(columns.budget()):
                return True
            return notion.level(units[:, [x]], problem).excess(notion) <= 0

        return tuple(x for x in sorted(candidates) if all(allowed(notion, x) for notion in self.notions))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the level of each part, with the witness of the one furthest above what it asks for."""
        return Level.of_parts(self, matrix, problem)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether the matrix satisfies all notions."""
        return all(notion.holds_exactly(numerators, problem) for notion in self.notions)

    def __str__(self) -> str:
        return " & ".join(str(notion) for notion in self.notions)


Notion.intersection = Intersection


def _stricter(one: Notion, other: Notion) -> Notion | None:
    """Return the notion that holds where both do, if they differ in their levels alone; None elsewhere."""
    if type(one) is not type(other) or len(one.parameters) != len(other.parameters):
        return None

    def at(levels: tuple[float, ...]) -> Notion:
        return one.at(levels if len(levels) > 1 else levels[0])

    least = tuple(min(pair) for pair in zip(one.parameters, other.parameters, strict=True))
    return at(least) if at(other.parameters) == other else None
