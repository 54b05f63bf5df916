"""What an objective gains from one column, as a sum over columns that is to be maximised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb

from tests.adversary import divergence, exponent
from tests.adversary.numbers import Column
from tests.adversary.value import DECIDING, Matrix, best_decision, maximised, worth
from tests.adversary.world import Member, World

Gain = Callable[[Column], arb]
#: Objectives of the whole matrix, which are no sums over columns.
OF_WHOLE = {"InformationDesign", "LeakageLoss", "MaxOffDiagonal", "WorstCaseLoss"}


def gain(objective: Member, world: World, matrix: Matrix) -> Gain | None:
    """Return the gain of a column, at the order that is best for `matrix` where the objective searches one."""
    name, given = objective
    if name in OF_WHOLE or given.get("minimize"):
        return None
    if name in exponent.EXPONENTS:
        return _at_order(name, given, matrix)
    if name in divergence.RATIOS:
        f = divergence.term(name, given)
        return lambda column: f(*divergence.pair(given, [column])[0])
    if name in {"ErrorProbability", "HistogramMMSE"}:
        return lambda column: 1 - worth([column], objective, world)[0]
    if name in DECIDING:
        return lambda column: -worth([column], objective, world, [best_decision(column, name, given, world)])[0]
    sign = 1 if maximised(objective) else -1
    return lambda column: sign * worth([column], objective, world)[0]


def _at_order(name: str, given: dict[str, Any], matrix: Matrix) -> Gain | None:
    order = exponent.order_of(name, given, divergence.pair(given, matrix))[1].mid()
    if order < 0:
        return None
    if name == "HoeffdingExponent" and order < arb(2) ** -60:
        # Towards order 0 the exponent is the relative entropy.
        return lambda column: divergence.TERMS["KLDivergence"](*divergence.pair(given, [column])[0])
    if name == "HanKobayashiExponent":
        # Towards order 1 a single output decides: a large power stands for it.
        sign, power = 1, 1 / (1 - min(order, arb(1) - arb(2) ** -9))
    else:
        sign, power = -1, order

    def of(column: Column) -> arb:
        p, s = divergence.pair(given, [column])[0]
        if p == 0 or s == 0:
            return arb(0)
        # Less the linear part, so that little is not lost; it adds up to a constant.
        return sign * (arb(p) * (power * arb(s / p).log()).exp() - power * arb(s) - (1 - power) * arb(p))

    return of
