"""Files of perturbation tables: text with semicolons, a line for each original count and noise."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import accumulate, chain
from pathlib import Path
from typing import Literal, get_args

from mechdesign.exact import float_above
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.parameters import Choice
from mechdesign.perturbation_tables.noise import Row

#: What reads the file, as the R package ptable names it.
Program = Literal["SAS", "TauArgus"]
PROGRAM = Choice(get_args(Program), "it has to name a program that the R package ptable writes for")
#: The columns: original and perturbed count, probability, noise, and between which cell keys it is added.
COLUMNS = {"SAS": ("i", "j", "p", "v", "p_int_lb", "p_int_ub"), "TauArgus": ("i", "j", "p", "v", "p_int_ub")}
#: What a file of the kind is known by.
TABLE_FILE = FileKind(
    "the perturbation table", (".csv", ".txt"), tuple(rf"{';'.join(names)}\r?\n" for names in COLUMNS.values())
)
#: The count, the noise and the probabilities of a row.
Lines = Iterable[tuple[int, tuple[int, ...], Row]]


def save_table(rows: Lines, path: str | Path, program: str, *, overwrite: bool = False) -> Path:
    """Write the table for a program, and return the path.

    Parameters
    ----------
    rows : iterable of tuple
    path : str or Path
    program : {"SAS", "TauArgus"}
    overwrite : bool
        Whether a file that is there may be replaced, whatever it holds.

    Raises
    ------
    DomainError
        Another file is there, or the name promises another format; another program.
    """
    text = written_table(rows, PROGRAM.check("program", program))
    TABLE_FILE.require_place(path, overwrite=overwrite)
    TABLE_FILE.require_same(path, text, overwrite=overwrite)
    return write(path, text)


def written_table(rows: Lines, program: str) -> str:
    """Return the text of the file for a program.

    Examples
    --------
    >>> print(written_table([(1, (-1, 0, 1), (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)))], "SAS"))
    i;j;p;v;p_int_lb;p_int_ub
    1;0;0.25;-1;0.0;0.25
    1;1;0.5;0;0.25;0.75
    1;2;0.25;1;0.75;1.0
    <BLANKLINE>
    """
    lines = [";".join(COLUMNS[program])]
    for count, noise, row in rows:
        edges = [float_above(each) for each in chain([Fraction(0)], accumulate(row))]
        for v, p, low, high in zip(noise, row, edges, edges[1:], strict=False):
            entries = {"i": count, "j": count + v, "p": float(p), "v": v, "p_int_lb": low, "p_int_ub": high}
            lines.append(";".join(repr(entries[name]) for name in COLUMNS[program]))
    return "\n".join((*lines, ""))
