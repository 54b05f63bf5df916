"""What every array among parameters must satisfy: its labels decide, or are refused, and never its positions alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters.by_label import OF_PROBLEM, in_order_of_problem
from mechdesign.parameters.labels import Names
from mechdesign.problem import Problem
from mechdesign.testing.contract import Clause, require
from mechdesign.testing.parameter_contract import parameters, same


def labels_decide(member: Any, problem: Problem, *_: Any) -> None:
    """Parameters with labels in another order mean the same; other labels are refused, with both sets of names."""
    arrays = {name: np.asarray(value) for name in parameters(member) if _is_array(value := getattr(member, name))}
    for name in arrays.keys() - member.axes.keys():
        _refused(member, {name: _labelled(arrays[name], ("rows", "columns"), {})}, "without an order for its labels")
    known = {name: array for name, array in arrays.items() if name in member.axes}
    if not known or problem.data_of_input is not None:
        return
    named = replace(problem, labels=tuple(f"x{x}" for x in range(problem.n)))
    if named.is_hidden:
        named = replace(named, secret_labels=tuple(f"s{s}" for s in range(named.secrets)))
    names = {kind: named.names_along(kind) for kind in OF_PROBLEM}
    turned = replace(member, **_all_labelled(known, member.axes, names))
    found = in_order_of_problem(turned, named, named)
    for name in known:
        require(same(getattr(member, name), getattr(found, name)), f"{name} with labels is put in another order")
    require(found == member, "with labels it is another one, once they are put in order")
    require(turned == replace(turned) and hash(turned) == hash(replace(turned)), "with labels it differs from its copy")
    strange = {kind: tuple(f"{name}!" for name in own) for kind, own in names.items()}
    changed = _all_labelled(known, member.axes, strange)
    if any(kind in OF_PROBLEM for name in known for kind in member.axes[name]):
        try:
            in_order_of_problem(replace(member, **changed), named, named)
        except DomainError as error:
            both = "x0!" in str(error) or "s0!" in str(error), "x0," in str(error) or "s0," in str(error)
            require(all(both), f"the refusal of other labels does not name both: {error}")
        else:
            raise AssertionError(f"labels of {', '.join(known)} that the problem does not have are accepted")


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim in (1, 2)


def _all_labelled(
    arrays: dict[str, Any], axes: Mapping[str, tuple[str, ...]], names: Mapping[str, Names]
) -> dict[str, Any]:
    """Return labelled arrays: axes of a problem are reversed, and other axes from the second parameter on."""
    held: dict[str, Any] = {}
    seen: set[str] = set()
    for name, array in arrays.items():
        turned = [kind in OF_PROBLEM or kind in seen for kind in axes[name]]
        held[name] = _labelled(array, axes[name], names, turned)
        seen.update(axes[name])
    return held


def _labelled(array: Any, kinds: Sequence[str], names: Mapping[str, Names], turned: Sequence[bool] = ()) -> Any:
    """Return an array as a mapping of labels, of two axes as mappings in a mapping; each axis reversed where asked.

    An axis of more or fewer entries than the problem has names has no labels.
    """
    along = names.get(kinds[0], tuple(f"{kinds[0]}{k}" for k in range(len(array))))
    entries = [_labelled(row, kinds[1:], names, turned[1:]) for row in array] if array.ndim > 1 else array.tolist()
    if len(along) != len(entries):
        return entries
    pairs = list(zip(along, entries, strict=True))
    return dict(pairs[::-1] if any(turned[:1]) else pairs)


def _refused(member: Any, changes: dict[str, Any], why: str) -> None:
    try:
        replace(member, **changes)
    except DomainError:
        return
    raise AssertionError(f"{', '.join(changes)} with labels is accepted, {why}")


#: The part of a contract that is about labels, by name.
LABEL_CLAUSES: dict[str, Clause] = {"labels": labels_decide}
