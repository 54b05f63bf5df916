"""Lines of jiang_lip that no computation can check."""

from __future__ import annotations

from mechdesign.theorems.base import NotCheckable

ROWS = (
    NotCheckable(
        key="jiang_lip/CIPgap",
        place="Section I, contribution (3)",
        words="The gap in utility between CIP and LIP is not large.",
        reason=(
            "Not large is no number. The squared error of the sum grows in proportion to the number of records under "
            "LIP; under CIP one record is hidden by the others, and from some number on the error falls."
        ),
    ),
)
