"""The certificate as a function of the decision: how much each gains beyond the multipliers' price."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Certificate, Mechanism
from mechdesign.notions.plain import plain
from mechdesign.objectives import Objective, Ratio, RatioType
from mechdesign.objectives.base import gains_of, is_separable, required_gains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem
from mechdesign.solve.certificate.bound import Bound, utility_bound
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.pricing.continuum_of_decisions import ratio_range
from mechdesign.solve.pricing.revealing_outputs import decisions_of
from mechdesign.solve.pricing.support import support
from mechdesign.tolerances import GAP

#: Decisions of a continuum at which the curve is drawn, besides those that are made.
DRAWN = 257
#: Where the range of decisions has no end: beyond those that are made by this share of their own range.
BEYOND = 0.5


@dataclass(frozen=True, eq=False)
class PriceCurve:
    """``max over v of g_t . v - lam . v - nu . beta(v) - rho`` at each decision t, at most 0 up to rounding.

    Attributes
    ----------
    decisions : ndarray, shape (k,)
        In `unit`; where there is a list of them, their places in it.
    prices : ndarray, shape (k,)
        In `utility_unit`.
    made, prices_of_made : ndarray, shape (m,)
        The decisions of the outputs that occur, and the curve there.
    outputs : ndarray of int, shape (m,)
        Those outputs.
    names : tuple of str, or None
        The decisions, where there is a list of them.
    quantity, unit : str
        What a decision is.
    """

    decisions: Array
    prices: Array
    made: Array
    prices_of_made: Array
    outputs: npt.NDArray[np.int64]
    names: tuple[str, ...] | None
    quantity: str
    unit: str
    utility_unit: str


def price_curve(mechanism: Mechanism) -> PriceCurve:
    """Return the curve of a design's mechanism, from its matrix and its certificate.

    Raises
    ------
    UnsupportedError
        No question or no certificate; decisions that are no numbers and no list; a bound on the number of outputs
        whose certificate is a tree; constraints of the user's own; a bound that is what could be had without privacy,
        where the multipliers prove less.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    >>> curve = price_curve(md.design(problem, md.LDP(1.0), md.MMSE()).mechanism)
    >>> bool(curve.prices.max() <= 1e-9 and abs(curve.prices_of_made).max() <= 1e-6)
    True
    """
    question, certificate = mechanism.asked, mechanism.claimed
    objective, inputs = question.objective, mechanism.inputs
    _require_one_price(objective, certificate, inputs)
    priced = _Priced.of(mechanism, certificate)
    used = np.flatnonzero(mechanism.matrix.max(axis=0) > 0)
    columns = mechanism.matrix[:, used]
    unit = "" if objective.is_transformed else objective.unit
    if isinstance(objective, RatioType):
        ratio = objective.ratio(inputs)
        made = np.clip(ratio.at(columns), ratio.f.least, ratio.f.most)
        shown = objective.shown(inputs)
        drawn = np.union1d(_grid(ratio, made, mechanism, by_logarithm=shown.by_logarithm), made)
        prices = priced.at(ratio.functionals(drawn)), priced.at(ratio.functionals(made))
        curve = shown.at(drawn), prices[0], shown.at(made), prices[1]
        return PriceCurve(*curve, used, None, shown.quantity, shown.unit, unit)
    assert is_separable(objective)
    gains = required_gains(objective, inputs)
    # A column stands for the decision that it is called by, whether or not that is the best one for it.
    named = decisions_of(mechanism.outputs, objective, question.notion, inputs)
    taken = np.asarray(objective.best_decision(columns, inputs)) if named is None else named[used]
    prices = priced.at(gains), priced.at(gains[taken])
    names = _decision_names(objective, inputs, len(gains))
    places = np.arange(len(gains), dtype=float)
    return PriceCurve(places, prices[0], places[taken], prices[1], used, names, "decision", "", unit)


@dataclass(frozen=True)
class _Priced:
    """The multipliers of a certificate, and the largest utility beyond them that its bound allows for."""

    mechanism: Mechanism
    rows: Array
    budget: Array
    rho: float

    @classmethod
    def of(cls, mechanism: Mechanism, certificate: Certificate) -> _Priced:
        question, inputs = mechanism.asked, mechanism.inputs
        rows = np.asarray(certificate.multipliers.rows, dtype=float)
        notion, over = plain(question.notion, inputs)
        limits = notion.columns(over).budget().limits
        given = certificate.multipliers.budget
        budget = np.maximum(given, 0.0) if len(given) == len(limits) else np.zeros(len(limits))
        proved = utility_bound(question.notion, question.objective, inputs, certificate.multipliers)
        _require_own_bound(question.objective, certificate, inputs, proved)
        return cls(mechanism, rows, budget, proved.utility - float(rows.sum()) - float(budget @ limits))

    def at(self, functionals: Array) -> Array:
        found = support(
            *plain(self.mechanism.asked.notion, self.mechanism.inputs), functionals - self.rows, self.budget
        )
        return np.asarray(found.values - found.rounding - self.rho)


def _require_own_bound(objective: Objective, certificate: Certificate, inputs: Problem, proved: Bound) -> None:
    """Raise if the multipliers prove less than the bound, which is then the value without privacy."""
    utility = objective.to_utility(certificate.bound, inputs)
    width = 0.0 if objective.is_transformed else span(objective, inputs)
    if proved.utility - utility > GAP * max(abs(utility), width) + proved.rounding:
        raise UnsupportedError(
            "The bound of this design is what could be had without any privacy; its multipliers prove less, so their "
            "curve is no certificate. design.value, design.bound and design.gap say what was proved."
        )


def _require_one_price(objective: Objective, certificate: Certificate, inputs: Problem) -> None:
    """Raise unless one line of multipliers prices every decision."""
    multipliers = certificate.multipliers
    if multipliers.tree is not None:
        raise UnsupportedError(
            "The bound on the number of outputs is proved by a tree of choices, which has many price curves and not "
            "one; design without outputs=... to see that certificate."
        )
    if multipliers.own_cost is not None:
        raise UnsupportedError(
            "The certificate counts constraints of your own, whose prices depend on the output too; design without "
            "subject_to=... to see the price curve."
        )
    listed = gains_of(objective, inputs) is not None
    if not (listed or isinstance(objective, RatioType)):
        raise UnsupportedError(
            f"A decision of {objective.name} is neither one number nor one of a list, so its certificate is no curve; "
            "design.value, design.bound and design.gap say what was proved."
        )


def _grid(ratio: Ratio, made: Array, mechanism: Mechanism, *, by_logarithm: bool) -> Array:
    """Return decisions from end to end of what the notion allows; ratios of probabilities evenly in logarithms."""
    low, high = ratio_range(ratio, *plain(mechanism.asked.notion, mechanism.inputs))
    reach = BEYOND * float(np.ptp(made))
    if not np.isfinite(low):
        low = float(made.min()) - reach
    if not np.isfinite(high):
        high = float(made.max()) + reach
    if by_logarithm and low > 0:
        return np.geomspace(low, high, DRAWN)
    return np.linspace(low, high, DRAWN)


def _decision_names(objective: Objective, inputs: Problem, count: int) -> tuple[str, ...]:
    decisions = getattr(objective, "decisions", None)
    if decisions is not None:
        return tuple(map(str, decisions(inputs)))
    return named(inputs.labels if count == inputs.n else None, count)
