"""A mechanism: an exactly private transition matrix, its question, its certificate, and its file."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.channel import Verbs
from mechdesign.displays import Block, Displayed, Grid, Lines
from mechdesign.errors import CertificateError, DomainError, UnsupportedError
from mechdesign.exact import dyadic
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.mechanism.certificate import Certificate, Multipliers
from mechdesign.parameters.checks import Array, EqualByContent, entries, frozen, require_distributions, texts
from mechdesign.parameters.checks import matrix as checked_matrix
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.question.question import in_json
from mechdesign.tolerances import DENOMINATOR_BITS

__all__ = ["Certificate", "Mechanism", "Multipliers"]

SCHEMA = "mechdesign mechanism"
MECHANISM_FILE = FileKind("the mechanism", (".json",), (rf'\{{\s*"schema": {re.escape(json.dumps(SCHEMA))},',))
#: A file is what saving writes, key by key: a change of what is written, be it a new parameter of a member of the
#: catalogue, is a new version.
SCHEMA_VERSION = 4
#: Files of these versions can be read: 2 knows no bound on the number of outputs, 3 was not read strictly.
READABLE_VERSIONS = (2, 3, 4)

#: The multipliers that most certificates do without, and those of them that only a bound on the outputs needs.
OPTIONAL = ("weights", "own_cost", "by_order", "tree", "leaves")
IN_TREES = ("tree", "leaves")


@dataclass(frozen=True, eq=False)
class Mechanism(Verbs, EqualByContent, Displayed):
    """A matrix ``Q[x, y] = Pr(y | x)`` whose entries are multiples of 2**-53 and whose rows sum to exactly 1.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)
        Read-only.
    outputs : tuple of str, length m
        The decision or estimate that each output stands for.
    question : Question, optional
        What it was designed for; a matrix from elsewhere has none.
    certificate : Certificate, optional
        What was proved of it.
    problem : Problem, optional
        The inputs of a matrix from elsewhere; those of a design are the question's.

    Raises
    ------
    DomainError
        A matrix from elsewhere that cannot be drawn from exactly; other numbers of outputs or inputs than it has.

    Examples
    --------
    >>> Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"]).sample([0, 1]).shape
    (2,)
    """

    matrix: Array
    outputs: tuple[str, ...]
    question: Question | None = None
    certificate: Certificate | None = None
    problem: Problem | None = field(default=None, kw_only=True)

    if TYPE_CHECKING:
        # What the constructor takes is wider than what is kept: lists become read-only arrays.
        def __init__(
            self,
            matrix: npt.ArrayLike,
            outputs: Sequence[str],
            question: Question | None = None,
            certificate: Certificate | None = None,
            *,
            problem: Problem | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        kinds: dict[str, type] = {"question": Question, "certificate": Certificate, "problem": Problem}
        for name, kind in kinds.items():
            given = getattr(self, name)
            if given is not None and not isinstance(given, kind):
                rule = f"it has to be a {kind.__name__}, or None"
                raise DomainError(name, given, rule, f"give a {kind.__name__}, or leave it out")
        over = None if self.question is None and self.problem is None else self.inputs.n
        object.__setattr__(self, "matrix", checked_matrix("matrix", self.matrix, rows=over))
        require_distributions("matrix", self.matrix)
        object.__setattr__(self, "outputs", output_texts(self.outputs, self.matrix.shape[1]))
        if self.question is None:
            # Refused here rather than when people have answered.
            _ = self.numerators

    @cached_property
    def inputs(self) -> Problem:
        """The problem over the rows: the question's, as its notion widens it; or `problem`; or bare indices."""
        if self.question is not None:
            return self.question.notion.inputs(self.question.problem)
        return self.problem or Problem(n=len(self.matrix))

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
        """What was proved of it.

        Raises
        ------
        UnsupportedError
            Nothing was.
        """
        if self.certificate is None:
            raise UnsupportedError(
                "Nothing was proved of this mechanism; design one, which comes with its certificate."
            )
        return self.certificate

    def __repr__(self) -> str:
        n, m = self.matrix.shape
        asked = "" if self.question is None else f", {self.question.notion}, {self.question.objective}"
        proved = "" if self.certificate is None else f", value={self.certificate.value:.9g}"
        return f"{type(self).__name__}(n={n}, outputs={m}{asked}{proved})"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question and what was proved, where there are such, and the matrix."""
        asked = (Lines("Mechanism", ("No question is known.",)),) if self.question is None else self.question.display()
        proved = () if self.certificate is None else (self.certificate.shown("Certificate"),)
        return (*asked, *proved, self.grid)

    @property
    def grid(self) -> Grid:
        """The matrix as it is displayed: ``Pr(output | input)`` by the names of both."""
        title = "Pr(output | input), {} inputs and {} outputs".format(*self.matrix.shape)
        return Grid(title, self.matrix, "input", self.inputs.named, "output", self.outputs.__getitem__)

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the mechanism as JSON (the question, the exact integers, a checksum) and return the path.

        A notion or objective of one's own is in it by its name and parameters: ``md.load(path, members=[...])`` takes
        the class. A file that `load` could not read is not written. A mechanism file that is there is replaced.

        Parameters
        ----------
        path : str or Path
            Where it goes; its name ends in ``.json``, or promises no other format.
        overwrite : bool
            Whether a file of another kind may be replaced.

        Raises
        ------
        DomainError
            A file of another kind is there, or the name promises another format.
        UnsupportedError
            No question or no claims; a member of one's own whose parameters are no plain data, or of a name that the
            catalogue has.
        WriteError
            The file could not be written; what it held before is as it was.
        """
        MECHANISM_FILE.require_place(path, overwrite=overwrite)
        if self.question is not None:
            self.question.require_readable()
        data = sealed(in_json(self.to_dict()))
        try:
            text = json.dumps(data, indent=1, allow_nan=False)
        except ValueError:
            raise CertificateError("A mechanism with a claim or multiplier that is NaN cannot be saved.") from None
        return write(path, text + "\n")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data: the question, the integers over ``2**53``, and the claims with their multipliers."""
        if self.question is None or self.certificate is None:
            raise UnsupportedError(
                "A mechanism file holds a question and its certificate, which this mechanism lacks; save the matrix by "
                'numpy.savetxt(path, mechanism.matrix, delimiter=",", fmt="%.17g"), which keeps every bit.'
            )
        numerators = dyadic(self.matrix)
        if numerators is None:
            raise CertificateError("Only a matrix of multiples of 2**-53 whose rows sum to exactly 1 can be saved.")
        proof, multipliers = self.certificate, self.certificate.multipliers
        return {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "question": self.question.to_dict(),
            "outputs": list(self.outputs),
            "denominator_bits": DENOMINATOR_BITS,
            "numerators": numerators.tolist(),
            "claims": {
                "value": float(proof.value),
                "bound": float(proof.bound),
                "gap": float(proof.gap),
                "route": proof.route,
            },
            "multipliers": {
                "rows": _listed(multipliers.rows),
                "budget": _listed(multipliers.budget),
                "own_constant": float(multipliers.own_constant),
                **{name: _listed(getattr(multipliers, name)) for name in OPTIONAL},
            },
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any], own: Sequence[type] = ()) -> Mechanism:
        """Return the mechanism that `to_dict` wrote, its claims not yet re-derived; `own` as `Question` takes them."""
        numerators = _numerators(data["numerators"], data["denominator_bits"])
        if not all(isinstance(name, str) for name in data["outputs"]):
            raise ValueError("its outputs are no texts")
        multipliers, claims = data["multipliers"], data["claims"]
        # Files of version 2 have no tree; what every version has is asked for by name.
        optional = {name: multipliers.get(name) if name in IN_TREES else multipliers[name] for name in OPTIONAL}
        return cls(
            np.ldexp(numerators.astype(float), -DENOMINATOR_BITS),
            tuple(data["outputs"]),
            Question.from_dict(data["question"], own),
            Certificate(
                float(claims["value"]),
                float(claims["bound"]),
                float(claims["gap"]),
                str(claims["route"]),
                Multipliers(
                    frozen(multipliers["rows"]),
                    frozen(multipliers["budget"]),
                    own_constant=float(multipliers["own_constant"]),
                    **{name: None if given is None else frozen(given) for name, given in optional.items()},
                ),
            ),
        )


def output_texts(outputs: Any, columns: int) -> tuple[str, ...]:
    """Return the names of a matrix's columns as texts, one for each."""
    given = entries("outputs", outputs, "it has to be a sequence of names", "give a list")
    if len(given) != columns:
        rule = f"it has to have one name for each of the {columns} columns"
        raise DomainError("outputs", f"of length {len(given)}", rule, "name every output")
    return texts("outputs", given)


