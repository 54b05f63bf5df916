"""Known mechanisms beside a design: in the objective's unit, and by the variance of estimated frequencies."""

import json
import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign import cli
from mechdesign.baselines.subset_selection import best_size, total_variance
from mechdesign.question import Question
from mechdesign.rivals.rival import frequency_variance, rival_tables, rivals
from mechdesign.testing import sized

LINE = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
PROBLEM = md.Problem(prior=[0.1, 0.3, 0.2, 0.15, 0.25], values=[0, 1, 2, 3, 4])
KNOWN = ["optimised unary encoding", "symmetric unary encoding", "subset selection", "Hadamard response"]


def named(problem, notion, objective, outputs=None):
    return {rival.name: rival for rival in rivals(Question(problem, notion, objective, outputs))}


def squared_error(matrix, prior, values):
    """Return the mean squared error of the posterior mean, output by output."""
    total = 0.0
    for column in matrix.T:
        joint = prior * column
        total += joint @ (values - joint @ values / joint.sum()) ** 2 if joint.sum() else 0.0
    return total


def covariance(matrix, population):
    """Return the trace of the covariance of one report's best estimate, from the information of n - 1 frequencies."""
    free = matrix[:-1] - matrix[-1]
    inverse = np.linalg.inv((free / (population @ matrix)) @ free.T)
    return np.trace(inverse) + inverse.sum()


@pytest.mark.thinned(8)
@pytest.mark.parametrize("n", [1015, 3000])
def test_what_has_more_entries_than_floats_can_count_is_left_out(n):
    found = named(md.Problem(n=n), md.LDP(1.0), md.InformationDesign("A"))
    assert not {"optimised unary encoding", "subset selection"} & set(found) and "uninformative" in found


def test_the_known_mechanisms_of_ldp_stand_beside_a_design():
    found = named(PROBLEM, md.LDP(1.0), md.MMSE())
    best = md.design(PROBLEM, md.LDP(1.0), md.MMSE()).value
    makers = md.baselines
    for name, made in {
        "k-ary randomised response": makers.randomised_response(PROBLEM, 1.0),
        "optimised unary encoding": makers.unary_encoding(PROBLEM, 1.0),
        "symmetric unary encoding": makers.unary_encoding(PROBLEM, 1.0, optimised=False),
        "subset selection": makers.subset_selection(PROBLEM, 1.0),
        "Hadamard response": makers.hadamard_response(PROBLEM, 1.0),
    }.items():
        assert found[name].private and found[name].level == pytest.approx(1.0, rel=1e-9)
        assert found[name].value == pytest.approx(squared_error(made.matrix, PROBLEM.prior, PROBLEM.values), rel=1e-10)
        assert found[name].variance == pytest.approx(covariance(made.matrix, PROBLEM.prior), rel=1e-9)
        assert found[name].value >= best


def test_no_known_mechanism_tells_frequencies_better_than_the_design_for_them():
    best = md.design(PROBLEM, md.LDP(1.0), md.InformationDesign("A"))
    found = named(PROBLEM, md.LDP(1.0), md.InformationDesign("A"))
    for name in (*KNOWN, "k-ary randomised response"):
        assert found[name].variance == pytest.approx(found[name].value, rel=1e-12)
        assert found[name].variance >= best.bound
    # A design for something else may not tell them at all.
    assert frequency_variance(md.design(PROBLEM, md.LDP(1.0), md.MMSE()).matrix, PROBLEM) == math.inf
    assert found["uninformative"].variance == math.inf


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_variance_of_randomised_response_is_the_published_one(n):
    E = math.e
    p, q = E / (E + n - 1), 1 / (E + n - 1)
    matrix = md.baselines.response_matrix(n, 1.0)
    wanted = n * (1 / n) * (1 - 1 / n) / (p - q) ** 2
    assert frequency_variance(matrix, md.Problem(n=n)) == pytest.approx(wanted, rel=1e-9)
    # Planted: with the one probability for the other it is another number.
    assert wanted != pytest.approx(n * q * (1 - q) / (p - q) ** 2, rel=0.1)


def test_mechanisms_of_a_metric_stand_beside_a_design_under_it():
    loss = md.AbsoluteError()
    assert {"exponential mechanism", "geometric mechanism"} <= set(named(PROBLEM, md.MetricDP(0.5, 2 * LINE), loss))
    # Only on evenly spaced places is there a geometric one.
    found = named(PROBLEM, md.MetricDP(0.5, LINE**0.5), loss)
    assert "exponential mechanism" in found and "geometric mechanism" not in found
    assert all(rival.private for name, rival in found.items() if "mechanism" in name)


