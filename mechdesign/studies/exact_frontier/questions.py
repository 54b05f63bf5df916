"""A question read in rational numbers: its prior and its costs are taken for the simplest that round to the floats."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpq, fmpq_poly

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.notions import LDP, LIP, MaxLift, Notion
from mechdesign.objectives import Linear, Objective
from mechdesign.problem import Problem
from mechdesign.studies.exact_frontier.cones import BASE, ONE, Columns, LiftColumns, SetColumns
from mechdesign.studies.exact_frontier.simplex import Program

#: What to do where there are no formulas.
NUMBERS = "md.frontier without exact=True has numbers"
#: Of more inputs the fractions take too long: 20 under LDP take ten seconds up to epsilon 1.
MOST_INPUTS = 40
#: The largest denominators that are tried in turn, and how far a float may be off, as a share.
DENOMINATORS, ROUNDING = (10**3, 10**6, 10**9, 10**12), 2.0**-50
Prior = tuple[fmpq, ...]

#: The extreme columns of each notion that has them as polynomials, from n and the prior.
COLUMNS: dict[type[Notion], Callable[[int, Prior], Columns]] = {
    LDP: lambda n, prior: SetColumns(n),
    # All entries times E: between 1 and E^2, of mass E.
    LIP: lambda n, prior: LiftColumns(prior, ONE, BASE * BASE, BASE),
    MaxLift: lambda n, prior: LiftColumns(prior, fmpq_poly([0]), BASE, ONE),
}


def program_of(problem: Problem, notion: Notion, objective: Objective) -> Program:
    """Return the program of a question; its gains are minus the costs.

    Raises
    ------
    UnsupportedError
        A notion, a problem or an objective whose frontier is none of such pieces.
    """
    if type(notion) not in COLUMNS:
        known = ", ".join(sorted(kind.__name__ for kind in COLUMNS))
        raise UnsupportedError(f"Exact frontiers are known under {known}, not under {notion.name}; {NUMBERS}.")
    if not isinstance(objective, Linear):
        raise UnsupportedError(
            f"{objective.name} is no expected loss, so its frontier is not made of such formulas; {NUMBERS}."
        )
    if problem.n > MOST_INPUTS:
        rule = f"exact frontiers have at most {MOST_INPUTS}"
        raise UnsupportedError(f"There are {problem.n} inputs, and {rule}; {NUMBERS}.")
    if problem.is_hidden:
        raise UnsupportedError(f"The secret is hidden, and exact frontiers are of inputs; {NUMBERS}.")
    objective.check(problem)
    objective.check_cost(problem)
    prior = _prior(problem, notion)
    costs = objective.cost(problem)
    rows = []
    for x, row in enumerate(costs.tolist()):
        share = Fraction(int(prior[x].p), int(prior[x].q))
        rows.append([_rational(share * simplest(float(cost / float(share)))) if share else fmpq(0) for cost in row])
    gains = tuple(tuple(-rows[x][d] for x in range(problem.n)) for d in range(costs.shape[1]))
    return Program(COLUMNS[type(notion)](problem.n, prior), gains)


def _prior(problem: Problem, notion: Notion) -> Prior:
    found = [simplest(share) for share in problem.required_prior.tolist()]
    if sum(found) != 1:
        # As it is, to the last bit, and divided by what it adds up to.
        found = [Fraction(share) for share in problem.required_prior.tolist()]
        total = sum(found)
        found = [share / total for share in found]
    if min(found) == 0 and type(notion) is not LDP:
        rule = f"an exact frontier under {notion.name} needs every input to have a positive probability"
        raise DomainError("prior", "0.0", rule, "leave out the inputs that nobody holds")
    return tuple(_rational(share) for share in found)


def simplest(number: float) -> Fraction:
    """Return a fraction of small denominator that is a float up to rounding, or the float as it is.

    Examples
    --------
    >>> simplest(0.1), simplest(1 / 3)
    (Fraction(1, 10), Fraction(1, 3))
    """
    exactly = Fraction(number)
    for largest in DENOMINATORS:
        found = exactly.limit_denominator(largest)
        if abs(found - exactly) <= Fraction(ROUNDING) * abs(exactly):
            return found
    return exactly


def _rational(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)
