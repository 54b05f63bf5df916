"""Where pictures are drawn: no window, nothing global; texts of users as they are; what is refused, in words."""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign import plotting
from mechdesign.figures import recomputed
from mechdesign.plotting.text import distinct, shown
from mechdesign.theorems import theorem
from tests.helpers.picture_checks import texts

ROOT = Path(__file__).parents[2]
SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2], labels=["no", "maybe", "yes"], prior_source="census")
RESPONSE = md.baselines.randomised_response(SURVEY, 1.0)
LONG = "x" * 10_000
HOSTILE = (
    *(LONG, LONG[1:] + "y", "$a_b$ costs $5", "שלום עולם", "e\u0301" * 40, "Z" + "\u0336" * 5000, "<script>\x1b[31m"),
    *("a\nb", "\u202eevil", "\ud800", "[red]", r"$\undefined{"),
)


def run(code):
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 0, found.stderr
    return found.stdout.split("\n")


@pytest.fixture(scope="module")
def drawn():
    """Every picture there is, of small things."""
    design = md.design(SURVEY, md.LDP(1.0), md.MMSE())
    curve = md.frontier(SURVEY, md.LDP, md.MMSE(), [0.5, 1.0])
    sweep = md.sweep({"survey": SURVEY}, [md.LDP, md.LIP], [md.MMSE()], levels=[0.5, 1.0])
    return {
        "heat_map": design.plot(),
        "posterior_map": design.plot(what="posterior"),
        "output_levels": design.audit.plot(),
        "certificate": design.plot(what="certificate"),
        "privacy_profile": design.plot(what="privacy profile"),
        "frontier": curve.plot(),
        "estimate": RESPONSE.estimate(counts=[300, 300, 400]).plot(truth=SURVEY.prior),
        "queries": RESPONSE.estimate(counts=[300, 300, 400]).queries("prefix").plot(truth=[0.3, 0.6, 1.0]),
        "paper_figure": recomputed("jiang_lip/fig5").plot(),
        "performance_profile": plotting.performance_profile({"a": {"1": 1.0}, "b": {"1": 2.0}}),
        "data_profile": plotting.data_profile({"a": {"1": 1.0, "2": 0.2}, "b": {"1": 2.0}}),
        "sweep": sweep.plot(),
        "theorem_region": plotting.theorem_region(theorem("jiang_lip/T2"), points=21),
    }


def test_every_picture_is_tested_here(drawn):
    assert set(drawn) == set(plotting.__all__)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("name", plotting.__all__)
def test_axes_have_labels_and_the_title_says_what_is_drawn(drawn, name):
    axes = drawn[name].axes[0]
    title = axes.get_title(loc="left")
    assert axes.get_xlabel()
    assert axes.get_ylabel()
    assert len(title) > 10
    # A figure of a paper has the paper's people.
    of_no_inputs = {"performance_profile", "data_profile", "theorem_region", "paper_figure", "queries"}
    if name not in of_no_inputs:
        assert "n = 3" in title
    if name not in of_no_inputs | {"estimate", "sweep"}:
        assert "prior: census" in title.replace("\n", " ")
    if name in {"heat_map", "posterior_map", "output_levels", "certificate", "privacy_profile"}:
        assert "LDP(epsilon=1) nats" in title


@pytest.mark.thinned(15)
@pytest.mark.parametrize("name", plotting.__all__)
def test_a_notebook_shows_it_and_nothing_leaves_the_figure(drawn, name):
    figure = drawn[name]
    data, size = figure._repr_png_()
    assert data.startswith(b"\x89PNG")
    assert size["width"] == round(72 * figure.get_size_inches()[0])
    figure.draw_without_rendering()
    inside = figure.bbox.padded(1.0)
    for axes in figure.axes:
        least, most = sorted(axes.get_xlim())
        ticks = [each for each in axes.get_xticklabels() if least <= each.get_position()[0] <= most]
        for text in (axes._left_title, axes.xaxis.label, axes.yaxis.label, *ticks):
            box = text.get_window_extent()
            assert all(inside.contains(*corner) for corner in box.corners()), text.get_text()


@pytest.mark.parametrize("name", plotting.__all__)
def test_labels_of_ticks_do_not_overlap(drawn, name):
    axes = drawn[name].axes[0]
    for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
        boxes = [each.get_window_extent() for each in labels if each.get_text() and each.get_rotation() == 0]
        assert not any(first.overlaps(second) for first, second in itertools.pairwise(boxes))


def test_nothing_global_is_touched():
    code = """
import sys, mechdesign as md
assert not any(name.startswith("matplotlib") for name in sys.modules)
problem = md.Problem(n=2)
md.plotting
assert not any(name.startswith("matplotlib") for name in sys.modules)
import matplotlib
def settings():
    # To ask for the back end would choose one.
    return {key: matplotlib.rcParams[key] for key in matplotlib.rcParams if key != "backend"}
before = settings()
figure = md.baselines.randomised_response(problem, 1.0).plot()
figure._repr_png_()
print("matplotlib.pyplot" in sys.modules, before == settings())
"""
    assert run(code)[0] == "False True"


def test_without_matplotlib_the_error_names_the_command():
    code = """
import sys
sys.modules["matplotlib"] = None
import mechdesign as md
try:
    md.baselines.randomised_response(md.Problem(n=2), 1.0).plot()
except md.UnsupportedError as error:
    print(error)
"""
    assert run(code)[0] == "Pictures need matplotlib, which is not installed: pip install 'mechdesign[plot]'."