HIDDEN = PROBLEM.hidden(secret_given_data=[[0.9, 0.8, 0.5, 0.2, 0.1], [0.1, 0.2, 0.5, 0.8, 0.9]])
MAKERS = {
    "optimised unary encoding": md.baselines.unary_encoding,
    "symmetric unary encoding": lambda problem, epsilon: md.baselines.unary_encoding(problem, epsilon, False),
    "Hadamard response": md.baselines.hadamard_response,
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    ("problem", "notion"),
    [
        (PROBLEM, md.LIP(1.0)),
        (PROBLEM, md.LIP(0.05)),
        (PROBLEM, md.MaxLift(0.7)),
        (PROBLEM, md.ApproximateLDP(0.5, 0.1)),
        (PROBLEM, md.MutualInformationPrivacy(0.1)),
        (PROBLEM, md.LIP(0.5) & md.LDP(0.7)),
        (HIDDEN, md.LIP(0.3)),
        (HIDDEN, md.LDP(0.3)),
    ],
    ids=lambda part: str(part) if isinstance(part, md.Notion) else ("hidden" if part.is_hidden else "plain"),
)
def test_under_any_notion_they_have_the_largest_epsilon_that_is_private(problem, notion):
    found = named(problem, notion, md.MMSE())
    assert set(KNOWN) <= set(found)
    for name, make in MAKERS.items():
        rival = found[name]
        epsilon = float(rival.note.split("LDP(")[1].split(")")[0])
        # The note has six digits: a little less is private, and a little more is not.
        assert rival.private and md.audit(make(problem, epsilon * (1 - 1e-5)), notion, problem).holds
        assert not md.audit(make(problem, epsilon * (1 + 1e-5)), notion, problem).holds
        matrix = make(problem, epsilon).matrix
        assert rival.value == pytest.approx(squared_error(matrix, problem.prior, problem.values), rel=1e-4)


def test_none_of_them_beats_a_design_under_another_notion():
    best = md.design(PROBLEM, md.LIP(1.0), md.InformationDesign("A"))
    found = named(PROBLEM, md.LIP(1.0), md.InformationDesign("A"))
    assert all(found[name].value >= best.bound for name in (*KNOWN, "k-ary randomised response"))
    # At the same number as under LDP they would be compared at less than what is allowed.
    assert (
        found["subset selection"].value
        < named(PROBLEM, md.LDP(1.0), md.InformationDesign("A"))["subset selection"].value
    )


@pytest.mark.parametrize("n", [201, 400])
def test_the_variance_of_many_frequencies_is_the_published_one(n):
    E = math.e
    p, q = E / (E + n - 1), 1 / (E + n - 1)
    many = md.Problem(prior=np.full(n, 1 / n))
    assert frequency_variance(md.baselines.response_matrix(n, 1.0), many) == pytest.approx(
        (1 - 1 / n) / (p - q) ** 2, rel=1e-9
    )
    # An input that gives the reports of another one is not told.
    alike = md.baselines.response_matrix(n, 1.0)[[*range(n - 1), 0]]
    assert frequency_variance(alike, many) == math.inf
    assert frequency_variance(np.ones((n, 1)), many) == math.inf


def test_the_two_ways_to_a_variance_agree(monkeypatch, rng):
    prior, matrix = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(14), size=9)
    by_value = frequency_variance(matrix, md.Problem(prior=prior))
    monkeypatch.setattr("mechdesign.rivals.rival.BY_VALUE", 0)
    assert frequency_variance(matrix, md.Problem(prior=prior)) == pytest.approx(by_value, rel=1e-10)
    assert by_value == pytest.approx(covariance(matrix, prior), rel=1e-8)


def test_those_that_do_not_fit_are_left_out():
    assert not set(KNOWN) & set(named(PROBLEM, md.LDP(1.0), md.MMSE(), outputs=4))
    assert not set(KNOWN) & set(named(PROBLEM, md.LIP(1.0), md.MMSE(), outputs=4))
    # The number of sets and of words of bits is too large to be searched; a mechanism of a metric stands beside others.
    several = md.Problem(prior=np.full(14, 1 / 14), values=np.arange(14))
    assert set(KNOWN) & set(named(several, md.LIP(1.0), md.MMSE())) == {"Hadamard response"}
    many = md.Problem(prior=np.full(40, 1 / 40), values=np.arange(40))
    assert set(KNOWN) & set(named(many, md.LDP(1.0), md.MMSE())) == {"Hadamard response"}


