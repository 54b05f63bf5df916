"""Provably optimal local-privacy mechanisms."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mechdesign import notions, objectives
from mechdesign.catalogue import Card, Rule
from mechdesign.designing.result import Design
from mechdesign.errors import (
    CertificateError,
    DataWarning,
    DomainError,
    FileWarning,
    FitWarning,
    GapWarning,
    InfeasibleError,
    MechdesignError,
    ProofWarning,
    RandomnessError,
    SolverError,
    UnsupportedError,
    WriteError,
)
from mechdesign.mechanism import Certificate, Mechanism
from mechdesign.mechanism.audit import Audit, audit
from mechdesign.notions import *  # noqa: F403 - a member's one export line is in its own room
from mechdesign.objectives import *  # noqa: F403 - likewise
from mechdesign.problem import KnownVocabulary, Problem
from mechdesign.question import Question
from mechdesign.solve.solvers.catalogue import installed_solvers
from mechdesign.version import VERSION

if TYPE_CHECKING:
    from mechdesign import baselines, plotting, queries
    from mechdesign.designing.accounts import Central
    from mechdesign.designing.entry import design
    from mechdesign.designing.loading import load
    from mechdesign.estimation.hashed_vocabulary import HashedVocabulary
    from mechdesign.mechanism.longitudinal import longitudinal
    from mechdesign.mechanism.together import composed, together
    from mechdesign.referee.claims import check_claim
    from mechdesign.referee.ledger import Ledger
    from mechdesign.referee.verifying import verify
    from mechdesign.sampler_programs import sampler
    from mechdesign.solve.repair.rounded import rounded
    from mechdesign.studies.blackwell_order import BlackwellOrder, more_informative
    from mechdesign.studies.budget_split import BudgetSplit
    from mechdesign.studies.calibration import Calibration, calibrate
    from mechdesign.studies.comparison import Comparison, compare
    from mechdesign.studies.conjecturing.entry import conjecture
    from mechdesign.studies.frontier import frontier
    from mechdesign.studies.frontier_result import Frontier
    from mechdesign.studies.implications import Implication, implies
    from mechdesign.studies.longitudinal_design import design_longitudinal
    from mechdesign.studies.prefix_search import PrefixSearch
    from mechdesign.studies.reporting import report
    from mechdesign.studies.several_means import several_means
    from mechdesign.studies.splitting import split_budget
    from mechdesign.studies.sweeps import Sweep, sweep

__version__ = VERSION

#: Loaded when first asked for: an audit needs no routes, and a design neither the referee nor sweeps.
_LATER = {
    "BlackwellOrder": "studies.blackwell_order",
    "BudgetSplit": "studies.budget_split",
    "Calibration": "studies.calibration",
    "Central": "designing.accounts",
    "Comparison": "studies.comparison",
    "Frontier": "studies.frontier_result",
    "HashedVocabulary": "estimation.hashed_vocabulary",
    "Implication": "studies.implications",
    "Ledger": "referee.ledger",
    "PrefixSearch": "studies.prefix_search",
    "Sweep": "studies.sweeps",
    "calibrate": "studies.calibration",
    "check_claim": "referee.claims",
    "compare": "studies.comparison",
    "conjecture": "studies.conjecturing.entry",
    "design": "designing.entry",
    "design_longitudinal": "studies.longitudinal_design",
    "frontier": "studies.frontier",
    "implies": "studies.implications",
    "load": "designing.loading",
    "more_informative": "studies.blackwell_order",
    "report": "studies.reporting",
    "rounded": "solve.repair.rounded",
    "sampler": "sampler_programs",
    "several_means": "studies.several_means",
    "split_budget": "studies.splitting",
    "sweep": "studies.sweeps",
    "composed": "mechanism.together",
    "longitudinal": "mechanism.longitudinal",
    "together": "mechanism.together",
    "verify": "referee.verifying",
}

#: Packages that are loaded when first asked for.
_ROOMS = ("baselines", "plotting", "queries")

__all__ = [
    "Audit",
    "BlackwellOrder",
    "BudgetSplit",
    "Calibration",
    "Card",
    "Central",
    "Certificate",
    "CertificateError",
    "Comparison",
    "DataWarning",
    "Design",
    "DomainError",
    "FileWarning",
    "FitWarning",
    "Frontier",
    "GapWarning",
    "HashedVocabulary",
    "Implication",
    "InfeasibleError",
    "KnownVocabulary",
    "Ledger",
    "Mechanism",
    "MechdesignError",
    "PrefixSearch",
    "Problem",
    "ProofWarning",
    "Question",
    "RandomnessError",
    "Rule",
    "SolverError",
    "Sweep",
    "UnsupportedError",
    "WriteError",
    "audit",
    "baselines",
    "calibrate",
    "check_claim",
    "compare",
    "composed",
    "conjecture",
    "design",
    "design_longitudinal",
    "frontier",
    "implies",
    "installed_solvers",
    "load",
    "longitudinal",
    "more_informative",
    "plotting",
    "queries",
    "report",
    "rounded",
    "sampler",
    "several_means",
    "split_budget",
    "sweep",
    "together",
    "verify",
]
__all__ += notions.__all__
__all__ += objectives.__all__


def __getattr__(name: str) -> Any:
    """Return what is loaded when first asked for."""
    if name in _ROOMS:
        # Importing it sets the name.
        return import_module(f"{__name__}.{name}")
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    return found


def __dir__() -> list[str]:
    """Return the names, those that are loaded later among them."""
    return sorted({*globals(), *_LATER, *_ROOMS})
