"""Whether what is published holds what it must: `python .ci/distributions.py SDIST WHEEL WHEEL_OF_SDIST`."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: What the package needs beside its modules, by name: a folder that is missing in the checkout would not be missed.
DATA = (
    "mechdesign/bench/sets/optima.json",
    "mechdesign/bench/sets/vertices.json",
    "mechdesign/figures/data/adult-income.csv",
    "mechdesign/figures/data/gowalla-nyc-cells.csv",
    "mechdesign/figures/data/kosarak-first-36682-clicks.csv",
    "mechdesign/py.typed",
    "mechdesign/sampler_programs/ecmascript_sampler.js.txt",
    "mechdesign/sampler_programs/python_sampler.py.txt",
    "mechdesign/literature/words.toml",
    "mechdesign/literature/works.toml",
    "mechdesign/theorems/verdicts.json",
)
#: Programs of their own beside the package, in the wheel too.
PROGRAMS = ("mechdesign_check.py",)
#: What goes into the sdist beside the package.
DOCUMENTS = (
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "CONTRIBUTING.md",
    "REFEREE.md",
    "SECURITY.md",
    "LICENSE",
    "pyproject.toml",
    "asv.conf.json",
)
FOLDERS = ("tests", "benchmarks", "docs", "examples", "notebooks", ".ci")
#: What runs leave behind, wherever it lies, and the pages that the site writes by itself.
LEFT_BEHIND = {"__pycache__", ".ipynb_checkpoints", "results"}
WRITTEN = "docs/catalogue/"


def main() -> None:
    """Print what is wrong and exit with 1, or say that nothing is."""
    found = faults(*(Path(name) for name in sys.argv[1:4]), ROOT)
    print("\n".join(found) or "The sdist and both wheels hold what they must.")
    sys.exit(1 if found else 0)


def faults(sdist: Path, wheel: Path, of_sdist: Path, root: Path) -> list[str]:
    """Return what is wrong with the distributions of the checkout `root`, a sentence for each file."""
    package = files(root, ["mechdesign"]) | set(DATA) | set(PROGRAMS)
    sources = package | files(root, FOLDERS) | set(DOCUMENTS)
    held, again = read_wheel(wheel), read_wheel(of_sdist)
    information = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/"
    built = {name for name in held if not name.startswith(information)}
    named = read_sdist(sdist)
    return [
        *(f"{sdist.name} lacks {name}." for name in sorted(sources - named)),
        *(f"{wheel.name} lacks {name}." for name in sorted(package - built)),
        *(f"{wheel.name} holds {name}, which is no part of the package." for name in sorted(built - package)),
        *(f"{wheel.name} lacks {name}." for name in (f"{information}licenses/LICENSE",) if name not in held),
        *(
            f"{name} differs between the wheel of the checkout and that of the sdist."
            for name in sorted(held.keys() | again.keys())
            if held.get(name) != again.get(name)
        ),
    ]


def files(root: Path, folders: list[str] | tuple[str, ...]) -> set[str]:
    """Return the files of the folders, by their path from `root`."""
    found = (path for folder in folders for path in (root / folder).rglob("*") if path.is_file())
    names = {path.relative_to(root).as_posix() for path in found if not LEFT_BEHIND & set(path.parts)}
    return {name for name in names if not name.startswith(WRITTEN)}


def read_wheel(path: Path) -> dict[str, bytes]:
    """Return the contents of a wheel."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def read_sdist(path: Path) -> set[str]:
    """Return the names in an sdist, without its own folder."""
    with tarfile.open(path) as archive:
        return {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}


if __name__ == "__main__":
    main()
