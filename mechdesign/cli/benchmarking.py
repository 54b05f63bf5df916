"""The commands `bench run`, `report`, `export` and `score`: a benchmark of solvers."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

import click

from mechdesign.bench import SETS, Results, instances, known_solvers
from mechdesign.bench import run as run_benchmark
from mechdesign.bench.exports.formats import FORMATS, export
from mechdesign.bench.exports.scoring import MALFORMED, score_folder
from mechdesign.bench.reporting.page import write_profile, write_report
from mechdesign.bench.reporting.tables import write_numbers
from mechdesign.bench.reporting.words import sentences
from mechdesign.bench.running.benchmark import ACCURACIES
from mechdesign.bench.running.record import Run
from mechdesign.cli import options, overwriting, printing
from mechdesign.displays.blocks import Lines
from mechdesign.displays.text import show
from mechdesign.errors import DomainError
from mechdesign.files.pictures import PICTURE
from mechdesign.runtime.progress import Bar

#: The solvers that are run where none is named.
DEFAULT = "HIGHS,HIGHS-IPM,CLARABEL,SCS,MECHDESIGN"
chosen_set = click.option(
    "--set",
    "set_name",
    type=click.Choice(sorted(SETS)),
    default="small",
    show_default=True,
    help="The set of instances.",
)


@click.group()
def bench() -> None:
    """Benchmark solvers on programs whose optima are certified."""


@bench.command("run")
@chosen_set
@click.option(
    "--solvers", default=DEFAULT, show_default=True, help="Names, or name=module:function, with commas between."
)
@click.option("-o", "--output", type=options.PATH, help="The file of results; runs that it holds are not run again.")
@click.option(
    "--accuracies", default=",".join(f"{a:g}" for a in ACCURACIES), show_default=True, help="Tolerances asked for."
)
@click.option("--time-limit", type=float, default=10.0, show_default=True, help="Seconds for each run.")
@click.option("--memory", type=float, default=4.0, show_default=True, help="GB for each run.")
@click.option("--repeats", type=int, default=1, show_default=True, help="How often a run below a second is repeated.")
@click.option("--jobs", type=int, default=1, show_default=True, help="How many runs go on beside each other.")
@click.option("--every", type=int, default=1, show_default=True, help="Take every so many instances of the set.")
@click.option("--list", "listing", is_flag=True, help="List the solvers that can be run here, and end.")
def run(
    set_name: str,
    solvers: str,
    output: Path | None,
    accuracies: str,
    time_limit: float,
    memory: float,
    repeats: int,
    jobs: int,
    every: int,
    listing: bool,
) -> int:
    """Run SOLVERS on a set of instances, each run in a process of its own, and score their answers.

    A solver of your own is name=module:function; the function is called as solve(program, accuracy=..., time_limit=...)
    with arrays, and returns a point and row duals. A run that was stopped goes on where the file of results ends.
    """
    console = printing.console(False)
    if listing:
        show(console, (Lines("Solvers that can be run here", tuple(known_solvers())),))
        return 0
    asked = [_positive(each) for each in accuracies.split(",")]
    with printing.warnings_as_sentences(), Bar("runs", None) as bar:

        def ended(found: Run, count: int, total: int) -> None:
            bar(f"{found.solver} on {found.instance}: {found.outcome}", total)

        results = run_benchmark(
            set_name,
            [each for each in solvers.split(",") if each.strip()],
            output=output,
            accuracies=asked,
            time_limit=time_limit,
            memory=memory,
            repeats=repeats,
            n_jobs=jobs,
            every=every,
            progress=ended,
        )
    _show(results)
    if output is not None:
        show(console, (Lines("Results", (f"written to {output}",)),))
    if results.interrupted:
        return printing.INTERRUPTED
    answering = {each.solver for each in results.runs if each.outcome == "answered"}
    return 0 if answering.issuperset(results.solvers) else printing.FELL_SHORT


@bench.command()
@click.argument("files", type=options.PATH, nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    type=options.PATH,
    help="Write the report there: .html; every number: .csv, .json; the performance profile: .pdf, .svg, .pgf, .png.",
)
@click.option("--earlier", type=options.PATH, help="Results to compare with: did a change help?")
@overwriting.option
def report(files: tuple[Path, ...], output: Path | None, earlier: Path | None, overwrite: bool) -> int:
    """Report the results in FILES: as text, as a page that needs no network, or as a table of all numbers."""
    results = Results.read(*files)
    before = None if earlier is None else Results.read(earlier)
    console = printing.console(False)
    if output is None:
        _show(results, before)
        return 0
    if output.suffix in (".html", ".htm"):
        write_report(results, output, earlier=before, overwrite=overwrite)
    elif output.suffix in (".csv", ".json"):
        write_numbers(results, output, overwrite=overwrite)
    elif output.suffix.casefold() in PICTURE.suffixes:
        write_profile(results, output, overwrite=overwrite)
    else:
        remedy = "end it in .html, .csv, .json, .pdf, .svg, .pgf or .png"
        raise DomainError("output", str(output), "its name says the format", remedy)
    show(console, (Lines("Report", (f"written to {output}",)),))
    return 0


@bench.command("export")
@chosen_set
@click.option("--format", "format_name", type=click.Choice(sorted(FORMATS)), default="mps", show_default=True)
@click.option("-o", "--output", type=options.PATH, required=True, help="The folder for the files.")
def export_set(set_name: str, format_name: str, output: Path) -> int:
    """Write the instances of a set as files, for solvers that are not called from Python."""
    written, left_out = export(instances(set_name), format_name, output)
    said = [f"{len(written)} files in {output}"]
    if left_out:
        said.append(f"left out, as {format_name} holds no cones: {', '.join(left_out)}")
    show(printing.console(False), (Lines("Instances", tuple(said)),))
    return 0


@bench.command("show")
@click.argument("name", required=False)
@chosen_set
def show_instance(name: str | None, set_name: str) -> int:
    """Show the instance NAME: its question in words, its form in mathematics, its numbers; or list the set."""
    console, listed = printing.console(False), {each.name: each for each in instances(set_name)}
    if name is None:
        show(console, (Lines(f"{len(listed)} instances of {set_name}", tuple(listed)),))
        return 0
    if name not in listed:
        there = [other for other in SETS if name in {each.name for each in instances(other)}]
        if there:
            raise DomainError("name", name, f"it is an instance of {there[0]}", f"add --set {there[0]}")
        alike = get_close_matches(name, listed, 3) or list(listed)[:3]
        raise DomainError("name", name, f"it has to be an instance of {set_name}", f"use {', '.join(alike)}")
    show(console, listed[name].display())
    return 0


@bench.command()
@click.argument("solutions", type=options.PATH)
@chosen_set
@click.option("--solver", default="solver", show_default=True, help="What to call the solver.")
@click.option("--times", type=options.PATH, help="A file of lines INSTANCE SECONDS: how long the solver took.")
def score(solutions: Path, set_name: str, solver: str, times: Path | None) -> int:
    """Score the solutions in a folder: files of the instances' names, of HiGHS, GLPK, CBC or SCIP, or npz.

    Of another solver, lines of names and values. Variables are x0, x1, ...; duals of rows r0, r1, ... are read where
    they are given. A file that is no solution of its instance is named, and the exit code is then 1.
    """
    with printing.warnings_as_sentences():
        found = score_folder(instances(set_name), set_name, solutions, solver, times)
    _show(found)
    return printing.FELL_SHORT if any(run.outcome == MALFORMED for run in found.runs) else 0


def _show(results: Results, earlier: Results | None = None) -> None:
    from mechdesign.bench.reporting.change import changes

    console = printing.console(False)
    show(console, results.display())
    show(console, (Lines("In words", tuple(sentences(results))),))
    if earlier is not None:
        show(console, changes(earlier, results).display())


def _positive(given: str) -> float:
    try:
        return float(given)
    except ValueError:
        raise DomainError("accuracies", given, "they are numbers with commas between", "write 1e-4,1e-7") from None
