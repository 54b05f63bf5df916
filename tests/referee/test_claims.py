"""Claims of a user's own: randomised response for information and for total variation."""

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.theorems import Condition, Family
from mechdesign.theorems.variables import Distribution, Real


def response(problem, notion, objective):
    """Return k-ary randomised response."""
    return md.baselines.randomised_response(problem, notion.epsilon)


def uniform(n):
    return md.Problem(prior=np.full(n, 1 / n))


def information(size, n, epsilon):
    """Return the information of subsets of one size, all alike, for a uniform prior."""
    E = math.exp(epsilon)
    mass = (size * E + n - size) / n
    return (size * E * epsilon / n) / mass - math.log(mass)


def threshold(n):
    """Return from which epsilon subsets of one tell more than subsets of two."""
    low, high = 0.01, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if information(2, n, middle) > information(1, n, middle) else (low, middle)
    return high


def test_from_which_epsilon_randomised_response_is_optimal_for_information():
    least = threshold(4)
    edge = Condition("epsilon", "threshold", lambda question: (question.notion.epsilon, least))
    row = md.check_claim([uniform(4)], md.LDP, md.MutualInformation(), response, narrower=(edge,))
    assert row.verdict == "holds under a narrower condition" and row.condition == "epsilon >= threshold"
    # Ten percent earlier it fails, ten percent later it fails no more at the edge.
    for factor in (0.9, 1.1):
        off = Condition("epsilon", "threshold", lambda q, f=factor: (q.notion.epsilon, f * least))
        row = md.check_claim([uniform(4)], md.LDP, md.MutualInformation(), response, narrower=(off,))
        assert row.verdict == "false"


def test_randomised_response_is_optimal_for_total_variation_of_two_inputs_only():
    def variation(problem):
        return md.TotalVariation(problem.prior, problem.prior[::-1])

    assert md.check_claim((2, 2), md.LDP, variation, response).verdict == "holds"
    row = md.check_claim((3, 4), md.LDP, variation, response, name="k-RR")
    assert row.points >= 24
    assert row.verdict == "false" and row.key == "yours/k-RR" and "n = 3" in row.counterexample


def test_a_value_can_be_claimed_with_or_without_its_mechanism():
    def truth(problem, notion, objective):
        return max(1 / (1 + math.exp(notion.epsilon)), 0.0)

    problems = [md.Problem(prior=[0.5, 0.5])]
    assert md.check_claim(problems, md.LDP, md.ErrorProbability(), truth).verdict == "holds"
    both = md.check_claim(
        problems, md.LDP, md.ErrorProbability(), lambda *asked: (response(*asked), 1.01 * truth(*asked))
    )
    assert both.verdict == "false"


def test_a_family_of_ones_own_and_a_fixed_notion():
    family = Family({"prior": Distribution(3, least=0.2), "epsilon": Real(2.0, 3.0)})

    def published(problem, notion, objective):
        low = math.exp(-notion.epsilon)
        return low * problem.prior + (1 - low) * np.eye(3)

    assert md.check_claim(family, md.LIP, md.MutualInformation(), published).verdict == "holds"
    fixed = md.check_claim([md.Problem(prior=[0.3, 0.3, 0.4])], md.LIP(2.0), md.MutualInformation(), published)
    assert fixed.verdict == "holds"
    # One problem at one level is one question, however often it is drawn.
    assert fixed.points == 1


@pytest.mark.parametrize("family", [[], "all", (2, 3, 4), [1, 2]])
def test_a_family_that_is_none_is_refused(family):
    with pytest.raises(md.DomainError, match="two sizes, problems, or a Family"):
        md.check_claim(family, md.LDP, md.MMSE(), response)


@pytest.mark.parametrize(
    ("argument", "changed"),
    [
        ("problem_family", {"problem_family": (4, 2)}),
        ("problem_family", {"problem_family": (0, 2)}),
        ("problem_family", {"problem_family": (True, 2)}),
        ("notion", {"notion": "LDP"}),
        ("notion", {"notion": lambda epsilon: epsilon}),
        ("objective", {"objective": md.MMSE}),
        ("objective", {"objective": lambda problem: problem}),
        ("formula", {"formula": 0.5}),
        ("formula", {"formula": lambda *_: None}),
        ("formula", {"formula": lambda *_: "half"}),
        ("formula", {"formula": lambda *_: [0.5, 0.5]}),
        ("formula", {"formula": lambda *_: np.eye(3)}),
        ("formula", {"formula": lambda *_: (np.eye(2), None)}),
        ("formula", {"formula": lambda *_: (np.eye(2), 0.1, 0.2)}),
        ("epsilon", {"epsilon": (2.0, 1.0)}),
        ("epsilon", {"epsilon": (-1.0, 1.0)}),
        ("epsilon", {"epsilon": 1.0}),
        ("claimed", {"claimed": [1.0]}),
        ("narrower", {"narrower": [lambda question: True]}),
        ("rng", {"rng": -1}),
    ],
)
def test_what_is_no_claim_is_refused_with_the_name_of_its_argument(argument, changed):
    given = {"problem_family": (2, 2), "notion": md.LDP, "objective": md.MMSE(), "formula": response, **changed}
    with pytest.raises(md.DomainError, match=rf"^{argument}\b"):
        md.check_claim(**given)


@pytest.mark.parametrize("sides", [lambda q: (1,), lambda q: q.nope, lambda q: True, 3, lambda q: ("a", "b")])
def test_a_condition_without_two_numbers_is_named(sides):
    condition = Condition("a", "b", sides)
    with pytest.raises(md.DomainError, match=r"the condition a >= b is .* both sides, left and right"):
        md.check_claim((2, 2), md.LDP, md.HammingLoss(), lambda p, n, o: 0.2, narrower=[condition])


def test_a_claim_is_a_table_of_latex():
    row = md.check_claim((2, 2), md.LDP, md.MMSE(), lambda p, n, o: md.baselines.randomised_response(p, n.epsilon))
    lines = row.to_latex(["key", "verdict"]).splitlines()
    assert lines[1] == r"\begin{tabular}{ll}" and r"yours/the claim & holds \\" in lines
