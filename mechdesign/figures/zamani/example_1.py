"""Example 1: two secrets and two data, the two approaches' mechanisms, and the plane of the directions L."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.figure import Curve
from mechdesign.figures.privacy import private
from mechdesign.notions import LIP
from mechdesign.parameters.checks import Array
from mechdesign.theorems.zamani.setting import Box, Setting
from mechdesign.theorems.zamani.worked_example import DATA, LEAKAGE

SETTING = "P_X|Y = (1/4, 2/5; 3/4, 3/5), P_Y = (1/4, 3/4) (Example 1)"
#: The largest epsilon that the example allows.
LARGEST = 0.05
AXES = ("L(1)", "L(2)")
#: The weight of an output that is looked at alone; what it says is balanced by another.
RARE = 1e-3


def example(epsilon: float) -> Setting:
    """Return Example 1 at that epsilon, in nats."""
    return Setting(LEAKAGE, DATA, epsilon)


def scaled(made: Setting, box: Box) -> tuple[Array, Array]:
    """Return the weights and the columns ``P_{Y|U=u}`` of L* and -L*, each as long as the box lets it be."""
    one, other = made.scales(box)
    directions = np.array([one, -other])[:, None] * (np.sqrt(made.secret_prior) * made.L)
    return np.array([other, one]) / (one + other), made.moved(directions).T


def keeps_lip(made: Setting, weights: Array, posteriors: Array) -> bool:
    """Return whether outputs of these weights and columns ``P_{Y|U=u}`` are a mechanism that keeps LIP."""
    return private(made.mechanism(weights, posteriors), LIP(made.epsilon), made.problem())


def output_keeps_lip(made: Setting, L: Array) -> bool:
    """Return whether an output with ``P_{X|U=u} = P_X + epsilon sqrt(P_X) L`` is possible and keeps LIP."""
    moved = made.moved((np.sqrt(made.secret_prior) * L)[None])[0]
    balance = made.data_prior - (moved - made.data_prior) * RARE / (1.0 - RARE)
    return keeps_lip(made, np.array([RARE, 1.0 - RARE]), np.stack([moved, balance], axis=1))


def line(made: Setting) -> Curve:
    """Return S1, the directions orthogonal to ``sqrt P_X``: all that (7) allows."""
    x, y = np.linspace(-1.2, 1.2, 3) * made.L[:, None]
    return Curve("S1, (7)", "bound", x, y, np.ones(3, dtype=bool))


def segment(name: str, made: Setting, box: Box) -> Curve:
    """Return S3, the directions that (7) and a box allow; private where an output may have the direction."""
    one, other = made.scales(box)
    rows = np.linspace(-other, one, 11)[:, None] * made.L
    return Curve(name, "published", rows[:, 0], rows[:, 1], np.array([output_keeps_lip(made, row) for row in rows]))


def rectangle(name: str, made: Setting, box: Box) -> Curve:
    """Return the outline of the directions that a box allows."""
    x, y = np.sqrt(made.secret_prior)
    around = np.array([(box.low, box.low), (box.high, box.low), (box.high, box.high), (box.low, box.high)])
    closed = np.concatenate([around, around[:1]]) * (x, y)
    return Curve(name, "bound", closed[:, 0], closed[:, 1], np.ones(5, dtype=bool))


def circle() -> Curve:
    """Return the unit circle: no direction of these two boxes that (7) allows is longer."""
    angle = np.linspace(0.0, 2.0 * np.pi, 73)
    return Curve("unit circle", "bound", np.cos(angle), np.sin(angle), np.ones(73, dtype=bool))


def length(made: Setting, box: Box) -> float:
    """Return the length of the segment S3 of directions that (7) and the box allow."""
    return float(sum(made.scales(box)))
