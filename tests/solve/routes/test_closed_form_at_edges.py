"""Domains and formulas of theorems at edges of their questions: one input, levels that are no ordinary number."""

from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.question import Question
from mechdesign.testing.sized import NOTIONS, OBJECTIVES, some_pair
from mechdesign.theorems import published

LEVELS = (0.0, 1e-300, 1e-12, 40.0, 800.0, 1e300)
#: Priors of one input, of one that is all but certain, of one that is all but impossible.
PRIORS = ([1.0], [1.0 - 2.0**-53, 2.0**-53], [0.5, 0.5 - 1e-17, 1e-17])


def asked(notion, objective, prior, level):
    """Return the question over a prior, or None where its notion is of another size."""
    pair = some_pair(notion, objective, len(prior), np.random.default_rng(1))
    if pair is None:
        return None
    problem, made, wanted = pair
    if problem.prior is not None:
        problem = replace(problem, prior=np.array(prior))
    return problem, made if level is None else at(made, level), wanted


def at(notion, level):
    try:
        return notion.at(level)
    except md.MechdesignError:
        return notion


def formed():
    """Yield the pairs of notion and objective of which some theorem speaks."""
    rng = np.random.default_rng(1)
    for notion in NOTIONS:
        for objective in OBJECTIVES:
            pair = some_pair(notion, objective, 2, rng)
            if pair is None:
                continue
            question = Question(*pair)
            if any(theorem.form.refusal(question) is None for theorem in published().values() if theorem.form):
                yield notion, objective


@pytest.mark.thinned(4)
@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize(("notion", "objective"), sorted(formed()))
def test_theorems_speak_or_say_why_not_at_edges(notion, objective, prior):
    for level in (None, *LEVELS):
        try:
            pair = asked(notion, objective, prior, level)
        except md.DomainError:
            continue
        if pair is None:
            continue
        try:
            made = md.design(*pair, route="closed_form")
        except (md.UnsupportedError, md.InfeasibleError):
            continue
        except md.DomainError as refused:
            # Some notions have no room for such a prior; that a route is asked by a wrong name is no answer.
            if refused.argument in {"prior[1]", "prior[2]", "n", "objective"}:
                continue
            raise
        assert made.audit.holds
