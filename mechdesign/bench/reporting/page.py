"""The report of a benchmark: one page that opens without a network."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mechdesign.bench.reporting.change import changes
from mechdesign.bench.reporting.tables import by_class, pairwise, privacy
from mechdesign.bench.reporting.words import citation, sentences
from mechdesign.bench.results import Results
from mechdesign.displays import Table
from mechdesign.displays.html import Html, element, joined
from mechdesign.errors import UnsupportedError
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.files.pictures import PICTURE, require_picture, write_picture
from mechdesign.plotting.canvas import MISSING
from mechdesign.reports.page import document
from mechdesign.reports.pieces import bullets, note, section, table
from mechdesign.version import VERSION

MARK = "mechdesign benchmark"
BENCH_REPORT = FileKind(
    "the benchmark's report",
    (".html", ".htm"),
    (rf'<!DOCTYPE html>\n<html [^>]*><head>(<meta [^>]*>)*?<meta name="generator" content="{MARK} ',),
)
#: Accuracies for which profiles are drawn and classes are counted.
ACCURACIES = (1e-3, 1e-6, 1e-9)


def write_report(
    results: Results, path: str | Path, *, earlier: Results | None = None, overwrite: bool = False
) -> Path:
    """Write the report of a benchmark as one page of HTML, and return the path.

    It needs no network and runs no script. With `earlier`, both results stand side by side, with a test for noise.

    Raises
    ------
    DomainError
        A file of another kind is there, or the name promises another format.
    UnsupportedError
        matplotlib is not installed.
    """
    BENCH_REPORT.require_place(path, overwrite=overwrite)
    if find_spec("matplotlib") is None:
        raise UnsupportedError(MISSING)
    return write(path, page(results, earlier))


def page(results: Results, earlier: Results | None = None) -> str:
    """Return the page as HTML."""
    parts = [
        section("In words", bullets(sentences(results))),
        section("Solvers", table("Solvers", results.display()[0]), note(EXPLAINED)),
        *([] if earlier is None else [_side_by_side(earlier, results)]),
        section("Performance profiles", *(_profile(results, accuracy) for accuracy in ACCURACIES)),
        section("Data profile", _data_profile(results, 1e-6)),
        section("Privacy of the matrices as they come", table("Privacy", privacy(results))),
        section(
            "By class of instance, solved to 1e-6",
            table("By form", by_class(results, 1e-6, lambda run: run.form, "")),
            table("By kind of objective", by_class(results, 1e-6, lambda run: run.kind, "")),
        ),
        section("Quicker to 1e-6: row against column", table("Pairs of solvers", pairwise(results, 1e-6))),
        section("Answers with a fault", table("Faults", _faults(results))),
        section("Versions and conditions", bullets(_versions(results))),
        section("To cite", element("pre", citation())),
    ]
    title = f"{len(results.solvers)} solvers on {len(results.instances)} programs of optimal mechanisms"
    head = element("header", element("div", element("h1", title), element("p", SUBTITLE)))
    foot = element(
        "footer", element("p", f"Made by mechdesign {VERSION}. This page needs no network, and runs no script.")
    )
    return f"<!DOCTYPE html>\n{document(title, joined([head, element('main', *parts, foot)]), MARK)}\n"


def write_profile(results: Results, path: str | Path, accuracy: float = 1e-6, *, overwrite: bool = False) -> Path:
    """Draw the performance profile of a benchmark, and return the path: its ending says the format, .pdf for a paper.

    Raises
    ------
    DomainError
        A file of another kind is there, or the ending is of no picture.
    UnsupportedError
        matplotlib is not installed, or no instance is solved to the accuracy.
    """
    require_picture("path", path)
    PICTURE.require_place(path, overwrite=overwrite)
    if find_spec("matplotlib") is None:
        raise UnsupportedError(MISSING)
    from mechdesign.plotting import performance_profile

    times = results.times(accuracy)
    if not any(times.values()):
        raise UnsupportedError(f"No instance is solved to {accuracy:.0e}: there is no profile; report them as a table.")
    drawn = performance_profile(_on_all(times, results.instances), solved=f"solved to {accuracy:.0e}")
    return write_picture(drawn, path)


SUBTITLE = (
    "Optima are certified by mechdesign, independently of every solver; scores are found from the answers' numbers."
)
EXPLAINED = (
    "An instance is solved to an accuracy where the answer, repaired into an exactly private mechanism, is worse than "
    "the certified optimum by at most that much, relatively. Of the tolerances that a solver was asked for, the "
    "quickest that reaches it counts. Mean seconds: shifted geometric mean over the "
    "instances that all solvers take, the time limit where it is not reached."
)


def _side_by_side(earlier: Results, later: Results) -> Html:
    compared = [changes(earlier, later, accuracy).display()[0] for accuracy in ACCURACIES]
    return section(
        "Against the earlier results",
        *(joined([note(found.title), table(found.title, found)]) for found in compared),
        note("Paired by instance: the signed-rank test of Wilcoxon on the logarithms of the times."),
    )


def _faults(results: Results) -> Table:
    found: dict[tuple[str, str], int] = {}
    for run in results.runs:
        faults = [*(run.score.faults if run.score else ()), *run.notes]
        said = [fault for fault in faults if not fault.startswith("its matrix is not private")]
        if run.outcome not in ("answered", "refused"):
            said.append(f"{run.outcome}: {run.why}")
        for fault in said:
            found[run.solver, f"{run.instance}: {fault}"] = 1
    rows = tuple(found)
    return Table("", ("solver", "what"), rows or (("none", ""),), ("solver", "what"))


def _versions(results: Results) -> list[str]:
    versions = dict.fromkeys(f"{run.solver}: {run.version or 'version unknown'}" for run in results.runs)
    conditions = dict.fromkeys(str(run.conditions) for run in results.runs if run.conditions is not None)
    sets = sorted({run.conditions.sets_version for run in results.runs if run.conditions is not None})
    said = f"; sets of instances: version {', '.join(map(str, sets))}" if sets else ""
    return [*versions, *conditions, f"this page: mechdesign {VERSION}{said}"]


def _profile(results: Results, accuracy: float) -> Html:
    from mechdesign.plotting import performance_profile

    times = {solver: found or {} for solver, found in results.times(accuracy).items()}
    if not any(times.values()):
        return note(f"No instance is solved to {accuracy:.0e}.")
    said = (
        f"Share of instances solved to {accuracy:.0e} within a multiple of the quickest solver's time (Dolan and More)."
    )
    return _figure(
        lambda: performance_profile(_on_all(times, results.instances), solved=f"solved to {accuracy:.0e}"), said
    )


def _on_all(times: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the times of each solver on all instances, infinite where an instance was not solved."""
    return {solver: {name: found.get(name, float("inf")) for name in names} for solver, found in times.items()}


def _data_profile(results: Results, accuracy: float) -> Html:
    from mechdesign.plotting import data_profile

    times = _on_all(results.times(accuracy), results.instances)
    said = f"Share of instances solved to {accuracy:.0e} within so many seconds."
    return _figure(lambda: data_profile(times, solved=f"solved to {accuracy:.0e}"), said)


def _figure(draw: Callable[[], Any], caption: str) -> Html:
    """Return a figure of matplotlib as a drawing within the page."""
    import matplotlib as mpl

    held = io.StringIO()
    # Names of its parts that are the same each time; text stays text, for those who hear or search the page.
    with mpl.rc_context({"svg.hashsalt": MARK, "svg.fonttype": "none"}):
        draw().savefig(held, format="svg", metadata={"Date": None, "Creator": None})
    drawing = held.getvalue()
    drawing = drawing[drawing.index("<svg") :].replace("<svg ", f'<svg role="img" aria-label="{caption}" ', 1)
    return element("figure", Html(drawing), element("figcaption", caption), class_="picture")
