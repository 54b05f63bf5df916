"""What a privacy notion is: parameters, a shape of columns over a problem, a level in numpy, an exact check."""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from mechdesign.catalogue import Card, card_of
from mechdesign.columns import Cone, Listed, Shape
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.parameters import Checked, Domain, Real
from mechdesign.parameters.base import require_dataclass
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import read_first
from mechdesign.tolerances import ROUNDING

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class Level:
    """The smallest parameter at which a matrix satisfies the notion, with its witness.

    Attributes
    ----------
    value : float
        The largest of the components, where there are several.
    inputs : tuple of int
        The inputs (or secrets) that show it.
    output : int or None
        The output that shows it; None where no single one does.
    components : tuple of float
        The level of each part of the notion, where it has several.
    """

    value: float
    inputs: tuple[int, ...]
    output: int | None
    components: tuple[float, ...] = ()

    @property
    def values(self) -> tuple[float, ...]:
        """The level of each part of the notion."""
        return self.components or (self.value,)

    def excess(self, notion: Notion) -> float:
        """Return by how much a component exceeds what `notion` requires, the largest excess; negative inside."""
        return max(found - asked for found, asked in zip(self.values, notion.parameters, strict=True))

    @classmethod
    def of_parts(cls, notion: Notion, matrix: Array, problem: Problem) -> Level:
        """Return the levels of the notion's parts, with the witness of the one furthest above what it asks for."""
        levels = [part.level(matrix, problem) for part in notion.parts()]
        worst = max(zip(levels, notion.parts(), strict=True), key=lambda pair: pair[0].excess(pair[1]))[0]
        components = tuple(found.value for found in levels)
        return cls(max(components), worst.inputs, worst.output, components)


#: The domain of a level in nats.
EPSILON = Real(low=0.0)


