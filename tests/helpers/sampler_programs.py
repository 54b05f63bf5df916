"""Samplers run with given randomness: mechanisms, words of 64 bits, and what each answer's report has to be."""

import functools
import hashlib
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation import sampling

USE = md.InformationDesign("A")


def impossible():
    """Return a mechanism of which some outputs are impossible, so that thresholds are equal, or 0 or 2**53."""
    made = md.design(md.Problem(prior=[0.1, 0.7, 0.2], labels=["a", "b", "c"]), md.LDP(0.1), md.HammingLoss()).mechanism
    return md.Mechanism([[0.0, 1.0, 0.0]] * 3, ["a", "b", "c"], made.question, made.certificate)


def ages():
    records = [18.5, 20, 22, 30, 31, 40, 50.25, 64, 65]
    return md.design(md.Problem.from_records(records, bins=[18, 25, 40.5, 65]), md.LDP(1.5), USE).mechanism


MECHANISMS = {
    "labels": lambda: (
        md.design(md.Problem(prior=[0.1, 0.2, 0.7], labels=["no", "18", "é 😀"]), md.LDP(1.0), USE).mechanism
    ),
    "numbers": lambda: md.design(md.Problem(n=4), md.LDP(2.0), USE).mechanism,
    "values": lambda: md.design(md.Problem(values=[17, 1, 2.5]), md.LDP(2.0), USE).mechanism,
    "bins": ages,
    "open bins": lambda: md.design(md.Problem(labels=["[0, 1)", "[1, inf]"]), md.LDP(1.0), USE).mechanism,
    "impossible outputs": impossible,
}
#: Answers of each, and their inputs: all labels, and numbers that lie in their intervals.
ANSWERS = {
    "labels": {"no": 0, "18": 1, "18.0": 1, "é 😀": 2},
    "numbers": {"0": 0, "1": 1, "2": 2, "3": 3},
    "values": {"17": 0, "17.0": 0, "1": 1, "1e0": 1, "01": 1, "2.5": 2, "2.50": 2},
    "bins": {
        **dict.fromkeys(["[18, 25)", "18", "0018", "+2.4999e1"], 0),
        **dict.fromkeys(["[25, 40.5)", "25", "25.", "40.49999999999999"], 1),
        **dict.fromkeys(["[40.5, 65]", "40.5", "4.05E1", "64.9", "65"], 2),
    },
    "open bins": {"[0, 1)": 0, ".5": 0, "-0": 0, "1": 1, "1e300": 1},
    "impossible outputs": {"a": 0, "b": 1, "c": 2},
}


@functools.cache
def made(name):
    return MECHANISMS[name]()


def thresholds(mechanism, row):
    """Return the cumulative integers of a row, which decide where a draw lies."""
    return np.cumsum(mechanism.numerators[row].astype(object)).tolist()


def stream(name):
    """Return pairs of an answer and a word: around each threshold, at both ends, and like random ones."""
    mechanism, found = made(name), []
    for answer, row in ANSWERS[name].items():
        near = {limit + off for limit in thresholds(mechanism, row) for off in (-1, 0, 1)}
        draws = sorted(draw for draw in near | {0, 2**53 - 1} if 0 <= draw < 2**53)
        found += [(answer, draw << 11 | low) for draw in draws for low in (0, 2**11 - 1)]
        for k in range(40):
            digest = hashlib.sha256(f"{answer} {k}".encode()).digest()
            found.append((answer, int.from_bytes(digest[:8], "little")))
    return found


def reports_of(name):
    """Return the reports of the stream: from the definition, which the package's own sampler has to agree with."""
    mechanism, pairs = made(name), stream(name)
    rows = [ANSWERS[name][answer] for answer, _ in pairs]
    data = b"".join(word.to_bytes(8, "little") for _, word in pairs)
    drawn = sampling.sample(mechanism.numerators, np.array(rows), source=lambda wanted: data[:wanted]).tolist()
    pieces = zip(rows, pairs, strict=True)
    assert drawn == [sum(limit <= word >> 11 for limit in thresholds(mechanism, row)) for row, (_, word) in pieces]
    return drawn


SEEDED_PYTHON = """
import os, runpy, sys
words = iter({words})
os.urandom = lambda wanted: next(words).to_bytes(wanted, "little")
runpy.run_path({path!r}, run_name="__main__")
"""
#: In a browser and in Node: the words in place of the system's randomness.
SEEDED_ECMASCRIPT = """
const given = {words}.values();
globalThis.crypto.getRandomValues = (array) => {{
  const word = BigInt(given.next().value);
  array.set([Number(word & 0xffffffffn), Number(word >> 32n)]);
  return array;
}};
"""


def node():
    """Return where Node is; skip where there is none."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no Node on this machine")
    return found


def seeded(words):
    """Return ECMAScript that puts the words in place of the system's randomness."""
    return SEEDED_ECMASCRIPT.format(words=json.dumps([str(word) for word in words]))


def run(path, data, words=None, arguments=()):
    """Run a sampler on the bytes, with words for randomness or the system's; return its exit code and what it said."""
    before = path.with_name("seeded.cjs" if path.suffix != ".py" else "seeded.py")
    if path.suffix == ".py":
        # Without the package and any other: the standard library is all that it needs.
        command = [sys.executable, "-I", "-S", str(path)]
        if words is not None:
            before.write_text(SEEDED_PYTHON.format(words=list(words), path=str(path)), encoding="utf-8")
            command[-1] = str(before)
    else:
        command = [node(), str(path)]
        if words is not None:
            before.write_text(seeded(words), encoding="utf-8")
            command[1:1] = ["--require", str(before)]
    ran = subprocess.run([*command, *arguments], input=data, capture_output=True, check=False)
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def drawn(path, name):
    """Return what the sampler at `path` prints for the stream, None where it fails."""
    answers = "".join(f"{answer}\n" for answer, _ in stream(name))
    code, out, _ = run(path, answers.encode(), [word for _, word in stream(name)])
    return [int(line) for line in out.splitlines()[2:]] if code == 0 else None
