"""The perturbation table of the cell-key method: for each frequency count the noise of the most entropy."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from numbers import Rational
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Grid, Lines, Table
from mechdesign.displays.numbers import digits, rounded_down, rounded_up
from mechdesign.errors import CertificateError, DomainError
from mechdesign.exact import float_above, float_below
from mechdesign.parameters import Real, Truth
from mechdesign.parameters.checks import Array, frozen, whole
from mechdesign.parameters.columns import require_one_order
from mechdesign.perturbation_tables.lookup import checked_counts, checked_keys
from mechdesign.perturbation_tables.maximum_entropy import entropy_enclosed, most_entropy
from mechdesign.perturbation_tables.noise import Constraints, Row, first_alike, moment
from mechdesign.perturbation_tables.reach import of_every_count, written
from mechdesign.perturbation_tables.table_file import Program, save_table

#: The largest noise: a table has that many rows, each with twice as many probabilities.
MOST_NOISE = 100
#: The variance of the noise, and the probability of none.
VARIANCE, STAY = Real(low=0.0, open_low=True), Real(low=0.0, high=1.0, open_low=True, open_high=True)


@dataclass(frozen=True)
class NoiseRow:
    """The noise of one frequency count.

    Attributes
    ----------
    count : int
        The original frequency.
    noise : tuple of int
        The values that are added, in order.
    probabilities : tuple of Fraction
        Of each value.
    entropy : float
        In nats, rounded down.
    bound : float
        The largest entropy of noise that satisfies the same constraints, in nats, rounded up.
    """

    count: int
    noise: tuple[int, ...]
    probabilities: Row
    entropy: float
    bound: float

    @property
    def mean(self) -> Fraction:
        """The mean of the noise."""
        return moment(self.noise, self.probabilities, 1)

    @property
    def variance(self) -> Fraction:
        """The variance of the noise, whose mean is 0."""
        return moment(self.noise, self.probabilities, 2)

    @property
    def stay(self) -> Fraction:
        """The probability that the count stays as it is."""
        return dict(zip(self.noise, self.probabilities, strict=True)).get(0, Fraction(0))

    @cached_property
    def cumulative(self) -> Row:
        """The probability of each value or a lower one."""
        return tuple(accumulate(self.probabilities))


@dataclass(frozen=True)
class CellKeyTable(Displayed):
    """A perturbation table of the cell-key method, with exact probabilities and a bound on the entropy of each row.

    Attributes
    ----------
    maximum_noise : int
        The largest absolute noise.
    variance : Fraction
        Of the noise of every positive count.
    threshold : int
        Positive perturbed counts are above it.
    stay : Fraction or None
        The probability that a count above the threshold stays, where it was asked for.
    monotone : bool
        Whether larger noise is never likelier, for counts above the threshold.
    rows : tuple of NoiseRow
        Of the counts 0, 1, 2, ...; counts beyond the last one have its noise.

    Raises
    ------
    CertificateError
        A row does not satisfy what was asked for, in exact arithmetic.
    """

    maximum_noise: int
    variance: Fraction
    threshold: int
    stay: Fraction | None
    monotone: bool
    rows: tuple[NoiseRow, ...] = field(repr=False)

    def __post_init__(self) -> None:
        counts = tuple(range(first_alike(self.maximum_noise, self.threshold) + 1))
        if tuple(row.count for row in self.rows) != counts:
            raise CertificateError(f"The rows of the table are not of the counts 0 to {counts[-1]} in order.")
        for row in self.rows:
            fault = self._fault(row)
            if fault is not None:
                raise CertificateError(f"The noise of count {row.count} is not what was asked for: {fault}.")

    def _fault(self, row: NoiseRow) -> str | None:
        if row.count == 0:
            return None if row.noise == (0,) and row.stay == 1 else "0 does not stay 0"
        asked = Constraints.of_count(
            row.count, self.maximum_noise, self.variance, self.threshold, self.stay, self.monotone
        )
        if row.noise != asked.noise:
            return f"its values are {row.noise}"
        fault = asked.fault(row.probabilities)
        if fault is None and not row.entropy <= entropy_enclosed(row.probabilities)[1] <= row.bound:
            fault = f"its entropy is not between {row.entropy} and {row.bound}"
        return fault

    @property
    def gap(self) -> float:
        """How far the entropy of a row is from the largest one, at most, in nats."""
        return max(float_above(Fraction(row.bound) - Fraction(row.entropy)) for row in self.rows)

    @cached_property
    def matrix(self) -> Array:
        """The probabilities as floats, shape (rows, 2 maximum_noise + 1): from the lowest noise to the highest."""
        made = np.zeros((len(self.rows), 2 * self.maximum_noise + 1))
        for row in self.rows:
            made[row.count, np.array(row.noise) + self.maximum_noise] = [float(p) for p in row.probabilities]
        return frozen(made)

    def perturbed(self, counts: npt.ArrayLike, keys: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return perturbed counts: each count and the noise that its cell key stands for.

        The noise is the lowest whose cumulative probability is above the key, compared exactly: equal counts with
        equal keys are perturbed alike, and a key that is drawn uniformly draws the noise with its probabilities, up to
        the resolution of floats.

        Parameters
        ----------
        counts : array_like of int
            Original frequencies, at least 0, of any shape.
        keys : array_like of float
            The cell key of each count, at least 0 and below 1, of the same shape.

        Returns
        -------
        ndarray of int, of the same shape

        Raises
        ------
        DomainError
            Counts that are not integers from 0 on; keys outside of the range, or of another shape.

        Examples
        --------
        >>> import mechdesign as md
        >>> table = md.cell_key_table(5, 3, threshold=2)
        >>> table.perturbed([0, 1, 2, 3, 100], [0.5, 0.5, 0.9, 0.9, 0.01]).tolist()
        [0, 0, 4, 5, 96]
        """
        require_one_order("keys", counts, keys, "counts")
        given = checked_counts(counts)
        drawn = checked_keys(keys, given.shape)
        at = np.minimum(given, len(self.rows) - 1)
        made = given.copy()
        for row in self.rows[1:]:
            own = at == row.count
            # A float is below a fraction if and only if it is below the next float above this.
            edges = [float_above(each) for each in row.cumulative]
            made[own] += np.array(row.noise)[np.searchsorted(edges, drawn[own], side="right")]
        return made

    def save(self, path: str | Path, *, program: Program = "SAS", overwrite: bool = False) -> Path:
        """Write the table as text with semicolons and return the path: ``i;j;p;v;p_int_lb;p_int_ub``.

        These are the columns that ``pt_export`` of the R package ptable writes for SAS: the original and the perturbed
        count, the probability, the noise, and between which cell keys it is added; for tau-Argus it leaves ``p_int_lb``
        out. Numbers have all digits of a float, the ends of intervals rounded up: a program that reads floats and looks
        for the first ``p_int_ub`` above a cell key adds the noise that `perturbed` adds.

        Parameters
        ----------
        path : str or Path
            A name that ends in ``.csv`` or ``.txt``.
        program : {"SAS", "TauArgus"}
            Which columns are written.
        overwrite : bool
            Whether another file that is there may be replaced, also another perturbation table.

        Raises
        ------
        DomainError
            Another file is there, or the name promises another format.
        WriteError
            The file cannot be written; what it held before is as it was.
        """
        rows = [(row.count, row.noise, row.probabilities) for row in self.rows]
        return save_table(rows, path, program, overwrite=overwrite)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return what all rows satisfy, the probabilities, and the entropy of each row beside its bound."""
        last = self.rows[-1].count
        kept = f"; no perturbed count is from 1 to {self.threshold}" if self.threshold else ""
        stays = "" if self.stay is None else f" A count from {self.threshold + 1} on stays with {written(self.stay)}."
        values = f"Noise from -{self.maximum_noise} to {self.maximum_noise}"
        said = (
            f"{values} with mean 0 and variance {written(self.variance)}, exactly{kept}.{stays}",
            f"No other such noise has more than {rounded_up(self.gap, 2)} nats more entropy, for any count.",
            f"Counts from {last} on have the noise of {last}.",
        )
        rows = tuple(
            (str(row.count), digits(float(row.stay), 6), rounded_down(row.entropy, 9), rounded_up(row.bound, 9))
            for row in self.rows
        )
        grid = Grid(
            "Probabilities of the noise",
            self.matrix,
            "count",
            str,
            "noise value",
            lambda k: f"{k - self.maximum_noise:+d}" if k != self.maximum_noise else "0",
        )
        return Lines("Perturbation table", said), grid, Table("Entropy", HEADINGS, rows)


#: The columns of the table of entropies.
HEADINGS = ("count", "stays", "entropy (nats)", "at most")


def cell_key_table(
    maximum_noise: int,
    variance: float | Fraction,
    *,
    threshold: int = 0,
    stay: float | Fraction | None = None,
    monotone: bool = False,
) -> CellKeyTable:
    """Return the perturbation table of the cell-key method: for each frequency count the noise of the most entropy.

    A cell-key table says what is added to a frequency count before publication: integers with mean 0 and a fixed
    variance, such that no perturbed count is negative and 0 stays 0. Of all such noise each row has the most entropy.
    Sum, mean and variance hold exactly, in fractions, and the bound on the entropy is certified by Lagrangian duality.

    Parameters
    ----------
    maximum_noise : int
        The largest absolute noise (D), from 1 to 100.
    variance : float or Fraction
        Of the noise of every positive count (V). A float is read as the decimal that Python writes for it: 1.08 is
        27/25.
    threshold : int
        Positive perturbed counts are above it (js).
    stay : float or Fraction, optional
        The probability that a count above the threshold stays as it is (pstay), strictly between 0 and 1, read like the
        variance; by default the one of the most entropy.
    monotone : bool
        Whether of two values of the noise with the same sign the larger one must not be likelier, nor any likelier than
        0, for counts above the threshold.

    Returns
    -------
    CellKeyTable

    Raises
    ------
    DomainError
        A parameter outside of its range.
    InfeasibleError
        A count has no such noise; the message says which variances it reaches.

    Notes
    -----
    Counts from 1 to the threshold cannot stay. They too have the mean 0 and the variance exactly; `stay` and `monotone`
    do not apply to them.

    The R package ptable solves the same program in floating point with a variance of *at most* V, so that its rows may
    miss the variance; its argument ``mono`` orders only negative noise. Where the variance is reached and probabilities
    are in order by themselves, the tables agree.

    A perturbation table is no local differential privacy, and its level is infinite: the supports of neighbouring
    counts differ, as the support of 0 is 0 alone, and the support of a large count ends at the count plus
    `maximum_noise`. It hides small differences between published tables, as long as record keys are secret.

    References
    ----------
    S. Giessing, "Computational Issues in the Design of Transition Probabilities and Disclosure Risk Estimation for
    Additive Noise", Privacy in Statistical Databases 2016.

    Examples
    --------
    >>> import mechdesign as md
    >>> table = md.cell_key_table(2, 1.08, threshold=1)
    >>> table.rows[1].noise, table.rows[1].probabilities
    ((-1, 1, 2), (Fraction(77, 150), Fraction(23, 50), Fraction(2, 75)))
    >>> {row.variance for row in table.rows[1:]}, table.gap < 1e-12
    ({Fraction(27, 25)}, True)
    """
    most, least = whole("maximum_noise", maximum_noise, 1), whole("threshold", threshold, 0)
    if most > MOST_NOISE:
        raise DomainError("maximum_noise", most, f"it has to be at most {MOST_NOISE}", "choose one in that range")
    wanted = _exactly(variance, VARIANCE.check("variance", variance))
    kept = None if stay is None else _exactly(stay, STAY.check("stay", stay))
    ordered = Truth().check("monotone", monotone)
    rows = [NoiseRow(0, (0,), (Fraction(1),), 0.0, 0.0)]
    for count, asked in enumerate(of_every_count(most, wanted, least, kept, ordered), start=1):
        row, bound = most_entropy(asked)
        rows.append(NoiseRow(count, asked.noise, row, float_below(entropy_enclosed(row)[0]), float_above(bound)))
    return CellKeyTable(most, wanted, least, kept, ordered, tuple(rows))


def _exactly(given: object, number: float) -> Fraction:
    """Return the fraction that a number stands for: of a float the one of its shortest decimal."""
    if isinstance(given, Rational):
        return Fraction(int(given.numerator), int(given.denominator))
    return Fraction(given) if isinstance(given, Decimal) else Fraction(repr(number))
