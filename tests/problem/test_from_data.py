"""Problems from data: labels are respected, nothing is dropped, and what was added is said."""

import numpy as np
import pytest

import mechdesign as md

pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")

COUNTS = {"no": 6, "rarely": 3, "often": 1}


def indexed(names, *entries):
    return pandas.Series(entries, index=list(names))


def frame(library):
    return library.DataFrame({"answer": list(COUNTS), "count": list(COUNTS.values())})


@pytest.mark.parametrize(
    "counts",
    [
        COUNTS,
        pandas.Series(COUNTS),
        pandas.Series(["no"] * 6 + ["rarely"] * 3 + ["often"]).value_counts(),
        frame(pandas),
        frame(polars),
    ],
    ids=["mapping", "series", "value_counts", "pandas", "polars"],
)
def test_counts_of_every_kind_give_one_problem(counts):
    problem = md.Problem.from_counts(counts, values={"often": 2, "no": 0, "rarely": 1}, prior_source="a survey")
    assert problem == md.Problem([0.6, 0.3, 0.1], [0, 1, 2], ["no", "rarely", "often"], prior_source="a survey")


def test_bare_counts_take_labels_in_their_order():
    for counts in ([6, 3, 1], np.array([6, 3, 1]), polars.Series([6, 3, 1]), pandas.Series([6, 3, 1])):
        problem = md.Problem.from_counts(counts, labels=["no", "rarely", "often"], values=[0, 1, 2])
        assert problem == md.Problem([0.6, 0.3, 0.1], [0, 1, 2], ["no", "rarely", "often"])
    assert md.Problem.from_counts([3, 1]).labels is None


def test_labels_set_the_order_and_values_follow_their_own():
    problem = md.Problem.from_counts(
        COUNTS, labels=["often", "rarely", "no"], values=pandas.Series([0, 1, 2], index=["no", "rarely", "often"])
    )
    assert problem == md.Problem([0.1, 0.3, 0.6], [2, 1, 0], ["often", "rarely", "no"])


def test_smoothing_is_said_and_keeps_what_nobody_answered():
    problem = md.Problem.from_counts(COUNTS, labels=[*COUNTS, "always"], smoothing=0.5, prior_source="2024")
    assert problem.prior == pytest.approx(np.array([6.5, 3.5, 1.5, 0.5]) / 12)
    assert problem.prior_source == "2024 (0.5 added to each of 4 counts, of which 1 were 0)"
    assert md.Problem.from_counts(COUNTS).prior_source is None
    assert md.Problem.from_counts(COUNTS, smoothing=1).prior_source.startswith("unknown (1 added")


@pytest.mark.parametrize(
    "records",
    [
        ["b", "a", "b", "c"],
        np.array(["b", "a", "b", "c"]),
        pandas.Series(["b", "a", "b", "c"], index=[4, 4, 1, 0]),
        polars.Series(["b", "a", "b", "c"]),
        pandas.Categorical(["b", "a", "b", "c"]),
    ],
)
def test_records_of_every_kind_give_one_problem(records):
    assert md.Problem.from_records(records) == md.Problem([0.25, 0.5, 0.25], labels=["a", "b", "c"])


def test_records_of_numbers_are_sorted_as_numbers():
    problem = md.Problem.from_records([10, 9, 10, 100], values={"9": 9, "10": 10, "100": 100})
    assert problem == md.Problem([0.25, 0.5, 0.25], [9, 10, 100], labels=["9", "10", "100"])


def test_categories_are_those_of_the_column():
    column = pandas.Series(pandas.Categorical(["b", "a", "b"], categories=["c", "b", "a"]))
    problem = md.Problem.from_records(column, smoothing=1)
    assert problem.labels == ("c", "b", "a") and problem.prior == pytest.approx([1 / 6, 3 / 6, 2 / 6])
    ordered = polars.Series(["b", "a"], dtype=polars.Enum(["b", "a"]))
    assert md.Problem.from_records(ordered).labels == ("b", "a")
    with pytest.raises(md.DomainError, match=r"1 of 3 counts are 0: c.*smoothing"):
        md.Problem.from_records(column)


