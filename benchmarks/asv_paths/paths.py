"""Our own hot paths for asv, a class each: `asv run` follows them through the history (asv.conf.json)."""

from __future__ import annotations

import numpy as np


class Design:
    """Whole designs, the first call not counted."""

    timeout = 120.0
    params = (["LDP absolute error", "LDP MMSE", "LIP MMSE"], [20, 100])
    param_names = ("question", "n")

    def setup(self, question: str, n: int) -> None:
        import mechdesign as md

        notion, objective = question.split(" ", 1)
        rng = np.random.default_rng(n)
        self.problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
        self.notion = {"LDP": md.LDP, "LIP": md.LIP}[notion](1.0)
        self.objective = md.MMSE() if objective == "MMSE" else md.AbsoluteError()
        self.design = md.design

    def time_design(self, question: str, n: int) -> None:
        self.design(self.problem, self.notion, self.objective)

    def peakmem_design(self, question: str, n: int) -> None:
        self.design(self.problem, self.notion, self.objective)

    def track_gap(self, question: str, n: int) -> float:
        return float(self.design(self.problem, self.notion, self.objective).gap)


class Finish:
    """What comes after the solver: repair, certificate, exact check and level."""

    params = ([20, 200],)
    param_names = ("n",)

    def setup(self, n: int) -> None:
        import mechdesign as md
        from mechdesign.solve.certificate.bound import utility_bound
        from mechdesign.solve.repair.exactly_private import repair

        rng = np.random.default_rng(n)
        self.problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.arange(n))
        self.notion, self.objective = md.LDP(1.0), md.AbsoluteError()
        made = md.design(self.problem, self.notion, self.objective)
        self.made, self.multipliers = made, made.mechanism.claimed.multipliers
        self.noisy = made.matrix * (1.0 + 1e-9 * rng.normal(size=made.matrix.shape))
        self.repair, self.bound, self.audit = repair, utility_bound, md.audit

    def time_repair(self, n: int) -> None:
        self.repair(self.noisy, self.notion, self.problem, keep_outputs=True)

    def time_certify(self, n: int) -> None:
        self.bound(self.notion, self.objective, self.problem, self.multipliers)

    def time_audit(self, n: int) -> None:
        self.audit(self.made)


class Engine:
    """The structured interior point on one program over a band."""

    params = (["LDP", "LIP"], [50, 200])
    param_names = ("notion", "n")

    def setup(self, notion: str, n: int) -> None:
        import mechdesign as md
        from mechdesign.solve.interior_point.primal_dual import require_band, solve_band

        rng = np.random.default_rng(n)
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=np.arange(n))
        gains = md.AbsoluteError().gains(problem)
        self.gains = gains / np.abs(gains).max()
        self.band = require_band({"LDP": md.LDP, "LIP": md.LIP}[notion](1.0).cone(problem).band_of_inputs)
        self.solve = solve_band

    def time_solve(self, notion: str, n: int) -> None:
        self.solve(self.band, self.gains)


class Import:
    """The import, in a fresh interpreter."""

    def timeraw_import(self) -> str:
        return "import mechdesign"
