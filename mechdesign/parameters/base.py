"""What a domain is, and what a dataclass does that declares one for each of its parameters."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from mechdesign.displays import Block, Displayed, Grid, Lines, Table
from mechdesign.displays.blocks import listed
from mechdesign.errors import DomainError
from mechdesign.parameters.by_label import in_order_first, without_labels
from mechdesign.parameters.checks import EqualByContent, frozen
from mechdesign.parameters.labels import Carried, Labelled

#: Values with why they are given.
Cases = Iterator[tuple[str, Any]]
#: An array of no more entries is written out in a representation.
MOST_ENTRIES = 100


class Domain(ABC):
    """The values that a parameter may take; a subclass is a frozen dataclass."""

    @abstractmethod
    def check(self, argument: str, value: Any) -> Any:
        """Return `value` in the form that is kept.

        Raises
        ------
        DomainError
            With the argument, the value, the rule and the remedy, where it lies outside.
        """

    @property
    @abstractmethod
    def example(self) -> Any:
        """A value of the domain, as `check` returns it."""

    @abstractmethod
    def invalid(self, near: Any = None) -> Cases:
        """Yield values that lie just outside, each wrong in one way, made from `near` (a value of the domain)."""

    @abstractmethod
    def ends(self, near: Any = None) -> Cases:
        """Yield values that lie just inside, or are given in another form than is kept; made from `near`."""


def require_dataclass(argument: str, given: Any) -> None:
    """Raise where a notion's or an objective's class is no dataclass: its fields are what is checked and saved."""
    if not is_dataclass(given):
        own = given if isinstance(given, type) else type(given)
        rule = f"the class {own.__name__} has to be a dataclass, whose fields are its parameters"
        raise DomainError(argument, given, rule, "decorate it with @dataclasses.dataclass(frozen=True)")


class Checked(EqualByContent, Displayed):
    """A frozen dataclass whose parameters are checked where it is made: each by its domain, then all together.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from mechdesign.parameters import Real
    >>> @dataclass(frozen=True)
    ... class Share(Checked):
    ...     part: float
    ...     domains = {"part": Real(low=0.0, high=1.0)}
    >>> Share(1)
    Share(part=1.0)
    >>> Share(float("nan"))
    Traceback (most recent call last):
    mechdesign.errors.DomainError: part is nan, but it has to be at least 0 and at most 1; choose one in that range.
    """

    #: The domain of each parameter.
    domains: ClassVar[Mapping[str, Domain]] = {}
    #: The kind of each axis of a parameter, by which its labels are matched: "inputs", "data", "decisions" or "secrets"
    #: of a problem, or another word where only parameters have names. Other parameters take no labels.
    axes: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    #: A parameter has labels, and is not in the order of any problem yet.
    has_labels: ClassVar[bool] = False

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.axes:
            in_order_first(cls)
        for name in ("__repr__", "__eq__", "__hash__"):
            # A dataclass writes its own where the class has none in its body, and those do not know arrays.
            if name not in vars(cls):
                setattr(cls, name, getattr(Checked, name))

    def __repr__(self) -> str:
        given = [f"{name}={_in_line(value)}" for name, value in self._parameters()]
        return f"{type(self).__qualname__}({', '.join(given)})"

    def display(self) -> tuple[Block, ...]:
        """Return the member in a sentence, and its parameters."""
        parameters = self._parameters()
        small = [(name, _in_line(value)) for name, value in parameters]
        shown: list[Block] = [Lines(str(self), self._facts())]
        if small:
            shown.append(Table.of("Parameters", ("parameter", "value"), len(small), small.__getitem__, ("value",)))
        for name, value in parameters:
            if isinstance(value, np.ndarray | Labelled) and len(value.shape) == 2:
                shown.append(_grid(name, value))
        return tuple(shown)

    def _facts(self) -> tuple[str, ...]:
        """Return the sentences of a display: the formula, and what a subclass adds."""
        return ((inspect.getdoc(type(self)) or "").partition("\n\n")[0].replace("\n", " "),)

    def _parameters(self) -> list[tuple[str, Any]]:
        """Return the parameters by name, as the constructor takes them."""
        return [(each.name, getattr(self, each.name)) for each in fields(self)] if is_dataclass(self) else []

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.axes}
        plain = without_labels(given, self.axes) if given else {}
        for field in fields(self):  # type: ignore[arg-type] # subclasses are dataclasses
            domain, known = self.domains.get(field.name), plain.get(field.name)
            value = getattr(self, field.name) if known is None else known.plain
            value = kept(value, str(field.type)) if domain is None else domain.check(field.name, value)
            object.__setattr__(self, field.name, value)
        self.check_together()
        self._keep_labels(plain)

    def _keep_labels(self, plain: Mapping[str, Carried]) -> None:
        """Put the names of their axes back on the parameters that have them."""
        for name, each in plain.items():
            names = each.axes[: len(self.axes[name])]
            if any(names):
                object.__setattr__(self, name, Labelled(frozen(getattr(self, name)), names))
        held = [part for name, _ in self._parameters() if isinstance(part := getattr(self, name), Labelled | tuple)]
        parts = [each for part in held for each in (part if isinstance(part, tuple) else (part,))]
        if any(isinstance(each, Labelled) or getattr(each, "has_labels", False) for each in parts):
            object.__setattr__(self, "has_labels", True)

    def check_together(self) -> None:
        """Raise DomainError where parameters, each of them allowed, do not fit together."""

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield changes of parameters, with why, each allowed by its domain, that `check_together` has to refuse."""
        return iter(())


def kept(value: Any, annotation: str) -> Any:
    """Return a parameter without a domain in the form in which a file gives it back too.

    Arrays, and what is annotated as an array, are read-only arrays; lists are tuples.

    Examples
    --------
    >>> kept([[1, 2], [2, 1]], "tuple[tuple[int, ...], ...]"), kept([[1, 2], [2, 1]], "np.ndarray").tolist()
    (((1, 2), (2, 1)), [[1, 2], [2, 1]])
    """
    if isinstance(value, np.ndarray) or (isinstance(value, list | tuple) and "rray" in annotation):
        array = np.array(value)
        array.setflags(write=False)
        return array
    return tuple(kept(entry, "") for entry in value) if isinstance(value, list | tuple) else value


def _grid(name: str, value: Any) -> Grid:
    """Return a matrix as it is displayed, by the names of its rows and columns where it has some."""
    rows, columns = (str if names is None else names.__getitem__ for names in getattr(value, "axes", (None, None)))
    numbers = value.numbers if isinstance(value, Labelled) else value
    return Grid(name, np.asarray(numbers, dtype=float), "row", rows, "column", columns)


def _in_line(value: Any) -> str:
    """Return a parameter as the constructor takes it; of an array of more than `MOST_ENTRIES` entries its shape."""
    if isinstance(value, Labelled) and value.numbers.size > MOST_ENTRIES:
        return f"{_in_line(value.numbers)[:-1]} with labels>"
    if not isinstance(value, np.ndarray):
        return repr(value)
    if value.size <= MOST_ENTRIES:
        return repr(value.tolist())
    return f"<{' x '.join(map(str, value.shape))} numbers>" if value.ndim > 1 else listed(value.tolist())
