"""Parts of the reader by themselves: which end of an enclosure counts, what notions allow, and edges of its lists."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.exact import dyadic
from mechdesign.question.plain_values import in_json
from mechdesign.question.question import Question
from mechdesign.testing import sized
from tests.proofs import made

EXP = reader.exp_bounds
#: Notions that have a level in an exponential, and whether their test looks at the larger and at the smaller end.
ENDS = {
    "ApproximateLDP": (True, False),
    "AsymmetricLIP": (True, True),
    "BlockLDP": (True, False),
    "BoundedPriorLIP": (True, False),
    "CentralizedIP": (True, True),
    "InteriorPML": (True, False),
    "LDP": (True, False),
    "LIP": (True, True),
    "MaxLift": (True, False),
    "MaximalLeakage": (True, False),
    "MetricDP": (True, False),
    "ProfileDP": (True, False),
    "UtilityOptimizedLDP": (True, False),
    "WorstCaseLIP": (True, False),
}
#: Under these the optimum for a divergence may be far from an end: another utility is at both.
BINDING = {"ApproximateLDP": "HammingLoss", "MaximalLeakage": "HammingLoss", "CentralizedIP": "RenyiDivergence"}
WIDENED = {"larger": (1, 2), "smaller": (Fraction(1, 2), 1)}


def parts_of(data):
    given = data["question"]["notion"]
    world = reader.World(data["question"]["problem"], given)
    return world, reader.notions_of(given, world)


def asked(problem, notion, objective):
    """Return what a file says of a question."""
    return {"question": in_json(Question(problem, notion, objective).to_dict())}


@pytest.mark.parametrize("end", WIDENED)
@pytest.mark.parametrize("notion", ENDS)
def test_each_end_counts_where_it_makes_the_claim_weaker(notion, end, monkeypatch):
    """An enclosure that is widened on one side refuses the matrix or the rows exactly where that side counts."""
    data = made.data(notion, BINDING.get(notion, "KLDivergence"))
    low, high = WIDENED[end]
    monkeypatch.setattr(reader, "exp_bounds", lambda x: (EXP(x)[0] * low, EXP(x)[1] * high) if x else EXP(x))
    world, parts = parts_of(data)
    objective = reader.objective_of(data["question"]["objective"], data["proof"], world)
    seen = [world.seen(column) for column in reader.columns_of(data)]
    assert all(one.private(seen) for one in parts) == (end == "larger")
    refused = False
    try:
        before = sum(map(reader.number, data["proof"]["rows"]))
        refused = reader.most_utility(data["proof"], parts, world, objective) > before + abs(before) / 2
    except reader.Unproved:
        refused = True
    assert refused == ENDS[notion][list(WIDENED).index(end)]


@pytest.mark.parametrize("notion", [*made.BY_FORMULA, *made.BY_NUMBERS])
def test_matrices_are_private_where_the_package_finds_them_private(notion):
    """A millionth above the level of a random matrix, and a millionth below."""
    rng = np.random.default_rng(5)
    n = 2 if notion == "WeightedTV" else 5
    problem, given, useful = sized.some_pair(notion, "KLDivergence", n, rng)
    inputs = given.inputs(problem)
    for _ in range(6):
        drawn = np.round(2**20 * (0.15 + 0.4 * rng.dirichlet(np.ones(4), size=inputs.n))) / 2**20
        drawn[:, 0] += 1.0 - drawn.sum(axis=1)
        level, least = given.level(drawn, inputs).value, given.columns(inputs).least_level
        for share, private in ((1 + 1e-6, True), (1 - 1e-6, False)):
            if level * share < least or level == 0:
                continue
            near = given.at(level * share)
            world, (one,) = parts_of(asked(problem, near, useful))
            assert near.holds_exactly(dyadic(drawn), inputs) == private
            assert one.private([world.seen(list(map(Fraction, column))) for column in drawn.T]) == private


@pytest.mark.parametrize("name", ["LDP", "LIP", "MaxLift", "AsymmetricLIP", "infinite", "none below"])
def test_formulas_allow_what_no_extreme_column_refuses(name):
    notion = {
        "LDP": md.LDP(0.8),
        "LIP": md.LIP(0.8),
        "MaxLift": md.MaxLift(0.8),
        "AsymmetricLIP": md.AsymmetricLIP(0.4, 1.1),
        "infinite": md.AsymmetricLIP(0.4, math.inf),
        "none below": md.AsymmetricLIP(math.inf, 0.7),
    }[name]
    rng = np.random.default_rng(3)
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)))
    columns = notion.columns(problem).rays().columns
    _, (one,) = parts_of(asked(problem, notion, md.ErrorProbability()))
    for functional in rng.normal(size=(60, 5)):
        # On the slice of mass one the least value is 0 up to a millionth on either side.
        least = float((functional @ columns / (problem.prior @ columns)).min())
        for moved in (1e-6, -1e-6):
            w = [Fraction(each) for each in functional - (least - moved) * problem.prior]
            assert one.allowed(w, [], {}) == (moved > 0)


def box(k=3):
    notion = {"name": "BoundedPriorLIP", "epsilon": 0.5, "lower": [0.1] * k, "upper": [0.6] * k}
    return reader.Box(notion, reader.World({"n": k}, {}))


def test_a_box_gives_as_much_as_it_can_to_the_largest():
    s = [Fraction(each) for each in (5, 1, 3)]
    least, most = Fraction(0.1), Fraction(0.6)
    one, first, second = box(), most - least, 1 - 3 * least - (most - least)
    assert reader.most_in(one.box, s) == 9 * least + 5 * first + 3 * second
    assert -reader.most_in(one.box, [-each for each in s]) == 9 * least + 1 * first + 3 * second


TENTHS = [Fraction(each, 10) for each in range(11)]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ((3, 3, 4), (3, 3, 4)),
        ((10, 0, 0), (6, 2, 2)),
        ((0, 0, 10), (2, 2, 6)),
        ((0, 10, 0), (3, 5, 2)),
        ((4, 4, 2), (4, 4, 2)),
    ],
)
def test_weights_are_moved_into_a_box(given, found):
    bounds = [TENTHS[2]] * 3, [TENTHS[each] for each in (6, 5, 9)]
    moved = reader.moved_into(bounds, [TENTHS[each] for each in given])
    assert sum(moved) == 1 and all(low <= p <= high for low, p, high in zip(bounds[0], moved, bounds[1], strict=True))
    assert moved == [TENTHS[each] for each in found]


@pytest.mark.parametrize(
    ("lower", "upper"),
    [((5, 5, 1), (6, 6, 6)), ((0, 0, 0), (3, 3, 3)), ((-1, 5, 1), (6, 6, 6)), ((3, 1, 1), (2, 9, 9))],
)
def test_a_box_without_a_distribution(lower, upper):
    with pytest.raises(reader.Unreadable, match="holds no distribution"):
        reader.box_of([Fraction(each, 10) for each in lower], [Fraction(each, 10) for each in upper])


def test_records_give_their_sum_the_convolution_of_their_priors():
    priors = [[0.25, 0.75], [0.5, 0.25, 0.25]]
    world = reader.World({"n": 4}, {"name": "CentralizedIP", "epsilon": 1.0, "priors": priors})
    assert world.secret_prior == [Fraction(each, 8) for each in (1, 3, 2, 1, 1)]
    assert world.channel[0] == [Fraction(each, 4) for each in (2, 1, 1, 0)]
    assert world.channel[1] == [Fraction(each, 4) for each in (0, 2, 1, 1)]
    assert world.channel[2] == [Fraction(each, 4) for each in (1, 3, 0, 0)]
    assert world.channel[4] == [Fraction(each, 4) for each in (0, 0, 1, 3)]
    assert world.prior == [Fraction(each, 16) for each in (2, 7, 4, 3)]


@pytest.mark.parametrize(("n", "count"), [(3, 3), (5, 3), (501, 500), (1, 0)])
def test_records_of_other_sums(n, count):
    with pytest.raises(reader.Unreadable, match=r"other sums|so many records"):
        reader.World({"n": n}, {"name": "CentralizedIP", "priors": [[0.5, 0.5]] * count})


def test_the_prior_of_inputs_that_profiles_make():
    profiles = {"name": "ProfileDP", "profiles": [[0.5, 0.5], [0.25, 0.75]], "profile_prior": [0.25, 0.75]}
    seen = reader.World({"n": 2, "values": [1.0, 5.0], "prior": [5 / 16, 11 / 16]}, profiles)
    assert seen.prior == [Fraction(each, 16) for each in (2, 2, 3, 9)] and seen.values == [1, 5, 1, 5]
    assert (seen.n, seen.data) == (4, 2)
    blind = reader.World({"n": 2, "values": [1.0, 5.0]}, {**profiles, "sees_profile": False})
    assert blind.prior == [Fraction(each, 16) for each in (5, 11)] and blind.values == [1, 5]
    given = {
        "n": 4,
        "data_of_input": [0, 1, 0, 1],
        "data_given_secret": [[0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.25, 0.75]],
        "secret_prior": [0.25, 0.75],
    }
    assert reader.World({**given, "values": [1.0, 5.0, 1.0, 5.0]}, profiles).values == [1, 5, 1, 5]
    assert reader.World({**given, "prior": [2 / 16, 2 / 16, 3 / 16, 9 / 16]}, profiles).prior == seen.prior
    assert reader.World({"n": 2}, {**profiles, "profile_prior": None}).prior is None
    with pytest.raises(reader.Unreadable, match="several values"):
        reader.World({**given, "values": [1.0, 5.0, 1.0, 6.0]}, profiles)
    for name, wrong in (
        ("prior", [0.25] * 4),
        ("data_of_input", [0, 1, 1, 0]),
        ("secret_prior", [0.5, 0.5]),
        ("data_given_secret", [[0.25, 0.75, 0.0, 0.0], [0.0, 0.0, 0.25, 0.75]]),
    ):
        with pytest.raises(reader.Unreadable, match=r"prior is not|other inputs|another secret"):
            reader.World({**given, name: wrong}, profiles)
    with pytest.raises(reader.Unreadable, match="prior is not the one"):
        reader.World({"n": 2, "prior": [0.5, 0.5]}, profiles)
    with pytest.raises(reader.Unreadable, match="of another length"):
        reader.World({"n": 2}, {**profiles, "profile_prior": []})
    with pytest.raises(reader.Unreadable, match="other inputs"):
        reader.World({"n": 4}, {**profiles, "sees_profile": False})
    with pytest.raises(reader.Unreadable, match="other inputs"):
        reader.World({"n": 4}, profiles)
    with pytest.raises(reader.Uncovered, match="many inputs"):
        reader.World({"n": 2}, {"name": "ProfileDP", "profiles": [[0.5, 0.5]] * 500})


@pytest.mark.parametrize("name", ["HistogramMMSE", "LeakageLoss", "MutualInformation"])
def test_data_that_several_inputs_carry_are_not_covered(name):
    profiles = {"name": "ProfileDP", "profiles": [[0.5, 0.5], [0.25, 0.75]], "profile_prior": [0.25, 0.75]}
    with pytest.raises(reader.Unreadable, match="data that several inputs carry"):
        reader.objective_of({"name": name}, {}, reader.World({"n": 2}, profiles))


def test_a_box_allows_what_is_nowhere_negative_without_numbers():
    assert box().allowed([Fraction(0)] * 3, [], {})
    assert not box().allowed([Fraction(0), Fraction(0), Fraction(-1, 10**9)], [], {})


BOXED = {"a": [1, 0, 0], "b": [1, 0, 0], "p": [0.5, 0.3125, 0.1875], "q": [0.5, 0.25, 0.25]}


@pytest.mark.parametrize(
    ("wrong", "holds"),
    [
        ({}, True),
        ({"q": [0.7, 0.1, 0.1]}, False),
        ({"q": [0.5, 0.5, 0.5]}, False),
        ({"q": [1.0, -0.5, 0.0]}, False),
        ({"p": [0.5, 0.5, 0.05]}, False),
        ({"p": [0.25, 0.25, 0.25]}, False),
        ({"p": [0.75, 0.125, 0.125]}, False),
        ({"a": [2, -1, 0]}, False),
        ({"b": [2, -1, 0]}, False),
    ],
)
def test_each_rule_of_a_box_counts(wrong, holds):
    """The functional is just what the numbers show: below it nothing is shown, and no number may leave its range."""
    one, numbers = box(), {name: list(map(Fraction, each)) for name, each in (BOXED | wrong).items()}
    high = EXP(one.epsilon)[1]
    a, b, p, q = (numbers[name] for name in "abpq")
    w = [high * (p[i] + b[i]) - a[i] - q[i] for i in range(3)]
    own = dict(enumerate(a + b + p + q))
    assert one.allowed(w, [], own) == holds
    assert not one.allowed([w[0] - Fraction(1, 10**9), *w[1:]], [], own)


@pytest.mark.parametrize("weight", [-0.5, 0.0, 1.0, 1.5])
def test_a_weight_lies_between_0_and_1(weight):
    with pytest.raises(reader.Unreadable, match="between 0 and 1"):
        reader.notion_form({"name": "WeightedTV", "weight": weight, "delta": 0.5})


@pytest.mark.parametrize("charge", [0.3, 2.0])
def test_information_is_charged_by_the_inequality_of_gibbs(charge):
    """Where ``w_i = -nu p_i ln r_i`` and ``sum p_i r_i = 1`` the least is 0: a millionth above it is allowed."""
    prior, lifts = [0.2, 0.3, 0.5], [2.0, 0.5, 0.9]
    world = reader.World({"n": 3, "prior": prior}, {})
    one = reader.Information({"name": "MutualInformationPrivacy", "epsilon": 0.5}, world)
    assert sum(p * r for p, r in zip(prior, lifts, strict=True)) == 1.0
    for moved in (1e-6, -1e-6):
        w = [Fraction(-charge * p * math.log(r) + moved * p) for p, r in zip(prior, lifts, strict=True)]
        assert one.allowed(w, [Fraction(charge)], {}) == (moved > 0)
    assert one.allowed([Fraction(0)] * 3, [Fraction(0)], {})
    assert not one.allowed([Fraction(0), Fraction(0), Fraction(-1, 10**9)], [Fraction(0)], {})


@pytest.mark.parametrize("charge", [0.3, 2.0])
@pytest.mark.parametrize("order", [1.5, 2.0, 20.0])
def test_a_norm_is_charged_by_the_inequality_of_hoelder(order, charge):
    """Where ``w_i = nu p_i (1 - u_i)`` and u has the dual norm 1 the least is 0: a millionth above it is allowed."""
    prior, dual = [0.2, 0.3, 0.5], order / (order - 1)
    world = reader.World({"n": 3, "prior": prior}, {})
    one = reader.Norms({"name": "SibsonLeakage", "epsilon": 0.5, "alpha": order}, world)
    u = np.array([2.0, 0.5, 0.9])
    u /= (prior @ u**dual) ** (1 / dual)
    for moved in (1e-6, -1e-6):
        w = [Fraction(charge * p * (1 - each) + moved * p) for p, each in zip(prior, u.tolist(), strict=True)]
        assert one.allowed(w, [Fraction(charge)], {}) == (moved > 0)
    assert one.allowed([Fraction(0)] * 3, [Fraction(0)], {})
    assert not one.allowed([Fraction(0), Fraction(0), Fraction(-1, 10**9)], [Fraction(0)], {})
    # Next to nothing is charged, so that what is left would be a power beyond all numbers.
    assert not one.allowed([Fraction(-1)] * 3, [Fraction(1, 10**300)], {})


def test_actions_make_up_for_a_functional_up_to_their_charge():
    world = reader.World({"n": 2, "prior": [0.25, 0.75]}, {})
    one = reader.Gains({"name": "GLeakage", "epsilon": 0.5, "gain": [[4.0, 0.0], [0.0, 4.0]]}, world)
    half = Fraction(1, 2)
    # The actions earn (1, 0) and (0, 3) of a column.
    assert one.least == 3 and one.allowed([-half, -3 * half], [Fraction(1)], {0: half, 1: half})
    for w, own in (
        ([-half, -3 * half - Fraction(1, 10**9)], {0: half, 1: half}),
        ([-half, -3 * half], {0: half, 1: half + Fraction(1, 10**9)}),
        ([-half, 3 * half], {0: Fraction(2), 1: Fraction(-1)}),
        ([half, half], {2: half}),
    ):
        assert not one.allowed(w, [Fraction(1)], own)


@pytest.mark.parametrize("gain", [[[0.0, 0.0]], [[1.0, -1.0]], [], [[1.0]]])
def test_what_is_no_gain_is_unreadable(gain):
    world, notion = (
        reader.World({"n": 2, "prior": [0.25, 0.75]}, {}),
        {"name": "GLeakage", "epsilon": 0.5, "gain": gain},
    )
    with pytest.raises(reader.Unreadable):
        reader.notion_form(notion) or reader.Gains(notion, world)


@pytest.mark.parametrize("alpha", [1.0, 101.0, -2.0, "inf"])
def test_what_is_no_order_is_unreadable(alpha):
    with pytest.raises(reader.Unreadable):
        reader.notion_form({"name": "SibsonLeakage", "epsilon": 0.5, "alpha": alpha})


def test_losses_are_repeated_for_each_profile():
    profiles = {"name": "ProfileDP", "epsilon": 1.0, "profiles": [[0.5, 0.5]] * 3, "edges": []}
    world = reader.World({"n": 2}, profiles)
    loss = [[Fraction(1), Fraction(2)], [Fraction(3), Fraction(4)]]
    alone = [[Fraction(x == k) for x in range(6)] for k in range(6)]
    found = reader.of_loss(loss, alone, world).pieces
    assert found == [[(x, 0, loss[x % 2][0]), (x, 1, loss[x % 2][1])] for x in range(6)]


@pytest.mark.parametrize(
    ("delta", "taken"), [(0.3, False), (0.5 - 1.1e-12, False), (0.5 - 0.9e-12, True), (0.5 - 1e-16, True), (0.6, True)]
)
def test_a_delta_that_no_mechanism_has_is_refused(delta, taken):
    notion = {"name": "WeightedTV", "weight": 0.25, "delta": delta}
    world = reader.World({"n": 2}, {})
    if taken:
        assert reader.TwoInputs(notion, world).limits == (max(Fraction(delta), Fraction(1, 2)),)
    else:
        with pytest.raises(reader.Unreadable, match="a delta that some mechanism has"):
            reader.TwoInputs(notion, world)


@pytest.mark.parametrize("index", [-1, 3, 7, 1.0, True])
def test_an_index_there_is_none_of(index):
    with pytest.raises(reader.Unreadable, match="names an index"):
        reader.indices([0, index], 3)


@pytest.mark.parametrize(
    "line", [[0, 0, 0], [0, 0, 0, 1.0, 2.0], [-1, 0, 0, 1.0], [0, -1, 0, 1.0], [0, 0, -1, 1.0], [0, 0, 0.0, 1.0], 7]
)
def test_a_line_of_own_numbers_of_another_form(line):
    with pytest.raises(reader.Unreadable, match="another form"):
        reader.own_numbers({"own": [line]}, 2)


@pytest.mark.parametrize("lines", [[[0, 2, 0, 1.0]], [[0, 1, 3, 1.0], [0, 1, 3, 1.0]]])
def test_own_numbers_that_are_there_twice_or_for_no_notion(lines):
    with pytest.raises(reader.Unreadable, match="twice, or for no notion"):
        reader.own_numbers({"own": lines}, 2)


def test_own_numbers_are_found_by_their_places():
    assert reader.own_numbers({"own": [[0, 1, 3, 0.5], [0, 1, 4, 0.25]]}, 2) == {
        (0, 1): {3: Fraction(1, 2), 4: Fraction(1, 4)}
    }
    assert reader.own_numbers({}, 2) == {}


@pytest.mark.parametrize("count", [0, 1, 3])
def test_as_many_functionals_of_the_secrets_as_notions(count):
    world = reader.World({"n": 2}, {})
    with pytest.raises(reader.Unreadable, match="missing for some notion"):
        reader.below([Fraction(1)] * 2, [[0.0, 0.0]] * count, 2, world)


def test_functionals_of_the_secrets_add_up_to_no_more():
    world = reader.World({"n": 2}, {})
    assert reader.below([Fraction(1)] * 2, [[0.5, 0.75], [0.5, 0.25]], 2, world) == [
        [Fraction(1, 2), Fraction(3, 4)],
        [Fraction(1, 2), Fraction(1, 4)],
    ]
    with pytest.raises(reader.Unproved, match="more than the rows leave"):
        reader.below([Fraction(1)] * 2, [[0.5, 0.75], [0.5, 0.5]], 2, world)


def test_many_functionals_are_refused_before_they_take_long(monkeypatch):
    data = made.data("LIP", "HammingLoss")
    monkeypatch.setattr(reader, "LARGEST_MATRIX", 4)
    world, parts = parts_of(data)
    objective = reader.Decisions([[(x, x, Fraction(9)) for x in range(5)]], 5, 5)
    with pytest.raises(reader.Unreadable, match="more functionals"):
        reader.most_utility(data["proof"], parts, world, objective)
