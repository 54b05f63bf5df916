"""A way to the optimum: what it would take, why it refuses, or how it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mechdesign.errors import UnsupportedError
from mechdesign.solve.task.task import Candidate, Task

#: What routes say that take no constraints of the user's own.
OF_YOUR_OWN = "constraints of your own need the convex route"
#: What routes say that design for all frequencies, where fewer outputs than inputs are allowed.
SINGULAR = "with fewer outputs than the {n} inputs the information matrix is singular; raise outputs"


@dataclass(frozen=True)
class Size:
    """What a route's largest arrays take, and its seconds before a solver can be stopped; 0 where both are small."""

    bytes: float = 0.0
    #: Seconds in which the program is made and proved.
    before: float = 0.0
    #: Seconds until the solver looks at the clock for the first time.
    first: float = 0.0


@dataclass(frozen=True)
class Refusal:
    """Why a route does not answer: a sentence without its stop."""

    why: str


@dataclass(frozen=True)
class Plan:
    """How a route answers: what runs it, which holds what was found out about the question, and the solver for it."""

    #: From the task, with the time that is left, and the name of a solver.
    run: Callable[[Task, str], Candidate]
    #: What the route prefers; its first one by default.
    solver: str = ""
    #: What answers, where the route may mean several things: a theorem's name.
    by: str = ""


def without_solver() -> tuple[str, ...]:
    """Return what stands for the solver where a route answers by a formula."""
    return ("FORMULA",)


@dataclass(frozen=True)
class Route:
    """A way to the optimum.

    `plan` finds out about a question what the answer needs: it refuses, or returns a `Plan`. `size` is what the answer
    would take, from the question alone.
    """

    name: str
    #: From which the solvers that can be named follow: by what they take, whichever there are.
    uses: Callable[[], tuple[str, ...]]
    plan: Callable[[Task], Plan | Refusal]
    size: Callable[[Task], Size]
    #: Why `auto` asks it before all others, of questions for which it does; None of others.
    first_of_all: Callable[[Task], str | None] = lambda task: None
    #: Whether its answers come up to the gap, where it is given the time; otherwise others are tried first.
    is_exact: bool = True
    #: Whether a plan costs as much as an answer may (a list of rays, the ends of a line of decisions): then the size is
    #: looked at first.
    size_first: bool = False
    #: Whether it makes the notion's constraints on a column as an array.
    makes_cone: bool = True
    #: Whether it is asked where the user has constraints of their own.
    takes_own_constraints: bool = False

    @property
    def solvers(self) -> tuple[str, ...]:
        """The names of the solvers that can be asked for, the preferred one first."""
        return self.uses()

    def asked(self, task: Task) -> Plan | Refusal:
        """Return its plan, or why it refuses."""
        if task.subject_to is not None and not self.takes_own_constraints:
            return Refusal(OF_YOUR_OWN)
        return self.plan(task)

    def refusal(self, task: Task) -> str | None:
        """Return why it does not answer, or None."""
        found = self.asked(task)
        return found.why if isinstance(found, Refusal) else None

    def solve(self, task: Task, solver: str | None = None) -> Candidate:
        """Return its answer by a solver, by default the one that it prefers.

        Raises
        ------
        UnsupportedError
            It refuses.
        """
        plan = self.asked(task)
        if isinstance(plan, Refusal):
            raise UnsupportedError(f"The route {self.name} refuses: {plan.why}.")
        return plan.run(task, solver or task.solver or self.preferred(plan))

    def preferred(self, plan: Plan) -> str:
        """Return the solver of a plan where none is named."""
        return plan.solver or self.solvers[0]
