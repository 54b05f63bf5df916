"""Bounds that `compare` and `frontier` call proved are what the reader of the saved files proves, and no others."""

import pytest

import mechdesign as md
import mechdesign_check
from mechdesign.designing import proving

PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
LEVELS = [0.5, 1.0, 2.0]


@pytest.mark.parametrize("notion", [md.LDP, md.LIP, md.MaxLift])
def test_each_level_is_proved_to_the_reader(notion, tmp_path, capsys):
    curve = md.frontier(PROBLEM, notion, md.MMSE(), LEVELS, proof=True)
    assert curve.proved.tolist() == [True] * len(LEVELS) == [row["proved"] for row in curve.rows]
    for made in curve:
        path = made.mechanism.save(tmp_path / "level.mechanism.json", overwrite=True)
        assert mechdesign_check.main([str(path)]) == 0
        said = float(capsys.readouterr().out.partition("squared error below ")[2].partition(";")[0])
        assert said <= made.bound <= said * (1 + 1e-8)
    assert "all bounds are proved in integers" in str(curve)


def test_nothing_is_called_proved_that_was_not_asked_for():
    curve = md.frontier(PROBLEM, md.LIP, md.MMSE(), LEVELS)
    assert not curve.proved.any() and "bounds are certified in floating point" in str(curve)
    table = md.compare(PROBLEM, md.LIP(1.0), md.MMSE())
    assert not any(row.proved for row in table) and "bounds are certified in floating point" in str(table)


def test_levels_without_a_proof_are_said_once():
    with pytest.warns(md.ProofWarning, match=r"of 3 bounds: ChernoffExponent is not covered yet") as seen:
        curve = md.frontier(PROBLEM, md.LIP, md.ChernoffExponent([0.5, 0.2, 0.3], [0.1, 0.6, 0.3]), LEVELS, proof=True)
    assert len(seen) == 1 and seen[0].filename == __file__
    assert not curve.proved.any()


def test_every_certified_row_is_proved_and_no_other():
    table = md.compare(PROBLEM, md.LDP(1.0), md.ErrorProbability(), proof=True)
    certified = [row for row in table if row.outcome == "certified"]
    assert len({row.route for row in certified}) > 2
    assert all(row.proved == (row.outcome == "certified") for row in table)
    bounds = [row.bound for row in certified]
    # By hand: 0.7 is more than e times 0.2, so that every output leaves the same guess, which is wrong for 0.3.
    assert max(bounds) <= 0.3 * (1 + 1e-12) and min(bounds) >= 0.3 * (1 - 1e-6)


def test_rows_without_a_proof_are_said_once():
    said = r"No proof in integers of \d+ bounds: MutualInformation under StrongL1"
    with pytest.warns(md.ProofWarning, match=said) as seen:
        table = md.compare(PROBLEM, md.StrongL1(0.5), md.MutualInformation(), proof=True)
    assert len(seen) == 1 and seen[0].filename == __file__
    assert not any(row.proved for row in table)


def test_some_levels_are_proved_and_others_not(monkeypatch):
    whole = proving.with_proof

    def all_but_one(made, gap):
        return (made, "it is left out here") if made.mechanism.asked.notion.epsilon == 1.0 else whole(made, gap)

    monkeypatch.setattr(proving, "with_proof", all_but_one)
    with pytest.warns(md.ProofWarning, match="of 1 bound: it is left out here"):
        curve = md.frontier(PROBLEM, md.LIP, md.MMSE(), LEVELS, proof=True)
    assert curve.proved.tolist() == [True, False, True]
    assert "2 of 3 bounds are proved in integers, the other certified in floating point" in str(curve)


def test_ctrl_c_in_a_proof_keeps_what_is_made(monkeypatch):
    whole, seen = proving.with_proof, []

    def interrupted(made, gap):
        seen.append(made)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return whole(made, gap)

    monkeypatch.setattr(proving, "with_proof", interrupted)
    with pytest.warns(md.ProofWarning, match="of 1 bound: it was interrupted"):
        curve = md.frontier(PROBLEM, md.LIP, md.MMSE(), LEVELS, proof=True)
    assert len(curve) == 3 and curve.proved.tolist() == [True, True, False]
    seen.clear()
    with pytest.warns(md.ProofWarning, match="of 1 bound: it was interrupted"):
        curve = md.frontier(PROBLEM, md.LIP, md.MMSE(), [*LEVELS, 3.0], proof=True)
    assert len(curve) == 3 and not curve.complete
    seen.clear()
    with pytest.warns(md.ProofWarning, match="of 1 bound: it was interrupted"):
        table = md.compare(PROBLEM, md.LIP(1.0), md.MMSE(), proof=True)
    assert [row.proved for row in table] == [True, True, False] and not table.complete


@pytest.mark.parametrize("study", ["frontier", "compare"])
def test_a_proof_is_wanted_or_not(study):
    level = [1.0] if study == "frontier" else md.MMSE()
    arguments = (PROBLEM, md.LIP, md.MMSE(), level) if study == "frontier" else (PROBLEM, md.LIP(1.0), level)
    with pytest.raises(md.DomainError, match="proof"):
        getattr(md, study)(*arguments, proof="yes")


def test_formulas_take_no_proof():
    with pytest.raises(md.DomainError, match="an exact frontier takes levels alone"):
        md.frontier(PROBLEM, md.LDP, md.HammingLoss(), [0.0, 3.0], exact=True, proof=True)
