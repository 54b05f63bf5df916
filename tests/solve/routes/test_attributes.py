"""Marginals of binary attributes: sets of few attributes against brute force, other routes and closed forms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.search.sets_of_attributes import all_kinds, best_kinds, degrees, placed


def marginals(attributes, order=2):
    return md.InformationDesign("A", queries=md.queries.marginals([2] * attributes, order))


def images_of(members, attributes):
    """All images of a set under flips and permutations of bits, by applying each of them."""
    vectors = list(itertools.product((0, 1), repeat=attributes))
    chosen = {vector for vector, inside in zip(vectors, members, strict=True) if inside}
    found = set()
    for order in itertools.permutations(range(attributes)):
        for flips in vectors:
            image = {tuple(vector[k] ^ flips[k] for k in order) for vector in chosen}
            found.add(tuple(vector in image for vector in vectors))
    return found


def test_images_are_those_of_all_flips_and_permutations(rng):
    for members in rng.random((4, 16)) < 0.5:
        assert {tuple(map(bool, row)) for row in placed(members, 4)} == images_of(members, 4)
    for four in (np.arange(16) >= 8, (np.arange(16) // 4) == 3, degrees(4) == 1):
        embedded = np.repeat(four, 2)
        assert {tuple(map(bool, row)) for row in placed(four, 5)} == images_of(embedded, 5)


def test_spectra_are_squared_fourier_coefficients():
    kinds = all_kinds()
    vectors = np.array(list(itertools.product((0, 1), repeat=4)))
    for row in range(0, len(kinds.share), 10):
        one = kinds.members[row].astype(float)
        of_degree = np.zeros(5)
        for chosen in vectors:
            of_degree[chosen.sum()] += (one * (-1.0) ** (vectors @ chosen)).mean() ** 2
        assert np.allclose(of_degree[1:], kinds.spectrum[row]) and of_degree[0] == pytest.approx(kinds.share[row] ** 2)
        assert of_degree.sum() == pytest.approx(kinds.share[row])


def test_every_set_of_four_attributes_is_of_a_kind(rng):
    kinds = all_kinds()
    known = {tuple(row) for row in np.column_stack([kinds.share, kinds.spectrum]).round(8)}
    vectors = np.array(list(itertools.product((0, 1), repeat=4)))
    characters = (-1.0) ** (vectors @ vectors.T)
    for members in rng.random((50, 16)) < 0.4:
        if members.any() and not members.all():
            squares = (characters @ members / 16) ** 2
            spectrum = [squares[vectors.sum(axis=1) == degree].sum() for degree in range(1, 5)]
            assert tuple(np.round([members.mean(), *spectrum], 8)) in known


def test_one_way_marginals_of_many_attributes_are_an_attribute_drawn_at_random():
    # At a large epsilon one attribute by the response of Warner is the best set of a single degree.
    kinds, probabilities = best_kinds(np.array([1.0, 0.0, 0.0, 0.0]), 8, 1.0001)
    best = kinds[np.array([int(np.argmax(probabilities))])]
    assert best.spectrum[0, 0] == pytest.approx(all_kinds().spectrum[all_kinds().share == 0.5, 0].max())


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_they_are_at_least_as_good_as_columns_that_are_drawn(epsilon):
    problem, notion, asked = md.Problem(n=32), md.LDP(epsilon), marginals(5)
    made = md.design(problem, notion, asked, gap=0.2)
    drawn = md.design(problem, notion, asked, route="drawn", gap=0.2)
    assert made.route == "attributes" and made.value <= drawn.value * (1 + 1e-9)
    assert drawn.bound <= made.value and made.bound <= drawn.value
    assert made.audit.holds and made.value == pytest.approx(asked.value(made.matrix, problem), rel=1e-12)


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
def test_four_attributes_are_certified_over_all_sets(epsilon, order):
    made = md.design(md.Problem(n=16), md.LDP(epsilon), marginals(4, order), gap=1e-6)
    assert made.route == "attributes" and made.gap <= 1e-6


def test_four_attributes_are_the_optimum_of_another_route():
    made, other = (
        md.design(md.Problem(n=16), md.LDP(2.0), marginals(4), route=route, gap=1e-5) for route in ("auto", "weights")
    )
    assert made.route == "attributes" and other.gap <= 1e-5
    assert made.value == pytest.approx(other.value, rel=1e-5)


@pytest.mark.parametrize(("attributes", "order"), [(6, 1), (7, 2), (8, 2), (6, 3)])
def test_many_attributes_are_certified(attributes, order):
    made = md.design(md.Problem(n=1 << attributes), md.LDP(1.0), marginals(attributes, order), gap=0.25)
    assert made.route == "attributes" and made.audit.holds
    assert made.gap <= (3e-3 if order == 2 else 0.25)


def test_other_workloads_are_refused():
    lopsided = md.InformationDesign("A", queries=np.eye(32)[:4])
    five_way = marginals(5, 5)
    for objective, word in ((lopsided, "flipped or permuted"), (five_way, "flipped or permuted")):
        with pytest.raises(md.UnsupportedError, match=word):
            md.design(md.Problem(n=32), md.LDP(1.0), objective, route="attributes")
    skewed = md.Problem(prior=np.arange(1.0, 33.0) / np.arange(1.0, 33.0).sum())
    with pytest.raises(md.UnsupportedError, match="equally frequent"):
        md.design(skewed, md.LDP(1.0), marginals(5), route="attributes")
    with pytest.raises(md.UnsupportedError, match="binary attributes"):
        md.design(md.Problem(n=33), md.LDP(1.0), md.InformationDesign("A", queries="prefix"), route="attributes")
