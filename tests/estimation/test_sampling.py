"""Reports are drawn from the operating system's randomness, to the last bit, and never from anything else."""

import os
import posix

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation import sampling
from mechdesign.testing.sampler_contract import FALSE_ALARM, chi_square_chance, rows_over

SURVEY = md.Problem(labels=["no", "rarely", "often"])
MATRIX = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
MECHANISM = md.Mechanism(MATRIX, SURVEY.labels, problem=SURVEY)


def test_a_row_that_is_off_by_a_hundredth_is_rejected(rng):
    numerators = rows_over(2**53, 1, 16, rng)
    drawn = np.bincount(sampling.sample(numerators, np.zeros(3_000_000, dtype=np.int64)), minlength=16)
    law = numerators[0] / 2.0**53
    tilted = law * (1 + 0.01 * np.where(np.arange(16) % 2, 1, -1))
    assert chi_square_chance(drawn, law) > FALSE_ALARM
    assert chi_square_chance(drawn, tilted / tilted.sum()) < FALSE_ALARM


def test_the_simulation_has_the_same_law(rng):
    drawn = np.bincount(MECHANISM.simulate(np.ones(1_000_000, dtype=int), rng, by="index"), minlength=3)
    assert chi_square_chance(drawn, MATRIX[1]) > FALSE_ALARM


def test_an_impossible_output_is_never_drawn():
    matrix = [[0.0, 1.0, 0.0], [2.0**-53, 0.0, 1 - 2.0**-53]]
    mechanism = md.Mechanism(matrix, list("abc"))
    assert set(mechanism.sample([0] * 1000).tolist()) == {1}
    # The draws at both ends of the range.
    for word, output in ((0, 0), (2**11 - 1, 0), (2**11, 2), (2**64 - 1, 2)):
        given = np.array([word], dtype="<u8").tobytes()
        assert sampling.sample(mechanism.numerators, np.array([1]), source=lambda _, given=given: given) == [output]


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)])
def test_reports_have_the_shape_of_the_records(shape):
    assert MECHANISM.sample(np.full(shape, "often")).shape == shape
    assert MECHANISM.simulate(np.full(shape, "often"), 0).shape == shape


def test_a_seed_repeats_and_the_operating_system_does_not():
    many = ["no"] * 1000
    assert np.array_equal(MECHANISM.simulate(many, 7), MECHANISM.simulate(many, 7))
    assert not np.array_equal(MECHANISM.sample(many), MECHANISM.sample(many))


def test_forked_children_draw_their_own(monkeypatch):
    # The system's own: 200 reports of two children are alike by chance once in 10^84.
    monkeypatch.setattr(os, "urandom", posix.urandom)
    MECHANISM.sample(["no"] * 100)
    seen = []
    for _ in range(4):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(write, bytes(MECHANISM.sample(["no"] * 200).astype(np.uint8)))
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as file:
            seen.append(file.read())
        os.waitpid(child, 0)
    assert all(len(drawn) == 200 for drawn in seen) and len(set(seen)) == len(seen)


@pytest.mark.parametrize(
    "source",
    [lambda wanted: bytes(wanted - 1), lambda wanted: b"", lambda wanted: bytes(wanted + 8)],
    ids=["short", "empty", "long"],
)
def test_too_few_bytes_return_nothing(source, monkeypatch):
    monkeypatch.setattr(os, "urandom", source)
    with pytest.raises(md.RandomnessError, match="nothing was sampled"):
        MECHANISM.sample(["no", "often"])


@pytest.mark.parametrize("error", [OSError("no entropy"), NotImplementedError("no source")])
def test_a_system_without_randomness_is_no_reason_for_another_generator(error, monkeypatch):
    def fails(wanted):
        raise error

    monkeypatch.setattr(os, "urandom", fails)
    with pytest.raises(md.RandomnessError, match="nothing was sampled"):
        MECHANISM.sample(["no", "often"])


def test_a_failure_in_the_middle_returns_nothing(monkeypatch):
    real, calls = os.urandom, []

    def fails_late(wanted):
        calls.append(wanted)
        if len(calls) == 3:
            raise OSError("no entropy")
        return real(wanted)

    monkeypatch.setattr(os, "urandom", fails_late)
    with pytest.raises(md.RandomnessError):
        MECHANISM.sample(np.zeros(10 * sampling.CHUNK, dtype=int), by="index")
    assert len(calls) == 3


def test_simulating_never_asks_the_operating_system(monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda wanted: b"")
    assert MECHANISM.simulate(["no"], 1).shape == (1,)


def test_records_are_matched_by_label_or_by_index():
    certain = md.Mechanism(np.eye(3), SURVEY.labels, problem=SURVEY)
    assert certain.sample(["often", "no"]).tolist() == [2, 0]
    assert certain.sample([2, 0], by="index").tolist() == [2, 0]
    assert md.Mechanism(np.eye(3), list("abc")).sample([2, 0]).tolist() == [2, 0]
    numbers = md.Mechanism(np.eye(2), list("ab"), problem=md.Problem(labels=["10", "20"]))
    assert numbers.sample([20, 10]).tolist() == [1, 0]


