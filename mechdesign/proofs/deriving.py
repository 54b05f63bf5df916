"""The claims of a certificate, derived again: from its proof in integers where it has one, else in floating point."""

from __future__ import annotations

from mechdesign.mechanism import Certificate
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs.checking import checked
from mechdesign.question import Question
from mechdesign.solve.certificate.claims import derive


def derived_again(question: Question, inputs: Problem, matrix: Array, claims: Certificate) -> Certificate:
    """Return what a matrix, with a column for each decision, has by a certificate's proof or multipliers alone.

    Raises
    ------
    CertificateError
        The proof fails, or the matrix is better than the bound that the multipliers give.
    """
    if claims.proof is not None:
        return checked(question, inputs, matrix, claims.multipliers, claims.route, claims.proof)
    return derive(question, inputs, matrix, claims.multipliers, claims.route)
