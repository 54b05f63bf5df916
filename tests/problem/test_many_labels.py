"""Labels by the hundred thousand: looked at once, found by one table, and never all printed."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import answers, report_files
from mechdesign.cli.sampled_answers import Answers
from mechdesign.errors import DomainError
from mechdesign.parameters import checks
from mechdesign.parameters.labels import Places
from mechdesign.problem import bins
from mechdesign.problem.missing import MissingRule

MANY = 100_000
#: Characters of a display, and of a page with its style.
SHORT, PAGE = 8_000, 40_000


@pytest.fixture
def counted(monkeypatch):
    """Count the calls of a function of a module."""

    def count(module, name):
        kept, calls = getattr(module, name), []

        def called(*given):
            calls.append(None)
            return kept(*given)

        monkeypatch.setattr(module, name, called)
        return calls

    return count


@pytest.mark.parametrize("made", [list, np.array])
def test_texts_are_not_each_tried_for_a_missing_name(counted, made):
    calls = counted(checks, "is_missing")
    found = md.Problem(labels=made([f"word {k}" for k in range(500)]))
    assert not calls and set(map(type, found.labels)) == {str}


def test_the_table_of_labels_is_made_once(counted):
    people = md.Problem(labels=[f"\u00e9{k}" for k in range(200)])
    mechanism = md.baselines.randomised_response(people, 1.0)
    mechanism.sample(["\u00e93"])
    calls = counted(checks, "one_form")
    for _ in range(20):
        mechanism.sample(["\u00e97", "\u00e90"])
    assert not calls


def test_batches_of_a_file_share_one_table(counted, monkeypatch, tmp_path):
    labels = [f"\u00e9{k}" for k in range(200)]
    mechanism = md.baselines.randomised_response(md.Problem(labels=labels), 1.0)
    (tmp_path / "a.csv").write_text("word\n" + "\n".join(labels) + "\n", encoding="utf-8")
    monkeypatch.setattr(report_files, "BATCH", 10)
    calls = counted(checks, "one_form")
    found = report_files.sample_file(mechanism, "-", tmp_path / "a.csv", "word", (), tmp_path / "r.csv")
    assert found.reports == 200 and len(calls) <= 200


def test_answers_are_not_sought_in_the_whole_list_of_labels():
    class Slow(tuple):
        def __contains__(self, text):
            raise AssertionError("a list of labels was searched from its start")

    found = Answers(Places(Slow(("no", "NA", "yes"))), "line {}", MissingRule(None, drop=True))
    assert found.inputs([(2, "yes"), (3, "NA"), (4, "")], 0, []).tolist() == [2, 1, -1]


def test_the_first_label_says_that_labels_are_no_bins(monkeypatch):
    class Pattern:
        calls = 0

        def fullmatch(self, label):
            self.calls += 1

    pattern = Pattern()
    monkeypatch.setattr(bins, "_LABEL", pattern)
    assert bins.bins_of_labels([f"word {k}" for k in range(500)]) is None and pattern.calls == 1


def test_a_column_of_texts_is_read_as_numbers_once_for_each_text(counted, tmp_path):
    (tmp_path / "a.csv").write_text("word\n" + "".join(f"word {k}\n" for k in range(50)) * 20)
    calls = counted(answers, "as_number")
    found = answers.read_records(tmp_path / "a.csv", "word")
    assert found.n == 50 and len(calls) <= 51


def test_answers_in_two_unicode_forms_are_still_one():
    found = md.Problem.from_records(["\u00e9", "e\u0301", "x", "1"])
    assert dict(zip(found.labels, found.prior.tolist(), strict=True)) == {"\u00e9": 0.5, "x": 0.25, "1": 0.25}
    assert md.Problem.from_records([1, 2, 2]).labels == ("1", "2")


@pytest.fixture(scope="module")
def labels():
    return [f"category {k:06d}" for k in range(MANY)]


@pytest.fixture(scope="module")
def design(labels):
    people = md.Problem.from_counts(dict.fromkeys(labels, 2))
    return md.design(people, md.LDP(1.0), md.InformationDesign("A"), gap=0.01)


def displays(shown):
    return repr(shown), str(shown), shown._repr_html_()


def test_no_display_lists_all_labels(design, labels, tmp_path):
    mechanism = design.mechanism
    estimate = mechanism.estimate(mechanism.simulate(labels[:2000], seed=1))
    by_label = md.InformationDesign("A", theta=dict.fromkeys(labels, 1.0 / MANY))
    shown = [design, design.why, design.audit, mechanism, mechanism.question, mechanism.inputs, estimate]
    shown += [estimate.top(10), md.Problem(labels=labels, values=range(MANY)), by_label]
    shown += [md.compare(mechanism.inputs, md.LDP(1.0), by_label, mechanisms={"own": mechanism})]
    for each in shown:
        assert max(map(len, displays(each))) < SHORT, type(each)
    assert len(design.report(tmp_path / "page.html").read_text(encoding="utf-8")) < PAGE


def test_a_design_without_a_matrix_is_shown_in_a_notebook(design):
    assert "subset selection" in design._repr_html_()


@pytest.mark.parametrize(
    "call",
    [
        lambda labels, made: made.sample(["strange"]),
        lambda labels, made: made.sample([f"{label}?" for label in labels]),
        lambda labels, made: made.estimate(labels),
        lambda labels, made: made.estimate(counts=dict.fromkeys(labels, 1)),
        lambda labels, made: made.estimate([0, 1]).functional([f"{label}?" for label in labels]),
        lambda labels, made: md.Problem(labels=[*labels, labels[0]]),
        lambda labels, made: md.Problem(values=labels),
        lambda labels, made: md.Problem.from_counts(labels),
        lambda labels, made: md.Problem.from_counts({"strange": 1}, labels=labels),
        lambda labels, made: md.Problem(labels=labels, values=dict.fromkeys(labels[1:], 1.0)),
        lambda labels, made: md.Problem.from_records([*labels, "strange"], categories=labels),
    ],
)
def test_no_error_lists_all_labels(design, labels, call):
    with pytest.raises(DomainError) as caught:
        call(labels, design.mechanism)
    assert max(len(str(caught.value)), len(repr(caught.value))) < 1500


def test_a_label_that_is_not_known_is_named_with_the_nearest(design):
    with pytest.raises(DomainError, match=r'"Category 000007".*did you mean "category 000007"'):
        design.mechanism.sample(["Category 000007"])
