"""How a question is to be answered: the keywords of `design`, checked once for every study that passes them on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from mechdesign.errors import DomainError, nearest
from mechdesign.parameters.calls import NamedArguments
from mechdesign.parameters.checks import real, relative_gap, truth, whole
from mechdesign.solve.choose import ROUTES
from mechdesign.tolerances import GAP

if TYPE_CHECKING:
    from mechdesign.theorems import Theorem


@dataclass(frozen=True)
class Settings(metaclass=NamedArguments):
    """The keywords of `design`, whose documentation describes them, each in its domain.

    Attributes
    ----------
    route : str
        "auto", or the name of a route.
    outputs : int, optional
        At most how many outputs the mechanism may have, at least 1.
    solver : str or sequence of str, optional
        One solver, or an order of them.
    gap : float
        The relative gap that is asked for, in (0, 1].
    within : float, optional
        The share of the optimum that may be given up for fewer outputs, in (0, 1].
    time_limit : float, optional
        Seconds, at least 0.
    memory_limit : float, optional
        Gigabytes, at least 0.
    subject_to : callable, optional
        A function of Q that returns cvxpy constraints.
    verbose, solver_verbose : bool
        Whether to print what we do, and what the solver says.
    threads : int, optional
        Threads of each solver and BLAS, at least 1; one without it.
    theorems : iterable of Theorem
        Theorems of the user's own.
    proof : bool
        Whether to look for a proof in integers.

    Raises
    ------
    DomainError
        A value outside its domain.

    Examples
    --------
    >>> Settings(gap=1e-4, within=0.02).accepted_gap
    0.02
    >>> Settings(time_limit=-1.0)
    Traceback (most recent call last):
    mechdesign.errors.DomainError: time_limit is -1.0, but it has to be at least 0 and finite; choose one in that range.
    """

    route: str = "auto"
    outputs: int | None = None
    solver: str | Sequence[str] | None = None
    gap: float = GAP
    within: float | None = None
    time_limit: float | None = None
    memory_limit: float | None = None
    subject_to: Callable[[Any], list[Any]] | None = None
    verbose: bool = False
    solver_verbose: bool = False
    threads: int | None = None
    theorems: Iterable[Theorem] = ()
    proof: bool = False

    def __post_init__(self) -> None:
        for name, check in _DOMAINS.items():
            given = getattr(self, name)
            # None stands for no limit, but for what always has a value.
            if given is not None or _DEFAULTS[name] is not None:
                object.__setattr__(self, name, check(name, given))

    @classmethod
    def of(cls, keywords: Mapping[str, Any], taken: Sequence[str], study: str) -> Settings:
        """Return the settings that a study passes on to its designs; `taken` are the keywords that it has.

        Raises
        ------
        DomainError
            Another keyword, or a value outside its domain.

        Examples
        --------
        >>> Settings.of({"gaps": 1e-3}, all_but("within"), "a sweep")
        Traceback (most recent call last):
        mechdesign.errors.DomainError: gaps is 0.001, but a sweep has no such keyword; did you mean "gap"? \
(one of gap, ...).
        """
        for name, value in keywords.items():
            if name not in taken:
                raise DomainError(name, value, f"{study} has no such keyword", nearest(name, taken))
        return cls(**keywords)

    @property
    def accepted_gap(self) -> float:
        """The gap that is accepted: the larger one of `gap` and the share given up for fewer outputs."""
        return self.gap if self.within is None else max(self.gap, self.within)


def _route(argument: str, value: Any) -> str:
    names = ("auto", "family", *ROUTES)
    if not isinstance(value, str) or value not in names:
        remedy = nearest(value if isinstance(value, str) else "", names)
        raise DomainError(argument, value, "it has to be auto or the name of a route", remedy)
    return value


def _solvers(argument: str, value: Any) -> str | tuple[Any, ...]:
    if isinstance(value, str):
        return value
    if not isinstance(value, list | tuple) or not value:
        raise DomainError(argument, value, "it has to be a name or a list of names", 'give "HIGHS", or leave it out')
    return tuple(value)


def _of_matrix(argument: str, value: Any) -> Any:
    if not callable(value):
        rule = "it has to be a function of Q that returns cvxpy constraints"
        raise DomainError(argument, value, rule, "give lambda Q: [Q[0, 0] >= 0.5], say")
    return value


def _at_least_one(argument: str, value: Any) -> int:
    return whole(argument, value, 1)


def _not_negative(argument: str, value: Any) -> float:
    return real(argument, value, 0.0)


def _gap(argument: str, value: Any) -> float:
    return relative_gap(value, argument)


#: What each keyword may be; the referee rules on theorems where they are used.
_DOMAINS: dict[str, Callable[[str, Any], Any]] = {
    "route": _route,
    "outputs": _at_least_one,
    "solver": _solvers,
    "gap": _gap,
    "within": _gap,
    "time_limit": _not_negative,
    "memory_limit": _not_negative,
    "subject_to": _of_matrix,
    "verbose": truth,
    "solver_verbose": truth,
    "threads": _at_least_one,
    "proof": truth,
}
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Settings)}


def all_but(*names: str) -> tuple[str, ...]:
    """Return the keywords of `design` without some: those that a study has no use for, or uses itself.

    Examples
    --------
    >>> len(all_but()) - len(all_but("proof", "theorems"))
    2
    """
    return tuple(name for name in _DEFAULTS if name not in names)
