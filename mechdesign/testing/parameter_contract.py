"""What every parameter must satisfy: its domain is declared, and what lies outside is refused in words."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import Checked
from mechdesign.testing.contract import Clause, require


def every_parameter_has_a_domain(member: Any, *_: Any) -> None:
    """Each parameter has a domain, and each domain belongs to a parameter."""
    known, named = set(parameters(member)), set(member.domains)
    forgotten = ", ".join(sorted(known - named))
    require(not forgotten, f"{forgotten} of {type(member).__name__} has no domain: add it to `domains`")
    if known:
        of_nothing = ", ".join(sorted(named - known))
        require(not of_nothing, f"`domains` names {of_nothing}, but {type(member).__name__} has no such parameter")


def values_outside_are_refused(member: Any, *_: Any) -> None:
    """Every value that lies outside a parameter's domain is refused, naming parameter, value, rule and remedy."""
    for name, value, domain in declared(member):
        count = 0
        for why, wrong in domain.invalid(value):
            refusal(member, {name: wrong}, why, {name})
            count += 1
        require(count, f"the domain of {name} yields no value that lies outside")


def values_inside_are_accepted(member: Any, *_: Any) -> None:
    """Every value at an end of a parameter's domain is accepted, the others being as they are."""
    # Beside the other parameters an end may make no sense; its own domain has to accept it all the same.
    alone = type(type(member).__name__, (type(member),), {"check_together": lambda self: None})
    given = {name: getattr(member, name) for name in parameters(member)}
    for name, value, domain in declared(member):
        for why, right in domain.ends(value):
            try:
                made = alone(**{**given, name: right})
            except DomainError as error:
                raise AssertionError(f"{name} refuses {shown(right)} ({why}), which is inside: {error}") from None
            kept = getattr(made, name)
            again = getattr(alone(**{**given, name: kept}), name)
            require(same(kept, again), f"{name} keeps {shown(kept)}, and of that {shown(again)}")


def combinations_are_refused(member: Any, *_: Any) -> None:
    """Parameters that do not fit together are refused; where there is such a rule, it is shown to refuse something."""
    wrong = list(member.wrong_together())
    ruled = type(member).check_together is not Checked.check_together
    require(wrong or not ruled, "`check_together` has rules, but `wrong_together` yields nothing that they refuse")
    for why, changes in wrong:
        for name, value in changes.items():
            domain = member.domains.get(name)
            require(domain is not None, f"`wrong_together` changes {name}, which has no domain")
            domain.check(name, value)
        refusal(member, changes, why, set(parameters(member)))


def parameters(member: Any) -> tuple[str, ...]:
    """Return the names of the member's parameters."""
    return tuple(field.name for field in fields(member)) if is_dataclass(member) else ()


def declared(member: Any) -> list[tuple[str, Any, Any]]:
    """Return each parameter that has a domain, with its value and its domain."""
    return [
        (name, getattr(member, name), member.domains[name]) for name in parameters(member) if name in member.domains
    ]


def refusal(member: Any, changes: dict[str, Any], why: str, names: set[str]) -> None:
    """Raise unless the member with `changes` is refused by a DomainError about one of `names`, in a whole sentence."""
    given = ", ".join(f"{name} = {shown(value)}" for name, value in changes.items())
    try:
        replace(member, **changes)
    except DomainError as error:
        about = error.argument.partition("[")[0]
        require(about in names, f"{given} ({why}) is blamed on {error.argument}")
        showing = str(error).removeprefix(f"{error.argument} is ")
        require(showing[0] not in " ,", f"the refusal of {given} ({why}) shows no value: {error}")
        require(len(error.rule.split()) >= 3, f"the refusal of {given} ({why}) has the rule {error.rule!r}")
        require(len(error.remedy.split()) >= 2, f"the refusal of {given} ({why}) has the remedy {error.remedy!r}")
        return
    except Exception as error:
        raise AssertionError(f"{given} ({why}) raises {type(error).__name__}, no DomainError: {error}") from error
    raise AssertionError(f"{given} is accepted, which is outside: {why}")


def same(first: Any, second: Any) -> bool:
    """Return whether two kept values are equal, entry by entry where they are arrays."""
    if isinstance(first, np.ndarray):
        return np.array_equal(first, second)
    return bool(type(first) is type(second) and first == second)


def shown(value: Any) -> str:
    """Return a value in at most sixty characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


#: The part of a contract that is about parameters, by name.
PARAMETER_CLAUSES: dict[str, Clause] = {
    "domains are declared": every_parameter_has_a_domain,
    "values outside": values_outside_are_refused,
    "values inside": values_inside_are_accepted,
    "combinations": combinations_are_refused,
}
