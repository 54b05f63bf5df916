"""The sets of instances: their sizes, what they cover, and optima that designs made now agree with."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import mechdesign as md
from mechdesign.bench.program import ConicProgram
from mechdesign.bench.sets import MOST_NONZEROS, OPTIMA, SETS, instances
from mechdesign.bench.sets.drawing import skewed_prior, values_of
from mechdesign.bench.vertex import vertex_of

#: Instances of each set, their inputs and nonzeros at most.
SIZES = {"small": (60, 16, 2e4), "medium": (60, 100, 1e5), "large": (20, 400, 1e7), "hard": (30, 12, 1e4)}


@pytest.mark.parametrize("name", [name for name in SIZES if name != "large"])
def test_a_set_has_so_many_instances_of_so_many_nonzeros(name):
    count, inputs, nonzeros = SIZES[name]
    found = instances(name)
    assert len(found) == len({each.name for each in found}) == count
    for each in found:
        sizes = each.sizes()
        assert sizes["inputs"] <= inputs and sizes["nonzeros"] <= nonzeros, each.name
        assert (name == "hard") == bool(each.why)


@pytest.mark.slow
def test_the_large_set_has_so_many_nonzeros():
    count, inputs, nonzeros = SIZES["large"]
    found = instances("large")
    assert len(found) == count
    for each in found:
        sizes = each.sizes()
        assert sizes["inputs"] <= inputs and sizes["nonzeros"] <= nonzeros, each.name
        vars(each).pop("posed")


def test_names_are_unique_in_all_sets_and_every_optimum_belongs_to_a_question():
    names = [each.name for name in SETS for each in instances(name)]
    assert len(names) == len(set(names)) == 170
    labels = {draft.label for make in SETS.values() for draft in make()}
    assert labels == set(json.loads(OPTIMA.read_text(encoding="utf-8")))


def test_the_sets_cover_kinds_notions_and_forms():
    small, all_of = instances("small"), [each for name in SETS for each in instances(name)]
    for listed in (small, all_of):
        assert {each.kind for each in listed} == {"linear", "convex", "sublinear", "design"}
        assert len({type(each.question.notion) for each in listed}) >= 8
        assert {each.form for each in listed} == set(md.bench.FORMS)


@pytest.mark.parametrize("name", SETS)
def test_values_and_bounds_are_on_the_right_sides(name):
    for each in instances(name):
        optimum, sign = each.optimum, 1.0 if each.question.objective.sense == "minimise" else -1.0
        assert sign * (optimum.value - optimum.bound) >= 0.0, each.name
        assert abs(optimum.value - optimum.bound) <= 2e-6 * abs(optimum.value), each.name


def agrees(label, question):
    """Hold the recorded optimum to a design that is made now: neither is better than the other's bound."""
    value, bound = json.loads(OPTIMA.read_text(encoding="utf-8"))[label][:2]
    made = md.design(question.problem, question.notion, question.objective, gap=1e-4)
    sign = 1.0 if question.objective.sense == "minimise" else -1.0
    allowed = 1e-12 * abs(value)
    assert sign * (made.value - bound) >= -allowed, label
    assert sign * (value - made.bound) >= -allowed, label
    assert abs(made.value - value) <= 2e-4 * abs(value), label


DRAFTS = {draft.label: draft for name in ("small", "hard") for draft in SETS[name]()}


@pytest.mark.thinned(6)
@pytest.mark.parametrize("label", DRAFTS)
def test_a_recorded_optimum_is_that_of_a_design_made_now(label):
    agrees(label, DRAFTS[label].question)


@pytest.mark.slow
@pytest.mark.parametrize("label", [draft.label for draft in SETS["medium"]()])
def test_an_optimum_of_the_medium_set_is_that_of_a_design_made_now(label):
    agrees(label, next(draft for draft in SETS["medium"]() if draft.label == label).question)


