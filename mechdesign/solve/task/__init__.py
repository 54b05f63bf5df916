"""A question as routes take it, what they answer, and what one level of a frontier leaves to the next."""

from mechdesign.solve.task.route import Plan, Refusal, Route, Size, without_solver
from mechdesign.solve.task.task import Candidate, Ending, Stages, Task, stopping, used
from mechdesign.solve.task.warm_start import WarmStart

__all__ = [
    "Candidate",
    "Ending",
    "Plan",
    "Refusal",
    "Route",
    "Size",
    "Stages",
    "Task",
    "WarmStart",
    "stopping",
    "used",
    "without_solver",
]
