"""Testing the statements of the papers, or theorems of one's own, one row after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches

import numpy as np

from mechdesign.errors import DomainError, nearest, written
from mechdesign.parameters.checks import entries, truth, whole
from mechdesign.parameters.functions import function
from mechdesign.referee import Row, referee, row_of, row_of_unchecked
from mechdesign.referee.ledger import SEED, Ledger
from mechdesign.theorems import NotCheckable, Theorem, statements
from mechdesign.theorems.own import own_theorems

#: Fewer statements than this are done before other processes have started.
WORTH_PROCESSES = 12


def verify(
    which: str | Iterable[str] | None = None,
    *,
    theorems: Iterable[Theorem] = (),
    thorough: bool = False,
    rng: np.random.Generator | int | None = None,
    on_row: Callable[[Row, int], None] | None = None,
) -> Ledger:
    """Test the statements of the papers, or theorems of one's own, by computation, and return the verdicts.

    Parameters
    ----------
    which : str or iterable of str, optional
        Papers (``"zamani"``) or keys (``"jiang_lip/T3"``), those of `theorems` among them; left out, all of
        `theorems` where there are any, and otherwise all of the papers.
    theorems : iterable of Theorem
        Theorems of one's own.
    thorough : bool
        Some ten times the points.
    rng : Generator or int, optional
        Where the points come from; left out, the seed of the recorded verdicts.
    on_row : callable, optional
        Called with each row and the number of all rows as soon as it is known.

    Returns
    -------
    Ledger
        One row for each statement; those that were done, where it was interrupted.

    Raises
    ------
    DomainError
        A paper or key that there is none of.

    Examples
    --------
    >>> import mechdesign as md
    >>> print(md.verify("ours/M4")[0].verdict)
    holds
    """
    thorough = truth("thorough", thorough)
    if on_row is not None:
        function(
            "on_row", on_row, 2, "it has to be a function of a row and the number of all rows", "give None for none"
        )
    own = {theorem.key: theorem for theorem in own_theorems("theorems", theorems)}
    keys = list(own) if own and which is None else selected(which, own)
    seed = seed_of(rng)
    rows: list[Row] = []
    complete = True
    try:
        for row in _rows(keys, own, thorough, seed):
            rows.append(row)
            if on_row is not None:
                on_row(row, len(keys))
    except KeyboardInterrupt:
        complete = False
    return Ledger(tuple(rows), seed, thorough, complete)


def seed_of(rng: np.random.Generator | int | None) -> int:
    """Return the seed that `rng` asks for; by default the seed of the recorded verdicts.

    Raises
    ------
    DomainError
        It is no generator and no whole number of 0 or more.
    """
    if rng is None:
        return SEED
    return int(rng.integers(1 << 31)) if isinstance(rng, np.random.Generator) else whole("rng", rng, 0)


def selected(which: str | Iterable[str] | None, own: Iterable[str] = ()) -> list[str]:
    """Return the keys that are asked for, in order, the user's own last."""
    known = [*statements(), *own]
    if which is None:
        return known
    papers = sorted({key.split("/")[0] for key in known})
    wanted: set[str] = set()
    rule, remedy = "it has to be a paper or the key of a statement, or several", f"use one of {', '.join(papers)}"
    for name in [which] if isinstance(which, str) else entries("which", which, rule, remedy):
        found = [key for key in known if name in (key, key.split("/")[0])]
        if not found:
            # Two hundred keys are no help: the papers, and the keys that are close.
            said = name if isinstance(name, str) else written(name)
            remedy = nearest(said, [*papers, *get_close_matches(said, known, 4, 0.5)])
            raise DomainError("which", name, rule, remedy)
        wanted.update(found)
    return [key for key in known if key in wanted]


def _rows(keys: Sequence[str], own: Mapping[str, Theorem], thorough: bool, seed: int) -> Iterator[Row]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # The functions of theorems of one's own need not reach other processes.
    if len(keys) < WORTH_PROCESSES or cores == 1 or own:
        for key in keys:
            yield _ruled(own[key], thorough, seed) if key in own else ruled(key, thorough, seed)
        return
    from joblib import Parallel, delayed

    # Long before short would need their times; many small batches even out as well.
    work = Parallel(n_jobs=cores, return_as="generator", batch_size=2)
    yield from work(delayed(ruled)(key, thorough, seed) for key in keys)


def ruled(key: str, thorough: bool, seed: int) -> Row:
    """Return the row of one statement."""
    statement = statements()[key]
    if isinstance(statement, NotCheckable):
        return row_of_unchecked(statement)
    return _ruled(statement, thorough, seed)


def _ruled(theorem: Theorem, thorough: bool, seed: int) -> Row:
    return row_of(theorem, referee(theorem, thorough=thorough, seed=seed))
