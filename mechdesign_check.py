"""Check the proof in a mechanism file, with nothing of the package that wrote it: ``python -m mechdesign_check FILE``.

A proof shows that no mechanism of a privacy notion has more than some utility. Column y of a mechanism Q is the vector
of ``Pr(y | x)`` over inputs x; a notion allows the columns of a cone K, rows of Q sum to one, and the utility is a sum
``sum_y mu(q_y)``. The file gives one number ``lam_x`` for each input. If ``mu(v) <= lam . v`` for every v in K, then

    utility = sum_y mu(q_y) <= sum_y lam . q_y = sum_x lam_x.

``mu`` is at most the largest of some functionals g (`functionals`), so it is enough that ``w . v >= 0`` for every v in
K, with ``w = lam - g`` for each g: that is one sum for each notion (`allowed`). A convex mu without such functionals is
compared with ``lam . v`` at columns of which all of K are nonnegative combinations (`extremes`). All numbers are
fractions; exponentials, logarithms and roots are enclosed between two fractions, and each is rounded to the side that
makes the claim weaker.

Needs nothing but Python's standard library. Exit codes: 0 proved, 1 not proved, 2 not a file with a proof that this
program can read.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import unicodedata
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction as Q
from functools import cache, partial
from itertools import pairwise, product
from pathlib import Path

LARGEST_FILE, LARGEST_MATRIX, LARGEST_LEVEL = 16 << 20, 250_000, 5000
MOST_CHORDS, MOST_SETS, MOST_PAIRS, MOST_BITS, MOST_NUMBERS = 5000, 5000, 1_000_000, 10**9, 30_000_000
CLOSE, ONE = 1e-9, 1 << 53


class Unreadable(Exception):
    """The file is none that this program can check."""


class Uncovered(Unreadable):
    """The file asks a question of a kind that this program does not check."""


class Unproved(Exception):
    """A line of the proof fails."""


# Reading ------------------------------------------------------------------------------------------------------------


def read(path):
    """Return the object of JSON in a file: no duplicate keys, no NaN, no huge numbers."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise Unreadable(f"it cannot be opened ({error.strerror})") from None
    if len(text) > LARGEST_FILE:
        raise Unreadable(f"it is larger than {LARGEST_FILE >> 20} MB")
    try:
        data = json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no plain JSON ({error})") from None
    need(isinstance(data, dict), "it holds no object")
    return data


