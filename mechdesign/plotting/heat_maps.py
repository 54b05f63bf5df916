"""Heat maps: the matrix ``Q[x, y] = Pr(y | x)`` of a mechanism, and its posterior ``Pr(x | y)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array
from mechdesign.plotting.canvas import COLOURMAP, SMALL, axes_in, figure_of, finished, ticks
from mechdesign.plotting.selecting import Places, chosen, largest_of, require_few, weights_of
from mechdesign.plotting.subjects import mechanism_of
from mechdesign.plotting.text import LITERAL, distinct
from mechdesign.plotting.titles import of_mechanism

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: Rows or columns that a picture can show, and those up to which each number is written.
MOST, WRITTEN = 200, 12
REMEDY = "pass largest=40 for the most probable inputs and outputs, or rows=[...] and columns=[...]"
#: Outputs that never occur have no posterior.
NONE = "#dddddd"


def heat_map(
    mechanism: Any, ax: Axes | Figure | None = None, *, rows: Any = None, columns: Any = None, largest: Any = None
) -> Figure:
    """Draw ``Q[x, y] = Pr(y | x)``: a row for each input, a column for each output, dark for 0.

    Parameters
    ----------
    mechanism : Mechanism or Design
        Of shape (n, m).
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    rows, columns : sequence of int or str, optional
        The inputs and the outputs to draw, by index or name; by default all of them.
    largest : int, optional
        In place of them: so many inputs of the largest prior and so many outputs of the largest mass.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in.

    Raises
    ------
    DomainError
        More than 200 rows or columns, with what to pass; a row or column that there is none of; no mechanism.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> import mechdesign as md
    >>> picture = heat_map(md.baselines.randomised_response(md.Problem(n=3), 1.0))
    >>> picture.axes[0].images[0].get_array().shape
    (3, 3)
    """
    found = mechanism_of(mechanism)
    picked = _picked(found, rows, columns, largest)
    return _drawn(found.matrix, found, picked, ax, "Mechanism Q", "Pr(output y | input x)")


def posterior_map(
    mechanism: Any,
    ax: Axes | Figure | None = None,
    *,
    prior: npt.ArrayLike | None = None,
    rows: Any = None,
    columns: Any = None,
    largest: Any = None,
) -> Figure:
    """Draw ``Pr(X = x | Y = y) = P_x Q[x, y] / (P Q)_y``: what each output says of the input, dark for 0.

    Parameters
    ----------
    mechanism : Mechanism or Design
        Of shape (n, m).
    ax : matplotlib.axes.Axes or matplotlib.figure.Figure, optional
        Where to draw; by default in a figure of its own, which notebooks show.
    prior : array_like, shape (n,), optional
        Probabilities of the inputs; by default the problem's.
    rows, columns : sequence of int or str, optional
        The inputs and the outputs to draw, by index or name; by default all of them.
    largest : int, optional
        In place of them: so many inputs of the largest prior and so many outputs of the largest mass.

    Returns
    -------
    matplotlib.figure.Figure
        The figure drawn in. Columns of outputs that never occur are grey.

    Raises
    ------
    DomainError
        What `heat_map` refuses; no prior.
    UnsupportedError
        matplotlib is not installed.

    Examples
    --------
    >>> import mechdesign as md
    >>> made = md.baselines.randomised_response(md.Problem(n=2), 1.0)
    >>> posterior_map(made, prior=[0.5, 0.5]).axes[0].images[0].get_array().sum(axis=0).round(12).tolist()
    [1.0, 1.0]
    """
    found = mechanism_of(mechanism)
    known = found.posterior(prior)
    picked = _picked(found, rows, columns, largest, known.prior)
    title = "Posterior" if prior is None else "Posterior, under another prior"
    return _drawn(known.probabilities, found, picked, ax, title, "Pr(input x | output y)")


def _picked(mechanism: Any, rows: Any, columns: Any, largest: Any, prior: Array | None = None) -> tuple[Places, Places]:
    """Return the inputs and the outputs to draw."""
    problem, matrix = mechanism.inputs, mechanism.matrix
    if largest is not None:
        if rows is not None or columns is not None:
            raise DomainError("largest", largest, "rows and columns say what to draw", "give one or the other")
        of_inputs, of_outputs = weights_of(matrix, problem.prior if prior is None else prior)
        return largest_of(of_inputs, largest), largest_of(of_outputs, largest)
    inputs = chosen("rows", rows, [problem.named(x) for x in range(problem.n)])
    outputs = chosen("columns", columns, mechanism.outputs)
    require_few("mechanism", len(inputs), MOST, "inputs", REMEDY)
    require_few("mechanism", len(outputs), MOST, "outputs", REMEDY)
    return inputs, outputs


def _drawn(numbers: Array, mechanism: Any, picked: tuple[Places, Places], ax: Any, what: str, bar: str) -> Figure:
    inputs, outputs = picked
    shape = len(inputs), len(outputs)
    part = np.ma.masked_invalid(numbers[np.ix_(inputs, outputs)])
    axes = axes_in(ax, _size(*shape))
    from matplotlib import colormaps

    colours = colormaps[COLOURMAP].with_extremes(bad=NONE)
    top = float(part.max()) if part.count() else 1.0
    image = axes.imshow(part, cmap=colours, vmin=0.0, vmax=top, aspect="auto", interpolation="nearest")
    ticks(axes, "y", distinct([mechanism.inputs.named(int(x)) for x in inputs]))
    ticks(axes, "x", distinct([mechanism.outputs[y] for y in outputs]))
    colourbar = figure_of(axes).colorbar(image, ax=axes)
    colourbar.set_label(bar, fontsize=SMALL)
    colourbar.ax.tick_params(labelsize=SMALL)
    colourbar.outline.set_visible(False)
    if max(shape) <= WRITTEN:
        _write_numbers(axes, part, top)
    if max(shape) <= 40:
        _separate(axes, shape)
    whole = mechanism.matrix.shape
    if shape != whole:
        what += f": {shape[0]} of {whole[0]} inputs, {shape[1]} of {whole[1]} outputs"
    figure = finished(axes, of_mechanism(mechanism, what), "output y", "input x")
    for side in ("bottom", "left"):
        axes.spines[side].set_visible(False)
    return figure


def _size(rows: int, columns: int) -> tuple[float, float]:
    """Return inches at which cells are wider than high, and neither tiny nor huge."""
    return min(max(3.2 + 0.55 * columns, 5.6), 11.0), min(max(1.7 + 0.42 * rows, 3.2), 10.0)


def _write_numbers(axes: Axes, part: Any, top: float) -> None:
    for (x, y), number in np.ndenumerate(part.filled(np.nan)):
        if not np.isnan(number):
            # Cividis is dark below its middle.
            ink = "white" if number < 0.55 * top else "black"
            axes.text(y, x, _short(float(number)), ha="center", va="center", color=ink, fontsize=SMALL, **LITERAL)


def _short(number: float) -> str:
    """Return three decimals; small numbers by their size, since 0.000 would say that they are none."""
    return f"{number:.3f}" if number >= 0.0005 or number == 0.0 else f"{number:.0e}"


def _separate(axes: Axes, shape: tuple[int, int]) -> None:
    axes.set_yticks(np.arange(1, shape[0]) - 0.5, minor=True)
    axes.set_xticks(np.arange(1, shape[1]) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.0)
    axes.tick_params(which="minor", length=0.0)