@pytest.mark.parametrize("library", [None, pandas, polars])
def test_joint_tables_are_rows_of_secrets(library):
    joint = np.array([[3.0, 1.0, 2.0], [1.0, 2.0, 1.0]])
    table = joint if library is None else library.DataFrame({name: joint[:, x] for x, name in enumerate("abc")})
    problem = md.Problem.from_joint(table, values=[1, 2, 3])
    assert problem.prior == pytest.approx(joint.sum(axis=0) / 10) and problem.secrets == 2
    assert problem.data_given_secret == pytest.approx(joint / joint.sum(axis=1, keepdims=True))
    assert problem.prior_of_secret == pytest.approx([0.6, 0.4])
    assert problem.labels == (None if library is None else ("a", "b", "c"))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: md.Problem.from_counts({"a": 1, "b": None}), r"counts\[1\] is None.*missing \(1 of 2\)"),
        (lambda: md.Problem.from_counts(pandas.Series([1, np.nan, np.nan])), r"missing \(2 of 3\)"),
        (
            lambda: md.Problem.from_counts(pandas.Series([1, 2], index=["a", np.nan])),
            r"counts \(labels\)\[1\] is nan.*missing",
        ),
        (lambda: md.Problem.from_counts({"a": 1, "b": -2}), r"counts\[1\] is -2.*not negative"),
        (lambda: md.Problem.from_counts({"a": 1, "b": 0}), "1 of 2 counts are 0: b.*smoothing=0.5"),
        (lambda: md.Problem.from_counts({"a": 1, "b": "2"}), "numbers"),
        (lambda: md.Problem.from_counts(["a", "b", "a"]), "these are 3 answers; for records use Problem.from_records"),
        (lambda: md.Problem.from_counts(pandas.Series(["a", "b"], index=[4, 7])), "2 answers; for records use"),
        (lambda: md.Problem.from_counts(pandas.Series(["a", "b"], dtype="category")), "2 answers; for records use"),
        (lambda: md.Problem.from_counts(np.array([True, False])), "2 answers; for records use"),
        (lambda: md.Problem.from_counts({}), "counts"),
        (lambda: md.Problem.from_counts([1, 2], labels=["a"]), "labels is of length 1"),
        (
            lambda: md.Problem.from_counts({"a": 1, "x": 1}, labels=["a", "b"]),
            'without "x".*1 such',
        ),
        (lambda: md.Problem.from_counts({"a": 1, "b": 1}, values={"a": 1, "c": 2}), "labelled a, c, but .* has a, b;"),
        (
            lambda: md.Problem.from_counts({"a": 1, "b": 1}, values={"a": 1, "b": 2, "c": 3}),
            "labelled a, b, c, but .* has a, b;",
        ),
        (lambda: md.Problem.from_counts({"a": 1, "b": 1}, values=[1, 2, 3]), "one entry for each"),
        (lambda: md.Problem.from_counts({"a": 1}, smoothing=-1), "smoothing is -1"),
        (lambda: md.Problem.from_counts(pandas.DataFrame({"a": [1], "b": [2], "c": [3]})), "a table of 3 columns"),
        (lambda: md.Problem.from_records(["a", None, "b", None]), r"records\[1\] is None.*missing \(2 of 4\)"),
        (lambda: md.Problem.from_records(pandas.Series(["a", np.nan])), r"missing \(1 of 2\)"),
        (lambda: md.Problem.from_records([]), "records is empty"),
        (lambda: md.Problem.from_records(["a", 1]), "numbers and texts"),
        (lambda: md.Problem.from_records(["a", "z"], categories=["a", "b"]), 'without "z"'),
        (lambda: md.Problem.from_joint([[1, 0], [1, 0]]), r"table\[:, 1\] is all zero"),
        (lambda: md.Problem.from_joint([[1, 1], [0, 0]]), "every secret has to be possible"),
        (lambda: md.Problem.from_joint([[1, -1], [1, 3]]), "not negative"),
        (lambda: md.Problem.from_joint(pandas.DataFrame({"a": [1, None], "b": [1, 2]})), r"missing \(1 of 4\)"),
        (
            lambda: md.Problem(indexed("ab", 0.2, 0.8), indexed("bc", 2, 1)),
            "values is labelled b, c, but the prior has a, b;",
        ),
        (
            lambda: md.Problem(indexed("ab", 0.2, 0.8), indexed("abc", 2, 1, 3)),
            "values is labelled a, b, c, but the prior has a, b;",
        ),
        (
            lambda: md.Problem(indexed("ab", 0.2, 0.8), labels=["a", "c"]),
            "prior is labelled a, b, but the problem has a, c;",
        ),
        (
            lambda: md.Problem(indexed("aab", 0.2, 0.3, 0.5), indexed("aba", 1, 2, 3)),
            "prior .labels. is a, but names have to be distinct",
        ),
    ],
)
def test_data_that_do_not_fit_are_refused_in_words(make, told):
    with pytest.raises(md.DomainError, match=told):
        make()


