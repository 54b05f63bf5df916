"""Contracts that every notion, objective, route and theorem must pass, for members of the package and for your own.

>>> import numpy as np
>>> import mechdesign as md
>>> from mechdesign.testing import check_notion
>>> check_notion(md.LIP(1.0), md.Problem(prior=[0.3, 0.7]), np.random.default_rng(1))
"""

from mechdesign.testing.certificate_contract import check_bound, check_repair
from mechdesign.testing.contract import BrokenContractError
from mechdesign.testing.estimator_contract import check_estimator
from mechdesign.testing.lean_contract import check_lean
from mechdesign.testing.member_contract import check_member
from mechdesign.testing.notion_contract import check_notion
from mechdesign.testing.objective_contract import check_objective
from mechdesign.testing.route_contract import check_route
from mechdesign.testing.sampler_contract import check_sampler
from mechdesign.testing.theorem_contract import check_theorem

__all__ = [
    "BrokenContractError",
    "check_bound",
    "check_estimator",
    "check_lean",
    "check_member",
    "check_notion",
    "check_objective",
    "check_repair",
    "check_route",
    "check_sampler",
    "check_theorem",
]
