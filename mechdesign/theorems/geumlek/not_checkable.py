"""What no computation can check."""

from __future__ import annotations

from mechdesign.theorems.base import NotCheckable

ROWS = (
    NotCheckable(
        "geumlek/RU",
        "Sections 3.1, 3.3 and 3.4",
        "How profiles and edges are chosen for the usage of a shared resource, and how the notion relates to "
        "Pufferfish, geo-indistinguishability and distribution privacy.",
        "It is a discussion of how to model, without a formula or a number.",
    ),
)