def test_columns_are_aligned_by_their_index():
    prior, expected = indexed("abc", 0.2, 0.3, 0.5), md.Problem([0.2, 0.3, 0.5], [1, 2, 3], ["a", "b", "c"])
    assert md.Problem(prior, indexed("cab", 3, 1, 2)) == md.Problem(prior, indexed("abc", 1, 2, 3)) == expected
    # Labels that the index has say the order of both.
    turned = md.Problem([0.5, 0.2, 0.3], [3, 1, 2], ["c", "a", "b"])
    assert md.Problem(prior, indexed("bca", 2, 3, 1), labels=["c", "a", "b"]) == turned
    assert md.Problem(prior, [3, 1, 2], labels=["c", "a", "b"]) == turned
    assert md.Problem(values=indexed("cab", 3, 1, 2), labels=list("abc")).values.tolist() == [1, 2, 3]
    ages = pandas.Series([0.4, 0.6], index=[18, 17])
    assert md.Problem(ages, labels=["17", "18"]).prior.tolist() == [0.6, 0.4]
    # Other labels are no new names for the same inputs: a list says that its order is meant.
    with pytest.raises(md.DomainError, match=r"prior is labelled a, b, c, but the problem has x, y, z; .* a list"):
        md.Problem(prior, labels=["x", "y", "z"])
    assert md.Problem(prior.tolist(), labels=["x", "y", "z"]).prior.tolist() == [0.2, 0.3, 0.5]
    # Rows that were only counted carry no labels.
    assert md.Problem(prior, pandas.Series([1, 2, 3])) == expected
    plain = md.Problem([0.2, 0.3, 0.5], [1, 2, 3])
    assert md.Problem(polars.Series([0.2, 0.3, 0.5]), polars.Series([1, 2, 3])) == plain
    assert md.Problem(pandas.Series([0.2, 0.3, 0.5]), pandas.Series([1, 2, 3])) == plain


def test_tables_are_audited():
    matrix = [[0.75, 0.25], [0.25, 0.75]]
    for table in (pandas.DataFrame(matrix, columns=["a", "b"]), polars.DataFrame({"a": matrix[0], "b": matrix[1]})):
        assert float(md.audit(table, md.LDP(2.0))) == 1.0986122886681098


