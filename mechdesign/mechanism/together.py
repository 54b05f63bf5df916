"""What several reports say together: the product of mechanisms, of one datum or of several attributes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import product
from typing import Any, Literal

import numpy as np

from mechdesign.accounting import Composition, composition
from mechdesign.accounting.dp_accounting import is_of_dp_accounting, of_dp_accounting
from mechdesign.accounting.privacy_loss import PrivacyLoss
from mechdesign.errors import DomainError
from mechdesign.estimation.sampling import Indices
from mechdesign.exact import Integers
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.parameters.checks import entries, frozen
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.memory import GIGABYTE, TRIFLE, ceiling

#: Bytes of an entry of the product: two floats and an integer of any length, and what each factor adds to that.
OF_ENTRY, OF_DIGITS = 52, 8
#: Bytes of an output's name without its letters, and of each factor's part of it.
OF_NAME, OF_PART = 57, 8

Of = Literal["datum", "attributes"]


@dataclass(frozen=True, eq=False, repr=False)
class Together(Mechanism):
    """Several mechanisms at once: ``Q[x, (y, z)] = A[x, y] B[x, z]``, or ``A[u, y] B[v, z]`` of pairs (u, v).

    An output is the tuple of theirs, counted with the last one changing first. The matrix is rounded to floats; audits,
    profiles and samples are exact.

    Attributes
    ----------
    matrix, outputs, question, certificate, problem, notion, moved
        As of a `Mechanism`; the matrix is the product in floating point, which is not drawn from.
    factors : tuple of Mechanism
        The mechanisms, which draw independently.
    of : {"datum", "attributes"}
        Whether all report the same datum, or each its own attribute of one person.
    """

    factors: tuple[Mechanism, ...] = field(default=(), kw_only=True)
    of: Of = field(default="datum", kw_only=True)

    def _take_own(self) -> None:
        # Products are no multiples of 2**-53: reports are drawn from the factors.
        self._keep()

    @property
    def has_file(self) -> bool:
        """Whether it can be saved: no, each of the mechanisms has a file of its own."""
        return False

    @cached_property
    def numerators(self) -> Integers:
        """The exact matrix, as integers over ``2**53`` to the power of the number of mechanisms."""
        return reduce(_rows_times if self.of == "datum" else _kronecker, self._integers)

    @property
    def _integers(self) -> list[Integers]:
        return [factor.numerators.astype(object) for factor in self.factors]

    def _drawn(self, records: Indices, generator: np.random.Generator | None = None) -> Indices:
        """Return the outputs of each mechanism by itself, as one number."""
        shape = [len(factor.matrix) for factor in self.factors]
        parts = np.unravel_index(records, shape) if self.of == "attributes" else [records] * len(shape)
        # The factors are mechanisms like this one, which is the reason of the exemption.
        drawn = [factor._drawn(part, generator) for factor, part in zip(self.factors, parts, strict=True)]  # noqa: SLF001
        outputs = [factor.matrix.shape[1] for factor in self.factors]
        return np.asarray(np.ravel_multi_index(tuple(drawn), outputs), dtype=np.int64)


def together(mechanisms: Sequence[Mechanism], problem: Problem | None = None, *, of: Of = "datum") -> Mechanism:
    """Return the mechanism whose output is the reports of all `mechanisms` together, to audit or to estimate from.

    Levels of LDP add up at most; those of notions relative to a prior may grow by more: two reports under LIP(1) can
    have a level of 2.68. An audit of the product says what it is.

    Parameters
    ----------
    mechanisms : sequence of Mechanism or Design
        At least one; they draw independently.
    problem : Problem, optional
        Of what they take together: of one datum the first mechanism's own by default. Of attributes its inputs are the
        tuples ``(u, v, ...)``, the last one changing first, with their joint prior.
    of : {"datum", "attributes"}
        Whether all report the same datum, or each its own attribute of one person.

    Returns
    -------
    Mechanism
        Without a question: ``md.audit(it, notion)`` holds it against any notion, exactly.

    Raises
    ------
    DomainError
        No mechanisms, something else among them, numbers of inputs that do not fit together, another `of`; a product
        that takes more memory than 4 GB, or than half of what is free.

    Examples
    --------
    >>> import mechdesign as md
    >>> coin = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"])
    >>> both = md.together([coin, coin])
    >>> both.outputs, float(md.audit(both, md.LDP(2.0)))
    (('0, 0', '0, 1', '1, 0', '1, 1'), 2.1972245773362196)
    """
    if of not in ("datum", "attributes"):
        raise DomainError("of", of, 'it has to be "datum" or "attributes"', "choose one of them")
    given = entries("mechanisms", mechanisms, "it has to be a sequence of mechanisms", "give a list")
    factors = tuple(getattr(made, "mechanism", made) for made in given)
    if not factors:
        raise DomainError("mechanisms", "empty", "there has to be one", "give the mechanisms that report")
    for at, factor in enumerate(factors):
        if not isinstance(factor, Mechanism):
            raise DomainError(
                f"mechanisms[{at}]", factor, "it has to be a Mechanism", "md.Mechanism(matrix, outputs) is one"
            )
    inputs = [len(factor.matrix) for factor in factors]
    if of == "datum" and len(set(inputs)) > 1:
        rule = "reports of one datum have the same inputs"
        raise DomainError("mechanisms", f"of {inputs} inputs", rule, 'give of="attributes" for several data')
    if problem is not None:
        required("problem", problem, Problem)
    rows = inputs[0] if of == "datum" else math.prod(inputs)
    _require_room(factors, rows)
    known = problem or (factors[0].inputs if of == "datum" else Problem(n=rows))
    if known.n != rows:
        rule = f"the mechanisms take {rows} inputs together"
        raise DomainError("problem", f"of {known.n} inputs", rule, "give the problem over all of them")
    if of == "datum":
        factors = tuple(factor.over(known) for factor in factors)
    names = tuple(", ".join(parts) for parts in product(*(factor.outputs for factor in factors)))
    floats = reduce(_rows_times if of == "datum" else _kronecker, [factor.matrix for factor in factors])
    return Together(frozen(floats), names, problem=known, factors=factors, of=of)


def _require_room(factors: Sequence[Mechanism], rows: int) -> None:
    """Raise if the product of the matrices, its exact integers and its outputs' names would not fit into memory."""
    outputs, needed = math.prod(factor.matrix.shape[1] for factor in factors), product_bytes(factors, rows)
    if needed <= TRIFLE:
        return
    allowed = ceiling()
    if needed > allowed.bytes:
        rule = (
            f"the matrix of {_in_few_digits(rows)} inputs and {_in_few_digits(outputs)} outputs would take about "
            f"{_in_few_digits(needed // int(GIGABYTE))} GB, more than {allowed.source}"
        )
        remedy = "take fewer of them together: levels of LDP add up at most"
        raise DomainError("mechanisms", f"{len(factors)} of them", rule, remedy)


