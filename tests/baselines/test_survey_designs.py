"""Designs of survey research: each instruction followed card by card, and the formulas that textbooks have for it."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import mechdesign as md
from mechdesign import baselines

SIXTH, THIRD, HALF = Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)


def law(outcomes):
    """Return the law of what is said, of equally likely outcomes."""
    said = Counter(outcomes)
    return {name: Fraction(count, said.total()) for name, count in said.items()}


def warner(answer):
    """Follow the instruction on a die: on 1 to 4 has it been done, on 5 or 6 has it not."""
    done = answer == "yes"
    return law("yes" if done == (eyes <= 4) else "no" for eyes in range(1, 7))


def mangat(answer):
    done = answer == "yes"
    return law(
        ("yes" if done else "no") if first == "red" else ("yes" if done == (eyes <= 4) else "no")
        for first, eyes in product(("red", "black", "black", "black"), range(1, 7))
    )


def forced(answer):
    return law({1: "no", 6: "yes"}.get(eyes, answer) for eyes in range(1, 7))


def forced_of_three(answer):
    return law({1: "never", 2: "never", 6: "often"}.get(eyes, answer) for eyes in range(1, 7))


def unrelated(answer):
    """Two of three balls are red; people are born in one of twelve months."""
    return law(
        answer if ball == "red" else ("yes" if month == 11 else "no")
        for ball, month in product(("red", "red", "white"), range(1, 13))
    )


def crosswise(answer):
    return law("same" if (answer == "yes") == (month <= 2) else "different" for month in range(1, 13))


def triangular(answer):
    return law("neither" if answer == "no" and month < 8 else "at least one" for month in range(1, 13))


def kuk(answer):
    """Decks of four cards: three red ones for those who have, one for the others; two draws."""
    deck = (1, 1, 1, 0) if answer == "yes" else (1, 0, 0, 0)
    return law(str(first + second) for first, second in product(deck, deck))


def scrambled(answer):
    return law(str(int(answer) + card) for card in (0, 1, 1, 5))


def pair_of_samples(answer):
    """Half are in the first sample, where two of three balls are red; in the second one of three is."""
    sensitive, harmless = answer.split(", ")
    balls = {1: "rrw", 2: "rww"}
    return law(f"{sample}: {sensitive if ball == 'r' else harmless}" for sample in (1, 2) for ball in balls[sample])


def cheaters(answer):
    def says(sample, eyes):
        if answer == "cheats":
            return "no"
        return "yes" if eyes <= {1: 1, 2: 5}[sample] else answer

    return law(f"{sample}: {says(sample, eyes)}" for sample in (1, 2) for eyes in range(1, 7))


#: The design, and who follows its instruction.
DESIGNS = {
    "warner": (baselines.warner("4/6"), warner),
    "mangat": (baselines.mangat(0.25, "4/6"), mangat),
    "forced response": (baselines.forced_response("1/6", "1/6"), forced),
    "forced response of three": (
        baselines.forced_response({"never": "2/6", "rarely": 0, "often": "1/6"}),
        forced_of_three,
    ),
    "unrelated question": (baselines.unrelated_question("2/3", "1/12"), unrelated),
    "crosswise": (baselines.crosswise("1/6"), crosswise),
    "triangular": (baselines.triangular("5/12"), triangular),
    "kuk": (baselines.kuk(0.75, 0.25, 2), kuk),
    "additive scrambling": (baselines.additive_scrambling([0, 1, 2], {0: "1/4", 1: "1/2", 5: "1/4"}), scrambled),
    "two samples": (baselines.unrelated_question(("2/3", "1/3")), pair_of_samples),
    "cheaters": (baselines.cheater_detection("1/6", "5/6"), cheaters),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_matrix_is_what_the_instruction_does(name):
    made, follow = DESIGNS[name]
    for x, answer in enumerate(made.inputs.answers):
        right = follow(answer)
        assert set(right) <= set(made.outputs)
        for y, said in enumerate(made.outputs):
            assert abs(Fraction(int(made.numerators[x, y]), 1 << 53) - right.get(said, Fraction())) < Fraction(
                1, 1 << 53
            )
            assert (made.numerators[x, y] == 0) == (said not in right)
    assert made.moved < 2**-53


#: The design, its estimate from a share of the first output, the factor of the variance ``s (1 - s)``, its level.
FORMULAS = {
    "warner": (baselines.warner(0.7), lambda s: (s - 0.3) / 0.4, 1 / 0.4**2, math.log(7 / 3)),
    "mangat": (baselines.mangat(0.5, 0.6), lambda s: (s - 0.2) / 0.6, 1 / 0.6**2, math.log(4)),
    "forced response": (
        baselines.forced_response("1/12", "1/6"),
        lambda s: (s - 1 / 12) / 0.75,
        1 / 0.75**2,
        math.log(1 + 0.75 * 12),
    ),
    "unrelated question": (
        baselines.unrelated_question(0.5, 0.1),
        lambda s: (s - 0.05) / 0.5,
        1 / 0.5**2,
        math.log(11),
    ),
    "crosswise": (baselines.crosswise("1/6"), lambda s: (s - 5 / 6) / (-4 / 6), 1 / (4 / 6) ** 2, math.log(5)),
    "triangular": (baselines.triangular(0.5), lambda s: (1 - s - 0.5) / 0.5, 1 / 0.5**2, math.inf),
    "kuk": (baselines.kuk(0.2, 0.8), lambda s: (1 - s - 0.8) / (0.2 - 0.8), 1 / 0.6**2, math.log(4)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_textbook_formulas(name):
    made, estimate, factor, level = FORMULAS[name]
    for theta in (0.1, 0.35, 0.8):
        share = theta * made.matrix[0, 0] + (1 - theta) * made.matrix[1, 0]
        counts = [round(100_000 * share), 100_000 - round(100_000 * share)]
        observed = counts[0] / 100_000
        found = made.estimate(counts=counts, method="unbiased")
        assert found.frequencies[0] == pytest.approx(estimate(observed), abs=1e-9)
        assert found.covariance[0, 0] == pytest.approx(factor * observed * (1 - observed) / 100_000, rel=1e-9)
    assert float(md.audit(made)) == pytest.approx(level, abs=1e-12)


def test_the_unrelated_question_beside_the_optimum_of_its_level():
    """Warner's design of level ln 11 has p = 11/12, and no design of that level is better for a yes-or-no question."""
    people = md.Problem(labels=["yes", "no"], prior=[0.24, 0.76])
    design = baselines.unrelated_question(0.5, 0.1)
    variance = md.InformationDesign("A").value(design.matrix, people)
    share = 0.24 * 0.55 + 0.76 * 0.05
    assert variance == pytest.approx(2 * share * (1 - share) / 0.5**2)
    assert f"{variance:.3f}" == "1.129"
    best = md.design(people, md.LDP(math.log(11)), md.InformationDesign("A"))
    share = 0.24 * 11 / 12 + 0.76 / 12
    assert (
        best.value == pytest.approx(2 * share * (1 - share) / (10 / 12) ** 2, rel=1e-6)
        and f"{best.value:.3f}" == "0.585"
    )


