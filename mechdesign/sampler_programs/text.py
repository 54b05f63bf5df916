"""The text of a sampler: a template in which the mechanism's answers, outputs and cumulative integers are written."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from itertools import accumulate
from typing import Any

from mechdesign.catalogue.subject import PROFILE_SEEN, RECORD
from mechdesign.errors import UnsupportedError
from mechdesign.families import Family, Hadamard, KaryResponse, LocalHashing, ProjectiveGeometry, SubsetSelection
from mechdesign.families.finite_field import Vectors
from mechdesign.mechanism import ImplicitMechanism, Mechanism
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
#: Numbers of answers that are listed one by one.
MOST_LISTED = 1000
#: What stands between the tables of a part and its functions.
BETWEEN = "\n@@\n"
#: The functions that draw from each family.
KINDS: Mapping[type[Family], str] = {
    KaryResponse: "response",
    ProjectiveGeometry: "geometry",
    Hadamard: "hadamard",
    LocalHashing: "hashing",
    SubsetSelection: "hashing",
}
OF_MATRIX = (
    "The time of the comparisons depends neither on the answer nor on the report; what a processor's cache may betray "
    "is not covered."
)
OF_ANSWER = "The time of rounding an answer to a point may depend on the answer."
OF_FAMILY = "Its time may depend on the answer and on the report."
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
    tables, drawing, time = _parts(mechanism, language)
    numbered = inputs.labels is None and inputs.values is None and len(answers) > MOST_LISTED
    written = {
        "version": VERSION,
        "guarantee": language.words(_guarantee(mechanism)),
        "checksum": language.texts([checksum])[1:-1],
        "answers": language.counting.format(len(answers)) if numbered else language.texts(answers),
        "outputs": _outputs(mechanism, language),
        "edges": language.numbers(() if bins is None else bins.edges),
        "points": language.numbers(() if inputs.interval is None else inputs.required_values.tolist()),
        "tables": tables,
        "drawing": drawing,
        "time": language.words([time if inputs.interval is None else OF_ANSWER]),
    }
    return _filled(language.template, written)


def _filled(name: str, written: Mapping[str, str]) -> str:
    """Return a template with what stands in its places, in one pass: an answer that looks like a place stays one."""
    template = files("mechdesign.sampler_programs").joinpath(name).read_text(encoding="utf-8")
    return _PLACE.sub(lambda place: written[place[1]], template)


def _outputs(mechanism: Mechanism, language: Language) -> str:
    """Return the names of the outputs; of a mechanism without a matrix how many there are."""
    if isinstance(mechanism, ImplicitMechanism):
        return language.range.format(mechanism.family.outputs)
    return language.texts(mechanism.outputs)


def _parts(mechanism: Mechanism, language: Language) -> tuple[str, str, str]:
    """Return the tables and functions that draw, and what their time depends on."""
    if not isinstance(mechanism, ImplicitMechanism):
        sums = [list(accumulate(row)) for row in mechanism.numerators.tolist()]
        tables, drawing = _filled(language.of_matrix, {"rows": _rows(sums, language)}).split(BETWEEN)
        return tables, drawing.rstrip("\n"), OF_MATRIX
    family: Any = mechanism.family
    if type(family) not in KINDS:
        rule = f"There is no program for {family.name}"
        raise UnsupportedError(f"{rule}; sample in Python, or write the program of md.baselines.projective_response.")
    own, name = family.own, KINDS[type(family)]
    vectors = getattr(family, "vectors", None) or Vectors(2, 1)
    field = vectors.field
    written = {
        "own": ", ".join(
            f'"{number}"' if language.quotes else str(number) for number in (own.numerator, own.denominator)
        ),
        "order": f"{vectors.q}, {vectors.t}",
        "hashed": f"{getattr(family, 'covered', 1)}, {getattr(family, 'first', 0)}",
        "plus": _rows(field.plus.tolist(), language),
        "times": _rows(field.times.tolist(), language),
        "inverse": language.numbers(field.inverse.tolist()),
        "negative": language.numbers(field.negative.tolist()),
        "family": name,
    }
    tables, drawing = _filled(language.of_family, written).split(BETWEEN)
    return tables, drawing.rstrip("\n"), OF_FAMILY


def _rows(rows: Sequence[Sequence[int]], language: Language) -> str:
    """Return a matrix of integers, a row a line."""
    return "[\n{}]".format("".join(f"    {language.numbers(row)},\n" for row in rows))


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
