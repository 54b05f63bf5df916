"""Bounds proved in integers: by the package and by its reader, which share no code, to one number."""

import dataclasses
import json
import re
import warnings
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.designing import proving
from mechdesign.designing.proving import CLOSE
from mechdesign.exact import float_above, float_below
from mechdesign.files.checksums import sealed
from mechdesign.mechanism import Proof
from mechdesign.proofs import checked, refusal
from mechdesign.proofs.extreme_columns import extreme_columns
from mechdesign.runtime.deadline import OutOfTime
from mechdesign.solve.pricing import double_description
from mechdesign.solve.pricing.revealing_outputs import decided
from tests.proofs import made

ADULT = "examples/adult-education.toml"


def read_alike(found, monkeypatch):
    """The reader shows the same bound and value as the package, to the last digit of a float."""
    certificate = found.certificate
    monkeypatch.setattr(reader, "rounded", lambda number, up, digits=9: f"<{number}|{up}>")
    said = re.findall(r"<(.*?)\|(True|False)>", " ".join(reader.check(made.file_of(found))))
    limit, own = (float_above(Fraction(each)) if up == "True" else float_below(Fraction(each)) for each, up in said[:2])
    assert (limit, own) == (certificate.bound, certificate.value)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("notion", "objective"), made.PAIRS)
def test_a_proof_is_found_and_read(notion, objective, monkeypatch):
    found = made.design(notion, objective)
    assert found.certificate.proved and found.gap <= 3 * CLOSE
    read_alike(found, monkeypatch)


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("notion", "objective"), made.AT_COLUMNS_PAIRS)
def test_a_proof_at_extreme_columns_is_found_and_read(notion, objective, monkeypatch, tmp_path):
    found = made.design(notion, objective)
    assert found.certificate.proved and found.gap <= (1e-6 if objective == "InformationDesign" else 3 * CLOSE)
    read_alike(found, monkeypatch)
    assert md.load(found.mechanism.save(tmp_path / "a.json")) == found.mechanism


@pytest.mark.parametrize(("notion", "objective"), made.LEAKAGE)
def test_that_nothing_has_to_leak_is_proved_and_read(notion, objective, monkeypatch):
    found = made.design(notion, objective)
    assert found.certificate.proved and (found.value, found.bound, found.gap) == (0.0, 0.0, 0.0)
    read_alike(found, monkeypatch)


@pytest.mark.parametrize("n", [3, 7, 40])
@pytest.mark.parametrize("objective", made.AT_COLUMNS)
def test_inputs_that_are_alike_are_proved_in_any_number(n, objective, monkeypatch):
    problem = md.Problem(prior=np.full(n, 1.0 / n))
    asked = md.InformationDesign("A") if objective == "InformationDesign" else getattr(md, objective)()
    found = md.design(problem, md.LDP(4.0), asked, proof=True)
    assert found.certificate.proved and found.gap <= 1e-10
    read_alike(found, monkeypatch)


@pytest.mark.thinned(9)
@pytest.mark.parametrize(("notion", "objective"), made.OTHERS)
def test_a_proof_with_numbers_of_its_own_is_found_and_read(notion, objective, monkeypatch):
    found = made.design(notion, objective)
    assert found.certificate.proved and found.gap <= (1e-6 if notion in made.CURVED else 3 * CLOSE)
    read_alike(found, monkeypatch)


@pytest.mark.thinned(6)
@pytest.mark.parametrize("objective", ["HammingLoss", "MMSE"])
@pytest.mark.parametrize("seed", [1, 4, 8, 9])
@pytest.mark.parametrize("notion", ["BoundedPriorLIP", "MaximalLeakage", "MetricDP", "StrongChiSquare", "StrongL1"])
def test_numbers_of_its_own_keep_their_rules_at_eight_inputs(notion, seed, objective):
    found = made.design(notion, objective, 8, seed)
    assert found.certificate.proved and reader.check(made.file_of(found))


