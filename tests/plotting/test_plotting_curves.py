"""Frontiers, certificates, profiles and estimates show their numbers; planted defects are caught."""

import itertools
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import mechdesign as md
from mechdesign import plotting
from mechdesign.solve.certificate.claims import derive
from mechdesign.solve.certificate.price_curve import price_curve
from tests.helpers import picture_checks as checks

PRIOR, VALUES, LABELS = np.array([0.2, 0.3, 0.5]), np.array([0.0, 1.0, 3.0]), ("no", "maybe", "yes")
SURVEY = md.Problem(prior=PRIOR, values=VALUES, labels=LABELS)
#: Neither symmetric nor with equal columns; its largest lift is at the first input and the last output.
MATRIX = np.array([[0.25, 0.125, 0.625], [0.5, 0.25, 0.25], [0.5, 0.375, 0.125]])
MADE = md.Mechanism(MATRIX, ("a", "b", "c"), problem=SURVEY)


def widened(curve, by):
    """The frontier with bounds that are so much better than its values."""
    return replace(curve, designs=tuple(replace(made, bound=made.value - by) for made in curve.designs))


def test_the_frontier_shows_values_and_the_band_to_their_bounds():
    curve = widened(md.frontier(SURVEY, md.LDP, md.MMSE(), [1.0, 0.5, 2.0]), 0.1)
    figure = curve.plot()
    checks.shows_frontier(figure, curve.levels, curve.values, curve.bounds, "certified optimum")
    labels = figure.axes[0].get_legend_handles_labels()[1]
    assert {"no privacy", "uninformative", "k-ary randomised response", "value to bound"} <= set(labels)
    assert checks.line(figure.axes[0], "uninformative")[0, 1] == pytest.approx(PRIOR @ (VALUES - PRIOR @ VALUES) ** 2)
    # Below the values, since less is better: a band on the other side is no bound.
    with pytest.raises(AssertionError, match="the band ends at the bound"):
        checks.shows_frontier(
            widened(curve, -0.1).plot(), curve.levels, curve.values, curve.bounds, "certified optimum"
        )


def test_baselines_are_at_their_own_levels():
    curve = md.frontier(SURVEY, md.LDP, md.MMSE(), [2.0, 0.5])
    drawn = checks.line(curve.plot().axes[0], "k-ary randomised response")
    wanted = []
    for level in (0.5, 2.0):
        truth, lie = (math.exp(level) / (math.exp(level) + 2), 1 / (math.exp(level) + 2))
        matrix = np.full((3, 3), lie) + (truth - lie) * np.eye(3)
        wanted.append([level, md.MMSE().value(matrix, SURVEY)])
    assert np.allclose(drawn, wanted, rtol=1e-12)


def test_closed_forms_that_are_not_private_are_crosses():
    curve = md.frontier(md.Problem(prior=PRIOR, values=VALUES), md.LIP, md.MMSE(), [0.5, 1.0, 2.0])
    axes = curve.plot().axes[0]
    # The print is private exactly where the least prior, 0.2, is at least 1/(1 + e^epsilon): from ln 4 on.
    (crosses,) = [each for each in axes.lines if each.get_marker() == "x"]
    (line,) = [each for each in axes.lines if str(each.get_label()).startswith("closed form, jiang_lip")]
    assert crosses.get_xdata().tolist() == [0.5, 1.0]
    assert np.isfinite(line.get_ydata()).tolist() == [False, False, True]


def test_several_frontiers_have_names_and_one_objective():
    curves = {
        name: md.frontier(SURVEY, notion, md.MMSE(), [0.5, 1.0]) for name, notion in [("$a$", md.LDP), ("b", md.LIP)]
    }
    axes = plotting.frontier(curves).axes[0]
    for name, curve in curves.items():
        assert np.array_equal(checks.line(axes, name)[:, 1], curve.values)
    assert plotting.frontier(list(curves.values())).axes[0].get_legend_handles_labels()[1][0] == "LDP"
    other = md.frontier(SURVEY, md.LDP, md.MutualInformation(), [0.5])
    with pytest.raises(md.DomainError, match="one axis shows one objective"):
        plotting.frontier({"a": curves["b"], "b": other})