def test_no_library_of_tables_is_loaded_for_lists():
    import subprocess
    import sys

    code = (
        "import sys, mechdesign as md; md.Problem.from_counts({'a': 1, 'b': 1}); md.Problem.from_records(['a', 'b']);"
        "assert not {'pandas', 'polars', 'scipy', 'cvxpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("table", ["column", "table of pandas", "table of polars", "another Unicode form"])
def test_counts_of_one_label_are_added_up_and_that_is_said(table):
    labels, numbers = ["a", "b", "a"], [1, 2, 5]
    made = {
        "column": lambda: pandas.Series(numbers, index=labels),
        "table of pandas": lambda: pandas.DataFrame({"l": labels, "n": numbers}),
        "table of polars": lambda: polars.DataFrame({"l": labels, "n": numbers}),
        "another Unicode form": lambda: pandas.Series(numbers, index=["\u00e9", "b", "e\u0301"]),
    }[table]()
    with pytest.warns(md.DataWarning, match="3 counts are of 2 labels, .* several times: they are added up") as seen:
        assert md.Problem.from_counts(made).prior.tolist() == [0.75, 0.25]
    assert seen[0].filename == __file__
    with pytest.raises(md.DomainError):
        md.Problem.from_counts(pandas.Series([1, -1, 5], index=["a", "a", "b"]))


def test_counts_may_be_read_once():
    counts = md.Problem.from_counts([3, 1], labels=["a", "b"], values=[0, 1])
    assert md.Problem.from_counts(iter([3, 1]), labels=iter("ab"), values=(v for v in [0, 1])) == counts
    assert md.Problem.from_counts(count for count in (3, 1)).prior.tolist() == [0.75, 0.25]
    with pytest.raises(md.DomainError, match="2 answers; for records use"):
        md.Problem.from_counts(iter(["a", "b"]))
    assert md.Problem.from_records(iter(["a", "b", "a"]), categories=iter("ab")).prior == pytest.approx([2 / 3, 1 / 3])


class Counted(str):
    """A text that counts how often any of its kind is hashed or compared."""

    __slots__ = ()
    looks = 0

    def __str__(self):
        return self

    def __hash__(self):
        Counted.looks += 1
        return super().__hash__()

    def __eq__(self, other):
        Counted.looks += 1
        return super().__eq__(other)


#: What is made of many labels; the last two are refused.
OF_LABELS = {
    "records": md.Problem.from_records,
    "records of categories": lambda labels: md.Problem.from_records(labels, categories=labels[::-1]),
    "counts": lambda labels: md.Problem.from_counts(dict.fromkeys(labels, 1)),
    "counts in an order": lambda labels: md.Problem.from_counts(dict.fromkeys(labels, 1), labels=labels[::-1]),
    "values": lambda labels: md.Problem.from_counts(dict.fromkeys(labels, 1), values=dict.fromkeys(labels[::-1], 1.0)),
    "a column": lambda labels: md.Problem(prior=indexed(labels, *[1 / len(labels)] * len(labels)), labels=labels),
    "a label twice": lambda labels: md.Problem(labels=[*labels, labels[-1]]),
    "a column's label twice": lambda labels: md.Problem(
        prior=indexed([*labels, labels[-1]], *[0.5] * (len(labels) + 1)), labels=[*labels, "other"]
    ),
}


def looks_at(count, make):
    """Return how often `count` labels are hashed or compared."""
    labels = [Counted(f"label {k:04}") for k in range(count)]
    Counted.looks = 0
    try:
        made = make(labels)
    except md.DomainError:
        made = None
    looks = Counted.looks
    assert made is None or made.n == count
    return looks


@pytest.mark.parametrize("what", OF_LABELS)
def test_labels_are_looked_at_a_fixed_number_of_times_each(what):
    small, large = (looks_at(count, OF_LABELS[what]) for count in (100, 400))
    assert small >= 100
    assert large <= 4.2 * small


def test_a_quadratic_look_is_seen():
    assert looks_at(400, lambda labels: md.Problem(n=400) if labels.count("none") == 0 else None) == 400
    quadratic = [looks_at(n, lambda labels: [labels.count(each) for each in labels] and None) for n in (100, 400)]
    assert quadratic[1] > 4.2 * quadratic[0]
