"""Lines of zamani that no computation can check."""

from __future__ import annotations

from mechdesign.theorems.base import NotCheckable

ROWS = (
    NotCheckable(
        key="zamani/R9",
        place="Remark 9, eq. (33)",
        words="The errors of P1 and P2 are bounded by constants, so that (1) >= max(P2 - C2, P1 - C1).",
        reason="The constants are cited from another paper, for other criteria, and not given.",
    ),
)
