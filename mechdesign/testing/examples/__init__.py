"""One or more instances of every member: a new member adds its line here, and all contracts run on it."""

from mechdesign.testing.examples.anchors import ANCHORS, Anchor, keeps_unit
from mechdesign.testing.examples.notions import EDGES, NOTIONS
from mechdesign.testing.examples.objectives import OBJECTIVES
from mechdesign.testing.examples.questions import task, tasks, tasks_of_few

__all__ = ["ANCHORS", "EDGES", "NOTIONS", "OBJECTIVES", "Anchor", "keeps_unit", "task", "tasks", "tasks_of_few"]
