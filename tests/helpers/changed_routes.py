"""A route whose answers are changed: what contracts and designs have to see."""

from dataclasses import replace

from mechdesign.solve.task import Plan


def changed(route, change):
    """Return the route with `change` applied to each of its candidates."""

    def plan(task):
        found = route.plan(task)
        if not isinstance(found, Plan):
            return found
        return Plan(lambda given, solver: change(found.run(given, solver)), found.solver)

    return replace(route, plan=plan)
