"""Labels decide, and never positions: every array that a public function takes is matched by the labels it carries."""

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mechdesign as md
from mechdesign.estimation import (
    Difference,
    Estimate,
    Functional,
    GroupedEstimate,
    Posterior,
    Prediction,
    Quantile,
    Ratio,
    Regression,
)
from mechdesign.parameters.by_label import in_order_of_problem

LABELS = ("a", "b", "c")
TURNED = ("c", "a", "b")
PEOPLE = md.Problem(prior=[0.7, 0.2, 0.1], values=[0, 1, 5], labels=LABELS)
PLAIN = md.Problem(labels=LABELS)
Q = np.array([[0.75, 0.125, 0.125], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625]])
MADE = md.Mechanism(Q, LABELS, problem=PEOPLE)
ANSWER = MADE.estimate(counts=[30, 20, 15])
QUERIES = ANSWER.queries(pd.DataFrame(np.eye(3), index=LABELS, columns=LABELS))
OTHER = MADE.estimate(counts=[10, 20, 15])
REPORTS = [0, 1, 2, 1, 0, 0, 2, 1]
WEIGHTED = MADE.estimate(REPORTS, weights=[1, 2, 1, 1, 3, 1, 1, 1])
METRIC = np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 4.0], [5.0, 4.0, 0.0]])
SHARES, NUMBERS = np.array([0.5, 0.3, 0.2]), np.array([0.0, 1.0, 5.0])
SPLIT = md.split_budget({"x": md.Problem(n=2), "y": md.Problem(n=3)}, md.LDP(2.0), md.InformationDesign("A"), gap=0.3)

