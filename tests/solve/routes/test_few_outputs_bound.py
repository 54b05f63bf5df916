"""The bound over at most m outputs: sound for any tree and any multipliers, and what a file must hold to claim it."""

import json
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question
from mechdesign.files.checksums import sealed
from mechdesign.mechanism import Multipliers
from mechdesign.question import Question
from mechdesign.solve.certificate import few_outputs as leaves
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.few_outputs import LEAF, Box, Chosen, Line, Subsets, bound_over_leaves, space_of
from mechdesign.solve.programs import over_leaf as leaf_program
from mechdesign.solve.routes import few_outputs
from mechdesign.testing.few_outputs import best_of_few
from tests.helpers.few_inputs import tasks_of_few

NAMES = ["LIP, MMSE", "LIP, loss", "LIP, divergence", "TV, Fisher", "LDP, worst loss", "approximate, MMSE"]


def asked(name):
    """Return a question and the optimum of so few outputs, by the contract's own brute force."""
    task = tasks_of_few(np.random.default_rng(11))[name]
    return task, best_of_few(task)


def random_tree(space, rng, cuts):
    """Return a tree of random choices, some of them outside the region that they cut."""
    regions, nodes = [space.root], []

    def grow(region, left):
        can = not isinstance(region, Chosen) or region.open
        if left == 0 or not can:
            nodes.append((LEAF, 0.0))
            return
        if isinstance(region, Box):
            at = rng.uniform(space.low - 0.1 * (space.high - space.low), space.high)
            choice = (int(rng.integers(space.outputs)), float(at))
        else:
            choice = (int(rng.choice(region.open)), 0.0)
        nodes.append(choice)
        first, second = space.halves(region, *choice)
        grow(first, int(rng.integers(left)))
        grow(second, int(rng.integers(left)))

    grow(regions[0], cuts)
    return np.array(nodes, dtype=float)


def is_sound(task, best, bound=bound_over_leaves):
    """Raise AssertionError where a bound lies below the optimum: at the route's tree, spoilt ones and random ones."""
    rng = np.random.default_rng(5)
    space = space_of(task.notion, task.objective, task.problem, task.outputs)
    width = task.problem.n + len(task.columns.budget()) + space.extra
    found = few_outputs.ROUTE.solve(task).multipliers
    size = float(np.abs(found.leaves).max())
    scales, given = (1e-6, 1e-2, 1.0), [found]
    given += [replace(found, leaves=found.leaves + s * size * rng.normal(size=found.leaves.shape)) for s in scales]
    for cuts in (0, 1, 2, 4, *(8,) * 8):
        tree = random_tree(space, rng, cuts)
        count = int((tree[:, 0] == LEAF).sum())
        spread = size * rng.normal(size=(count, width))
        given.append(replace(found, tree=tree, leaves=spread))
        given.append(replace(found, tree=tree, leaves=0.0 * spread))
        program = leaf_program.LeafProgram(task, space, "HIGHS")
        given.append(replace(found, tree=tree, leaves=np.tile(program.over(space.root).multipliers, (count, 1))))
        regions = list(leaves.regions(space, tree))
        usable = [isinstance(region, Box) or bool(region.allowed) for region in regions]
        own = [
            program.over(region).multipliers if can else np.zeros(width)
            for region, can in zip(regions, usable, strict=True)
        ]
        given.append(replace(found, tree=tree, leaves=np.array(own)))
        for share in (-1.0, 1.0) if isinstance(space, Line) else ():
            # The best multipliers of the rows for extra ones that are any numbers.
            extra = share * size * rng.uniform(size=space.extra)
            rows = [program._over_slots(space.functionals(r, extra), r, 0.0).multipliers for r in regions]
            extras = np.tile(extra, (count, 1))
            given.append(replace(found, tree=tree, leaves=np.hstack([np.array(rows)[:, : -space.extra], extras])))
    for multipliers in given:
        reached = bound(task.notion, task.objective, task.problem, multipliers, task.outputs)
        assert reached is not None
        assert reached[0] >= best - 1e-7 * max(abs(best), 1e-3), f"the bound {reached[0]!r} lies below {best!r}"


@pytest.mark.thinned(5)
@pytest.mark.parametrize("name", NAMES)
def test_bound_is_sound_for_any_tree_and_multipliers(name):
    is_sound(*asked(name))


@pytest.mark.parametrize("name", NAMES)
def test_bound_of_the_route_is_tight_and_below_the_ordinary_one(name):
    task, best = asked(name)
    found = few_outputs.ROUTE.solve(task).multipliers
    restricted = utility_bound(task.notion, task.objective, task.problem, found, 0.0, task.outputs).utility
    scale = max(abs(task.objective.from_utility(best, task.problem)), 1e-3)
    assert restricted == pytest.approx(best, abs=2e-6 * scale)
    # Without the restriction the tree says nothing.
    alone = utility_bound(task.notion, task.objective, task.problem, found)
    plain = replace(found, tree=None, leaves=None)
    assert alone == utility_bound(task.notion, task.objective, task.problem, plain)


