"""What a design is: the mechanism, its proof, and the story of how they were found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mechdesign.displays import Block, Displayed, Record
from mechdesign.errors import DomainError, MechdesignError, nearest
from mechdesign.estimation.identifiability import sentence
from mechdesign.mechanism import Certificate, ImplicitMechanism, Mechanism
from mechdesign.mechanism.audit import Audit
from mechdesign.parameters.calls import refuse_arguments
from mechdesign.parameters.checks import Array
from mechdesign.solve.solvers.linear_program import SolverStats

if TYPE_CHECKING:
    from mechdesign.designing.accounts import Central
    from mechdesign.designing.story import Why
    from mechdesign.plotting.canvas import Axes, Figure
    from mechdesign.rivals.rival import Rival
    from mechdesign.solve.certificate.price_curve import PriceCurve


#: Rounding of a formula's value, as a share of it.
ROUNDED = 1e-13
#: What reports of a family identify.
ALL_IDENTIFIED = "Reports identify the population's frequencies."
#: What is said of mechanisms without a matrix that reveal some inputs only.
NOT_IDENTIFIED = (
    'Reports do not identify the population\'s frequencies; InformationDesign("A") is the objective for all.'
)


@dataclass(frozen=True)
class Attempt(Record):
    """One try of one solver: what it did, and how long it took.

    Attributes
    ----------
    route : str
        The route that called it.
    solver : str
        Its name.
    outcome : str
        How it ended.
    seconds : float
        How long it took.
    """

    route: str
    solver: str
    outcome: str
    seconds: float


@dataclass(frozen=True)
class Design(Displayed):
    """An exactly private mechanism with the proof of how good it is.

    Attributes
    ----------
    mechanism : Mechanism
        The matrix with its outputs' names, its question and its certificate.
    value : float
        The objective in its own sense.
    bound : float
        No mechanism does better than this.
    gap : float
        ``|value - bound| / max(|value|, |bound|, 1e-6 span)``, rounded up; the span is between the values without
        information and without privacy.
    route : str
        The name of the route that found it.
    reason : str
        Why this route.
    refusals : Mapping
        By name, why not the others.
    attempts : tuple of Attempt
        Every try of every solver, failures included.
    timings : dict
        Seconds for build, compile, solve, repair, certify.
    solver_stats : SolverStats
        Which solver ran, how it ended, how long it took, in how many iterations.
    audit : Audit
        The exact check of the matrix against the notion.
    note : str
        What the route says of its work.
    interrupted : bool
        Whether Ctrl-C ended the search: it is the best mechanism so far, with a true bound.
    late : bool
        Whether the time limit ended the search: with more time the gap may be smaller.
    central : (Central, float), optional
        The central guarantee that was asked for, and the epsilon that shuffled reports keep with its delta.
    """

    mechanism: Mechanism
    value: float
    bound: float
    gap: float
    route: str
    reason: str
    refusals: Mapping[str, str]
    attempts: tuple[Attempt, ...]
    timings: dict[str, float]
    solver_stats: SolverStats
    audit: Audit
    note: str
    interrupted: bool = False
    late: bool = False
    central: tuple[Central, float] | None = None

    @property
    def matrix(self) -> Array:
        """``Q[x, y] = Pr(y | x)``: multiples of 2**-53 whose rows sum to exactly one; only outputs that occur."""
        return self.mechanism.matrix

    @property
    def by_decision(self) -> Array:
        """The matrix with a column for each decision of the objective, in their order, as ``objective.value`` takes it.

        `matrix` lists only the decisions that are made. Where outputs are no decisions, the two are the same.
        """
        # The routes' modules are loaded with the first design, not with the package.
        from mechdesign.solve.pricing.revealing_outputs import columns_by_decision

        return columns_by_decision(self.mechanism)

    @property
    def rounding(self) -> float:
        """By how much the value may be off the exact one, by an estimate of the rounding of floats."""
        if isinstance(self.mechanism, ImplicitMechanism):
            return ROUNDED * abs(self.value)
        return self.mechanism.asked.objective.rounding(self.by_decision, self.mechanism.inputs)

    @property
    def uninformative(self) -> bool:
        """Whether the mechanism ignores its input: all rows are equal, and reports carry no information."""
        return self.mechanism.ignores_input

    @property
    def certificate(self) -> Certificate:
        """The mechanism's certificate: value, bound and gaps, and whether the bound is proved in integers."""
        return self.mechanism.claimed

    @property
    def gap_of_gain(self) -> float:
        """``|value - bound|`` over what the value gains on a mechanism that ignores its input, rounded up.

        Infinite where nothing is gained and the bound allows something. Where an objective's value is large and the
        gain small (the mean squared error next to no information), judge the mechanism by this, not by the gap.
        """
        return self.mechanism.claimed.gap_of_gain

    def price_curve(self) -> PriceCurve:
        """Return what each decision gains beyond the certificate's price: nowhere above 0, and 0 where it is made.

        Raises
        ------
        UnsupportedError
            Decisions that are neither numbers nor a list; a certificate that is a tree or counts a user's constraints.
        """
        from mechdesign.solve.certificate.price_curve import price_curve

        return price_curve(self.mechanism)

    def plot(self, ax: Axes | Figure | None = None, *, what: str = "mechanism", **options: Any) -> Figure:
        """Draw the design.

        Parameters
        ----------
        ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
            Where to draw; by default in a figure of its own, which notebooks show.
        what : {"mechanism", "posterior", "levels", "certificate", "privacy profile"}
            By ``mechdesign.plotting``: heat_map, posterior_map, output_levels, certificate or privacy_profile.
        **options
            The keywords of that function (``rows``, ``columns``, ``largest``, ...).

        Returns
        -------
        matplotlib.figure.Figure
            The figure drawn in.

        Raises
        ------
        DomainError
            Another `what` (the nearest is named); what that function refuses.
        UnsupportedError
            A certificate that is no curve; matplotlib is not installed.

        Examples
        --------
        >>> import mechdesign as md
        >>> made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())
        >>> made.plot(what="posterior").axes[0].get_ylabel()
        'input x'
        """
        from mechdesign import plotting

        pictures: dict[str, Callable[..., Figure]] = {
            "mechanism": plotting.heat_map,
            "posterior": plotting.posterior_map,
            "levels": plotting.output_levels,
            "certificate": plotting.certificate,
            "privacy profile": plotting.privacy_profile,
        }
        if not isinstance(what, str) or what not in pictures:
            raise DomainError("what", what, "there is no such picture of a design", nearest(str(what), pictures))
        draw = pictures[what]
        shown = self.audit if what == "levels" else self
        for name, value in options.items():
            if isinstance(value, str) and value in pictures:
                raise DomainError(name, value, "a design chooses its picture by what", f'write what="{value}"')
        refuse_arguments(draw, (shown, ax), options)
        return draw(shown, ax, **options)

    def shortfall(self, asked: float) -> str | None:
        """Return the sentence of a gap that is wider than `asked`, or hidden by its divisor; None for no such gap."""
        from mechdesign.designing.shortfall import shortfall

        return shortfall(self, asked)

    @property
    def identifiability(self) -> str:
        """The sentence of what reports of the mechanism can estimate of the population without bias."""
        if isinstance(self.mechanism, ImplicitMechanism):
            family = self.mechanism.family
            return ALL_IDENTIFIED if family.identifies and family.ratio > 1 else NOT_IDENTIFIED
        question = self.mechanism.asked
        return sentence(self.mechanism.identifiability, question.notion.inputs(question.problem))

    @cached_property
    def rivals(self) -> tuple[Rival, ...]:
        """What one would use instead, on the same question; empty where nothing can be compared by its objective."""
        from mechdesign.rivals.without_matrix import rivals_of

        try:
            return rivals_of(self.mechanism.asked)
        except MechdesignError:
            return ()

    def beside(self, mechanisms: Any) -> tuple[Rival, ...]:
        """Return mechanisms of one's own as rows beside the design: value and level on its question, and `rivals`.

        Parameters
        ----------
        mechanisms : mapping from names, or sequence of Mechanism or Design
            Over the same inputs; one alone is a sequence of one. They need not satisfy the notion: a row says so.

        Returns
        -------
        tuple of Rival
            The given ones first, then those of `rivals`.

        Raises
        ------
        DomainError
            What is no mechanism, or has other inputs.

        Examples
        --------
        >>> import mechdesign as md
        >>> people = md.Problem(labels=["yes", "no"])
        >>> made = md.design(people, md.LDP(1.0), md.InformationDesign("A"))
        >>> spinner, *_ = made.beside({"spinner": md.baselines.warner(0.6)})
        >>> spinner.name, round(spinner.level, 6), round(spinner.value / made.value, 2)
        ('spinner', 0.405465, 5.34)
        """
        from mechdesign.rivals.own_mechanisms import named_mechanisms, own_rivals

        return (*own_rivals(self.mechanism.asked, named_mechanisms(mechanisms)), *self.rivals)

    @property
    def why(self) -> Why:
        """How it was found, to be printed: the route, why no other, attempts, seconds, notes on known mechanisms."""
        from mechdesign.designing.story import Why

        return Why(self)

    def people_needed(self, error: float | None = None, level: float = 0.95, **keywords: Any) -> int:
        """Return how many people have to report for short intervals, or a test; see `Mechanism.people_needed`."""
        return self.mechanism.people_needed(error, level, **keywords)

    def certify(self, mechanism: Any) -> Mechanism:
        """Return another private mechanism as an answer to the same question: its own value, beside this bound.

        For a known mechanism, or one with fewer outputs, that is to be used in place of the optimum: it is saved with
        what it gives away.

        Parameters
        ----------
        mechanism : Mechanism or Design
            Over the same inputs. Where outputs stand for decisions, those of other names are taken as the decision that
            is best for each of them.

        Returns
        -------
        Mechanism
            With the question of the design, and a certificate of its value, the design's bound and the gap between.

        Raises
        ------
        DomainError
            No mechanism; one of other inputs, of more outputs than the question allows, that does not satisfy the
            notion in exact arithmetic, or on which the objective is infinite.
        UnsupportedError
            A design with constraints of your own, which the mechanism need not satisfy.

        Examples
        --------
        >>> import mechdesign as md
        >>> survey = md.Problem(n=9)
        >>> made = md.design(survey, md.LDP(1.0), md.InformationDesign("A"))
        >>> other = made.certify(md.baselines.randomised_response(survey, 1.0))
        >>> other.matrix.shape, other.claimed.bound == made.bound, other.claimed.gap > 0.1
        ((9, 9), True, True)
        """
        from mechdesign.designing.certifying import certified

        return certified(self.mechanism.asked, self.mechanism.claimed, mechanism)

    def report(self, path: str | Path, *, about: Mapping[str, str] | None = None, overwrite: bool = False) -> Path:
        """Write what people have to know of the mechanism as one page of HTML; see `md.report`."""
        from mechdesign.reports.writing import write_report

        return write_report(self.mechanism, path, about=about, overwrite=overwrite)

    def sampler(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write a program that draws reports where the answers are, in Python or for browsers; see `md.sampler`."""
        from mechdesign.sampler_programs import sampler

        return sampler(self.mechanism, path, overwrite=overwrite)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question and what the command reports of the answer."""
        from mechdesign.designing.story import summary

        return (*self.mechanism.asked.display(), *summary(self))

    def _repr_html_(self) -> str:
        """Return the display for a notebook, the matrix with it if there is one."""
        from mechdesign.displays.html import fragment

        made = self.mechanism
        matrix = (made.display()[-1],) if isinstance(made, ImplicitMechanism) else (made.grid,)
        return str(fragment((*self.display(), *matrix)))

    def __hash__(self) -> int:
        # Refusals and statistics do not distinguish two designs in a set.
        return hash(self.mechanism)

    def __repr__(self) -> str:
        return (
            f"Design(value={self.value:.9g}, bound={self.bound:.9g}, gap={self.gap:.1e}, "
            f"gap_of_gain={self.gap_of_gain:.1e}, route={self.route!r}, "
            f"proved={self.certificate.proved}{', uninformative' * self.uninformative})"
        )