Call = Callable[[Any], Any]
#: What each parameter takes one number of for each label, and a call whose answer must not depend on the order.
VECTORS: dict[str, tuple[np.ndarray, Call]] = {
    "Difference.mean.values": (NUMBERS, lambda v: ANSWER.difference(OTHER).mean(v)["difference"]),
    "Estimate.functional.weights": (NUMBERS, lambda v: ANSWER.functional(v).value),
    "Estimate.mean.values": (NUMBERS, lambda v: ANSWER.mean(v).value),
    "Estimate.ratio.denominator": (SHARES, lambda v: ANSWER.ratio([0.0, 0.5, 0.0], v).value),
    "Estimate.ratio.numerator": (SHARES, lambda v: WEIGHTED.ratio(v, [1.0, 1.0, 0.0]).value),
    "Estimate.plot.truth": (SHARES, lambda v: _drawn(ANSWER.plot(truth=v))),
    "Estimate.total.values": (NUMBERS, lambda v: ANSWER.total(1000, v).value),
    "Mechanism.estimate.counts": (np.array([30, 20, 15]), lambda v: MADE.estimate(counts=v).frequencies),
    "Mechanism.people_needed.theta": (SHARES, lambda v: MADE.people_needed(0.01, theta=v)),
    "Mechanism.power.theta": (SHARES, lambda v: MADE.power(0.1, 500, theta=v)),
    "Mechanism.posterior.prior": (SHARES, lambda v: MADE.posterior(v).probabilities),
    "Posterior.mean.values": (NUMBERS, lambda v: MADE.posterior().mean([0, 2], v)),
    "Problem.from_counts.counts": (SHARES, lambda v: md.Problem.from_counts(v, labels=LABELS).prior),
    "Problem.from_counts.values": (
        NUMBERS,
        lambda v: md.Problem.from_counts({"a": 1, "b": 2, "c": 3}, values=v).values,
    ),
    "Problem.from_joint.values": (
        NUMBERS,
        lambda v: md.Problem.from_joint([[1, 2, 3], [2, 1, 1]], labels=LABELS, values=v).values,
    ),
    "Problem.from_records.values": (NUMBERS, lambda v: md.Problem.from_records(list("abcabb"), values=v).values),
    "Problem.hidden.secret_prior": (
        SHARES,
        lambda v: PLAIN.hidden(data_given_secret=Q, secret_prior=v, secret_labels=LABELS).prior,
    ),
    "Problem.in_order.given": (NUMBERS, lambda v: PLAIN.in_order("given", v)),
    "Problem.prior": (SHARES, lambda v: md.Problem(prior=v, labels=LABELS).prior),
    "Problem.values": (NUMBERS, lambda v: md.Problem(values=v, labels=LABELS).values),
    "Problem.values_in_order.given": (NUMBERS, PLAIN.values_in_order),
    "baselines.stochastic_rounding.values": (
        NUMBERS,
        lambda v: md.baselines.stochastic_rounding(PLAIN, 1.0, v).matrix,
    ),
    "plotting.estimate.truth": (SHARES, lambda v: _drawn(md.plotting.estimate(ANSWER, truth=v))),
    "plotting.queries.truth": (SHARES, lambda v: _drawn(md.plotting.queries(QUERIES, truth=v))),
    "plotting.posterior_map.prior": (
        SHARES,
        lambda v: md.plotting.posterior_map(MADE, prior=v).axes[0].images[0].get_array(),
    ),
}
#: The same of matrices, with whether rows and columns are labelled.
MATRICES: dict[str, tuple[np.ndarray, tuple[bool, bool], Call]] = {
    "Objective.value.matrix": (Q, (True, False), lambda m: md.MMSE().value(m, PEOPLE)),
    "Notion.level.matrix": (Q, (True, False), lambda m: md.LIP(1.0).level(m, PEOPLE).value),
    "Problem.from_joint.table": (Q, (True, True), lambda m: _by_names(md.Problem.from_joint(m))),
    "Problem.hidden.data_given_secret": (
        Q,
        (True, True),
        lambda m: PLAIN.hidden(data_given_secret=m, secret_labels=LABELS).data_given_secret,
    ),
    "Problem.hidden.secret_given_data": (
        Q.T,
        (True, True),
        lambda m: PEOPLE.hidden(m, secret_labels=LABELS).data_given_secret,
    ),
    "audit.matrix_or_mechanism": (Q, (True, False), lambda m: float(md.audit(m, md.LIP(1.0), PEOPLE))),
    "baselines.exponential.distance": (METRIC, (True, True), lambda m: md.baselines.exponential(PLAIN, 1.0, m).matrix),
    "more_informative.first": (Q, (True, False), lambda m: md.more_informative(m, MADE).answer),
    "more_informative.second": (Q, (True, False), lambda m: md.more_informative(MADE, m).answer),
    "rounded.matrix": (Q, (True, False), lambda m: md.rounded(m, md.LIP(4.0), PEOPLE).matrix),
}
#: What has no number for each label, and why.
OTHERS = {
    "Problem.from_records.bins": "edges, in their own order",
    "priors_near.prior": "the answer has its order: there is no problem whose labels could be matched",
    "queries.bands.edges": "edges, in their own order",
    "queries.bands.values": "a function of the values alone, without a problem",
    "Estimate.queries.queries": "a row for each query, columns by label: see the tests of query estimates",
    "Mechanism.privacy_profile.epsilons": "a grid: the answer has its order",
    "Mechanism.renyi_profile.orders": "a grid",
    "Mechanism.renyi_capacity.orders": "a grid",
    "plotting.privacy_profile.epsilons": "a grid",
    "Mechanism.estimate.reports": "reports are one for each person",
    "Mechanism.estimate.weights": "one for each report; see below",
    "Mechanism.regression.reports": "reports are one for each person",
    "Mechanism.regression.weights": "one for each report, by the same rule as those of estimate",
    "Mechanism.regression.strata": "one for each report",
    "Mechanism.regression.clusters": "one for each report",
    "Mechanism.regression.covariates": "columns by their names, rows as the reports: see the tests of regression",
    "Mechanism.regression.reference": "the name of an answer",
    "Design.beside.mechanisms": "mechanisms, whose rows are matched by the labels of their inputs",
    "compare.mechanisms": "mechanisms, as Design.beside takes them",
    "Mechanism.people_needed.of": "the name of an answer",
    "Mechanism.variances_planned.theta": "the planner's own: arrays in the order of the inputs",
    "Mechanism.variances_planned.lines": "the planner's own: arrays in the order of the inputs",
    "Mechanism.people_needed.queries": "as `Estimate.queries` reads them",
    "Mechanism.power.of": "the name of an answer",
    "Regression.predict.covariates": "columns by the names that were fitted: see the tests of regression",
    "Regression.wald.term": "terms by their names, or lines over all coefficients",
    "Mechanism.estimate.strata": "one for each report",
    "Mechanism.estimate.clusters": "one for each report",
    "Mechanism.estimate.groups": "one for each report",
    "Mechanism.estimate.population": "sizes of strata, by their labels",
    "Mechanism.estimate.replicate_weights": "a row for each report",
    "GroupedEstimate.difference.first": "the label of a group",
    "GroupedEstimate.difference.second": "the label of a group",
    "Posterior.guess.reports": "reports",
    "Posterior.mean.reports": "reports",
    "Posterior.of.reports": "reports",
    "BudgetSplit.estimate.reports": "what sample returned",
    "BudgetSplit.estimate_jointly.reports": "what sample returned",
    "BudgetSplit.estimate_jointly.groups": "one for each report",
    "BudgetSplit.sample.answers": "columns, by the names of questions; see below",
    "split_budget.weights": "one for each question; see below",
    "Mechanism.sample.records": "records are matched by their labels",
    "Mechanism.privacy_loss.x": "one input, by its label",
    "Mechanism.privacy_loss.z": "one input, by its label",
    "Mechanism.simulate.records": "records",
    "Problem.from_records.records": "records",
    "Problem.from_records.missing": "codes",
    "Mechanism.sample.missing": "codes",
    "Mechanism.simulate.missing": "codes",
    "Mechanism.estimate.missing": "codes",
    "Mechanism.regression.missing": "codes",
    "baselines.additive_scrambling.noise": "a mapping from numbers, which are no labels of a problem",
    "baselines.additive_scrambling.values": "the inputs themselves",
    "baselines.forced_response.yes": "a mapping, whose names are the inputs",
    **{
        f"baselines.{name}": "a probability"
        for name in (
            "cheater_detection.first",
            "cheater_detection.p",
            "cheater_detection.q",
            "crosswise.p",
            "forced_response.no",
            "invariant_pram.share",
            "kuk.first",
            "kuk.second",
            "mangat.p",
            "mangat.truth",
            "triangular.p",
            "unrelated_question.first",
            "unrelated_question.p",
            "unrelated_question.prevalence",
            "warner.p",
        )
    },
    "Problem.data_of_input": "set by a notion",
    "Problem.data_given_secret": "see Problem.hidden",
    "Problem.secret_prior": "see Problem.hidden",
    "Problem.secret_given_data": "see Problem.hidden",
    "Mechanism.matrix": "one's own matrix; see below",
    "Problem.seen_by_secret.columns": "of the engine",
    "Objective.accuracy.matrix": "of the engine",
    "Objective.improvement.matrix": "of the engine",
    "Objective.output_names.matrix": "of the engine",
    "Objective.rounding.matrix": "of the engine",
    "Objective.terms.matrix": "of the engine",
    "Design.certify.mechanism": "a mechanism; see below",
    "cell_keys.cells": "numbers of cells",
    "cell_keys.record_keys": "one for each record",
    "two_stage_shares.shares": "shares of people, a grid",
    "plotting.certificate.design": "an answer",
    "plotting.estimate.estimated": "an answer",
    "plotting.queries.estimated": "an answer",
    "plotting.frontier.curves": "an answer",
    "plotting.heat_map.mechanism": "an answer",
    "plotting.output_levels.audit": "an answer",
    "plotting.paper_figure.figure": "an answer",
    "plotting.posterior_map.mechanism": "an answer",
    "plotting.privacy_profile.mechanisms": "answers",
    "plotting.sweep.rows": "an answer",
    "plotting.theorem_region.theorem": "a theorem",
    "report.mechanism": "an answer",
    "sampler.mechanism": "an answer",
    "conjecture.notion": "a function",
    "HashedVocabulary.bucket_of.texts": "one for each person",
    "HashedVocabulary.frequencies.words": "texts, in their own order",
    "KnownVocabulary.answers_of.records": "one for each person",
    "KnownVocabulary.answers_of.missing": "codes",
    "PrefixSearch.answers_of.texts": "one for each person",
    "PrefixSearch.after.reports": "reports",
    "baselines.randomised_response.problem": "a problem",
}
#: What is drawn, and not how.
PICKED = {"rows", "columns", "largest"}
#: Dataclasses that the package makes; a member's parameters are held to the contract of members.
CLASSES = (Estimate, GroupedEstimate, Difference, Posterior, Functional, Quantile, Ratio, Regression, Prediction)
ARRAYS = ("ArrayLike", "Array", "NDArray", "Sequence[float]")


