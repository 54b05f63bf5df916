"""A shape of columns one of whose answers is another."""

from __future__ import annotations

import copy


def bent(shape, **changed):
    """Return the shape with other methods, which take it and what they are given, or with other properties."""

    def part(new):
        return (lambda self, *given, **named: new(shape, *given, **named)) if callable(new) else property(lambda _: new)

    made = copy.copy(shape)
    kind = type(f"Bent{type(shape).__name__}", (type(shape),), {name: part(new) for name, new in changed.items()})
    object.__setattr__(made, "__class__", kind)
    return made
