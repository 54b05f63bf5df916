"""What a file claims is derived again: never more than follows is accepted, and never more is returned."""

import contextlib
import itertools
import json
import math
import warnings
import zlib

import numpy as np
import pytest

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.task import Task
from mechdesign.testing import sized

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 3])
WIDE = md.Problem(prior=np.random.default_rng(3).dirichlet(np.ones(30)), values=np.sin(np.arange(30.0)))
#: A minimum and a maximum, small and large numbers, a gap of zero and one that is none.
DESIGNS = {
    "MMSE": lambda: md.design(SURVEY, md.LIP(1.0), md.MMSE()),
    "information": lambda: md.design(SURVEY, md.LDP(1.0), md.MutualInformation()),
    "little information": lambda: md.design(SURVEY, md.LDP(1e-3), md.MutualInformation()),
    "wide": lambda: md.design(WIDE, md.LIP(1.0), md.MMSE(), gap=1e-3),
    "design": lambda: md.design(SURVEY, md.LDP(2.0), md.InformationDesign("A")),
    "exponent": lambda: md.design(md.Problem(n=3), md.LDP(1.0), md.ChernoffExponent([0.2, 0.3, 0.5], [0.5, 0.3, 0.2])),
}


@pytest.fixture(params=DESIGNS, scope="module")
def made(request):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return DESIGNS[request.param]()


def claiming(made, path, **claims):
    """Return the file of a design that claims something else, its checksum made again."""
    data = json.loads(made.mechanism.save(path, overwrite=True).read_text())
    data["claims"].update(claims)
    path.write_text(json.dumps(sealed(data)))
    return path


def visible(made, share):
    """Return a share that is no rounding: where little is told, the terms of its sums are far larger than they are."""
    return math.copysign(max(abs(share), 2e-14 / abs(made.value)), share)


def better(made, share):
    """Return a bound that is better than the design's by that share of it."""
    share = visible(made, share)
    worse = 1.0 if made.mechanism.question.objective.sense == "maximise" else -1.0
    return made.bound - worse * share * abs(made.bound)


@pytest.mark.parametrize("share", [9e-7, 1e-9, 1e-11])
def test_a_bound_that_is_too_good_is_refused_however_little(share, made, tmp_path):
    assert md.load(claiming(made, tmp_path / "a.json")) == made.mechanism
    with pytest.raises(md.CertificateError, match="claims bound"):
        md.load(claiming(made, tmp_path / "a.json", bound=better(made, share)))


@pytest.mark.parametrize("share", [9e-7, -9e-7, 1e-9, -1e-9])
def test_another_value_is_refused(share, made, tmp_path):
    with pytest.raises(md.CertificateError, match="claims value"):
        md.load(claiming(made, tmp_path / "a.json", value=made.value * (1 + visible(made, share))))


