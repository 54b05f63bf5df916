"""The reader's limits: what just meets one is taken, and what passes it by as little as can be is refused."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

import mechdesign_check as reader
from tests.proofs import made

EVEN = [0.25] * 4
LINE = [[float(abs(i - j)) for j in range(4)] for i in range(4)]
TWO = [[0.5, 0.25, 0.25, 0.0], [0.0, 0.25, 0.25, 0.5]]


def world(n=4, notion=None, **parts):
    return reader.World({"n": n, **parts}, notion or {})


def listed(name, hidden=None, **given):
    """List the extreme columns of a notion."""
    at = world(prior=EVEN, **({} if hidden is None else {"secret_given_data": hidden}))
    return reader.extremes(reader.notions_of({"name": name, **given}, at), at, False)


def asked(name, n, **given):
    at = SimpleNamespace(n=n, data=n, prior=[Fraction(1, n)] * n, values=[Fraction(1)] * n)
    return reader.objective_of({"name": name, **given}, {}, at)


def chords(count):
    ratio = reader.RatioType([Fraction(1)], [Fraction(1)], reader.square)
    return list(ratio.functionals({"ends": list(range(count))}))


def functionals():
    """Read a proof of rows that are above five functionals, of which the last one is the fourth after the first."""
    at = world(5, prior=[0.2] * 5)
    objective = reader.Decisions([[(x, x, Fraction(1)) for x in range(5)]], 5, 5)
    return reader.most_utility({"rows": [1.0] * 5}, [lip(at)], at, objective)


def lip(at):
    return reader.notions_of({"name": "LIP", "epsilon": 1.0}, at)[0]


def of_two_outputs():
    halves = [[reader.ONE // 2] * 2] * 5
    return made.changed(made.data("LIP", "MMSE"), numerators=lambda _: halves, outputs=lambda _: ["a", "b"])


RECORDS = {"name": "CentralizedIP", "priors": [[0.5, 0.5], [0.25, 0.75]]}
PROFILES = {"name": "ProfileDP", "profiles": [[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]]}
#: By what they limit: the name of the limit, the least value of it that takes the question, and the question.
COUNTED = {
    "entries of a matrix": ("LARGEST_MATRIX", 10, lambda: reader.require_forms(of_two_outputs())),
    "what each secret sees": ("LARGEST_MATRIX", 8, lambda: world(data_given_secret=TWO)),
    "posteriors": ("LARGEST_MATRIX", 8, lambda: world(prior=EVEN, secret_given_data=TWO_OF_FOUR)),
    "profiles": ("LARGEST_MATRIX", 18, lambda: world(2, PROFILES)),
    "profiles that are not seen": ("LARGEST_MATRIX", 6, lambda: world(2, {**PROFILES, "sees_profile": False})),
    "sums of records": ("LARGEST_MATRIX", 9, lambda: world(3, RECORDS)),
    # Two records of different priors, three inputs, and integers of 1 and 2 bits.
    "bits of records": ("MOST_BITS", 2 * 2 * 3 * (1 + 2), lambda: world(3, RECORDS)),
    "pairs of secrets": (
        "MOST_PAIRS",
        16,
        lambda: reader.notions_of({"name": "ApproximateLDP", "epsilon": 1.0, "delta": 0.1}, world()),
    ),
    "chords": ("MOST_CHORDS", 7, lambda: chords(7)),
    "functionals": ("LARGEST_MATRIX", 4 * 5, functionals),
    "sets": ("MOST_SETS", 16, lambda: listed("LDP", epsilon=1.0)),
    "numbers of columns": ("MOST_NUMBERS", 64, lambda: listed("LIP", epsilon=1.0)),
    "numbers of a secret": ("MOST_NUMBERS", 16, lambda: listed("LIP", TWO_OF_FOUR, epsilon=1.0)),
    "losses": ("LARGEST_MATRIX", 16, lambda: asked("HammingLoss", 4)),
    "numbers of an objective": ("MOST_NUMBERS", 128, lambda: asked("HammingLoss", 4)),
    "numbers of lines": ("MOST_NUMBERS", 128, lambda: asked("HistogramMMSE", 4)),
    "losses of priors": (
        "LARGEST_MATRIX",
        16,
        lambda: reader.of_loss(
            [[Fraction(1)] * 4] * 4, [[Fraction(x == k) for x in range(4)] for k in range(4)], world()
        ),
    ),
    "a level": ("LARGEST_LEVEL", 3, lambda: reader.level(3.0)),
    "an exponent": ("LARGEST_LEVEL", 3, lambda: reader.exp_bounds(Fraction(3))),
    "a negative exponent": ("LARGEST_LEVEL", 3, lambda: reader.exp_bounds(Fraction(-3))),
}
TWO_OF_FOUR = [[0.5, 0.25, 0.25, 0.125], [0.5, 0.75, 0.75, 0.875]]


@pytest.mark.parametrize("name", COUNTED)
def test_what_meets_a_limit_is_taken_and_no_more(name, monkeypatch):
    limit, count, question = COUNTED[name]
    monkeypatch.setattr(reader, limit, count)
    reader.exp_bounds.cache_clear()
    question()
    monkeypatch.setattr(reader, limit, count - 1)
    reader.exp_bounds.cache_clear()
    with pytest.raises(reader.Unreadable):
        question()


def test_a_file_may_have_16_mb(tmp_path):
    path = tmp_path / "a.json"
    path.write_bytes(b"{}" + b" " * ((16 << 20) - 2))
    assert reader.read(path) == {}
    path.write_bytes(b"{}" + b" " * ((16 << 20) - 1))
    with pytest.raises(reader.Unreadable, match="larger than 16 MB"):
        reader.read(path)


@pytest.mark.parametrize(
    ("question", "largest"),
    [
        pytest.param(lambda n: asked("HammingLoss", n), 500, id="losses"),
        pytest.param(lambda n: asked("ErrorProbability", n), 500, id="decisions"),
        pytest.param(lambda n: reader.World({"n": 500, "data_given_secret": [[1.0] * 500] * n}, {}), 500, id="secrets"),
        pytest.param(lambda n: asked("MutualInformation", n), 1936, id="inputs"),
        pytest.param(lambda level: reader.level(float(level)), 5000, id="levels"),
        pytest.param(reader.exp_bounds, 5000, id="exponents"),
        pytest.param(chords, 5000, id="chords"),
        pytest.param(lambda count: reader.limited(count, reader.MOST_PAIRS), 1_000_000, id="pairs"),
        pytest.param(lambda count: reader.limited(count, reader.MOST_SETS), 5000, id="sets"),
    ],
)
def test_limits_are_as_large_as_the_package_needs(question, largest):
    question(largest)
    with pytest.raises(reader.Unreadable):
        question(largest + 1)


def test_information_asks_for_no_larger_exponent():
    """Of w_i below -5000 nu prior_i no multiple is looked at: the least there is below 0."""
    at = world(2, prior=[0.5, 0.5])
    one = reader.notions_of({"name": "MutualInformationPrivacy", "epsilon": 1.0}, at)[0]
    most, nu = Fraction(reader.LARGEST_LEVEL), [Fraction(2)]
    assert one.allowed([Fraction(0), most], nu, {}) and one.allowed([Fraction(0), 2 * most], nu, {})
    assert not one.allowed([-most, most], nu, {}) and not one.allowed([-most - 1, most], nu, {})


def test_a_pair_at_the_largest_level_counts():
    near = {"name": "MetricDP", "epsilon": 2500.0, "distance": LINE}
    one = reader.notions_of(near, world())[0]
    assert set(one.bounded) == {(i, j) for i in range(4) for j in range(4) if 0 < abs(i - j) <= 2}
    assert one.ratios[0, 3] == one.ratios[0, 2] == reader.exp_bounds(Fraction(5000))


def notion(name, **given):
    return reader.notions_of({"name": name, **given}, world(prior=EVEN))[0]


def worst(sums):
    at, loss = world(), [[0.0, 1.0, 1.0, 1.0]] * 4
    priors = [[each / 4] * 4 for each in sums]
    return reader.worst_case("WorstCaseLoss", {"loss": loss, "priors": priors}, at)


#: A tolerance that sums of doubles can meet.
CLOSE = 2.0**-30


@pytest.mark.parametrize(
    "taken",
    [
        pytest.param(lambda e: reader.distribution(reader.SHARE)([0.5, 0.5 + e]), id="a distribution"),
        pytest.param(lambda e: reader.distribution(reader.SHARE)([0.5, 0.5 - e]), id="a distribution of less"),
        pytest.param(lambda e: reader.change([1.0 + e, e - 1.0]), id="a direction"),
        pytest.param(lambda e: reader.change([1.0 - e, -1.0 - e]), id="a direction of less"),
        pytest.param(lambda e: notion("InteriorPML", epsilon=1.0, c=0.25 + e / 4), id="a least probability"),
        pytest.param(lambda e: world(prior=EVEN).require_prior([Fraction(1, 4) - Fraction(e)] * 4), id="a prior"),
        pytest.param(lambda e: box([0.25 + e] * 2 + [0.0] * 2, [0.5] * 4), id="a prior below the box"),
        pytest.param(lambda e: box([0.0] * 4, [0.25 - e] * 2 + [0.5] * 2), id="a prior above the box"),
        pytest.param(lambda e: worst([1.0, 1.0 + e]), id="priors of more"),
        pytest.param(lambda e: worst([1.0 - e, 1.0]), id="priors of less"),
    ],
)
def test_what_is_nearly_right_is_taken_up_to_a_tolerance(taken, monkeypatch):
    monkeypatch.setattr(reader, "CLOSE", CLOSE)
    taken(CLOSE)
    with pytest.raises(reader.Unreadable):
        taken(CLOSE * 1.0001)


def box(lower, upper):
    return notion("BoundedPriorLIP", epsilon=1.0, lower=lower, upper=upper)


def test_two_rows_that_are_further_from_1_are_a_box(monkeypatch):
    monkeypatch.setattr(reader, "CLOSE", CLOSE)
    assert worst([1.0 - CLOSE, 1.0 + CLOSE]).box is None
    low, high = Fraction(1 - 2 * CLOSE) / 4, Fraction(1 + 2 * CLOSE) / 4
    assert worst([1.0 - 2 * CLOSE, 1.0 + 2 * CLOSE]).box == ([low] * 4, [high] * 4)
    for sums in ([1.0 - 2 * CLOSE, 1.0 + CLOSE], [1.0 - CLOSE, 1.0 + 2 * CLOSE], [1.0 + 2 * CLOSE, 1.0 - 2 * CLOSE]):
        with pytest.raises(reader.Unreadable, match="neither distributions"):
            worst(sums)


def test_indices_from_257_on_are_compared_by_their_values():
    """CPython has one object for each integer up to 256."""
    n = 300
    at = world(n, prior=[1 / n] * n, labels=[str(x) for x in range(n)])
    reader.names([str(x) for x in range(n)])
    reader.disjoint_blocks([list(range(n))])
    reader.distances([[float(i != j) for j in range(n)] for i in range(n)])
    block = reader.notions_of({"name": "BlockLDP", "epsilon": 1.0, "blocks": [[0, 299]]}, at)[0]
    rows = block.rows(n)
    assert [[x for x, entry in enumerate(row) if entry] for row in rows] == [[0, 299]] * 2
    assert rows[0][0] == -1 and rows[0][299] == block.ratio
    lifts = lip(at).rows(n)
    assert all(lifts[x][x] == lifts[0][0] and lifts[n + x][x] == lifts[n][0] for x in range(n))
    assert len(reader.notions_of({"name": "ApproximateLDP", "epsilon": 1.0, "delta": 0.5}, at)[0].pairs) == n * (n - 1)
    apart = [[float(i != j) for j in range(n)] for i in range(n)]
    near = reader.notions_of({"name": "MetricDP", "epsilon": 1.0, "distance": apart}, at)[0]
    assert len(near.nats) == n * (n - 1)


def test_files_are_read_up_to_their_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "LARGEST_FILE", 64)
    path = tmp_path / "a.json"
    path.write_text('{"a": "' + "b" * 55 + '"}')
    assert path.stat().st_size == 64 and reader.read(path) == {"a": "b" * 55}
    path.write_text('{"a": "' + "b" * 56 + '"}')
    with pytest.raises(reader.Unreadable, match="larger than"):
        reader.read(path)


def test_losses_that_no_prior_counts_are_not_too_many():
    n = 64
    world = reader.World({"n": n}, {})
    loss = [[Fraction(1)] * n] * n
    alone = [[Fraction(x == k) for x in range(n)] for k in range(n)]
    assert len(reader.of_loss(loss, alone, world).pieces) == n
    with pytest.raises(reader.Unreadable, match="more losses"):
        reader.of_loss(loss, [[Fraction(1, n)] * n] * n, world)
