"""Performance profiles, regions of theorems and sweeps show their numbers; planted defects are caught."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import mechdesign as md
from mechdesign import plotting
from mechdesign.plotting.performance_profiles import shares_solved
from mechdesign.plotting.theorem_axes import axes_of
from mechdesign.theorems import all_theorems, theorem
from tests.helpers import picture_checks as checks

PRIOR, VALUES, LABELS = np.array([0.2, 0.3, 0.5]), np.array([0.0, 1.0, 3.0]), ("no", "maybe", "yes")
SURVEY = md.Problem(prior=PRIOR, values=VALUES, labels=LABELS)
#: Neither symmetric nor with equal columns; its largest lift is at the first input and the last output.
MATRIX = np.array([[0.25, 0.125, 0.625], [0.5, 0.25, 0.25], [0.5, 0.375, 0.125]])
MADE = md.Mechanism(MATRIX, ("a", "b", "c"), problem=SURVEY)


def test_performance_profiles_are_shares_within_a_multiple():
    times = {"a": {"1": 1.0, "2": 4.0, "3": 1.0}, "b": {"1": 2.0, "2": 1.0, "3": math.inf}}
    axes = plotting.performance_profile(times).axes[0]
    for solver, at_once, at_two in (("a", 2 / 3, 2 / 3), ("b", 1 / 3, 2 / 3)):
        drawn = checks.line(axes, solver)
        assert drawn[0].tolist() == [1.0, at_once]
        assert drawn[np.searchsorted(drawn[:, 0], 2.1), 1] == at_two
        assert drawn[:, 1].tolist() == shares_solved(times, drawn[:, 0].tolist())[solver]
    assert {each.get_drawstyle() for each in axes.lines} == {"steps-post"}
    assert (axes.get_xscale(), axes.get_ylim()[0]) == ("log", 0.0)


def lip_edge(p, epsilon):
    return min(p, 1 - p) - 1 / (1 + math.exp(epsilon))


def test_the_region_of_a_theorem_ends_at_its_condition():
    figure = plotting.theorem_region(theorem("jiang_lip/T2"), points=61)
    checks.shows_region(figure, lip_edge)
    assert "holds under a narrower condition" in figure.axes[0].get_title(loc="left")
    assert [text.get_text() for text in figure.axes[0].get_legend().get_texts()] == ["claimed, but fails", "holds"]


def test_a_region_of_exchanged_axes_is_caught():
    figure = plotting.theorem_region(theorem("jiang_lip/T2"), x="epsilon", y="prior", points=31)
    checks.shows_region(figure, lambda epsilon, p: lip_edge(p, epsilon))
    with pytest.raises((AssertionError, OverflowError)):
        checks.shows_region(figure, lip_edge)


def test_a_narrower_condition_is_that_of_the_print_not_of_a_correction():
    printed = theorem("jiang_lip/T2")
    parts = {name: getattr(printed, name) for name in ("family", "claimed", "narrower", "name", "key", "verdict")}
    both = SimpleNamespace(**parts, confirmed=())
    checks.shows_region(plotting.theorem_region(both, points=61), lip_edge)
    both.verdict = "misprinted"
    both.confirmed, both.narrower = printed.narrower, ()
    labels = [text.get_text() for text in plotting.theorem_region(both, points=21).axes[0].get_legend().get_texts()]
    assert labels == ["claimed, but fails", "holds as corrected, not as printed"]


def test_the_first_probability_is_the_one_that_is_drawn():
    fixed = {"n": 3, "prior": np.full(3, 1 / 3), "values": np.arange(3.0), "epsilon": 1.0}
    across, upwards = axes_of(theorem("jiang_lip/T3"), fixed, None, None)
    assert across.value(0.5).tolist() == [0.5, 0.25, 0.25]
    assert (across.name, upwards.name, upwards.value(0.5)) == ("prior", "epsilon", 0.5)


def test_three_inputs_share_what_the_first_leaves():
    figure = plotting.theorem_region(theorem("jiang_lip/T3"), at={"n": 3}, points=61)
    checks.shows_region(figure, lambda p, epsilon: min(p, (1 - p) / 2) - 1 / (1 + math.exp(epsilon)))
    assert "n = 3" in figure.axes[0].get_title(loc="left")


def test_a_false_theorem_holds_nowhere():
    printed = theorem("jiang_lip/T2")
    parts = {name: getattr(printed, name) for name in ("family", "claimed", "narrower", "confirmed", "name", "key")}
    figure = plotting.theorem_region(SimpleNamespace(**parts, verdict="false"), x="epsilon", points=11)
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == ["claimed, but false: it fails somewhere here"]


@pytest.mark.slow
def test_every_theorem_has_a_region_or_too_few_variables():
    known = {"holds": "holds", "misprinted": "holds as corrected, not as printed", "false": "claimed, but false"}
    drawn = 0
    for found in all_theorems().values():
        try:
            axes = plotting.theorem_region(found, points=3).axes[0]
        except md.UnsupportedError:
            # Of one variable there is no plane.
            continue
        drawn += 1
        assert found.verdict in axes.get_title(loc="left").replace("\n", " ")
        labels = [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []
        # Three places along each axis may all miss a narrow domain.
        assert not labels or any(label.startswith(known.get(found.verdict, "")) for label in labels), found.key
    assert drawn > 100


def rows():
    return md.sweep({"survey": SURVEY}, [md.LDP, md.LIP], [md.MMSE()], levels=[1.0, 0.5])


def test_a_sweep_draws_a_line_for_each_hue():
    sweep = rows()
    axes = sweep.plot().axes[0]
    for notion in ("LDP", "LIP"):
        wanted = sorted((row.level, row.value) for row in sweep if row.notion == notion)
        assert checks.line(axes, notion).tolist() == [list(pair) for pair in wanted]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("epsilon (nats)", "value of MMSE (value squared)")
    axes = sweep.plot(x="value", y="seconds", hue=None).axes[0]
    assert len(axes.lines) == 2, "two notions are two lines, of one colour"
    assert axes.get_ylabel() == "seconds (s)"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"x": "levels"}, 'x is levels, but a sweep has no such column of numbers; did you mean "level"'),
        ({"y": "notion"}, "y is notion"),
        ({"hue": "objektive"}, 'did you mean "objective"'),
        ({"hue": "reason"}, "hue is reason"),
    ],
)
def test_an_unknown_column_is_refused_with_the_nearest(asked, told):
    with pytest.raises(md.DomainError, match=told):
        rows().plot(**asked)


def test_rows_without_numbers_are_counted():
    sweep = rows()
    first, *rest = sweep.rows
    missing = replace(sweep, rows=(replace(first, value=math.nan, bound=math.nan), *rest))
    assert "1 of 4 rows have no such numbers" in missing.plot().axes[0].get_title(loc="left")
    nothing = replace(sweep, rows=(replace(first, value=math.nan, reason="no $ left"),))
    with pytest.raises(md.DomainError, match="no row has a finite level and value"):
        nothing.plot()
    parts = replace(sweep, rows=(replace(first, level=(0.5, 0.6)),))
    with pytest.raises(md.DomainError, match="several parts"):
        parts.plot()


def test_data_profiles_are_shares_within_so_many_seconds():
    axes = plotting.data_profile({"a": {"1": 1.0, "2": 4.0}, "b": {"1": 2.0, "2": math.inf}}).axes[0]
    a, b = axes.get_lines()
    assert list(zip(a.get_xdata(), a.get_ydata(), strict=True))[1:3] == [(1.0, 0.5), (4.0, 1.0)]
    assert list(b.get_ydata())[-1] == 0.5