def test_a_comparison_has_them():
    table = md.compare(PROBLEM, md.LDP(1.0), md.MMSE())
    assert set(KNOWN) <= {rival.name for rival in table.rivals}
    best = min(row.value for row in table if row.outcome == "certified")
    assert all(rival.value >= best * (1 - 1e-9) for rival in table.rivals if rival.private)


def test_the_command_shows_them(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.toml").write_text(
        '[problem]\nprior = [0.2, 0.3, 0.5]\nvalues = [0, 1, 2]\n[notion]\nname = "LDP"\nepsilon = 1.0\n'
        '[objective]\nname = "MMSE"\n',
        encoding="utf-8",
    )
    for command in (["design", "q.toml", "--why"], ["compare", "q.toml"]):
        with pytest.raises(SystemExit):
            cli.main(command)
        said = capsys.readouterr().out
        assert "Hadamard response" in said and "variance x reports" in said and "unbounded" in said
        with pytest.raises(SystemExit):
            cli.main([*command, "--json"])
        told = json.loads(capsys.readouterr().out)
        assert {"optimised unary encoding", "subset selection"} <= {rival["name"] for rival in told["rivals"]}


def questions():
    """Yield a question of every notion, and some where everything or next to nothing is private."""
    for name in sized.NOTIONS:
        for n in (2, 4):
            asked = sized.some_pair(name, "MMSE", n, np.random.default_rng(7))
            if asked is not None:
                yield pytest.param(*asked, id=f"{name}, {n}")
    bit = md.Problem(prior=[0.5, 0.5], values=[0, 1])
    loose = (md.LIP(800.0), md.LDP(800.0), md.MaximalLeakage(5.0), md.WeightedTV(1.0, 0.5), md.ApproximateLDP(0.1, 1.0))
    for notion in (*loose, md.LDP(1.0), md.LDP(3.0), md.LDP(0.0)):
        yield pytest.param(bit, notion, md.MMSE(), id=str(notion))


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("problem", "notion", "objective"), list(questions()))
def test_what_is_said_to_be_private_is_and_the_rest_is_not(problem, notion, objective):
    found = rivals(Question(problem, notion, objective))
    assert {"no privacy", "uninformative", "k-ary randomised response"} <= {rival.name for rival in found}
    inputs = notion.inputs(problem)
    identity = md.audit(md.Mechanism(np.eye(inputs.n), list(map(str, range(inputs.n)))).matrix, notion, problem)
    for rival in found:
        exceeds = rival.level > notion.parameter * (1.0 + 1e-12) if len(notion.parameters) == 1 else None
        assert exceeds is None or rival.private == (not exceeds), rival
        assert rival.name != "no privacy" or rival.private == identity.holds
        assert not (rival.private and rival.note.startswith("NOT PRIVATE"))


def test_a_design_of_a_sum_is_shown_with_its_rivals():
    sums = md.CentralizedIP(1.0, priors=[[0.5, 0.5], [0.5, 0.5]])
    made = md.design(md.Problem(values=[0, 1, 2]), sums, md.MMSE())
    known = {rival.name: rival for rival in made.rivals}
    assert all(rival.level <= 1.0 + 1e-9 for rival in known.values() if rival.private)
    assert {"subset selection", "Hadamard response"} <= set(known) and "subset selection" in str(made)


@pytest.mark.parametrize(("n", "epsilon"), [(4, 1.0), (6, 0.5), (9, 2.0)])
def test_the_variance_of_subset_selection_is_that_of_its_matrix(n, epsilon):
    problem, size = md.Problem(n=n), best_size(n, epsilon)
    made = md.baselines.subset_selection(problem, epsilon)
    assert total_variance(n, epsilon, size) == pytest.approx(md.InformationDesign("A").value(made.matrix, problem))


def test_what_is_too_large_to_be_made_is_named_and_not_made(monkeypatch):
    monkeypatch.setattr("mechdesign.baselines.strongest.subset_selection", lambda *_: pytest.fail("it was made"))
    question = md.Question(md.Problem(n=26), md.LDP(1.0), md.InformationDesign("A"), None)
    known = {rival.name: rival for rival in rivals(question)}
    assert known["subset selection"].value == pytest.approx(88.526355)
    assert "17,102,800 entries" in known["subset selection"].note
    assert "optimised unary encoding" not in known
    skewed = md.Problem(prior=np.arange(1.0, 27.0) / 351.0)
    unknown = {rival.name: rival for rival in rivals(md.Question(skewed, md.LDP(1.0), md.InformationDesign("A"), None))}
    assert math.isnan(unknown["subset selection"].value)
    tables = rival_tables("", tuple(unknown.values()))
    assert "not computed" in str(tables[0].rows)
