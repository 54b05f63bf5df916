"""Files with proofs: one for each notion and kind of utility that proofs cover, made once."""

import json
import warnings
from functools import lru_cache
from itertools import product

import numpy as np

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.testing import sized

NOTIONS = ("AsymmetricLIP", "BlockLDP", "LDP", "LIP", "MaxLift", "UtilityOptimizedLDP", "WorstCaseLIP")
OBJECTIVES = (
    "AbsoluteError",
    "ChiSquare",
    "ErrorProbability",
    "ExpectedLoss",
    "FisherInformation",
    "HammingLoss",
    "Hellinger",
    "JensenShannon",
    "KLDivergence",
    "MMSE",
    "RenyiDivergence",
    "TotalVariation",
)
PAIRS = list(product(NOTIONS, OBJECTIVES))


@lru_cache
def design(notion, objective, n=5, seed=1, gap=1e-6):
    problem, asked, useful = sized.some_pair(notion, objective, n, np.random.default_rng(seed))
    with warnings.catch_warnings():
        warnings.simplefilter("error", md.ProofWarning)
        return md.design(problem, asked, useful, proof=True, gap=gap)


def data(notion, objective):
    """Return what the file of a design holds, to be changed at will."""
    return json.loads(json.dumps(sealed(design(notion, objective).mechanism.to_dict())))


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
