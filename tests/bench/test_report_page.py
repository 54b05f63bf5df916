"""The report's page: whole, the same each time, nothing from elsewhere, and kept from other files."""

import re
import socket
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.bench.reporting.page import page, write_report
from mechdesign.bench.reporting.tables import write_numbers
from tests.bench.made_results import results, run

HOSTILE = "<script>alert(1)</script>"
FOUND = results(
    *(run("A", f"{k}", 0.5 + k, error=1e-8, violated=k) for k in range(8)),
    *(run(HOSTILE, f"{k}", 1.5 + k, error=1e-12, faults=("it says optimal, and is not",)) for k in range(7)),
    run(HOSTILE, "7", float("inf"), outcome="raised", why=f"ValueError: {HOSTILE}"),
)


@pytest.fixture(scope="module")
def html():
    return page(FOUND, earlier=FOUND)


def test_nothing_runs_and_nothing_is_fetched(html):
    assert "<script" not in html
    assert not re.search(r'(?:src|href)="(?!data:|#)', html)
    assert "default-src &#x27;none&#x27;" in html
    assert HOSTILE not in html


def test_every_part_is_there(html):
    for part in ("In words", "Performance profiles", "Data profile", "Privacy of the matrices", "By form", "Versions"):
        assert part in html
    assert html.count("<svg") == 4
    assert html.count('role="img"') == 4
    assert "within noise" in html


def test_the_page_is_the_same_each_time(html):
    assert page(FOUND, earlier=FOUND) == html


def test_names_and_paths_of_the_machine_are_not_on_it(html):
    for private in (socket.gethostname(), str(Path.cwd())):
        assert private not in html


def test_another_file_is_not_replaced(tmp_path):
    other = tmp_path / "report.html"
    other.write_text("<html>mine</html>")
    with pytest.raises(md.DomainError, match="something else"):
        write_report(FOUND, other)
    assert write_report(FOUND, tmp_path / "new.html").read_text().startswith("<!DOCTYPE html>")
    write_report(FOUND, tmp_path / "new.html")


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_every_number_is_in_the_tables(tmp_path, suffix):
    path = write_numbers(FOUND, tmp_path / f"numbers.{suffix}")
    text = path.read_text()
    assert text.count("raised") == 1
    write_numbers(FOUND, path)
    path.write_text("mine")
    with pytest.raises(md.DomainError, match="something else"):
        write_numbers(FOUND, path)


def test_without_matplotlib_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("mechdesign.bench.reporting.page.find_spec", lambda _: None)
    with pytest.raises(md.UnsupportedError, match="pip install"):
        write_report(FOUND, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())
