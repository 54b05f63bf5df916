"""Exact arithmetic: bounds of exponentials, logarithms and roots as fractions, matrices as integers."""

from mechdesign.exact.enclosures import (
    Enclosure,
    exp_enclosed,
    log_enclosed,
    power_above,
    power_enclosed,
    root_enclosed,
)
from mechdesign.exact.exponentials import (
    TINY,
    exp_above,
    exp_below,
    exp_down,
    exp_up,
    float_above,
    float_below,
)
from mechdesign.exact.integer_matrices import (
    ONE,
    Fractions,
    Integers,
    dyadic,
    fractions,
    integer_rows,
    integers,
    product,
    round_rows,
    rounded_rows,
    scaled_rows,
)
from mechdesign.exact.logarithms import UNIT_BITS, log_above, log_units

__all__ = [
    "ONE",
    "TINY",
    "UNIT_BITS",
    "Enclosure",
    "Fractions",
    "Integers",
    "dyadic",
    "exp_above",
    "exp_below",
    "exp_down",
    "exp_enclosed",
    "exp_up",
    "float_above",
    "float_below",
    "fractions",
    "integer_rows",
    "integers",
    "log_above",
    "log_enclosed",
    "log_units",
    "power_above",
    "power_enclosed",
    "product",
    "root_enclosed",
    "round_rows",
    "rounded_rows",
    "scaled_rows",
]
