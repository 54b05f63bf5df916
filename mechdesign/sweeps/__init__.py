"""Many questions at once: over processes, into one table, with a results file that a killed sweep resumes from."""

from mechdesign.sweeps.sweeping import sweep
from mechdesign.sweeps.table import Sweep, SweepRow

__all__ = ["Sweep", "SweepRow", "sweep"]