def test_levels_in_titles_are_never_less_than_they_are():
    # Neither 1.00004 nor ln 5 is shown as less; a level of exactly 1 is 1, whatever rounding the logarithm has.
    for level, shown in ((1.00004, "1.001"), (math.log(5.0), "1.61"), (1.0, "1"), (2.0, "2")):
        known = md.baselines.randomised_response(md.Problem(n=3), level)
        assert str(md.LDP(level)) in known.plot().axes[0].get_title(loc="left")
        made = md.Mechanism(known.matrix, known.outputs)
        titles = [
            made.plot().axes[0].get_title(loc="left"),
            made.estimate(counts=[3, 3, 4]).plot().axes[0].get_title(loc="left"),
        ]
        titles += plotting.privacy_profile(made).axes[0].get_legend_handles_labels()[1]
        said = [title for title in titles if "LDP level" in title]
        assert len(said) == 3 and all(re.search(rf"LDP level {shown}( nats|$)", title) for title in said), said


def test_an_intersection_shows_the_level_of_the_part_that_it_names():
    coin = md.Problem(prior=[0.5, 0.5])
    matrix = [[0.6, 0.4], [0.4, 0.6]]
    for both, part in ((md.LDP(1.0) & md.LIP(0.25), md.LIP(0.25)), (md.LDP(0.3) & md.LIP(5.0), md.LDP(0.3))):
        title = md.audit(matrix, both, coin).plot().axes[0].get_title(loc="left")
        # ln 0.5/0.4 is 0.2231436 and ln 0.6/0.4 is 0.4054651.
        level = "0.223144" if isinstance(part, md.LIP) else "0.405466"
        verdict = "holds" if isinstance(part, md.LIP) else "does NOT hold"
        assert title.startswith(f"{part} nats: {verdict}, level {level}\n"), title


def test_a_level_of_several_parts_needs_one_to_draw():
    curve = md.frontier(SURVEY, md.AsymmetricLIP, md.MMSE(), [(0.5, 0.6), (1.0, 1.5)])
    with pytest.raises(md.DomainError, match="pass part=0 to 1"):
        curve.plot()
    axes = curve.plot(part=1).axes[0]
    assert checks.line(axes, "certified optimum")[:, 0].tolist() == [0.6, 1.5]
    assert axes.get_xlabel() == "upper (nats)"


def test_a_bound_that_the_multipliers_do_not_prove_has_no_curve():
    design = md.design(md.Problem(prior=[2.7e-10, 1 - 2.7e-10], values=[0, 1]), md.MaxLift(40.0), md.AbsoluteError())
    assert design.gap == 0
    with pytest.raises(md.UnsupportedError, match=r"without any privacy.*multipliers prove less"):
        design.price_curve()


@pytest.mark.parametrize("objective", [md.HammingLoss(), md.AbsoluteError()])
def test_decisions_of_the_curve_are_those_that_outputs_are_called_by(objective):
    problem = md.Problem(prior=[0.1, 0.3, 0.6], values=[0, 1, 2])
    design = md.design(problem, md.UtilityOptimizedLDP(0.1, (0,)), objective)
    assert design.mechanism.outputs == ("2", "1 (1 revealed)", "2 (2 revealed)")
    curve = design.price_curve()
    assert [curve.names[int(place)] for place in curve.made] == ["2", "1", "2"]
    assert abs(curve.prices_of_made).max() < 1e-9 and curve.prices.max() < 1e-9


PRICED = [
    (notion, objective)
    for notion in (md.LDP(1.0), md.LIP(0.5), md.MaxLift(0.4), md.MaxLift(3.0), md.UtilityOptimizedLDP(0.5, (0, 1)))
    for objective in (md.MMSE(), md.AbsoluteError(), md.HammingLoss(), md.ErrorProbability())
]


@pytest.mark.parametrize(("notion", "objective"), PRICED, ids=[f"{n}, {o}" for n, o in PRICED])
@pytest.mark.parametrize("prior", [PRIOR, [1e-6, 0.3, 0.7 - 1e-6]], ids=["usual", "a rare input"])
def test_curves_are_nowhere_above_0_and_touch_it_at_the_decisions_made(notion, objective, prior):
    design = md.design(md.Problem(prior=prior, values=VALUES), notion, objective)
    curve = design.price_curve()
    width = float(np.ptp(VALUES)) ** 2
    assert curve.prices.max() <= 1e-12 * width and abs(curve.prices_of_made).max() <= 1e-6 * width


