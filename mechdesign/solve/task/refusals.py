"""Why routes were not taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


class Refusals(Mapping[str, str]):
    """Why each of the other routes was not taken: a sentence is worked out when it is read, and kept.

    To ask a route may enumerate rays or crawl the theorems, which costs more than many an answer.
    """

    def __init__(self, known: Mapping[str, str], asked: Mapping[str, Callable[[], str]] | None = None) -> None:
        self._asked = {} if asked is None else dict(asked)
        self._known = dict(known)

    def __getitem__(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = self._asked[name]()
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known, **self._asked})

    def __len__(self) -> int:
        return len({**self._known, **self._asked})

    def but(self, others: Mapping[str, str], taken: str) -> Refusals:
        """Return these refusals with the sentences of `others`, and without the route `taken` after all."""
        known = {name: why for name, why in {**self._known, **others}.items() if name != taken}
        return Refusals(known, {name: ask for name, ask in self._asked.items() if name not in {*others, taken}})

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[Any, ...]:
        # What is asked for may hold a function of the user's, which no other process can read.
        return Refusals, (dict(self),)
