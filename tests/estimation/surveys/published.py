"""Samples whose means and standard errors are published, answered without noise: estimates are survey means."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import mechdesign as md

#: The number of schools of each type in California, and of its school districts.
SCHOOLS = {"E": 4421, "H": 755, "M": 1018}
DISTRICTS = 757
#: W. G. Cochran's small sample of the documentation of SUDAAN and of R's survey: strata, weights, sizes and values.
SMALL = {
    "strata": [1, 1, 1, 1, 1, 2, 2, 2],
    "clusters": [1, 2, 3, 4, 5, 1, 2, 3],
    "weights": [3.0, 3.0, 3.0, 3.0, 3.0, 4.0, 4.0, 4.0],
    "sizes": {1: 15, 2: 12},
    "values": [2.8, 4.1, 6.8, 6.8, 9.2, 3.7, 6.6, 4.2],
}


def column(name: str, *columns: str) -> list[list[str]]:
    """Return columns of one of the published samples."""
    with (Path(__file__).parent / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [[row[each] for row in rows] for each in columns]


def asked(values: object) -> tuple[md.Mechanism, np.ndarray]:
    """Return the mechanism that reports a number as it is, and the report of each person."""
    distinct, reports = np.unique(np.array(values), return_inverse=True)
    numbers = distinct.astype(float) if distinct.dtype.kind in "if" else None
    problem = md.Problem(labels=[str(each) for each in distinct.tolist()], values=numbers)
    return md.Mechanism(np.eye(len(distinct)), problem.labels, problem=problem), reports
