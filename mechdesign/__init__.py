"""Provably optimal local-privacy mechanisms."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from mechdesign.version import VERSION

if TYPE_CHECKING:
    from mechdesign import baselines, notions, objectives, plotting, queries
    from mechdesign.catalogue import Card, Rule
    from mechdesign.designing.accounts import Central
    from mechdesign.designing.entry import design
    from mechdesign.designing.loading import load
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
    from mechdesign.estimation.hashed_vocabulary import HashedVocabulary
    from mechdesign.mechanism import Certificate, Mechanism
    from mechdesign.mechanism.audit import Audit, audit
    from mechdesign.mechanism.longitudinal import longitudinal
    from mechdesign.mechanism.together import composed, together
    from mechdesign.notions import *  # noqa: F403 - a member's one export line is in its own room
    from mechdesign.objectives import *  # noqa: F403 - likewise
    from mechdesign.perturbation_tables.lookup import cell_keys
    from mechdesign.perturbation_tables.table import cell_key_table
    from mechdesign.problem import KnownVocabulary, Problem
    from mechdesign.problem.priors_near import priors_near
    from mechdesign.question import Question
    from mechdesign.referee.claims import check_claim
    from mechdesign.referee.ledger import Ledger
    from mechdesign.referee.verifying import verify
    from mechdesign.sampler_programs import sampler
    from mechdesign.solve.repair.rounded import rounded
    from mechdesign.solve.solvers.catalogue import installed_solvers
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
    from mechdesign.studies.two_stage import two_stage, two_stage_shares

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
        "cell_key_table",
        "cell_keys",
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
        "priors_near",
        "queries",
        "report",
        "rounded",
        "sampler",
        "several_means",
        "split_budget",
        "sweep",
        "together",
        "two_stage",
        "two_stage_shares",
        "verify",
    ]
    __all__ += notions.__all__
    __all__ += objectives.__all__

__version__ = VERSION

#: The module of each name, which is loaded when the name is first asked for: a version needs none of them, an audit no
#: routes, and a design neither the referee nor sweeps.
_LATER = {
    "Audit": "mechanism.audit",
    "audit": "mechanism.audit",
    "BlackwellOrder": "studies.blackwell_order",
    "BudgetSplit": "studies.budget_split",
    "calibrate": "studies.calibration",
    "Calibration": "studies.calibration",
    "Card": "catalogue",
    "cell_key_table": "perturbation_tables.table",
    "cell_keys": "perturbation_tables.lookup",
    "Central": "designing.accounts",
    "Certificate": "mechanism",
    "CertificateError": "errors",
    "check_claim": "referee.claims",
    "compare": "studies.comparison",
    "Comparison": "studies.comparison",
    "composed": "mechanism.together",
    "conjecture": "studies.conjecturing.entry",
    "DataWarning": "errors",
    "Design": "designing.result",
    "design": "designing.entry",
    "design_longitudinal": "studies.longitudinal_design",
    "DomainError": "errors",
    "FileWarning": "errors",
    "FitWarning": "errors",
    "Frontier": "studies.frontier_result",
    "frontier": "studies.frontier",
    "GapWarning": "errors",
    "HashedVocabulary": "estimation.hashed_vocabulary",
    "Implication": "studies.implications",
    "implies": "studies.implications",
    "InfeasibleError": "errors",
    "installed_solvers": "solve.solvers.catalogue",
    "KnownVocabulary": "problem",
    "Ledger": "referee.ledger",
    "load": "designing.loading",
    "longitudinal": "mechanism.longitudinal",
    "Mechanism": "mechanism",
    "MechdesignError": "errors",
    "more_informative": "studies.blackwell_order",
    "PrefixSearch": "studies.prefix_search",
    "priors_near": "problem.priors_near",
    "Problem": "problem",
    "ProofWarning": "errors",
    "Question": "question",
    "RandomnessError": "errors",
    "report": "studies.reporting",
    "rounded": "solve.repair.rounded",
    "Rule": "catalogue",
    "sampler": "sampler_programs",
    "several_means": "studies.several_means",
    "SolverError": "errors",
    "split_budget": "studies.splitting",
    "Sweep": "studies.sweeps",
    "sweep": "studies.sweeps",
    "together": "mechanism.together",
    "two_stage": "studies.two_stage",
    "two_stage_shares": "studies.two_stage",
    "UnsupportedError": "errors",
    "verify": "referee.verifying",
    "WriteError": "errors",
}

#: Packages that the package shows as they are, and packages all of whose members it shows.
_ROOMS, _MEMBERS = ("baselines", "plotting", "queries"), ("notions", "objectives")


def __getattr__(name: str) -> Any:
    """Return what is loaded when first asked for."""
    if name == "__all__":
        found: Any = _shown()
    elif name in _LATER:
        found = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    elif not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
        # Importing it sets the name.
        return import_module(f"{__name__}.{name}")
    else:
        rooms = (import_module(f"{__name__}.{room}") for room in _MEMBERS if not name.startswith("_"))
        room = next((room for room in rooms if name in room.__all__), None)
        if room is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = getattr(room, name)
    globals()[name] = found
    return found


def _shown() -> list[str]:
    """Return the names of the package."""
    members = (name for room in _MEMBERS for name in import_module(f"{__name__}.{room}").__all__)
    return sorted({*_LATER, *_ROOMS, *members})


def __dir__() -> list[str]:
    """Return the names, those that are loaded later among them."""
    return sorted({*globals(), *_shown()})
