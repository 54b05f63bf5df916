"""Recomputed figures keep the contract, are the same from run to run, and agree with what is computed by hand."""

import csv
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.errors import DomainError
from mechdesign.figures import Curve, keys, recomputed
from mechdesign.figures.counted import rows
from mechdesign.figures.evaluated import EVALUATED, formulas
from mechdesign.figures.table import page
from tests.helpers.figure_contract import faults, level

FIGURES = Path(__file__).parents[2] / "mechdesign" / "figures"
#: Made within a second each; the others are looked at in the slow run.
QUICK = ("jiang_bounded_prior/fig1", "jiang_bounded_prior/fig2", "jiang_lip/fig2", "jiang_lip/fig5", "jiang_lip/fig9a")
#: Made a second time in the slow run, and compared: one of each paper.
TWICE = ("geumlek/fig1", "jiang_bounded_prior/fig3", "jiang_lip/fig1", "yoshida/fig1", "zamani/fig1")


def same(one, other):
    assert (one.because, one.conclusion, one.setting) == (other.because, other.conclusion, other.setting)
    assert len(one.curves) == len(other.curves)
    for a, b in zip(one.curves, other.curves, strict=True):
        assert a.name == b.name
        for part in ("x", "y", "private"):
            assert np.array_equal(getattr(a, part), getattr(b, part), equal_nan=part != "private"), (a.name, part)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("key", QUICK)
def test_a_figure_keeps_the_contract(key):
    figure = recomputed(key)
    assert not faults(figure)
    same(figure, recomputed(key))


@pytest.mark.slow
@pytest.mark.parametrize("key", [key for key in keys() if key not in QUICK])
def test_every_figure_keeps_the_contract(key):
    assert set(TWICE) <= set(keys())
    figure = recomputed(key)
    assert not faults(figure)
    if key in TWICE:
        same(figure, recomputed(key))


@pytest.mark.parametrize(
    ("notion", "problem"),
    [
        (md.LDP(1.0), md.Problem(n=3)),
        (md.LIP(1.0), md.Problem(prior=[0.2, 0.3, 0.5])),
        (md.BoundedPriorLIP(1.0, lower=[0.1, 0.6], upper=[0.4, 0.9]), md.Problem(n=2)),
        (md.CentralizedIP(1.0, [[0.3, 0.7], [0.8, 0.2]]), md.Problem(n=3)),
    ],
)
def test_the_contract_measures_levels_as_the_exact_audit_does(notion, problem):
    matrix = np.random.default_rng(1).dirichlet(np.ones(3), size=problem.n)
    assert level(matrix, notion, problem) == pytest.approx(float(md.audit(matrix, notion, problem)), rel=1e-9)


def changed(figure, name, **values):
    """Return the figure with something of one of its curves changed."""
    assert any(curve.name == name for curve in figure.curves)
    return replace(figure, curves=tuple(replace(c, **values) if c.name == name else c for c in figure.curves))


@pytest.fixture(scope="module")
def survey():
    return recomputed("jiang_lip/fig5")


PLOTTED, BEST = "eps-Opt-LIP, P1 = 0.99", "best LIP, P1 = 0.99"


