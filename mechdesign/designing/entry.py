"""From a question to a certified, exactly private design."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from mechdesign.designing.accounts import Central, with_central
from mechdesign.designing.answer import answered
from mechdesign.designing.fewest_outputs import with_fewest_outputs
from mechdesign.designing.proving import with_proof
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import GapWarning, ProofWarning
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import now, until
from mechdesign.runtime.threads import limited
from mechdesign.tolerances import GAP

if TYPE_CHECKING:
    from mechdesign.theorems import Theorem


def design(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    *,
    route: str = "auto",
    outputs: int | None = None,
    solver: str | Sequence[str] | None = None,
    gap: float = GAP,
    within: float | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    subject_to: Callable[[Any], list[Any]] | None = None,
    verbose: bool = False,
    solver_verbose: bool = False,
    threads: int | None = None,
    theorems: Iterable[Theorem] = (),
    proof: bool = False,
    central: Central | None = None,
) -> Design:
    """Return the best mechanism for `objective` under `notion`, exactly private and certified.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion
        What has to stay private.
    objective : Objective
        What has to stay useful: together, the question.
    route : str
        "auto", or the name of a route, which an error lists and ``design.refusals`` says of each why it was not taken.
        How to find the optimum; `auto` chooses by kind and size and says why in ``design.reason``. Where it fails,
        `auto` goes on to the next, and whatever was asked for, the last resort is "known": the best of the constant
        mechanism, full disclosure where that is private, and randomised response, mostly with a wide gap.
    outputs : int, optional
        At most how many outputs the mechanism may have: the optimum and the bound are over those. Where the optimum
        over all mechanisms has more, `few_outputs` searches the decisions that so many outputs can stand for.
    solver : str or sequence of str, optional
        One solver in any case, or an explicit order: the next is tried only when one fails or misses the gap. The
        failures are in ``design.attempts``.
    gap : float
        The relative gap that is asked for, in (0, 1].
    within : float, optional
        The share of the optimum that may be given up for fewer outputs, in (0, 1]: the mechanism is the one of fewest
        outputs that was found with a gap of at most this. The bound stays that of the optimum.
    time_limit : float, optional
        Seconds.
    memory_limit : float, optional
        Gigabytes that a program may take by our estimate, which is made before the program is; 4 without it, or half
        of what is free where that is less.
    subject_to : callable, optional
        ``lambda Q: [...]``, further cvxpy constraints of your own (route convex). Column d of Q is decision d, of
        which the matrix returned has those in use: `Design.by_decision` has all. Linear equations in Q hold exactly
        where that costs no more than the gap (with python-flint), others to solver tolerance; `note` says which.
        A file holds no constraints: what `md.load` derives is the bound without them, which may be weaker.
    verbose, solver_verbose : bool
        Print what we do (which goes through the logger ``mechdesign`` in any case), or what the solver says.
    threads : int, optional
        How many threads each solver and BLAS may use (ECOS and SCS have one); one without it. BLAS has as many as
        before when the design has ended.
    theorems : iterable of Theorem
        Theorems of your own (route closed_form): the referee rules on each first, and its mechanism is used inside the
        domain where it was confirmed; the refusal says where it is not.
    proof : bool
        Look for a proof of the bound in integers, which ``python -m mechdesign_check`` checks in the saved file without
        this package. With it ``design.certificate.proved`` is True, and value, bound and gap are exact
        numbers rounded outward.
    central : Central, optional
        What the shuffled reports of many people have to satisfy beside the notion: the design is the best one at the
        largest level, up to the notion's, at which they do. That they do is certified, and that no mechanism of this
        level is better; a mechanism of a larger level that is no optimum there may be, which ``design.note`` says.

    Returns
    -------
    Design
        With `matrix`, `value`, `bound`, `gap`, `mechanism` and the story of how they were found.

    Raises
    ------
    DomainError, InfeasibleError, UnsupportedError, SolverError
        Bad input, no such mechanism, no route for it, no solver that answered where no known mechanism does either.

    Warns
    -----
    GapWarning
        The certified gap is wider than asked, or small only because its divisor never falls below 1e-6 of the span.
    ProofWarning
        A proof was asked for, and there is none: the bound is certified in floating point.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    >>> result = md.design(problem, md.LIP(epsilon=1.0), md.MMSE())
    >>> result.gap <= 1e-6, result.audit.holds
    (True, True)
    """
    settings = Settings(
        route=route,
        outputs=outputs,
        solver=solver,
        gap=gap,
        within=within,
        time_limit=time_limit,
        memory_limit=memory_limit,
        subject_to=subject_to,
        verbose=verbose,
        solver_verbose=solver_verbose,
        threads=threads,
        theorems=theorems,
        proof=proof,
    )
    made, why = _as_asked(problem, notion, objective, settings, central)
    if why is not None:
        message = f"No proof in integers: {why}. The bound is certified in floating point."
        warnings.warn(message, ProofWarning, stacklevel=2)
    short = made.shortfall(settings.accepted_gap)
    if short is not None:
        warnings.warn(short, GapWarning, stacklevel=2)
    return made


def _as_asked(
    problem: Problem, notion: Notion, objective: Objective, settings: Settings, central: Central | None
) -> tuple[Design, str | None]:
    """Return the design, and why it has no proof where one was asked for."""
    started = now()
    ends = None if settings.time_limit is None else started + settings.time_limit
    if central is None:
        made = answered(problem, notion, objective, settings)
    else:
        with until(ends):
            made = with_central(problem, notion, objective, settings, central)
    with limited(settings.threads), until(ends):
        made = with_fewest_outputs(made, settings)
        if not settings.proof:
            return made, None
        try:
            return with_proof(made, settings.accepted_gap)
        except KeyboardInterrupt:
            return made, "it was interrupted"
