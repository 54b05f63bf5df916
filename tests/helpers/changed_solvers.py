"""Another function in the place of a solver's own, for what routes do where it fails, lies or hangs."""

from dataclasses import replace

from mechdesign.solve.solvers.catalogue import SOLVERS


def taking(name, linear):
    """Return the arguments of ``monkeypatch.setitem``: the solver `name` takes linear programs by `linear`."""
    return SOLVERS, name, replace(SOLVERS[name], linear=linear)
