"""All solvers by name. A new one is a file with its record, and its line here."""

from __future__ import annotations

from mechdesign.errors import DomainError, SolverError, nearest
from mechdesign.parameters.checks import text
from mechdesign.solve.solvers import clarabel, cupdlpx, ecos, highs, scs, structured
from mechdesign.solve.solvers.solver import Solver, ThroughCvxpy

#: In the order in which routes prefer them.
SOLVERS: dict[str, Solver] = {
    record.name: record
    for record in (
        structured.SOLVER_RECORD,
        highs.SOLVER_RECORD,
        clarabel.SOLVER_RECORD,
        ecos.SOLVER_RECORD,
        scs.SOLVER_RECORD,
        cupdlpx.SOLVER_RECORD,
    )
}

#: Names of solvers are short: another solver's (OSQP, MOSEK) is no misspelling of one of ours below this likeness.
ALIKE = 0.65


def installed_solvers() -> list[str]:
    """Return the names of the solvers that can be asked for.

    Returns
    -------
    list of str
        In upper case, as `design` takes them in any case.

    Examples
    --------
    >>> "HIGHS" in installed_solvers()
    True
    """
    return [name for name, solver in SOLVERS.items() if solver.is_installed]


def solver_name(solver: str) -> str:
    """Return the canonical name of `solver`, given in any case, or raise."""
    name = text("solver", solver).upper()
    if name not in SOLVERS:
        rule = "it has to be a solver that mechdesign calls"
        raise DomainError("solver", solver, rule, nearest(name, SOLVERS, ALIKE))
    if name not in installed_solvers():
        package, others = SOLVERS[name].requirement or SOLVERS[name].module, ", ".join(installed_solvers())
        raise SolverError(
            f"{name} is not installed: pip install {package}, or choose one of {others}.", status="not installed"
        )
    return name


def of_linear_programs() -> tuple[str, ...]:
    """Return the names of the installed solvers that take linear programs as arrays."""
    return tuple(name for name, solver in SOLVERS.items() if solver.linear is not None and solver.is_installed)


def of_bands() -> tuple[str, ...]:
    """Return our own interior point first, then the solvers that take linear programs as arrays."""
    return structured.SOLVER_RECORD.name, *of_linear_programs()


def structured_alone() -> tuple[str, ...]:
    """Return the name of our own interior point."""
    return (structured.SOLVER_RECORD.name,)


def of_cones() -> tuple[str, ...]:
    """Return the names of the solvers that cvxpy calls for programs with cones."""
    return tuple(name for name, through in _of_cvxpy().items() if not through.linear_only)


def of_columns_and_cones() -> tuple[str, ...]:
    """Return the names of the solvers that take linear programs as arrays, and cones through cvxpy."""
    return tuple(name for name in of_linear_programs() if name in of_cones())


def of_cvxpy_programs() -> tuple[str, ...]:
    """Return the names of the solvers that cvxpy calls, those that take cones first."""
    return *of_cones(), *(name for name, through in _of_cvxpy().items() if through.linear_only)


def of_semidefinite_programs() -> tuple[str, ...]:
    """Return the names of the solvers that cvxpy calls for semidefinite programs."""
    return tuple(name for name, through in _of_cvxpy().items() if through.semidefinite)


def through_cvxpy(name: str) -> ThroughCvxpy:
    """Return how cvxpy calls the solver `name`, one of `of_cvxpy_programs`."""
    return _of_cvxpy()[name]


def _of_cvxpy() -> dict[str, ThroughCvxpy]:
    return {name: solver.through_cvxpy for name, solver in SOLVERS.items() if solver.through_cvxpy is not None}
