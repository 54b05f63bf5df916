"""A mechanism from its file, with every claim derived again."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mechdesign.designing.settings import Settings
from mechdesign.designing.without_matrix import ROUTE, certificate_of, refusal
from mechdesign.errors import CertificateError, FileWarning, MechdesignError
from mechdesign.exact import dyadic
from mechdesign.families import Family
from mechdesign.mechanism import Certificate, ImplicitMechanism, Mechanism, Multipliers
from mechdesign.mechanism.mechanism_file import read
from mechdesign.mechanism.plain_data import SCHEMA_VERSION, WRITTEN
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs import derived_again
from mechdesign.question import Question
from mechdesign.question.derived_members import require_consistent
from mechdesign.question.members_by_name import own_members
from mechdesign.solve.certificate.claims import derive, span
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.pricing.revealing_outputs import by_decision, decision_of_each_output, listed
from mechdesign.solve.task import Task
from mechdesign.tolerances import CLAIM, SPAN_SHARE


def load(path: str | Path, *, members: Sequence[type] = ()) -> Mechanism:
    """Return the mechanism in a file, with every claim derived again.

    Parameters
    ----------
    path : str or Path
        A file that ``Mechanism.save`` or the command wrote.
    members : sequence of type
        Classes of notions and objectives of your own that the file may name; a file never names code by itself.

    Returns
    -------
    Mechanism
        As it was saved, its outputs numbered as the file lists them, its certificate as it follows from the matrix and
        the multipliers here and now. Constraints of your own are not in the file, so its bound is the one without them.
        What was saved without a question has no certificate; that it satisfies its notion is checked again, exactly.

    Raises
    ------
    DomainError
        There is no such file, or it cannot be read; a member that is no class of a notion or objective, has the name of
        another, or overrides some formulas of a class of the catalogue and inherits the others.
    CertificateError
        The file was truncated or edited, holds no question that this version knows, its matrix no longer passes its
        own notion or has more outputs than its question allows, or it claims more than follows: a bound or a gap that
        is better, another value, a route that does not answer its question.

    Warns
    -----
    FileWarning
        The file is of an older version; save what was loaded with ``overwrite=True`` to have it in the present one.

    Examples
    --------
    >>> import tempfile
    >>> import mechdesign as md
    >>> made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LIP(1.0), md.MMSE())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     md.load(made.mechanism.save(f"{folder}/a.json")) == made.mechanism
    True
    """
    mechanism, version = read(path, own_members("members", members))
    if mechanism.question is None:
        return mechanism
    question = mechanism.asked
    for part, given in (("notion", question.notion), ("objective", question.objective)):
        require_consistent(part, given)
    inputs = question.notion.inputs(question.problem)
    if isinstance(mechanism, ImplicitMechanism):
        return _without_matrix(path, question, inputs, mechanism.family, mechanism.claimed)
    _check_matrix(path, mechanism, inputs)
    claimed = mechanism.claimed
    try:
        # Whatever numbers an edited file has for multipliers: what overflows proves nothing, and is no confirmation.
        with np.errstate(all="ignore"):
            question.objective.check(inputs)
            refusal = _refusal(question, inputs, claimed)
            members_of = (question.objective, question.notion, inputs)
            full, names = by_decision(mechanism.matrix, mechanism.outputs, *members_of)
            made = listed(full, *members_of)[1]
            proved = derived_again(question, inputs, full, claimed)
            derived = proved if proved.proved else _alone(question, inputs, full, claimed, proved)
    except MechdesignError as error:
        raise CertificateError(f"{path} does not hold what it claims: {error}") from None
    except (ValueError, IndexError, TypeError, ArithmeticError) as error:
        raise CertificateError(
            f"{path} holds parts whose shapes do not belong together ({error}); design it again."
        ) from None
    if refusal is not None:
        raise CertificateError(f"{path} names the route {claimed.route!r:.40}, {refusal}; design it again.")
    # Files of before list every decision, with zeros for those that are never made.
    if mechanism.outputs not in (names, made):
        raise CertificateError(f"{path} names its outputs otherwise than its question does; design it again.")
    if claimed.proof is not None and claimed.proof.decisions.tolist() != decision_of_each_output(mechanism).tolist():
        raise CertificateError(f"{path} has a proof of other decisions than its outputs name; design it again.")
    _check_claims(path, claimed, proved, question.objective, inputs)
    if version not in WRITTEN:
        warnings.warn(
            f"{path} is of schema version {version}; its claims were derived again. Save the mechanism with "
            f"overwrite=True to have it in version {SCHEMA_VERSION}.",
            FileWarning,
            stacklevel=2,
        )
    # Reports that were drawn from the file go by its columns, unused ones and all.
    return replace(mechanism, certificate=derived)


def _without_matrix(
    path: str | Path, question: Question, inputs: Problem, family: Family, claimed: Certificate
) -> Mechanism:
    """Return a mechanism without a matrix, its claims derived again from its family."""
    why = refusal(question, inputs, Settings())
    if why is not None or claimed.route != ROUTE:
        raise CertificateError(f"{path} holds a family that does not answer its question; design it again.")
    question.objective.check(inputs)
    # Whatever numbers an edited file has for a slope: what overflows proves nothing.
    with np.errstate(all="ignore"):
        derived = certificate_of(question, inputs, family, claimed.multipliers.weights)
    _check_claims(path, claimed, derived, question.objective, inputs)
    return ImplicitMechanism(family, question, derived)


def _check_matrix(path: str | Path, mechanism: Mechanism, inputs: Problem) -> None:
    """Raise unless the matrix is exactly private and has the rows and no more outputs than its question allows."""
    question, numerators = mechanism.asked, dyadic(mechanism.matrix)
    if numerators is None or len(numerators) != inputs.n:
        raise CertificateError(f"{path} holds no stochastic matrix for its {inputs.n} inputs; design it again.")
    if not question.notion.holds_exactly(numerators, inputs):
        raise CertificateError(f"The matrix in {path} does not satisfy {question.notion}; design it again.")
    taken = int(np.count_nonzero(mechanism.matrix.max(axis=0)))
    if question.outputs is not None and taken > question.outputs:
        raise CertificateError(
            f"The matrix in {path} has {taken} outputs, its question allows {question.outputs}; design it again."
        )


def _refusal(question: Question, inputs: Problem, claimed: Certificate) -> str | None:
    """Return why the route that is named cannot have answered, None where it can.

    Only that route is asked, which costs no more than the design did.
    """
    route = ROUTES.get(claimed.route)
    if route is None:
        return "which there is none of"
    # Which constraints the user had is not in the file, but that there were some is.
    own = claimed.multipliers.own_cost is not None
    task = Task(inputs, question.notion, question.objective, question.outputs, subject_to=_none if own else None)
    why = route.refusal(task)
    return None if why is None else f"which does not answer its question ({why})"


def _none(_: object) -> list[object]:
    return []


def _alone(
    question: Question, inputs: Problem, matrix: Array, claimed: Certificate, proved: Certificate
) -> Certificate:
    """Return the certificate without the user's own constraints, which are not in the file."""
    multipliers: Multipliers = claimed.multipliers
    if multipliers.own_cost is None and multipliers.own_constant == 0.0:
        return proved
    alone = replace(multipliers, own_cost=None, own_constant=0.0)
    return derive(question, inputs, matrix, alone, proved.route)


def _check_claims(
    path: str | Path, claimed: Certificate, proved: Certificate, objective: Objective, inputs: Problem
) -> None:
    """Raise where a claim is better than what follows, by more than last digits; a weaker bound or gap is no lie.

    A time limit may have ended a proof before it was tight, so that more follows than was claimed.
    """
    sizes = [abs(number) for number in (proved.value, proved.bound) if np.isfinite(number)]
    width = span(objective, inputs)
    slack = CLAIM * max(sizes) + 4.0 * float(np.finfo(float).eps) * (inputs.n + 8) * width
    scale = max(*sizes, SPAN_SHARE * width)
    better = {
        "value": abs(claimed.value - proved.value),
        "bound": (claimed.bound - proved.bound) * (1.0 if objective.sense == "minimise" else -1.0),
        "gap": proved.gap - claimed.gap,
    }
    allowed = {"value": slack, "bound": slack, "gap": 4 * slack / scale if scale > 0 else 0.0}
    for name, excess in better.items():
        said, follows = getattr(claimed, name), getattr(proved, name)
        if said != follows and not excess <= allowed[name]:
            raise CertificateError(
                f"{path} claims {name} {said!r}, but {follows!r} follows from its matrix and multipliers; "
                "design it again."
            )