def product_bytes(factors: Sequence[Mechanism], rows: int) -> int:
    """Return about how many bytes the product takes, as an integer: floats end at 1e308."""
    outputs = math.prod(factor.matrix.shape[1] for factor in factors)
    single = sum(len(factor.factors) if isinstance(factor, Together) else 1 for factor in factors)
    return int(outputs) * (rows * (OF_ENTRY + OF_DIGITS * single) + OF_NAME + OF_PART * single)


def _in_few_digits(number: int) -> str:
    """Return a whole number of any length in a few digits.

    Examples
    --------
    >>> _in_few_digits(1024), _in_few_digits(2**200)
    ('1024', '1.61e+60')
    """
    if number < 10**6:
        return str(number)
    power = int(math.log10(number))
    return f"{number / 10**power:.2f}e+{power}"


def _rows_times(first: Integers, second: Integers) -> Integers:
    """Return ``first[x, y] second[x, z]``, shape (n, m k)."""
    return (first[:, :, None] * second[:, None, :]).reshape(len(first), -1)


def _kronecker(first: Integers, second: Integers) -> Integers:
    """Return ``first[u, y] second[v, z]``, shape (n l, m k)."""
    rows, columns = len(first) * len(second), first.shape[1] * second.shape[1]
    return (first[:, None, :, None] * second[None, :, None, :]).reshape(rows, columns)


def composed(mechanisms: Sequence[Mechanism]) -> Composition:
    """Return the privacy of independent reports of several mechanisms on the same input of one person.

    Parameters
    ----------
    mechanisms : sequence of Mechanism or Design
        At least one, each as often as it reports; of the same inputs in the same order. Beside them privacy loss
        distributions of the library dp-accounting, of what else is published of the person: they count in the upper
        bounds alone.

    Returns
    -------
    Composition
        ``delta(epsilon)`` and ``epsilon(delta)``, from above, ``delta_below`` and ``epsilon_below``.

    Raises
    ------
    DomainError
        No mechanisms, something else among them, mechanisms of other inputs.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(labels=["no", "yes"])
    >>> once, again = (md.baselines.randomised_response(problem, epsilon) for epsilon in (1.0, 0.5))
    >>> both = md.composed([once, again, again])
    >>> round(both.epsilon(0.0), 9), round(both.epsilon(0.1), 4)
    (2.0, 1.5645)
    """
    given = entries("mechanisms", mechanisms, "it has to be a sequence of mechanisms", "give a list")
    beside: list[tuple[PrivacyLoss, int]] = []
    made: list[Mechanism] = []
    for at, one in enumerate(given):
        if is_of_dp_accounting(one):
            beside.append((of_dp_accounting(one), 1))
        else:
            made.append(_of_inputs(at, getattr(one, "mechanism", one), made))
    if not made:
        raise DomainError("mechanisms", "none", "there has to be one", "give the mechanisms that report")
    distinct = list(dict.fromkeys(made))
    ordered = [one.over(made[0].inputs) for one in distinct]
    reports = [(one.compared_rows, made.count(old)) for one, old in zip(ordered, distinct, strict=True)]
    return composition(reports, beside)


def _of_inputs(at: int, one: Any, before: Sequence[Mechanism]) -> Mechanism:
    """Return a mechanism that takes the inputs of the first one.

    Raises
    ------
    DomainError
        Something else, or a mechanism of other inputs.
    """
    if not isinstance(one, Mechanism):
        rule = "it has to be a Mechanism"
        raise DomainError(f"mechanisms[{at}]", one, rule, "md.Mechanism(matrix, outputs) is one")
    if before and one.inputs.n != before[0].inputs.n:
        rule = f"mechanisms that are composed take the same inputs, {before[0].inputs.n} of the first one"
        remedy = "compose mechanisms of one problem"
        raise DomainError(f"mechanisms[{at}]", f"of {one.inputs.n} inputs", rule, remedy)
    return one