class Notion(Checked, ABC):
    """A privacy notion with its parameter.

    A subclass is a frozen dataclass, with a domain for each of its parameters. Its shape, or its cone, serves the
    programs; its level and its exact check are written apart from it, so that each can catch an error in the other.
    """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        cls.card = card_of(cls)
        _name_level(cls)
        if "level" in vars(cls):
            cls.level = read_first(cls.level)  # type: ignore[method-assign] # of any matrix that a user may give

    #: What pages say of it beside its mathematics.
    card: ClassVar[Card] = Card()
    #: What makes one notion of several: the class of intersections, which its module puts here.
    intersection: ClassVar[Callable[[Sequence[Notion]], Notion]]
    #: The domain of each parameter; a notion with others than epsilon gives its own.
    domains: ClassVar[Mapping[str, Domain]] = {"epsilon": EPSILON}
    #: The parameter that the level measures and that a frontier sweeps; of a class with one parameter, that one.
    level_name: ClassVar[str] = "epsilon"
    #: The unit of the level.
    level_unit: ClassVar[str] = "nats"
    #: The largest level there is: of a mechanism that hides nothing.
    most_level: ClassVar[float] = float("inf")
    #: Mixtures of two private mechanisms with the same outputs are private.
    convex: ClassVar[bool] = True
    #: Whatever is computed from a private output is private.
    closed_under_postprocessing: ClassVar[bool] = True
    #: Whatever holds for some inputs holds for inputs that are turned into one of them at random.
    closed_under_preprocessing: ClassVar[bool] = False
    #: The guarantee is relative to a prior.
    needs_prior: ClassVar[bool] = False
    #: The columns are a cone of finitely many rows, at the level asked for.
    polyhedral: ClassVar[bool] = True

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem over the mechanism's inputs (wider than the data where the notion sees more)."""
        if self.needs_prior and problem.prior_of_secret is None:
            raise DomainError(
                "prior",
                None,
                f"{self.name} is relative to the prior of the secret",
                "give Problem(prior=...), or hidden(..., secret_prior=...)",
            )
        self._require_sizes(problem)
        return problem

    def _require_sizes(self, problem: Problem) -> None:
        """Raise unless each parameter whose axes are secrets has an entry for each of them."""
        for name, axes in self.axes.items():
            given = getattr(self, name)
            if set(axes) == {"secrets"} and given is not None and set(np.shape(given)) != {problem.secrets}:
                rows = "one row and one column" if len(axes) == 2 else "one entry"
                rule = f"it has to have {rows} for each of the {problem.secrets} secrets"
                raise DomainError(name, f"of shape {np.shape(given)}", rule, "give an entry for each of them")

    def _refuse_hidden(self, problem: Problem, rule: str, remedy: str = "give the problem without hidden(...)") -> None:
        """Raise if the problem has a secret of its own, or inputs that another notion made."""
        if not problem.is_about_answers:
            raise DomainError("problem", "one with a hidden secret", rule, remedy)

    @property
    def name(self) -> str:
        """The notion's name."""
        return type(self).__name__

    def parts(self) -> tuple[Notion, ...]:
        """Return the notions whose conjunction this is, one for each component of its level: mostly itself alone.

        Where there are several, each has one number for its level, and takes the problem that `inputs` returned.
        """
        return (self,)

    def members(self) -> tuple[Notion, ...]:
        """Return the notions that an intersection was made of; of any other notion itself alone."""
        return (self,)

    def __and__(self, other: object) -> Notion:
        """Return the notion that holds where both do."""
        return Notion.intersection((self, other)) if isinstance(other, Notion) else NotImplemented

    def plain(self, problem: Problem) -> Notion:
        """Return the notion with the same private mechanisms over `problem` whose cone has the most formulas.

        Mostly itself. Routes and bounds work on it; the exact check and the audit are those of the notion asked for.
        """
        return self

    @property
    def parameter(self) -> float:
        """The level that the notion asks for; the largest of its parts' where there are several."""
        parts = self.parts()
        if len(parts) == 1:
            _require_level(self)
        return float(getattr(self, self.level_name)) if len(parts) == 1 else max(self.parameters)

    @property
    def parameters(self) -> tuple[float, ...]:
        """The level that each part asks for."""
        parts = self.parts()
        return (self.parameter,) if len(parts) == 1 else tuple(part.parameter for part in parts)

    def at(self, level: float | tuple[float, ...]) -> Self:
        """Return a copy of the notion at another level: one number for each of its parts, or one for all of them."""
        require_dataclass("notion", self)
        _require_level(self)
        return replace(self, **{self.level_name: level})  # type: ignore[type-var] # subclasses are dataclasses

    def shape(self, problem: Problem) -> Shape:
        """Return the shape of what the secrets see of a column, ``v = W q``; v is q itself if the secret is the input.

        A notion that gives its `cone` alone leaves this out.
        """
        if type(self).cone is Notion.cone and type(self).shape is Notion.shape:
            raise TypeError(f"{self.name} has neither a shape nor a cone: give it one of the two methods")
        cone, rows = lambda: _own_cone(self, problem), 2.0 * problem.secrets + 2.0
        return Listed(problem.n, cone, rows, lambda: _level_of_constant(self, problem))

    def columns(self, problem: Problem) -> Shape:
        """Return the shape of the columns that are allowed over the inputs of `problem`."""
        return _columns(self, problem)

    def cone(self, problem: Problem) -> Cone:
        """Return the cone in which each column lies."""
        return _over_inputs(self, problem).cone()

    @abstractmethod
    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the smallest level at which `matrix` satisfies the notion, in floating point."""

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether a matrix of integers whose rows have one sum satisfies the notion, in exact arithmetic."""
        shape = self.shape(problem)
        return shape.holds(shape.measured(problem.exactly_seen_by_secret(numerators)))

    def constraints(self, Q: cp.Variable, problem: Problem) -> list[cp.Constraint]:
        """Return the cvxpy constraints that make `Q` private (without the row-stochastic ones)."""
        return self.columns(self.inputs(problem)).constraints(Q)

    def _facts(self) -> tuple[str, ...]:
        """Return the formula, and whether the guarantee depends on a prior."""
        prior = "The guarantee is relative to a prior." if self.needs_prior else "The guarantee needs no prior."
        return (*super()._facts(), prior)

    def __str__(self) -> str:
        names: list[str] = [field.name for field in fields(self)] if is_dataclass(self) else []
        held = {name: getattr(self, name) for name in names if name != self.level_name}
        others = [f", {name}={in_full(float(held[name]))}" for name in held if type(held[name]) in {int, float}]
        return f"{self.name}({self.level_name}={in_full(self.parameter)}{''.join(others)})"