def planted(figure):
    """Return wrong figures by what is wrong with them, and a word of the fault that has to be found."""
    curve, best = figure.curve(PLOTTED), figure.curve(BEST)
    yes, no = np.ones(len(best.x), dtype=bool), np.zeros(len(best.x), dtype=bool)
    bound = figure.curve(f"{BEST}: bound")
    return {
        "flagged private": (changed(figure, PLOTTED, private=yes), "flagged private = True"),
        "and without its mechanisms": (changed(figure, PLOTTED, private=yes, behind=()), "beyond the bound"),
        "private, flagged not": (changed(figure, BEST, private=no), "flagged private = False"),
        "better than the bound": (changed(figure, BEST, y=best.y * (1 - 1e-6)), "is beyond its bound"),
        "a bound that is too high": (changed(figure, bound.name, y=bound.y * (1 + 1e-6)), "is beyond its bound"),
        "a feasible curve is the plotted one": (changed(figure, BEST, behind=curve.behind), "flagged private = True"),
        "kept": (replace(figure, conclusion="kept"), "far from"),
        "kept, beside nothing": (
            replace(changed(figure, PLOTTED, beside=""), conclusion="kept"),
            "beside nothing",
        ),
        "no number": (replace(figure, because="LIP is better."), "no number"),
        "a number of nothing": (replace(figure, because="LIP has 0.123456."), "no number"),
        "no setting": (replace(figure, setting="epsilon = 1"), "does not say n"),
        "no curves": (replace(figure, curves=()), "no curves"),
        "not recomputed": (replace(figure, conclusion="cannot be recomputed"), "cannot be recomputed"),
    }


@pytest.mark.parametrize("wrong", list(planted(recomputed("jiang_lip/fig5"))))
def test_a_planted_defect_is_caught(survey, wrong):
    figure, word = planted(survey)[wrong]
    assert any(word in fault for fault in faults(figure)), faults(figure)


def lip_by_hand(p, epsilon):
    """The least error of one bit under LIP: the segment of posteriors [p/E, pE], or up to the mirrored end."""
    e, spread, rare = math.exp(epsilon), p * (1 - p), min(p, 1 - p)
    return spread * (2 / e - 1 / e**2) if rare >= 1 / (1 + e) else spread - rare**2 * (e - 1) ** 2 / e


def ldp_by_hand(p, epsilon):
    e, spread = math.exp(epsilon), p * (1 - p)
    return spread - spread**2 * (e - 1) ** 2 / (e + spread * (e - 1) ** 2)


@pytest.mark.parametrize("p", [0.5, 0.99])
def test_the_survey_is_what_is_computed_by_hand(survey, p):
    for k, epsilon in enumerate(survey.curves[0].x):
        assert survey.curve(f"best LIP, P1 = {p:g}").y[k] == pytest.approx(math.sqrt(lip_by_hand(p, epsilon)), rel=1e-9)
        assert survey.curve(f"best LDP, P1 = {p:g}").y[k] == pytest.approx(math.sqrt(ldp_by_hand(p, epsilon)), rel=1e-9)
        # Eqs. (21), (24) and (42), as printed.
        e = math.exp(epsilon)
        printed = math.sqrt(p * (1 - p) * (2 / e - 1 / e**2))
        assert survey.curve(f"eps-Opt-LIP, P1 = {p:g}").y[k] == pytest.approx(printed, rel=1e-12)
        assert survey.curve("context-free LDP, (42)").y[k] == pytest.approx(math.sqrt(e) / (e - 1), rel=1e-12)
    # ln 99 = 4.595: from there on the rarer answer is common enough.
    if p == 0.99:
        assert survey.curve(PLOTTED).private.tolist() == (survey.curves[0].x > math.log(99)).tolist()


def test_the_bits_without_a_prior_have_the_printed_error():
    figure = recomputed("jiang_bounded_prior/fig2")
    q = 1 / (1 + np.exp(figure.curves[0].x))
    # (1 - q) Y + q/2: a 0 costs (1 - q) (q/2)^2 + q (1 - q/2)^2, a 1 the same.
    assert np.allclose(figure.curve("context-free LDP").y, q - 0.75 * q**2, rtol=1e-12)
    assert figure.curve("LIP, P1 = 0.8").private.tolist() == (figure.curves[0].x > math.log(4)).tolist()


@pytest.mark.slow
def test_sums_of_values_are_those_of_an_independent_computation():
    figure = recomputed("jiang_lip/fig6b")
    sizes = figure.curves[0].x.tolist()
    for name, values in (
        ("best eps/2-LIP", {3: 0.7612, 4: 1.0446, 5: 1.3214}),
        ("best eps-LDP", {3: 0.7546, 4: 1.0181, 5: 1.2999}),
    ):
        for size, value in values.items():
            assert figure.curve(name).y[sizes.index(size)] == pytest.approx(value, abs=5e-5)
    assert figure.conclusion == "reversed"


