"""What the best mechanism of the same level would gain on one that was not designed for a question."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mechdesign.displays.numbers import digits, outward
from mechdesign.notions import Notion


@dataclass(frozen=True)
class Optimum:
    """The best mechanism for estimating frequencies at the level that another mechanism has.

    Attributes
    ----------
    notion : Notion
        What the other mechanism keeps private, at the level that it has.
    own : float
        The sum of the variances of the frequencies that the other one's reports estimate, a report; infinite if they do
        not identify all of them.
    value : float
        The same sum of the best mechanism.
    bound : float
        No mechanism of that level has less.
    manner : str
        How the bound is proved.
    """

    notion: Notion
    own: float
    value: float
    bound: float
    manner: str

    def sentences(self) -> tuple[str, ...]:
        """Return in words what the best mechanism of the level has, and how many people it saves.

        Examples
        --------
        >>> from mechdesign.notions import LDP
        >>> Optimum(LDP(1.0), 4.0, 2.0, 2.0, "proved in integers").sentences()[-1]
        'This mechanism needs 2 times as many reports as the best one for the same errors.'
        """
        value, bound = outward(self.value, self.bound, "minimise", 6)
        unit = "summed over all answers and times the number of reports"
        level = f"the best mechanism under {self.notion} {self.notion.level_unit}".rstrip()
        best = f"{level} has {value}, and none has less than {bound} ({self.manner})."
        if math.isinf(self.own):
            return ("Its reports do not identify the frequencies of all answers.", f"With a variance, {unit}, {best}")
        own = f"The variance of estimated frequencies, {unit}, is {digits(self.own, 6)}; {best}"
        times = self.own / self.value
        if times < 1.005:
            return (own, "No mechanism of that level does noticeably better.")
        more = f"{digits(times, 3)} times as many reports"
        return (own, f"This mechanism needs {more} as the best one for the same errors.")
