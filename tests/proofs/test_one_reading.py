"""One table of questions, asked of the package and of the reader of proofs: what one refuses, the other refuses.

The table follows from the domains of notions, objectives and their parts, so that a new member is in it.
"""

import copy
import json
import math
from dataclasses import fields
from functools import partial

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.errors import MechdesignError
from mechdesign.files.checksums import sealed
from mechdesign.mechanism.mechanism_file import read
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.proofs import refusal
from mechdesign.question.members_by_name import members
from mechdesign.question.plain_values import plain_value
from mechdesign.testing import sized
from tests.proofs import made

#: An objective for each notion, a notion for each objective.
BASES = {
    **{("notion", name): (name, "HammingLoss") for name in members(Notion) if name in reader.NOTION_FORMS},
    **{("objective", name): ("LDP", name) for name in members(Objective) if name in reader.OBJECTIVE_FORMS},
}


def plain(value):
    """Return what a file would hold of a value; raise TypeError or ValueError where it can hold none such."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    made = plain_value(value)
    return json.loads(json.dumps(made, allow_nan=False)) if not isinstance(made, float) or math.isfinite(made) else made


def of_domains(member):
    """Yield each value that the domains of a member yield, inside and outside, and those that do not fit together."""
    for name, domain in member.domains.items():
        value = getattr(member, name)
        if value is None:
            continue
        for kind in ("invalid", "ends"):
            for why, given in getattr(domain, kind)(value):
                yield f"{name}: {kind}, {why}", {name: given}
    for why, changes in member.wrong_together():
        yield f"together: {why}", changes


def of_member(part, name):
    base = BASES[part, name]
    member = getattr(made.design(*base).mechanism.question, part)
    data = made.data(*base)
    for why, changes in of_domains(member):
        changed = copy.deepcopy(data)
        try:
            changed["question"][part] |= {key: plain(value) for key, value in changes.items()}
            json.dumps(changed, allow_nan=False)
        except (TypeError, ValueError):
            continue
        yield why, changed
    for key in (*(each.name for each in fields(member)), "name"):
        changed = copy.deepcopy(data)
        if changed["question"][part].pop(key, None) is not None:
            yield f"without {key}", changed


#: Parts of a problem with three inputs whose prior, values and secret are known.
PRIOR, SEES, SECRET = [0.25, 0.5, 0.25], [[0.5, 0.25, 0.25], [0.125, 0.625, 0.25]], [1 / 3, 2 / 3]
PROBLEMS = {
    "a prior that sums to 14": {"prior": [7.0, 7.0]},
    "a prior that sums to a half": {"prior": [0.125, 0.25, 0.125]},
    "a prior of 1 + 4e-10": {"prior": [0.25, 0.5, 0.25 + 4e-10]},
    "a prior of 1 + 2e-9": {"prior": [0.25, 0.5, 0.25 + 2e-9]},
    "a prior with a zero": {"prior": [0.5, 0.5, 0.0]},
    "a negative prior": {"prior": [0.75, 0.5, -0.25]},
    "a prior of integers": {"prior": [1, 0, 0]},
    "a prior that is null": {"prior": None},
    "a prior of two": {"prior": [0.5, 0.5]},
    "a prior in an object": {"prior": {"0": 1.0}},
    "values that are texts": {"values": ["1", "2", "3"]},
    "values of two": {"values": [1.0, 2.0]},
    "no n": {"n": ...},
    "n is a float": {"n": 3.0},
    "n is true": {"n": True},
    "n is 4": {"n": 4},
    "n is 10^8": {"n": 10**8},
    "n is 10^10": {"n": 10**10},
    "labels": {"labels": ["a", "b", "c"]},
    "labels twice": {"labels": ["a", "b", "a"]},
    "two labels": {"labels": ["a", "b"]},
    "labels that are numbers": {"labels": [1, 2, 3]},
    "a source": {"prior_source": "a census"},
    "a source that is no text": {"prior_source": 7},
    "an unknown part": {"epsilon": 7.0},
    "an unknown part with a space": {"prior ": PRIOR},
    "inputs that nothing makes": {"data_of_input": [0, 1, 2]},
    "posteriors": {"secret_given_data": [[0.5, 0.25, 0.25], [0.5, 0.75, 0.75]]},
    "posteriors without a prior": {"prior": ..., "secret_given_data": [[0.5, 0.25, 0.25], [0.5, 0.75, 0.75]]},
    "posteriors whose rows sum to 1": {"secret_given_data": [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]},
    "posteriors of a secret that is impossible": {"secret_given_data": [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]]},
    "posteriors of two inputs": {"secret_given_data": [[0.5, 0.25], [0.5, 0.75]]},
    "posteriors and a prior of the secret": {
        "secret_given_data": [[0.5, 0.25, 0.25], [0.5, 0.75, 0.75]],
        "secret_prior": [0.3125, 0.6875],
    },
    "both descriptions of a secret": {
        "secret_given_data": [[0.5, 0.25, 0.25], [0.5, 0.75, 0.75]],
        "data_given_secret": SEES,
    },
    "a channel": {"data_given_secret": SEES, "secret_prior": SECRET},
    "a channel without the prior of the secret": {"data_given_secret": SEES},
    "a channel whose mixture is another prior": {"data_given_secret": SEES, "secret_prior": [0.5, 0.5]},
    "a channel whose mixture is the prior": {
        "prior": [0.3125, 0.4375, 0.25],
        "data_given_secret": SEES,
        "secret_prior": [0.5, 0.5],
    },
    "a secret with a probability of 0": {"prior": ..., "data_given_secret": SEES, "secret_prior": [0.0, 1.0]},
    "secrets whose probabilities sum to 2": {"prior": ..., "data_given_secret": SEES, "secret_prior": [1.0, 1.0]},
    "a channel whose rows sum to 2": {"prior": ..., "data_given_secret": [[1.0, 1.0, 0.0], [0.5, 0.25, 0.25]]},
    "a channel of two inputs": {"prior": ..., "data_given_secret": [[1.0, 0.0], [0.5, 0.5]]},
    "a prior of no secret": {"secret_prior": [0.5, 0.5]},
    "names of no secret": {"secret_labels": ["a", "b"]},
    "names of a secret": {"data_given_secret": SEES, "secret_prior": SECRET, "secret_labels": ["a", "b"]},
    "more names than secrets": {"data_given_secret": SEES, "secret_prior": SECRET, "secret_labels": ["a", "b", "c"]},
    "a name twice": {"data_given_secret": SEES, "secret_prior": SECRET, "secret_labels": ["a", "a"]},
}


def of_problems():
    data = made.file_of(made.proved(md.Problem(prior=PRIOR, values=[0.0, 1.0, 3.0]), md.LDP(1.0), md.MMSE(), 1e-6))
    for why, changes in PROBLEMS.items():
        changed = copy.deepcopy(data)
        problem = {**changed["question"]["problem"], **changes}
        changed["question"]["problem"] = {name: each for name, each in problem.items() if each is not ...}
        yield why, changed


FAIR = {"name": "CentralizedIP", "epsilon": 0.0, "priors": [[0.5, 0.5]] * 2}
PROFILES = {"name": "ProfileDP", "epsilon": 0.0, "profiles": [[0.5, 0.25, 0.25]] * 2, "edges": [[0, 1]]}
NOTIONS = {
    "a notion that widens the inputs in an intersection": [FAIR, {"name": "LDP", "epsilon": 5.0}],
    "profiles in an intersection": [{**PROFILES, "sees_profile": False}, {"name": "LDP", "epsilon": 5.0}],
    "an intersection of one": [{"name": "LDP", "epsilon": 5.0}],
    "an intersection in an intersection": [
        {"name": "Intersection", "parts": [{"name": "LDP", "epsilon": 5.0}, {"name": "LIP", "epsilon": 5.0}]},
        {"name": "MaxLift", "epsilon": 5.0},
    ],
    "an intersection of nothing": [],
    "an intersection of texts": ["LDP", "LIP"],
    "an intersection": [{"name": "LDP", "epsilon": 5.0}, {"name": "LIP", "epsilon": 5.0}],
    "an unknown key in a part": [{"name": "LDP", "epsilon": 5.0}, {"name": "LIP", "epsilon": 5.0, "epsilon ": 0.0}],
    "an edge to no secret": [{"name": "LDP", "epsilon": 5.0}, {"name": "BlockLDP", "epsilon": 1.0, "blocks": [[0, 3]]}],
}
OTHER_NOTIONS = {
    "a c above 1/k": {"name": "InteriorPML", "epsilon": 1.0, "c": 1.0},
    "a c of 1/k": {"name": "InteriorPML", "epsilon": 1.0, "c": 1 / 3},
    "a sensitive input twice": {"name": "UtilityOptimizedLDP", "epsilon": 1.0, "sensitive": [0, 0]},
    "sensitive inputs in another order": {"name": "UtilityOptimizedLDP", "epsilon": 1.0, "sensitive": [1, 0]},
    "distances one way": {"name": "MetricDP", "epsilon": 1.0, "distance": [[0.0, 1, 1], [2.0, 0, 1], [1.0, 1, 0]]},
    "a box beside the prior": {"name": "BoundedPriorLIP", "epsilon": 1.0, "lower": [0.3] * 3, "upper": [0.6] * 3},
    "a box of other inputs": {"name": "BoundedPriorLIP", "epsilon": 1.0, "lower": [0.3] * 2, "upper": [0.6] * 2},
    "gains of two secrets": {"name": "GLeakage", "epsilon": 1.0, "gain": [[1.0, 0.0], [0.0, 1.0]]},
    "two ends that are infinite": {"name": "AsymmetricLIP", "lower": "inf", "upper": "inf"},
    "an infinite level": {"name": "MaxLift", "epsilon": "inf"},
    "records of other sums": {"name": "CentralizedIP", "epsilon": 1.0, "priors": [[0.5, 0.5]]},
    "records with another prior": {"name": "CentralizedIP", "epsilon": 1.0, "priors": [[0.75, 0.25]] * 2},
    "profiles with another prior": {**PROFILES, "sees_profile": False, "profile_prior": [0.5, 0.5]},
    "a level of 10^4": {"name": "LDP", "epsilon": 1e4},
    "a notion of one's own": {"name": "Mine", "epsilon": 1.0},
}


def of_notions():
    data = made.file_of(made.proved(md.Problem(prior=PRIOR, values=[0.0, 1.0, 3.0]), md.LDP(1.0), md.MMSE(), 1e-6))
    for why, parts in NOTIONS.items():
        yield why, {**data, "question": {**data["question"], "notion": {"name": "Intersection", "parts": parts}}}
    for why, notion in OTHER_NOTIONS.items():
        yield why, {**data, "question": {**data["question"], "notion": notion}}


def of_files():
    data = made.data("LIP", "HammingLoss")
    yield "as it is", data
    for where in ((), ("question",), ("claims",), ("multipliers",), ("proof",)):
        for name, value in (("unknown", 1.0), ("epsilon ", 1000.0), ("x\ny.json: PROVED", 1.0)):
            changed = copy.deepcopy(data)
            at = changed
            for each in where:
                at = at[each]
            at[name] = value
            yield f"{name!a} in {'.'.join(where) or 'the file'}", changed
    for name, value in (
        ("schema", "another"),
        ("schema_version", 6.0),
        ("outputs", ["a"]),
        ("outputs", ["a"] * len(data["outputs"])),
        ("outputs", list(range(len(data["outputs"])))),
        ("denominator_bits", 53.0),
        ("numerators", [row[:-1] for row in data["numerators"][:1]] + data["numerators"][1:]),
    ):
        yield f"{name} is {str(value)[:30]}", {**data, name: value}
    for name, value in (("gap", -1.0), ("gap", "0"), ("route", 7), ("value", None), ("bound", "inf")):
        yield f"claims.{name} is {value}", {**data, "claims": {**data["claims"], name: value}}
    yield "outputs bounded", {**data, "question": {**data["question"], "outputs": 2}}
    yield "outputs bounded by 0", {**data, "question": {**data["question"], "outputs": 0}}


#: Generators of cases by name: a sentence, and the data of a file that is not yet sealed.
GROUPS = {
    **{" ".join(base): partial(of_member, *base) for base in BASES},
    "problems": of_problems,
    "notions": of_notions,
    "files": of_files,
}


#: Rules of the package that are about floating point: a reader that computes with fractions has no need of them.
OF_FLOATS = "for bounds to be exact in floats"


def by_package(data, path, whole):
    """Return why the package refuses a file's question, or the whole file with its claims; None where it takes it."""
    path.write_text(json.dumps(data))
    try:
        mechanism, _ = read(path)
        mechanism.question.objective.check(mechanism.inputs)
        if whole:
            md.load(path)
    except MechdesignError as error:
        return None if OF_FLOATS in str(error) else str(error)
    return None


