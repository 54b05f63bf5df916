"""The f-divergences between the output distributions under two distributions of the inputs."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.errors import DomainError
from mechdesign.exact import Enclosure
from mechdesign.objectives.divergence_generators import (
    ChiSquareGenerator,
    HellingerGenerator,
    JensenShannonGenerator,
    KLGenerator,
    TotalVariationGenerator,
)
from mechdesign.objectives.exact_form import ConvexOfRatio, ExactForm, shares
from mechdesign.objectives.generator import Enclosed, Generator
from mechdesign.objectives.hypotheses import Hypotheses, total
from mechdesign.objectives.power_generator import PowerGenerator
from mechdesign.objectives.ratio import Ratio, RatioType
from mechdesign.objectives.shown_decision import ShownDecision
from mechdesign.parameters import Instance
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


class Divergence(Hypotheses, RatioType):
    """``D(first Q || second Q)`` of two distributions over the inputs, maximised; a subclass holds both and f."""

    @property
    @abstractmethod
    def generator(self) -> Generator:
        """Return the convex function f of the ratio."""

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the divergence, convex in `Q`: no convex program maximises it."""
        ratio = self.ratio(problem)
        return ratio.f.perspective(ratio.a @ Q, ratio.b @ Q)

    def no_privacy(self, problem: Problem) -> float:
        """Return the divergence of `first` and `second` themselves, infinite where it is."""
        try:
            return RatioType.no_privacy(self, problem)
        except DomainError:
            return math.inf

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the divergence with the exact hypotheses; None where f has no enclosure, or ratios have no bounds."""
        f = self.generator
        if not isinstance(f, Enclosed):
            return None
        form = ConvexOfRatio(shares(self.first), shares(self.second), f.enclosed, self.enclosed_value)
        return form if form.covers else None

    def enclosed_value(self, utility: Fraction) -> Enclosure:
        """Return bounds of the value at a utility."""
        return utility, utility

    def ratio(self, problem: Problem) -> Ratio:
        """Return ``a = first``, ``b = second`` and f."""
        first, second = self.first / total(self.first.tobytes()), self.second / total(self.second.tobytes())
        if self.generator.centre != 1.0:
            return Ratio(first, second, self.generator)
        return Ratio(first, second, self.generator, self.difference, 0.0)

    def shown(self, problem: Problem) -> ShownDecision:
        """Return that decisions are likelihood ratios."""
        return ShownDecision("log-likelihood ratio ln Pr(y|first)/Pr(y|second)", "nats", by_logarithm=True)


#: A generator that is sound, for messages.
KL = KLGenerator()


@dataclass(frozen=True)
class Sound(Instance):
    """Generators that agree with themselves on a sample of ratios."""

    kind: type = Generator
    rule: str = "it has to be a Generator: a convex function with its derivative, limits and cvxpy form"
    sample: Any = KL

    def check(self, argument: str, value: Any) -> Generator:
        """Return `value`, a generator whose tangents do not lie above it."""
        generator: Generator = super().check(argument, value)
        generator.check()
        return generator


#: The generators that readers of proofs know, by their names.
KNOWN = (
    ChiSquareGenerator,
    HellingerGenerator,
    JensenShannonGenerator,
    KLGenerator,
    PowerGenerator,
    TotalVariationGenerator,
)


@dataclass(frozen=True, eq=False)
class FDivergence(Divergence):
    r"""sum_y s_y f(p_y / s_y) with ``p = first Q`` and ``s = second Q``; maximised. No prior is used.

    Of ratio type with ``a = first``, ``b = second``. Where ``s_y = 0`` the term is ``p_y lim f(t)/t``, so the value of
    a matrix may be infinite; where a notion allows such outputs, the design is refused.

    Parameters
    ----------
    f : Generator
        A convex function of the ratio, with its derivative, limits and cvxpy form; checked on a sample of ratios.
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        An f that is no generator, or whose tangents lie above it; vectors that are no distributions, or whose
        lengths differ from each other or from the number of inputs.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, Section V, before eq. (20).

    Examples
    --------
    >>> import mechdesign as md
    >>> from mechdesign.objectives import TotalVariationGenerator
    >>> objective = md.FDivergence(TotalVariationGenerator(), first=[1, 0], second=[0, 1])
    >>> objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2))
    0.5
    """

    card = Card(
        "f-divergence of the outputs' two distributions",
        latex=r"\sum_y s_y f\left(\frac{p_y}{s_y}\right)",
        search=("hypothesis testing",),
        works=("yoshida",),
        examples=(
            lambda rng: (FDivergence(ChiSquareGenerator(), **hypotheses(4, rng)), Problem(n=4)),
            lambda rng: (FDivergence(HellingerGenerator(), **hypotheses(3, rng)), Problem(n=3)),
            lambda rng: (FDivergence(PowerGenerator(2.5), **hypotheses(3, rng)), Problem(n=3)),
        ),
        sized=lambda problem, rng: FDivergence(HellingerGenerator(), **hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(FDivergence(KLGenerator(), **two_ends()), math.log(3) / 2, "(1/2) ln 3 nats"),
    )

    f: Generator
    first: Array
    second: Array
    domains = {**Divergence.domains, "f": Sound()}

    if TYPE_CHECKING:

        def __init__(self, f: Generator, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    @property
    def generator(self) -> Generator:
        """Return the convex function f of the ratio."""
        return self.f

    def exact_form(self, problem: Problem) -> ExactForm | None:
        """Return the divergence with the exact hypotheses; None for generators that no reader of proofs knows."""
        return Divergence.exact_form(self, problem) if type(self.f) in KNOWN else None

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the sum over outputs, each by the case of which distributions give it."""
        terms = []
        for p, s, apart in zip(*self.pair(matrix), self.apart(matrix), strict=True):
            if s == 0:
                terms.append(p * self.f.slope_at_infinity if p > 0 else 0.0)
            elif p == 0:
                terms.append(s * self.f.at_zero)
            elif self.f.centre == 1.0 and abs(apart) <= self.f.reach * s:
                terms.append(s * float(self.f.value_near(np.array([apart / s]))[0]))
            else:
                terms.append(s * float(self.f.value(np.array([p / s]))[0]))
        return math.fsum(terms)

    def __str__(self) -> str:
        return f"{self.name}({self.f.name})"