def test_the_certificate_is_nowhere_above_0_and_touches_it():
    design = md.design(SURVEY, md.LDP(1.5), md.MMSE())
    rows = design.mechanism.claimed.multipliers.rows
    mean = PRIOR @ VALUES
    utility = PRIOR @ (VALUES - mean) ** 2 - design.bound
    price = checks.ldp_price(PRIOR, VALUES, 1.5, rows, utility - rows.sum())
    checks.shows_prices(design.plot(what="certificate"), price, 1e-9)
    # Multipliers that prove another bound have another curve, one that no longer touches.
    certificate = design.mechanism.claimed
    for worse in (0.9, 1.1):
        multipliers = replace(certificate.multipliers, rows=worse * rows)
        claiming = replace(design.mechanism, certificate=replace(certificate, multipliers=multipliers))
        with pytest.raises(md.UnsupportedError, match="prove less"):
            price_curve(claiming)
        wrong = derive(design.mechanism.asked, SURVEY, design.matrix, multipliers, design.route)
        other = replace(design, mechanism=replace(design.mechanism, certificate=wrong))
        with pytest.raises(AssertionError):
            checks.shows_prices(other.plot(what="certificate"), price, 1e-9)
        made = checks.line(other.plot(what="certificate").axes[0], "decisions that are made")
        assert np.abs(made[:, 1]).max() > 1e-3, "what does not touch is not drawn at 0"
        assert np.array_equal(made[:, 1], other.price_curve().prices_of_made)


def test_the_decisions_that_are_made_are_the_posterior_means():
    design = md.design(SURVEY, md.LIP(1.0), md.MMSE())
    made = checks.line(design.plot(what="certificate").axes[0], "decisions that are made")[:, 0]
    joint = PRIOR[:, None] * design.matrix
    assert np.allclose(made, VALUES @ joint / joint.sum(axis=0), rtol=1e-12)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("objective", "quantity"),
    [
        (md.KLDivergence(first=[0.2, 0.3, 0.5], second=[0.5, 0.3, 0.2]), "log-likelihood ratio"),
        (md.TotalVariation(first=[0.2, 0.3, 0.5], second=[0.5, 0.3, 0.2]), "log-likelihood ratio"),
        (md.RenyiDivergence(2.0, first=[0.2, 0.3, 0.5], second=[0.5, 0.3, 0.2]), "log-likelihood ratio"),
        (md.FisherInformation(theta=[0.2, 0.3, 0.5], direction=[1.0, 0.0, -1.0]), "score"),
        (md.MMSE(), "estimate (value)"),
        (md.AbsoluteError(), "decision"),
        (md.HammingLoss(), "decision"),
        (md.ErrorProbability(), "decision"),
    ],
    ids=lambda part: getattr(part, "name", part),
)
@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.7), md.ApproximateLDP(0.5, 0.1)], ids=str)
def test_scalar_decisions_have_a_curve(notion, objective, quantity):
    design = md.design(SURVEY, notion, objective)
    curve = design.price_curve()
    size = max(1.0, abs(design.value))
    assert curve.prices.max() <= 1e-9 * size
    assert np.abs(curve.prices_of_made).max() <= 1e-5 * size
    axes = design.plot(what="certificate").axes[0]
    assert axes.get_xlabel().startswith(quantity)
    assert axes.get_ylim()[0] < curve.prices.min() < 0.0 < axes.get_ylim()[1]


@pytest.mark.parametrize(
    "objective", [md.MutualInformation(), md.HistogramMMSE(), md.InformationDesign("A"), md.MaxOffDiagonal()], ids=str
)
def test_decisions_that_are_no_numbers_have_none(objective):
    with pytest.raises(md.UnsupportedError, match="so its certificate is no curve"):
        md.design(SURVEY, md.LDP(1.0), objective).plot(what="certificate")


def test_rounding_does_not_fill_the_picture():
    design = md.design(md.Problem(prior=np.full(12, 1 / 12)), md.LDP(1.0), md.HammingLoss())
    figure = design.plot(what="certificate")
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert axes.get_ylim()[0] <= -0.9e-9 * design.value
    assert not axes.yaxis.get_offset_text().get_text()
    assert all("\u2212" in name or float(name) >= 0 for name in checks.names(axes, "y"))


def test_a_users_constraints_have_no_one_price():
    design = md.design(SURVEY, md.LDP(1.0), md.HammingLoss(), subject_to=lambda Q: [Q[0, 0] <= 0.3])
    with pytest.raises(md.UnsupportedError, match="constraints of your own"):
        design.plot(what="certificate")
    with pytest.raises(md.UnsupportedError):
        price_curve(MADE)


