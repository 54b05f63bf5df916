"""Values, utilities and bounds in 60 digits, written from the objectives' definitions and nothing of the package."""

from fractions import Fraction

import mpmath
import numpy as np

mpmath.mp.dps = 60
mpf = mpmath.mpf


def exact(number):
    """Return the float, exactly."""
    return mpf(float(number))


def normalised(vector):
    """Return the entries over their exact sum."""
    fractions = [Fraction(float(entry)) for entry in vector]
    total = sum(fractions)
    return [mpf((f / total).numerator) / mpf((f / total).denominator) for f in fractions]


def entries(matrix):
    return [[exact(entry) for entry in row] for row in np.asarray(matrix)]


def dot(vector, Q, y):
    return mpmath.fsum(v * row[y] for v, row in zip(vector, Q, strict=True))


def xlog(x, y):
    return x * mpmath.log(x / y) if x > 0 else mpf(0)


TERMS = {
    "KLDivergence": lambda p, s, _: xlog(p, s),
    "JensenShannon": lambda p, s, _: (xlog(p, (p + s) / 2) + xlog(s, (p + s) / 2)) / 2,
    "ChiSquare": lambda p, s, _: (p - s) ** 2 / s,
    "Hellinger": lambda p, s, _: (mpmath.sqrt(p) - mpmath.sqrt(s)) ** 2 / 2,
    "TotalVariation": lambda p, s, _: abs(p - s) / 2,
    "ChiSquareGenerator": lambda p, s, _: (p - s) ** 2 / s,
    "HellingerGenerator": lambda p, s, _: (mpmath.sqrt(p) - mpmath.sqrt(s)) ** 2 / 2,
    "PowerGenerator": lambda p, s, a: s * ((p / s) ** a - a * p / s + a - 1) / (a * (a - 1)),
    "LeCam": lambda p, s, _: (p - s) ** 2 / (p + s),
    "PlainMean": lambda p, s, _: (xlog(p, (p + s) / 2) + xlog(s, (p + s) / 2)) / 2,
}


def divergence(objective, Q):
    first, second = normalised(objective.first), normalised(objective.second)
    pairs = [(dot(first, Q, y), dot(second, Q, y)) for y in range(len(Q[0]))]
    generator = getattr(objective, "f", None)
    name = objective.name if generator is None else generator.name
    if objective.name == "RenyiDivergence":
        a = exact(objective.order)
        return mpmath.log(mpmath.fsum(p**a * s ** (1 - a) for p, s in pairs)) / (a - 1)
    if objective.name == "ChernoffExponent":
        return -mpmath.log(least_sum(pairs))
    if objective.name == "HoeffdingExponent":
        assert objective.rate == 0
        return mpmath.fsum(xlog(p, s) for p, s in pairs)
    order = exact(generator.order) if name == "PowerGenerator" else None
    return mpmath.fsum(TERMS[name](p, s, order) for p, s in pairs)


def least_sum(pairs):
    """Return the least of the convex ``sum p^(1-t) s^t`` over t in [0, 1], where its derivative vanishes."""

    def slope(t):
        return mpmath.fsum(p ** (1 - t) * s**t * mpmath.log(s / p) for p, s in pairs)

    low, high = mpf(0), mpf(1)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return mpmath.fsum(p ** (1 - low) * s**low for p, s in pairs)


def information(prior, Q, outputs):
    """Return the mutual information of the datum and the output."""
    masses = [dot(prior, Q, y) for y in outputs]
    inputs = [x for x, p in enumerate(prior) if p > 0]
    return mpmath.fsum(xlog(prior[x] * Q[x][y], prior[x] * masses[y]) for x in inputs for y in outputs)


WITHOUT_PRIOR = {
    "MaxOffDiagonal": lambda _, Q, outputs: max(Q[x][y] for x in range(len(Q)) for y in outputs if x != y),
    "WorstCaseLoss": lambda objective, Q, outputs: max(
        mpmath.fsum(Q[x][d] * exact(objective.loss[x, d]) for d in outputs) for x in range(len(Q))
    ),
    "MeanInformation": lambda objective, Q, outputs: mpmath.fsum(
        weight * information(normalised(prior), Q, outputs)
        for weight, prior in zip(normalised(objective.shares), objective.priors, strict=True)
    ),
    "WorstCaseInformation": lambda objective, Q, outputs: min(
        information(normalised(prior), Q, outputs) for prior in objective.priors
    ),
    "LeakageLoss": lambda _, Q, outputs: mpmath.log(mpmath.fsum(max(row[y] for row in Q) for y in outputs)),
}