def _drawn(figure: Any) -> np.ndarray:
    return np.concatenate([line.get_xydata().ravel() for line in figure.axes[0].lines])


def _by_names(problem: md.Problem) -> np.ndarray:
    rows, columns = (np.argsort(names or ()) for names in (problem.secret_labels, problem.labels))
    return problem.channel[np.ix_(rows, columns)]


def parameters_of_api() -> Iterator[str]:
    """Yield every parameter of a public function or method that takes an array or anything at all."""
    for name in md.__all__:
        held = getattr(md, name)
        if isinstance(held, types.ModuleType):
            for inner in held.__all__:
                yield from _arrays(f"{name}.{inner}", getattr(held, inner))
        elif inspect.isclass(held):
            yield from _methods(held)
        else:
            yield from _arrays(name, held)
    yield from (found for held in CLASSES for found in _methods(held))
    yield from (f"Problem.{name}" for name in ("prior", "values", "data_given_secret", "secret_prior"))
    yield from ("Problem.secret_given_data", "Problem.data_of_input", "Mechanism.matrix")


def _methods(held: type) -> Iterator[str]:
    abstract = held in (md.Notion, md.Objective)
    if issubclass(held, md.Notion | md.Objective) and not abstract:
        return
    for name, method in inspect.getmembers(held, lambda each: inspect.isfunction(each) or inspect.ismethod(each)):
        if not name.startswith("_") and method.__module__.startswith("mechdesign"):
            owner = "Mechanism" if issubclass(held, md.Mechanism) else held.__name__
            yield from _arrays(f"{owner}.{name}", method)