def test_it_is_drawn_where_one_says():
    from matplotlib.figure import Figure

    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert RESPONSE.plot(right) is figure
    assert (len(left.images), len(right.images)) == (0, 1)
    part = Figure().subfigures(1, 2)[0]
    assert RESPONSE.plot(part) is part.figure
    assert part.axes[0].images


@pytest.mark.parametrize(
    ("ax", "told"),
    [
        (3, "ax is of type int, but it has to be matplotlib's Axes or Figure; leave it out"),
        ([1, 2], "give one of them, ax=axes"),
    ],
)
def test_other_axes_are_refused(ax, told):
    with pytest.raises(md.DomainError, match=told):
        RESPONSE.plot(ax)


def test_polar_axes_are_refused():
    from matplotlib.figure import Figure

    with pytest.raises(md.DomainError, match="two straight axes; leave the projection out"):
        RESPONSE.plot(Figure().add_subplot(projection="polar"))


def test_texts_of_users_are_shown_as_they_are(recwarn):
    problem = md.Problem(prior=np.full(12, 1 / 12), labels=HOSTILE, values=range(12), prior_source="$x$ " + LONG)
    made = md.baselines.randomised_response(problem, 2.0)
    estimate = made.estimate(counts=[100] * 12)
    pictures = [
        made.plot(),
        plotting.posterior_map(made),
        md.audit(made, md.LDP(2.0), problem).plot(),
        estimate.plot(),
        plotting.privacy_profile({LONG: made, "$a$": made}),
        plotting.performance_profile({"$a_b$": {"1": 1.0}, LONG: {"1": 2.0}}),
        plotting.data_profile({"$a_b$": {"1": 1.0}, LONG: {"1": 2.0}}),
    ]
    for figure in pictures:
        figure._repr_png_()
        for text in texts(figure):
            assert not text.get_usetex()
            assert len(text.get_text()) < 500
            if "$" in text.get_text():
                assert not text.get_parse_math(), text.get_text()
            assert not set(text.get_text()) & {"\x1b", "\u202e", "\ud800"}
    seen = {text.get_text() for text in texts(pictures[0])}
    assert {"$a_b$ costs $5", "שלום עולם", "a b", "[red]"} <= seen
    assert sum("…" in text for text in seen if text.startswith("xxx")) == 2, "two long labels stay two"


def test_long_texts_end_in_an_ellipsis_between_letters():
    assert shown("e\u0301" * 40, 9) == "e\u0301" * 5 + "…" + "e\u0301" * 3
    assert shown("Z" + "\u0336" * 5000).endswith("…")
    assert len(shown(LONG, 24)) == 24
    assert shown("x" * 24, 24) == "x" * 24
    assert len(set(distinct([LONG, LONG + "y", "y" + LONG, LONG + "x"]))) == 4


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: md.baselines.randomised_response(md.Problem(n=201), 1.0).plot(), "201 inputs.*pass largest=40"),
        (lambda: RESPONSE.plot(rows=["mabe"]), 'did you mean "maybe"'),
        (lambda: RESPONSE.plot(rows=[3]), "rows is 3, but there are 3, counted from 0"),
        (lambda: RESPONSE.plot(rows=[0, "no"]), "each is drawn once"),
        (lambda: RESPONSE.plot(columns=[]), "there has to be something to draw"),
        (lambda: RESPONSE.plot(largest=2, rows=[0]), "give one or the other"),
        (lambda: RESPONSE.plot(largest=0), "at least 1"),
        (lambda: plotting.heat_map(np.eye(2)), "it has to be a Mechanism or a Design; md.Mechanism"),
        (lambda: plotting.posterior_map(md.baselines.randomised_response(md.Problem(n=2), 1.0)), "give posterior"),
        (lambda: plotting.output_levels(RESPONSE), "give md.audit"),
        (lambda: plotting.certificate(RESPONSE), "it has to be a Design"),
        (lambda: plotting.privacy_profile({}), "give at least one"),
        (lambda: plotting.privacy_profile(RESPONSE, epsilons=[-1.0]), "epsilons"),
        (lambda: plotting.estimate(3), "it has to be an Estimate"),
        (lambda: plotting.queries(3), "it has to be estimates of queries"),
        (lambda: RESPONSE.estimate(counts=[1, 2, 3]).queries("prefix").plot(truth=[1.0]), "truth"),
        (lambda: plotting.frontier(3), "it has to be a Frontier"),
        (lambda: plotting.frontier({}), "give at least one"),
        (lambda: plotting.sweep(3), "it has to be a Sweep"),
        (lambda: plotting.performance_profile({"a": {"1": 0.0}}), "times are positive numbers"),
        (lambda: plotting.performance_profile({"a": {}}), "times is empty"),
        (lambda: plotting.theorem_region("jiang_lip/T2"), "it has to be a Theorem"),
        (lambda: plotting.theorem_region(theorem("jiang_lip/T2"), x="epsilo"), 'did you mean "epsilon"'),
        (lambda: plotting.theorem_region(theorem("jiang_lip/T2"), x="values"), "it is no number and no distribution"),
        (lambda: plotting.theorem_region(theorem("jiang_lip/T2"), x="epsilon", y="epsilon"), "across already"),
        (lambda: plotting.theorem_region(theorem("jiang_lip/T3"), at={"m": 3}), "the theorem has no such variable"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(ask, told):
    with pytest.raises(md.DomainError, match=told):
        ask()


def test_a_plane_needs_two_variables():
    with pytest.raises(md.UnsupportedError, match=r"fewer than two variables.*epsilon"):
        plotting.theorem_region(theorem("jiang_lip/T3ex"))
