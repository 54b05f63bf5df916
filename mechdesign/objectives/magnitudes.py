"""Sizes of values and losses with which no product in a bound overflows or loses its digits."""

from __future__ import annotations

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array


def check_magnitude(argument: str, numbers: Array, smallest: float, largest: float) -> None:
    """Refuse numbers of which the largest in size is above `largest`, or below `smallest` and not 0.

    Raises
    ------
    DomainError
        With the entry's place and value, the range, and which unit to choose.
    """
    at = np.unravel_index(int(np.abs(numbers).argmax()), numbers.shape)
    size = float(np.abs(numbers[at]))
    if size == 0.0 or smallest <= size <= largest:
        return
    where = ", ".join(str(int(index)) for index in at)
    rule = f"the largest has to be between {smallest:g} and {largest:g} in size, or 0, for bounds to be exact in floats"
    remedy = f"choose a {'larger' if size > largest else 'smaller'} unit"
    raise DomainError(f"{argument}[{where}]", float(numbers[at]), rule, remedy)