def _level_of_constant(notion: Notion, problem: Problem) -> float:
    """Return the level of a mechanism that always reports the same: 0 by its exact check, or 1, say, of a factor."""
    try:
        if notion.at(0.0).holds_exactly(np.ones((problem.n, 1), dtype=np.int64), problem):
            return 0.0
    except DomainError:
        pass
    found = notion.level(np.ones((problem.n, 1)), problem).value
    return float(found) if math.isfinite(found) and abs(found) > ROUNDING else 0.0


def _own_cone(notion: Notion, problem: Problem) -> Cone:
    # A calibration first asks at a level whose exponential may be infinite.
    with np.errstate(over="ignore", invalid="ignore"):
        made: Any = notion.cone(problem)
    if not isinstance(made, Cone):
        rule = "it has to return an md.Cone"
        raise DomainError(f"{notion.name}.cone", type(made).__name__, rule, "md.Cone.of_rows(A) is A @ q >= 0")
    return made


def _name_level(kind: type[Notion]) -> None:
    """Let the level of a class with a single parameter be that parameter, whatever its name is."""
    if any("level_name" in vars(each) for each in kind.__mro__[: kind.__mro__.index(Notion)]):
        return
    given = inspect.get_annotations(kind)
    named = [name for name, said in given.items() if not re.search("ClassVar|KW_ONLY", str(said))]
    # Nothing but a number is a level, and what a notion has is no parameter.
    number = len(named) == 1 and str(getattr(given[named[0]], "__name__", given[named[0]])) in ("float", "int")
    if number and not hasattr(Notion, named[0]) and kind.level_name not in named:
        kind.level_name = named[0]
        kind.level_unit = kind.level_unit if "level_unit" in vars(kind) else ""


def _require_level(notion: Notion) -> None:
    """Raise if the notion has no parameter of the name `level_name`."""
    if not hasattr(notion, notion.level_name):
        names = ", ".join(each.name for each in fields(notion)) if is_dataclass(notion) else ""
        rule = f"{notion.name} has no parameter of that name; it has {names or 'none'}"
        raise DomainError("level_name", notion.level_name, rule, "let the class say which one is the level")


def _over_inputs(notion: Notion, problem: Problem) -> Shape:
    shape = notion.shape(problem)
    if not isinstance(shape, Shape):
        raise DomainError(f"{notion.name}.shape", shape, "it has to return a shape", "return one of mechdesign.columns")
    seen = shape.through(problem) if problem.is_hidden else shape
    if seen is not shape and shape.n != problem.secrets:
        rule = f"what {problem.secrets} secrets see of a column has {problem.secrets} entries"
        raise DomainError(f"{notion.name}.shape", f"of {shape.n} entries", rule, "make it of problem.secrets")
    return seen


@lru_cache(maxsize=64)
def _columns(notion: Notion, problem: Problem) -> Shape:
    return Notion.shape(notion, problem) if _differs(type(notion)) else _over_inputs(notion, problem)


def _differs(kind: type[Notion]) -> bool:
    """Return whether a class says of its columns what need not be true of the shape that it inherits."""
    classes = kind.__mro__[: kind.__mro__.index(Notion)]
    for place, each in enumerate(classes):
        if {"shape", "cone"} <= vars(each).keys():
            raise TypeError(f"{each.__name__} has a shape and a cone: give it one of the two methods")
        if "shape" in vars(each):
            return False
        levels = [later for later in classes[place:] if "level" in vars(later)]
        if {"cone", "holds_exactly"} & vars(each).keys() or (levels[:1] == [each] and len(levels) > 1):
            return True
    return True
