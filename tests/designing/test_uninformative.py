"""A design that ignores its input says so, however it came about."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock

SIDE = np.array([(i, j) for i in range(7) for j in range(7)])
GRID = np.abs(SIDE[:, None] - SIDE).sum(axis=2).astype(float)


def test_a_time_limit_that_leaves_nothing_but_a_known_mechanism_says_what_that_is() -> None:
    survey = md.Problem(prior=np.full(49, 1 / 49))
    with pytest.warns(md.GapWarning) as said, reading(CountingClock()):
        made = md.design(survey, md.MetricDP(0.5, GRID), md.ExpectedLoss(GRID), time_limit=1e-3)
    constant = bool(np.all(made.matrix == made.matrix[0]))
    assert made.uninformative == constant == ("uninformative" in repr(made))
    assert constant == ("uninformative: it ignores its input" in str(said[0].message))


def test_nothing_may_be_told_at_level_0_and_that_is_said() -> None:
    made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(0.0), md.MMSE())
    assert made.uninformative and "uninformative" in repr(made)
    other = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())
    assert not other.uninformative and "uninformative" not in repr(other)


@pytest.mark.parametrize(("epsilon", "told"), [(0.0, True), (1.0, False)])
def test_the_command_says_so(epsilon: float, told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "asked.toml"
    file.write_text(
        f'[problem]\nprior = [0.5, 0.5]\nvalues = [0, 1]\n[notion]\nname = "LDP"\nepsilon = {epsilon}\n'
        '[objective]\nname = "MMSE"\n'
    )
    with pytest.raises(SystemExit):
        commands.main(["design", str(file), "--output", str(tmp_path / "made.json")])
    assert ("UNINFORMATIVE" in capsys.readouterr().out) == told
