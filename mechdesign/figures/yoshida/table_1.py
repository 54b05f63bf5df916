"""Table I: earlier results and their conditions."""

from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.schematic import without_numbers

KEY = "yoshida/table1"


def make() -> PaperFigure:
    """Return the table without curves."""
    return without_numbers(
        KEY,
        "Which results there were under which privacy, for how many inputs and outputs",
        "A list of conditions, without curves; what it says of outputs is a key of the ledger (yoshida/Tab1).",
    )
