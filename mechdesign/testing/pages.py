"""Documentation of the catalogue, generated: a page for each member, and which routes answer which pair.

Run with ``python -m mechdesign.testing.pages FOLDER``.
"""

from __future__ import annotations

import inspect
import sys
import zlib
from pathlib import Path

import numpy as np

from mechdesign import writing
from mechdesign.errors import MechdesignError
from mechdesign.solve.routes import ROUTES
from mechdesign.solve.task import Task
from mechdesign.testing import sized
from mechdesign.testing.catalogue import all_notions, all_objectives

#: Numbers of data at which a pair is asked.
SIZES = (2, 3, 8, 40)


def page(name: str, member: type) -> str:
    """Return a member's page: its docstring, as it stands in the code.

    Examples
    --------
    >>> import mechdesign as md
    >>> page("LDP", md.LDP).splitlines()[0]
    '# LDP'
    """
    return f"# {name}\n\n`mechdesign.{name}`\n\n{inspect.getdoc(member) or ''}\n"


def answering(notion: str, objective: str, n: int) -> tuple[list[str], str]:
    """Return the routes that accept a question of that pair with n data, and one sentence of those that refuse."""
    rng = np.random.default_rng(zlib.crc32(f"{notion} {objective} {n}".encode()))
    asked = sized.some_pair(notion, objective, n, rng)
    if asked is None:
        return [], f"{notion} has no such question with {n} data"
    problem, made, wanted = asked
    try:
        task = Task(made.inputs(problem), made, wanted)
        wanted.check(task.problem)
        refusals = {name: route.refusal(task) for name, route in ROUTES.items() if route.is_exact}
    except MechdesignError as error:
        return [], str(error)
    accepted = [name for name, why in refusals.items() if why is None]
    return accepted, "; ".join(f"{name}: {why}" for name, why in refusals.items() if why is not None)


def pairs_table() -> str:
    """Return the table of pairs: for each notion and objective the routes that answer, up to which size."""
    asked = f"Asked of one random question each with {', '.join(map(str, SIZES))} data"
    lines = [
        "# Which routes answer which pair",
        "",
        f"{asked}; a route stands with the largest of these that it accepts.",
        "",
        "| notion | objective | routes | where none: why |",
        "|---|---|---|---|",
    ]
    for notion in sized.NOTIONS:
        for objective in sized.OBJECTIVES:
            largest: dict[str, int] = {}
            reason = ""
            for n in SIZES:
                accepted, why = answering(notion, objective, n)
                largest.update(dict.fromkeys(accepted, n))
                reason = why or reason
            routes = ", ".join(f"{name} ({n})" for name, n in largest.items())
            lines.append(f"| {notion} | {objective} | {routes or 'none'} | {'' if routes else reason} |")
    return "\n".join(lines) + "\n"


def write(folder: Path) -> list[Path]:
    """Write every page and the table of pairs into `folder`, and return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {f"{name}.md": page(name, member) for name, member in {**all_notions(), **all_objectives()}.items()}
    texts["pairs.md"] = pairs_table()
    return [writing.write(folder / name, text) for name, text in sorted(texts.items())]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m mechdesign.testing.pages FOLDER")
    for written in write(Path(sys.argv[1])):
        sys.stdout.write(f"{written}\n")