def test_two_samples_identify_both_attributes_and_not_how_they_go_together():
    made = baselines.unrelated_question((0.7, 0.2), first="1/4")
    both = np.array([0.1, 0.2, 0.3, 0.4])
    counts = np.round(1_000_000 * both @ made.matrix).astype(int)
    found = made.estimate(counts=counts)
    assert float(found.functional([1, 1, 0, 0])) == pytest.approx(0.3, abs=1e-5)
    assert float(found.functional([1, 0, 1, 0])) == pytest.approx(0.4, abs=1e-5)
    with pytest.raises(md.UnsupportedError):
        found.functional([1, 0, 0, 0])


def test_cheaters_are_counted():
    made = baselines.cheater_detection(0.25, 0.75, first=0.4)
    people = np.array([0.2, 0.5, 0.3])
    counts = np.round(1_000_000 * people @ made.matrix).astype(int)
    s, t = counts[0] / (counts[0] + counts[1]), counts[2] / (counts[2] + counts[3])
    found = made.estimate(counts=counts).frequencies
    honest_no = (t - s) / 0.5
    assert found[1] == pytest.approx(honest_no, abs=1e-5) and found[0] == pytest.approx(s - 0.25 * honest_no, abs=1e-5)
    assert found == pytest.approx(people, abs=1e-4)


