"""A mechanism without a matrix: its probabilities by formula, for more inputs than a matrix could have."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np

from mechdesign.accounting.shuffling import repeated
from mechdesign.displays import Block, Lines
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.cover_estimate import CoverEstimate, known_cover_method
from mechdesign.estimation.from_reports import with_warning
from mechdesign.estimation.records import By
from mechdesign.exact import Integers
from mechdesign.families import Family, UnaryEncoding
from mechdesign.mechanism.certificate import Certificate
from mechdesign.mechanism.given_reports import reports_seen
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.plain_data import arguments_of_family, of_family
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.runtime.memory import GIGABYTE, ceiling
from mechdesign.runtime.random_bits import Integers as Whole
from mechdesign.tolerances import DENOMINATOR_BITS

#: Bytes for each entry of a matrix while it is made.
OF_ENTRY = 24.0
#: At most so many reports are drawn at once to find one that covers an input.
MOST_DRAWN = 1 << 16
#: So many outputs have rows of bits only.
MOST_OUTPUTS = 1 << 62
#: What a survey's estimates need a matrix for.
OF_SURVEYS = ("weights", "strata", "clusters", "population", "replicate_weights", "replicates", "groups")


class ImplicitMechanism(Mechanism):
    """A mechanism of a family whose probabilities have formulas; outputs are numbers below ``family.outputs``.

    Reports are drawn exactly, estimated from and audited without a matrix. `matrix` makes it if there is memory for it;
    what needs the matrix and has none is refused in a sentence.

    Parameters
    ----------
    family : Family
        Formulas, sampler and estimator.
    question : Question, optional
        What it was designed for.
    certificate : Certificate, optional
        Its value and a bound for all mechanisms.
    problem : Problem, optional
        Who reports, if there is no question; numbers from 0 by default.
    notion : Notion, optional
        LDP at the level that it keeps, if there is no question.

    Attributes
    ----------
    matrix : ndarray, shape (n, outputs)
        Made when it is asked for, rounded to multiples of ``2**-53``; refused if there is no memory for it.
    outputs : range
        Numbers from 0.
    moved : float
        0: probabilities are the formula's, and only `matrix` is rounded.

    Raises
    ------
    DomainError
        Another number of inputs than the family's; no question and no notion, or a ratio of probabilities that it does
        not allow.

    Examples
    --------
    >>> import mechdesign as md
    >>> words = md.baselines.projective_response(md.Problem(n=10**6), 1.0)
    >>> words.matrix
    Traceback (most recent call last):
    mechdesign.errors.UnsupportedError: A matrix of 1000000 inputs and 1398101 outputs would take about 3.36e+04 GB...
    >>> reports = words.sample([3, 141592, 3])
    >>> bool(0 <= reports.min() and reports.max() < words.family.outputs)
    True
    """

    family: Family
    usual_method: ClassVar[str] = "unbiased"

    def __init__(
        self,
        family: Family,
        question: Question | None = None,
        certificate: Certificate | None = None,
        *,
        problem: Problem | None = None,
        notion: Notion | None = None,
    ) -> None:
        given = {"family": family, "question": question, "certificate": certificate, "notion": notion, "moved": 0.0}
        for name, value in given.items():
            object.__setattr__(self, name, value)
        own = problem if problem is not None or question is not None else Problem(n=family.n)
        object.__setattr__(self, "problem", own)
        if self.inputs.n != family.n:
            rule = f"the family is over {family.n} inputs"
            raise DomainError("problem", f"of {self.inputs.n} inputs", rule, "give the problem that it was made for")
        asked = self.guarantee
        if asked is None:
            raise DomainError("notion", None, "it says what the mechanism keeps private", "give LDP(epsilon)")
        if not all(asked.holds_exactly(pair, Problem(n=2)) for pair in self.compared_rows):
            rule = f"its ratio of probabilities, {float(family.ratio)!r}, is larger than {asked} allows"
            raise DomainError("family", family.name, rule, "give a ratio of at most e^epsilon")

    @cached_property
    def numerators(self) -> Integers:
        """The matrix as integers over ``2**53``, if there is memory for it."""
        family = self.family
        outputs, allowed = family.outputs, ceiling()
        needed = OF_ENTRY * family.n * outputs if outputs < MOST_OUTPUTS else math.inf
        if needed > allowed.bytes:
            count = outputs if needed < math.inf else f"2^{family.n}"
            size = f"about {needed / GIGABYTE:.3g} GB" if needed < math.inf else "more memory than there is"
            raise UnsupportedError(
                f"A matrix of {family.n} inputs and {count} outputs would take {size}, more than {allowed.source}; "
                "sample, simulate, estimate, audit, save, people_needed and privacy_profile do without it."
            )
        return family.matrix_numerators()

    @cached_property
    def matrix(self) -> Array:  # type: ignore[override] # the field of the base class, made when it is asked for
        """``Q[x, y] = Pr(y | x)`` rounded to multiples of ``2**-53``, if there is memory for it."""
        return frozen(np.ldexp(self.numerators.astype(float), -DENOMINATOR_BITS))

    @property
    def outputs(self) -> Any:  # type: ignore[override] # numbers, which are not listed
        """The outputs: numbers from 0."""
        return range(self.family.outputs)

    @property
    def shape(self) -> tuple[int, int]:
        """How many inputs and outputs it has."""
        return self.family.n, self.family.outputs

    @property
    def reports_are_numbers(self) -> bool:
        """Whether a report is the number of an output; otherwise it is a row of bits."""
        return not isinstance(self.family, UnaryEncoding)

    @property
    def used_outputs(self) -> int:
        """How many outputs occur."""
        return self.family.used_outputs

    @cached_property
    def witness(self) -> tuple[int, int, int]:
        """Two inputs, and an output that covers the first of them and not the second."""
        if not self.reports_are_numbers:
            # The bit of input 0 alone.
            return 0, 1, 1
        source, unlike, count = np.random.default_rng(0).bytes, self.family.unlike, 64
        while True:
            drawn = self.family.sample(np.full(count, unlike[0]), source)
            covering = (self.family.covers(np.full(count, x), drawn) for x in unlike)
            found = next(covering) & ~next(covering)
            if found.any():
                return *unlike, int(drawn[np.argmax(found)])
            # Of many answers each is rare.
            count = min(2 * count, MOST_DRAWN)

    @property
    def ignores_input(self) -> bool:
        """Whether all outputs are as likely from every input."""
        return self.family.ratio == 1

    @property
    def compared_rows(self) -> tuple[Integers, ...]:
        """Two rows for each sort of pair of inputs, as integers of one sum, outputs that are alike added up."""
        return tuple(pair[:2] for pair in self.family.pairs)

    def least_rows(self, reports: int) -> tuple[Integers, ...]:
        """Return what no row of several reports is below, for each sort of pair of inputs, from the least row."""
        return tuple(repeated(pair[2:3], reports)[0] for pair in self.family.pairs)

    def two_rows(self, x: int, z: int) -> Integers:
        """Return two rows by number as integers of one sum, outputs that are alike added up."""
        return self.family.pair_of(x, z)

    def _key(self) -> tuple[Any, ...]:
        return (self.family, self.question, self.certificate, self.problem, self.notion)

    def __repr__(self) -> str:
        proved = "" if self.certificate is None else f", value={self.certificate.value:.9g}"
        return f"{type(self).__name__}(n={self.family.n}, {self.family.name}, {self.guarantee}{proved})"

    def display(self) -> tuple[Block, ...]:
        """Return the question and the certificate, if there are such, and the family."""
        asked = self.question.display() if self.question is not None else ()
        proved = () if self.certificate is None else (self.certificate.shown("Certificate"),)
        return (*asked, *proved, Lines("Mechanism without a matrix", self.family.sentences()))

    def over(self, inputs: Problem) -> Mechanism:
        """Return the mechanism itself, if the inputs have the same labels in the same order.

        Raises
        ------
        DomainError
            Inputs of other labels, or in another order.
        """
        own = self.inputs.labels
        if own is not None and inputs.labels is not None and own != inputs.labels:
            rule = "a mechanism without a matrix has its inputs in one order"
            raise DomainError("problem", "with other labels", rule, "give the problem that it was made for")
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the family by name and numbers, with the question and the claims or the notion."""
        return of_family(self.family, self.question, self.certificate, self.problem, self.notion)

    @classmethod
    def from_dict(cls, data: dict[str, Any], own: Sequence[type] = ()) -> ImplicitMechanism:
        """Return the mechanism that `to_dict` wrote, its claims not yet re-derived."""
        return cls(**arguments_of_family(data, own))

    def estimate(  # type: ignore[override] # other results, of other methods
        self,
        reports: Any = None,
        *,
        counts: Any = None,
        method: Any = "unbiased",
        by: By | None = None,
        missing: Any = None,
        drop_missing: bool = False,
        **survey: Any,
    ) -> CoverEstimate:
        """Return estimates of the population's frequencies from how many reports cover each input.

        Parameters
        ----------
        reports : array_like, optional
            The number of an output for each person, as `sample` returns them; of a unary encoding a row of packed bits
            each, as `sample` returns them, or a row of n zeros and ones.
        counts : mapping or array_like of shape (outputs,), optional
            The reports of each output, in place of `reports`; of a mapping by the number of the output.
        method : {"unbiased", "nonnegative"}
            The linear estimates, some of which may be negative, or the distribution nearest to them.
        by : {"label", "index"}, optional
            Outputs have no other names than their numbers.
        missing : str, number or sequence, optional
            Codes of a missing report, beside None and NaN, which `drop_missing` leaves out.
        drop_missing : bool
            Whether missing reports are left out.
        **survey
            What `Mechanism.estimate` takes for a survey, which is refused here.

        Returns
        -------
        CoverEstimate
            ``frequencies``, ``standard_errors``, ``interval(level)``, ``functional(weights)``, ``mean(values)``,
            ``total(size)``, ``top(k)``.

        Raises
        ------
        DomainError
            Neither or both of reports and counts; numbers that are no outputs; nothing at all; another method.
        UnsupportedError
            Weights, strata, clusters or groups.

        Warns
        -----
        FitWarning
            The reports do not fit the mechanism, whatever the population.
        """
        for name, value in survey.items():
            if name not in OF_SURVEYS:
                raise DomainError(name, value, "estimate has no such parameter", "leave it out")
            if value is not None:
                rule = "is for mechanisms with a matrix; estimate each group or stratum by itself"
                raise UnsupportedError(f"{name}= {rule}.")
        wanted = known_cover_method(method)
        if by not in (None, *get_args(By)):
            raise DomainError("by", by, 'it has to be "label" or "index"', "choose one of them")
        self._require_identified()
        seen, times = reports_seen(self.family, reports, counts, missing, drop_missing)
        made = CoverEstimate(self.family, self.inputs, seen, times.astype(float), wanted)
        return with_warning(made)

    def _drawn(self, records: Whole, generator: np.random.Generator | None = None) -> Whole:
        """Return an output for each record: exactly, or from numpy's generator."""
        flat = np.ascontiguousarray(records, dtype=np.int64).reshape(-1)
        found = self.family.sample(flat, os.urandom if generator is None else generator.bytes)
        return found.reshape(*np.shape(records), *found.shape[1:])

    def _require_identified(self) -> None:
        """Raise unless reports identify the population's frequencies."""
        if not self.family.identifies:
            raise UnsupportedError(
                f"Reports of a {self.family.name} do not identify the population's frequencies: design for "
                'InformationDesign("A") to estimate them.'
            )
        if self.family.ratio == 1:
            raise UnsupportedError("At epsilon 0 reports say nothing of the population: give a mechanism of more.")

    def variances_planned(self, theta: Array, lines: Array | None = None) -> Array:
        """Return the variance of each estimated share of a population, times the number of reports."""
        if lines is not None:
            raise UnsupportedError("Queries are planned for with a mechanism that has a matrix.")
        self._require_identified()
        return self.family.variances(theta)
