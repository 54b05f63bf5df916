"""Check the proof in a mechanism file, with nothing of the package that wrote it: ``python -m mechdesign_check FILE``.

A proof shows that no mechanism of a privacy notion has more than some utility. Column y of a mechanism Q is the vector
of ``Pr(y | x)`` over inputs x; a notion allows the columns of a cone K, rows of Q sum to one, and the utility is a sum
``sum_y mu(q_y)``. The file gives one number ``lam_x`` for each input. If ``mu(v) <= lam . v`` for every v in K, then

    utility = sum_y mu(q_y) <= sum_y lam . q_y = sum_x lam_x.

``mu`` is at most the largest of some functionals g (`functionals`), so it is enough that ``w . v >= 0`` for every v in
K, with ``w = lam - g`` for each g: that is one sum for each notion (`allowed`). All numbers are fractions;
exponentials, logarithms and roots are enclosed between two fractions, and each is rounded to the side that makes the
claim weaker.

Needs nothing but Python's standard library. Exit codes: 0 proved, 1 not proved, 2 not a file with a proof that this
program can read.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction as Q
from itertools import pairwise
from pathlib import Path

BITS = 256
"""Enclosures are integers in units of ``2**-BITS``."""
LARGEST_FILE, LARGEST_MATRIX, LARGEST_LEVEL = 16 << 20, 250_000, 5000


class Unreadable(Exception):
    """The file is none that this program can check."""


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
        data = json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"it is no plain JSON ({error})") from None
    if not isinstance(data, dict):
        raise Unreadable("it holds no object")
    return data


def _object(pairs):
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return made


def _no_constant(name):
    raise ValueError(f"{name} is no number of JSON")


def _integer(text):
    if len(text) > 40:
        raise ValueError("an integer of more than 40 digits")
    return int(text)


def part(data, name, kind):
    """Return a part of the file, of the kind that it has to be."""
    found = data.get(name)
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
        raise Unreadable(f"its part {name!r} is missing, or of another kind")
    return found


def number(found):
    """Return the fraction that a finite number is: a decimal in the file stands for the nearest double."""
    if isinstance(found, bool) or not isinstance(found, (int, float)) or not math.isfinite(found):
        raise Unreadable(f"{str(found)[:40]!r} is no finite number")
    return Q(found)


def vector(found, length=None):
    """Return a list of fractions, of that length where one is given."""
    if not isinstance(found, list) or (length is not None and len(found) != length):
        raise Unreadable(
            f"a list of {length if length is not None else 'some'} numbers is missing, or of another length"
        )
    return [number(each) for each in found]


def level(found):
    """Return a level, None for an infinite one."""
    if found == "inf":
        return None
    made = number(found)
    if not 0 <= made <= LARGEST_LEVEL:
        raise Unreadable(f"a level has to be between 0 and {LARGEST_LEVEL}")
    return made


def shares(found, length=None):
    """Return a distribution, divided by its exact sum."""
    made = vector(found, length)
    total = sum(made)
    if min(made) < 0 or total <= 0:
        raise Unreadable("a distribution has a negative entry, or none that is positive")
    return [each / total for each in made]


def dot(left, right):
    """Return the sum of products of two lists of one length."""
    if len(left) != len(right):
        raise Unreadable("two lists that belong together have different lengths")
    return sum((a * b for a, b in zip(left, right, strict=True)), Q(0))


# Enclosures: pairs of fractions, the first at most and the second at least the number ------------------------------


def exp_bounds(x):
    """Return bounds of ``e^x``: a Taylor series of a small share of x, squared."""
    if x == 0:
        return Q(1), Q(1)
    if x < 0:
        low, high = exp_bounds(-x)
        return 1 / high, 1 / low
    if x > LARGEST_LEVEL:
        raise Unreadable(f"the exponential of more than {LARGEST_LEVEL} is too large")
    halvings = max(0, math.ceil(x).bit_length() + 4)
    one = 1 << (BITS + halvings + 16)
    small = x.numerator * one // (x.denominator << halvings)
    term, low, count = one, one, 0
    while term:
        count += 1
        term = term * small // (one * count)
        low += term
    # Each term is rounded down by less than 1.2 units, `small` included; the rest is less than 1.
    high = low + 2 * count + 1
    for _ in range(halvings):
        low, high = low * low // one, -(-high * high // one)
    return Q(low, one), Q(high, one)


def log_bounds(x):
    """Return bounds of ``ln x`` of a positive fraction: ``k ln 2 + 2 atanh((r - 1) / (r + 1))`` with r in [1, 2)."""
    if x <= 0:
        raise Unproved("the logarithm of a number that is not positive")
    if x == 1:
        return Q(0), Q(0)
    if x < 1:
        low, high = log_bounds(1 / x)
        return -high, -low
    k = x.numerator.bit_length() - x.denominator.bit_length()
    if x < 1 << k:
        k -= 1
    low, high = _twice_atanh((x / (1 << k) - 1) / (x / (1 << k) + 1))
    of_two = _twice_atanh(Q(1, 3))
    return Q(low + k * of_two[0], 1 << BITS), Q(high + k * of_two[1], 1 << BITS)


def _twice_atanh(z):
    """Return integer bounds, in units, of ``2 (z + z^3 / 3 + z^5 / 5 + ...)`` for z in [0, 1/3]."""
    one = 1 << BITS
    power = z.numerator * one // z.denominator
    square = power * power // one
    low, count = 0, 0
    while power:
        low += power // (2 * count + 1)
        power, count = power * square // one, count + 1
    # Each power is rounded down by less than 2 units and each term by less than 3; the rest is less than 3.
    return 2 * low, 2 * low + 6 * count + 6


def sqrt_bounds(x):
    """Return bounds of the root of a fraction that is not negative."""
    if x < 0:
        raise Unproved("the root of a negative number")
    root = math.isqrt((x.numerator << (2 * BITS)) // x.denominator)
    low, high = Q(root, 1 << BITS), Q(root + 1, 1 << BITS)
    return low, low if low * low == x else high


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
    """What a question speaks of: how many inputs, their prior and their values."""

    def __init__(self, problem):
        self.n = part(problem, "n", int)
        self.prior = shares(problem["prior"], self.n) if problem.get("prior") is not None else None
        self.values = vector(problem["values"], self.n) if problem.get("values") is not None else None
        if problem.get("secret_given_data") is not None or problem.get("data_given_secret") is not None:
            raise Unreadable("proofs with a hidden secret are not covered")


# Notions: is a matrix private, and is ``w . v >= 0`` for every column v that is allowed ------------------------------


class Ldp:
    """``v_i <= e^epsilon v_j`` within each block of inputs; an output of one input alone may reveal some of them."""

    def __init__(self, notion, world):
        self.epsilon, self.blocks, self.may_reveal = level(notion.get("epsilon")), [list(range(world.n))], set()
        if self.epsilon is None:
            raise Unreadable("a level is finite")
        if notion["name"] == "BlockLDP":
            self.blocks = blocks_of(notion, world.n)
        if notion["name"] == "UtilityOptimizedLDP":
            self.may_reveal = set(range(world.n)) - set(indices(part(notion, "sensitive", list), world.n))

    def private(self, columns):
        kept = [v for v in columns if not self.reveals(v)]
        return all(at_most(max(v[i] for i in b), self.epsilon, min(v[i] for i in b)) for v in kept for b in self.blocks)

    def reveals(self, v):
        used = [i for i, entry in enumerate(v) if entry]
        return len(used) == 1 and used[0] in self.may_reveal

    def allowed(self, w):
        """Each entry of v is at the end of ``[1, e^epsilon]``, in a unit of its block, that makes ``w . v`` least."""
        high = exp_bounds(self.epsilon)[1]
        least = [sum(max(w[i], 0) + high * min(w[i], 0) for i in block) for block in self.blocks]
        return min(least) >= 0 and all(w[i] >= 0 for i in self.may_reveal)


def blocks_of(notion, n):
    """Return the blocks, and one for each input that is in none of them."""
    blocks = [indices(block, n) for block in part(notion, "blocks", list)]
    named = [i for block in blocks for i in block]
    if len(named) != len(set(named)) or not all(blocks):
        raise Unreadable("blocks are empty, or name an input twice")
    return blocks + [[i] for i in range(n) if i not in named]


def indices(found, n):
    """Return a list of indices below n."""
    if not isinstance(found, list) or not all(type(i) is int and 0 <= i < n for i in found):
        raise Unreadable("a list of inputs names one that there is none of")
    return found


class Lifts:
    """``e^-lower m <= v_i <= e^upper m`` with ``m = prior . v``."""

    def __init__(self, notion, world):
        self.prior = world.prior
        if self.prior is None or min(self.prior) <= 0:
            raise Unreadable("the notion needs a prior that is positive")
        if notion["name"] == "AsymmetricLIP":
            self.lower, self.upper = level(notion.get("lower")), level(notion.get("upper"))
        else:
            self.upper = level(notion.get("epsilon"))
            self.lower = None if notion["name"] == "MaxLift" else self.upper

    def private(self, columns):
        masses = [(v, dot(self.prior, v)) for v in columns]
        above = self.upper is None or all(at_most(max(v), self.upper, m) for v, m in masses)
        return above and (self.lower is None or all(at_most(m, self.lower, min(v)) for v, m in masses))

    def allowed(self, w):
        """For any theta, ``w . v`` at ``m = 1`` is at least theta plus the least of ``(w - theta prior) . v``.

        The theta that is best is a ratio of w to the prior, found by filling v in the order of these ratios. No entry
        is more than ``1 / prior_i`` there.
        """
        low = Q(0) if self.lower is None else exp_bounds(-self.lower)[0]
        high = 1 / min(self.prior) if self.upper is None else exp_bounds(self.upper)[1]
        left, theta = 1 - low, None
        for ratio, p in sorted((each / p, p) for each, p in zip(w, self.prior, strict=True)):
            theta = ratio
            left -= p * (high - low)
            if left <= 0:
                break
        rests = [each - theta * p for each, p in zip(w, self.prior, strict=True)]
        return theta + sum(rest * (low if rest > 0 else high) for rest in rests) >= 0


NOTIONS = {
    "AsymmetricLIP": Lifts,
    "BlockLDP": Ldp,
    "LDP": Ldp,
    "LIP": Lifts,
    "MaxLift": Lifts,
    "UtilityOptimizedLDP": Ldp,
    "WorstCaseLIP": Ldp,
}
"""The class of each notion that is covered."""


# Objectives: the value of a matrix, and functionals that are above the utility --------------------------------------


def square(t):
    return t * t, t * t


def chi_square(t):
    return (t - 1) ** 2, (t - 1) ** 2


def total_variation(t):
    return abs(t - 1) / 2, abs(t - 1) / 2


def relative_entropy(t):
    low, high = log_bounds(t) if t else (0, 0)
    return t * low - t + 1, t * high - t + 1


def hellinger(t):
    low, high = sqrt_bounds(t)
    return (t + 1) / 2 - high, (t + 1) / 2 - low


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


#: The generator of each divergence.
GENERATORS = {
    "ChiSquare": chi_square,
    "Hellinger": hellinger,
    "JensenShannon": jensen_shannon,
    "KLDivergence": relative_entropy,
    "TotalVariation": total_variation,
}
NEVER_NEGATIVE = ("AbsoluteError", "ErrorProbability", "HammingLoss", "MMSE")
#: How values are spoken of.
WORDS = {
    "AbsoluteError": "an expected absolute error",
    "ErrorProbability": "an error probability",
    "ExpectedLoss": "an expected loss",
    "FisherInformation": "a Fisher information",
    "HammingLoss": "an expected Hamming loss",
    "MMSE": "a mean squared error",
}


class RatioType:
    """``mu(v) = (b . v) f(a . v / b . v)`` with a convex f."""

    def __init__(self, a, b, f, offset=None, order=None):
        self.a, self.b, self.f, self.offset, self.order = a, b, f, offset, order
        self.maximised = offset is None

    def value(self, columns):
        low = high = Q(0)
        for column in columns:
            first, mass = dot(self.a, column), dot(self.b, column)
            if mass:
                bounds = self.f(first / mass)
                low, high = low + mass * bounds[0], high + mass * bounds[1]
            elif first:
                raise Unreadable("an output that only one of two distributions gives is not covered")
        return self.of_utility(low)[0], self.of_utility(high)[1]

    def of_utility(self, utility):
        """Return bounds of the value at a utility, smaller first for what is maximised."""
        if self.offset is not None:
            return self.offset - utility, self.offset - utility
        if self.order is None:
            return utility, utility
        inside = 1 + self.order * (self.order - 1) * utility
        low, high = (each / (self.order - 1) for each in log_bounds(inside))
        return (low, high) if self.order > 1 else (high, low)

    def functionals(self, proof):
        """Yield the chords of f over a cover of all ratios: on its part each is above f, as f is convex."""
        ends = vector(part(proof, "ends", list))
        if any(b == 0 != a for a, b in zip(self.a, self.b, strict=True)):
            raise Unreadable("an input that only one of two distributions has is not covered")
        ratios = [a / b for a, b in zip(self.a, self.b, strict=True) if b]
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


class ExpectedCost:
    """``mu(v) = max_d gain_d . v``: each output is taken as the decision that is best."""

    maximised = False

    def __init__(self, by_decision, offset):
        self.gains, self.offset = by_decision, offset

    def value(self, columns):
        """Integers in units of all denominators are ten times quicker than fractions."""
        unit = math.lcm(*(each.denominator for gain in self.gains for each in gain))
        per = math.lcm(*(each.denominator for column in columns for each in column))
        gains = [[int(each * unit) for each in gain] for gain in self.gains]
        utility = 0
        for column in columns:
            used = [(x, int(each * per)) for x, each in enumerate(column) if each]
            utility += max(sum(gain[x] * each for x, each in used) for gain in gains)
        return self.of_utility(Q(utility, unit * per))

    def of_utility(self, utility):
        return self.offset - utility, self.offset - utility

    def functionals(self, proof):
        return self.gains


def objective_of(given, world):
    """Return the objective of a question."""
    name = part(given, "name", str)
    if name in ("FisherInformation", "RenyiDivergence", *GENERATORS):
        return divergence(name, given, world)
    if world.prior is None:
        raise Unreadable(f"{name} needs a prior")
    if name in ("AbsoluteError", "MMSE") and world.values is None:
        raise Unreadable(f"{name} needs values")
    if name == "MMSE":
        mean = dot(world.prior, world.values)
        centred = [value - mean for value in world.values]
        variance = dot(world.prior, [each * each for each in centred])
        return RatioType(
            [p * each for p, each in zip(world.prior, centred, strict=True)], world.prior, square, variance
        )
    if name == "AbsoluteError":
        loss = [[abs(x - d) for d in world.values] for x in world.values]
    elif name == "ErrorProbability":
        return ExpectedCost([[p * (x == d) for x, p in enumerate(world.prior)] for d in range(world.n)], Q(1))
    elif name == "HammingLoss":
        loss = [[Q(x != d) for d in range(world.n)] for x in range(world.n)]
    elif name == "ExpectedLoss":
        loss = [vector(row) for row in part(given, "loss", list)]
        if len(loss) != world.n or len({len(row) for row in loss}) != 1:
            raise Unreadable("the loss has not one row for each input")
    else:
        raise Unreadable(f"proofs of {name} are not covered")
    return ExpectedCost(
        [[-p * each for p, each in zip(world.prior, column, strict=True)] for column in zip(*loss, strict=True)], Q(0)
    )


def divergence(name, given, world):
    """Return a divergence between what two distributions of the input give, or the Fisher information."""
    if name == "FisherInformation":
        return RatioType(vector(given["direction"], world.n), shares(given["theta"], world.n), square)
    first, second = shares(given["first"], world.n), shares(given["second"], world.n)
    if name == "RenyiDivergence":
        order = number(given["order"])
        if order <= 0 or order == 1:
            raise Unreadable("an order is positive, and not 1")
        return RatioType(first, second, power(order), order=order)
    return RatioType(first, second, GENERATORS[name])


# The proof ----------------------------------------------------------------------------------------------------------


def check(data):
    """Return what the file proves, in words; raises `Unproved` or `Unreadable`."""
    proof, question = part(data, "proof", dict), part(data, "question", dict)
    if part(proof, "version", int) != 1 or data.get("schema_version") != 6:
        raise Unreadable("it is of a version that this program does not know")
    if question.get("outputs") is not None:
        raise Unreadable("a bound on the number of outputs is not covered")
    if checksum(data) != data.get("checksum"):
        raise Unproved("its checksum does not match: it was edited or damaged")
    given, world = part(question, "notion", dict), World(part(question, "problem", dict))
    name = part(given, "name", str)
    if name not in NOTIONS:
        raise Unreadable(f"proofs under {name[:40]} are not covered")
    notion, columns = NOTIONS[name](given, world), columns_of(data, world.n)
    if not notion.private(columns):
        raise Unproved(f"the matrix does not satisfy {described(given)}")
    objective = objective_of(part(question, "objective", dict), world)
    rows = vector(part(proof, "rows", list), world.n)
    for k, functional in enumerate(objective.functionals(proof)):
        if k * world.n > LARGEST_MATRIX:
            raise Unreadable("it has more functionals than this program takes")
        if not notion.allowed([row - each for row, each in zip(rows, functional, strict=True)]):
            raise Unproved(f"functional {k} is above the rows on some column")
    value, bound = objective.value(columns), objective.of_utility(sum(rows))
    if question["objective"]["name"] in NEVER_NEGATIVE:
        bound = tuple(max(each, Q(0)) for each in bound)
    compare_claims(part(data, "claims", dict), objective.maximised, value, bound)
    return sentence(question, objective, value, bound)


def checksum(data):
    """Return the checksum of everything else in the file."""
    body = {key: each for key, each in data.items() if key != "checksum"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return "sha256:" + hashlib.sha256(text.encode("ascii")).hexdigest()


def columns_of(data, n):
    """Return the columns of the matrix, whose rows sum to one exactly."""
    bits, numerators = part(data, "denominator_bits", int), part(data, "numerators", list)
    if not 0 <= bits <= 1024 or len(numerators) != n or not all(isinstance(row, list) for row in numerators):
        raise Unreadable("the matrix has another shape")
    if len({len(row) for row in numerators}) != 1 or n * len(numerators[0]) > LARGEST_MATRIX:
        raise Unreadable(f"the matrix has rows of several lengths, or more than {LARGEST_MATRIX} entries")
    for row in numerators:
        if not all(type(each) is int and each >= 0 for each in row):
            raise Unreadable("an entry of the matrix is no integer, or negative")
        if sum(row) != 1 << bits:
            raise Unproved("a row of the matrix does not sum to one")
    return [[Q(each, 1 << bits) for each in column] for column in zip(*numerators, strict=True)]


def compare_claims(claims, maximised, value, bound):
    """Raise where the file claims a value or a bound that is better than what follows."""
    claimed, limit, sign = number(claims.get("value")), number(claims.get("bound")), 1 if maximised else -1
    if sign * claimed > max(sign * each for each in value):
        raise Unproved(f"it claims the value {float(claimed)!r}, which its matrix does not have")
    if sign * limit < min(sign * each for each in bound):
        raise Unproved(f"it claims the bound {float(limit)!r}, and its proof shows a weaker one")


def sentence(question, objective, value, bound):
    """Return what is proved in two lines, their numbers rounded to the side that claims less."""
    name, maximised = question["objective"]["name"], objective.maximised
    words, side = WORDS.get(name, f"a {name}"), "above" if maximised else "below"
    best, own = (bound[1], value[0]) if maximised else (bound[0], value[1])
    gap = abs(best - own) / abs(own) if own else abs(best - own)
    least = "at least" if maximised else "at most"
    return [
        f"no mechanism that is {described(question['notion'])} has {words} {side} {rounded(best, maximised)};",
        f"this one has {least} {rounded(own, not maximised)} (relative gap at most {rounded(gap, True, 2)}).",
    ]


def described(notion):
    """Return a notion in words, its lists left out."""
    shown = [f"{key}={each}" for key, each in notion.items() if key != "name" and not isinstance(each, list)]
    relative = " relative to the file's prior" if NOTIONS[notion["name"]] is Lifts else ""
    return f"{notion['name']}({', '.join(shown)}){relative}"


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
            shown = check(read(path))
            print(f"{path}: PROVED", *shown, sep="\n  ")
        except Unproved as error:
            print(f"{path}: NOT PROVED: {error}")
            code = max(code, 1)
        except Unreadable as error:
            print(f"{path}: NOT READ: {error}")
            code = 2
        except (ArithmeticError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            print(f"{path}: NOT READ: a part is missing or of another form ({type(error).__name__}: {str(error)[:80]})")
            code = 2
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