def by_reader(data):
    """Return why the reader refuses a file's question, and whether it only says that it does not check such a one."""
    try:
        reader.require_forms(data)
        reader.asked(data)
    except reader.Unreadable as error:
        return str(error), isinstance(error, reader.Uncovered)
    return None, False


@pytest.mark.parametrize("group", GROUPS)
def test_the_package_and_the_reader_refuse_the_same(group, tmp_path):
    apart, taken = [], set()
    for why, changed in GROUPS[group]():
        data = sealed(json.loads(json.dumps(changed)))
        no, (unread, uncovered) = by_package(data, tmp_path / "a.json", group == "files"), by_reader(data)
        taken.add(no is None)
        if (unread is None) if no else (unread and not uncovered):
            apart.append((why, no, unread))
    assert not apart, apart
    # A table of one kind would show nothing; of a member without parameters nothing is inside.
    name = group.partition(" ")[2]
    assert taken == {True, False} or (name and not fields(getattr(md, name)))


@pytest.mark.parametrize("kind", [Notion, Objective])
def test_a_member_without_a_form_has_no_proof(kind):
    """What the package writes no proofs of, and nothing else, is missing in the reader's tables."""
    forms = reader.NOTION_FORMS if kind is Notion else reader.OBJECTIVE_FORMS
    missing = set(members(kind)) - set(forms) - {"Intersection"}
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 3.0])
    for name in missing:
        _, notion, objective = sized.some_pair(
            *((name, "HammingLoss") if kind is Notion else ("LDP", name)), problem.n, np.random.default_rng(0)
        )
        assert refusal(md.Question(problem, notion, objective)), f"{name} has a proof, and the reader no form of it"
