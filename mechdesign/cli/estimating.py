"""The command that estimates: frequencies of all answers from a file of reports, of everybody or of each group."""

from __future__ import annotations

import dataclasses
import warnings
from pathlib import Path
from typing import Any

import click

from mechdesign.cli import missing_answers, options, own_members, printing, report_files
from mechdesign.cli.any_reports import any_reports
from mechdesign.cli.mechanism_files import mechanism_in, require_file
from mechdesign.cli.overwriting import option as overwriting
from mechdesign.cli.overwriting import require_writable
from mechdesign.cli.repeated_people import RepeatedPeople
from mechdesign.displays import Block, Lines
from mechdesign.displays.text import show
from mechdesign.errors import DomainError, FitWarning, UnsupportedError
from mechdesign.estimation import Difference, Estimate, Functional, GroupedEstimate
from mechdesign.estimation.cover_estimate import CoverEstimate
from mechdesign.estimation.differences import COLUMNS as OF_DIFFERENCES
from mechdesign.estimation.estimating import COLUMNS
from mechdesign.files.pictures import PICTURE, require_picture, write_picture
from mechdesign.files.tables import kind_of, save_table
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.problem.missing import MissingRule


@dataclasses.dataclass(frozen=True)
class Columns:
    """Which columns of the reports say how people were drawn, and to which group they belong.

    Attributes
    ----------
    weights, strata, clusters, by : str or None
        The names of the columns.
    difference : tuple of str or None
        Two groups of which the difference is asked for.
    reports : str or None
        The column of the reports themselves, of a file that was not drawn here.
    """

    weights: str | None
    strata: str | None
    clusters: str | None
    by: str | None
    difference: tuple[str, str] | None
    reports: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The columns that hold labels, each once."""
        return tuple(dict.fromkeys(name for name in (self.strata, self.clusters, self.by) if name is not None))


@click.command()
@click.argument("file", type=options.PATH)
@click.argument("reports", type=options.PATH)
@click.option("--column", help="The column of REPORTS, any CSV file with a header, that holds the names of outputs.")
@click.option("--drop-missing", is_flag=True, help="Leave rows of --column without a report out.")
@click.option(
    "--missing", multiple=True, metavar="CODE", help="What stands for a missing report, beside NA and the like."
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Of the intervals.")
@click.option(
    "--method",
    type=click.Choice(["likelihood", "unbiased", "nonnegative"]),
    help="By default likelihood; unbiased of a mechanism without a matrix, which has nonnegative too.",
)
@click.option(
    "--population", type=int, help="People in the population: how many have each answer, and the total of the values."
)
@click.option(
    "--weights",
    help="The column of REPORTS with each person's survey weight, kept by `mechdesign sample --keep`: estimates are "
    "linear then, with the variance of unequal weights.",
)
@click.option("--strata", help="The column with the stratum that each person was drawn from.")
@click.option("--clusters", help="The column with the cluster that each person was drawn with, within strata.")
@click.option("--by", help="The column with each person's group: an estimate for each group.")
@click.option(
    "--difference",
    nargs=2,
    metavar="GROUP GROUP",
    help="Two groups of --by: what the frequencies of the first have above the second's, with intervals.",
)
@click.option(
    "-o",
    "--output",
    "target",
    type=options.PATH,
    help="Write the table there: CSV, or what .html, .tex or .xlsx at its end says.",
)
@click.option("--plot", "picture", type=options.PATH, help="Draw the frequencies with their intervals there.")
@overwriting
@options.members
@options.as_json
def estimate(
    file: Path,
    reports: Path,
    column: str | None,
    drop_missing: bool,
    missing: tuple[str, ...],
    level: float,
    method: str | None,
    population: int | None,
    weights: str | None,
    strata: str | None,
    clusters: str | None,
    by: str | None,
    difference: tuple[str, str] | None,
    target: Path | None,
    picture: Path | None,
    overwrite: bool,
    modules: tuple[str, ...],
    as_json: bool,
) -> int:
    """Estimate the frequencies of all answers from REPORTS of the mechanism FILE.

    REPORTS is a file that `mechdesign sample` or a sampler wrote, or with --column any CSV file of reports.

    Where the answers stand for numbers, their mean too, by the best linear estimate whatever the method is. Columns of
    weights, strata, clusters and groups are kept beside the reports by `mechdesign sample --keep`.
    """
    mechanism, checksum = mechanism_in(file, own_members.imported(modules))
    require_file("REPORTS", reports)
    if difference is not None and by is None:
        raise DomainError("--difference", " ".join(difference), "it is of two groups", "name their column with --by")
    columns = Columns(weights, strata, clusters, by, difference, column)
    absent = missing_answers.reports_rule(missing, drop_missing)
    head = OF_DIFFERENCES if difference else COLUMNS if by is None else ("group", *COLUMNS)
    if target is not None:
        require_writable(target, kind_of(target, head), overwrite)
    _require_picture(mechanism, picture, by, overwrite)
    if population is not None and by is not None:
        rule = "it is of everybody, and each group is another population"
        raise DomainError("--population", population, rule, "leave it out, or estimate without --by")
    made, people = _estimated(mechanism, checksum, reports, method, columns, absent)
    if repeated := people.sentence("report", "allowed to, and intervals are too narrow; keep one report of each."):
        printing.complain(repeated)
    if isinstance(made, CoverEstimate):
        _show_covers(mechanism, made, level, population, as_json=as_json)
        if target is not None:
            save_table(made.rows(level), head, target)
        return 0
    found = made.difference(*difference) if difference and isinstance(made, GroupedEstimate) else made
    identified = bool(mechanism.identifiability.rank == mechanism.inputs.n)
    rows = found.rows(level) if identified else []
    if as_json:
        printing.show_json(_json(found, rows, level, population))
    else:
        _show(mechanism, found, level, population)
    if target is not None and identified:
        save_table(rows, head, target)
    if picture is not None and identified and isinstance(found, Estimate):
        write_picture(found.plot(level=level), picture)
    return 0 if identified else printing.FELL_SHORT


def _require_picture(mechanism: Mechanism, picture: Path | None, by: str | None, overwrite: bool) -> None:
    if picture is None:
        return
    if isinstance(mechanism, ImplicitMechanism):
        raise UnsupportedError("--plot draws estimates of a mechanism with a matrix; --output writes the numbers.")
    if by is not None:
        rule = "a picture is of one estimate, and each group has its own"
        raise DomainError("--plot", str(picture), rule, "leave it out, or write the table by --output")
    require_picture("--plot", picture)
    require_writable(picture, PICTURE, overwrite)


def _estimated(
    mechanism: Mechanism, checksum: str, reports: Path, method: str | None, columns: Columns, missing: MissingRule
) -> tuple[Estimate | GroupedEstimate | CoverEstimate, RepeatedPeople]:
    """Return the estimate from a file of reports, by the columns that were named, and who is there twice."""
    if columns.reports is None and (missing.drop or missing.codes):
        rule = "files that mechdesign sample wrote have no missing reports"
        raise DomainError("--drop-missing", "given", rule, "leave it out, or name the --column of another file")
    wanted: Any = method or mechanism.usual_method
    # What the warnings say is among the estimate's notes, which are printed.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FitWarning)
        if columns == Columns(None, None, None, None, None):
            counted = report_files.counted_file(mechanism, checksum, reports)
            return mechanism.estimate(counts=counted.counts, method=wanted), counted.people
        if columns.reports is None:
            read = report_files.surveyed_file(mechanism, checksum, reports, columns.weights, columns.labels)
        else:
            read = any_reports(reports, columns.reports, mechanism.outputs, columns.weights, columns.labels, missing)
        strata, clusters, groups = (
            None if name is None else read.labels[name] for name in (columns.strata, columns.clusters, columns.by)
        )
        made: Estimate | GroupedEstimate = mechanism.estimate(
            read.reports,
            method=wanted,
            weights=read.weights,
            strata=strata,
            clusters=clusters,
            groups=groups,
            by="index",
        )
        return made, read.people


def _json(
    found: Estimate | GroupedEstimate | Difference, rows: list[dict[str, Any]], level: float, size: int | None
) -> dict[str, Any]:
    if isinstance(found, Estimate):
        return _data(found, rows, level, size)
    if isinstance(found, Difference):
        asked = {"reports": [found.first.reports, found.second.reports], "level": level, "differences": rows}
        return asked if found.first.problem.values is None else {**asked, "mean": found.mean(level=level)}
    groups = [
        {"group": group, **_data(made, made.rows(level) if rows else [], level, None)} for group, made in found.items()
    ]
    return {"level": level, "groups": groups}


def _data(found: Estimate, rows: list[dict[str, Any]], level: float, size: int | None) -> dict[str, Any]:
    data: dict[str, Any] = {"reports": found.reports, "level": level, "frequencies": rows}
    if found.survey is None:
        data |= {"method": found.method, "gap": found.gap}
    else:
        data |= {"effective_reports": found.effective_reports, "design_effect": found.design_effect}
        data |= {"degrees_of_freedom": found.survey.degrees, "design": found.survey.words}
    data |= {"notes": list(found.notes), "fit": dataclasses.asdict(found.fit)}
    if rows and found.problem.values is not None:
        data["mean"] = _figure(found.mean(), level)
        if size is not None:
            data["total"] = _figure(found.total(size), level)
    if rows and size is not None:
        data["totals"] = found.totals(size, level)
    return data


def _figure(found: Functional, level: float) -> dict[str, float]:
    low, high = found.interval(level)
    return {"estimate": found.value, "standard_error": found.standard_error, "low": low, "high": high}


def _show(mechanism: Mechanism, found: Estimate | GroupedEstimate | Difference, level: float, size: int | None) -> None:
    console = printing.console(False)
    shown = found.shown(level, size) if isinstance(found, Estimate) else found.shown(level)
    show(console, (mechanism.display()[0], *shown))
    if mechanism.identifiability.rank < mechanism.inputs.n:
        console.print('  Design with objective InformationDesign, criterion "A", to learn every frequency.')


def _show_covers(mechanism: Mechanism, found: CoverEstimate, level: float, size: int | None, *, as_json: bool) -> None:
    """Print the frequencies, of many inputs the most frequent ones, and the mean and total if inputs have values."""
    if as_json:
        printing.show_json(_data_of_covers(found, level, size))
        return
    said: list[Block] = [mechanism.display()[0], *found.shown(level)]
    if found.problem.values is not None:
        lines = [f"mean {found.mean().written(level)}"]
        lines += [] if size is None else [f"total of {size:.15g} people {found.total(size).written(level)}"]
        said.append(Lines("", tuple(lines)))
    show(printing.console(False), tuple(said))


def _data_of_covers(found: CoverEstimate, level: float, size: int | None) -> dict[str, Any]:
    """Return the estimate as plain data: every input's row, the fit, and the mean and total if inputs have values."""
    data: dict[str, Any] = {"reports": found.reports, "level": level, "method": found.method}
    data |= {"frequencies": found.rows(level), "fit": dataclasses.asdict(found.fit)}
    if found.problem.values is not None:
        figures = {"mean": found.mean(), **({} if size is None else {"total": found.total(size)})}
        for name, one in figures.items():
            low, high = one.interval(level)
            data[name] = {"estimate": one.value, "standard_error": one.standard_error, "low": low, "high": high}
    return data