def test_a_gap_that_is_too_good_is_refused(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = DESIGNS["wide"]()
    assert made.gap > 1e-7
    for gap in (0.0, made.gap * (1 - 9e-7), made.gap - 1e-9, -made.gap):
        with pytest.raises(md.CertificateError, match="claims gap"):
            md.load(claiming(made, tmp_path / "a.json", gap=gap))


@pytest.mark.parametrize("name", ["value", "bound", "gap"])
def test_what_is_no_number_is_refused(name, made, tmp_path):
    worst = math.inf if made.mechanism.question.objective.sense == "maximise" else -math.inf
    for claim in (math.nan, "nan", "1", None, True, 10**400, -worst, str(-worst)):
        if name == "gap" and claim in (math.inf, "inf"):
            # No bound is claimed at all, which is less than follows.
            continue
        with pytest.raises(md.CertificateError):
            md.load(claiming(made, tmp_path / "a.json", **{name: claim}))


def test_last_digits_are_no_lie_and_are_not_returned(made, tmp_path):
    for toward in (-math.inf, math.inf):
        claims = {name: float(np.nextafter(getattr(made, name), toward)) for name in ("value", "bound")}
        assert md.load(claiming(made, tmp_path / "a.json", **claims)) == made.mechanism


def test_less_than_follows_is_accepted_and_not_returned(made, tmp_path):
    weaker = claiming(made, tmp_path / "a.json", bound=better(made, -0.1), gap=0.5)
    assert md.load(weaker) == made.mechanism


@pytest.mark.parametrize("outputs", [None, 2])
def test_the_route_is_one_that_answers_the_question(outputs, tmp_path):
    """Of all routes by name those are accepted that would have answered, and the design's own is."""
    question = SURVEY, md.LIP(1.0), md.MMSE()
    made = md.design(*question, outputs=outputs)
    answering = {name for name, route in ROUTES.items() if route.refusal(Task(*question, outputs)) is None}
    assert made.route in answering and 0 < len(answering) < len(ROUTES)
    for name in ROUTES:
        path = claiming(made, tmp_path / "a.json", route=name)
        if name in answering:
            assert md.load(path).certificate.route == name
        else:
            with pytest.raises(md.CertificateError, match=f"names the route '{name}', which does not answer"):
                md.load(path)
    for name in ("auto", "", "Rays", "rays ", 3):
        with pytest.raises(md.CertificateError, match=r"names the route|wrong one"):
            md.load(claiming(made, tmp_path / "a.json", route=name))


def test_constraints_of_ones_own_are_answered_by_one_route_alone(tmp_path):
    question = SURVEY, md.LDP(1.0), md.ExpectedLoss(1.0 - np.eye(3))
    free, own = md.design(*question), md.design(*question, subject_to=lambda Q: [Q[0, 0] <= 0.5])
    assert free.route != "convex" == own.route
    with pytest.raises(md.CertificateError, match="constraints of your own"):
        md.load(claiming(own, tmp_path / "a.json", route=free.route))
    # Whatever those constraints are said to be, the bound that is returned holds without them.
    assert md.load(own.mechanism.save(tmp_path / "a.json", overwrite=True)).certificate.bound <= free.value * (1 + 1e-9)


WIDENED = [
    (md.Problem(values=[0, 1, 2, 3]), md.CentralizedIP(0.5, [[0.4, 0.6], [0.1, 0.2, 0.7]]), md.AbsoluteError()),
    (md.Problem(values=[0, 1, 2]), md.CentralizedIP(0.5, [[0.4, 0.6], [0.3, 0.7]]), md.MMSE()),
    (
        md.Problem(values=[0, 1, 3]),
        md.ProfileDP(1.0, [[0.5, 0.25, 0.25], [0.125, 0.625, 0.25]], [(0, 1)], True, [0.5, 0.5]),
        md.MMSE(),
    ),
]


@pytest.mark.parametrize(("problem", "notion", "objective"), WIDENED, ids=["absolute error", "MMSE", "profiles"])
def test_claims_are_derived_over_the_inputs_that_the_notion_sees(problem, notion, objective, tmp_path):
    """The problem alone has no prior here, or no secret: value and bound follow from what the notion adds to it."""
    made = md.design(problem, notion, objective)
    loaded = md.load(made.mechanism.save(tmp_path / "a.json"))
    assert loaded == made.mechanism
    inputs = notion.inputs(problem)
    assert inputs != problem and loaded.outputs == made.mechanism.outputs
    assert loaded.certificate.bound == pytest.approx(made.value, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("notion", sized.NOTIONS)
def test_every_pair_of_the_catalogue_comes_back_as_it_was(notion, tmp_path):
    """A file is what saving the loaded mechanism would write: no member may change its parameters on the way."""
    made = 0
    for objective, size in itertools.product(sized.OBJECTIVES, (2, 3)):
        rng = np.random.default_rng(zlib.crc32(f"{notion} {objective} {size}".encode()))
        asked = sized.some_pair(notion, objective, size, rng)
        if asked is None:
            continue
        with warnings.catch_warnings(), contextlib.suppress(md.UnsupportedError):
            warnings.simplefilter("ignore", md.GapWarning)
            mechanism = md.design(*asked).mechanism
            assert md.load(mechanism.save(tmp_path / "a.json", overwrite=True)) == mechanism, objective
            made += 1
    assert made > 0
