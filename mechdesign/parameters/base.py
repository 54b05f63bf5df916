"""What a domain is, and what a dataclass does that declares one for each of its parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar

from mechdesign.errors import DomainError

#: Values with why they are given.
Cases = Iterator[tuple[str, Any]]


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
        rule = f"the class {type(given).__name__} has to be a dataclass, whose fields are its parameters"
        raise DomainError(argument, given, rule, "decorate it with @dataclasses.dataclass(frozen=True)")


class Checked:
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

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type] # subclasses are dataclasses
            domain = self.domains.get(field.name)
            if domain is not None:
                object.__setattr__(self, field.name, domain.check(field.name, getattr(self, field.name)))
        self.check_together()

    def check_together(self) -> None:
        """Raise DomainError where parameters, each of them allowed, do not fit together."""

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield changes of parameters, with why, each allowed by its domain, that `check_together` has to refuse."""
        return iter(())