def test_tables_of_counts_add_up_to_what_their_page_says():
    adult = sum(int(row["at_most_50k"]) + int(row["over_50k"]) for row in rows("adult-income"))
    cells = rows("gowalla-nyc-cells")
    items = [(int(row["clicks"]), int(row["items"])) for row in rows("kosarak-first-36682-clicks")]
    sums = (sum(int(row["past"]) for row in cells), sum(int(row["last"]) for row in cells))
    assert (adult, sums) == (48842, (131842, 7115))
    assert (sum(count for _, count in items), sum(clicks * count for clicks, count in items)) == (17034, 294009)
    told = (FIGURES / "data" / "README.md").read_text(encoding="utf-8")
    for path in (FIGURES / "data").glob("*.csv"):
        with path.open(encoding="utf-8") as file:
            assert f"| `{path.name}` | {sum(1 for _ in csv.reader(file)) - 1} |" in told
    for number in (adult, *sums, 17034, 294009):
        assert str(number) in told


def test_a_wrong_key_is_refused_with_the_nearest():
    with pytest.raises(DomainError, match=r"jiang_lip/fig5"):
        recomputed("jiang_lip/fig55")


def test_the_table_has_a_row_for_each_figure():
    lines = page(QUICK).split("\n")
    assert [line.split(" | ")[0] for line in lines[-len(QUICK) - 1 : -1]] == [f"| {key}" for key in QUICK]
    assert "| cannot be recomputed |" in page(QUICK[:1])


def test_points_that_are_not_private_are_drawn_hollow(survey):
    axes = survey.plot().axes[0]
    labels = axes.get_legend_handles_labels()[1]
    assert f"{PLOTTED}, hollow: not private" in labels
    hollow = sum(len(line.get_xdata()) for line in axes.lines if line.get_markerfacecolor() == "white")
    assert hollow == sum(int((~c.private).sum()) for c in survey.curves if c.kind != "bound") > 0


def test_a_figure_with_numbers_names_the_formulas_that_were_evaluated(survey):
    schematic = [key for key in keys() if key not in EVALUATED]
    assert set(EVALUATED) <= set(keys())
    assert all(recomputed(key).conclusion == "cannot be recomputed" for key in schematic), schematic
    assert all(formula.latex for key in EVALUATED for formula in formulas(key))
    for shown in (str(survey), survey._repr_markdown_()):
        assert all(formula.latex in shown for formula in survey.formulas)
        assert "Figure 5" in shown and "Conclusion weakened" in shown


def test_the_title_of_a_figure_is_one_line_without_its_key(survey):
    assert survey.plot().axes[0].get_title(loc="left") == "Figure 5 of Jiang et al., 2018"
    assert recomputed("geumlek/fig1").title == "Figure 1 of Geumlek and Chaudhuri, 2019"
    assert replace(survey, key="yoshida/fig2_upper").title == "Figure 2, upper part of Yoshida et al., 2019"


def test_curves_that_coincide_are_drawn_in_different_sizes(survey):
    x, y = np.arange(3.0), np.array([1.0, 2.0, 4.0])
    private = np.ones(3, dtype=bool)
    curves = (Curve("one", "published", x, y, private), Curve("two", "feasible", x, y, private))
    apart = (curves[0], replace(curves[1], y=2 * y))
    sizes = [
        [line.get_markersize() for line in replace(survey, curves=each).plot().axes[0].lines if len(line.get_xdata())]
        for each in (curves, apart)
    ]
    assert len(set(sizes[0])) > len(set(sizes[1]))
    # Both are there, the wider one below.
    widths = [
        line.get_linewidth() for line in replace(survey, curves=curves).plot().axes[0].lines if len(line.get_xdata())
    ]
    assert widths[0] > max(width for width in widths[1:] if width != widths[0])
