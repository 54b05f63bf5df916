"""Texts that a label, a name or a source may hold, and everything that is displayed, made with such a text."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

import mechdesign as md
from mechdesign import bench
from mechdesign.bench.reporting.change import changes
from mechdesign.designing.result import Attempt
from mechdesign.estimation.word_frequencies import WordFrequencies
from mechdesign.mechanism.certificate import Certificate, Multipliers
from mechdesign.referee import Row as LedgerRow
from mechdesign.referee.ledger import Ledger
from mechdesign.rivals.rival import Rival
from mechdesign.studies.accounted_level import AccountedLevel
from mechdesign.studies.budget_split import BudgetSplit
from mechdesign.studies.calibration import Calibration
from mechdesign.studies.comparison import Comparison
from mechdesign.studies.comparison import Row as ComparisonRow
from mechdesign.studies.frontier_result import Frontier
from mechdesign.studies.joint_estimate import JointEstimate
from mechdesign.studies.longitudinal_design import LongitudinalDesign
from mechdesign.studies.several_means import SeveralMeans
from mechdesign.studies.sweeps.table import Sweep, SweepRow
from mechdesign.studies.two_stage import Stages

TEXTS = {
    "script": "<script>alert(1)</script>",
    "attribute": "\"><img src=x onerror='alert(1)'>",
    "entity": "&lt;b&gt; &amp;",
    "colour": "\x1b[31mred\x1b[0m",
    "screen": "\x1b[2J\x07\x00\x9b31m",
    "lines": "one\ntwo\rthree\tfour\u2028five",
    "markup": "[red]text[/red] [link=https://x]y[/link] :smile:",
    "formula": "=cmd|' /C calc'!A0",
    "direction": "\u202eabc\u2066def",
    "hebrew": "\u05e9\u05dc\u05d5\u05dd",
    "combining": "e\u0301" * 5 + "\u0489" * 5,
    "surrogate": "\ud800",
    "long": "x" * 10_000,
}


@dataclass(frozen=True)
class OwnLDP(md.LDP):
    """Pr(y | x) <= e^epsilon Pr(y | x')."""

    said: str = ""

    def __str__(self):
        return f"OwnLDP of {self.said}"


@dataclass(frozen=True)
class OwnError(md.ErrorProbability):
    """1 - sum_y max_x P_x Q[x, y]."""

    said: str = ""

    def __str__(self):
        return f"OwnError of {self.said}"


@functools.cache
def asked():
    return md.design(md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2]), md.LDP(1.0), md.InformationDesign("A"))


def problem(text):
    return md.Problem(
        prior=[0.5, 0.3, 0.2], values=[0, 1, 2], labels=[text, f"{text}!", "plain"], prior_source=f"census {text}"
    )


def question(text):
    return md.Question(problem(text), md.LDP(1.0), md.InformationDesign("A"))


def mechanism(text):
    made = asked().mechanism
    names = tuple(f"{text}{y}" for y in range(made.matrix.shape[1]))
    return replace(made, outputs=names, question=question(text))


def audit(text):
    return md.audit(mechanism(text), md.LIP(1.0))


def design(text):
    reasons = {"refusals": {"rays": text}, "attempts": (Attempt(text, text, text, 0.1),)}
    return replace(asked(), mechanism=mechanism(text), note=text, reason=text, audit=audit(text), **reasons)


def sweep(text):
    rows = (SweepRow(0, text, 2, "LDP", "MMSE", 1.0, 1.0, 1.0, 0.0, 2, "failed", text, "rays", text, 1.0),)
    return Sweep(rows, 2)


def calibration(text):
    return Calibration(0.5, 1.0, design(text), 0.9, False, Frontier("epsilon", (design(text),), (0.1,)))


def accounted(text):
    tried = Frontier("epsilon", (design(text),), (0.1,))
    return AccountedLevel(0.5, design(text), 0.9, 1.0, False, tried)


