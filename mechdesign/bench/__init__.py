"""A benchmark of solvers on programs of optimal mechanisms, whose optima are certified."""

from mechdesign.bench.answer import Answer
from mechdesign.bench.forms import FORMS
from mechdesign.bench.instance import Instance, Optimum, Vertex
from mechdesign.bench.judging import PrivacyScore, Score, judged
from mechdesign.bench.program import ConeBlock, ConicProgram
from mechdesign.bench.results import Results
from mechdesign.bench.running.benchmark import run
from mechdesign.bench.running.record import Run
from mechdesign.bench.sets import SETS, instances
from mechdesign.bench.solvers import known_solvers

__all__ = [
    "FORMS",
    "SETS",
    "Answer",
    "ConeBlock",
    "ConicProgram",
    "Instance",
    "Optimum",
    "PrivacyScore",
    "Results",
    "Run",
    "Score",
    "Vertex",
    "instances",
    "judged",
    "known_solvers",
    "run",
]
