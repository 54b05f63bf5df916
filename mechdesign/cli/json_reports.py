"""What the command says as plain data, for --json: designs, audits, comparisons and the catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Any

from mechdesign.catalogue.formula import formula_of
from mechdesign.designing.result import Design
from mechdesign.designing.without_matrix import ROUTE
from mechdesign.mechanism.audit import Audit
from mechdesign.question.members_by_name import members
from mechdesign.rivals.rival import Rival
from mechdesign.rivals.without_matrix import variance_of
from mechdesign.studies.calibration import Calibration
from mechdesign.studies.comparison import Comparison


def catalogue(kind: type, own: Sequence[type] = ()) -> list[dict[str, Any]]:
    """Return name, parameters and formula of each notion or objective, the usual choices first."""
    entries = []
    for name, member in sorted(members(kind, own).items(), key=_usual_first):
        parameters = [
            f.name if f.default is MISSING and f.default_factory is MISSING else f"{f.name}={f.default!r}"
            for f in fields(member)
        ]
        said = {"usual": _usual(member), "formula": formula_of(member)}
        entries.append({"name": name, "parameters": parameters, **said})
    return entries


def _usual(member: Any) -> str:
    """Return for whom a notion or an objective is the usual choice."""
    return str(member.card.usual)


def _usual_first(named: tuple[str, type]) -> tuple[bool, str]:
    return not _usual(named[1]), named[0]


def design_data(made: Design, asked: float, rivals: Sequence[Rival], path: Path) -> dict[str, Any]:
    """Return the content of `reporting.show_design` as data for JSON; the matrix itself is in the mechanism's file."""
    question = made.mechanism.asked
    return {
        "question": question.to_dict(),
        "sentences": list(question.sentences()),
        "value": made.value,
        "bound": made.bound,
        "gap": made.gap,
        "gap_of_gain": made.gap_of_gain,
        "gap_asked": asked,
        "proved": made.mechanism.claimed.proved,
        "sense": question.objective.sense,
        "unit": question.objective.unit,
        "route": made.route,
        "reason": made.reason,
        "note": made.note,
        "refusals": dict(made.refusals),
        "attempts": [asdict(attempt) for attempt in made.attempts],
        "timings": made.timings,
        "solver": asdict(made.solver_stats),
        "audit": audit_data(made.audit),
        "outputs": list(made.mechanism.outputs) if made.route != ROUTE else made.mechanism.shape[1],
        "variance": variance_of(made.mechanism, question.notion.inputs(question.problem)),
        "rivals": [asdict(rival) for rival in rivals],
        "mechanism_file": str(path),
    }


def calibration_data(found: Calibration) -> dict[str, Any]:
    """Return the bracket, and the levels that were tried."""
    asked = found.design.mechanism.asked
    return {
        "question": asked.to_dict(),
        "target": found.target,
        "level_name": asked.notion.level_name,
        "level": found.level,
        "impossible_below": found.impossible_below,
        "closed": found.closed,
        "value": found.design.value,
        "bound": found.design.bound,
        "tried": list(found.tried.rows),
    }


def audit_data(audit: Audit) -> dict[str, Any]:
    """Return the content of `reporting.show_audit` as data for JSON."""
    return {
        "notion": str(audit.notion),
        "level_name": audit.notion.level_name,
        "level": list(audit.levels) if len(audit.levels) > 1 else audit.level,
        "holds": audit.holds,
        "missed_by_rounding": audit.missed_by_rounding,
        "inputs": list(audit.inputs),
        "output": audit.output,
        "prior_source": audit.prior_source,
        "sentence": audit.sentence,
    }


def comparison_data(found: Comparison) -> dict[str, Any]:
    """Return the content of `reporting.show_comparison` as data for JSON."""
    return {
        "question": found.question.to_dict(),
        "rows": [asdict(row) for row in found],
        "rivals": [asdict(rival) for rival in found.rivals],
        "spread": found.spread,
        "consistent": found.consistent,
    }
