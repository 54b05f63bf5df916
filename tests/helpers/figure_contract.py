"""What every recomputed figure has to keep: `faults` says what it does not; levels are computed without the package."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np

import mechdesign as md
from mechdesign.figures.figure import FAITHFUL

#: How far rounding may take a level beyond what is asked, and a value beyond a bound, relative to it.
ROUNDING = 1e-9


def ratio_level(matrix, prior):
    """Return ``max |ln Pr(y | x) / Pr(y)|``, infinite where an entry is zero and its column is not."""
    mass = prior @ matrix
    used = mass > 0
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(matrix[:, used] / mass[used])).max())


def level(matrix, notion, problem):
    """Return the level of a matrix, by the definitions in plain floats."""
    matrix = np.asarray(matrix, dtype=float)
    if matrix.min() < 0 or not np.allclose(matrix.sum(axis=1), 1.0, atol=1e-9):
        return np.inf
    if isinstance(notion, md.LDP):
        used = matrix[:, matrix.max(axis=0) > 0]
        with np.errstate(divide="ignore"):
            return max(float(np.abs(np.log(used[i] / used[j])).max()) for i, j in combinations(range(len(used)), 2))
    if isinstance(notion, md.LIP):
        return ratio_level(matrix, np.asarray(problem.prior))
    if isinstance(notion, md.BoundedPriorLIP):
        a, b = max(notion.lower[1], 1 - notion.upper[0]), min(notion.upper[1], 1 - notion.lower[0])
        # Of a bit the mass of a column is linear in the prior, so the ends of the range are the worst.
        return max(ratio_level(matrix, np.array([1 - p, p])) for p in (a, b))
    assert isinstance(notion, md.CentralizedIP), f"the contract does not know {notion.name}"
    return max(_record_level(matrix, np.asarray(notion.priors), person) for person in range(len(notion.priors)))


def _record_level(matrix, priors, person):
    """Return the level of one bit whose sum with the others' bits is what the matrix takes."""
    others = np.ones(1)
    for at, row in enumerate(priors):
        others = np.convolve(others, row) if at != person else others
    given = np.array([np.append(others, 0.0), np.append(0.0, others)])
    return ratio_level(given @ matrix, priors[person])


def kept(behind):
    """Return whether every mechanism behind a point keeps its level."""
    return all(
        level(matrix, notion, problem) <= notion.parameter * (1 + ROUNDING) + 1e-12
        for matrix, notion, problem in behind
    )


def beyond(y, limit, better):
    """Return where heights are beyond a bound."""
    room = ROUNDING * np.maximum(np.abs(limit), np.abs(y))
    return y < limit - room if better == "lower" else y > limit + room


def _of_flags(figure):
    for curve in figure.curves:
        if curve.kind == "feasible" and not np.all(curve.private):
            yield f"{curve.name} is feasible, and not private everywhere"
        if figure.better and curve.kind != "bound" and len(curve.behind) != len(curve.x):
            yield f"{curve.name} has no mechanisms behind its points"
        for x, flag, behind in zip(curve.x, curve.private, curve.behind, strict=False):
            if bool(flag) != kept(behind):
                yield f"{curve.name} is flagged private = {bool(flag)} at {x:g}, and is not so"


def _bounded_by(figure):
    """Yield the bounds and the curves that they are of: by what they are beside, or by their names."""
    named = {curve.name: curve for curve in figure.curves}
    for bound in (curve for curve in figure.curves if curve.kind == "bound"):
        of = named.get(bound.beside or bound.name.replace("bound", "optimum"))
        if of is not None:
            yield bound, of


def _of_bounds(figure):
    for bound, of in _bounded_by(figure):
        senses = [figure.better] if figure.better else ["lower", "higher"]
        if all(beyond(of.y, bound.y, better).any() for better in senses):
            yield f"{of.name} is beyond its bound"
        yield from _of_published(figure, bound, of)


def _of_published(figure, bound, of):
    for curve in figure.curves:
        if figure.better and curve.kind == "published" and curve.beside == of.name:
            private = np.asarray(curve.private, dtype=bool)
            if (private & beyond(curve.y, np.interp(curve.x, bound.x, bound.y), figure.better)).any():
                yield f"{curve.name} is flagged private, and beyond the bound of {of.name}"


def _of_words(figure):
    # Where a way of the axis is better, a question about people with a prior is behind it.
    said = [r"\bn = ", "prior"] if figure.better else [r"\d"]
    if not all(re.search(what, figure.setting) for what in said):
        yield "the setting does not say n and the prior"
    numbers = set(re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", figure.because))
    heights = {f"{y:.4g}" for curve in figure.curves for y in curve.y}
    if not (numbers & heights if figure.better else numbers):
        yield "the reason has no number of the curves"


def _of_conclusion(figure):
    if figure.conclusion != "kept":
        return
    for curve in figure.curves:
        private = np.asarray(curve.private, dtype=bool)
        if curve.kind != "published" or private.all():
            continue
        if not curve.beside:
            if figure.better:
                yield f"the conclusion is kept, and {curve.name} is not private and beside nothing"
            continue
        other = figure.curve(curve.beside)
        at = np.interp(curve.x, other.x, other.y)
        if (np.abs(curve.y - at) > FAITHFUL * np.abs(at))[~private].any():
            yield f"the conclusion is kept, and {curve.name} is not private and far from {curve.beside}"


def faults(figure):
    """Return what is wrong with a figure, in sentences."""
    if not figure.curves:
        right = figure.conclusion == "cannot be recomputed" and figure.because.strip()
        return [] if right else ["it has no curves, and does not say that it cannot be recomputed, or why"]
    found = ["it has curves, and says that it cannot be recomputed"] * (figure.conclusion == "cannot be recomputed")
    parts = (_of_flags, _of_bounds, _of_words, _of_conclusion)
    return found + [fault for part in parts for fault in part(figure)]