def test_an_optimum_that_is_off_is_caught(monkeypatch, tmp_path):
    """Planted: a value that is better than any private mechanism's."""
    found = json.loads(OPTIMA.read_text(encoding="utf-8"))
    found["ldp-absolute-6"] = [0.99 * number for number in found["ldp-absolute-6"][:2]]
    monkeypatch.setattr("tests.bench.test_sets.OPTIMA", tmp_path / "optima.json")
    (tmp_path / "optima.json").write_text(json.dumps(found))
    with pytest.raises(AssertionError, match="ldp-absolute-6"):
        agrees("ldp-absolute-6", DRAFTS["ldp-absolute-6"].question)


def test_what_is_drawn_is_the_same_everywhere():
    """Numbers of Python's own generator, rounded: another version has to reproduce them."""
    assert values_of(4, 1).tolist() == [1.033, 2.201, 4.179, 9.325]
    assert np.round(skewed_prior(3, 7), 9).tolist() == [0.243506518, 0.101862422, 0.65463106]


def by_hand(scale=1.0):
    """Return the program ``min -x - y`` over ``x + y <= 1``, twice, once scaled, and ``x, y >= 0``: an edge is best."""
    return ConicProgram(
        cost=np.array([-1.0, -1.0]),
        rows=csr_array([[1.0, 1.0], [scale, scale]]),
        row_lower=np.full(2, -np.inf),
        row_upper=np.array([1.0, scale]),
        lower=np.zeros(2),
        upper=np.full(2, np.inf),
    )


def test_the_numbers_of_a_vertex_are_those_by_hand():
    """At (1, 0) or (0, 1) both rows are tight, and the other variable may enter at no cost."""
    vertex = vertex_of(by_hand())
    assert (vertex.basic_at_bound, vertex.zero_reduced_costs) == (1, 1)
    # [[1, 0], [1, 1]] up to the order of its columns is its own inverse but for signs: norms of 2 and 2.
    assert vertex.condition == pytest.approx(4.0)
    assert vertex_of(by_hand(1e6)).condition > 1e5 * vertex.condition


def test_a_program_without_an_optimum_has_no_vertex():
    program = replace(by_hand(), row_upper=np.full(2, np.inf))
    with pytest.raises(md.SolverError, match="no optimal vertex"):
        vertex_of(program)


def test_every_linear_program_that_is_not_large_has_its_vertex():
    for name in ("small", "hard"):
        for each in instances(name):
            program = each.posed.program
            assert (each.vertex is not None) == (program.is_linear and program.nonzeros <= MOST_NONZEROS), each.name
            if each.vertex is not None:
                assert each.vertex.condition >= 1.0
                assert 0 <= each.vertex.basic_at_bound <= program.rows.shape[0], each.name
                assert each.sizes()["condition of the basis"] == each.vertex.condition


def test_a_hard_program_is_more_degenerate_or_worse_conditioned_than_an_easy_one():
    vertices = {each.name: each.vertex for name in SETS for each in instances(name)}
    assert vertices["ldp-absolute-6-looped"].basic_at_bound > vertices["ldp-absolute-6-rays"].basic_at_bound
    assert vertices["map-random-20-pairs"].condition > 1e6 * vertices["ldp-absolute-6-pairs"].condition


#: Small questions whose optimum is said to be proved.
PROVED = [
    label
    for label, (_, _, *proved) in json.loads(OPTIMA.read_text(encoding="utf-8")).items()
    if proved and label in DRAFTS and DRAFTS[label].question.problem.n <= 8
]


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
@pytest.mark.thinned(4)
@pytest.mark.parametrize("label", PROVED)
def test_an_optimum_that_is_called_proved_has_a_proof(label):
    question = DRAFTS[label].question
    made = md.design(question.problem, question.notion, question.objective, gap=1e-11, proof=True)
    assert made.mechanism.claimed.proved


def test_the_vertex_of_a_program_with_one_optimal_basis_is_the_recorded_one():
    """Where nothing is degenerate there is one optimal basis, which every version of a solver finds."""
    kept = [each for each in instances("small") if each.vertex and each.vertex.condition < 1e6]
    unique = [each for each in kept if each.vertex.basic_at_bound == each.vertex.zero_reduced_costs == 0]
    assert unique
    for each in unique:
        found = vertex_of(each.posed.program)
        assert (found.basic_at_bound, found.zero_reduced_costs) == (0, 0)
        assert found.condition == pytest.approx(each.vertex.condition, rel=1e-6)
