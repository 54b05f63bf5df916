"""A figure that a notebook shows by itself: no window, no back end chosen, nothing registered with pyplot."""

from __future__ import annotations

import io

from matplotlib.figure import Figure

#: Points of an inch that a notebook's page has, and twice as many that are drawn, for sharp screens.
PAGE, DRAWN = 72, 144


class Picture(Figure):
    """A matplotlib figure with a notebook display; everything else is `matplotlib.figure.Figure`'s own.

    Examples
    --------
    >>> Picture(figsize=(1, 1))._repr_png_()[0][1:4]
    b'PNG'
    """

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """Return the picture as PNG, and its size on the page."""
        into = io.BytesIO()
        self.savefig(into, format="png", dpi=DRAWN)
        width, height = (round(inches * PAGE) for inches in self.get_size_inches())
        return into.getvalue(), {"width": width, "height": height}
