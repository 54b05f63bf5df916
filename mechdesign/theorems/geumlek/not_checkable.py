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
    NotCheckable(
        key="geumlek/O5not",
        place="after Observation 5",
        words=(
            "Parallel composition assumes that the second mechanism does depend on the first release, in other words "
            "that it is non-adaptive."
        ),
        reason="A matter of words: non-adaptive is that it does not depend on it; a not is missing.",
    ),
)
