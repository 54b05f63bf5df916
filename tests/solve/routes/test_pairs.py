"""Every accepting route agrees on every pair of notion and objective, and the generated pages say which they are."""

from __future__ import annotations

import re
import warnings
import zlib

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.task import Task
from mechdesign.testing import pairs, sized
from mechdesign.testing.catalogue import all_notions, all_objectives, forgotten

#: The gap that an exact route may have where it is not 1e-6, and from how many inputs on. The error is next to 0 beside
#: what it is without a report; flows bound exponents where the rays are too many; programs over power cones.
WIDE = {
    ("ProfileDP", "MMSE"): (2, np.inf),
    ("CentralizedIP", "MMSE"): (2, np.inf),
    ("ApproximateLDP", "ChernoffExponent"): (8, 5e-3),
    ("ApproximateLDP", "HoeffdingExponent"): (8, 5e-3),
    ("SibsonLeakage", "AbsoluteError"): (2, 1e-5),
    ("SibsonLeakage", "MutualInformation"): (5, 1e-5),
    # The route minimax stalls there, and says so; the program over all pairs is at 1e-13.
    ("MetricDP", "WorstCaseLoss"): (8, 1e-4),
    # Parts of the slice of all columns in four dimensions, under a cone with a curved side.
    ("MutualInformationPrivacy", "MeanInformation"): (5, 5e-3),
    # The gaps at which the search of scores ends there, and which it states; why it stalls is not known.
    ("GLeakage", "UnbiasedMean"): (8, 1e-2),
    ("ProfileDP", "UnbiasedMean"): (8, np.inf),
    ("CentralizedIP", "UnbiasedMean"): (8, 1e-5),
}

PAIRS = [(notion, objective) for notion in sized.NOTIONS for objective in sized.OBJECTIVES]


def test_every_member_has_a_sized_example():
    problem = sized.sized_problem(2, np.random.default_rng(0))
    for table, members in ((sized.NOTIONS, all_notions()), (sized.OBJECTIVES, all_objectives())):
        for name, member in members.items():
            assert type(table[name](problem, np.random.default_rng(0))) is member, forgotten(member, "sized")


def designs(notion, objective, n):
    rng = np.random.default_rng(zlib.crc32(f"{notion} {objective} {n} agree".encode()))
    asked = sized.some_pair(notion, objective, n, rng)
    if asked is None:
        return {}
    problem, made, wanted = asked
    inputs = made.inputs(problem)
    found = {}
    for name, route in ROUTES.items():
        if route.refusal(Task(inputs, made, wanted)) is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", md.GapWarning)
                try:
                    found[name] = md.design(problem, made, wanted, route=name)
                except md.SolverError:
                    # No known mechanism may have a finite value.
                    assert not route.is_exact
    return found


def consistent(found):
    """Every value is within every bound, and designs whose gap is closed have one value."""
    for one in found.values():
        assert one.audit.holds
        for other in found.values():
            sign = -1 if one.mechanism.question.objective.sense == "minimise" else 1
            scale = max(abs(one.value), abs(other.bound), 1e-6)
            assert sign * (one.value - other.bound) <= 1e-8 * scale, (one, other)
            # A gap that is wide is relative to another size than this one.
            if ROUTES[one.route].is_exact and ROUTES[other.route].is_exact:
                assert abs(one.value - other.value) <= (one.gap + other.gap + 1e-6) * scale


@pytest.mark.thinned(40)
@pytest.mark.parametrize("n", [3, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 5, 8))])
@pytest.mark.parametrize(("notion", "objective"), PAIRS)
def test_accepting_routes_agree(notion, objective, n):
    found = designs(notion, objective, n)
    consistent(found)
    least, wide = WIDE.get((notion, objective), (0, 1e-6))
    most = wide if n >= least else 1e-6
    assert all(one.gap <= most for one in found.values() if ROUTES[one.route].is_exact)


def test_the_table_says_who_answers(monkeypatch):
    monkeypatch.setattr(pairs, "SIZES", (2,))
    lines = pairs.table().splitlines()
    sizes = [line.split(" | ") for line in lines if line.startswith(tuple(f"| {name} | " for name in sized.OBJECTIVES))]
    assert len(sizes) == len(sized.OBJECTIVES) and {len(row) for row in sizes} == {1 + len(sized.NOTIONS)}
    assert {cell.strip(" |") for row in sizes for cell in row[1:]} == {"2", "-"}
    # A section for each notion, and each objective in one of its rows, or among those that none answers.
    text = "\n".join(lines)
    sections = text.split(":::{dropdown} ")[1:]
    assert [section.splitlines()[0] for section in sections] == list(sized.NOTIONS)
    for section in sections:
        assert all(re.search(rf"\b{name}\b", section) for name in sized.OBJECTIVES)
    assert re.search(r"\| rays \(2\), columns \(2\)[^|]*\| [^|]*MMSE", sections[list(sized.NOTIONS).index("LDP")])
