"""Delta for each epsilon, and epsilon for each delta, from above and from below."""

from __future__ import annotations

import math
from abc import abstractmethod

from mechdesign.parameters.checks import EqualByContent, real

#: Steps of a bisection for epsilon.
BISECTIONS = 40


class PrivacyCurve(EqualByContent):
    """The (epsilon, delta)-differential privacy of many reports, of which a subclass bounds delta from both sides."""

    @property
    @abstractmethod
    def largest(self) -> float:
        """A number above all finite levels, in nats."""

    @property
    @abstractmethod
    def is_infinite(self) -> bool:
        """Whether some reports rule an input out, so that no level is kept with delta 0."""

    @abstractmethod
    def above(self, epsilon: float) -> float:
        """Return an upper bound on the least delta at a level."""

    @abstractmethod
    def below(self, epsilon: float) -> float:
        """Return a lower bound on the least delta at a level."""

    def delta(self, epsilon: float) -> float:
        """Return a delta with which (epsilon, delta)-differential privacy holds.

        Parameters
        ----------
        epsilon : float
            Nats, at least 0.

        Raises
        ------
        DomainError
            An epsilon that is negative or not finite.
        """
        return self.above(real("epsilon", epsilon, 0.0))

    def delta_below(self, epsilon: float) -> float:
        """Return a delta below which (epsilon, delta)-differential privacy does not hold.

        Parameters
        ----------
        epsilon : float
            Nats, at least 0.

        Raises
        ------
        DomainError
            An epsilon that is negative or not finite.
        """
        return self.below(real("epsilon", epsilon, 0.0))

    def epsilon(self, delta: float) -> float:
        """Return an epsilon with which (epsilon, delta)-differential privacy holds; infinite if none is found.

        Parameters
        ----------
        delta : float
            From 0 to 1.

        Raises
        ------
        DomainError
            A delta outside of 0 to 1.
        """
        share, low, high = real("delta", delta, 0.0, 1.0), 0.0, self.largest
        if self.above(0.0) <= share:
            return 0.0
        if share == 0.0:
            return math.inf if self.is_infinite else high
        if self.above(high) > share:
            # Rounding may leave a delta at the level of delta 0.
            return math.inf if self.is_infinite else high
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.above(middle) <= share else (middle, high)
        return high

    def epsilon_below(self, delta: float) -> float:
        """Return an epsilon with which (epsilon, delta)-differential privacy does not hold, or 0.

        Parameters
        ----------
        delta : float
            From 0 to 1.

        Raises
        ------
        DomainError
            A delta outside of 0 to 1.
        """
        share, low, high = real("delta", delta, 0.0, 1.0), 0.0, self.largest
        if self.below(0.0) <= share:
            return 0.0
        for _ in range(BISECTIONS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if self.below(middle) > share else (low, middle)
        return low
