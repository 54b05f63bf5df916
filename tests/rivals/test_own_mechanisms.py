"""Mechanisms of one's own beside the optimum: in `compare`, beside a design, in the command and on the report page."""

import math

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli
from mechdesign.studies.reporting import optimum

PEOPLE = md.Problem(labels=["yes", "no"], prior=[0.24, 0.76])
BALL = md.baselines.unrelated_question("1/2", "1/10")
USE = md.InformationDesign("A")


def of_warner(p, theta):
    """Return twice the variance of the share in Warner's design, by its formula."""
    said = p * theta + (1 - p) * (1 - theta)
    return 2 * said * (1 - said) / (2 * p - 1) ** 2


def test_a_comparison_has_them_with_value_and_level():
    own = {"ball": BALL, "spinner": md.baselines.warner(0.7)}
    found = md.compare(PEOPLE, md.LDP(math.log(11)), USE, mechanisms=own)
    ball, spinner, *known = found.rivals
    said = 0.24 * 0.55 + 0.76 * 0.05
    assert ball.name == "ball" and ball.value == pytest.approx(2 * said * (1 - said) / 0.25)
    assert ball.variance == pytest.approx(ball.value)
    assert spinner.value == pytest.approx(of_warner(0.7, 0.24)) and spinner.level == pytest.approx(math.log(7 / 3))
    assert spinner.private and known[0].name == "no privacy"
    best = [row.value for row in found if not math.isnan(row.value)]
    assert min(best) == pytest.approx(of_warner(11 / 12, 0.24))
    assert "spinner" in str(found) and found.mechanisms[0][1] is BALL


def test_a_design_has_them_beside_it():
    made = md.design(PEOPLE, md.LDP(1.0), USE)
    open_one, closed, *known = made.beside([md.baselines.warner(0.9), md.baselines.warner(0.6)])
    assert (open_one.name, closed.name) == ("own mechanism 1", "own mechanism 2") and tuple(known) == made.rivals
    assert not open_one.private and open_one.note == "NOT PRIVATE: its level is 2.19722"
    assert closed.private and closed.value > made.value > open_one.value
    assert made.beside(BALL)[0].name == "own mechanism"


def test_a_level_that_is_above_by_a_last_digit_is_written_out():
    # ln 5 cut to eight digits.
    made = md.design(PEOPLE, md.LDP(1.6094379), USE)
    note = made.beside(md.baselines.forced_response("1/6", "1/6"))[0].note
    assert note == "NOT PRIVATE: its level is 1.6094379124341007, above 1.6094379"


def test_rows_are_matched_by_their_labels_and_outputs_are_read_as_the_best_decisions():
    asked = md.Problem(labels=["low", "high"], values=[0, 1], prior=[0.25, 0.75])
    table = pd.DataFrame([[0.1, 0.9], [0.8, 0.2]], index=["high", "low"], columns=["red", "blue"])
    made = md.design(asked, md.LDP(3.0), md.MMSE())
    found = made.beside(md.Mechanism(table))[0]
    # Red: Pr(high) = .075 of .275, blue: .675 of .725; the error is the mean conditional variance.
    shares = {0.275: 0.075 / 0.275, 0.725: 0.675 / 0.725}
    assert found.value == pytest.approx(sum(mass * p * (1 - p) for mass, p in shares.items()))
    with pytest.raises(md.DomainError):
        made.beside(md.Mechanism(table.rename(index={"low": "middle"})))


def test_a_worst_case_takes_outputs_by_the_names_of_decisions():
    asked = md.Problem(labels=["low", "high"])
    made = md.design(asked, md.LDP(1.0), md.WorstCaseLoss([[0, 1], [1, 0]]))
    turned = md.Mechanism([[0.2, 0.8], [0.7, 0.3]], made.mechanism.outputs[::-1], problem=asked)
    assert made.beside(turned)[0].value == pytest.approx(0.3)


def test_what_cannot_stand_beside_is_refused_before_the_work():
    with pytest.raises(md.DomainError, match="mechanisms is ndarray, but each has to be a Mechanism or a Design"):
        md.compare(PEOPLE, md.LDP(1.0), USE, mechanisms=[np.eye(2)])
    with pytest.raises(md.DomainError, match="mechanism is of 3 inputs, but the question has 2"):
        md.compare(PEOPLE, md.LDP(1.0), USE, mechanisms=[md.Mechanism(np.eye(3))])


def test_the_command_has_them(tmp_path):
    question = tmp_path / "question.toml"
    question.write_text(
        '[problem]\nlabels = ["yes", "no"]\nprior = [0.24, 0.76]\n[notion]\nname = "LDP"\nepsilon = 2.4\n'
        '[objective]\nname = "InformationDesign"\ncriterion = "A"\n'
    )
    BALL.save(tmp_path / "ball.json")
    words = ["compare", str(question), "--mechanism", str(tmp_path / "ball.json")]
    found = CliRunner().invoke(cli, words)
    assert found.exit_code == 0 and "ball.json" in found.output and "1.1288" in found.output


def test_the_report_says_what_the_optimum_would_gain(tmp_path):
    text = md.report(BALL, tmp_path / "ball.html").read_text()
    # Of equal shares: .3 say yes; Warner's design of that level has p = 11/12.
    own, best = 2 * 0.3 * 0.7 / 0.25, of_warner(11 / 12, 0.5)
    assert f"is {own:.6g}" in text and f"has {best:.6g}" in text and f"needs {own / best:.3g} times as many" in text
    assert "Nothing was proved" not in text
    file = BALL.save(tmp_path / "ball.json")
    assert CliRunner().invoke(cli, ["report", str(file), "-o", str(tmp_path / "other.html")]).exit_code == 0
    assert f"needs {own / best:.3g} times as many" in (tmp_path / "other.html").read_text()


def test_a_report_without_an_optimum_says_so(tmp_path):
    assert optimum(md.baselines.triangular("1/2")) is None
    assert optimum(md.Mechanism(np.full((30, 2), 0.5))) is None
    assert optimum(md.design(PEOPLE, md.LDP(1.0), USE).mechanism) is None
    assert optimum(md.Mechanism([[0.5, 0.5], [0.5, 0.5]])) is None
    said = optimum(md.Mechanism([[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]])).sentences()
    assert "do not identify" in said[0]
    assert "Nothing was proved" in md.report(md.baselines.triangular("1/2"), tmp_path / "a.html").read_text()
    best = md.design(PEOPLE, md.LDP(1.0), USE).mechanism
    assert "noticeably better" in optimum(md.Mechanism(best.matrix, problem=PEOPLE)).sentences()[1]


def test_an_exponent_of_a_mechanism_of_ones_own_is_its_value():
    problem, objective = md.Problem(n=3), md.ChernoffExponent([0.7, 0.2, 0.1], [0.1, 0.2, 0.7])
    own = md.baselines.randomised_response(problem, 1.0)
    text = str(md.compare(problem, md.LDP(1.0), objective, mechanisms={"mine": own}))
    value = objective.value(own.matrix, problem)
    assert f"{value:.5g}" in next(line for line in text.splitlines() if line.strip().startswith("mine"))
