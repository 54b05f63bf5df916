"""The keywords of `design`: one class holds them all, and each is refused alike wherever it is given."""

import inspect
from dataclasses import fields

import pytest

import mechdesign as md
from mechdesign.designing import settings
from mechdesign.designing.settings import Settings, all_but
from mechdesign.solve.choose import ROUTES

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
ASKED = (PROBLEM, md.LDP(1.0), md.MMSE())

#: A value outside its domain for each keyword, and what is said of it.
WRONG = {
    "route": ("ray", 'route is ray, .*"rays"'),
    "outputs": (0, "outputs is 0, .*at least 1"),
    "solver": ((), "solver is .*a name or a list of names"),
    "gap": (0.0, "gap is 0.0, .*above 0"),
    "within": (1.5, "within is 1.5, .*at most 1"),
    "time_limit": (-1.0, "time_limit is -1.0, .*at least 0"),
    "memory_limit": (float("nan"), "memory_limit is nan, .*at least 0"),
    "subject_to": (3, "subject_to is 3, .*a function of Q"),
    "verbose": (1, "verbose is 1, .*true or false"),
    "solver_verbose": ("no", "solver_verbose is no, .*true or false"),
    "threads": (1.5, "threads is 1.5, .*whole number"),
    "proof": (None, "proof is None, .*true or false"),
}


def keywords_of(call):
    """Return the keyword arguments of a function and their defaults."""
    found = inspect.signature(call).parameters.values()
    return {part.name: part.default for part in found if part.kind is inspect.Parameter.KEYWORD_ONLY}


def test_they_are_those_of_design_with_its_defaults():
    # A central guarantee is searched for by designs at many levels, each with the other keywords.
    asked = {name: default for name, default in keywords_of(md.design).items() if name != "central"}
    assert {field.name: field.default for field in fields(Settings)} == asked


def test_each_is_refused_outside_its_domain():
    assert set(WRONG) == set(all_but("theorems"))
    for name, (value, said) in WRONG.items():
        for call in (lambda: Settings(**{name: value}), lambda: md.design(*ASKED, **{name: value})):  # noqa: B023 - called at once
            with pytest.raises(md.DomainError, match=f"^{said}"):
                call()


#: Studies that take keywords of `design`, each with a question, and those that they have besides.
STUDIES = {
    "frontier": (lambda **given: md.frontier(PROBLEM, md.LDP, md.MMSE(), [0.5], **given), {"proof"}),
    "sweep": (lambda **given: md.sweep(*ASKED, n_jobs=1, progress=False, **given), set()),
    "calibrate": (lambda **given: md.calibrate(PROBLEM, md.LDP, md.MMSE(), 0.5, **given), {"time_limit"}),
    "split_budget": (
        lambda **given: md.split_budget([PROBLEM, PROBLEM], md.LDP(1.0), md.HammingLoss(), **given),
        {"gap", "within", "time_limit"},
    ),
}


@pytest.mark.parametrize("study", STUDIES)
def test_studies_refuse_the_same_at_once(study):
    call, own = STUDIES[study]
    for name in {"route", "outputs", "solver", "memory_limit", "threads"} | own:
        value, said = WRONG[name]
        with pytest.raises(md.DomainError, match=f"^{said}"):
            call(**{name: value})


@pytest.mark.parametrize("study", STUDIES)
def test_studies_refuse_what_they_do_not_take(study):
    with pytest.raises(md.DomainError, match=r"^theorems is \(\), but a .* has no such keyword"):
        STUDIES[study][0](theorems=())


def test_comparisons_take_them_too():
    for name, (value, said) in WRONG.items():
        if name in keywords_of(md.compare):
            with pytest.raises(md.DomainError, match=f"^{said}"):
                md.compare(*ASKED, **{name: value})


def test_routes_are_those_that_there_are():
    assert [Settings(route=name).route for name in ROUTES] == list(ROUTES)


def test_a_keyword_without_a_check_is_caught(monkeypatch):
    monkeypatch.delitem(settings._DOMAINS, "threads")
    with pytest.raises(pytest.fail.Exception):
        test_each_is_refused_outside_its_domain()
