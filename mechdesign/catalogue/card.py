"""The card of a notion or an objective: its name, formula and promise, as pages say them, and what contracts run on."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.digits import ColumnUtility
from mechdesign.catalogue.drawn import Rng
from mechdesign.catalogue.edge import Edge
from mechdesign.catalogue.odds import Odds
from mechdesign.catalogue.promises import Promise
from mechdesign.catalogue.rule import Rule
from mechdesign.catalogue.subject import Subject
from mechdesign.errors import DomainError, nearest
from mechdesign.literature import works
from mechdesign.problem import Problem

#: An instance and a small problem for it, from a generator.
Example = Callable[[Rng], tuple[Any, Problem]]
#: What may add up with several reports.
ADDS_UP = ("", "level", "epsilon and delta")
#: What each function of a card takes.
TAKES = {
    **dict.fromkeys(("promise", "odds"), "of the notion, the problem and the words for what is protected"),
    "protects": "of the notion",
    "examples": "of a random generator that returns an instance and a problem",
    "sized": "of a problem and a random generator",
    "stronger": "of the notion and the problem",
    **dict.fromkeys(("edge", "anchor"), "without arguments"),
    "exact_utility": "of the objective and the problem",
}


@dataclass(frozen=True)
class Card:
    r"""What pages and contracts need of a notion or an objective; its class has it as ``card``.

    Parameters
    ----------
    full_name : str
        The name in full, as it stands within a sentence; a notion without one is called by its class and parameters.
    latex : str
        The formula in LaTeX, which its page displays; the docstring holds the same in plain text. Empty for none.
    means : str
        What it is, in a sentence for somebody who looks it up; without it the docstring's first line.
    usual : str
        For whom it is the usual choice, in a few words: lists begin with these. Empty for most.
    search : tuple of str
        Words that people look for: synonyms, acronyms, and terms of the field that it answers (those are in
        ``literature/words.toml``, each with a page of its own). Under the name of another member this one is shown too.
    works : tuple of str
        Where it was published: keys of ``literature/works.toml``, or references in full.
    page : str
        Its page in the documentation, without an ending, if that is not its page of the catalogue.
    promise : callable, optional
        What a notion guarantees to the people who are asked, in a sentence or two, of the notion, the problem over its
        inputs and the words for what it protects (`Subject`). Without it the formula is given.
    odds : callable, optional
        What that means for somebody who thought one value as likely as another, of the same; an empty text if nothing
        is bounded.
    protects : callable, optional
        The words for what a notion protects, if that is neither the answer nor the secret behind it.
    relative_to : str
        What a guarantee holds for, if its parameters state probabilities: it follows "It".
    implied_by : tuple of Rule
        Which notions imply a notion for every problem, at which level: what `md.implies` knows without a computation.
    stronger : callable, optional
        A notion under which more questions are answered and which implies this one, of the notion and the problem over
        its inputs; None if none is known for them. What is private under it is private under this one, so that a design
        is never worse.
    adds_up : str
        What grows to at most twice with two reports of one person: "level", or "epsilon and delta"; empty if the notion
        does not compose.
    examples : tuple of callables
        Small instances, each with a problem of few inputs, from a random generator: every contract runs on all of them
        (`mechdesign.testing.check_member`).
    sized : callable, optional
        An instance for a problem of any size, from the problem and a random generator: a notion at about one nat, an
        objective over the mechanism's inputs; it returns None where there is none of that size. Without it the class is
        made with its defaults, and a notion whose one parameter is its level at 1.
    edge : callable, optional
        Matrices of integers just inside and just outside a notion, which its exact check has to distinguish.
    anchor : callable, optional
        The value of an objective worked out by hand, which fixes its unit.
    exact_utility : callable, optional
        Of an objective and a problem: at most what a column adds to the utility, in fractions, written apart from the
        objective's own formulas so that bounds can be held against it; None of a problem without such a formula.

    Raises
    ------
    DomainError
        What is no text, or no function; a work that is neither a key nor a reference of several words; another text of
        `adds_up`.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.LDP.card.full_name, md.MaximalLeakage.card.latex
    ('local differential privacy', '\\ln \\sum_y \\max_s \\Pr(y \\mid s) \\le \\epsilon')
    """

    full_name: str = ""
    latex: str = ""
    means: str = ""
    usual: str = ""
    search: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    page: str = ""
    promise: Promise | None = None
    odds: Odds | None = None
    protects: Callable[[Any], Subject] | None = None
    relative_to: str = ""
    adds_up: str = ""
    implied_by: tuple[Rule, ...] = ()
    stronger: Callable[[Any, Any], Any] | None = None
    examples: tuple[Example, ...] = ()
    sized: Callable[[Problem, Rng], Any] | None = None
    edge: Callable[[], Edge] | None = None
    anchor: Callable[[], Anchor] | None = None
    exact_utility: Callable[[Any, Problem], ColumnUtility | None] | None = None

    def __post_init__(self) -> None:
        for name in ("full_name", "latex", "means", "usual", "page", "relative_to", "adds_up"):
            given = getattr(self, name)
            if not isinstance(given, str):
                raise DomainError(name, given, "it has to be a text", "write it in quotes, or leave it out")
        for name in ("search", "works"):
            given = getattr(self, name)
            if not isinstance(given, tuple) or not all(isinstance(text, str) and text.strip() for text in given):
                raise DomainError(name, given, "it has to be a tuple of texts", f'write {name}=("one", "another")')
        if self.adds_up not in ADDS_UP:
            remedy = 'write "level" or "epsilon and delta", or leave it out if the notion does not compose'
            raise DomainError("adds_up", self.adds_up, "it has to name what adds up", remedy)
        _require_works(self.works)
        self._require_functions()

    def _require_functions(self) -> None:
        """Refuse rules, examples and functions of a wrong type."""
        if not isinstance(self.implied_by, tuple) or not all(isinstance(rule, Rule) for rule in self.implied_by):
            remedy = 'write implied_by=(md.Rule("LDP", constant, "reference"),)'
            raise DomainError("implied_by", self.implied_by, "it has to be a tuple of rules", remedy)
        if not isinstance(self.examples, tuple):
            raise DomainError("examples", self.examples, "they have to be a tuple", "write (lambda rng: ...,)")
        for name, takes in TAKES.items():
            of_card = getattr(self, name)
            for given in of_card if name == "examples" else (of_card,):
                if not callable(given) and (given is not None or name == "examples"):
                    raise DomainError(name, given, "it has to be a function", f"give a function {takes}")


def _require_works(given: tuple[str, ...]) -> None:
    """Raise where a single word is no key of a work."""
    known = works()
    for work in given:
        if re.fullmatch(r"\w+", work) and work not in known:
            rule = "no work has that key, and a reference in full has several words"
            raise DomainError("works", work, rule, nearest(work, known))


def card_of(cls: type) -> Card:
    """Return the card that a class has in its own body, an empty one if it has none: a subclass asks something else.

    Raises
    ------
    DomainError
        What it has is no card.
    """
    given = vars(cls).get("card", Card())
    if not isinstance(given, Card):
        raise DomainError("card", given, "it has to be a Card", 'write card = md.Card("the name in full")')
    return given