def value(objective, problem, matrix):
    """Return the value of a matrix of exact floats."""
    Q, outputs = entries(matrix), range(np.shape(matrix)[1])
    if hasattr(objective, "first"):
        return divergence(objective, Q)
    if objective.name == "FisherInformation":
        theta, direction = normalised(objective.theta), [exact(d) for d in objective.direction]
        return mpmath.fsum(dot(direction, Q, y) ** 2 / dot(theta, Q, y) for y in outputs)
    if objective.name in WITHOUT_PRIOR:
        return WITHOUT_PRIOR[objective.name](objective, Q, outputs)
    prior = normalised(problem.prior)
    masses = [dot(prior, Q, y) for y in outputs]
    joint = [[p * row[y] for y in outputs] for p, row in zip(prior, Q, strict=True)]
    inputs = range(len(prior))
    if objective.name == "MutualInformation":
        return information(prior, Q, outputs)
    if objective.name in {"LabelInformation", "LabelMMSE"}:
        return of_label(objective, prior, joint, masses)
    if objective.name == "ErrorProbability":
        return 1 - mpmath.fsum(max(joint[x][y] for x in inputs) for y in outputs)
    if objective.name == "HistogramMMSE":
        return 1 - mpmath.fsum(joint[x][y] ** 2 / masses[y] for x in inputs for y in outputs)
    if objective.name == "MMSE":
        return mean_squared_error(problem, prior, Q, masses)
    losses = {
        "HammingLoss": lambda x, d: mpf(int(x != d)),
        "AbsoluteError": lambda x, d: abs(exact(problem.values[x]) - exact(problem.values[d])),
        "ExpectedLoss": lambda x, d: exact(objective.loss[x, d]),
    }
    loss = losses[objective.name]
    return mpmath.fsum(joint[x][d] * loss(x, d) for x in inputs for d in outputs)


def mean_squared_error(problem, prior, Q, masses):
    """Return the least mean squared error of an estimate of the problem's values."""
    values = [exact(v) for v in problem.values]
    mean = mpmath.fsum(p * v for p, v in zip(prior, values, strict=True))
    centred = [v - mean for v in values]
    spread = mpmath.fsum(p * c * c for p, c in zip(prior, centred, strict=True))
    weights = [p * c for p, c in zip(prior, centred, strict=True)]
    return spread - mpmath.fsum(dot(weights, Q, y) ** 2 / masses[y] for y in range(len(masses)))


def of_label(objective, prior, joint, masses):
    """Return the value of an objective about a label, whose table has a column for each input."""
    inputs, outputs = range(len(prior)), range(len(masses))
    given = list(zip(*(normalised(column) for column in objective.label_given_data.T), strict=True))
    both = [[mpmath.fsum(row[x] * joint[x][y] for x in inputs) for y in outputs] for row in given]
    pi = [mpmath.fsum(row[x] * prior[x] for x in inputs) for row in given]
    if objective.name == "LabelInformation":
        return mpmath.fsum(xlog(both[t][y], pi[t] * masses[y]) for t in range(len(given)) for y in outputs)
    values = [exact(v) for v in objective.label_values]
    spread = mpmath.fsum(p * v * v for p, v in zip(pi, values, strict=True))
    return spread - mpmath.fsum(dot(values, both, y) ** 2 / masses[y] for y in outputs)


def gained(objective, problem, matrix):
    """Return the utility that the matrix gains over a mechanism that tells nothing."""
    told = value(objective, problem, matrix)
    if objective.name == "RenyiDivergence":
        a = exact(objective.order)
        return (mpmath.exp((a - 1) * told) - 1) / (a * (a - 1))
    best = value(objective, problem, np.ones((problem.n, 1)))
    return told - best if objective.sense == "maximise" else best - told


def response(n, level):
    """Return randomised response over n inputs in multiples of 2^-53, of a level of LDP of at most `level`."""
    whole = 1 << 53
    least = mpmath.exp(-mpf(level))
    lies = int(mpmath.ceil(whole * least / (1 + (n - 1) * least)))
    while Fraction(whole - (n - 1) * lies, lies) > 1 and mpmath.log(mpf(whole - (n - 1) * lies) / lies) > level:
        lies += 1
    numerators = np.full((n, n), lies, dtype=np.int64)
    np.fill_diagonal(numerators, whole - (n - 1) * lies)
    return np.ldexp(numerators.astype(float), -53)


def next_to_constant(n, m, level, rng):
    """Return a matrix of multiples of 2^-53 whose rows sum to one and whose entries differ by about `level`."""
    whole = 1 << 53
    base = np.round(rng.dirichlet(np.full(m, 3.0)) * whole).astype(np.int64)
    moved = np.round(rng.uniform(-0.5, 0.5, (n, m)) * level * base.min()).astype(np.int64)
    numerators = base + moved
    numerators[:, 0] += whole - numerators.sum(axis=1)
    return np.ldexp(numerators.astype(float), -53)
