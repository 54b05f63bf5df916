"""Functions that are right in exact arithmetic and cancel next to nothing: as they were, and must never be again."""

import cvxpy as cp
import numpy as np

import mechdesign as md
from mechdesign.objectives import Generator


class PlainMean(Generator):
    """Jensen-Shannon as a user would write it: ``(t ln(2t / (1 + t)) + ln(2 / (1 + t))) / 2``."""

    at_zero = float(np.log(2.0) / 2.0)
    slope_at_infinity = float(np.log(2.0) / 2.0)

    def value(self, t):
        return (t * np.log(np.where(t > 0, 2.0 * t / (1.0 + t), 1.0)) + np.log(2.0 / (1.0 + t))) / 2.0

    def derivative(self, t):
        return np.log(2.0 * t / (1.0 + t)) / 2.0

    def perspective(self, first, second):
        middle = (first + second) / 2.0
        return cp.sum(cp.rel_entr(first, middle) + cp.rel_entr(second, middle)) / 2.0


def plain(generator):
    """Return the generator with its values next to 1 taken from the ratio."""

    class Plain(type(generator)):
        @property
        def name(self):
            return type(generator).__name__

        def value_near(self, w):
            t = 1.0 + w
            if isinstance(generator, md.PowerGenerator):
                a = self.order
                return (t * np.expm1((a - 1.0) * np.log(t)) / (a - 1.0) - (t - 1.0)) / a
            if isinstance(generator, md.JensenShannonGenerator):
                return PlainMean().value(t)
            return t * np.log1p(t - 1.0) - (t - 1.0)

        def rest_near(self, w):
            return self.value_near(w) - w * self.derivative_near(w)

    return Plain(*(getattr(generator, name) for name in getattr(generator, "__dataclass_fields__", {})))


class RatioOfSums(md.KLDivergence):
    """The two probabilities are subtracted after they are rounded."""

    name = "KLDivergence"

    def apart(self, columns):
        p, s = self.pair(columns)
        return p - s


PLANTED = {
    "Jensen-Shannon from the ratio": plain(md.JensenShannonGenerator()),
    "relative entropy from the ratio": plain(md.KLGenerator()),
    "a power from the ratio": plain(md.PowerGenerator(2.5)),
    "probabilities subtracted when rounded": RatioOfSums,
}
