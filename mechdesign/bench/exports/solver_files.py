"""Solution files of GLPK, CBC and SCIP, rewritten line by line as names and values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mechdesign.errors import DomainError

#: How files of CBC and SCIP start, with the status.
CBC = re.compile(r"(\w+)\b.* - objective value \S+")
SCIP = re.compile(r"solution status: (\w+).*")
#: Digits of a place: Python reads no number of thousands of them.
MOST_DIGITS = 18
#: A line of CBC: place, name, value, dual; two stars where the value is infeasible.
OF_CBC = re.compile(r"(?:\*\*)?\s*\d+\s+([xr])(\d+)\s+(\S+)\s+(\S+)\s*")
#: A line of SCIP: name, value, cost.
OF_SCIP = re.compile(r"(\S+)\s+(\S+)\s+\(obj:\S+\)\s*")


def as_names_and_values(name: str, lines: list[str], variables: int, rows: int) -> list[str]:
    """Return the values in the file `name`: GLPK, CBC and SCIP write ``x12 0.5`` and ``r3 -0.1``.

    Parameters
    ----------
    name : str
        What the file is called in an error.
    lines : list of str
        Its lines; those of none of these solvers are returned as they are.
    variables, rows : int
        How many the instance has.

    Raises
    ------
    DomainError
        A file of GLPK of another size, or cut.

    Examples
    --------
    >>> as_names_and_values("a.txt", ["Optimal - objective value 0.5", "      2 x2     0.5     0"], 3, 1)
    ['Optimal', 'x2 0.5']
    """
    sizes = next((line.split() for line in lines if line.startswith(("s bas ", "s ipt "))), None)
    if sizes is not None:
        if sizes[2:4] != [str(rows), str(variables)]:
            rule = f"it has {sizes[2]} rows and {sizes[3]} columns, and the instance {rows} and {variables}"
            raise DomainError("solution", name, rule, "give the solution of this instance")
        if "e o f" not in (line.strip() for line in lines):
            raise DomainError("solution", name, 'it ends before "e o f"', "write it again, whole")
        return list(_of_glpk(lines))
    first = lines[0].strip() if lines else ""
    if CBC.fullmatch(first):
        return [CBC.sub(r"\1", first), *map(_of_cbc, lines[1:])]
    if SCIP.fullmatch(first):
        return [SCIP.sub(r"\1", first), *(OF_SCIP.sub(r"\1 \2", each) for each in lines[1:] if "objective" not in each)]
    return lines


def _of_glpk(lines: list[str]) -> Iterator[str]:
    """Yield what a file that ``glpsol -w`` wrote says: rows as i, columns as j, from 1 on, with value and dual."""
    for line in lines:
        parts = line.split()
        if line.startswith("c Status:"):
            yield parts[-1]
        elif parts[:1] == ["j"] and len(parts) >= 4:
            yield f"x{_from_zero(parts[1])} {parts[-2]}"
        elif parts[:1] == ["i"] and len(parts) >= 4:
            yield f"r{_from_zero(parts[1])} {parts[-1]}"


def _from_zero(text: str) -> str:
    """Return a one-based place as a zero-based one; anything else unchanged."""
    place = place_of(text)
    return text if place is None else str(place - 1)


def place_of(text: str) -> int | None:
    """Return the whole number that a text writes in at most 18 digits, None for anything else.

    Examples
    --------
    >>> place_of("12"), place_of("-1"), place_of("9" * 5000)
    (12, None, None)
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None


def _of_cbc(line: str) -> str:
    """Return a line of CBC with the value of a variable, or the dual of a row."""
    found = OF_CBC.fullmatch(line)
    return line if found is None else f"{found[1]}{found[2]} {found[3] if found[1] == 'x' else found[4]}"
