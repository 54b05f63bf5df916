"""A former name works for one minor version, and its warning says which one follows and until when it works."""

import warnings

import pytest

import mechdesign as md
from mechdesign.runtime import deprecation
from mechdesign.runtime.deprecation import Recast, Renamed

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 2.0])
RENAMED = {name: each for name, each in vars(deprecation).items() if isinstance(each, Renamed | Recast)}


def frontier(*levels, **keywords):
    return md.frontier(PROBLEM, md.LDP, md.MMSE(), *levels, **keywords).values.tolist()


def sweep(*levels, **keywords):
    rows = md.sweep(PROBLEM, md.LDP, md.MMSE(), *levels, n_jobs=1, progress=False, **keywords)
    return [(row.level, row.value) for row in rows]


ASKED = (frontier, sweep)


def minor(version):
    return tuple(int(part) for part in version.split(".")[:2])


@pytest.mark.parametrize("name", RENAMED)
def test_what_is_to_go_has_gone_by_its_version(name):
    assert minor(md.__version__) < minor(RENAMED[name].gone)


@pytest.mark.parametrize("asked", ASKED)
def test_levels_are_taken_by_place_and_by_either_name(asked):
    by_place = asked([0.5, 1.0])
    assert asked(levels=[0.5, 1.0]) == by_place
    with pytest.warns(FutureWarning, match=r"epsilons is called levels now and goes in mechdesign 0\.3\.0") as caught:
        assert asked(epsilons=[0.5, 1.0]) == by_place
    # The line that is to be changed, not one of ours.
    assert [warning.filename for warning in caught] == [__file__]


@pytest.mark.parametrize("asked", ASKED)
def test_the_present_name_does_not_warn(asked):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        asked([1.0])
        asked(levels=[1.0])


@pytest.mark.parametrize("asked", ASKED)
def test_both_names_are_refused(asked):
    for given, keywords in ((([1.0],), {}), ((), {"levels": [1.0]})):
        with pytest.raises(md.DomainError, match=r"epsilons is .* former name of levels, which is given too"):
            asked(*given, **keywords, epsilons=[2.0])


@pytest.mark.parametrize("given", [{}, {"levels": None}, {"levels": []}, {"levels": 1.0}])
def test_a_frontier_asks_for_its_levels_by_name(given):
    with pytest.raises(md.DomainError, match=r"^levels is "):
        frontier(**given)


def test_the_former_module_of_estimates_warns_at_the_line_that_imports_from_it():
    from mechdesign.estimation import Estimate

    with pytest.warns(FutureWarning, match=r"mechdesign\.channel goes in mechdesign 0\.3\.0") as caught:
        from mechdesign.channel import Estimate as Former
    assert Former is Estimate and [warning.filename for warning in caught] == [__file__]
    with pytest.raises(ImportError, match="nothing"):
        from mechdesign.channel import nothing  # noqa: F401 - it is not there
