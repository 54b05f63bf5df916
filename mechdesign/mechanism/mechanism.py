"""A mechanism: an exactly private transition matrix, its question, its certificate, and its file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from mechdesign.displays import Block, Displayed, Grid, Lines
from mechdesign.errors import CertificateError, DomainError, UnsupportedError
from mechdesign.estimation import AccountingVerbs, Verbs
from mechdesign.exact import dyadic
from mechdesign.files.atomic_writes import write
from mechdesign.files.checksums import sealed
from mechdesign.files.kinds import FileKind
from mechdesign.mechanism.certificate import Certificate, Multipliers
from mechdesign.mechanism.plain_data import SCHEMA, arguments, of_design, of_matrix
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array, EqualByContent, entries, frozen, names, require_distributions
from mechdesign.parameters.checks import matrix as checked_matrix
from mechdesign.parameters.labels import carried, in_order_of, listed
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import given_matrix
from mechdesign.question import Question
from mechdesign.question.plain_values import in_json
from mechdesign.question.question import require_readable_notion
from mechdesign.tolerances import DENOMINATOR_BITS

__all__ = ["Certificate", "Mechanism", "Multipliers"]

MECHANISM_FILE = FileKind(
    "the mechanism",
    (".json",),
    (rf'\{{\s*"schema": {re.escape(json.dumps(SCHEMA))},',),
    "that file holds another mechanism, without which the reports that were drawn from it cannot be estimated",
)


@dataclass(frozen=True, eq=False)
class Mechanism(Verbs, AccountingVerbs, EqualByContent, Displayed):
    """A matrix ``Q[x, y] = Pr(y | x)`` that reports are drawn from exactly: a design, or a matrix of one's own.

    Its entries are multiples of ``2**-53`` and its rows sum to exactly 1. A matrix of one's own goes to the nearest
    such rows: zeros stay zeros, what is possible stays possible, and `moved` says how far it went.

    Parameters
    ----------
    matrix : array_like or DataFrame, shape (n, m)
        Floats, fractions or texts of fractions such as "5/6"; rows sum to one within 1e-9. Rows are inputs, which a
        table names by its index, and columns are outputs, which it names by its heads. It is kept as a read-only array.
    outputs : sequence of str, length m, optional
        What each output stands for: a decision, an estimate, or what the respondent says. By default the heads of a
        table, and ``y0, y1, ...`` of a matrix without names.
    question : Question, optional
        What it was designed for; a matrix from elsewhere has none.
    certificate : Certificate, optional
        Its value, a bound for all mechanisms, and the multipliers that show the bound.
    problem : Problem, optional
        Who reports, of a matrix of one's own; by default the rows are its inputs. Of a design the question says it.
    notion : Notion, optional
        What a matrix of one's own keeps private, exactly; without it ``md.audit`` says which level of LDP it has. Of a
        design the question says it.

    Attributes
    ----------
    moved : float
        The largest change of an entry on the way to multiples of ``2**-53`` of rows that sum to 1, rounded up; 0 of a
        design.

    Raises
    ------
    DomainError
        A matrix of one's own whose rows are no distributions, or that does not satisfy `notion`; other numbers or names
        of outputs or inputs than it has; a question beside a notion or a problem.

    Examples
    --------
    A person who throws a six on a die answers the opposite:

    >>> people = Problem(labels=["yes", "no"])
    >>> warner = Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["agree", "disagree"], problem=people)
    >>> warner.moved < 2**-53, [str(share) for share in warner.estimate(counts=[300, 700]).frequencies.round(3)]
    (True, ['0.2', '0.8'])
    """

    matrix: Array
    outputs: tuple[str, ...] = None  # type: ignore[assignment] # of a matrix of one's own the constructor names them
    question: Question | None = None
    certificate: Certificate | None = None
    problem: Problem | None = field(default=None, kw_only=True)
    notion: Notion | None = field(default=None, kw_only=True)
    moved: float = field(default=0.0, init=False, compare=False, repr=False)
    #: The method of estimates if none is asked for.
    usual_method: ClassVar[str] = "likelihood"

    if TYPE_CHECKING:
        # What the constructor takes is wider than what is kept: lists become read-only arrays.
        def __init__(
            self,
            matrix: Any,
            outputs: Sequence[object] | None = None,
            question: Question | None = None,
            certificate: Certificate | None = None,
            *,
            problem: Problem | None = None,
            notion: Notion | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        if isinstance(self.question, Problem):
            raise DomainError("question", self.question, "it is a problem", "write problem=... for who reports")
        kinds: dict[str, type] = {
            "question": Question,
            "certificate": Certificate,
            "problem": Problem,
            "notion": Notion,
        }
        for name, kind in kinds.items():
            given = getattr(self, name)
            if given is not None and not isinstance(given, kind):
                rule = f"it has to be a {kind.__name__}, or None"
                raise DomainError(name, given, rule, f"give a {kind.__name__}, or leave it out")
        for name in ("notion", "problem") if self.question is not None else ():
            if (given := getattr(self, name)) is not None:
                raise DomainError(name, given, "the question has one of its own", "leave one of the two out")
        if self.question is None:
            self._take_own()
        else:
            self._keep()

    def _keep(self) -> None:
        """Keep the matrix as it is."""
        object.__setattr__(self, "matrix", checked_matrix("matrix", self.matrix, rows=self.inputs.n))
        require_distributions("matrix", self.matrix)
        object.__setattr__(self, "outputs", output_texts(self.outputs, self.matrix.shape[1]))

    def _take_own(self) -> None:
        """Keep a matrix of one's own: on the grid, its rows in the order of the inputs, what its table names named."""
        found = carried("matrix", self.matrix, 2)
        if self.problem is not None:
            object.__setattr__(self, "problem", self.problem.with_exact_parts(None))
        else:
            rows = len(found.plain) if isinstance(found.plain, Sized) and not hasattr(found.plain, "nnz") else 0
            object.__setattr__(self, "problem", Problem(n=max(rows, 1), labels=found.rows))
        inputs = self.inputs
        given = given_matrix(found, inputs)
        if len(given.floats) != inputs.n:
            rule, shape = f"it has to have one row for each of {inputs.n} inputs", given.floats.shape
            remedy = "transpose it" if shape[1] == inputs.n else "give another problem, or leave it out"
            raise DomainError("matrix", f"of shape {shape}", rule, remedy)
        numerators, columns = given.on_grid, given.floats.shape[1]
        object.__setattr__(self, "matrix", frozen(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS)))
        names = self.outputs if self.outputs is not None else given.columns or [f"y{y}" for y in range(columns)]
        object.__setattr__(self, "outputs", output_texts(names, columns))
        require_order_of_heads(self.outputs, given.columns)
        if numerators is not given.numerators:
            object.__setattr__(self, "moved", given.moved(numerators)[0])
        if self.notion is not None and not self.notion.holds_exactly(numerators, self.inputs):
            rule = "the matrix does not satisfy it, in exact arithmetic"
            remedy = (
                "md.audit(matrix, notion, problem) says its level, md.rounded(...) gives the private matrix beside it"
            )
            raise DomainError("notion", str(self.notion), rule, remedy)

    @cached_property
    def inputs(self) -> Problem:
        """The problem over the rows: the question's, as its notion widens it; or `problem`, likewise; or indices."""
        if self.question is not None:
            return self.question.notion.inputs(self.question.problem)
        assert self.problem is not None, "a matrix of one's own has a problem, be it over numbers"
        return self.problem if self.notion is None else self.notion.inputs(self.problem)

    def over(self, inputs: Problem) -> Mechanism:
        """Return the mechanism with its rows in the order of other inputs; itself where these have no labels.

        Raises
        ------
        DomainError
            Inputs of other labels.
        """
        own, others = self.inputs.labels, inputs.labels
        if own is None or others is None or own == others or len(own) != len(others):
            return self
        places = in_order_of("mechanism", own, others, "problem")
        return Mechanism(self.matrix[places], self.outputs, problem=inputs)

    @property
    def shape(self) -> tuple[int, int]:
        """How many inputs and outputs it has."""
        return self.inputs.n, len(self.outputs)

    @property
    def reports_are_numbers(self) -> bool:
        """Whether a report is the number of an output; otherwise it is a row of bits."""
        return True

    @property
    def used_outputs(self) -> int:
        """How many outputs occur."""
        return int(np.count_nonzero(self.matrix.max(axis=0)))

    @property
    def ignores_input(self) -> bool:
        """Whether all rows are equal, so that reports carry no information."""
        return bool(np.all(self.matrix == self.matrix[0]))

    @property
    def guarantee(self) -> Notion | None:
        """What it keeps private: the notion of its question or its own; None where neither is known."""
        return self.notion if self.question is None else self.question.notion

    @property
    def has_file(self) -> bool:
        """Whether it can be saved: with its question and certificate, or as a matrix of one's own."""
        return self.question is None or self.certificate is not None

    @property
    def asked(self) -> Question:
        """The question that it answers.

        Raises
        ------
        UnsupportedError
            It has none.
        """
        if self.question is None:
            raise UnsupportedError(
                "This mechanism was not designed for a question; md.audit(it, notion, problem) tests it."
            )
        return self.question

    @property
    def claimed(self) -> Certificate:
        """The certificate of the mechanism.

        Raises
        ------
        UnsupportedError
            It has none.
        """
        if self.certificate is None:
            raise UnsupportedError(
                "Nothing was proved of this mechanism; design one, which comes with its certificate."
            )
        return self.certificate

    def __repr__(self) -> str:
        n, m = self.matrix.shape
        asked = "" if self.guarantee is None else f", {self.guarantee}"
        asked += "" if self.question is None else f", {self.question.objective}"
        proved = "" if self.certificate is None else f", value={self.certificate.value:.9g}"
        return f"{type(self).__name__}(n={n}, outputs={m}{asked}{proved})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question and the certificate, where there are such, and the matrix."""
        asked = self.question.display() if self.question is not None else (Lines("Mechanism", self._promised()),)
        proved = () if self.certificate is None else (self.certificate.shown("Certificate"),)
        return (*asked, *proved, self.grid)

    def _promised(self) -> tuple[str, ...]:
        """Return sentences on a matrix that was not designed for a question: the notion that it satisfies, if known."""
        if self.notion is None:
            return ("A matrix of one's own: no bound is known; md.audit and `mechdesign audit` say its level.",)
        said = f"{self.notion} {self.notion.level_unit}".rstrip()
        return (f"Private: under {said}, exactly.", "It was not designed for a question, and has no bound.")

    @property
    def grid(self) -> Grid:
        """The matrix as it is displayed: ``Pr(output | input)`` by the names of both."""
        title = "Pr(output | input), {} inputs and {} outputs".format(*self.matrix.shape)
        return Grid(title, self.matrix, "input", self.inputs.named, "output", self.outputs.__getitem__)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the mechanism as JSON (what it keeps private, the exact integers, a checksum) and return the path.

        A design is saved with its question and its proof, a matrix of one's own with its problem and notion. A notion
        or objective of one's own is in it by its name and parameters: ``md.load(path, members=[...])`` takes the class.
        A file that `load` could not read is not written. Reports are estimated with the file that they were drawn with:
        the file of a mechanism is replaced only by the same one with the same claims.

        Parameters
        ----------
        path : str or Path
            Where it goes; its name ends in ``.json``, or promises no other format.
        overwrite : bool
            Whether a file that holds anything else may be replaced.

        Raises
        ------
        DomainError
            A file of another mechanism or another kind is there, or the name promises another format.
        UnsupportedError
            A question without claims; a member of one's own whose parameters are no plain data, or of
            a name that the catalogue has.
        WriteError
            The file could not be written; what it held before is as it was.
        """
        MECHANISM_FILE.require_place(path, overwrite=overwrite)
        if self.question is not None:
            self.question.require_readable()
        elif self.notion is not None:
            require_readable_notion(self.notion)
        data = sealed(in_json(self.to_dict()))
        try:
            text = json.dumps(data, indent=1, allow_nan=False) + "\n"
        except ValueError:
            raise CertificateError("A mechanism with a claim or multiplier that is NaN cannot be saved.") from None
        MECHANISM_FILE.require_same(path, text, overwrite=overwrite)
        return write(path, text)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the integers over ``2**53``, with the question and the claims, or what it keeps private.

        Raises
        ------
        UnsupportedError
            A question without its claims.
        """
        numerators = dyadic(self.matrix)
        if numerators is None:
            raise CertificateError("Only a matrix of multiples of 2**-53 whose rows sum to exactly 1 can be saved.")
        if self.question is not None and self.certificate is not None:
            return of_design(self.question, self.certificate, self.outputs, numerators)
        if self.question is None:
            return of_matrix(self.problem or self.inputs, self.notion, self.outputs, numerators)
        raise UnsupportedError(
            "A mechanism with a question is saved with its certificate, which this one lacks: md.design makes both."
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any], own: Sequence[type] = ()) -> Mechanism:
        """Return the mechanism that `to_dict` wrote, its claims not yet re-derived; `own` as `Question` takes them."""
        return cls(**arguments(data, own))


def require_order_of_heads(outputs: Sequence[str], heads: Sequence[str] | None) -> None:
    """Raise if outputs are the heads of a table in another order: whether columns or names are to move is not said."""
    if heads is not None and tuple(outputs) != tuple(heads) and sorted(outputs) == sorted(heads):
        rule = f"the columns of the table are named {listed(tuple(heads))}, the same in another order"
        remedy = "leave outputs out, or give matrix[outputs] for another order of the columns"
        raise DomainError("outputs", listed(tuple(outputs)), rule, remedy)


def output_texts(outputs: Any, columns: int) -> tuple[str, ...]:
    """Return the names of a matrix's columns as texts, one for each."""
    given = entries("outputs", outputs, "it has to be a sequence of names", "give a list")
    if len(given) != columns:
        rule = f"it has to have one name for each of the {columns} columns"
        raise DomainError("outputs", f"of length {len(given)}", rule, "name every output")
    return names("outputs", given)
