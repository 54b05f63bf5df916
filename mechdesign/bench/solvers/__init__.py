"""Solvers of the benchmark, by name."""

from __future__ import annotations

from collections.abc import Iterable

from mechdesign.bench.solvers.highs import Highs
from mechdesign.bench.solvers.ours import Mechdesign
from mechdesign.bench.solvers.own import Own, offered
from mechdesign.bench.solvers.solver import BenchSolver
from mechdesign.bench.solvers.through_cvxpy import PACKAGES, ThroughCvxpy
from mechdesign.errors import DomainError, nearest

#: HiGHS by its methods; HIGHS alone is the simplex method, which it takes by default.
METHODS = {"HIGHS": "simplex", "HIGHS-IPM": "ipm", "HIGHS-PDLP": "pdlp"}

__all__ = ["BenchSolver", "Own", "known_solvers", "solver_named"]


def known_solvers() -> list[str]:
    """Return the names of the solvers that can be run here: HiGHS, cvxpy's, other packages', and ours.

    Examples
    --------
    >>> "HIGHS" in known_solvers() and "MECHDESIGN" in known_solvers()
    True
    """
    return [*METHODS, *sorted(_of_cvxpy()), *offered(), Mechdesign.name]


def solver_named(asked: str) -> BenchSolver:
    """Return the solver `asked`: a name of `known_solvers`, in any case, or ``name=module:function``.

    Raises
    ------
    DomainError
        No such name.
    """
    name, own, place = asked.partition("=")
    if own:
        return Own(name.strip(), place.strip())
    upper = asked.strip().upper()
    if upper in METHODS:
        return Highs(upper, METHODS[upper])
    if upper == Mechdesign.name:
        return Mechdesign()
    if asked.strip() in offered():
        return Own(asked.strip(), offered()[asked.strip()])
    if upper in _of_cvxpy():
        return ThroughCvxpy(upper)
    if upper in PACKAGES:
        raise DomainError("solvers", asked, f"{upper} is not installed", f"pip install {PACKAGES[upper]}")
    remedy = nearest(upper, known_solvers())
    raise DomainError("solvers", asked, "it is a solver installed here, or name=module:function", remedy)


def solvers_named(asked: Iterable[str]) -> list[BenchSolver]:
    """Return the solvers, each name once."""
    found = [solver_named(each) for each in asked]
    names = [each.name for each in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DomainError("solvers", twice, "each has a name of its own", "give it once, or another name")
    return found


def _of_cvxpy() -> set[str]:
    """Return the names of cvxpy's solvers, without HiGHS, which is called directly."""
    import cvxpy as cp

    return set(cp.installed_solvers()) - set(METHODS)