def test_the_mean_of_scrambled_numbers_is_the_mean_of_the_reports_less_the_noise():
    made = baselines.additive_scrambling([0, 10, 20.5], pd.Series({-1.5: 0.25, 0.0: 0.5, 3.0: 0.25}))
    reports = np.array([float(name) for name in made.outputs])
    people = np.array([0.2, 0.5, 0.3])
    counts = np.round(1_000_000 * people @ made.matrix).astype(int)
    noise = -1.5 * 0.25 + 3 * 0.25
    assert float(made.estimate(counts=counts).mean()) == pytest.approx(
        (counts @ reports) / counts.sum() - noise, abs=1e-3
    )
    tenths = baselines.additive_scrambling([0.1, 0.2, 0.3], {0.1: HALF, 0.2: HALF})
    assert tenths.outputs == ("0.2", "0.3", "0.4", "0.5")


@pytest.mark.parametrize("share", [0, 0.3, "1/2", 1])
def test_invariant_pram_keeps_frequencies(share):
    file = md.Problem.from_counts({"employed": 650, "looking": 51, "studying": 299})
    made = baselines.invariant_pram(file, share)
    exact = [Fraction(float(each)) for each in file.prior]
    total = sum(exact)
    for y in range(3):
        kept = sum(exact[x] * int(made.numerators[x, y]) for x in range(3)) / (1 << 53)
        assert abs(kept - exact[y]) < total * Fraction(1, 1 << 51)
    assert made.matrix[1, 1] == pytest.approx(1 - float(Fraction(share)), abs=1e-15)
    assert (np.diag(made.matrix) >= made.matrix[1, 1]).all()


REFUSED = [
    (lambda: baselines.warner(1.2), "p is 1.2, but a probability is between 0 and 1"),
    (lambda: baselines.warner("seven"), "p is seven, but it has to be a finite number"),
    (lambda: baselines.warner(float("nan")), "p is nan"),
    (lambda: baselines.forced_response("1/2", "1/2"), "nobody is left who says the truth"),
    (lambda: baselines.forced_response("1/6"), "two answers have two probabilities"),
    (lambda: baselines.forced_response({"a": 0.1}, 0.1), "no is 0.1, but a mapping has the probabilities of all"),
    (lambda: baselines.forced_response({"a": 2.0}), "a probability is between 0 and 1"),
    (lambda: baselines.unrelated_question(0.7), "one sample does not separate the two attributes"),
    (lambda: baselines.unrelated_question((0.7, 0.7)), "samples alike"),
    (lambda: baselines.unrelated_question((0.7, 0.3), 0.1), "two samples estimate it"),
    (lambda: baselines.unrelated_question((0.7, 0.3, 0.1)), "there are two samples"),
    (lambda: baselines.cheater_detection(0.3, 0.3), "samples alike"),
    (lambda: baselines.kuk(0.8, 0.2, 0), "draws is 0"),
    (lambda: baselines.additive_scrambling([1, 1], {0: 1}), "answers are distinct"),
    (lambda: baselines.additive_scrambling([1, 2], [0.5, 0.5]), "each probability needs the name"),
    (lambda: baselines.additive_scrambling([1, 2], {0: 0.5}), "the probabilities of all outcomes sum to 1"),
    (lambda: baselines.additive_scrambling([1, 2], {"red": 1}), "noise is red, but it has to be a finite number"),
    (lambda: baselines.invariant_pram(md.Problem(n=3), 0.5), "prior"),
    (lambda: baselines.invariant_pram(md.Problem(prior=[1.0]), 0.5), "there is nothing to replace it by"),
]


@pytest.mark.parametrize(("make", "said"), REFUSED, ids=[said for _, said in REFUSED])
def test_what_is_no_design_is_refused(make, said):
    with pytest.raises(md.DomainError, match=said):
        make()
