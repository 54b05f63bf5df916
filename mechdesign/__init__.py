"""Provably optimal local-privacy mechanisms."""

from mechdesign import notions, objectives
from mechdesign.auditing import Audit, audit
from mechdesign.claims import check_claim
from mechdesign.comparing import Comparison, compare
from mechdesign.designing import design, load
from mechdesign.designs import Design
from mechdesign.errors import (
    CertificateError,
    DomainError,
    GapWarning,
    InfeasibleError,
    MechdesignError,
    SolverError,
    UnsupportedError,
)
from mechdesign.frontiers import Frontier, frontier
from mechdesign.implications import Implication, implies
from mechdesign.ledger import Ledger, verify
from mechdesign.mechanism import Certificate, Mechanism
from mechdesign.notions import *  # noqa: F403 - a member's one export line is in its own room
from mechdesign.objectives import *  # noqa: F403 - likewise
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.backends import installed_solvers
from mechdesign.sweeping import Sweep, sweep
from mechdesign.version import VERSION

__version__ = VERSION

__all__ = [
    "Audit",
    "Certificate",
    "CertificateError",
    "Comparison",
    "Design",
    "DomainError",
    "Frontier",
    "GapWarning",
    "Implication",
    "InfeasibleError",
    "Ledger",
    "Mechanism",
    "MechdesignError",
    "Problem",
    "Question",
    "SolverError",
    "Sweep",
    "UnsupportedError",
    "audit",
    "check_claim",
    "compare",
    "design",
    "frontier",
    "implies",
    "installed_solvers",
    "load",
    "sweep",
    "verify",
]
__all__ += notions.__all__
__all__ += objectives.__all__