@pytest.mark.thinned(60)
@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize(("notion", "objective"), made.OF_SECRET_PAIRS)
def test_a_proof_for_a_hidden_secret_is_found_and_read(notion, objective, backward, monkeypatch, tmp_path):
    found = made.design_of_secret(notion, objective, backward)
    assert found.certificate.proved and found.gap <= 1e-6
    read_alike(found, monkeypatch)
    assert md.load(found.mechanism.save(tmp_path / "a.json")) == found.mechanism


@pytest.mark.thinned(100)
@pytest.mark.parametrize(("notion", "objective"), made.PAIRS + made.OTHERS + made.AT_COLUMNS_PAIRS)
def test_no_mechanism_of_another_route_passes_a_proved_bound(notion, objective):
    """The bound of floating point is from other code, and its mechanisms are exactly private."""
    found = made.design(notion, objective)
    question = found.mechanism.asked
    sign = 1 if question.objective.sense == "minimise" else -1
    for other in (*found.rivals, md.design(question.problem, question.notion, question.objective)):
        if getattr(other, "private", True):
            # A rival's value is rounded to nearest, after a few operations; the bound can be exact.
            assert sign * other.value >= sign * found.bound - 1e-15 * abs(found.bound)


@pytest.mark.parametrize("objective", ["MMSE", "ExpectedLoss", "KLDivergence"])
def test_a_saved_proof_is_checked_when_it_is_loaded(objective, tmp_path):
    found = made.design("LIP", objective)
    path = found.mechanism.save(tmp_path / "a.json")
    assert json.loads(path.read_text())["schema_version"] == 6
    again = md.load(path)
    assert again == found.mechanism and again.claimed.proved
    assert "proved in integers" in str(again)


def test_without_a_proof_files_are_as_they_were(tmp_path):
    question = made.design("LIP", "MMSE").mechanism.asked
    plain = md.design(question.problem, question.notion, question.objective)
    data = json.loads(plain.mechanism.save(tmp_path / "a.json").read_text())
    assert data["schema_version"] == 4 and "proof" not in data
    assert "certified in floating point" in str(plain.certificate) and not plain.certificate.proved
    assert "proved=False" in repr(plain) and "proved=True" in repr(made.design("LIP", "MMSE"))
    assert "certified in floating point" in str(plain)


def lowered(proof, share):
    return Proof(proof.rows * (1.0 - share * np.sign(proof.rows)), proof.ends)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(lambda proof: lowered(proof, 1e-6), id="rows lower by a part in a million"),
        pytest.param(lambda proof: Proof(proof.rows[:-1], proof.ends), id="a row is missing"),
        pytest.param(lambda proof: Proof(proof.rows, proof.ends[1:]), id="ratios below are left out"),
        pytest.param(lambda proof: Proof(proof.rows, proof.ends[:-1]), id="ratios above are left out"),
        pytest.param(lambda proof: Proof(proof.rows, proof.ends[::-1]), id="ends fall"),
        pytest.param(lambda proof: Proof(proof.rows, np.repeat(proof.ends, 2)), id="ends twice"),
        pytest.param(lambda proof: Proof(proof.rows, proof.ends[[0, -1]]), id="one chord over all"),
        pytest.param(lambda proof: Proof(proof.rows, np.zeros(0)), id="no ends"),
    ],
)
def test_planted_proofs_are_refused_by_both(wrong, tmp_path):
    found = made.design("LIP", "MMSE")
    mechanism, claimed = found.mechanism, found.mechanism.claimed
    proof = wrong(claimed.proof)
    question, inputs = mechanism.asked, mechanism.inputs
    matrix = decided(found.by_decision, question.objective, inputs)
    with pytest.raises(md.CertificateError, match="The proof fails"):
        checked(question, inputs, matrix, claimed.multipliers, claimed.route, proof)
    data = made.changed(
        mechanism.to_dict(),
        proof__rows=lambda _: proof.rows.tolist(),
        proof__ends=lambda _: proof.ends.tolist(),
    )
    with pytest.raises((reader.Unproved, reader.Unreadable)):
        reader.check(data)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(data))
    with pytest.raises(md.CertificateError):
        md.load(path)