def _object(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def part(data, name, kind):
    """Return a part of the file, of the kind that it has to be."""
    found = data.get(name)
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
        raise Unreadable(f"its part {name!r} is missing, or of another kind")
    return found


def number(found):
    """Return the fraction that a finite number is: a decimal in the file stands for the nearest double."""
    if type(found) not in (int, float) or not abs(found) <= sys.float_info.max:
        raise Unreadable(f"{shown(found)} is no finite number")
    return Q(found)


def vector(found, length=None):
    """Return a list of fractions, of that length where one is given."""
    if not isinstance(found, list) or (length is not None and len(found) != length):
        raise Unreadable("a list of numbers is missing, or of another length")
    return [number(each) for each in found]


def level(found):
    """Return a level, None for an infinite one."""
    if found == "inf":
        return None
    made = number(found)
    cover(made <= LARGEST_LEVEL, f"a level of more than {LARGEST_LEVEL}")
    return made


def shares(found, length=None):
    """Return a distribution, divided by its exact sum."""
    return normalised(vector(found, length))


def shown(found):
    """Return a value of the file in a few characters, with escapes for whatever is not plain ASCII."""
    if isinstance(found, (list, dict)):
        return "a list" if isinstance(found, list) else "an object"
    return ascii(found[:40] if isinstance(found, str) else str(found)[:40])


def normalised(made):
    """Return fractions divided by their sum."""
    total = sum(made)
    if min(made) < 0 or total <= 0:
        raise Unreadable("a distribution has a negative entry, or none that is positive")
    return [each / total for each in made]


def convolved(left, right):
    """Return the sums of products of entries of two lists whose places have one sum."""
    found = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            found[i + j] += a * b
    return found


def dot(left, right):
    """Return the sum of products of two lists of one length."""
    return sum(a * b for a, b in zip(left, right, strict=True))


def alike(*lists):
    """Tell whether all entries of each list are equal."""
    return all(len(set(each)) == 1 for each in lists)


# Forms: what each part of a file may hold, looked at before anything is computed of it ------------------------------
#
# A form is a function that raises `Unreadable` of what it does not allow. Together the tables name all that a file may
# say: what is not understood could change what is proved.


def need(holds, why):
    """Raise if something does not hold."""
    if not holds:
        raise Unreadable(why)


def cover(holds, kind):
    """Raise if something is of a kind that this program does not check, though a file may be."""
    if not holds:
        raise Uncovered(f"{kind}: that is not covered")


def real(allowed=lambda x: True, rule="finite", infinite=False):
    """Return the form of a floating-point number."""

    def form(found):
        inside = type(found) is float and math.isfinite(found) and allowed(found)
        if not inside and not (infinite and found == "inf"):
            raise Unreadable(f"{shown(found)} is not a number that is {rule}")

    return form


def integer(least=0):
    """Return the form of an integer."""

    def form(found):
        if type(found) is not int or found < least:
            raise Unreadable(f"{shown(found)} is no integer from {least} on")

    return form


def instance(*kinds):
    """Return the form of a value of one of some types."""

    def form(found):
        if type(found) not in kinds:
            raise Unreadable(f"{shown(found)} is of another type")

    return form


def several(entry, least=1):
    """Return the form of a list of entries."""

    def form(found):
        need(type(found) is list and len(found) >= least, f"it is no list, or of fewer than {least}")
        for each in found:
            entry(each)

    return form


def matrix(row):
    """Return the form of a list of rows of one length."""

    def form(found):
        several(row)(found)
        need(len(set(map(len, found))) == 1, "its rows are of several lengths")

    return form


def distribution(entry):
    """Return the form of a distribution."""

    def form(found):
        several(entry)(found)
        need(abs(math.fsum(found) - 1) <= CLOSE, "a distribution does not sum to 1")

    return form


def increasing(entry, least=1):
    """Return the form of a list of integers, or of lists, in their order and without repetition."""

    def form(found):
        several(entry, least)(found)
        need(all(a < b for a, b in pairwise(found)), "its entries do not increase, or one stands there twice")

    return form


def disjoint_blocks(found):
    """Raise unless these are disjoint sets of indices, one of them at least of two."""
    increasing(increasing(integer()))(found)
    named = [i for block in found for i in block]
    need(len(named) == len(set(named)) > len(found), "blocks overlap, or protect nothing")


def edge(found):
    """Raise unless this is a pair of different indices."""
    increasing(integer(), 2)(found)
    need(len(found) == 2, "an edge has more than two ends")


def distances(found):
    """Raise unless this is a symmetric matrix of distances, one of them finite."""
    matrix(several(real(lambda d: d >= 0, "at least 0", True)))(found)
    need(all(len(row) == len(found) and row[i] == 0 for i, row in enumerate(found)), "the distances are no square")
    need([list(row) for row in zip(*found, strict=True)] == found, "the distances differ one way and the other")
    others = [d for i, row in enumerate(found) for j, d in enumerate(row) if i != j]
    need(not others or any(d != "inf" for d in others), "all distances are infinite")


def change(found):
    """Raise unless this is a direction in which a distribution may change."""
    several(real())(found)
    size = math.fsum(map(abs, found))
    need(size and abs(math.fsum(found)) <= CLOSE * size, "a direction is zero, or does not sum to zero")


def names(found):
    """Raise unless these are distinct texts, in whatever form of Unicode."""
    several(instance(str))(found)
    need(len({unicodedata.normalize("NFC", each) for each in found}) == len(found), "a name stands there twice")


def generator(found):
    """Raise unless this is the generator of a divergence."""
    name = found.get("name") if isinstance(found, dict) else found
    if name == "PowerGenerator":
        fields(found, {"name": instance(str), "order": ORDER}, "it")
    else:
        known = isinstance(found, str) and found.removesuffix("Generator") in GENERATORS
        cover(known, f"a divergence by {shown(name)}")


def fields(found, forms, where, optional=()):
    """Raise unless an object has just the parts of these names, each of its form."""
    need(isinstance(found, dict), f"{where} is no object")
    for name in found:
        need(name in forms, f"{where} has a part {shown(name)}, which this program does not know")
    for name, form in forms.items():
        need(name in found or name in optional, f"its part {name!r} is missing")
        try:
            if name in found:
                form(found[name])
        except Uncovered:
            raise
        except Unreadable as error:
            raise Unreadable(f"{where}, {name}: {error}") from None


def member(found, tables, where):
    """Raise unless a notion or an objective has just the parameters of its kind."""
    need(isinstance(found, dict) and isinstance(found.get("name"), str), f"{where} has no name")
    cover(found["name"] in tables, f"{where} is {shown(found['name'])}")
    fields(found, {"name": instance(str), **tables[found["name"]]}, where, OPTIONAL.get(found["name"], ()))


def notion_form(found):
    """Raise unless this is a notion; what changes the inputs changes them for all parts, and stands alone."""
    if isinstance(found, dict) and found.get("name") == "Intersection":
        fields(found, {"name": instance(str), "parts": several(part_form, 2)}, "the notion")
    else:
        member(found, NOTION_FORMS, "the notion")


def part_form(found):
    """Raise unless this is a notion that may stand in an intersection."""
    member(found, NOTION_FORMS, "the notion")
    cover(found["name"] not in WIDENING, f"{found['name']} inside an intersection")


def require_forms(data):
    """Raise unless a file has just the parts, of the forms, that a mechanism with a proof has."""
    proof, question, numerators = part(data, "proof", dict), part(data, "question", dict), data.get("numerators")
    known = data.get("schema") == "mechdesign mechanism" and type(data.get("schema_version")) is int
    if not known or part(proof, "version", int) != 2 or data["schema_version"] != 6:
        raise Unreadable("it is of a version that this program does not know")
    fields(data, FILE, "it")
    cover(sum(map(len, numerators)) <= LARGEST_MATRIX, f"a matrix of more than {LARGEST_MATRIX} entries")
    of_one_length = len(set(map(len, numerators))) == 1
    need(data["denominator_bits"] == 53 and of_one_length, "its numerators are no matrix over 2^53")
    fields(proof, PROOF, "its proof", set(PROOF) - {"rows", "ends"})
    fields(question, QUESTION, "its question", ("outputs",))
    cover("outputs" not in question, "a bound on the number of outputs")
    fields(question["problem"], PROBLEM, "its problem", set(PROBLEM) - {"n"})
    fields(data["claims"], CLAIMS, "its claims")
    fields(data["multipliers"], dict.fromkeys(MULTIPLIERS, instance(list, float, type(None))), "its multipliers")
    need(len(data["outputs"]) == len(data["numerators"][0]), "it names more or fewer outputs than it has")


REALS, TRUTH, WEIGHTS = several(real()), instance(bool), several(real(lambda w: w > 0, "above 0"))
LEVEL, SHARE = real(lambda level: level >= 0, "at least 0"), real(lambda p: 0 <= p <= 1, "from 0 to 1")
ORDER = real(lambda order: order > 0 and order != 1, "positive, and not 1")
POSSIBLE, PRESENT = distribution(LEVEL), distribution(real(lambda p: p > 0, "above 0"))
DISTANCES = {"absolute": abs, "squared": lambda apart: apart**2}
PAIR, LOSS = {"first": POSSIBLE, "second": POSSIBLE}, {"loss": matrix(REALS)}

WIDENING = ("CentralizedIP", "ProfileDP")
"""Notions whose mechanism sees something else than the data of the problem."""

NOTION_FORMS = {
    "ApproximateLDP": {"epsilon": LEVEL, "delta": SHARE},
    "AsymmetricLIP": dict.fromkeys(("lower", "upper"), real(lambda level: level >= 0, "at least 0", True)),
    "BlockLDP": {"epsilon": LEVEL, "blocks": disjoint_blocks},
    "BoundedPriorLIP": {"epsilon": LEVEL, "lower": several(SHARE), "upper": several(SHARE)},
    "CentralizedIP": {"epsilon": LEVEL, "priors": several(PRESENT)},
    "GLeakage": {"epsilon": LEVEL, "gain": matrix(several(LEVEL))},
    "InteriorPML": {"epsilon": LEVEL, "c": SHARE},
    "MetricDP": {"epsilon": LEVEL, "distance": distances},
    "ProfileDP": {
        "epsilon": LEVEL,
        "profiles": matrix(POSSIBLE),
        "edges": increasing(edge),
        "sees_profile": TRUTH,
        "profile_prior": PRESENT,
    },
    "SibsonLeakage": {"epsilon": LEVEL, "alpha": real(lambda order: 1.1 <= order <= 100, "from 1.1 to 100")},
    "UtilityOptimizedLDP": {"epsilon": LEVEL, "sensitive": increasing(integer(), 0)},
    "WeightedTV": {"delta": SHARE, "weight": real(lambda w: 0 < w < 1, "between 0 and 1")},
    **{name: {"epsilon": LEVEL} for name in ("LDP", "LIP", "MaxLift", "MaximalLeakage", "MutualInformationPrivacy")},
    **{name: {"epsilon": LEVEL} for name in ("StrongChiSquare", "StrongL1", "WorstCaseLIP")},
}
OBJECTIVE_FORMS = {
    "ExpectedLoss": LOSS,
    "FDivergence": {"f": generator, **PAIR},
    "FisherInformation": {"theta": POSSIBLE, "direction": change},
    "InformationDesign": {"criterion": instance(str), "theta": PRESENT, "weights": WEIGHTS, "direction": REALS},
    "MutualInformation": {"minimize": TRUTH},
    "RenyiDivergence": {"order": ORDER, **PAIR},
    "WorstCaseLoss": {"loss": lambda a: a in (*DISTANCES,) or matrix(REALS)(a), "priors": matrix(several(LEVEL))},
    **dict.fromkeys(("ChiSquare", "Hellinger", "JensenShannon", "KLDivergence", "TotalVariation"), PAIR),
    **{name: {} for name in ("AbsoluteError", "ErrorProbability", "HammingLoss", "HistogramMMSE", "LeakageLoss")},
    **{name: {} for name in ("MaxOffDiagonal", "MMSE")},
}
OPTIONAL = {
    "InformationDesign": ("direction", "theta", "weights"),
    "ProfileDP": ("profile_prior",),
    "WorstCaseLoss": ("priors",),
}
"""Parameters of members that a file leaves out where they have no value."""

PROBLEM = {
    "n": integer(1),
    "prior": POSSIBLE,
    "values": REALS,
    "labels": names,
    "prior_source": instance(str),
    "data_of_input": several(integer()),
    "secret_given_data": matrix(several(LEVEL)),
    "data_given_secret": matrix(POSSIBLE),
    "secret_prior": PRESENT,
    "secret_labels": names,
}
QUESTION = {
    "problem": instance(dict),
    "notion": notion_form,
    "objective": lambda found: member(found, OBJECTIVE_FORMS, "the objective"),
    "outputs": integer(1),
}
PROOF = {
    "version": integer(),
    **dict.fromkeys(("rows", "ends", "budget", "on_secrets", "own", "weights", "lines", "decisions"), instance(list)),
}
CLAIMS = {
    "value": real(),
    "bound": real(),
    "gap": real(lambda gap: gap >= 0, "at least 0", True),
    "route": instance(str),
}
MULTIPLIERS = ("rows", "budget", "own_constant", "weights", "own_cost", "by_order", "tree", "leaves")
FILE = {
    **dict.fromkeys(("schema", "checksum"), instance(str)),
    **dict.fromkeys(("schema_version", "denominator_bits"), integer()),
    **dict.fromkeys(("question", "claims", "multipliers", "proof"), instance(dict)),
    "outputs": names,
    "numerators": several(several(integer())),
}


# Enclosures: pairs of fractions, the first at most and the second at least the number ------------------------------


DOWN, UP = (Context(prec=80, rounding=side, Emin=-(10**4), Emax=10**4) for side in (ROUND_FLOOR, ROUND_CEILING))


def enclosed(function, x):
    """Return bounds of an increasing function at a fraction: decimals round `exp` and `ln` to the nearest number."""
    low, high = (side.divide(Decimal(x.numerator), Decimal(x.denominator)) for side in (DOWN, UP))
    return Q(DOWN.next_minus(function(low, DOWN))), Q(UP.next_plus(function(high, UP)))


@cache
def exp_bounds(x):
    """Return bounds of ``e^x``."""
    if abs(x) > LARGEST_LEVEL:
        raise Unreadable(f"the exponential of more than {LARGEST_LEVEL} is too large")
    return enclosed(Decimal.exp, Q(x)) if x else (Q(1), Q(1))


@cache
def log_bounds(x):
    """Return bounds of ``ln x`` of a positive fraction."""
    if x <= 0:
        raise Unproved("the logarithm of a number that is not positive")
    return enclosed(Decimal.ln, Q(x)) if x != 1 else (Q(0), Q(0))


def power_bounds(x, exponent):
    """Return bounds of ``x^exponent`` for x at least 0 and a positive exponent."""
    if x in (0, 1):
        return x, x
    low, high = log_bounds(x)
    return exp_bounds(exponent * low)[0], exp_bounds(exponent * high)[1]


def at_most(least, exponent, most):
    """Tell whether ``least <= e^exponent most`` of numbers that are not negative."""
    return least <= exp_bounds(exponent)[0] * most


# The question -------------------------------------------------------------------------------------------------------


class World:
    """What a question speaks of: inputs, their prior and values, and what each value of a secret sees of the inputs."""

    def __init__(self, problem, notion):
        self.n = self.data = part(problem, "n", int)
        self.prior = shares(problem["prior"], self.n) if "prior" in problem else None
        self.values = vector(problem["values"], self.n) if "values" in problem else None
        self.channel, self.secret_prior = None, self.prior
        need(len(problem.get("labels", range(self.n))) == self.n, "it has more or fewer labels than inputs")
        widening, backward, forward = notion.get("name"), *map(problem.get, ("secret_given_data", "data_given_secret"))
        need(not backward or not (forward or "secret_prior" in problem), "it describes its secret twice")
        need(forward or "secret_prior" not in problem, "it has the prior of a secret, and no secret")
        if widening == "ProfileDP":
            self.of_profiles(notion, problem)
        elif widening == "CentralizedIP":
            self.of_records([shares(row) for row in part(notion, "priors", list)], problem)
        elif backward:
            self.of_posteriors(backward)
        elif forward:
            self.of_secrets(forward, problem.get("secret_prior"))
        need(widening == "ProfileDP" or "data_of_input" not in problem, "no notion makes such inputs")
        need("data_of_input" in problem or min(problem.get("prior", [1])) > 0, "some input has the probability 0")
        self.secrets = self.n if self.channel is None else len(self.channel)
        named = problem.get("secret_labels")
        need(named is None or (backward or forward), "it names the values of a secret, and has no secret")
        need(named is None or len(named) == self.secrets, "it names more or fewer secrets than there are")

    def of_secrets(self, rows, weights):
        """Take ``Pr(x | s)``, a row for each s, and the prior of s: it gives x the prior that the file says."""
        self.channel = [shares(row, self.n) for row in self.limited(rows)]
        self.secret_prior = None if weights is None else shares(weights, len(rows))
        if weights is not None:
            self.require_prior([dot(self.secret_prior, column) for column in zip(*self.channel, strict=True)])

    def limited(self, rows):
        """Return the rows of a secret, if they are not too many."""
        cover(len(rows) * self.n <= LARGEST_MATRIX, "a secret of so many values")
        return rows

    def require_prior(self, found):
        """Take a prior that follows from something else; raise if the file says another one."""
        near = self.prior is None or all(abs(p - q) <= CLOSE for p, q in zip(self.prior, found, strict=True))
        need(near, "its prior is not the one that follows from the rest")
        self.prior = self.prior or found

    def require_secret(self, problem, channel, prior):
        """Raise if the file says something of the secret that the notion does not."""
        said = [problem.get(name) for name in ("data_given_secret", "secret_prior")]
        need("secret_given_data" not in problem and said in ([None, None], [channel, prior]), "it has another secret")

    def of_posteriors(self, rows):
        """Take ``Pr(s | x)``, a row for each s: with the prior of x they give what s sees, and its prior."""
        need(self.prior is not None, "secret_given_data needs a prior of the inputs")
        lists = [vector(row, self.n) for row in self.limited(rows)]
        several(POSSIBLE)([list(column) for column in zip(*rows, strict=True)])
        columns = [normalised(column) for column in zip(*lists, strict=True)]
        joint = [[column[s] * p for column, p in zip(columns, self.prior, strict=True)] for s in range(len(lists))]
        self.secret_prior = [sum(row) for row in joint]
        self.channel = [normalised(row) for row in joint]

    def of_profiles(self, notion, problem):
        """The secret is a profile; a mechanism that sees it has the inputs (profile, datum), profile by profile."""
        profiles, prior = [shares(row) for row in part(notion, "profiles", list)], notion.get("profile_prior")
        count, n, values = len(profiles), len(profiles[0]), self.values
        seen, made = 1 if notion.get("sees_profile") is False else count, "data_given_secret" in problem
        need(self.n == (seen * n if made else n), "the profiles are of other inputs")
        cover(count * seen * n <= LARGEST_MATRIX, "profiles of so many inputs")
        need(problem.get("data_of_input") == (list(range(n)) * seen if made and seen > 1 else None), "other inputs")
        self.n, self.data, self.values = seen * n, n, values and values[:n] * seen
        need(values in (None, values and values[:n], self.values), "inputs of one datum have several values")

        def apart(rows, zero):
            return [[zero] * (i * n) + row + [zero] * ((count - 1 - i) * n) for i, row in enumerate(rows)]

        given = notion["profiles"]
        self.channel, given = (profiles, given) if seen == 1 else (apart(profiles, Q(0)), apart(given, 0.0))
        self.require_secret(problem, given, prior)
        joint = prior is not None and [dot(shares(prior, count), column) for column in zip(*self.channel, strict=True)]
        if not made and seen > 1:
            # The prior of the file is of the data, not yet of the pairs.
            if joint:
                self.require_prior([sum(joint[x::n]) for x in range(n)])
            self.prior = None
        if joint:
            self.require_prior(joint)
            self.prior = joint

    def of_records(self, records, problem):
        """The input is the sum of records, the secret one record with its value: others add a convolution of theirs."""
        units, count = [tuple(whole([record])[0][0]) for record in records], len(records)
        work = len(set(units)) * count * self.n * sum(max(own).bit_length() for own in units)
        need(units and self.n + count - 1 == sum(map(len, units)), "the records have other sums")
        cover(self.n**2 <= LARGEST_MATRIX and work <= MOST_BITS, "a sum of so many records")
        self.channel, self.secret_prior, found = [], [each / count for record in records for each in record], {}
        for i, own in enumerate(units):
            others = found.get(own) or [1]
            for other in () if own in found else units[:i] + units[i + 1 :]:
                others = convolved(others, other)
            found[own] = others
            for j in range(len(own)):
                self.channel.append(normalised([Q(0)] * j + others + [Q(0)] * (len(own) - 1 - j)))
        found = normalised([Q(each) for each in convolved(others, own)])
        need(min(map(float, found)) > 0, "some sum has the probability 0")
        self.require_prior(found)
        self.prior = found
        self.require_secret(
            problem, *([list(map(float, row)) for row in self.channel], list(map(float, self.secret_prior)))
        )

    def seen(self, column):
        """Return ``Pr(y | s)`` of a column for each s."""
        return column if self.channel is None else [dot(row, column) for row in self.channel]


# Notions: is a matrix private, and is ``w . s + nu . beta(s) >= 0`` for every s that is allowed ----------------------
#
# s is a column as the values of the secret see it: as it is, where the input is the secret. `limits` are at least what
# ``sum_y beta(q_y)`` may be at most, for notions that bound sums over outputs. `own` are numbers of the proof for a
# functional and a notion, by their places; those that are missing are zero.


class OfColumns:
    """A notion that each column satisfies or not by itself."""

    limits = ()

    def private(self, seen):
        return all(self.holds(s) for s in seen)


class Ldp(OfColumns):
    """``s_i <= e^epsilon s_j`` within each block; an output of one input alone may reveal some of them."""

    def __init__(self, notion, world):
        k = world.secrets
        self.epsilon, self.blocks, self.may_reveal = level(notion.get("epsilon")), [list(range(k))], set()
        self.ratio = exp_bounds(self.epsilon)[1]
        if notion["name"] == "BlockLDP":
            self.blocks = blocks_of(notion, k)
        if notion["name"] == "UtilityOptimizedLDP":
            need(world.channel is None, "UtilityOptimizedLDP names the sensitive inputs, and a secret is hidden")
            self.may_reveal = set(range(k)) - set(indices(part(notion, "sensitive", list), k))

    def holds(self, s):
        used = [i for i, entry in enumerate(s) if entry]
        reveals = len(used) == 1 and used[0] in self.may_reveal
        return reveals or all(at_most(max(s[i] for i in b), self.epsilon, min(s[i] for i in b)) for b in self.blocks)

    def allowed(self, w, nu, own):
        """Each entry of s is at the end of ``[1, e^epsilon]``, in a unit of its block, that makes ``w . s`` least."""
        least = [sum(max(w[i], 0) + self.ratio * min(w[i], 0) for i in block) for block in self.blocks]
        return min(least) >= 0 and all(w[i] >= 0 for i in self.may_reveal)

    def rows(self, k):
        return ratio_rows({(i, j): self.ratio for block in self.blocks for i in block for j in block if i != j}, k)


def ratio_rows(ratios, k):
    """Return the rows ``ratio_ij s_j - s_i``."""
    return [[ratio if x == j else -int(x == i) for x in range(k)] for (i, j), ratio in ratios.items()]


def blocks_of(notion, k):
    """Return the blocks, and one for each index that is in none of them."""
    blocks = [indices(block, k) for block in part(notion, "blocks", list)]
    named = [i for block in blocks for i in block]
    return blocks + [[i] for i in range(k) if i not in named]


def indices(found, k):
    """Return a list of indices below k."""
    if not isinstance(found, list) or not all(type(i) is int and 0 <= i < k for i in found):
        raise Unreadable("a list names an index that there is none of")
    return found


def positive_prior(notion, world):
    """Return the prior of the secret, all of whose values are possible."""
    if world.secret_prior is None or min(world.secret_prior) <= 0:
        raise Unreadable(f"{notion['name']} needs a prior that is positive")
    return world.secret_prior


class Lifts(OfColumns):
    """``e^-lower m <= s_i <= e^upper m`` with ``m = prior . s``."""

    def __init__(self, notion, world):
        self.prior = positive_prior(notion, world)
        if notion["name"] == "AsymmetricLIP":
            self.lower, self.upper = level(notion["lower"]), level(notion["upper"])
            need(self.lower is not None or self.upper is not None, "with both ends infinite nothing is asked")
        else:
            self.upper = level(notion["epsilon"])
            self.lower = None if notion["name"] == "MaxLift" else self.upper

    def holds(self, s):
        mass = dot(self.prior, s)
        above = self.upper is None or at_most(max(s), self.upper, mass)
        return above and (self.lower is None or at_most(mass, self.lower, min(s)))

    def allowed(self, w, nu, own):
        """For any theta, ``w . s`` at ``m = 1`` is at least theta plus the least of ``(w - theta prior) . s``.

        The theta that is best is a ratio of w to the prior, found by filling s in the order of these ratios. No entry
        is more than ``1 / prior_i`` there.
        """
        low, high = self.ends()
        left, theta = 1 - low, None
        for ratio, p in sorted((each / p, p) for each, p in zip(w, self.prior, strict=True)):
            theta = ratio
            left -= p * (high - low)
            if left <= 0:
                break
        rests = [each - theta * p for each, p in zip(w, self.prior, strict=True)]
        return theta + sum(rest * (low if rest > 0 else high) for rest in rests) >= 0

    def ends(self):
        """Return what entries are at least and at most where ``m = 1``."""
        low = Q(0) if self.lower is None else exp_bounds(-self.lower)[0]
        return low, 1 / min(self.prior) if self.upper is None else exp_bounds(self.upper)[1]

    def rows(self, k):
        low, high = ([[end * p - (x == i) for x, p in enumerate(self.prior)] for i in range(k)] for end in self.ends())
        return high + [[-each for each in row] for row in low]


class Interior(OfColumns):
    """``s_i <= e^epsilon m`` with the least mass ``m = c sum s + (1 - k c) min s`` of priors nowhere below c."""

    def __init__(self, notion, world):
        self.epsilon, self.k = level(notion.get("epsilon")), world.secrets
        need(notion["c"] * self.k <= 1 + CLOSE, "no prior gives each secret a probability of at least c")
        self.ratio, self.c = exp_bounds(self.epsilon)[1], min(number(notion["c"]), Q(1, self.k))

    def holds(self, s):
        return at_most(max(s), self.epsilon, self.c * sum(s) + (1 - self.k * self.c) * min(s))

    def allowed(self, w, nu, own):
        """With t the least entry and u the largest one that is allowed, s is at u where w is least, and at t elsewhere.

        At a sum of one, ``w . s`` is linear in t between those t at which the entries at u are a whole number: it is
        least at one of these, or where ``t = 0`` and one entry is between, or at equal entries.
        """
        ranked, shared, total = sorted(w), self.ratio * self.c, sum(w)
        sizes = [j for j in range(1, self.k) if shared * j < 1]
        most = [total * (1 - shared * j) + sum(ranked[:j]) * (self.ratio - 1) for j in sizes]
        if shared * self.k > 1:
            full = int(1 / shared)
            most.append(sum(ranked[:full]) + (1 / shared - full) * ranked[full])
        return min([total, *most]) >= 0

    def rows(self, k):
        def row(s, w):
            return [self.ratio * (self.c + (1 - k * self.c) * (x == w)) - (x == s) for x in range(k)]

        return [row(s, w) for s in range(k) for w in range(k) if s != w]


class Pairs(OfColumns):
    """``s_i <= e^d s_j`` with a number d of nats of its own for each ordered pair."""

    def __init__(self, notion, world):
        epsilon, k = level(notion.get("epsilon")), world.secrets
        if notion["name"] == "MetricDP":
            apart = part(notion, "distance", list)
            need(len(apart) == k, "the distances are of other secrets")
            finite = [(i, j) for i in range(k) for j in range(k) if i != j and apart[i][j] != "inf"]
            nats = {(i, j): epsilon * number(apart[i][j]) for i, j in finite}
        else:
            edges = [indices(edge, k) for edge in part(notion, "edges", list)]
            nats = {pair: epsilon for i, j in edges for pair in ((i, j), (j, i))}
        # At most LARGEST_LEVEL nats for what is private: that asks for more.
        self.nats, self.ratios = nats, {pair: exp_bounds(min(each, Q(LARGEST_LEVEL))) for pair, each in nats.items()}
        self.bounded = {pair: math.inf for pair, each in nats.items() if each <= LARGEST_LEVEL}

    def holds(self, s):
        return all(s[i] <= ratio[0] * s[j] for (i, j), ratio in self.ratios.items())

    def allowed(self, w, nu, own):
        """The proof gives ``y >= 0`` for pairs, with ``sum y_ij (e^d s_j - s_i)`` at most ``w . s`` entry by entry."""
        return over_pairs(w, own, self.bounded, {pair: self.ratios[pair][1] for pair in self.bounded})

    def rows(self, k):
        """Return the rows of pairs that are nearer than every chain over a third."""
        nats, near = self.nats, dict(self.bounded)
        for (i, j), d in nats.items():
            if any(0 < nats.get((i, x), 0) <= d - nats.get((x, j), d) < d for x in range(k)):
                near.pop((i, j), None)
        return ratio_rows({pair: self.ratios[pair][1] for pair in near}, k)


def over_pairs(w, own, most, ratios):
    """Tell whether w is at least ``sum y_ij (ratio_ij s_j - s_i)``, with y between 0 and the most for its pair."""
    left = list(w)
    for place, y in own.items():
        i, j = divmod(place, len(w))
        if not 0 <= y <= most.get((i, j), -1):
            return False
        left[i] += y
        left[j] -= y * ratios[i, j]
    return min(left) >= 0


class Box(OfColumns):
    """``e^-epsilon pi . s <= s_i <= e^epsilon pi . s`` for every distribution pi in a box."""

    def __init__(self, notion, world):
        self.epsilon, k = level(notion.get("epsilon")), world.secrets
        self.lower, self.upper = self.box = box_of(vector(notion.get("lower"), k), vector(notion.get("upper"), k))
        known = [] if world.secret_prior is None else list(zip(world.secret_prior, *self.box, strict=True))
        need(all(low - CLOSE <= p <= high + CLOSE for p, low, high in known), "the prior lies outside the box")

    def holds(self, s):
        least, most = -most_in(self.box, [-each for each in s]), most_in(self.box, s)
        return at_most(max(s), self.epsilon, least) and at_most(most, self.epsilon, min(s))

    def allowed(self, w, nu, own):
        """The proof gives a, b, p and q: ``w`` is at least ``E p - a + E b - q``, p at least A times a pi in the box,
        q at most B times one, with ``E = e^epsilon``, A and B the sums of a and b, none of them negative."""
        k = len(w)
        a, b, p, q = ([own.get(each * k + i, Q(0)) for i in range(k)] for each in range(4))
        high, of_a, of_b = exp_bounds(self.epsilon)[1], sum(a), sum(b)
        boxed = list(zip(p, q, self.lower, self.upper, strict=True))
        inside = min(a + b) >= 0 and all(r >= of_a * low and s <= of_b * top for r, s, low, top in boxed)
        inside = inside and sum(min(r, of_a * top) for r, _, _, top in boxed) >= of_a
        inside = inside and sum(max(s, of_b * low) for _, s, low, _ in boxed) <= of_b
        return inside and all(w[i] >= high * (p[i] + b[i]) - a[i] - q[i] for i in range(k))


def box_of(lower, upper):
    """Return the bounds of a box of distributions that holds one."""
    inside = all(0 <= low <= high <= 1 for low, high in zip(lower, upper, strict=True))
    need(inside and sum(lower) <= 1 + CLOSE and sum(upper) >= 1 - CLOSE, "a box that holds no distribution")
    cover(sum(lower) <= 1 <= sum(upper), "a box that holds a distribution but for rounding")
    return lower, upper


def most_in(box, s):
    """Return ``pi . s`` of the distribution in a box that gives as much as it can to the largest entries."""
    total, left = dot(box[0], s), 1 - sum(box[0])
    for each, low, high in sorted(zip(s, *box, strict=True), reverse=True):
        share = min(left, high - low)
        total, left = total + share * each, left - share
    return total


def moved_into(box, prior):
    """Return a distribution in a box: entries clipped to it, the first ones that can take what is then missing."""
    found = [min(max(p, low), high) for p, low, high in zip(prior, *box, strict=True)]
    left = 1 - sum(found)
    for i, (low, high) in enumerate(zip(*box, strict=True)):
        share = min(max(left, low - found[i]), high - found[i])
        found[i], left = found[i] + share, left - share
    return found


class Moved(OfColumns):
    """``sum_i prior_i |s_i - m|^k <= epsilon^k m^k`` with ``m = prior . s``; k is 1 or 2."""

    def __init__(self, notion, world):
        self.epsilon, self.prior = level(notion.get("epsilon")), positive_prior(notion, world)
        self.power = 1 if notion["name"] == "StrongL1" else 2

    def holds(self, s):
        mass = dot(self.prior, s)
        moved = sum(p * abs(each - mass) ** self.power for p, each in zip(self.prior, s, strict=True))
        return moved <= (self.epsilon * mass) ** self.power

    def allowed(self, w, nu, own):
        """For k = 1 the proof gives theta and beta >= 0, multipliers of the mass and of the distance: with
        ``r = w - theta prior`` an entry s_i adds at least the least of r_i and beta prior_i, where no r_i is below
        ``-beta prior_i``. For k = 2 it gives ``y >= 0``: the least of ``(w - y) . s`` is its mean less epsilon times
        the deviation of ``(w - y) / prior``."""
        if self.power == 1:
            theta, beta = own.get(0, Q(0)), own.get(1, Q(0))
            rests = [each - theta * p for each, p in zip(w, self.prior, strict=True)]
            pairs = [(rest, beta * p) for rest, p in zip(rests, self.prior, strict=True)]
            within = beta >= 0 and all(rest + most >= 0 for rest, most in pairs)
            return within and theta - beta * self.epsilon + sum(min(pair) for pair in pairs) >= 0
        left = [each - own.get(i, Q(0)) for i, each in enumerate(w)]
        mean = sum(left)
        spread = sum(p * (rest / p - mean) ** 2 for rest, p in zip(left, self.prior, strict=True))
        return min(own.values(), default=0) >= 0 and mean >= 0 and mean**2 >= self.epsilon**2 * spread


class Leakage:
    """``sum_y max_i s_i <= e^epsilon``."""

    def __init__(self, notion, world):
        self.epsilon = level(notion.get("epsilon"))
        self.limits = (exp_bounds(self.epsilon)[1],)

    def private(self, seen):
        return at_most(sum(max(s) for s in seen), self.epsilon, 1)

    def allowed(self, w, nu, own):
        """The largest entry is at least any mean of them."""
        return sum(max(-each, 0) for each in w) <= nu[0]


class Gains:
    """``sum_y max_a g_a . s <= e^epsilon max_a g_a . 1`` with ``g_ai = prior_i gain_ai``."""

    def __init__(self, notion, world):
        self.epsilon, prior = level(notion.get("epsilon")), positive_prior(notion, world)
        gains = [vector(row, world.secrets) for row in part(notion, "gain", list)]
        self.actions = [[g * p for g, p in zip(row, prior, strict=True)] for row in gains]
        self.least = max(map(sum, self.actions), default=0)
        need(self.least, "GLeakage has gains some of which are above 0")
        self.limits = (exp_bounds(self.epsilon)[1] * self.least,)

    def private(self, seen):
        return at_most(sum(max(dot(each, s) for each in self.actions) for s in seen), self.epsilon, self.least)

    def allowed(self, w, nu, own):
        """The proof gives ``y >= 0`` for actions, of sum nu at most; ``w + sum y_a g_a`` is nowhere negative."""
        if min(own.values(), default=0) < 0 or sum(own.values()) > nu[0] or max(own, default=0) >= len(self.actions):
            return False
        return all(each + sum(y * self.actions[a][i] for a, y in own.items()) >= 0 for i, each in enumerate(w))


class Approximate:
    """``sum_y max(s_i - e^epsilon s_j, 0) <= delta`` for each ordered pair."""

    def __init__(self, notion, world):
        self.epsilon, self.delta, k = level(notion.get("epsilon")), number(notion.get("delta")), world.secrets
        cover(k * k <= MOST_PAIRS, "a secret of so many pairs of values")
        self.pairs = [(i, j) for i in range(k) for j in range(k) if i != j]
        self.limits = (self.delta,) * len(self.pairs)

    def private(self, seen):
        low = exp_bounds(self.epsilon)[0]
        return all(sum(max(s[i] - low * s[j], 0) for s in seen) <= self.delta for i, j in self.pairs)

    def allowed(self, w, nu, own):
        """The proof gives y between 0 and nu for pairs; ``w . s + sum y_ij (s_i - e^epsilon s_j)`` is not negative."""
        most = dict(zip(self.pairs, nu, strict=True))
        return over_pairs(w, own, most, dict.fromkeys(self.pairs, exp_bounds(self.epsilon)[1]))


class TwoInputs:
    """``sum_y |(1 - weight) s_0 - weight s_1| <= delta`` with a delta that some mechanism has, but for rounding."""

    def __init__(self, notion, world):
        self.weight, delta = number(notion.get("weight")), number(notion.get("delta"))
        self.limits = (max(delta, abs(1 - 2 * self.weight)),)
        known = world.secrets == 2 and self.limits[0] - delta <= Q(1, 10**12)
        need(known, "WeightedTV is of two secrets, with a delta that some mechanism has")

    def private(self, seen):
        return sum(abs((1 - self.weight) * s[0] - self.weight * s[1]) for s in seen) <= self.limits[0]

    def allowed(self, w, nu, own):
        """Some y between -nu and nu has ``w + y (1 - weight, -weight)`` nowhere negative."""
        return max(-nu[0], -w[0] / (1 - self.weight)) <= min(nu[0], w[1] / self.weight)


class Information:
    """``sum_y sum_i prior_i s_i ln(s_i / m) <= epsilon`` with ``m = prior . s``."""

    def __init__(self, notion, world):
        self.epsilon, self.prior = level(notion.get("epsilon")), positive_prior(notion, world)
        self.limits = (self.epsilon,)

    def private(self, seen):
        return sum(information(self.prior, s)[1] for s in seen) <= self.epsilon

    def allowed(self, w, nu, own):
        """The least is at ``s_i = e^(-w_i / (nu prior_i))``, scaled: ``sum prior_i s_i`` is at most 1 there."""
        if not nu[0]:
            return min(w) >= 0
        exponents = [-each / (nu[0] * p) for each, p in zip(w, self.prior, strict=True)]
        if max(exponents) > LARGEST_LEVEL:
            return False
        return sum(p * exp_bounds(max(e, -LARGEST_LEVEL))[1] for e, p in zip(exponents, self.prior, strict=True)) <= 1


class Norms:
    """``sum_y ||s|| - prior . s <= e^(epsilon (a - 1) / a) - 1`` with ``||s||^a = sum_i prior_i s_i^a``."""

    def __init__(self, notion, world):
        self.epsilon, self.prior = level(notion.get("epsilon")), positive_prior(notion, world)
        self.order = number(notion.get("alpha"))
        self.share = 1 - 1 / self.order
        self.limits = (exp_bounds(self.epsilon * self.share)[1] - 1,)

    def private(self, seen):
        return sum(map(self.norm, seen)) <= exp_bounds(self.epsilon * self.share)[0]

    def norm(self, s):
        """Return at least the norm of s."""
        mass = dot(self.prior, s)
        mean = sum(p * power_bounds(e / mass, self.order)[1] for p, e in zip(self.prior, s, strict=True)) if mass else 0
        return mass * power_bounds(mean, 1 / self.order)[1]

    def allowed(self, w, nu, own):
        """By Hoelder: ``(nu prior - w) . s`` is at most nu times the norm of s where no dual norm is above nu."""
        if not nu[0]:
            return min(w) >= 0
        left = [(p, 1 - each / (nu[0] * p)) for each, p in zip(w, self.prior, strict=True)]
        if any(e * p > 1 for p, e in left):
            return False
        return sum(p * power_bounds(e, 1 / self.share)[1] for p, e in left if e > 0) <= 1


def information(prior, s):
    """Return bounds of ``sum_i prior_i s_i ln(s_i / m)``."""
    mass = dot(prior, s)
    logs = [(p * e, log_bounds(e / mass)) for p, e in zip(prior, s, strict=True) if p * e]
    return sum(share * low for share, (low, _) in logs), sum(share * high for share, (_, high) in logs)


NOTIONS = {
    **dict.fromkeys(("BlockLDP", "LDP", "UtilityOptimizedLDP", "WorstCaseLIP"), Ldp),
    **dict.fromkeys(("AsymmetricLIP", "CentralizedIP", "LIP", "MaxLift"), Lifts),
    **dict.fromkeys(("MetricDP", "ProfileDP"), Pairs),
    **dict.fromkeys(("StrongChiSquare", "StrongL1"), Moved),
    "ApproximateLDP": Approximate,
    "BoundedPriorLIP": Box,
    "GLeakage": Gains,
    "InteriorPML": Interior,
    "MaximalLeakage": Leakage,
    "MutualInformationPrivacy": Information,
    "SibsonLeakage": Norms,
    "WeightedTV": TwoInputs,
}
"""The class of each notion that is covered."""


def notions_of(given, world):
    """Return a notion, or each part of an intersection."""
    if given["name"] != "Intersection":
        return [NOTIONS[given["name"]](given, world)]
    parts = [NOTIONS[one["name"]](one, world) for one in given["parts"]]
    revealing = any(isinstance(one, Ldp) and one.may_reveal for one in parts)
    cover(not revealing, "an intersection with outputs that may reveal an input")
    return parts


# Objectives: the value of a matrix, and functionals that are above the utility --------------------------------------


def twice(each):
    return each, each


def square(t):
    return twice(t * t)


def relative_entropy(t):
    low, high = log_bounds(t) if t else (0, 0)
    return t * low - t + 1, t * high - t + 1


def jensen_shannon(t):
    low, high = log_bounds(t) if t else (0, 0)
    of_mean = log_bounds((1 + t) / 2)
    return (t * low - (1 + t) * of_mean[1]) / 2, (t * high - (1 + t) * of_mean[0]) / 2


def power(order):
    """Return ``(t^a - a t + a - 1) / (a (a - 1))``."""

    def f(t):
        low, high = ((each - order * t + order - 1) / (order * (order - 1)) for each in power_bounds(t, order))
        return (low, high) if order > 1 else (high, low)

    return f


def renyi(order):
    """Return the divergence as a function of the utility by the generator of its order."""

    def of_utility(utility):
        low, high = (each / (order - 1) for each in log_bounds(1 + order * (order - 1) * utility))
        return (low, high) if order > 1 else (high, low)

    return of_utility


#: The generator of each divergence.
GENERATORS = {
    "ChiSquare": lambda t: square(t - 1),
    "Hellinger": lambda t: tuple(each / 4 for each in power(Q(1, 2))(t)),
    "JensenShannon": jensen_shannon,
    "KL": relative_entropy,
    "TotalVariation": lambda t: twice(abs(t - 1) / 2),
}
SQUARE = ("AbsoluteError", "ErrorProbability", "HammingLoss", "MaxOffDiagonal")
OF_PRIOR = (
    "AbsoluteError",
    "ErrorProbability",
    "ExpectedLoss",
    "HammingLoss",
    "HistogramMMSE",
    "MMSE",
    "MutualInformation",
)
OF_COLUMNS = ("ExpectedLoss", "LeakageLoss", "MMSE")
"""Objectives of which nothing is made that has the square of the inputs."""

WORDS = {
    "InformationDesign": "sum of (weighted) variances of frequencies",
    "LeakageLoss": "maximal leakage",
    "MMSE": "mean squared error",
}


class Convex:
    """A convex mu, by its bounds on a column that is not zero, and what the value is at a utility.

    `even` is a mu that is the same for all orders of the inputs, and bounds as well where all rows are equal.
    """

    def __init__(self, mu, of_utility=twice, maximised=True, even=None):
        self.mu, self.of_utility, self.maximised, self.even = mu, of_utility, maximised, even

    def value(self, columns, proof):
        bounds = [self.mu(column) for column in columns if any(column)]
        return self.of_utility(sum(low for low, _ in bounds))[0], self.of_utility(sum(high for _, high in bounds))[1]


class RatioType(Convex):
    """``mu(v) = (b . v) f(a . v / b . v)`` with a convex f."""

    def __init__(self, a, b, f, of_utility=twice, maximised=True):
        super().__init__(self.perspective, of_utility, maximised)
        self.a, self.b, self.f = a, b, f

    def perspective(self, v):
        mass = dot(self.b, v)
        return [mass * end for end in self.f(dot(self.a, v) / mass)] if mass else (0, 0)

    def functionals(self, proof):
        """Yield the chords of f over a cover of all ratios: on its part each is above f, as f is convex."""
        ends = vector(part(proof, "ends", list))
        shared = not any(b == 0 != a for a, b in zip(self.a, self.b, strict=True))
        cover(shared, "an input that only one of two distributions has")
        ratios = [a / b for a, b in zip(self.a, self.b, strict=True) if b]
        if len(ends) > MOST_CHORDS:
            raise Unreadable(f"it has more than {MOST_CHORDS} chords")
        if any(left >= right for left, right in pairwise(ends)):
            raise Unproved("the ends of the chords do not increase")
        if not ends or ends[0] > min(ratios) or ends[-1] < max(ratios):
            raise Unproved("the chords do not cover all ratios")
        values = [self.f(t)[1] for t in ends]
        if len(ends) == 1:
            yield [values[0] * b for b in self.b]
        for (left, f_left), (right, f_right) in pairwise(zip(ends, values, strict=True)):
            slope = (f_right - f_left) / (right - left)
            rest = f_left - slope * left
            yield [slope * a + rest * b for a, b in zip(self.a, self.b, strict=True)]


def squares(lines, weights, theta, unit, v):
    """Return ``sum_k weights_k (lines_k . v)^2 / theta . v`` twice; lines are integers over a unit."""
    told = sum(w * dot(line, v) ** 2 for w, line in zip(weights, lines, strict=True))
    return twice(told / (dot(theta, v) * unit**2))


class Design(Convex):
    """``sum_k weights_k C_kk`` with C the pseudoinverse of ``J = sum_y q_y q_y' / theta . q_y`` but for constants.

    For any line y_k that sums to 0 and a unit vector e_k, ``C_kk`` is ``2 y_k . e_k - y_k' J y_k + r' C r`` with r what
    ``e_k - J y_k`` is beside its mean: at least that without r, and at most that with ``|r|^2 trace(C)``.
    """

    def __init__(self, theta, weights, lines):
        self.theta, self.weights, n = theta, weights, len(theta)
        lines, unit = whole(lines)
        self.lines, self.unit = [[n * each - sum(line) for each in line] for line in lines], n * unit
        own = [line[k] for k, line in enumerate(self.lines)]
        offset, mu = 2 * dot(weights, own) / self.unit, partial(squares, self.lines, weights, theta, self.unit)
        # Of inputs that are alike the mean over all their orders bounds as well: a matrix of two values.
        even = [[sum(own) * (n * (x == k) - 1) for x in range(n)] for k in range(n)]
        even = partial(squares, even, weights, theta, self.unit * n * (n - 1))
        super().__init__(mu, lambda utility: twice(offset - utility), False, even if alike(theta, weights) else None)

    def value(self, columns, proof):
        n, (used, one) = len(self.theta), whole([column for column in columns if any(column)])
        # Rounded down, to 256 binary digits: J is no larger.
        sizes = [int((1 << 256) / (dot(self.theta, column) * one)) for column in used]
        made = [[dot(line, column) * size for column, size in zip(used, sizes, strict=True)] for line in self.lines]
        seen = [[Q(dot(each, row), self.unit << 256) for row in zip(*used, strict=True)] for each in made]
        own = [(2 * line[k] - dot(line, seen[k])) / self.unit for k, line in enumerate(self.lines)]
        left = [[(x == k) - each for x, each in enumerate(row)] for k, row in enumerate(seen)]
        rests = [sum(each**2 for each in row) - sum(row) ** 2 / n for row in left]
        if sum(rests) >= 1:
            raise Unproved("the lines of the proof are not near the covariance of the matrix")
        trace = sum(own) / (1 - sum(rests))
        return twice(sum(w * (each + rest * trace) for w, each, rest in zip(self.weights, own, rests, strict=True)))


def whole(rows):
    """Return rows of fractions as integers over one denominator."""
    one = math.lcm(*(each.denominator for row in rows for each in row))
    return [[int(each * one) for each in row] for row in rows], one


class Decisions:
    """An offset and the largest of some sums of ``cost Q[x, d]``; the proof says what decision d an output stands for.

    Each `piece` is such a sum, a list of x, d and cost. The mean of the pieces by the weights of the proof is at most
    the largest: a sum over columns v of a cost that is at least ``-max_d gain_d . v``. With a `box` of priors piece
    x is that of input x alone, and the weights are such a prior.
    """

    maximised = False

    def __init__(self, pieces, n, count, offset=Q(0), box=None):
        self.pieces, self.n, self.count, self.offset, self.box = pieces, n, count, offset, box

    def value(self, columns, proof):
        given = [[Q(0)] * self.n for _ in range(self.count)]
        for d, column in zip(indices(part(proof, "decisions", list), self.count), columns, strict=True):
            given[d] = [before + each for before, each in zip(given[d], column, strict=True)]
        sums = [sum(cost * given[d][x] for x, d, cost in piece) for piece in self.pieces]
        return twice(self.offset + (max(sums) if self.box is None else most_in(self.box, sums)))

    def of_utility(self, utility):
        return twice(self.offset - utility)

    def functionals(self, proof):
        gains = [[Q(0)] * self.n for _ in range(self.count)]
        weights = shares(proof.get("weights", [1]), len(self.pieces))
        weights = weights if self.box is None else moved_into(self.box, weights)
        for weight, piece in zip(weights, self.pieces, strict=True):
            for x, d, cost in piece:
                gains[d][x] -= weight * cost
        return gains


class Leakages:
    """``ln sum_y max_x Q[x, y]``: each largest entry is at least that of the first input, and those sum to 1."""

    maximised = False

    def __init__(self, n):
        self.n = n

    def value(self, columns, proof):
        return log_bounds(sum(max(column) for column in columns))

    def of_utility(self, utility):
        return log_bounds(max(-utility, 1))

    def functionals(self, proof):
        return [[-int(x == 0) for x in range(self.n)]]


def objective_of(given, proof, world):
    """Return the objective of a question."""
    name = given["name"]
    kind = name.removesuffix("Divergence")
    need(world.prior or name not in OF_PRIOR, f"{name} needs a prior")
    of_values = name in ("AbsoluteError", "MMSE") or type(given.get("loss")) is str
    need(world.values or not of_values, f"{name} needs values")
    if kind in ("F", "FisherInformation", "Renyi", *GENERATORS):
        return divergence(kind, given, world)
    cover(name not in SQUARE or world.n * world.data <= LARGEST_MATRIX, "an objective of more losses")
    cover(name in OF_COLUMNS or 8 * world.n**2 <= MOST_NUMBERS, f"{name} of so many inputs")
    if name in ("MaxOffDiagonal", "WorstCaseLoss"):
        return worst_case(name, given, world)
    if name in ("HistogramMMSE", "InformationDesign", "LeakageLoss", "MutualInformation"):
        return on_extremes(name, given, proof, world)
    if name == "MMSE":
        mean = dot(world.prior, world.values)
        centred = [value - mean for value in world.values]
        weighted = [p * each for p, each in zip(world.prior, centred, strict=True)]
        variance = dot(weighted, centred)
        return RatioType(weighted, world.prior, square, lambda utility: twice(variance - utility), False)
    return expected(name, given, world)


def expected(name, given, world):
    """Return an expected loss of decisions, one for each datum but for `ExpectedLoss`."""
    if name == "ErrorProbability":
        return Decisions([[(x, x % world.data, -p) for x, p in enumerate(world.prior)]], world.n, world.data, Q(1))
    if name == "HammingLoss":
        return of_loss([[Q(x != d) for d in range(world.data)] for x in range(world.data)], [world.prior], world)
    return of_loss(losses(given.get("loss", "absolute"), world), [world.prior], world)


def losses(given, world):
    """Return a matrix of losses, or the losses of a distance between values: a row for each datum."""
    if type(given) is list:
        return [vector(row) for row in given]
    values = world.values[: world.data]
    return [[DISTANCES[given](x - d) for d in values] for x in values]


def on_extremes(name, given, proof, world):
    """Return an objective whose proof looks at every extreme column, or the leakage."""
    even = [Q(1)] * world.n
    cover(name == "InformationDesign" or world.n == world.data, f"{name} of data that several inputs carry")
    if name == "LeakageLoss":
        return Leakages(world.n)
    if given.get("criterion", "A") not in ("D", "E", "worst", "c") and name == "InformationDesign":
        need(given["criterion"] == "A" and "direction" not in given, "a criterion is none, or has no direction")
        need(world.n > 1, "InformationDesign compares frequencies")
        theta = world.prior if given.get("theta") is None else shares(given["theta"], world.n)
        weights = even if given.get("weights") is None else vector(given["weights"], world.n)
        lines = [vector(line, world.n) for line in part(proof, "lines", list)]
        return Design(theta or normalised(even), weights, lines)
    cover(name != "InformationDesign" and not given.get("minimize"), f"{name} of another criterion or sense")
    if name == "MutualInformation":
        mu = partial(information, world.prior)
        return Convex(mu, even=mu if alike(world.prior) else None)
    lines = [[p * (x == z) for z, p in enumerate(world.prior)] for x in range(world.n)]
    mu = partial(squares, lines, even, world.prior, 1)
    return Convex(mu, lambda utility: twice(1 - utility), False, mu if alike(world.prior) else None)


def worst_case(name, given, world):
    """Return the largest probability of a wrong report, or the loss under the least favourable of some priors."""
    n = world.n
    if name == "MaxOffDiagonal":
        wrong = [[(x, d, Q(1))] for x in range(n) for d in range(world.data) if d != x % world.data]
        return Decisions(wrong, n, world.data)
    alone, loss = [[Q(x == k) for x in range(n)] for k in range(n)], losses(part(given, "loss", list | str), world)
    priors = alone if given.get("priors") is None else [vector(row, n) for row in part(given, "priors", list)]
    sums = [float(sum(prior)) for prior in priors]
    if len(priors) == 2 and sums[0] < 1 - CLOSE and sums[1] > 1 + CLOSE:
        return of_loss(loss, alone, world, box_of(*priors))
    near = all(abs(each - 1) <= CLOSE for each in sums)
    need(near, "priors are neither distributions nor the bounds of a box")
    return of_loss(loss, [normalised(prior) for prior in priors], world)


def of_loss(loss, priors, world, box=None):
    """Return the largest expected loss under one of the priors; the inputs repeat the rows of the loss."""
    need(len(loss) == world.data, "the loss has not one row for each input")
    count = sum(p != 0 for prior in priors for p in prior) * len(loss[0])
    cover(count <= LARGEST_MATRIX, "an objective of more losses")
    rows = [loss[x % world.data] for x in range(world.n)]
    pieces = [[(x, d, p * c) for x, p in enumerate(prior) if p for d, c in enumerate(rows[x])] for prior in priors]
    return Decisions(pieces, world.n, len(loss[0]), box=box)


def divergence(kind, given, world):
    """Return a divergence between what two distributions of the input give, or the Fisher information."""
    if kind == "FisherInformation":
        theta, direction = shares(given["theta"], world.n), vector(given["direction"], world.n)
        need(all(p or not d for p, d in zip(theta, direction, strict=True)), "theta is 0 where the direction is not")
        return RatioType(direction, theta, square)
    first, second = shares(given["first"], world.n), shares(given["second"], world.n)
    f = given["f"] if kind == "F" else kind
    if kind == "Renyi" or (isinstance(f, dict) and f.get("name") == "PowerGenerator"):
        order = number((given if kind == "Renyi" else f)["order"])
        return RatioType(first, second, power(order), renyi(order) if kind == "Renyi" else twice)
    return RatioType(first, second, GENERATORS[f.removesuffix("Generator")])


def asked(data):
    """Return the world, the notions and the objective of a file."""
    question, rows = data["question"], len(data["numerators"])
    # Whatever number the file says, nothing is made that is larger than its matrix.
    need(question["problem"]["n"] <= rows, "the matrix has another number of rows")
    world = World(question["problem"], question["notion"])
    need(world.n == rows, "the matrix has another number of rows")
    return world, notions_of(question["notion"], world), objective_of(question["objective"], data["proof"], world)


# The proof ----------------------------------------------------------------------------------------------------------


def check(data):
    """Return what the file proves, in words; raises `Unproved` or `Unreadable`."""
    require_forms(data)
    if checksum(data) != data["checksum"]:
        raise Unproved("its checksum does not match: it was edited or damaged")
    world, parts, objective = asked(data)
    proof, question, given = data["proof"], data["question"], data["question"]["notion"]
    columns = columns_of(data)
    seen = [world.seen(column) for column in columns]
    if not all(one.private(seen) for one in parts):
        raise Unproved(f"the matrix does not satisfy {described(given, world)}")
    bound, value = objective.of_utility(most_utility(proof, parts, world, objective)), objective.value(columns, proof)
    if question["objective"]["name"] in (*SQUARE, "HistogramMMSE", "InformationDesign", "MMSE"):
        bound = tuple(max(each, Q(0)) for each in bound)
    compare_claims(part(data, "claims", dict), objective.maximised, value, bound)
    return sentence(question, objective, value, bound, world)


def most_utility(proof, parts, world, objective):
    """Return the utility that no mechanism passes, as the rows and the multipliers of the budgets have it."""
    rows, counts = vector(part(proof, "rows", list), world.n), [len(one.limits) for one in parts]
    budget = vector(proof.get("budget", []), sum(counts))
    if min(budget, default=0) < 0:
        raise Unproved("a multiplier of a budget is negative")
    nus = [budget[sum(counts[:p]) : sum(counts[: p + 1])] for p in range(len(parts))]
    if not hasattr(objective, "functionals"):
        even = objective.even is not None and alike(rows)
        mu = objective.even if even else objective.mu
        if any(mu(v)[1] > dot(rows, v) for v in extremes(parts, world, even)):
            raise Unproved("the utility of some column is above the rows")
        return sum(rows)
    own, given = own_numbers(proof, len(parts)), proof.get("on_secrets")
    direct = world.channel is None and len(parts) == 1
    if direct != (given is None) or not (direct or isinstance(given, list)):
        raise Unreadable("functionals of the secrets are missing, or there for no reason")
    count = 0
    for k, functional in enumerate(objective.functionals(proof)):
        if k * len(parts) * max(world.n, world.secrets) > LARGEST_MATRIX:
            raise Unreadable("it has more functionals than this program takes")
        w, count = [row - each for row, each in zip(rows, functional, strict=True)], k + 1
        on_secrets = [w] if direct else below(w, given[k] if k < len(given) else None, len(parts), world)
        for p, (one, nu, d) in enumerate(zip(parts, nus, on_secrets, strict=True)):
            if not one.allowed(d, nu, own.get((k, p), {})):
                raise Unproved(f"functional {k} is above the rows on some column")
    if not count or not (direct or len(given) == count) or any(k >= count for k, _ in own):
        raise Unreadable("it has no functional, or numbers for one that there is none of")
    return sum(rows) + dot(budget, [limit for one in parts for limit in one.limits])


def extremes(parts, world, even):
    """Return columns whose nonnegative combinations are all v with ``row . v >= 0`` for each row over the secrets.

    Under LDP they are those of two values, of which one of each size is enough if the inputs are alike. Elsewhere
    the orthant is cut by one row after the other: two columns of which no third has all their common tight rows leave
    the one between them (double description).
    """
    n, first = world.n, parts[0]
    if isinstance(first, Ldp) and first.blocks == [list(range(n))] and len(parts) == 1 and world.channel is None:
        sets = [(1 << k) - 1 for k in range(1, n + 1)] if even else range(1, limited(1 << n, MOST_SETS))
        own = [[int(x == i) for x in range(n)] for i in first.may_reveal]
        return own + [[first.ratio if members >> x & 1 else 1 for x in range(n)] for members in sets]
    cover(world.secrets**2 * max(n, world.secrets) <= MOST_NUMBERS, "a mu without functionals of so many secrets")
    cover(all(hasattr(one, "rows") for one in parts), "a mu without functionals under such a notion")
    found = [([int(x == i) for x in range(n)], (1 << n) - 1 - (1 << i)) for i in range(n)]
    rows = [row for one in parts for row in one.rows(world.secrets)]
    if world.channel is not None:
        rows = [[dot(row, column) for column in zip(*world.channel, strict=True)] for row in rows]
    work = 0
    for place, row in enumerate(rows, n):
        sided = [(dot(row, v), v, tight) for v, tight in found]
        found = [(v, tight | (0 if side else 1 << place)) for side, v, tight in sided if side >= 0]
        above, below = ([each for each in sided if sign * each[0] > 0] for sign in (1, -1))
        work = limited(work + len(above) * len(below), MOST_PAIRS)
        for (up, u, of_u), (down, v, of_v) in product(above, below):
            both = of_u & of_v
            if both.bit_count() >= n - 2 and sum(both & ~tight == 0 for _, _, tight in sided) == 2:
                made = [up * b - down * a for a, b in zip(u, v, strict=True)]
                found.append(([each / sum(made) for each in made], both | 1 << place))
    return [v for v, _ in found]


def limited(count, most):
    """Return how many columns, or pairs of them, there are to be looked at, if they are not too many."""
    if count > most:
        raise Unreadable("there are too many extreme columns")
    return count


def below(w, given, count, world):
    """Return a functional of the secrets for each notion; as the inputs see them, their sum is nowhere above w."""
    if not isinstance(given, list) or len(given) != count:
        raise Unreadable("a functional of the secrets is missing for some notion")
    on_secrets = [vector(each, world.secrets) for each in given]
    total = [sum(entries) for entries in zip(*on_secrets, strict=True)]
    if world.channel is not None:
        total = [dot(total, column) for column in zip(*world.channel, strict=True)]
    if any(each > most for each, most in zip(total, w, strict=True)):
        raise Unproved("functionals of the secrets add up to more than the rows leave")
    return on_secrets


def own_numbers(proof, count):
    """Return the notions' own numbers by functional and notion, and then by place."""
    found = {}
    for line in part(proof, "own", list) if "own" in proof else []:
        if not isinstance(line, list) or len(line) != 4 or not all(type(i) is int and i >= 0 for i in line[:3]):
            raise Unreadable("a line of a notion's own numbers has another form")
        k, p, place, each = line
        at = found.setdefault((k, p), {})
        if p >= count or place in at:
            raise Unreadable("a notion's own number is there twice, or for no notion")
        at[place] = number(each)
    return found


def checksum(data):
    """Return the checksum of everything else in the file."""
    body = {key: each for key, each in data.items() if key != "checksum"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def columns_of(data):
    """Return the columns of the matrix, whose rows sum to one exactly."""
    if any(sum(row) != ONE for row in data["numerators"]):
        raise Unproved("a row of the matrix does not sum to one")
    return [[Q(each, ONE) for each in column] for column in zip(*data["numerators"], strict=True)]


def compare_claims(claims, maximised, value, bound):
    """Raise where the file claims a value or a bound that is better than what follows."""
    claimed, limit, sign = number(claims["value"]), number(claims["bound"]), 1 if maximised else -1
    if sign * claimed > max(sign * each for each in value):
        raise Unproved(f"it claims the value {float(claimed)!r}, which its matrix does not have")
    if sign * limit < min(sign * each for each in bound):
        raise Unproved(f"it claims the bound {float(limit)!r}, and its proof shows a weaker one")


def sentence(question, objective, value, bound, world):
    """Return what is proved in two lines, their numbers rounded to the side that claims less."""
    name, maximised = question["objective"]["name"], objective.maximised
    words = WORDS.get(name, re.sub("(?<=[a-z])(?=[A-Z])", " ", name))
    words, side = f"{'an' if words[0] in 'AE' else 'a'} {words}", "above" if maximised else "below"
    best, own = (bound[1], value[0]) if maximised else (bound[0], value[1])
    gap = abs(best - own) / abs(own) if own else abs(best - own)
    least = "at least" if maximised else "at most"
    return [
        f"no mechanism that is {described(question['notion'], world)} has {words} {side} {rounded(best, maximised)};",
        f"this one has {least} {rounded(own, not maximised)} (relative gap at most {rounded(gap, True, 2)}).",
    ]


def described(notion, world):
    """Return a notion in words, its lists left out."""
    if notion["name"] == "Intersection":
        return " and ".join(described(each, world) for each in notion["parts"])
    shown = [f"{key}={each}" for key, each in notion.items() if key != "name" and not isinstance(each, list)]
    made = notion["name"] in ("CentralizedIP", "ProfileDP")
    secret = "" if world.channel is None or made else " of the file's secret"
    by_prior = not made and NOTIONS[notion["name"]] in (Lifts, Moved, Information)
    relative = " relative to the file's prior" if by_prior else ""
    return f"{notion['name']}({', '.join(shown)}){secret}{relative}"


def rounded(number, up, digits=9):
    """Return a decimal on the given side of a fraction."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return f"{context.divide(Decimal(number.numerator), Decimal(number.denominator)):g}"


def main(paths):
    """Check each file, print a line for it, and return the exit code."""
    if not paths:
        print("usage: python -m mechdesign_check FILE...")
        return 2
    code = 0
    for path in paths:
        try:
            print(f"{printable(path)}: PROVED", *check(read(path)), sep="\n  ")
        except Unproved as error:
            print(f"{printable(path)}: NOT PROVED: {printable(error)}")
            code = max(code, 1)
        except (Unreadable, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            form = "" if isinstance(error, Unreadable) else "a part is missing or of another form: "
            print(f"{printable(path)}: NOT READ: {form}{printable(error)[:200]}")
            code = 2
    return code


def printable(text):
    """Return a text in one line, with escapes for line ends and whatever else a terminal may obey."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
