"""Pictures of matrices, posteriors and audits show their numbers; planted defects are caught."""

import itertools
import math
import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import mechdesign as md
from mechdesign import plotting
from mechdesign.testing.examples import NOTIONS
from tests.helpers import picture_checks as checks

PRIOR, VALUES, LABELS = np.array([0.2, 0.3, 0.5]), np.array([0.0, 1.0, 3.0]), ("no", "maybe", "yes")
SURVEY = md.Problem(prior=PRIOR, values=VALUES, labels=LABELS)
#: Neither symmetric nor with equal columns; its largest lift is at the first input and the last output.
MATRIX = np.array([[0.25, 0.125, 0.625], [0.5, 0.25, 0.25], [0.5, 0.375, 0.125]])
MADE = md.Mechanism(MATRIX, ("a", "b", "c"), problem=SURVEY)


def test_the_heat_map_is_the_matrix():
    checks.shows_matrix(MADE.plot(), MATRIX, LABELS, MADE.outputs)


def test_a_transposed_heat_map_is_caught():
    wrong = SimpleNamespace(
        matrix=MATRIX.T,
        outputs=MADE.outputs,
        inputs=SURVEY,
        posterior=MADE.posterior,
        question=None,
        guarantee=None,
    )
    with pytest.raises(AssertionError, match="not its transpose"):
        checks.shows_matrix(plotting.heat_map(wrong), MATRIX, LABELS, MADE.outputs)


def test_a_part_of_the_heat_map_keeps_its_order_and_says_so():
    figure = MADE.plot(rows=["yes", 0], columns=[2, "a", 1])
    checks.shows_matrix(figure, MATRIX[np.ix_([2, 0], [2, 0, 1])], ("yes", "no"), ("c", "a", "b"))
    assert "2 of 3 inputs, 3 of 3 outputs" in figure.axes[0].get_title(loc="left")
    # The largest priors are of maybe and yes, the largest masses of a and b: 0.45, 0.2875 and 0.2625.
    figure = MADE.plot(largest=2)
    checks.shows_matrix(figure, MATRIX[np.ix_([1, 2], [0, 1])], ("maybe", "yes"), ("a", "b"))


def test_a_design_hands_lists_and_arrays_to_its_picture():
    design = md.design(SURVEY, md.LDP(1.0), md.MMSE())
    part = design.matrix[np.ix_([2, 0], [1])]
    for rows in ([2, "no"], np.array([2, 0])):
        checks.shows_matrix(design.plot(rows=rows, columns=[1]), part, ("yes", "no"), design.mechanism.outputs[1:2])
    posterior = design.plot(what="posterior", prior=PRIOR).axes[0].images[0].get_array()
    assert np.allclose(posterior, design.mechanism.posterior().probabilities, rtol=0, atol=1e-15)


def test_the_posterior_map_is_the_posterior():
    joint = PRIOR[:, None] * MATRIX
    figure = plotting.posterior_map(MADE)
    assert np.allclose(figure.axes[0].images[0].get_array(), joint / joint.sum(axis=0), rtol=0, atol=1e-15)
    other = np.array([0.6, 0.2, 0.2])
    joint = other[:, None] * MATRIX
    figure = plotting.posterior_map(MADE, prior=other)
    assert np.allclose(figure.axes[0].images[0].get_array(), joint / joint.sum(axis=0), rtol=0, atol=1e-15)
    assert "another prior" in figure.axes[0].get_title(loc="left")


def test_an_output_that_never_occurs_has_no_posterior():
    made = md.Mechanism([[1.0, 0.0], [0.5, 0.5], [1.0, 0.0]], ["a", "b"], problem=SURVEY)
    idle = md.Mechanism([[1.0, 0.0]] * 3, ["a", "b"], problem=SURVEY)
    assert not np.ma.getmaskarray(plotting.posterior_map(made).axes[0].images[0].get_array()).any()
    mask = np.ma.getmaskarray(plotting.posterior_map(idle).axes[0].images[0].get_array())
    assert mask.tolist() == [[False, True]] * 3


def test_lifts_stand_where_they_are_and_the_witness_is_marked():
    figure = md.audit(MATRIX, md.LIP(0.5), SURVEY).plot()
    checks.shows_lifts(figure, MATRIX, PRIOR, (0, 2), (-0.5, 0.5))
    assert "does NOT hold" in figure.axes[0].get_title(loc="left")
    figure = md.audit(MADE, md.AsymmetricLIP(0.7, 0.4), SURVEY).plot()
    checks.shows_lifts(figure, MATRIX, PRIOR, (0, 2), (-0.7, 0.4))
    assert checks.names(figure.axes[0], "x") == ["a", "b", "c"]


@pytest.mark.parametrize("part", ["inputs", "output", "nobody"])
def test_a_witness_that_is_marked_wrongly_or_not_at_all_is_caught(part):
    right = md.audit(MATRIX, md.LIP(0.5), SURVEY)
    changed = {"inputs": {"inputs": (2,)}, "output": {"output": 0}, "nobody": {"output": None}}[part]
    with pytest.raises(AssertionError, match=r"ring|witness"):
        checks.shows_lifts(replace(right, **changed).plot(), MATRIX, PRIOR, (0, 2), (-0.5, 0.5))