@pytest.mark.thinned(5)
@pytest.mark.parametrize(
    ("notion", "objective"),
    [
        ("LDP", "MMSE"),
        ("LIP", "ErrorProbability"),
        ("MaxLift", "Hellinger"),
        ("MetricDP", "TotalVariation"),
        ("ApproximateLDP", "ErrorProbability"),
        ("StrongL1", "HammingLoss"),
        ("BoundedPriorLIP", "AbsoluteError"),
        ("MaximalLeakage", "ErrorProbability"),
        ("WeightedTV", "MMSE"),
        ("StrongChiSquare", "TotalVariation"),
        ("MutualInformationPrivacy", "ErrorProbability"),
        ("SibsonLeakage", "HammingLoss"),
        ("GLeakage", "ErrorProbability"),
        ("Intersection", "TotalVariation"),
        ("LDP", "InformationDesign"),
        ("LIP", "MutualInformation"),
        ("BlockLDP", "HistogramMMSE"),
    ],
)
def test_altered_numbers_are_refused_or_prove_what_is_true(notion, objective):
    """Each number of a proof moved a little or much: what is proved of it does not pass a private mechanism's value."""
    data, found = made.data(notion, objective), made.design(notion, objective)
    maximised = found.mechanism.asked.objective.sense == "maximise"
    refused = 0
    for place in _numbers_of(data["proof"]):
        for factor in (1 - 1e-12, 1 + 1e-3, -1.0, 1e300):
            altered = made.changed(data, **{f"proof__{place}": lambda x, f=factor: x * f})
            try:
                said = reader.check(altered)
            except (reader.Unproved, reader.Unreadable):
                refused += 1
                continue
            limit = Fraction(re.search(r"(?:below|above) (\S+);", said[0])[1])
            assert limit >= found.value if maximised else limit <= found.value
    assert refused


