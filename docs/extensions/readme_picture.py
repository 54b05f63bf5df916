"""Draw the picture of the README: ``python docs/extensions/readme_picture.py`` writes ``docs/static/frontier.svg``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib import rc_context

import mechdesign as md
from mechdesign import plotting
from mechdesign.cli.question_file import read_question

ROOT = Path(__file__).parents[2]
TARGET = ROOT / "docs" / "static" / "frontier.svg"
LEVELS = np.linspace(0.1, 4.0, 14)


def main() -> None:
    """Draw what each level costs under three notions, for the question of `examples/adult-education.toml`."""
    asked = read_question(ROOT / "examples" / "adult-education.toml").question
    notions = (md.LDP, md.LIP, md.MaxLift)
    curves = {kind.__name__: md.frontier(asked.problem, kind, asked.objective, LEVELS) for kind in notions}
    picture = plotting.frontier(curves)
    # Names of elements are random otherwise, and every run would change the file.
    with rc_context({"svg.hashsalt": "mechdesign"}):
        picture.savefig(TARGET, metadata={"Date": None})


if __name__ == "__main__":
    main()
