"""What was measured of routes, by size: bytes and seconds for each number of what they make.

On one thread of a machine with two cores; `python -m benchmarks limits` holds the estimates that are made of these
against the bytes and seconds that answers take.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """Bytes or seconds for each number of something, and where they were seen."""

    each: float
    of: str
    seen: str


BYTES: dict[str, Measured] = {
    "rays": Measured(180.0, "number of a program over rays", "columns, sparse rows, copies of the solver"),
    "band": Measured(700.0, "entry of Q in the interior point for bands", "400 to 760"),
    "doubted band": Measured(300.0, "such an entry where most pairs are known from the round before", "120 to 400"),
    "program": Measured(
        400.0,
        "number of a program over Q, factors included",
        "pairs of a line 320 at n = 200, of a plane 390 at n = 81; a worst case under LDP 450 at n = 300",
    ),
    "curved program": Measured(
        800.0,
        "number of a program over Q with a curved side",
        "380 to 670 at n = 200 to 500; a hidden secret 640 to 950",
    ),
    "sets": Measured(
        800.0, "pair of inputs where columns are sets, or fill their lifts", "610 to 1,200, n = 400 to 1000"
    ),
    "windows": Measured(150.0, "pair of inputs where columns are windows of one size", "n = 1000"),
    "shifts": Measured(80.0, "pair of inputs and set of which all cyclic shifts are outputs", "550 for 12 at n = 1000"),
    "map": Measured(20.0, "pair of inputs and output where each output is a block", "1.0 GB in all at n = 400"),
    "kernels": Measured(200.0, "pair of inputs, of whose kernels a linear program is made", "0.2 GB at n = 1024"),
    "pair": Measured(16.0, "pair of inputs, on any route", "an array of floats and a copy"),
    "cone": Measured(32.0, "number of a dense cone or budget while it is made", "its parts included"),
}

SECONDS: dict[str, Measured] = {
    "program": Measured(
        6e-9,
        "number of a program over Q, to the power 3/2, until its solver looks at the clock",
        "pairs of a line 0.8 s at 0.29 million, of a plane 0.5 s at 0.08 million; a worst case 1.4 s at 0.65 million; "
        "a ball at n = 300, 0.72 million, 19 s in all",
    ),
    "rays": Measured(
        2.7e-6, "number of a program over rays, the first step of the simplex method", "2.8 s for a million"
    ),
    "listed rays": Measured(2e-7, "number of a list of rays", "34,842 rays of 16 inputs: 0.2 s"),
    "lifts": Measured(2.7e-6, "pair of inputs where columns fill their lifts", "11 s at n = 2000, 2.1 s at n = 1000"),
    "cone": Measured(8e-8, "number of a cone, for the program and its proofs", "4 s for 48 million, n = 2000"),
    "distances": Measured(5e-7, "pair of secrets at a distance", "2 s at n = 2000"),
    "ends": Measured(
        2.5e-7, "number of a cone over whose ends of decisions programs are solved", "0.75 s for 3 million"
    ),
    "band": Measured(7e-7, "pair of an input and a decision of a band, proof included", "2.8 s at n = 2000"),
    "band step": Measured(8e-10, "such a pair and input, in a step of the interior point", "0.8 s at n = 1000"),
    "directions": Measured(1.9e-6, "pair of inputs where columns are priced in every direction", "7.6 s at n = 2000"),
    "sets": Measured(3e-7, "pair of inputs where columns are sets", "1.2 s at n = 2000"),
    "program over sets": Measured(7.5e-8, "entry of the sets, until it is with its solver", "1.7 s for 23 million"),
    "first sets": Measured(5.75e-8, "entry of the first sets as they are made, half distinct", "1.5 s for 80 million"),
    "shifts": Measured(3e-7, "pair of inputs and set, until the design is finished", "2.5 s for 8 sets at n = 1000"),
    "shifts on balls": Measured(7e-6, "the same where columns have a curved side", "5 s for 8 sets at n = 300"),
    "finishing": Measured(2e-4, "input: repair, certificate and check", "0.15 s at n = 1000, MMSE under LIP"),
    "finishing by programs": Measured(2e-3, "the same where columns are priced by programs", "1 s at n = 500, a box"),
    "finished pairs": Measured(1e-7, "pair of inputs: repair, certificate and check", "n = 1000"),
    "kernels": Measured(
        2.5e-8, "pair of inputs and input, a linear program over kernels", "2 s at n = 400, 26 s at 1024"
    ),
    "map step": Measured(
        6e-8, "pair of inputs and output, one step of all blocks", "3.4 s at n = 400, 0.6 s at n = 196"
    ),
    "weights": Measured(
        6e-6,
        "input to the power 4, the first program over weights of rays",
        "0.7 s at n = 20, 4.4 s at n = 30, 14 s at n = 40, 300 to 500 rays",
    ),
    "contrasts": Measured(
        1.5e-6,
        "pair of inputs and ray, for the rays that it is over",
        "23 s of 36,104 rays, n = 20; 6 s of 16,150, n = 16",
    ),
    "masses": Measured(
        2.4e-6,
        "number of a program in which every row holds the mass",
        "14 s for 6 million (StrongL1 at n = 500), 98 s for 16 million by cvxpy (n = 2000)",
    ),
}


def bytes_of(what: str, numbers: float) -> float:
    """Estimated bytes for a number of floats of this kind.

    Examples
    --------
    >>> bytes_of("pair", 100.0)
    1600.0
    """
    return BYTES[what].each * numbers


def seconds_of(what: str, numbers: float) -> float:
    """Estimated seconds for a number of floats of this kind.

    Examples
    --------
    >>> seconds_of("sets", 1e6)
    0.3
    """
    return SECONDS[what].each * numbers
