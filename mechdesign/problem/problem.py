"""The question's data: who may hold which value, how likely, and which part is secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import listed
from mechdesign.errors import DomainError
from mechdesign.exact import integers
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, EqualByContent
from mechdesign.parameters.labels import Places, aligned, named
from mechdesign.parameters.written_numbers import written
from mechdesign.problem.exact_parts import ExactParts
from mechdesign.problem.from_data import FromData
from mechdesign.problem.given_secret import GivenSecret, mixed
from mechdesign.problem.hidden_secret import HiddenSecret
from mechdesign.problem.interval import FIRST_POINTS, UNIFORM, given_interval, require_points, uniform_law
from mechdesign.problem.interval import points as points_of
from mechdesign.problem.labelled import in_one_order
from mechdesign.problem.required import required


@dataclass(frozen=True, eq=False)
class Problem(FromData, HiddenSecret, EqualByContent, Displayed):
    """Inputs ``x = 0..n-1`` of a mechanism: prior ``P[x] = Pr(X = x)``, numeric values, labels, hidden secret.

    Parameters
    ----------
    prior : array_like, shape (n,), optional
        Positive probabilities that sum to one within 1e-9, kept as given.
    values : array_like, shape (n,), optional
        The number that each input stands for, in the user's unit; without labels it is what people answer. Columns of
        pandas are aligned by their index.
    labels : sequence of str, optional
        Distinct names of the inputs; without them the index of a column of pandas, where it has one.
    n : int, optional
        Number of inputs, where none of the others gives it.
    prior_source : str, optional
        Where the prior comes from. A prior estimated from private data leaks, so audits say whose it is.
    data_given_secret, secret_prior, secret_given_data, secret_labels : array_like, optional
        The hidden secret, as `hidden` takes it: notions then look at the secret. What follows from the others may be
        given too, and has to agree with them within 1e-9.
    data_of_input : array_like of int, optional
        The datum that each input carries, set by a notion whose mechanism sees more than the datum.
    interval : tuple of float, optional
        The ends of an interval whose real numbers people hold, as `from_interval` sets it; the values are points of it.

    Raises
    ------
    DomainError
        Lengths that disagree, a prior that is no distribution or has a zero, values that are not finite; parts of a
        hidden secret that contradict each other or the prior, or a prior of the secret without a channel.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    Problem(n=3, prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    """

    prior: Array | None = None
    values: Array | None = None
    labels: tuple[str, ...] | None = None
    n: int = field(default=0, kw_only=True)
    prior_source: str | None = field(default=None, kw_only=True)
    #: ``W[s, x] = Pr(X = x | S = s)``, and the secret's prior; None where the secret is the input itself.
    data_given_secret: Array | None = field(default=None, kw_only=True, repr=False)
    secret_prior: Array | None = field(default=None, kw_only=True, repr=False)
    #: ``R[s, x] = Pr(S = s | X = x)`` where the secret was given so: the exact check starts from it.
    secret_given_data: Array | None = field(default=None, kw_only=True, repr=False)
    #: Distinct names of the values of a hidden secret.
    secret_labels: tuple[str, ...] | None = field(default=None, kw_only=True, repr=False)
    #: The datum that each input carries, where a notion widened the inputs; None means each its own.
    data_of_input: npt.NDArray[np.int64] | None = field(default=None, kw_only=True, repr=False)
    #: The ends of an interval whose numbers are rounded at random to one of the two values beside them; None elsewhere.
    interval: tuple[float, float] | None = field(default=None, kw_only=True, repr=False)
    #: Whether a design chooses how many points of the interval there are.
    chooses_points: bool = field(default=False, init=False, repr=False)
    #: The integers that distributions here are rounded from, where a notion has computed them (`with_exact_parts`).
    #: What `dataclasses.replace` returns may have other distributions, and is without them.
    exact_parts: ExactParts | None = field(default=None, init=False, repr=False)

    if TYPE_CHECKING:
        # What the constructor takes is wider than what is kept: lists become read-only arrays.
        def __init__(
            self,
            prior: npt.ArrayLike | None = None,
            values: npt.ArrayLike | None = None,
            labels: Sequence[object] | None = None,
            *,
            n: int = 0,
            prior_source: str | None = None,
            data_given_secret: npt.ArrayLike | None = None,
            secret_prior: npt.ArrayLike | None = None,
            secret_given_data: npt.ArrayLike | None = None,
            secret_labels: Sequence[object] | None = None,
            data_of_input: npt.NDArray[np.int64] | None = None,
            interval: tuple[float, float] | None = None,
        ) -> None: ...

    @classmethod
    def from_interval(
        cls, low: float, high: float, points: int | None = None, prior: Literal["uniform"] | None = None
    ) -> Self:
        """Return the problem of real numbers: a person holds any number from low to high.

        A mechanism is designed for some points of the interval. A number between two of them is rounded at random to
        one of the two, so that its expectation is the number: what is unbiased at the points is so for every number,
        and private for every two. A value is the largest over the whole interval, or the mean under the prior; a bound
        over the points bounds every mechanism of the interval.

        Parameters
        ----------
        low, high : float
            The ends, finite, in the unit of the numbers.
        points : int, optional
            How many equally spaced points, at least 2; by default the design chooses them for the gap it is asked for.
        prior : "uniform", optional
            Numbers are uniform on the interval; by default nothing is known of them.

        Returns
        -------
        Problem
            Its values are the points; its prior is the probability that a number is rounded to each.

        Raises
        ------
        DomainError
            Ends that are no finite numbers, or equal; fewer than 2 points; another prior.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Problem.from_interval(0, 100, points=5).values.tolist()
        [0.0, 25.0, 50.0, 75.0, 100.0]
        """
        ends = given_interval(low, high)
        count = FIRST_POINTS if points is None else domains.whole("points", points, 2)
        values, given = points_of(*ends, count), dict[str, Any]()
        if prior is not None:
            if not isinstance(prior, str) or prior != UNIFORM:
                remedy = "leave it out, or give Problem(values=..., prior=...) of some numbers"
                raise DomainError("prior", prior, f'the prior of an interval is "{UNIFORM}"', remedy)
            given = {"prior": uniform_law(values), "prior_source": f"{UNIFORM} on the interval"}
        made = cls(values=values, interval=ends, **given)
        object.__setattr__(made, "chooses_points", points is None)
        return made

    def __post_init__(self) -> None:
        for name, column in in_one_order(self.labels, prior=self.prior, values=self.values).items():
            object.__setattr__(self, name, column)
        self._require_one_length()
        given = [v for v in (self.prior, self.values, self.labels) if v is not None]
        secret = GivenSecret(self.secret_given_data, self.data_given_secret, self.secret_prior, self.secret_labels)
        # What leaves it out is 0, and None in some files.
        asked = (0 if self.n is None else domains.whole("n", self.n, 0)) or (0 if given else secret.data or 0)
        if not given and asked == 0:
            raise DomainError("n", self.n, "there has to be at least one input", "give prior, values, labels or n")
        count = domains.whole("n", asked or self._inputs(), 1)
        check = domains.positive_distribution if self.data_of_input is None else domains.distribution
        store = {
            "n": count,
            "prior": None if self.prior is None else check("prior", self.prior, count),
            "values": None if self.values is None else domains.vector("values", self.values, count),
            "labels": None if self.labels is None else domains.names("labels", self.labels, count),
        }
        for name, value in store.items():
            object.__setattr__(self, name, value)
        # Names of millions of inputs take gigabytes: they are made when something asks for them.
        secret = secret.completed(self.prior, count, () if secret.data is None else self.answers)
        for name in ("secret_given_data", "data_given_secret", "secret_prior"):
            object.__setattr__(self, name, getattr(secret, name))
        object.__setattr__(self, "secret_labels", secret.labels)
        if self.prior is None and self.secret_prior is not None and self.data_given_secret is not None:
            mixture = mixed(self.data_given_secret, self.secret_prior)
            object.__setattr__(self, "prior", check("prior", mixture / mixture.sum(), count))
        if self.data_of_input is not None:
            object.__setattr__(self, "data_of_input", _data(self.data_of_input, count))
        object.__setattr__(self, "secret_labels", self.checked_secret_labels())
        if self.prior_source is not None and not isinstance(self.prior_source, str):
            raise DomainError("prior_source", self.prior_source, "it has to be a text", "say whose data the prior is")
        if self.interval is not None:
            object.__setattr__(self, "interval", tuple(domains.vector("interval", self.interval, 2).tolist()))
            require_points(self)

    def _require_one_length(self) -> None:
        """Raise where prior, values and labels are of several lengths, or are no sequences."""
        first: tuple[str, int] | None = None
        for name in ("prior", "values", "labels"):
            given: Any = getattr(self, name)
            if given is None or not hasattr(given, "__len__") or getattr(given, "ndim", 1) != 1:
                # What is no sequence is refused by its own check.
                continue
            if first is not None and len(given) != first[1]:
                rule = f"{first[0]} has {first[1]}, and there is one entry for each input"
                raise DomainError(name, f"of length {len(given)}", rule, "give vectors of one length")
            first = first or (name, len(given))

    def _inputs(self) -> int:
        """Return how many inputs the first of prior, values and labels is for."""
        name = next(name for name in ("prior", "values", "labels") if getattr(self, name) is not None)
        given: Any = getattr(self, name)
        try:
            count = len(given)
        except TypeError:
            rule = "it has to be a sequence with an entry for each input"
            remedy = "give a list, even for one input"
            if isinstance(given, int | np.integer) and 0 < given <= domains.LARGEST_WHOLE:
                remedy = f"give Problem(n={given}) for so many inputs"
            raise DomainError(name, given, rule, remedy) from None
        if not count:
            raise DomainError(name, "empty", "there has to be at least one input", "give an entry for each")
        return count

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """What people answer, by name: the labels; else the values, where they differ; else numbers from 0."""
        if self.labels is None and self.has_distinct_values:
            values = self.required_values.tolist()
            # Points of an interval are fractions that nobody has written.
            short = tuple(f"{value:.6g}" for value in values) if self.interval is not None else ()
            return short if short and len(set(short)) == len(short) else tuple(map(written, values))
        return named(self.labels, self.n)

    @cached_property
    def has_distinct_values(self) -> bool:
        """Whether each input has a value that no other has."""
        return self.values is not None and len(np.unique(self.values)) == self.n

    @property
    def distinct_answers(self) -> tuple[str, ...]:
        """What people answer, by name; a DomainError where several inputs have one value, and no labels.

        Without labels and values it is the number of an input, from 0.
        """
        if self.labels is None and self.values is not None and not self.has_distinct_values:
            twice = written(domains.first_repeated(self.values.tolist()))
            rule = "several inputs have it, and an answer is one of them"
            raise DomainError("values", f"{twice} twice", rule, 'give Problem(labels=...), or records by="index"')
        return self.answers

    @cached_property
    def places(self) -> Places:
        """The input of each answer by name: a table that is made once, and not for each record."""
        return Places(self.distinct_answers)

    def named(self, x: int) -> str:
        """Return the name of input `x`: its label, else its value, else its number."""
        return self.answers[x]

    def names_along(self, axis: str) -> tuple[str, ...]:
        """Return the names of the inputs or data, by which decisions are named too, or of the secret's values.

        Raises
        ------
        DomainError
            Names of the data where each input carries a datum and more.
        """
        if axis == "secrets" and self.is_hidden:
            return named(self.secret_labels, self.secrets)
        if axis in ("data", "decisions") and self.data_of_input is not None:
            rule = "the notion's inputs say more than the datum"
            raise DomainError("problem", "one over a notion's inputs", rule, "give the problem over the data")
        return self.answers

    def in_order(self, argument: str, given: Any) -> Array:
        """Return one finite number for each input: by the labels that `given` carries, else by position.

        Raises
        ------
        DomainError
            Other labels than the problem's, another number of entries, no finite numbers.
        """
        return aligned(argument, given, self.answers, self.n)

    def values_in_order(self, given: Any = None) -> Array:
        """Return the number of each input, shape (n,): `given`, or the problem's values.

        Raises
        ------
        DomainError
            Neither, or what `in_order` refuses.
        """
        if given is None and self.values is None:
            raise DomainError("values", None, "the problem has none", "give values=..., or Problem(values=...)")
        return self.required_values if given is None else self.in_order("values", given)

    @property
    def is_about_answers(self) -> bool:
        """Whether the input alone is secret and useful: nothing is hidden behind it, and no notion widened it."""
        return not self.is_hidden and self.data_of_input is None

    @property
    def required_prior(self) -> Array:
        """The prior, shape (n,); a DomainError without a prior."""
        return required("prior", self.prior, "give Problem(prior=...)")

    @property
    def required_values(self) -> Array:
        """The values, shape (n,); a DomainError where there are none."""
        return required("values", self.values, "give Problem(values=...)")

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """The prior and the values less their mean; the values' spread counts as none where it is rounding."""
        given, own = self.required_prior, self.required_values
        prior = given / given.sum()
        # Each value less the exact mean, rounded once: the spread may be far smaller than the values.
        weights, exact_values = integers(given), [Fraction(value) for value in own.tolist()]
        common = math.lcm(*(value.denominator for value in exact_values))
        whole, total = [int(value * common) for value in exact_values], sum(weights)
        mean = sum(weight * value for weight, value in zip(weights, whole, strict=True))
        values = np.array([(value * total - mean) / (total * common) for value in whole])
        # What is left of equal values is the rounding of their mean.
        rounding = 8.0 * np.finfo(float).eps * float(np.abs(own).max())
        spread = values if float(np.abs(values).max()) > rounding else np.zeros_like(values)
        return domains.frozen(prior), domains.frozen(spread)

    def __repr__(self) -> str:
        shown = [f"n={self.n}"]
        for name in ("prior", "values", "labels"):
            given = getattr(self, name)
            if given is not None:
                shown.append(f"{name}={listed(given)}")
        if self.is_hidden:
            shown.append(f"hidden secret of {self.secrets} values")
        return f"Problem({', '.join(shown)})"

    def display(self) -> tuple[Block, ...]:
        """Return how many inputs there are, whose prior it is, and a table of the inputs."""
        said = [f"{self.n} inputs." if self.n > 1 else "One input."]
        if self.interval is not None:
            said = [
                f"Real numbers from {self.named(0)} to {self.named(self.n - 1)}, rounded at random to {self.n} points."
            ]
        if self.prior is not None:
            said.append(f"Prior: {self.prior_source or 'its source is not stated'}.")
        if self.is_hidden:
            said.append(f"A hidden secret of {self.secrets} values is correlated with them.")
        columns = {name: getattr(self, name) for name in ("values", "prior") if getattr(self, name) is not None}

        def row(x: int) -> tuple[str, ...]:
            return (self.named(x), *(f"{column[x]:.6g}" for column in columns.values()))

        heads = ("input", *(name.removesuffix("s") for name in columns))
        return (Lines("Problem", tuple(said)), Table.of("", heads, self.n, row, ("input",), "inputs"))


def _data(given: Any, inputs: int) -> npt.NDArray[np.int64]:
    """Return the datum of each input: whole numbers, of which there are no more than inputs."""
    listed = np.asarray(given).tolist()
    held = isinstance(listed, list) and len(listed) == inputs
    if not held or not all(type(x) is int and 0 <= x < inputs for x in listed):
        rule = f"it has to be a whole number from 0 to {inputs - 1} for each of the {inputs} inputs"
        raise DomainError("data_of_input", given, rule, "leave it out: a notion sets it")
    found = np.array(listed, dtype=np.int64)
    found.setflags(write=False)
    return found
