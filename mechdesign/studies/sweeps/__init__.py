"""Many questions at once: over processes, into one table, with a results file that a killed sweep resumes from."""

from mechdesign.studies.sweeps.sweeping import sweep
from mechdesign.studies.sweeps.table import Sweep, SweepRow

__all__ = ["Sweep", "SweepRow", "sweep"]