def test_limits_on_the_wrong_side_are_caught():
    exchanged = md.audit(MATRIX, md.AsymmetricLIP(0.7, 0.4), SURVEY).plot()
    with pytest.raises(AssertionError, match="one line is called asked at least"):
        checks.shows_lifts(exchanged, MATRIX, PRIOR, (0, 2), (-0.4, 0.7))


def test_ratios_of_ldp_are_counted_from_the_least_likely_input():
    axes = md.audit(MATRIX, md.LDP(1.0)).plot().axes[0]
    logs = np.log(MATRIX / MATRIX.min(axis=0))
    wanted = {(y, round(logs[x, y], 9)) for x, y in np.ndindex(3, 3)}
    assert {(int(y), round(number, 9)) for y, number in checks.line(axes, "each secret")} == wanted
    assert np.allclose(checks.line(axes, "witness of the level"), [[2, math.log(5.0)]])


def test_infinite_lifts_are_at_the_edge_and_the_witness_is_one_of_them():
    axes = md.audit(np.eye(3), md.LIP(1.0), SURVEY).plot().axes[0]
    gone = checks.line(axes, "minus infinite")
    assert len(gone) == 6
    assert len(checks.line(axes, "each secret")) == 3
    assert checks.line(axes, "witness of the level")[0, 1] == gone[0, 1]
    assert len(checks.line(md.audit(np.eye(3), md.LDP(1.0), SURVEY).plot().axes[0], "infinite")) == 3


def test_other_notions_show_the_level_of_each_output():
    steps = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    axes = md.audit(MADE, md.MetricDP(1.0, steps), SURVEY).plot().axes[0]
    logs = np.log(MATRIX)
    pairs = [(i, j) for i, j in itertools.permutations(range(3), 2)]
    wanted = [max((logs[i, y] - logs[j, y]) / steps[i, j] for i, j in pairs) for y in range(3)]
    assert np.allclose(checks.line(axes, "each output"), np.column_stack([range(3), wanted]))


@pytest.mark.parametrize("notion", [md.ApproximateLDP(0.5, 0.2), md.MaximalLeakage(0.5)])
def test_a_level_that_is_a_sum_over_outputs_is_refused(notion):
    with pytest.raises(md.UnsupportedError, match="privacy_profile"):
        md.audit(MADE, notion, SURVEY).plot()


def test_of_an_intersection_the_part_that_is_furthest_off_is_drawn():
    figure = md.audit(MADE, md.LDP(3.0) & md.LIP(0.25), SURVEY).plot()
    checks.shows_lifts(figure, MATRIX, PRIOR, (0, 2), (-0.25, 0.25))


SUMS = (
    "ApproximateLDP",
    "GLeakage",
    "MaximalLeakage",
    "MutualInformationPrivacy",
    "SibsonLeakage",
    "UtilityOptimizedLDP",
    "WeightedTV",
)


@pytest.mark.thinned(48)
@pytest.mark.parametrize("name", sorted(NOTIONS))
@pytest.mark.parametrize("kind", ["any", "with an output that never occurs", "with zeros"])
def test_the_ring_of_every_notion_is_at_its_level(name, kind, rng):
    for make in NOTIONS[name]:
        notion, problem = make(rng)
        n = notion.inputs(problem).n
        matrix = rng.dirichlet(np.ones(3), size=n)
        if kind != "any":
            never = np.zeros((n, 1))
            matrix = np.hstack([matrix, never]) if kind != "with zeros" else np.eye(n)
        audit = md.audit(matrix, notion, problem)
        refused = name in SUMS or any(part.name in SUMS for part in notion.parts())
        try:
            axes = audit.plot().axes[0]
        except md.UnsupportedError:
            assert refused
            continue
        ((_, height),) = checks.line(axes, "witness of the level")
        levels = np.array(audit.levels)
        if np.isfinite(levels).all():
            # At 0, whatever the output, no number is far from none.
            assert np.abs(np.abs(height) - levels).min() <= 1e-9 * max(1.0, levels.max())


def test_a_witness_that_is_not_drawn_is_told_in_words():
    title = md.audit(MADE, md.LIP(0.5), SURVEY).plot(columns=["a"]).axes[0].get_title(loc="left")
    assert "witness not drawn: Pr(y=c" in title.replace("\n", " ")
    assert "1 of 3 outputs" in title


def test_an_audit_keeps_what_it_audited_and_stays_what_it_was():
    given = MATRIX.copy()
    first, second = md.audit(given, md.LIP(0.5), SURVEY), md.audit(MADE, md.LIP(0.5), SURVEY)
    given[0, 0] = 0.0
    assert np.array_equal(first.matrix, MATRIX)
    assert not first.matrix.flags.writeable
    assert (first.problem, second.problem, second.outputs) == (SURVEY, SURVEY, ("a", "b", "c"))
    assert first.outputs is None
    # Equality and hash are of what it says; a matrix in them could not be hashed.
    same = md.audit(MATRIX[:, [0, 1, 2]], md.LIP(0.5), SURVEY)
    assert first == same
    assert hash(first) == hash(same)
    large = md.audit(md.baselines.randomised_response(md.Problem(n=100), 1.0), md.LDP(1.0))
    assert "array" not in repr(large)
    assert len(repr(large)) < 400
    assert pickle.loads(pickle.dumps(first)) == first
