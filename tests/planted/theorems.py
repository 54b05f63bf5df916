"""Theorems with one planted error each, and the clause that must catch it."""

from dataclasses import replace

from mechdesign.notions import Notion
from mechdesign.objectives import Separable
from mechdesign.theorems import Equal, Form, all_theorems

BINARY, EXACT = all_theorems()["jiang_lip/T2"], all_theorems()["ours/M4"]


def close(question, given):
    """Ask for no more than that the error is within ten percent of that of another mechanism."""
    yield Equal(given.matrix.sum(), 2.0, "each row sums to one")


#: Clause, the sound theorem, the same with an error.
THEOREMS = [
    ("form", BINARY, replace(BINARY, form=Form(Notion, Separable, "anything", further=lambda _: "no"))),
    ("constant", BINARY, replace(BINARY, test=close)),
    ("constant", EXACT, replace(EXACT, loose="the bound is not sharp")),
    ("domain", BINARY, replace(BINARY, narrower=(), claimed=BINARY.narrower, test=close, loose="it asks nothing")),
    ("domain", BINARY, replace(BINARY, wider="it holds for every prior")),
]
