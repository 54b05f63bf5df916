"""A question as routes take it, what they answer, and what one level of a frontier leaves to the next."""

from mechdesign.solve.task.task import Candidate, Ending, Memory, Route, Stages, Task, stopping, used

__all__ = [
    "Candidate",
    "Ending",
    "Memory",
    "Route",
    "Stages",
    "Task",
    "stopping",
    "used",
]