def longitudinal(text):
    made = design(text)
    rounds = md.longitudinal(made, md.Mechanism(np.eye(len(made.mechanism.outputs)).tolist()))
    return LongitudinalDesign(rounds, 1, 1.0, 0.5, 0.5, made, made, ((text, 1.0, 1.0, 1.0),))


def several_means(text):
    made = design(text)
    split = BudgetSplit((made, made), (1.0, 1.0), 1.0, 1.0, 0.5, 0.5, 1.0)
    return SeveralMeans("one", (made, made), split, {"one": 1.0, "all": 2.0}, (text, "b"))


def two_stage(text):
    """Return both stages over two labels, one of them the text."""
    problem = md.Problem(prior=[0.5, 0.5], values=[0, 1], labels=[text, "b"])
    first = md.baselines.randomised_response(problem, 1.0)
    return md.two_stage(first.estimate(counts=[60, 40]), 0.5, md.MMSE())


def stages(text):
    shares = np.array([0.1])
    return Stages(100, md.MMSE(), shares, shares, shares, shares, 0.5)


def exact_frontier(text):
    curve = md.frontier(md.Problem(prior=[0.5, 0.5], labels=[text, "b"]), md.LDP, md.HammingLoss(), [0, 1], exact=True)
    return replace(curve, pieces=tuple(replace(piece, outputs=(text, "b")) for piece in curve.pieces))


def comparison(text):
    rows = (
        ComparisonRow("rays", text, 1.0, 1.0, 0.0, 1.0, 0.1, "certified"),
        ComparisonRow("convex", "-", np.nan, np.nan, np.nan, np.nan, 0.1, text),
    )
    return Comparison(question(text), rows)


def ledger_row(text):
    return LedgerRow("ours/X1", "ours", text, text, "identity", "holds", text, text, 3, 1e-12, text, "x")


def estimate(text):
    return mechanism(text).estimate([0, 1, 2] * 50)


def joint(text):
    """Return the estimate of two questions, whose first one and all its answers have the text in their names."""
    labels = [f"{text} {x}" for x in range(6)]
    made = md.Mechanism(np.eye(6), labels, problem=md.Problem(labels=labels))
    questions = (problem(text), md.Problem(labels=["no", "yes"]))
    return JointEstimate.of(made.estimate(counts=[5] * 6), questions, (text, "b"))


@functools.cache
def regression(text):
    """Return a regression of answers of which one, and the covariate, have the text for a name."""
    made = md.Mechanism(np.eye(2), [text, "b"], problem=md.Problem(labels=[text, "b"]))
    return made.regression([0, 0, 0, 1] * 9 + [1, 1, 1, 0] * 9, {text: [0.0] * 36 + [1.0] * 36})


#: Everything that a notebook shows, from a text; what `print` writes for it holds the text too, but for PLAIN.


def benchmark(text):
    """Return the results of a solver of that name, which raised an error of those words."""
    return bench.Results((bench.Run("small", text, "all pairs", "linear", text, text, 1e-9, "raised", text),))


@functools.cache
def guessing():
    """Return the conjectures about a guess of equally likely values."""
    return md.conjecture(lambda n: md.Problem(prior=[1 / n] * n), md.LIP, md.HammingLoss(), [3, 4, 5, 6])


def conjecture(text):
    return replace(guessing()[0], objective=OwnError(said=text))


def queries(text):
    found = estimate(text)
    return found.queries({text: np.arange(found.problem.n)})


def without_matrix(text):
    return md.baselines.projective_response(md.Problem(labels=[text, "b", "c"], values=[0.0, 1.0, 2.0]), 1.0)


def covers(text):
    return without_matrix(text).estimate(counts={0: 30, 1: 40, 2: 25})


def words(text):
    return WordFrequencies((text, "b"), (3, 4), *np.array([[0.5, 0.25], [0.1, 0.1], [0.01, 0.01]]), reports=100)


