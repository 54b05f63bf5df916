"""The path from a question to a certified design, its audit, and its file."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.solve.choose import ROUTES
from tests.helpers.changed_solvers import taking

PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2], labels=["a", "b", "c"], prior_source="a census")


@pytest.fixture(scope="module")
def made() -> md.Design:
    return md.design(PROBLEM, md.LIP(1.0), md.MMSE())


def test_the_known_optimum_is_found(made: md.Design) -> None:
    # Checked by hand as a linear program over the posterior polytope of jiang_lip, Theorem 3's example.
    assert made.value == pytest.approx(0.2904695, abs=5e-7)
    assert made.bound <= made.value * (1 + 1e-12)
    assert made.gap <= 1e-6


def test_the_matrix_is_dyadic_and_exactly_private(made: md.Design) -> None:
    rows = [[Fraction(float(entry)) for entry in row] for row in made.matrix]
    # A lower bound of e by its series.
    e = sum((Fraction(1, math.factorial(k)) for k in range(40)), Fraction(0))
    prior = [Fraction(p) / sum(map(Fraction, [0.1, 0.2, 0.7])) for p in (0.1, 0.2, 0.7)]
    assert all(sum(row) == 1 for row in rows)
    assert all((entry * 2**53).denominator == 1 for row in rows for entry in row)
    for column in zip(*rows, strict=True):
        mass = sum(p * q for p, q in zip(prior, column, strict=True))
        assert all(q <= e * mass and mass <= e * q for q in column)


def test_estimates_name_the_outputs(made: md.Design) -> None:
    prior = np.array(PROBLEM.prior)
    means = (prior * PROBLEM.values) @ made.matrix / (prior @ made.matrix)
    assert [float(name) for name in made.mechanism.outputs] == pytest.approx(means.tolist(), rel=1e-5)
    assert np.all(np.diff(means) > 0)


def test_auto_says_why_and_why_not(made: md.Design) -> None:
    assert made.route == "rays" and "rays" in made.reason
    assert set(made.refusals) == set(ROUTES) - {"rays"}
    assert "0.268941" in made.refusals["closed_form"] and "1.90048" in made.refusals["closed_form"]
    assert [a.solver for a in made.attempts] == ["HIGHS"]
    assert {"build", "compile", "solve", "repair", "certify"} <= set(made.timings)


def test_the_audit_tells_level_witness_and_prior(made: md.Design) -> None:
    assert made.audit.holds and float(made.audit) <= 1.0
    assert made.audit.prior_source == "a census"
    assert "Pr(y=" in made.audit.sentence and "x=" in made.audit.sentence


def test_a_solver_order_is_explicit() -> None:
    made = md.design(PROBLEM, md.LIP(1.0), md.MMSE(), route="rays", solver=["highs", "CLARABEL"])
    assert [a.solver for a in made.attempts] == ["HIGHS"]
    assert made.solver_stats.name == "HIGHS"


def test_the_second_solver_is_tried_when_the_first_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise md.SolverError("it crashed", status="crashed", log="line 1")

    monkeypatch.setitem(*taking("HIGHS", broken))
    made = md.design(PROBLEM, md.LIP(1.0), md.MMSE(), route="rays", solver=["HIGHS", "CLARABEL"])
    assert [a.outcome.split(":")[0] for a in made.attempts if a.solver == "HIGHS"] == ["failed"]
    assert made.solver_stats.name == "CLARABEL"
    # With no other solver named the route fails: "auto" goes on to the next, and at last there is a known mechanism.
    made = md.design(PROBLEM, md.LIP(1.0), md.MMSE())
    assert made.route == "columns" and [a.route for a in made.attempts] == ["rays", "columns"]
    assert made.reason.startswith("rays failed") and "it crashed" in made.refusals["rays"]
    made = md.design(PROBLEM, md.LIP(1.0), md.MMSE(), route="rays", gap=1.0)
    assert made.route == "known" and [a.route for a in made.attempts] == ["rays", "known"]


def test_verbose_is_ours(capsys: pytest.CaptureFixture[str]) -> None:
    md.design(PROBLEM, md.LIP(1.0), md.MMSE(), verbose=True)
    printed = capsys.readouterr().out
    assert "route rays" in printed and "gap" in printed


@pytest.mark.parametrize("notion", [md.LDP(0.0), md.LIP(0.0)])
def test_epsilon_zero_is_the_uninformative_optimum(notion: md.Notion) -> None:
    made = md.design(PROBLEM, notion, md.MMSE())
    assert made.value == pytest.approx(0.44, rel=1e-12) and made.gap <= 1e-6
    assert float(made.audit) == 0.0


@pytest.mark.parametrize("notion", [md.LDP(0.0), md.LIP(0.0)])
@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
def test_epsilon_zero_keeps_the_uniform_reply(notion: md.Notion, solver: str) -> None:
    # Lifting columns with an empty interior once replaced the optimum by another constant mechanism.
    made = md.design(PROBLEM, notion, md.MaxOffDiagonal(), solver=solver)
    assert made.value == pytest.approx(1 / 3, rel=1e-6) and made.gap <= 1e-6


@pytest.mark.parametrize("notion", [md.LDP(30.0), md.LIP(30.0)])
def test_a_large_epsilon_comes_near_to_no_privacy(notion: md.Notion) -> None:
    made = md.design(PROBLEM, notion, md.MMSE())
    assert 0 <= made.value < 1e-10 and made.audit.holds


@pytest.mark.parametrize("values", [[1, 1, 1], [0, 1e-12, 2e-12], [0, 1e12, 2e12]])
@pytest.mark.parametrize("route", ["rays", "columns"])
def test_ties_and_extreme_spreads(values: list[float], route: str) -> None:
    problem = md.Problem(prior=[0.1, 0.2, 0.7], values=values)
    made = md.design(problem, md.LIP(1.0), md.MMSE(), route=route)
    scale = (values[2] - values[0]) / 2
    assert made.value == pytest.approx(0.2904695421 * scale**2, rel=2e-6)
    assert made.gap <= 1e-6


def test_one_input_has_nothing_to_hide() -> None:
    made = md.design(md.Problem(prior=[1.0], values=[3.0]), md.LDP(1.0), md.MMSE())
    assert made.value == 0.0 and made.gap == 0.0 and float(made.audit) == 0.0


def test_too_few_outputs_are_refused() -> None:
    with pytest.raises(md.UnsupportedError, match="3 outputs, more than the 2 allowed"):
        md.design(PROBLEM, md.LIP(1.0), md.MMSE(), outputs=2, route="rays")
    assert md.design(PROBLEM, md.LIP(1.0), md.MMSE(), outputs=2).matrix.shape == (3, 2)
    assert md.design(PROBLEM, md.LIP(1.0), md.MMSE(), outputs=3).matrix.shape == (3, 3)


def test_a_wide_gap_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.warns(md.GapWarning, match=r"MMSE under LIP\(epsilon=1\), n = 3, route columns, solver STRUCTURED"):
        made = md.design(PROBLEM, md.LIP(1.0), md.MMSE(), route="columns", gap=1e-300)
    assert made.gap > 0 and made.audit.holds


def test_audit_of_anyones_matrix() -> None:
    third = [["2/3", "1/3"], ["1/3", "2/3"]]
    assert float(md.audit(third, md.LDP(1.0))) == math.nextafter(math.log(2), 1)
    assert not md.audit([[1.0, 0.0], [0.5, 0.5]], md.LDP(1.0)).holds
    assert float(md.audit([[1.0, 0.0], [0.5, 0.5]], md.LDP(1.0))) == math.inf
    assert float(md.audit([[0.3, 0.7], [0.3, 0.7]], md.LDP(1.0))) == 0.0


def test_the_level_is_rounded_up_never_to_nearest() -> None:
    # e^level of the float above must not lie below the exact ratio 2; one float less must.
    level = float(md.audit([["2/3", "1/3"], ["1/3", "2/3"]], md.LDP(1.0)))
    e = sum((Fraction(level) ** k / math.factorial(k) for k in range(60)), Fraction(0))
    below = Fraction(math.nextafter(level, 0))
    assert e >= 2 > sum((below**k / math.factorial(k) for k in range(60)), Fraction(1, 10**40))


def test_a_mechanism_survives_its_file(made: md.Design, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = made.mechanism.save(tmp_path / "a.json")
    again = md.load(path)
    assert again == made.mechanism
    assert again.matrix.tobytes() == made.matrix.tobytes()
    assert float(md.audit(again)) == float(made.audit)


def rewritten(made: md.Design, path, change, seal: bool):  # type: ignore[no-untyped-def]
    data = json.loads(made.mechanism.save(path).read_text())
    change(data)
    path.write_text(json.dumps(sealed(data) if seal else data))
    return path


def double_claim(data: dict) -> None:  # type: ignore[type-arg]
    data["claims"]["value"] *= 0.9


def open_row(data: dict) -> None:  # type: ignore[type-arg]
    data["numerators"][0] = [2**53, 0, 0]


def short_row(data: dict) -> None:  # type: ignore[type-arg]
    data["numerators"][0][0] -= 1


def other_version(data: dict) -> None:  # type: ignore[type-arg]
    data["schema_version"] = 99


def drop(data: dict) -> None:  # type: ignore[type-arg]
    del data["outputs"]


def rename(data: dict) -> None:  # type: ignore[type-arg]
    data["outputs"] = data["outputs"][::-1]


def other_route(data: dict) -> None:  # type: ignore[type-arg]
    data["claims"]["route"] = "trust me"


def no_gap(data: dict) -> None:  # type: ignore[type-arg]
    data["claims"]["gap"] = float("nan")


def fewer_multipliers(data: dict) -> None:  # type: ignore[type-arg]
    data["multipliers"]["rows"] = [0.0, 0.0]


def smuggled(data: dict) -> None:  # type: ignore[type-arg]
    data["question"]["problem"]["data_of_input"] = [0, 0, 0]


@pytest.mark.parametrize(
    ("change", "seal", "message"),
    [
        (double_claim, False, "edited or damaged"),
        (double_claim, True, "claims value"),
        (rename, True, "names its outputs otherwise"),
        (other_route, True, "names the route"),
        (no_gap, True, "NaN for a number"),
        (fewer_multipliers, True, "shapes do not belong together"),
        (smuggled, True, "lacks a part or holds a wrong one"),
        (open_row, True, "does not satisfy LIP"),
        (short_row, True, r"numerators\[0\] are no integers"),
        (other_version, True, "schema version 99"),
        (drop, True, "lacks a part"),
    ],
)
def test_a_bad_file_is_refused(made: md.Design, tmp_path, change, seal, message) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(md.CertificateError, match=message):
        md.load(rewritten(made, tmp_path / "a.json", change, seal))


def test_a_truncated_file_is_refused(made: md.Design, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = made.mechanism.save(tmp_path / "a.json")
    path.write_text(path.read_text()[:-40])
    with pytest.raises(md.CertificateError, match="no mechanism file, or a cut one"):
        md.load(path)


def test_compare_is_consistent_and_keeps_refusals() -> None:
    table = md.compare(PROBLEM, md.LIP(1.0), md.MMSE())
    assert table.consistent and table.spread <= 2e-6
    assert {row.route for row in table} == set(ROUTES)
    refused = {row.route: row.outcome for row in table if math.isnan(row.value)}
    assert set(refused) == set(ROUTES) - {"rays", "columns", "known"}
    assert all("refuses" in outcome for outcome in refused.values())


@pytest.mark.parametrize("prior", [[1e-7, 1e-7, 1 - 2e-7], [0.9999, 2.5e-5, 2.5e-5, 2.5e-5, 2.5e-5], [0.5, 0.5]])
@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 1.0])
def test_little_information_is_not_lost_in_rounding(prior: list[float], epsilon: float) -> None:
    made = md.design(md.Problem(prior=prior), md.LDP(epsilon), md.MutualInformation())
    assert made.gap <= 1e-6
    # Never more than the chord of x ln x allows (jiang_lip, Proposition 1, with its sharp constant).
    assert 0 <= made.value <= epsilon * math.tanh(epsilon / 2) + 1e-15
