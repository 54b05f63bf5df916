"""Classes derived from a member of the catalogue: refused if they override what its formulas were derived from."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from mechdesign import notions, objectives
from mechdesign.errors import DomainError
from mechdesign.question.members_by_name import KINDS, members, own_of

#: The complete definitions of this package.
CATALOGUE = frozenset(member for kind in KINDS for member in members(kind).values())
#: What a derived class may override: words, rules for its parameters, and what it asks of the problem.
FREE = {
    *("assumption", "axes", "card", "check", "check_together", "display", "domains", "in_words", "level_unit", "name"),
    *("output_names", "unit", "wrong_together", "_abc_impl", "_facts", "_parameters"),
}


def require_consistent(argument: str, given: Any) -> None:
    """Raise if a class of one's own overrides some formulas of a catalogue class and inherits the others.

    The inherited formulas (extreme rays, support function, exact tests) would be those of another notion or objective,
    and a bound computed from them would be false.

    Raises
    ------
    DomainError
        With the methods that are overridden, and the class to derive from instead.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import mechdesign as md
    >>> @dataclass(frozen=True)
    ... class Twice(md.LDP):
    ...     def cone(self, problem):
    ...         return md.LDP(2 * self.epsilon).cone(problem)
    >>> require_consistent("notion", Twice(0.5))
    Traceback (most recent call last):
    mechdesign.errors.DomainError: notion is Twice(epsilon=0.5), but Twice overrides cone of LDP and inherits other \
formulas, which hold for LDP only; derive Twice from md.Notion instead of md.LDP, and define all of it.
    """
    for member in own_of(given):
        of, *others = [each for each in member.__mro__ if each in CATALOGUE] or [object]
        if of is object:
            continue
        overridden = _overridden(member, of)
        also = [each.__name__ for each in others if not issubclass(of, each)]
        if also:
            rule = f"{member.__name__} is derived from {of.__name__} and {also[0]}, and inherits formulas of each"
        elif overridden:
            rule = f"{member.__name__} overrides {', '.join(overridden)} of {of.__name__} and inherits other formulas, "
            rule += f"which hold for {of.__name__} only"
        if also or overridden:
            remedy = f"derive {member.__name__} from {_base(of)} instead of md.{of.__name__}, and define all of it"
            raise DomainError(argument, given, rule, remedy)


def _overridden(member: type, of: type) -> list[str]:
    """Return the definitions of `of`, a class of the catalogue, that a class derived from it overrides."""
    order = member.__mro__
    parameters = {field.name for field in fields(member)} if is_dataclass(member) else set()
    before = {name for each in order[: order.index(of)] for name in vars(each) if not name.startswith("__")}
    return sorted(name for name in before - FREE - parameters if hasattr(of, name))


def _base(of: type) -> str:
    """Return the abstract class of the public interface that a class of the catalogue is derived from."""
    public = {getattr(room, name) for room in (notions, objectives) for name in room.__all__}
    return next(f"md.{each.__name__}" for each in of.__mro__ if each in public and each not in CATALOGUE)
