"""What a notebook and a terminal show: no text runs, nothing is left out unsaid, everything has its display."""

import importlib
import io
import json
import pkgutil
import re
from dataclasses import fields, replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from numpydoc.docscrape import ClassDoc
from rich.console import Console

import mechdesign as md
from mechdesign.displays import Displayed, Record, blocks, html, text, visible
from mechdesign.notions import Notion
from mechdesign.objectives import Generator, Objective
from mechdesign.parameters import Checked
from mechdesign.referee.ledger import Ledger
from mechdesign.testing.examples import NOTIONS, OBJECTIVES
from tests.helpers.hostile import DISPLAYED, NUMBERS, PLAIN, TEXTS, asked, design, ledger_row, sweep

TAGS = {"div", "h4", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "p", "details", "summary"}
ATTRIBUTES = {"class", "style", "scope"}

#: What the package shows, by name.
NAMES = {name: getattr(md, name) for name in md.__all__}


class Page(HTMLParser):
    """The tags, attributes and text of some HTML."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.attributes, self.words = set(), set(), []
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.words.append(data)


def check_html(made, hostile):
    """Every tag is one of ours, and the text stands there as a reader may see it."""
    markup = made._repr_html_()
    page = Page(markup)
    assert page.tags <= TAGS, f"foreign tags {page.tags - TAGS} in the display"
    assert page.attributes <= ATTRIBUTES, f"foreign attributes {page.attributes - ATTRIBUTES}"
    assert markup.isprintable(), "control characters in the display"
    markup.encode("utf-8")
    return page


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", DISPLAYED)
def test_no_text_runs_in_a_notebook(name, kind):
    page = check_html(DISPLAYED[name](TEXTS[kind]), TEXTS[kind])
    if name not in NUMBERS:
        shown = "".join(page.words)
        assert visible.printable(TEXTS[kind])[:16] in shown
        if kind == "long":
            assert "more characters)" in shown and len(shown) < 40_000


@pytest.mark.thinned(5)
@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", DISPLAYED)
def test_no_text_steers_a_terminal(name, kind, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    made = DISPLAYED[name](TEXTS[kind])
    assert repr(made).isprintable()
    # The name of a member of one's own is its own affair; whatever prints it makes it harmless.
    for line in [] if name in {"OwnLDP", "OwnError"} else str(made).split("\n"):
        assert line.isprintable()
    if name not in PLAIN | NUMBERS:
        assert visible.printable(TEXTS[kind])[:16] in str(made)
    # The command's own console writes colours, and only those that it chose.
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, markup=False, emoji=False, highlight=False, width=400)
    text.show(console, made.display())
    plain = re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    assert all(line.isprintable() for line in plain.split("\n")) and "\x1b[31m" not in file.getvalue()
    if name not in NUMBERS:
        assert visible.printable(TEXTS[kind])[:16] in plain


def test_everything_displayed_is_tried():
    found = set()
    for info in pkgutil.walk_packages(md.__path__, "mechdesign."):
        if "testing" not in info.name and "__main__" not in info.name:
            members = vars(importlib.import_module(info.name)).items()
            found |= {member for _, member in members if isinstance(member, type) and issubclass(member, Displayed)}
    tried = {type(make("a")) for make in DISPLAYED.values()}
    missing = {member for member in found - tried if not issubclass(member, Notion | Objective | Generator)}
    assert missing <= {Displayed, Record, Checked}, missing


def test_planted_an_unescaped_cell_is_caught(monkeypatch):
    caught = []
    monkeypatch.setattr(html, "escaped", lambda content, most=0: html.Html(str(content)))
    for name, make in DISPLAYED.items():
        if name not in NUMBERS:
            with pytest.raises(AssertionError):
                check_html(make(TEXTS["script"]), TEXTS["script"])
            caught.append(name)
    assert caught


def members():
    rng = np.random.default_rng(5)
    for table in (NOTIONS, OBJECTIVES):
        for name, makers in table.items():
            for number, make in enumerate(makers):
                yield pytest.param(make(rng)[0], id=f"{name}-{number}")


@pytest.mark.parametrize("member", list(members()))
def test_a_member_shows_itself_and_writes_what_python_reads(member):
    written = repr(member)
    assert written.isprintable()
    page = check_html(member, "")
    assert str(member) in "".join(page.words)
    for field in fields(member):
        assert field.name in "".join(page.words)
    if " numbers>" not in written and "..." not in written and "<" not in written:
        names = {**NAMES, "inf": np.inf, "array": np.array}
        assert repr(eval(written, names)) == written


def check_in_full(member):
    """Its text tells it from the same member with a number one float away: what is asked is never rounded."""
    numbers = [field.name for field in fields(member) if type(getattr(member, field.name)) is float]
    for name in [name for name in numbers if f"{name}=" in str(member)]:
        given = getattr(member, name)
        for end in (0.0, 100.0):
            try:
                other = replace(member, **{name: float(np.nextafter(given, end))})
            except md.DomainError:
                continue
            assert other == member or str(other) != str(member), f"{getattr(other, name)!r} is shown as {given}"


@pytest.mark.parametrize("member", list(members()))
def test_the_numbers_of_a_member_are_shown_in_full(member):
    check_in_full(member)


def test_planted_a_rounded_parameter_is_caught(monkeypatch):
    monkeypatch.setattr(md.LDP, "__str__", lambda self: f"LDP(epsilon={self.epsilon:g})")
    with pytest.raises(AssertionError, match="is shown as 1"):
        check_in_full(md.LDP(1.0))


def test_a_level_that_does_not_hold_is_not_said_to_hold():
    made = md.design(md.Problem(prior=[0.5, 0.3, 0.2]), md.LDP(1.0000004), md.HammingLoss())
    assert not md.audit(made, md.LDP(1.0)).holds
    assert "LDP(epsilon=1) " not in str(made) and "LDP(epsilon=1.0000004) holds exactly" in str(made)


def test_python_reads_what_it_read_before():
    for member in (md.LDP(1.0), md.AsymmetricLIP(0.5, 1.0), md.InformationDesign("E"), md.BlockLDP(1.0, [[0, 1], [2]])):
        assert eval(repr(member), dict(NAMES)) == member


def large(n, label=str):
    """Return a design of n inputs and n outputs."""
    prior = np.full(n, 1.0 / n)
    problem = md.Problem(prior=prior, values=np.arange(n), labels=[label(x) for x in range(n)])
    matrix = np.full((n, n), 2.0**-12)
    np.fill_diagonal(matrix, 1.0 - (n - 1) * 2.0**-12)
    question = md.Question(problem, md.LDP(10.0), md.InformationDesign("A"))
    mechanism = md.Mechanism(matrix, [label(y) for y in range(n)], question, asked().mechanism.certificate)
    return replace(asked(), mechanism=mechanism)


def check_summary(markup, n):
    """What is left out of a display of n inputs is said, beside its table and within it."""
    assert markup.count(f"980 of {n} inputs are not shown.") >= 1, "the inputs that are left out are not said"
    assert f"{n - 16} of {n} outputs are not shown." in markup, "the outputs that are left out are not said"
    assert markup.count(">...<") >= 36


@pytest.mark.parametrize("label", [str, lambda x: f"{x}" + "long" * 2500])
def test_a_large_design_is_shown_in_short_and_says_what_is_left_out(label):
    made = large(1000, label)
    for shown in (made, made.mechanism, made.mechanism.inputs):
        assert len(shown._repr_html_().encode()) < 200_000
    check_summary(made._repr_html_(), 1000)
    assert "988 of 1000 inputs are not shown." in str(made.mechanism)


def test_planted_the_first_rows_alone_are_caught(monkeypatch):
    made = large(1000)
    monkeypatch.setattr(blocks, "not_shown", lambda count, shown, what: "")
    with pytest.raises(AssertionError, match="not said"):
        check_summary(made._repr_html_(), 1000)


@pytest.mark.parametrize("most", [1, 2, 3, 20, 21, 22])
def test_the_rows_that_are_shown_and_those_that_are_not_are_all(most):
    table = blocks.Table.of("", ("x",), 21, lambda x: (str(x),), most=most)
    shown = [row[0] for row in table.rows if row[0] != "..."]
    assert len(shown) == min(most, 21) and shown == sorted(set(shown), key=int)
    assert table.left_out == (f"{21 - most} of 21 rows are not shown." if most < 21 else "")


def test_a_shade_is_readable_on_its_colour():
    def luminance(colour):
        parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return float(np.dot((0.2126, 0.7152, 0.0722), linear))

    for share in np.linspace(0, 1, 201):
        back, front = re.fullmatch(r"background:(#\w{6});color:(#\w{3})", html.shade(share)).groups()
        low, high = sorted((luminance(back), luminance("#" + "".join(2 * c for c in front[1:]))))
        assert (high + 0.05) / (low + 0.05) >= 4.5, share


def test_print_is_the_command(tmp_path, monkeypatch, capsys):
    from mechdesign.cli import commands

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "400")
    asked_for = '[problem]\nprior = [0.2, 0.3, 0.5]\n[notion]\nname = "LDP"\nepsilon = 1.0\n'
    (tmp_path / "q.toml").write_text(asked_for + '[objective]\nname = "ErrorProbability"\n')
    with pytest.raises(SystemExit):
        commands.main(["design", "q.toml", "--why"])
    said = capsys.readouterr().out
    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(1.0), md.ErrorProbability(), proof=True)

    def alike(report):
        """Without times, and what was asked for."""
        return re.sub(r"\d+\.\d+ s\b|seconds: .*| +$", "", report, flags=re.MULTILINE)

    shown, _, rest = alike(said).partition("\nMechanism\n")
    printed, _, following = alike(str(made)).partition("\nMechanism\n")
    assert shown.strip() == printed.strip()
    assert rest.startswith("  written to q.mechanism.json (3 inputs, ") and following.startswith("  3 inputs, ")
    assert rest.partition("\n\n")[2].strip() == alike(str(made.why)).strip() and "\nBeside it" in rest


def tables():
    return {
        "Comparison": DISPLAYED["Comparison"],
        "Frontier": DISPLAYED["Frontier"],
        "Sweep": sweep,
        "Ledger": lambda label: Ledger((ledger_row(label), ledger_row("plain"))),
        "Estimate": DISPLAYED["Estimate"],
        "Difference": DISPLAYED["Difference"],
        "QueryEstimates": DISPLAYED["QueryEstimates"],
        "CoverEstimate": DISPLAYED["CoverEstimate"],
        "TopInputs": DISPLAYED["TopInputs"],
        "WordFrequencies": DISPLAYED["WordFrequencies"],
        "PrefixSearch": DISPLAYED["PrefixSearch"],
    }


@pytest.mark.parametrize("name", tables())
def test_a_table_is_one_in_pandas_in_polars_and_as_csv(name, tmp_path):
    made = tables()[name](TEXTS["formula"])
    pandas, rows = made.to_pandas(), made.to_polars()
    assert list(pandas.columns) == rows.columns and len(pandas) == len(rows) > 0
    path = made.save(tmp_path / "table.csv")
    again = pl.read_csv(path)
    assert again.columns == rows.columns and len(again) == len(rows)
    for column in rows.columns:
        for held, read in zip(rows[column], again[column], strict=True):
            if isinstance(held, str):
                assert str(read if read is not None else "").removeprefix("'") == held
            elif isinstance(held, float) and not np.isnan(held):
                assert float(read) == held
    assert not re.search(r'(^|,)"?[=+@\t\r]', path.read_text(), flags=re.MULTILINE)


def test_a_table_is_written_over_and_a_folder_is_not(tmp_path):
    made = sweep("a")
    assert made.save(tmp_path / "a.csv").read_text() == made.save(tmp_path / "a.csv").read_text()
    with pytest.raises(md.WriteError, match="folder"):
        made.save(tmp_path)
    with pytest.raises(md.WriteError, match="make the folder first"):
        made.save(tmp_path / "none" / "a.csv")


def test_an_estimate_that_reports_do_not_tell_has_no_table_and_a_display(monkeypatch):
    made = md.design(md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2]), md.LDP(0.5), md.MMSE()).mechanism
    found = made.estimate([0, 1] * 50)
    monkeypatch.setenv("COLUMNS", "400")
    assert "rank 2 for 3 inputs" in found._repr_html_() and "rank 2 for 3 inputs" in str(found)
    with pytest.raises(md.UnsupportedError, match="InformationDesign"):
        found.to_pandas()


def test_what_cannot_be_answered_is_shown_all_the_same():
    question = md.Question(md.Problem(n=3), md.LIP(1.0), md.MMSE())
    assert "LIP is relative to the prior" in question._repr_html_() and "prior" in str(question)


def documented(member):
    """Return the fields that the docstring of a class names, as attributes or as parameters."""
    page = ClassDoc(member)
    listed = [name for part in ("Attributes", "Parameters") for name in page[part] if "".join(name.desc).strip()]
    return {name.strip() for each in listed for name in each.name.split(",")}


@pytest.mark.parametrize("name", sorted(set(DISPLAYED) - {"OwnLDP", "OwnError"}))
def test_help_says_what_every_field_is(name):
    member = type(DISPLAYED[name]("a"))
    missing = {field.name for field in fields(member) if field.repr or name != "Problem"} - documented(member)
    assert not missing, f"{name} has fields without a word in its docstring: {missing}"


@pytest.mark.parametrize("member", [md.Implication, md.Level, md.mechanism.Multipliers], ids=lambda m: m.__name__)
def test_help_says_what_every_field_of_the_parts_is(member):
    assert {field.name for field in fields(member)} <= documented(member)


def test_displays_are_plain_data_to_a_notebook():
    # A notebook stores outputs as JSON.
    assert json.loads(json.dumps(design("a")._repr_html_())).startswith('<div class="mechdesign">')


def test_cells_outside_a_notebook_do_not_touch():
    table = blocks.Table("", ("a", "b"), (("x", "1"),), ("a",))
    cells = re.findall(r"<t[hd] [^>]*>", html.fragment([table, asked().mechanism.grid]))
    assert len(cells) > 6 and all("padding:0 .6em" in cell for cell in cells)