def _arrays(path: str, called: Any) -> Iterator[str]:
    for each in inspect.signature(called).parameters.values():
        written = str(each.annotation)
        is_array = written == "Any" or any(word in written for word in ARRAYS)
        if is_array and each.kind is not each.VAR_KEYWORD and each.name not in PICKED:
            yield f"{path}.{each.name}"


ENGINE = ("Level", "Cone", "Rays", "Support", "Budget", "SmoothBudget", "Band", "Ratio", "Generator", "PowerGenerator")


def test_every_array_of_the_api_is_in_the_tables() -> None:
    of_engine = tuple(f"{name}." for name in (*ENGINE, *(n for n in md.__all__ if n.endswith("Generator")), "Square"))
    known = {*VECTORS, *MATRICES, *OTHERS}
    new = sorted({path for path in parameters_of_api() if not path.startswith(of_engine)} - known)
    assert not new, f"say by which labels these are matched, or why not: {', '.join(new)}"


def forms(array: np.ndarray, labels: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield a vector with labels in each form that carries some."""
    yield "a column of pandas", pd.Series(array, index=labels)
    yield "a mapping", dict(zip(labels, array.tolist(), strict=True))
    yield "a table of pandas", pd.DataFrame({"label": labels, "number": array})
    yield "a table of polars", pl.DataFrame({"label": labels, "number": array})
    yield "a column of a table", pd.DataFrame({"number": array}, index=labels)


def turned(array: np.ndarray) -> np.ndarray:
    return array[[LABELS.index(label) for label in TURNED]]


def same(found: Any, right: Any) -> bool:
    if isinstance(right, str):
        return bool(found == right)
    return np.allclose(np.asarray(found, dtype=float), np.asarray(right, dtype=float), rtol=0, atol=1e-12)


@pytest.mark.parametrize("path", VECTORS)
def test_a_vector_with_labels_in_another_order_is_put_in_order(path: str) -> None:
    array, call = VECTORS[path]
    right = (
        call(array.tolist()) if path != "Problem.from_counts.counts" else call(dict(zip(LABELS, array, strict=True)))
    )
    for form, given in forms(turned(array), TURNED):
        assert same(call(given), right), form


@pytest.mark.parametrize("path", VECTORS)
def test_a_vector_with_other_labels_is_refused_with_both(path: str) -> None:
    array, call = VECTORS[path]
    for form, given in forms(array, ("a", "b", "strange")):
        with pytest.raises(md.DomainError) as refused:
            call(given)
        assert "strange" in str(refused.value), form


@pytest.mark.parametrize("path", VECTORS)
def test_a_column_that_is_only_counted_is_read_by_position(path: str) -> None:
    array, call = VECTORS[path]
    if path != "Problem.from_counts.counts":
        assert same(call(pd.Series(array)), call(array.tolist()))


def tables(
    array: np.ndarray, rows: tuple[str, ...] | None, columns: tuple[str, ...] | None
) -> Iterator[tuple[str, Any]]:
    yield "pandas", pd.DataFrame(array, index=rows, columns=columns)
    heads = columns or [f"column_{k}" for k in range(array.shape[1])]
    yield "polars", pl.DataFrame({"label": rows, **dict(zip(heads, array.T, strict=True))})


@pytest.mark.parametrize("path", MATRICES)
def test_a_table_with_labels_in_another_order_is_put_in_order(path: str) -> None:
    array, (by_rows, by_columns), call = MATRICES[path]
    straight = pd.DataFrame(array, index=LABELS if by_rows else None, columns=LABELS if by_columns else None)
    right = call(straight)
    if path != "Problem.from_joint.table":
        assert same(call(array.tolist()), right)
    other = turned(array) if by_rows else array
    other = turned(other.T).T if by_columns else other
    for form, given in tables(other, TURNED, TURNED if by_columns else None):
        assert same(call(given), right), form


@pytest.mark.parametrize("path", [path for path in MATRICES if path != "Problem.from_joint.table"])
def test_a_table_with_other_labels_is_refused(path: str) -> None:
    array, (by_rows, by_columns), call = MATRICES[path]
    strange = ("a", "b", "strange")
    with pytest.raises(md.DomainError, match="strange"):
        call(pd.DataFrame(array, index=strange if by_rows else None, columns=strange if by_columns else None))


def test_value_counts_count_the_outputs_that_they_name() -> None:
    collected = pd.Series(["c"] * 3 + ["a"] * 2)
    assert np.array_equal(MADE.estimate(counts=collected.value_counts()).counts, [2, 0, 3])
    plain = md.Mechanism(Q, ("y0", "y1", "y2"))
    assert np.array_equal(plain.estimate(counts=pd.Series([2, 2, 1]).value_counts()).counts, [0, 1, 2])
    with pytest.raises(md.DomainError, match=r"labelled 2, 1, but the mechanism has a, b, c"):
        MADE.estimate(counts=pd.Series([2, 2, 1]).value_counts())


def test_weights_of_another_index_than_the_reports_are_refused() -> None:
    reports, weights = pd.Series([0, 1, 2]), pd.Series([1.0, 2.0, 3.0], index=[2, 1, 0])
    with pytest.raises(md.DomainError, match="its index is not the one of the reports"):
        MADE.estimate(reports, weights=weights)
    table = pd.DataFrame({"report": reports, "weight": weights}).iloc[[2, 0, 1]]
    found = MADE.estimate(table["report"], weights=table["weight"])
    assert same(found.frequencies, MADE.estimate([2, 0, 1], weights=[1.0, 3.0, 2.0]).frequencies)


def test_columns_of_answers_are_matched_by_the_names_of_the_questions() -> None:
    answers = pd.DataFrame({"y": [2, 2, 2], "x": [0, 1, 0]})
    drawn = SPLIT.sample(answers)
    assert drawn.shape == (3, 2) and drawn[:, 0].max() < SPLIT.designs[0].mechanism.matrix.shape[1]
    with pytest.raises(md.DomainError, match=r"labelled x, z, but the split has x, y"):
        SPLIT.sample({"x": [0], "z": [1]})
    plain = md.split_budget([md.Problem(n=2), md.Problem(n=2)], md.LDP(2.0), md.InformationDesign("A"), gap=0.3)
    with pytest.raises(md.DomainError, match="the questions have no names"):
        plain.sample(answers)
    given = {"x": md.Problem(n=2), "y": md.Problem(n=3)}
    other = md.split_budget(given, md.LDP(2.0), md.InformationDesign("A"), weights={"y": 3.0, "x": 1.0}, gap=0.3)
    assert other.weights == (1.0, 3.0)


def test_a_mechanism_meets_a_problem_of_its_labels_in_another_order() -> None:
    other = md.Problem(prior=[0.1, 0.7, 0.2], values=[5, 0, 1], labels=TURNED)
    strange = md.Problem(prior=[0.1, 0.7, 0.2], values=[5, 0, 1], labels=["a", "b", "d"])
    notion = md.LIP(1.0)
    level = float(md.audit(MADE, notion, PEOPLE))
    assert float(md.audit(MADE, notion, other)) == level
    assert float(md.audit(MADE, notion, md.Problem(prior=[0.1, 0.7, 0.2], labels=LABELS))) != level
    asked = md.LIP(2.5)
    values = {md.design(problem, asked, md.MMSE()).certify(MADE).claimed.value for problem in (PEOPLE, other)}
    assert np.ptp(list(values)) <= 1e-12
    both, straight = md.together([MADE, MADE], other), md.together([MADE, MADE])
    assert np.array_equal(both.matrix, turned(straight.matrix))
    moved = md.rounded(MADE, asked, other)
    assert np.allclose(moved.matrix, turned(Q), rtol=0, atol=1e-9)
    for call in (
        lambda: md.audit(MADE, notion, strange),
        lambda: md.together([MADE], strange),
        lambda: md.rounded(MADE, asked, strange),
        lambda: md.design(strange, asked, md.MMSE()).certify(MADE),
    ):
        with pytest.raises(md.DomainError, match=r"labelled a, b, c, but the problem has a, b, d"):
            call()


MEMBERS: dict[str, tuple[Callable[[Any], Any], np.ndarray, tuple[bool, bool]]] = {
    "MetricDP": (lambda t: md.MetricDP(1.0, t), METRIC, (True, True)),
    "PairwiseLDP": (md.PairwiseLDP, np.array([[0.0, 1, 2], [3, 0, 1], [2, 1, 0]]), (True, True)),
    "ExpectedLoss": (md.ExpectedLoss, np.array([[0.0, 1, 2], [3, 0, 1], [9, 4, 0]]), (True, True)),
    "WorstCaseLoss": (md.WorstCaseLoss, np.array([[0.0, 1, 2], [3, 0, 1], [9, 4, 0]]), (True, False)),
    "GLeakage": (lambda t: md.GLeakage(1.0, t), np.array([[1.0, 0, 0.5], [0, 1, 0], [0.25, 0, 1]]), (False, True)),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_with_labels_means_the_same_everywhere(name: str, tmp_path: Any) -> None:
    make, array, (by_rows, by_columns) = MEMBERS[name]
    other = turned(array) if by_rows else array
    other = turned(other.T).T if by_columns else other
    table = pd.DataFrame(other, index=TURNED if by_rows else None, columns=TURNED if by_columns else None)
    member: Any = make(table)
    plain: Any = make(array)
    notions: list[Any]
    objectives: list[Any]
    assert "'c': " in repr(member) and member == make(table) and hash(member) == hash(make(table))
    assert in_order_of_problem(member, PEOPLE, PEOPLE) == plain
    if isinstance(member, md.Notion):
        notions, objectives = [member, plain], [md.ErrorProbability()] * 2
        assert float(md.audit(Q, member, PEOPLE)) == float(md.audit(Q, plain, PEOPLE))
        assert member.level(Q, PEOPLE) == plain.level(Q, PEOPLE)
        assert md.implies(member, plain, PEOPLE) == md.implies(plain, plain, PEOPLE)
    else:
        notions, objectives = [md.LDP(1.0)] * 2, [member, plain]
        assert member.value(Q, PEOPLE) == plain.value(Q, PEOPLE)
    made, right = (md.design(PEOPLE, *asked) for asked in zip(notions, objectives, strict=True))
    assert made.mechanism == right.mechanism and made.mechanism.question == right.mechanism.question
    made.mechanism.save(tmp_path / "a.json")
    assert md.load(tmp_path / "a.json") == right.mechanism
    for study in (
        lambda notion, objective: md.compare(PEOPLE, notion, objective).rows[-1].value,
        lambda notion, objective: md.frontier(PEOPLE, notion, objective, [0.5, 1.0]).designs[1].value,
        lambda notion, objective: md.sweep(PEOPLE, notion, objective).rows[-1].value,
    ):
        assert study(notions[0], objectives[0]) == study(notions[1], objectives[1])
    strange = md.Problem(prior=[0.7, 0.2, 0.1], values=[0, 1, 5], labels=["a", "b", "d"])
    with pytest.raises(md.DomainError, match=r"but the problem has a, b, d"):
        md.design(strange, notions[0], objectives[0])


def test_decisions_are_named_by_the_data() -> None:
    loss = pd.DataFrame([[0, 1, 2], [3, 0, 1], [9, 4, 0]], index=LABELS, columns=LABELS)
    right = md.design(PEOPLE, md.LDP(1.0), md.ExpectedLoss(loss.to_numpy())).mechanism
    for rows, columns in ((LABELS, TURNED), (TURNED, LABELS), (TURNED, TURNED)):
        assert md.design(PEOPLE, md.LDP(1.0), md.ExpectedLoss(loss.loc[list(rows), list(columns)])).mechanism == right
    for columns in (["treat", "wait", "refer"], ["a", "b", "b"]):
        with pytest.raises(md.DomainError, match="by which decisions are named, has a, b, c"):
            md.design(PEOPLE, md.LDP(1.0), md.ExpectedLoss(loss.set_axis(columns, axis=1)))
    with pytest.raises(md.DomainError, match="labelled treat, wait, but the problem, by which decisions"):
        md.ExpectedLoss(pd.DataFrame(np.eye(3)[:, :2], columns=["treat", "wait"])).value(Q[:, :2], PEOPLE)


def test_of_many_names_the_one_that_is_not_there_is_said() -> None:
    many = md.Problem(labels=[f"place {x}" for x in range(100)])
    given = {**dict.fromkeys(many.labels or (), 0.01), "palace 50": 0.0}
    with pytest.raises(md.DomainError, match=r'the problem has place 0, .* and 94 more, and not "palace 50"'):
        many.in_order("given", given)


def test_counts_of_a_label_that_is_there_twice_are_added_up() -> None:
    with pytest.warns(md.DataWarning, match='3 counts are of 2 labels, "a" several times') as seen:
        found = MADE.estimate(counts=pd.Series([2, 1, 2], index=["a", "c", "a"]))
    assert np.array_equal(found.counts, [4, 0, 1]) and seen[0].filename == __file__


def test_labels_on_one_axis_alone_are_refused() -> None:
    with pytest.raises(md.DomainError, match=r"distance .* without labels"):
        md.MetricDP(1.0, pd.DataFrame(METRIC, index=LABELS))
    with pytest.raises(md.DomainError, match=r"direction .* without labels"):
        md.FisherInformation(theta=pd.Series(SHARES, index=LABELS), direction=[1.0, -1.0, 0.0])
    turned_direction = pd.Series([0.0, 1.0, -1.0], index=TURNED)
    found = md.FisherInformation(theta=pd.Series(SHARES, index=LABELS), direction=turned_direction)
    assert found.value(Q, PEOPLE) == md.FisherInformation(theta=SHARES, direction=[1.0, -1.0, 0.0]).value(Q, PEOPLE)