def _numbers_of(proof):
    """Yield the places of a proof's numbers, at most some 30 of each part."""
    for name in ("rows", "ends", "budget", "own", "on_secrets", "lines"):
        places = [(name, i) for i in range(len(proof.get(name, [])))]
        while places and isinstance(_at(proof, places[0]), list):
            places = [(*place, i) for place in places for i in range(len(_at(proof, place)))]
        # Of a line of a notion's own numbers the last is one, the others are places.
        places = [place for place in places if name != "own" or place[-1] == 3]
        for place in places[:: max(len(places) // 30, 1)]:
            yield "__".join(map(str, place))


def _at(data, place):
    for name in place:
        data = data[name]
    return data


@pytest.mark.parametrize(
    ("notion", "part", "wrong"),
    [
        pytest.param("MetricDP", "own", lambda own: own[1:], id="a pair's number is missing"),
        pytest.param("MetricDP", "own", lambda own: [[*own[0][:2], 0, own[0][3]], *own[1:]], id="a pair of one input"),
        pytest.param("MetricDP", "own", lambda own: [own[0], *own], id="a number twice"),
        pytest.param("MetricDP", "own", lambda own: [[9999, *own[0][1:]], *own], id="a number of no functional"),
        pytest.param("MetricDP", "own", lambda own: [[*own[0][:3], -own[0][3]], *own[1:]], id="a negative number"),
        pytest.param("ApproximateLDP", "own", lambda own: [[*x[:3], 2 * x[3]] for x in own], id="more than its charge"),
        pytest.param("ApproximateLDP", "budget", lambda nu: nu[1:], id="a budget is missing"),
        pytest.param("MaximalLeakage", "budget", lambda nu: [-x for x in nu], id="a negative budget"),
        pytest.param("MaximalLeakage", "budget", lambda nu: [0.9 * x for x in nu], id="a smaller budget"),
        pytest.param("MutualInformationPrivacy", "budget", lambda nu: [0.9 * x for x in nu], id="less information"),
        pytest.param("SibsonLeakage", "budget", lambda nu: [0.9 * x for x in nu], id="less of a norm"),
        pytest.param("GLeakage", "own", lambda own: [[*x[:3], -x[3]] for x in own], id="actions that count negative"),
        pytest.param("GLeakage", "own", lambda own: [[*x[:3], 2 * x[3]] for x in own], id="more actions than charged"),
        pytest.param("GLeakage", "own", lambda own: [[*x[:2], 99, x[3]] for x in own], id="an action of none"),
        pytest.param("BoundedPriorLIP", "own", lambda own: [x for x in own if not 10 <= x[2] < 15], id="no p at all"),
        pytest.param("StrongL1", "own", lambda own: [x for x in own if x[2] == 0], id="no multiplier of the distance"),
        pytest.param(
            "StrongChiSquare", "own", lambda own: [[0, 0, 0, 1e3], *(own or [])], id="a number that is too large"
        ),
        pytest.param("Intersection", "on_secrets", lambda d: d[1:], id="a functional without its parts"),
        pytest.param("Intersection", "on_secrets", lambda d: [*d, d[0]], id="parts of no functional"),
        pytest.param("Intersection", "on_secrets", lambda d: [x[:1] for x in d], id="one part alone"),
        pytest.param("Intersection", "on_secrets", lambda d: [x[::-1] for x in d], id="parts the other way round"),
        pytest.param(
            "Intersection", "on_secrets", lambda d: [[y[:-1] for y in x] for x in d], id="an input is missing"
        ),
    ],
)
def test_planted_numbers_of_its_own_are_refused_by_both(notion, part, wrong, tmp_path):
    path = tmp_path / "a.json"
    data = made.changed(made.data(notion, "ErrorProbability"), **{f"proof__{part}": wrong})
    with pytest.raises((reader.Unproved, reader.Unreadable)):
        reader.check(data)
    path.write_text(json.dumps(data))
    with pytest.raises(md.CertificateError):
        md.load(path)


def test_a_question_without_a_known_proof_is_said(tmp_path):
    problem = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
    said = "MutualInformation under StrongL1 is not covered yet. The bound is certified in floating point"
    with pytest.warns(md.ProofWarning, match=said):
        made_without = md.design(problem, md.StrongL1(0.3), md.MutualInformation(), proof=True)
    assert not made_without.certificate.proved


PROFILES = md.ProfileDP(1.0, [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], [(0, 1)], profile_prior=[0.8, 0.2])


class Mine(md.LDP):
    """A notion of one's own that says less than it inherits."""

    def holds_exactly(self, numerators, problem):
        return True


@pytest.mark.parametrize(
    ("notion", "objective", "outputs", "why"),
    [
        (PROFILES, md.HistogramMMSE(), None, "HistogramMMSE is not covered yet, or not for these inputs"),
        (md.CentralizedIP(1.0, [[0.5, 0.5]] * 60), md.MMSE(), None, "CentralizedIP of more than 60 inputs"),
        (PROFILES, md.LeakageLoss(), None, "LeakageLoss is not covered yet, or not for these inputs"),
        (md.LDP(1.0), md.MutualInformation(minimize=True), None, "MutualInformation is not covered"),
        (md.LDP(1.0), md.InformationDesign("D"), None, "InformationDesign is not covered"),
        (md.MaximalLeakage(1.0), md.MutualInformation(), None, "MutualInformation under MaximalLeakage is not covered"),
        (md.LIP(1.0), md.HistogramMMSE(), None, "HistogramMMSE of more than 9 inputs under LIP is not covered"),
        (md.MutualInformationPrivacy(0.0), md.MMSE(), None, "MutualInformationPrivacy is not covered"),
        (md.SibsonLeakage(0.0, 2.0), md.MMSE(), None, "SibsonLeakage is not covered"),
        (md.GLeakage(0.0, np.eye(3)), md.MMSE(), None, "GLeakage is not covered"),
        (md.StrongChiSquare(0.5) & md.LIP(1.0), md.MMSE(), None, "StrongChiSquare of a hidden secret, or beside"),
        (
            md.UtilityOptimizedLDP(1.0, [0]) & md.MaxLift(1.0),
            md.MMSE(),
            None,
            "lets inputs be revealed, beside another notion",
        ),
        (md.LDP(1.0), md.MMSE(), 2, "number of outputs"),
        (md.LDP(1.0), md.HammingLoss(), None, "more numbers than readers"),
        (md.LDP(6000.0), md.AbsoluteError(), None, "levels are at most 5000"),
        (Mine(1.0), md.MMSE(), None, "a class of your own"),
        (md.LDP(1.0), md.TotalVariation([1, 0, 0], [0, 0.5, 0.5]), None, "not for these inputs"),
    ],
)
def test_why_there_is_no_proof(notion, objective, outputs, why):
    n = 501 if "numbers" in why else 10 if "9 inputs" in why else 61 if "60 inputs" in why else 3
    problem = md.Problem(prior=[0.5, 0.3, 0.2] if n == 3 else np.full(n, 1.0 / n), values=np.arange(n))
    problem = md.Problem(n=n, values=np.arange(n)) if notion.name in ("CentralizedIP", "ProfileDP") else problem
    assert why in refusal(md.Question(problem, notion, objective, outputs))


#: Their priors follow from profiles and from records, and are no floats.
THIRDS = [0.1, 0.7, 0.2]
OF_OWN_PRIOR = {
    "seen": md.ProfileDP(1.0, [THIRDS, [0.3, 0.3, 0.4]], [(0, 1)], profile_prior=[0.8, 0.2]),
    "blind": md.ProfileDP(1.0, [THIRDS, [0.3, 0.3, 0.4]], [(0, 1)], sees_profile=False, profile_prior=[0.8, 0.2]),
    "no prior": md.ProfileDP(1.0, [THIRDS, [0.3, 0.3, 0.4]], [(0, 1)]),
    "records": md.CentralizedIP(0.8, [[0.9, 0.1], [0.3, 0.7]]),
    "a longer record": md.CentralizedIP(0.8, [THIRDS]),
}


@pytest.mark.parametrize("name", OF_OWN_PRIOR)
@pytest.mark.parametrize(
    "objective", [md.MMSE(), md.AbsoluteError(), md.ErrorProbability(), md.HammingLoss(), md.InformationDesign("A")]
)
def test_priors_that_follow_from_a_notion_are_exact(name, objective, monkeypatch, tmp_path):
    notion, problem = OF_OWN_PRIOR[name], md.Problem(n=3, values=[0, 1, 5])
    if name == "no prior" and objective.needs_prior:
        with pytest.raises(md.DomainError):
            md.design(problem, notion, objective)
        return
    found = md.design(problem, notion, objective, proof=True)
    assert found.certificate.proved
    read_alike(found, monkeypatch)
    assert md.load(found.mechanism.save(tmp_path / "a.json")) == found.mechanism


def test_a_problem_that_has_a_notions_inputs_already_has_its_exact_prior():
    for notion in (OF_OWN_PRIOR["seen"], OF_OWN_PRIOR["records"]):
        once = notion.inputs(md.Problem(n=3, values=[0, 1, 5]))
        again = notion.inputs(dataclasses.replace(once))
        total = sum(once.exact_prior)
        assert again == once and notion.inputs(once) is once
        assert np.abs(np.array([each / total for each in once.exact_prior]) - once.prior).max() <= 1e-16
        assert once.exact_parts is not None and again.exact_parts == once.exact_parts
        useful = md.Question(once, notion, md.MMSE())
        assert useful == md.Question(again, notion, md.MMSE()) and notion.inputs(useful.problem) == once
        # Of other distributions they would be wrong.
        assert dataclasses.replace(once, labels=None).exact_parts is None


def test_a_search_for_a_proof_that_is_stopped_leaves_the_design(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(proving, "proved", interrupted)
    problem = md.Problem(prior=[0.5, 0.3, 0.2])
    with pytest.warns(md.ProofWarning, match="it was interrupted"):
        found = md.design(problem, md.LDP(1.0), md.HammingLoss(), proof=True)
    assert found.gap <= 1e-6 and not found.mechanism.claimed.proved
    monkeypatch.setattr(proving, "is_late", lambda: True)
    with pytest.warns(md.ProofWarning, match="no time for it"):
        again = md.design(problem, md.LDP(1.0), md.HammingLoss(), proof=True)
    assert again.mechanism == found.mechanism


def test_a_matrix_that_no_reader_takes_has_no_proof(monkeypatch):
    monkeypatch.setattr(proving, "LARGEST_MATRIX", 8)
    with pytest.warns(md.ProofWarning, match="its matrix has 9 numbers, more than readers"):
        found = md.design(md.Problem(prior=[0.5, 0.3, 0.2]), md.LDP(1.0), md.MutualInformation(), proof=True)
    assert not found.certificate.proved and found.matrix.size == 9


def test_a_time_limit_within_a_proof_leaves_the_design(monkeypatch):
    def late(doing):
        raise OutOfTime(doing)

    monkeypatch.setattr(double_description, "require_time", late)
    extreme_columns.cache_clear()
    with pytest.warns(md.ProofWarning, match="the time limit left no time for it"):
        found = md.design(md.Problem(prior=[0.5, 0.3, 0.2]), md.LIP(1.0), md.MutualInformation(), proof=True)
    assert found.gap <= 1e-6 and not found.certificate.proved


def test_fewer_outputs_are_proved_too():
    asked = made.design("LIP", "MMSE").mechanism.asked
    few = md.design(asked.problem, asked.notion, asked.objective, within=0.2, proof=True)
    assert few.mechanism.claimed.proved and few.matrix.shape[1] < made.design("LIP", "MMSE").matrix.shape[1]
    assert few.gap <= 0.2


def test_constraints_of_ones_own_are_not_proved():
    problem = md.Problem(prior=[0.5, 0.3, 0.2])
    with pytest.warns(md.ProofWarning, match="constraints of your own are not covered"):
        md.design(
            problem, md.LDP(1.0), md.HammingLoss(), route="convex", subject_to=lambda Q: [Q[0, 0] >= 0.4], proof=True
        )


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [0.0, 1e-12, 1.0], [0.0, 1.0, 1e9]])
@pytest.mark.parametrize("notion", [md.LDP(0.0), md.LDP(1e-7), md.LIP(1e-3), md.MaxLift(20.0), md.LDP(40.0)])
def test_edges(notion, values):
    """Nothing to tell, next to nothing, all of it: the proof holds, and its gap is that of floating point."""
    problem = md.Problem(prior=[0.5, 0.4999, 0.0001], values=values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        plain = md.design(problem, notion, md.MMSE())
        found = md.design(problem, notion, md.MMSE(), proof=True)
    assert found.mechanism.claimed.proved
    assert found.gap <= 2 * plain.gap + 3 * CLOSE
    assert "no mechanism" in reader.check(sealed(json.loads(json.dumps(found.mechanism.to_dict()))))[0]


NO_WAY = [[0, 0, 2, np.inf], [0, 0, 2, 0.5], [2, 2, 0, 0.5], [np.inf, 0.5, 0.5, 0]]


@pytest.mark.parametrize(
    ("notion", "objective", "prior"),
    [
        pytest.param(md.MetricDP(0.7, NO_WAY), md.HammingLoss(), [0.25] * 4, id="a chain is shorter than a pair"),
        pytest.param(md.ApproximateLDP(1.0, 0.0), md.HammingLoss(), [0.2, 0.3, 0.5], id="a budget of nothing"),
        pytest.param(md.StrongL1(3.0), md.HammingLoss(), [0.3, 0.3, 0.4], id="no bound at all"),
        pytest.param(md.StrongL1(1.7), md.HammingLoss(), [1e-6, 1 - 1e-6], id="an input of next to no probability"),
        pytest.param(
            md.StrongChiSquare(0.5), md.ChiSquare([0.4, 0.6], [0.4, 0.6]), [0.4, 0.6], id="distributions alike"
        ),
        pytest.param(md.MutualInformationPrivacy(9.0), md.MMSE(), [0.2, 0.8], id="more than there is to know"),
        pytest.param(md.SibsonLeakage(9.0, 1.1), md.MMSE(), [0.2, 0.8], id="more than any leakage"),
        pytest.param(md.GLeakage(9.0, np.eye(2)), md.HammingLoss(), [0.2, 0.8], id="more than there is to gain"),
    ],
)
def test_edges_of_notions_with_numbers_of_their_own(notion, objective, prior):
    problem = md.Problem(prior=prior, values=range(len(prior)))
    found = md.design(problem, notion, objective, proof=True)
    assert found.mechanism.claimed.proved and found.gap <= 1e-6
    assert "no mechanism" in reader.check(made.file_of(found))[0]


def test_a_proof_within_the_gap_that_is_asked_for():
    assert made.design("LDP", "KLDivergence", gap=1e-9).gap <= 1e-9


def test_another_mechanism_of_the_question_has_the_same_proof():
    found = made.design("LDP", "MMSE")
    other = found.certify(md.baselines.randomised_response(found.mechanism.asked.problem, 1.0))
    assert other.claimed.proved and other.claimed.bound == found.bound
    assert other.claimed.value > found.value


NAMED = {
    "ChiSquareGenerator": (md.objectives.ChiSquareGenerator(), md.ChiSquare),
    "HellingerGenerator": (md.objectives.HellingerGenerator(), md.Hellinger),
    "JensenShannonGenerator": (md.objectives.JensenShannonGenerator(), md.JensenShannon),
    "KLGenerator": (md.objectives.KLGenerator(), md.KLDivergence),
    "TotalVariationGenerator": (md.objectives.TotalVariationGenerator(), md.TotalVariation),
}
TWO = {"first": [0.5, 0.3, 0.2], "second": [0.1, 0.3, 0.6]}


@pytest.mark.parametrize("name", NAMED)
def test_an_f_divergence_is_proved_as_its_named_one(name, monkeypatch):
    f, of = NAMED[name]
    found = md.design(md.Problem(n=3), md.LDP(1.0), md.FDivergence(f, **TWO), proof=True)
    named = md.design(md.Problem(n=3), md.LDP(1.0), of(**TWO), proof=True)
    assert found.certificate.proved and named.certificate.proved
    read_alike(found, monkeypatch)
    assert found.bound == pytest.approx(named.bound, rel=3e-8) and found.value == pytest.approx(named.value, rel=3e-8)


@pytest.mark.parametrize("order", [0.5, 2.5])
def test_a_power_divergence_is_proved_as_the_renyi_divergence_of_its_order(order, monkeypatch):
    f = md.objectives.PowerGenerator(order)
    found = md.design(md.Problem(n=3), md.LDP(1.0), md.FDivergence(f, **TWO), proof=True)
    renyi = md.design(md.Problem(n=3), md.LDP(1.0), md.RenyiDivergence(order, **TWO), proof=True)
    read_alike(found, monkeypatch)
    in_nats = [np.log(1 + order * (order - 1) * each) / (order - 1) for each in (found.value, found.bound)]
    assert in_nats == pytest.approx([renyi.value, renyi.bound], rel=3e-8)


class Tilted(md.objectives.KLGenerator):
    """A generator of one's own, which files name by a class that no reader knows."""


def test_a_generator_of_ones_own_is_not_proved():
    asked = md.Question(md.Problem(n=3), md.LDP(1.0), md.FDivergence(Tilted(), **TWO))
    assert "FDivergence is not covered yet" in refusal(asked)


def test_a_covariance_that_is_nearly_infinite_has_no_proof_and_no_error():
    # Of next to no privacy at all: the lines of the proof are not near the covariance of the matrix.
    known = [[0.0076, 3.5e-10, 0.1305, 0.4726], [0.3841, 0.497, 0.3437, 0.4635]]
    rest = 1.0 - np.sum(known, axis=0)
    prior = np.array([5e-4, 0.4294, 0.5701 - 4.92e-7, 4.92e-7])
    problem = md.Problem(prior=prior).hidden(secret_given_data=[*known, rest])
    objective = md.InformationDesign("A", theta=[0.32, 0.08, 0.32, 0.28])
    with pytest.warns(md.ProofWarning, match="not near the covariance"), pytest.warns(md.GapWarning):
        made = md.design(problem, md.LIP(1e-8), objective, proof=True)
    assert made.audit.holds and not made.mechanism.claimed.proved
