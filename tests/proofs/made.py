"""Files with proofs: one for each notion and kind of utility that proofs cover, made once."""

import json
import warnings
from functools import lru_cache
from itertools import product

import numpy as np

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.testing import sized

#: Notions whose test is a sum, and those that need numbers of their own or multipliers of budgets.
BY_FORMULA = (
    "AsymmetricLIP",
    "BlockLDP",
    "InteriorPML",
    "LDP",
    "LIP",
    "MaxLift",
    "UtilityOptimizedLDP",
    "WorstCaseLIP",
)
BY_NUMBERS = (
    "ApproximateLDP",
    "BoundedPriorLIP",
    "CentralizedIP",
    "GLeakage",
    "MaximalLeakage",
    "MetricDP",
    "MutualInformationPrivacy",
    "ProfileDP",
    "SibsonLeakage",
    "StrongChiSquare",
    "StrongL1",
    "WeightedTV",
)
DIVERGENCES = (
    "ChiSquare",
    "FDivergence",
    "FisherInformation",
    "Hellinger",
    "JensenShannon",
    "KLDivergence",
    "RenyiDivergence",
    "TotalVariation",
)
OF_PRIOR = ("AbsoluteError", "ErrorProbability", "ExpectedLoss", "HammingLoss", "MMSE")
WORST = ("MaxOffDiagonal", "WorstCaseLoss")
#: Their utilities are compared with the rows at extreme columns, which these notions list.
AT_COLUMNS = ("HistogramMMSE", "InformationDesign", "MutualInformation")
AT_COLUMNS_PAIRS = list(product((*BY_FORMULA, "CentralizedIP", "MetricDP"), AT_COLUMNS))
PAIRS = list(product(BY_FORMULA, OF_PRIOR + DIVERGENCES + WORST))
OTHERS = list(product((*BY_NUMBERS, "Intersection"), OF_PRIOR + DIVERGENCES + WORST))
#: Without constraints of one's own nothing has to leak; of data that several inputs carry no reader says so.
LEAKAGE = [(notion, "LeakageLoss") for notion in (*BY_FORMULA, *BY_NUMBERS, "Intersection") if notion != "ProfileDP"]
#: Optima under curved notions are known to fewer digits.
CURVED = ("MutualInformationPrivacy", "SibsonLeakage", "StrongChiSquare")

SECRETS, INPUTS = 4, 6
LINE = np.abs(np.subtract.outer(np.arange(SECRETS), np.arange(SECRETS))).astype(float)
#: Notions of a hidden secret, and notions that are joined.
OF_SECRET = {
    "LDP": md.LDP(1.0),
    "LIP": md.LIP(0.5),
    "MaxLift": md.MaxLift(0.5),
    "AsymmetricLIP": md.AsymmetricLIP(0.3, 0.6),
    "BlockLDP": md.BlockLDP(1.0, [[0, 1], [2, 3]]),
    "InteriorPML": md.InteriorPML(0.8, 0.1),
    "WorstCaseLIP": md.WorstCaseLIP(0.7),
    "MetricDP": md.MetricDP(0.5, LINE),
    "BoundedPriorLIP": md.BoundedPriorLIP(0.7, [0.05] * SECRETS, [0.6] * SECRETS),
    "StrongL1": md.StrongL1(0.2),
    "GLeakage": md.GLeakage(0.1, np.eye(SECRETS) + 0.2),
    "MaximalLeakage": md.MaximalLeakage(0.2),
    "ApproximateLDP": md.ApproximateLDP(0.5, 0.05),
    "LDP & LIP": md.LDP(1.0) & md.LIP(0.4),
    "MaximalLeakage & LDP": md.MaximalLeakage(0.1) & md.LDP(1.5),
    "StrongL1 & MetricDP": md.StrongL1(0.3) & md.MetricDP(0.5, LINE),
}
OF_SECRET_PAIRS = list(product(OF_SECRET, ("MMSE", "ErrorProbability", "KLDivergence", "WorstCaseLoss"))) + list(
    product(("LDP", "LIP", "MaxLift", "AsymmetricLIP", "BlockLDP", "WorstCaseLIP", "MetricDP", "LDP & LIP"), AT_COLUMNS)
)


@lru_cache
def design(notion, objective, n=5, seed=1, gap=1e-6):
    size = 2 if notion == "WeightedTV" else n
    problem, asked, useful = sized.some_pair(notion, objective, size, np.random.default_rng(seed))
    return proved(problem, asked, useful, gap)


@lru_cache
def design_of_secret(notion, objective, backward, seed=3):
    """Return a design for a secret that is hidden in the input, given by its posteriors or by what each value sees."""
    rng = np.random.default_rng(seed)
    problem, _, useful = sized.some_pair("LDP", objective, INPUTS, rng)
    sees = rng.dirichlet(np.ones(INPUTS), size=SECRETS)
    if backward:
        hidden = problem.hidden(secret_given_data=rng.dirichlet(np.ones(SECRETS), size=INPUTS).T)
    else:
        plain = md.Problem(n=INPUTS, values=problem.values)
        hidden = plain.hidden(data_given_secret=sees, secret_prior=rng.dirichlet(np.ones(SECRETS) * 3))
    return proved(hidden, OF_SECRET[notion], useful, 1e-6)


def proved(problem, notion, objective, gap):
    with warnings.catch_warnings():
        warnings.simplefilter("error", md.ProofWarning)
        return md.design(problem, notion, objective, proof=True, gap=gap)


def data(notion, objective):
    """Return what the file of a design holds, to be changed at will."""
    return file_of(design(notion, objective))


def file_of(found):
    return json.loads(json.dumps(sealed(found.mechanism.to_dict())))


def changed(given, *, seal=True, **parts):
    """Return a file's data with some parts replaced, by their names joined with two underscores."""
    made = json.loads(json.dumps(given))
    for names, value in parts.items():
        *way, last = (int(name) if name.isdecimal() else name for name in names.split("__"))
        at = made
        for name in way:
            at = at[name]
        at[last] = value(at[last] if isinstance(last, int) else at.get(last))
    return sealed(made) if seal else made