def prefixes(text):
    return replace(md.PrefixSearch(md.LDP(1.0), "ab", 3), kept=(text,), round=1, estimate=covers(text))


DISPLAYED = {
    "Problem": problem,
    "OwnLDP": lambda text: OwnLDP(1.0, text),
    "OwnError": lambda text: OwnError(said=text),
    "Question": question,
    "Mechanism": mechanism,
    "Rounded": lambda text: md.rounded([[0.7, 0.3], [0.2, 0.8]], md.LDP(1.0), outputs=[text, "b"]),
    "Together": lambda text: md.together([md.Mechanism([[0.75, 0.25], [0.25, 0.75]], [text, "b"])]),
    "Certificate": lambda text: Certificate(1.0, 1.0, 0.0, text, Multipliers(np.zeros(2))),
    "Audit": audit,
    "Design": design,
    "Why": lambda text: design(text).why,
    "Attempt": lambda text: Attempt("rays", text, "failed", 0.1),
    "Rival": lambda text: Rival("uninformative", 1.0, 0.0, True, text),
    "Comparison": comparison,
    "comparing.Row": lambda text: comparison(text).rows[1],
    "AccountedLevel": accounted,
    "LongitudinalDesign": longitudinal,
    "SeveralMeans": several_means,
    "TwoStage": two_stage,
    "Stages": stages,
    "CellKeyTable": lambda text: md.cell_key_table(2, 1),
    "Frontier": lambda text: Frontier("epsilon", (design(text),), (0.1,)),
    "Calibration": calibration,
    "ExactFrontier": exact_frontier,
    "Conjecture": conjecture,
    "BudgetSplit": lambda text: BudgetSplit((design(text), design(text)), (1.0, 1.0), 2.0, 1.0, 0.5, 0.5, 1.5),
    "Sweep": sweep,
    "SweepRow": lambda text: sweep(text).rows[0],
    "Ledger": lambda text: Ledger((ledger_row(text),)),
    "referee.Row": ledger_row,
    "Estimate": estimate,
    "weighted": lambda text: design(text).mechanism.estimate([0, 1, 1], weights=[1.0, 2.0, 0.5]),
    "GroupedEstimate": lambda text: design(text).mechanism.estimate([0, 1, 1, 0], groups=[text, "b", text, "b"]),
    "JointEstimate": joint,
    "Crosstab": lambda text: joint(text).crosstab(text, "b", within="rows"),
    "Ratio": lambda text: estimate(text).ratio(*np.eye(estimate(text).problem.n)[:2]),
    "Quantile": lambda text: estimate(text).quantile(),
    "Functional": lambda text: estimate(text).mean(),
    "Difference": lambda text: estimate(text).difference(estimate(text)),
    "QueryEstimates": queries,
    "ImplicitMechanism": without_matrix,
    "CoverEstimate": covers,
    "WordFrequencies": words,
    "PrefixSearch": prefixes,
    "TopInputs": lambda text: covers(text).top(2),
    "Figure": lambda text: covers(text).mean(),
    "Posterior": lambda text: mechanism(text).posterior(),
    "Regression": regression,
    "HypothesisTest": lambda text: regression(text).wald(text),
    "Prediction": lambda text: regression(text).predict({text: [0.5]}),
    "Results": benchmark,
    "Changes": lambda text: changes(benchmark(text), benchmark(text)),
    "Instance": lambda text: bench.Instance(text, question(text), "rotated cones", bench.Optimum(1.0, 1.0), text),
}
#: Whose text is their `repr`, as it is of any dataclass; or one that says nothing of the labels.
PLAIN = {"OwnLDP", "OwnError", "Problem", "Attempt", "Rival", "comparing.Row", "SweepRow", "referee.Row", "Posterior"}
#: Which hold no text at all.
NUMBERS = {"Ratio", "Stages", "CellKeyTable", "Functional", "Figure", "ImplicitMechanism"}