def _listed(numbers: Array | None) -> Any:
    return None if numbers is None else np.asarray(numbers, dtype=float).tolist()


def _numerators(rows: Any, bits: Any) -> npt.NDArray[np.int64]:
    """Return the integers over ``2**53`` as a matrix; raise ValueError unless each row sums to exactly ``2**53``."""
    if type(bits) is not int or bits != DENOMINATOR_BITS:
        raise ValueError(f"denominator_bits is {bits!r:.40}, not {DENOMINATOR_BITS}")
    if not (isinstance(rows, list) and rows and all(isinstance(row, list) for row in rows)):
        raise ValueError("its numerators are no matrix")
    if not rows[0] or len(set(map(len, rows))) > 1:
        raise ValueError("its numerators are no matrix")
    for index, row in enumerate(rows):
        # In Python's integers, whatever their size: true, 3.0 and "3" are none.
        if set(map(type, row)) != {int} or min(row) < 0 or sum(row) != 1 << DENOMINATOR_BITS:
            raise ValueError(f"numerators[{index}] are no integers from 0 on that sum to 2**{DENOMINATOR_BITS}")
    return np.array(rows, dtype=np.int64)


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    """Return `data` with a checksum of everything else in it."""
    body = {key: value for key, value in data.items() if key != "checksum"}
    # Files of earlier versions hold infinite numbers, whose checksums stay what they were.
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**body, "checksum": "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()}
