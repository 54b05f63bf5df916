"""The text of a sampler: a template in which the mechanism's answers, outputs and cumulative integers are written."""

from __future__ import annotations

import math
import re
from importlib.resources import files
from itertools import accumulate

from mechdesign.catalogue.subject import PROFILE_SEEN, RECORD
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.notions import LDP
from mechdesign.problem.bins import bins_of_labels
from mechdesign.reports.promises import promises
from mechdesign.reports.subjects import subject
from mechdesign.sampler_programs.languages import Language
from mechdesign.version import VERSION

ONCE = (
    "Draw once for each {whom}, keep the report, and send the same one if it is asked for again: the mean of many "
    "reports of one answer reveals the answer."
)
_PLACE = re.compile("@([a-z]+)@")


def text_of(mechanism: Mechanism, language: Language, checksum: str) -> str:
    """Return the sampler of a mechanism.

    Parameters
    ----------
    mechanism : Mechanism
        What it draws from.
    language : Language
        What it is written in.
    checksum : str
        That of the mechanism's file.

    Returns
    -------
    str
    """
    inputs = mechanism.inputs
    answers = inputs.distinct_answers
    bins = bins_of_labels(answers)
    rows = (language.numbers(list(accumulate(row))) for row in mechanism.numerators.tolist())
    written = {
        "version": VERSION,
        "guarantee": language.words(_guarantee(mechanism)),
        "checksum": language.texts([checksum])[1:-1],
        "answers": language.texts(answers),
        "outputs": language.texts(mechanism.outputs),
        "edges": language.numbers(() if bins is None else bins.edges),
        "rows": "[\n{}]".format("".join(f"    {row},\n" for row in rows)),
    }
    template = files("mechdesign.sampler_programs").joinpath(language.template).read_text(encoding="utf-8")
    # In one pass, so that an answer which looks like a place stays what it is.
    return _PLACE.sub(lambda place: written[place[1]], template)


def _guarantee(mechanism: Mechanism) -> list[str]:
    """Return what the sampler guarantees, that it is called once, and what its answers are where that is not clear."""
    notion = mechanism.guarantee
    if notion is None:
        return [_measured(mechanism), ONCE.format(whom="person")]
    of = subject(notion, mechanism.inputs)
    said = [f"The guarantee is {notion}.", *promises(notion, mechanism.inputs)]
    if of is RECORD:
        return [*said, "An answer is the sum of all records.", ONCE.format(whom="set of records")]
    if of is PROFILE_SEEN:
        said.append(f"An answer is the number of the profile, from 0 on, and the datum: {mechanism.inputs.named(0)}.")
    return [*said, ONCE.format(whom="person")]


def _measured(mechanism: Mechanism) -> str:
    """Return which level of LDP a matrix of one's own has."""
    level = float(audit(mechanism, LDP(1.0)))
    if math.isinf(level):
        return "No guarantee is known: some report is possible for one answer and impossible for another."
    return f"No guarantee was asked for; the matrix has LDP of epsilon = {level!r}, measured and rounded up."