# Planted defects --------------------------------------------------------------------------------------------------


def strip_left_out(self, region, which, at):
    low, high = region.low.copy(), region.high.copy()
    high[: which + 1] = np.minimum(high[: which + 1], at)
    low[which:] = np.maximum(low[which:], at + 0.2 * (self.high - self.low))
    return Box(region.low, high), Box(low, region.high)


def order_the_wrong_way(self, region, which, at):
    low, high = region.low.copy(), region.high.copy()
    high[which:] = np.minimum(high[which:], at)
    low[which:] = np.maximum(low[which:], at)
    return Box(region.low, high), Box(low, region.high)


def corner_left_out(self, region, extra):
    return self.ratio.functionals(region.low)


def one_end_for_both(self, region, extra):
    a, b = self.ratio.a, self.ratio.b
    return self.ratio.chords(region.low, region.high) + np.outer(extra, a) - np.outer(extra * region.low, b)


def one_too_few(self, region, which, at):
    others = tuple(d for d in region.open if d != which)
    kept = (*region.kept, which)
    return Chosen(kept, others if len(kept) < self.outputs - 1 else ()), Chosen(region.kept, others)


def forgets_the_kept(self, region, which, at):
    others = tuple(d for d in region.open if d != which)
    return Chosen((*region.kept, which), ()), Chosen((), others or region.open[:1])


def leaf_left_out(space, tree):
    everything = list(REGIONS(space, tree))
    return [everything[0]] * len(everything)


def least_of_the_leaves(notion, objective, problem, multipliers, outputs):
    space = space_of(notion, objective, problem, outputs)
    regions = list(REGIONS(space, multipliers.tree))
    n, charged = problem.n, len(notion.columns(problem).budget())
    lam, nu, extra = np.split(multipliers.leaves, [n, n + charged], axis=1)
    priced = [(space.functionals(r, own), space.sizes(r, own)) for r, own in zip(regions, extra, strict=True)]
    nu = np.maximum(nu, 0.0)
    return min(leaves._largest(notion, problem, [each], lam[[k]], nu[[k]]) for k, each in enumerate(priced))


REGIONS = leaves.regions
DEFECTS = [
    ("approximate, MMSE", Line, "halves", strip_left_out),
    ("LIP, MMSE", Line, "halves", order_the_wrong_way),
    ("LIP, MMSE", Line, "functionals", corner_left_out),
    ("LIP, divergence", Line, "functionals", one_end_for_both),
    ("LIP, loss", Subsets, "halves", one_too_few),
    ("LIP, loss", Subsets, "halves", forgets_the_kept),
    ("LIP, MMSE", leaves, "regions", leaf_left_out),
    ("LIP, loss", leaves, "regions", leaf_left_out),
]


@pytest.mark.thinned(96)
@pytest.mark.parametrize(
    ("name", "place", "part", "wrong"), DEFECTS, ids=[f"{wrong.__name__}-{name}" for name, _, _, wrong in DEFECTS]
)
def test_a_wrong_bound_is_caught(name, place, part, wrong, monkeypatch):
    task, best = asked(name)
    is_sound(task, best)
    monkeypatch.setattr(place, part, wrong)
    with pytest.raises(AssertionError, match="lies below"):
        is_sound(task, best)


def test_the_least_of_the_leaves_is_caught():
    task, best = asked("LIP, MMSE")
    with pytest.raises(AssertionError, match="lies below"):
        is_sound(task, best, least_of_the_leaves)


# Broken trees -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["LIP, MMSE", "LIP, loss"])
def test_a_broken_tree_claims_nothing(name):
    task, _ = asked(name)
    found = few_outputs.ROUTE.solve(task).multipliers
    tree, given = found.tree, found.leaves
    broken = {
        "breaks off": replace(found, tree=tree[:-1], leaves=given[:-1]),
        "goes on": replace(found, tree=np.vstack([tree, [[LEAF, 0.0]]]), leaves=np.vstack([given, given[:1]])),
        "a leaf too few": replace(found, leaves=given[1:]),
        "a multiplier too few": replace(found, leaves=given[:, 1:]),
        "chooses what is not there": replace(found, tree=np.where(tree == tree[0, 0], 99.0, tree)),
        "no number": replace(found, tree=np.where(np.arange(tree.size).reshape(tree.shape) == 1, np.nan, tree)),
        "three numbers a node": replace(found, tree=np.hstack([tree, tree[:, :1]])),
        "no leaves": replace(found, leaves=None),
    }
    for why, multipliers in broken.items():
        said = bound_over_leaves(task.notion, task.objective, task.problem, multipliers, task.outputs)
        assert said is None, why
        fallen = utility_bound(task.notion, task.objective, task.problem, multipliers, 0.0, task.outputs).utility
        assert fallen >= best_of_few(task) - 1e-8, why


