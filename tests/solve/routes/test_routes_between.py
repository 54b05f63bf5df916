"""Routes held against each other at 30 to 100 inputs, where no brute force reaches; and liars among them are caught."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.choose import ROUTES
from mechdesign.testing.clock import CountingClock
from tests.helpers.many_inputs import MANY

#: Solvers that are named where a route takes several.
SOLVERS = {"columns": ("STRUCTURED", "CLARABEL", "HIGHS"), "convex": ("CLARABEL", "HIGHS", "ECOS"), "lifts": ("HIGHS",)}
#: Seeds of each kind in the default run, and in all: about a minute together.
FIRST, ALL = 2, 22
MORE = {"finitely many decisions": 42, "a ratio under LIP of even priors": 10}
#: What two computations of one number may differ by: as a share of it, and of all that information can change.
SHARE, NOISE, ROUNDED = 1e-9, 1e-13, 1e-11
CERTIFIED = 1e-6


@dataclass(frozen=True)
class Answer:
    """What a route says, in utility, and what is true of its matrix by definition."""

    name: str
    value: float
    bound: float
    gap: float
    #: What the gap is relative to.
    size: float
    told: float
    private: bool
    slack: float = 0.0
    decided: bool = False


def answer(name, made, way, asked):
    """Return the design as an answer to the question that `way` puts otherwise."""
    sign = 1.0 if made.mechanism.question.objective.sense == "maximise" else -1.0
    matrix = np.asarray(made.by_decision)
    matrix = matrix if way.rows is None else matrix[way.rows]
    value, bound = sign * made.value + way.shift, sign * made.bound + way.shift
    size = max(abs(made.value), abs(made.bound), 1e-6 * asked.span)
    private = asked.private(matrix) and made.audit.holds
    return Answer(name, value, bound, made.gap, size, asked.utility(matrix), private, way.slack, asked.decided)


def answers(way, asked):
    """Ask every route, by each of its solvers, and return what those say that take the question."""
    found = []
    for route in way.routes or [name for name, route in ROUTES.items() if name != "few_outputs" and route.is_exact]:
        for solver in SOLVERS.get(route, (None,)):
            if solver in way.without or route == "few_outputs":
                continue
            made = designed(way, route=route, solver=solver)
            if made is not None:
                found.append((" ".join(filter(None, [route, solver, way.label])), made))
    missing = [route for route in way.needed if not any(name.startswith(route) for name, _ in found)]
    assert not missing, f"{way.notion}, {way.objective}: no answer of {missing}"
    # As many outputs as the optimum has lose nothing.
    taken = min((outputs(made) for _, made in found), default=asked.few + 1)
    if 1 < taken <= asked.few and (not way.routes or "few_outputs" in way.routes):
        with reading(CountingClock()):
            made = designed(way, route="few_outputs", outputs=taken, time_limit=2.0)
        if made is not None:
            found.append((f"few_outputs {way.label}", made))
    return [answer(name, made, way, asked) for name, made in found]


def designed(way, **keywords):
    """Return the design, or None where the route refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        try:
            return md.design(way.problem, way.notion, way.objective, **keywords)
        except md.UnsupportedError:
            return None
        except md.SolverError as error:
            # Our interior point is for bands of the inputs, and says so.
            if "choose" in str(error) and keywords.get("solver") == "STRUCTURED":
                return None
            raise


def outputs(made):
    return int(np.count_nonzero(np.asarray(made.matrix).max(axis=0)))


def agree(found, span):
    """Assert that each answer is what it says, that no value passes a bound, and that certified values are one."""
    assert len(found) > 1, "nothing to compare"
    for a in found:
        width, noise = a.bound - a.value, NOISE * span
        assert width >= -noise - SHARE * a.size, f"{a}: the bound is passed by its own value"
        assert width <= max(a.gap * (1 + 1e-9), 2e-7) * a.size + noise, f"{a}: the gap is too small"
        # The value's own rounding counts as a gap: of sums over all entries, some 1e5 units at most here.
        assert a.gap * a.size <= width * (1 + 1e-6) + 2e-12 * span + ROUNDED * a.size, f"{a}: the gap is too large"
        off, most = SHARE * abs(a.value) + 1e-12 * span + a.slack, a.bound if a.decided else a.value
        assert a.value - off <= a.told <= most + off, f"{a}: the matrix is not worth that"
        assert a.private, f"{a}: not private"
    for a in found:
        for b in found:
            scale, slack = scale_of(a, b, span), a.slack + b.slack + 10 * NOISE * span
            assert a.value <= b.bound + SHARE * scale + slack, f"{a} passes the bound of {b}"
            if max(a.bound - a.value, b.bound - b.value) <= CERTIFIED * scale:
                assert abs(a.value - b.value) <= 2 * CERTIFIED * scale + slack, f"{a} and {b} differ"


def scale_of(a, b, span):
    return max(abs(a.value), abs(b.value), CERTIFIED * span)


def inside(narrower, wider, span):
    """Assert that what a narrower cone reaches, a wider one does not rule out."""
    for a in narrower:
        for b in wider:
            assert a.value <= b.bound + SHARE * scale_of(a, b, span) + a.slack + b.slack, f"{a} passes {b}"


def held(asked):
    """Ask all, and hold the answers against each other."""
    found = [one for way in asked.ways for one in answers(way, asked)]
    agree(found, asked.span)
    for way in asked.wider:
        inside(found, answers(way, asked), asked.span)
    for way in asked.narrower:
        inside(answers(way, asked), found, asked.span)
    return found


@pytest.mark.thinned(12)
@pytest.mark.parametrize("seed", range(FIRST))
@pytest.mark.parametrize("kind", MANY)
def test_routes_agree(kind, seed):
    held(MANY[kind](seed))


@pytest.mark.slow
@pytest.mark.parametrize("kind", MANY)
def test_routes_agree_on_many(kind):
    for seed in range(FIRST, MORE.get(kind, ALL)):
        try:
            held(MANY[kind](seed))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error


# Liars ------------------------------------------------------------------------------------------------------------


def test_a_liar_among_routes_is_caught():
    """One route whose numbers are all 1e-5 off, one whose bound is as much too tight, one whose gap is."""
    asked = MANY["a ratio under LDP"](0)
    found = held(asked)
    off = 1e-5 * abs(found[0].value)
    for i, honest in enumerate(found):
        better, worse = (
            replace(honest, value=honest.value + d, bound=honest.bound + d, told=honest.told + d) for d in (off, -off)
        )
        # A worse matrix, with the bound that would make it optimal.
        tight = replace(worse, bound=worse.value, gap=0.0)
        alone = replace(honest, value=honest.value - off)
        below = replace(honest, bound=honest.bound - off)
        open_ = replace(honest, private=False)
        wide = replace(honest, gap=2.0 * honest.gap + 1e-9)
        for liar in (better, worse, tight, alone, below, open_, wide):
            with pytest.raises(AssertionError):
                agree([*found[:i], liar, *found[i + 1 :]], asked.span)
