"""Figure 5: who earns more than 50,000 dollars, on Adult, with predictions as priors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.figures.conclusions import left
from mechdesign.figures.counted import rows
from mechdesign.figures.figure import Behind, Curve, PaperFigure
from mechdesign.figures.jiang_bounded_prior.one_bit import Bits, best, named, printed
from mechdesign.figures.sentences import at, listed, share_private
from mechdesign.figures.squared_errors import audited, bound, certified, feasible
from mechdesign.notions import LDP
from mechdesign.objectives import MMSE
from mechdesign.theorems.family import Point
from mechdesign.theorems.jiang_bounded_prior.binary import bit, error
from mechdesign.theorems.jiang_bounded_prior.example import EX1C

KEY = "jiang_bounded_prior/fig5"
EPSILONS = np.array([0.5, 1.0, 2.0, 3.0, 4.0, 5.0])
FEATURES = ("education", "marriage", "age")
LIP, RANGE, OPT, FREE = "eps-LIP", "eps-BP-LIP", "Opt-LDP (eps-WC-LIP)", "context-free LDP"


def _shares(features: Sequence[str]) -> list[float]:
    """Return the share that earns more among the people with the same features, for each row of the table."""
    totals: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0])
    table = rows("adult-income")
    for row in table:
        total = totals[tuple(row[name] for name in features)]
        total[0] += int(row["at_most_50k"])
        total[1] += int(row["over_50k"])
    return [total[1] / sum(total) for total in (totals[tuple(row[name] for name in features)] for row in table)]


def people() -> tuple[Bits, Bits, Bits]:
    """Return the people with known shares, with known ranges over the predictions, and with unknown shares."""
    true = np.array(_shares(FEATURES))
    fewer = [_shares([name for name in FEATURES if name != left_out]) for left_out in FEATURES]
    family = np.array([true, *fewer])
    weights = np.array([float(row["at_most_50k"]) + float(row["over_50k"]) for row in rows("adult-income")])
    none = np.zeros(len(true))
    return (
        Bits(true, true, true, weights, exact=True),
        Bits(true, family.min(axis=0), family.max(axis=0), weights),
        Bits(true, none, none + 1.0, weights),
    )


def _ldp(known: Bits) -> tuple[Curve, ...]:
    """Return randomised response with an estimate that knows the prior, printed and best, and without one."""
    behind = [
        [Behind(response_matrix(2, float(e)), LDP(float(e)), bit(float(p))) for p in known.true] for e in EPSILONS
    ]
    made = [[certified(bit(float(p)), LDP(float(e)), MMSE()) for p in known.true] for e in EPSILONS]
    errors = [known.error([each.matrix for each in used]) for used in behind]
    free = [
        known.mean([error(p, EX1C.printed(Point({"epsilon": float(e)})), used[0].matrix) for p in known.true])
        for e, used in zip(EPSILONS, behind, strict=True)
    ]
    return (
        audited(OPT, EPSILONS, errors, behind, f"best {OPT}"),
        audited(FREE, EPSILONS, free, behind),
        feasible(f"best {OPT}", EPSILONS, [known.mean([each.value for each in used]) for used in made], made),
        bound(f"best {OPT}", EPSILONS, [known.mean([each.bound for each in used]) for used in made]),
    )


def make() -> PaperFigure:
    """Return the curves of LIP, bounded-prior LIP and LDP, the last with both estimates."""
    known, between, _ = people()
    curves = (
        printed(LIP, EPSILONS, known, f"best {LIP}"),
        printed(RANGE, EPSILONS, between, f"best {RANGE}"),
        *best(f"best {LIP}", EPSILONS, known),
        *best(f"best {RANGE}", EPSILONS, between),
        *_ldp(known),
    )
    y = named(curves)
    order = np.array([y[f"best {LIP}"], y[f"best {RANGE}"], y[f"best {OPT}"], y[FREE]])
    steps = np.diff(order, axis=0) >= -1e-12
    gain = 1.0 - y[f"best {LIP}"] / y[f"best {OPT}"]
    because = (
        f"The order LIP, BP-LIP, Opt-LDP, context-free LDP holds at {steps.all(axis=0).sum()} of {len(EPSILONS)} "
        f"levels between private mechanisms; BP-LIP, whose estimate assumes the middle of the range, is above Opt-LDP, "
        f"whose estimate knows the prior, at epsilon = {listed(EPSILONS[~steps[1]])}. At epsilon = 1 LIP is plotted at "
        f"{at(curves, LIP, 1.0)}, the least private error is {at(curves, f'best {LIP}', 1.0)}, {100.0 * gain[1]:.2g} % "
        f"less than Opt-LDP's {at(curves, f'best {OPT}', 1.0)}; BP-LIP is plotted at {at(curves, RANGE, 1.0)}, the "
        f"private one has {at(curves, f'best {RANGE}', 1.0)}. "
        f"{share_private(curves, LIP)} {share_private(curves, RANGE)}"
    )
    return PaperFigure(
        KEY,
        "Error of one bit, income above 50,000 dollars, with predictions as priors",
        ("epsilon, nats", "mean squared error"),
        curves,
        left(steps.ravel(), curves),
        because,
        "n = 2, prior P1 = share above 50,000 dollars in each of 32 groups of Adult by education, marriage and age, in "
        "place of the paper's network, which is not given; the range is that of the shares with each of the three left "
        "out; BP-LIP's estimate assumes its middle (Theorem 5); epsilon = 0.5 to 5",
        better="lower",
    )
