"""What `mechdesign verify` prints fits any terminal, and a row says its verdict in words."""

import pytest

import mechdesign as md


@pytest.mark.slow
@pytest.mark.thinned(3)
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_statements_use_the_whole_width(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    ledger = md.verify("geumlek")
    lines = str(ledger).splitlines()
    assert max(map(len, lines)) <= columns
    # In a column of their own the reasons took thirty lines each at 80 columns.
    assert len(lines) <= (10 if columns >= 80 else 13) * len(ledger) + 5
    words = " ".join(" ".join(lines).split())
    for row in ledger:
        assert f"{row.key}: {row.verdict}" in words
        assert all(" ".join(part.split()) in words for part in (row.condition, row.remark, row.counterexample))


def test_a_claim_of_ones_own_is_answered_in_sentences():
    row = md.check_claim(
        (3, 3), md.LDP, md.MMSE(), lambda problem, notion, _: md.baselines.randomised_response(problem, notion.epsilon)
    )
    said = str(row)
    assert said.splitlines()[0] == f"yours/the claim: {row.verdict}" and row.verdict != "holds"
    assert f"{row.points} points" in said and "fails at: n = 3" in said and "Row(" not in said
    assert str(md.verify("ours/M4")[0]).splitlines()[0] == "ours/M4: holds"


def test_a_row_names_its_source_by_authors_title_and_year():
    import mechdesign as md

    (row,) = md.verify("jiang_lip/T2")
    assert row.source.startswith('B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation')
    assert "IEEE CNS 2018" in " ".join(str(row).split())