def test_a_tree_counts_for_nothing_where_decisions_are_no_number():
    problem = md.Problem(prior=[0.3, 0.7])
    multipliers = Multipliers(np.zeros(2), tree=np.array([[LEAF, 0.0]]), leaves=np.zeros((1, 2)))
    assert bound_over_leaves(md.LDP(1.0), md.MutualInformation(), problem, multipliers, 2) is None
    assert bound_over_leaves(md.UtilityOptimizedLDP(1.0, (0,)), md.ErrorProbability(), problem, multipliers, 2) is None


# Files ------------------------------------------------------------------------------------------------------------

PROBLEM = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])
OBJECTIVES = [md.MMSE(), md.ErrorProbability(), md.ExpectedLoss(1 - np.eye(3)), md.WorstCaseLoss(1 - np.eye(3))]


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.name)
def test_a_saved_design_claims_the_same(objective, tmp_path):
    made = md.design(PROBLEM, md.LIP(1.2), objective, outputs=2)
    loaded = md.load(made.mechanism.save(tmp_path / "few.json"))
    assert loaded == made.mechanism and loaded.certificate == made.mechanism.certificate
    assert loaded.question == Question(PROBLEM, md.LIP(1.2), objective, 2)
    assert "At most 2 outputs." in loaded.question.sentences()
    free = Question(PROBLEM, md.LIP(1.2), objective)
    assert loaded.question != free and not any("outputs." in line for line in free.sentences())


def edited(tmp_path, change, outputs=2):
    """Return a file of a design of few outputs, edited and sealed again."""
    path = md.design(PROBLEM, md.LIP(1.2), md.MMSE(), outputs=outputs).mechanism.save(tmp_path / "edited.json")
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(sealed(data)))
    return path


def forget_the_number(data):
    del data["question"]["outputs"]


def ask_for_fewer(data):
    data["question"]["outputs"] = 1


def ask_for_more(data):
    data["question"]["outputs"] = 3


def drop_a_leaf(data):
    data["multipliers"]["leaves"].pop()


def drop_a_node(data):
    data["multipliers"]["tree"].pop()
    data["multipliers"]["leaves"].pop()


def move_a_cut(data):
    cut = next(node for node in data["multipliers"]["tree"] if node[0] != LEAF)
    cut[1] += 0.5


def drop_the_tree(data):
    data["multipliers"]["tree"] = data["multipliers"]["leaves"] = None


def zero_outputs(data):
    data["question"]["outputs"] = 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (forget_the_number, "names the route 'few_outputs', which does not answer its question"),
        (ask_for_fewer, "has 2 outputs, its question allows 1"),
        (ask_for_more, "claims bound"),
        (drop_a_leaf, "claims bound"),
        (drop_a_node, "claims bound"),
        (move_a_cut, "claims bound"),
        (drop_the_tree, "claims bound"),
    ],
)
def test_a_file_claims_no_bound_that_does_not_follow(change, said, tmp_path):
    with pytest.raises(md.CertificateError, match=said):
        md.load(edited(tmp_path, change))


def test_a_file_that_asks_for_no_output_is_refused(tmp_path):
    with pytest.raises(md.MechdesignError, match="at least 1"):
        md.load(edited(tmp_path, zero_outputs))


def test_files_of_the_version_before_are_read(tmp_path):
    def older(data):
        data["schema_version"] = 2
        del data["multipliers"]["tree"], data["multipliers"]["leaves"]

    made = md.design(PROBLEM, md.LIP(1.2), md.MMSE())
    path = made.mechanism.save(tmp_path / "older.json")
    data = json.loads(path.read_text())
    older(data)
    path.write_text(json.dumps(sealed(data)))
    with pytest.warns(md.FileWarning, match="schema version 2"):
        assert md.load(path) == made.mechanism
    data["schema_version"] = 1
    path.write_text(json.dumps(sealed(data)))
    with pytest.raises(md.CertificateError, match="schema version 1"):
        md.load(path)


def test_question_file_carries_the_number(tmp_path):
    text = """
[problem]
prior = [0.3, 0.3, 0.4]
values = [0, 1, 2]
[notion]
name = "LIP"
epsilon = 1.2
[objective]
name = "MMSE"
[solve]
outputs = 2
"""
    (tmp_path / "few.toml").write_text(text)
    found = read_question(tmp_path / "few.toml")
    assert found.question == Question(PROBLEM, md.LIP(1.2), md.MMSE(), 2) and found.solve == {"outputs": 2}
    assert "At most 2 outputs." in found.question.sentences()
    (tmp_path / "free.toml").write_text(text.replace("outputs = 2", ""))
    assert read_question(tmp_path / "free.toml").question.outputs is None
