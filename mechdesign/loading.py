"""A mechanism from its file, with every claim derived again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mechdesign.errors import CertificateError
from mechdesign.exact import dyadic
from mechdesign.mechanism import Mechanism, read
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.solve.bounds.revealing import output_names
from mechdesign.solve.prove import prove, span
from mechdesign.solve.routes import ROUTES
from mechdesign.tolerances import GAP, SPAN_SHARE


def load(path: str | Path) -> Mechanism:
    """Return the mechanism in a file, with every claim derived again.

    Parameters
    ----------
    path : str or Path
        A file that ``Mechanism.save`` or the command wrote.

    Returns
    -------
    Mechanism
        As it was saved; constraints of your own are not in the file, so its bound is the one without them.

    Raises
    ------
    CertificateError
        The file was truncated or edited, its matrix no longer passes its own notion or has more outputs than its
        question allows, or a claim is not confirmed.
    DomainError
        The file holds no question that this version knows.

    Examples
    --------
    >>> import tempfile
    >>> import mechdesign as md
    >>> made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LIP(1.0), md.MMSE())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     md.load(made.mechanism.save(f"{folder}/a.json")) == made.mechanism
    True
    """
    mechanism = read(path)
    question = mechanism.asked
    inputs = question.notion.inputs(question.problem)
    numerators = dyadic(mechanism.matrix)
    if numerators is None or len(numerators) != inputs.n:
        raise CertificateError(f"{path} holds no stochastic matrix for its {inputs.n} inputs; design it again.")
    if not question.notion.holds_exactly(numerators, inputs):
        raise CertificateError(f"The matrix in {path} does not satisfy {question.notion}; design it again.")
    taken = int(np.count_nonzero(mechanism.matrix.max(axis=0)))
    if question.outputs is not None and taken > question.outputs:
        raise CertificateError(
            f"The matrix in {path} has {taken} outputs, its question allows {question.outputs}; design it again."
        )
    claimed = mechanism.claimed
    if claimed.route not in ROUTES:
        raise CertificateError(f"{path} names the route {claimed.route!r}, which there is none of; design it again.")
    try:
        question.objective.check(inputs)
        names = output_names(mechanism.matrix, question.objective, question.notion, inputs)
        proved = prove(question, inputs, mechanism.matrix, claimed.multipliers, claimed.route)
        # Constraints of the user's own are not in the file: what holds without them is all that can be said of it.
        alone = replace(claimed.multipliers, own_cost=None, own_constant=0.0)
        free = claimed.multipliers.own_cost is None
        derived = proved if free else prove(question, inputs, mechanism.matrix, alone, claimed.route)
    except (ValueError, IndexError, TypeError) as error:
        raise CertificateError(
            f"{path} holds parts whose shapes do not belong together ({error}); design it again."
        ) from None
    if names != mechanism.outputs:
        raise CertificateError(f"{path} names its outputs otherwise than its question does; design it again.")
    scale = max(abs(proved.value), abs(proved.bound), SPAN_SHARE * span(question.objective, inputs))
    for name in ("value", "bound", "gap"):
        said, follows = getattr(claimed, name), getattr(proved, name)
        same = said == follows or abs(said - follows) <= GAP * (1.0 if name == "gap" else scale)
        if not same and not _claims_less(name, said, follows, question.objective, inputs):
            raise CertificateError(
                f"{path} claims {name} {said!r}, but {follows!r} follows from its matrix and multipliers; "
                "design it again."
            )
    return replace(mechanism, certificate=derived)


def _claims_less(name: str, said: float, follows: float, objective: Objective, problem: Problem) -> bool:
    """Tell whether the claim is true and no more: a time limit may have ended the proof before it was tight."""
    if name == "gap":
        return said >= follows
    return name == "bound" and objective.to_utility(said, problem) >= objective.to_utility(follows, problem)