def test_another_picture_is_refused_by_name():
    design = md.design(SURVEY, md.LDP(1.0), md.MMSE())
    with pytest.raises(md.DomainError, match='did you mean "certificate"'):
        design.plot(what="certficate")


def test_the_privacy_profile_is_the_definition():
    epsilons = [1.0, 0.0, 0.5, 2.0]
    axes = plotting.privacy_profile({"mine": MADE}, epsilons=epsilons).axes[0]
    drawn = checks.line(axes, "mine")
    for epsilon, delta in drawn:
        spent = [
            np.maximum(MATRIX[x] - math.exp(epsilon) * MATRIX[z], 0).sum()
            for x, z in itertools.permutations(range(3), 2)
        ]
        assert delta == pytest.approx(max(spent), abs=1e-14)
    assert drawn[:, 0].tolist() == sorted(epsilons)
    assert np.allclose(checks.line(axes, "LDP level 1.61"), [[math.log(5.0), 0.0]])


def test_estimates_have_their_intervals_and_the_truth():
    response = md.baselines.randomised_response(SURVEY, 1.0)
    found = response.estimate(counts=[310, 290, 400])
    truth = [0.1, 0.2, 0.7]
    checks.shows_estimate(found.plot(truth=truth), found.frequencies, found.interval(0.95), truth)
    figure = found.plot(level=0.5, simultaneous=True)
    checks.shows_estimate(figure, found.frequencies, found.interval(0.5, simultaneous=True))
    assert "50 % interval" in figure.axes[0].get_legend_handles_labels()[1]
    with pytest.raises(AssertionError, match="lower end"):
        checks.shows_estimate(found.plot(level=0.9), found.frequencies, found.interval(0.95))
    order = np.argsort(-found.frequencies)[:2]
    part = np.sort(order)
    checks.shows_estimate(found.plot(largest=2), found.frequencies[part], found.interval(0.95)[part])


def test_queries_have_their_intervals_and_the_truth():
    found = md.baselines.randomised_response(SURVEY, 1.0).estimate(counts=[310, 290, 400]).queries("prefix")
    axes = found.plot(truth=[0.3, 0.6, 1.0]).axes[0]
    assert np.array_equal(checks.line(axes, "estimate"), np.column_stack([range(3), found.values]))
    assert np.array_equal(checks.line(axes, "truth"), np.column_stack([range(3), [0.3, 0.6, 1.0]]))
    low, high = found.interval(0.95, simultaneous=True).T
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices[:, 1]
    assert set(np.concatenate([low, high]).tolist()) <= set(corners.tolist())
    bars = found.plot(steps=False, simultaneous=False, level=0.5).axes[0]
    (lines,) = bars.collections
    assert np.array_equal(np.array(lines.get_segments())[:, :, 1], found.interval(0.5))


def test_a_swapped_interval_is_caught():
    found = md.baselines.randomised_response(SURVEY, 1.0).estimate(counts=[310, 290, 400])
    swapped = SimpleNamespace(
        **{name: getattr(found, name) for name in ("frequencies", "problem", "matrix", "reports", "method")},
        interval=lambda *asked: found.interval(*asked)[:, ::-1],
    )
    with pytest.raises(AssertionError, match="lower end"):
        checks.shows_estimate(plotting.estimate(swapped), found.frequencies, found.interval(0.95))


def test_what_reports_do_not_tell_is_not_drawn():
    silent = md.Mechanism([[0.5, 0.5]] * 3, ["a", "b"], problem=SURVEY)
    with pytest.raises(md.UnsupportedError):
        silent.estimate(counts=[5, 5]).plot()
    with pytest.raises(md.DomainError, match="truth"):
        md.baselines.randomised_response(SURVEY, 1.0).estimate(counts=[1, 2, 3]).plot(truth=[1, 2, 3])


def test_names_of_decisions_next_to_each_other_do_not_cover_each_other():
    rng, named = np.random.default_rng(3), 0
    for seed in range(4):
        prior = np.random.default_rng(seed).dirichlet(np.ones(14))
        made = md.design(md.Problem(prior=prior, values=np.sort(rng.normal(size=14))), md.LIP(1.0), md.MMSE())
        picture = plotting.certificate(made)
        picture.draw_without_rendering()
        boxes = [text.get_window_extent() for text in picture.axes[0].texts]
        named += len(boxes)
        for one, other in itertools.combinations(boxes, 2):
            assert not one.overlaps(other)
    assert named > 10