def test_columns_of_tables_are_records():
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    certain = md.Mechanism(np.eye(3), SURVEY.labels, problem=SURVEY)
    column = pandas.Series(["often", "no"], index=[7, 3])
    for records in (column, column.astype("category"), polars.Series(["often", "no"]), pandas.Index(["often", "no"])):
        assert certain.sample(records).tolist() == [2, 0]
    assert certain.sample(pandas.Series([2, 0], dtype="Int64"), by="index").tolist() == [2, 0]


@pytest.mark.parametrize(
    ("records", "by", "told"),
    [
        (["no", "Often", "Often", "x"], None, '"Often" \\(2 times\\), "x" \\(once\\).*did you mean "often"'),
        (["no", None], None, "records\\[1\\] is None, but nothing may be missing \\(1 of 2\\)"),
        (["no", float("nan")], None, "records\\[1\\] is nan.*missing"),
        (["no", 1], None, "numbers and texts.*one kind"),
        (["no", True], None, "texts and true or false"),
        ("yes", None, '"yes" \\(once\\)'),
        ({"no": 1}, None, "has to be a sequence"),
        ({"no", "often"}, None, "has to be a sequence"),
        (np.ma.array(["no"]), None, "masked"),
        ([0, 3, -1], "index", "records\\[1\\] is 3.*from 0 to 2 \\(2 of 3 do not\\)"),
        ([0.0, 1.0], "index", "integers.*integer type"),
        ([True], "index", "integers"),
        (["no"], "index", "integers"),
        ([0, np.nan], "index", "missing"),
        ([0, 2**70], "index", "from 0 to 2"),
        (["no"], "labels", 'by is labels.*"label" or "index"'),
    ],
)
def test_wrong_records_are_refused_in_words(records, by, told):
    with pytest.raises(md.DomainError, match=told):
        MECHANISM.sample(records, by=by)


def test_labels_need_a_problem_that_has_them():
    with pytest.raises(md.DomainError, match="no labels"):
        md.Mechanism(MATRIX, list("abc")).sample(["no"], by="label")


@pytest.mark.parametrize("seed", [-1, 1.5, None, True, "1"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(md.DomainError, match="seed"):
        MECHANISM.simulate(["no"], seed)


def test_a_matrix_that_cannot_be_drawn_from_is_refused_before_anyone_answers():
    assert md.Mechanism([[0.1, 0.9], [0.9, 0.1 + 1e-12]], list("ab")).numerators.sum(axis=1).tolist() == [1 << 53] * 2
    with pytest.raises(md.DomainError, match=r"1\.0000001, but it has to sum to 1"):
        md.Mechanism([[0.1, 0.9], [0.9, 0.1000001]], list("ab"))
    with pytest.raises(md.DomainError, match="one name for each of the 2 columns"):
        md.Mechanism(np.eye(2), list("abc"))
    with pytest.raises(md.DomainError, match="one row for each of 3 inputs"):
        md.Mechanism(np.eye(2), list("ab"), problem=SURVEY)


def test_a_design_draws_the_matrix_that_was_audited():
    design = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(1.0), md.InformationDesign("A"))
    assert np.array_equal(np.ldexp(design.mechanism.numerators.astype(float), -53), design.matrix)
    drawn = np.bincount(design.mechanism.sample([1] * 300_000), minlength=design.matrix.shape[1])
    assert chi_square_chance(drawn, design.matrix[1]) > FALSE_ALARM


def test_a_matrix_without_question_has_no_claims():
    for name in ("asked", "claimed"):
        with pytest.raises(md.UnsupportedError):
            getattr(MECHANISM, name)
    assert md.audit(MECHANISM, md.LDP(1.0)).holds


@pytest.mark.parametrize(("n", "outputs"), [(1, 33), (5, 40), (1023, 64), (1024, 64), (100, 300)])
def test_simulated_reports_of_many_outputs_are_those_that_comparing_all_gives(n, outputs, rng):
    # Mostly zeros, at both ends too: thresholds that are equal, and that are 2**53.
    numerators = np.zeros((n, outputs), dtype=np.int64)
    for row in numerators:
        places = rng.choice(outputs, 3, replace=False)
        row[places] = rng.multinomial(2**53, [0.5, 0.3, 0.2])
    inputs = rng.integers(0, n, size=(50, 400))
    found = sampling.simulate(numerators, inputs, np.random.default_rng(3))
    assert np.array_equal(found, sampling.sample(numerators, inputs, source=np.random.default_rng(3).bytes))
    assert found.shape == inputs.shape and (numerators[inputs, found] > 0).all()
