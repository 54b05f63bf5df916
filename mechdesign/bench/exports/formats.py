"""Instances as files for solvers that are not called from Python, and what such a solver answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mechdesign.bench.exports.arrays import write_npz
from mechdesign.bench.exports.conic_benchmark_format import write_cbf
from mechdesign.bench.exports.linear import write_lp, write_mps
from mechdesign.bench.instance import Instance
from mechdesign.errors import DomainError, nearest
from mechdesign.files.atomic_writes import write

#: The file of the optima.
OPTIMA = "instances.solu"


@dataclass(frozen=True)
class Format:
    """A format of files.

    Attributes
    ----------
    suffix : str
        The end of the file's name.
    write : callable
        Writes a program to a path.
    conic : bool
        Whether it holds programs with cones.
    """

    suffix: str
    write: Callable[..., None]
    conic: bool


FORMATS = {
    "mps": Format(".mps", write_mps, False),
    "lp": Format(".lp", write_lp, False),
    "cbf": Format(".cbf", write_cbf, True),
    "npz": Format(".npz", write_npz, True),
}


def export(listed: list[Instance], format_name: str, folder: str | Path) -> tuple[list[Path], list[str]]:
    """Write each instance to a file of its name in `folder`, and return the files and the instances left out.

    Beside them ``instances.solu`` has the certified least cost and a bound of each, in the lines of MIPLIB.
    Instances with cones are left out of formats for linear programs.

    Raises
    ------
    DomainError
        No such format, or `folder` is a file.
    """
    if format_name not in FORMATS:
        raise DomainError("format", format_name, "it is a format of files", nearest(str(format_name), FORMATS))
    kind, target = FORMATS[format_name], Path(folder)
    if target.exists() and not target.is_dir():
        raise DomainError("output", str(folder), "a folder is written, and this is a file", "name another folder")
    target.mkdir(parents=True, exist_ok=True)
    written, left_out = [], []
    for instance in listed:
        if kind.conic or instance.posed.program.is_linear:
            path = target / f"{instance.name}{kind.suffix}"
            kind.write(instance.posed.program, path)
            written.append(path)
        else:
            left_out.append(instance.name)
    written_of = [each for each in listed if each.name not in left_out]
    write(target / OPTIMA, "".join(f"{line}\n" for each in written_of for line in _optimum(each)))
    return written, left_out


def _optimum(instance: Instance) -> Iterator[str]:
    """Yield lines of a file as MIPLIB's: the least cost that is known, and a bound that none passes."""
    question, optimum = instance.question, instance.optimum
    inputs = question.notion.inputs(question.problem)
    for mark, value in (("best", optimum.value), ("bestdual", optimum.bound)):
        utility = question.objective.to_utility(value, inputs)
        yield f"={mark}= {instance.name} {-utility / instance.posed.scale!r}"
