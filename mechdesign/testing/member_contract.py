"""What the card of a member gives to its contracts: they run on all its examples, on its edge and on its anchor."""

from __future__ import annotations

import numpy as np

from mechdesign.catalogue import card_of
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.asked import asked, of_type
from mechdesign.catalogue.edge import Edge
from mechdesign.errors import DomainError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.base import require_dataclass
from mechdesign.problem import Problem
from mechdesign.testing.card_contract import CARD_CLAUSES, sized_is_an_instance
from mechdesign.testing.catalogue import forgotten
from mechdesign.testing.contract import run
from mechdesign.testing.exact_utility import exact_columns
from mechdesign.testing.examples import drawn_example, require_own
from mechdesign.testing.notion_contract import check_notion, edge_is_exact
from mechdesign.testing.objective_contract import check_objective, keeps_unit
from mechdesign.testing.random_problems import random_integers
from mechdesign.testing.utility_contract import near


def check_member(member: type[Notion] | type[Objective], rng: np.random.Generator) -> None:
    """Check every clause of the contract of a class, with what its card gives.

    Parameters
    ----------
    member : type
        A notion or an objective whose card has examples; and perhaps an edge, an anchor and an exact utility.
    rng : numpy.random.Generator
        Where the examples and the random matrices come from.

    Raises
    ------
    DomainError
        The class is no notion or objective, or its card has no examples; a function of the card raises, or returns
        something else than it has to.
    BrokenContractError
        With the instance, the clause and what was found.

    Examples
    --------
    >>> from mechdesign.notions import WeightedTV
    >>> check_member(WeightedTV, np.random.default_rng(0))
    """
    if not (isinstance(member, type) and issubclass(member, Notion | Objective)):
        raise DomainError("member", member, "it is no class of notions or objectives", "give the class itself")
    card = card_of(member)
    if not card.examples:
        raise DomainError("examples", card.examples, "nothing would be checked", forgotten(member, "examples"))
    require_dataclass("member", member)
    sized_is_an_instance(member, rng)
    for example in card.examples:
        made, problem = drawn_example(member, example, rng)
        if isinstance(made, Notion):
            check_notion(made, problem, rng)
            run(CARD_CLAUSES, made, made, problem, rng)
        else:
            check_objective(made, problem, rng)
            run({"exact utility": exact_utility_is_utility}, made, made, problem, rng)
    if card.edge is not None:
        edge = of_type(member, "edge", asked(member, "edge", card.edge), Edge, "a mechdesign.catalogue.edge.Edge")
        require_own(member, "edge", "its notion", edge.notion)
        run({"edge": edge_is_exact}, edge.notion, edge)
    if card.anchor is not None:
        found = asked(member, "anchor", card.anchor)
        anchor = of_type(member, "anchor", found, Anchor, "a mechdesign.catalogue.anchor.Anchor")
        require_own(member, "anchor", "its objective", anchor.objective)
        run({"anchor": keeps_unit}, anchor.objective, anchor)


def exact_utility_is_utility(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The card's utility of a column in fractions is the one in floats."""
    if not is_separable(objective) or card_of(type(objective)).exact_utility is None:
        return
    numerators = random_integers(problem.n, 3, rng).astype(object)
    for column, utility in exact_columns(objective, problem, [numerators]):
        found = objective.column_utility(np.array(column, dtype=float)[:, None], problem)[0]
        near(float(utility), float(found), "the exact utility of a column", "utility in floats")
