"""Covariates of people as columns of numbers: a text or a category becomes an indicator of each level but the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array, finite, frozen, names, text
from mechdesign.parameters.columns import is_table
from mechdesign.parameters.labels import listed, places_of
from mechdesign.problem.columns_of_data import array, categories_of, kind, refuse_missing, refuse_mixtures

#: The name of the column of ones.
INTERCEPT = "intercept"
#: A column of texts of more levels than this is an identifier or free text.
MOST_LEVELS = 1000

Entries = npt.NDArray[Any]


@dataclass(frozen=True)
class Covariate:
    """A covariate by its name; one of categories by its levels too, of which the first is the reference.

    Attributes
    ----------
    name : str
        As the table has it.
    levels : tuple of str, or None
        The categories, in order; None of a covariate that is a number, or true or false.
    """

    name: str
    levels: tuple[str, ...] | None

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the columns of numbers that it is made into."""
        return (self.name,) if self.levels is None else tuple(f"{self.name}={level}" for level in self.levels[1:])

    def columns(self, entries: Entries) -> Array:
        """Return the entries as columns of numbers, shape (people, terms).

        Raises
        ------
        DomainError
            Entries that are no numbers, or a level that the covariate does not have.
        """
        argument = f'covariates["{self.name}"]'
        if self.levels is None:
            if _kind_of(entries) == "texts":
                rule = "the regression was fitted to numbers in this column"
                raise DomainError(argument, "of texts", rule, "give numbers")
            return finite(argument, frozen(entries.astype(float)))[:, None]
        found = places_of(list(map(str, entries.tolist())), self.levels)
        if (found < 0).any():
            at = int(np.argmax(found < 0))
            rule = f"the levels of this column are {listed(self.levels)}"
            raise DomainError(f"{argument}[{at}]", str(entries[at]), rule, "use these, as in the data that were fitted")
        return np.asarray(found[:, None] == np.arange(1, len(self.levels)), dtype=float)


@dataclass(frozen=True)
class Covariates:
    """The covariates of a regression, by which covariates of other people are made into the same columns.

    Attributes
    ----------
    each : tuple of Covariate
        In the order of the columns.
    intercept : bool
        Whether a column of ones stands before them.
    of_table : bool
        Whether the columns had names, by which they are matched.

    Examples
    --------
    >>> known, columns = Covariates.of({"age": [20, 30, 40], "region": ["north", "south", "north"]}, intercept=True)
    >>> known.terms, columns.tolist()
    (('intercept', 'age', 'region=south'), [[1.0, 20.0, 0.0], [1.0, 30.0, 1.0], [1.0, 40.0, 0.0]])
    """

    each: tuple[Covariate, ...]
    intercept: bool
    of_table: bool

    @classmethod
    def of(cls, given: Any, *, intercept: bool) -> tuple[Covariates, Array]:
        """Return what covariates are, and their columns of numbers.

        Parameters
        ----------
        given : array_like of shape (people,) or (people, k), column, table or mapping of columns
            Numbers, truths, texts or categories; an array without names has the columns "z0", "z1" and so on.
        intercept : bool
            Whether a column of ones is put before them.

        Raises
        ------
        DomainError
            Missing or infinite entries, dates, mixtures of texts and numbers, columns of several lengths, two of one
            name, a column of too many texts.
        """
        held, of_table = _held(given)
        columns = _all_checked(held)
        each = tuple(Covariate(name, _levels(name, columns[name], categories_of(held[name]))) for name in columns)
        found = cls(each, intercept, of_table)
        names("covariates", found.terms)
        return found, found.matrix(columns)

    @property
    def terms(self) -> tuple[str, ...]:
        """The names of the columns of numbers: those that coefficients belong to."""
        return (*((INTERCEPT,) if self.intercept else ()), *(term for each in self.each for term in each.terms))

    def named(self, term: str) -> tuple[int, ...]:
        """Return the places of a term among the columns; of the name of a covariate, the places of all of its terms.

        Raises
        ------
        DomainError
            Another name.
        """
        of_covariate = {each.name: each.terms for each in self.each}
        wanted = of_covariate.get(term, (term,))
        if not set(wanted) <= set(self.terms):
            remedy = f"use one of {listed((*self.terms, *(name for name in of_covariate if name not in self.terms)))}"
            raise DomainError("term", term, "the regression has no such term", remedy)
        return tuple(self.terms.index(name) for name in wanted)

    def read(self, given: Any) -> Array:
        """Return the columns of numbers of other people, matched by the names of covariates if there are names.

        Raises
        ------
        DomainError
            Other covariates than those that were fitted, and what `of` refuses.
        """
        held, of_table = _held(given)
        columns = _all_checked(held)
        known = tuple(each.name for each in self.each)
        if self.of_table and of_table and set(columns) != set(known):
            rule = f"the regression was fitted to {listed(known)}"
            remedy = "give these columns, and no others"
            raise DomainError("covariates", f"with columns {listed(tuple(columns))}", rule, remedy)
        if len(columns) != len(known):
            rule = f"the regression was fitted to {len(known)}: {listed(known)}"
            raise DomainError("covariates", f"of {len(columns)} columns", rule, "give these")
        ordered = columns if self.of_table and of_table else dict(zip(known, columns.values(), strict=True))
        return self.matrix(ordered)

    def matrix(self, columns: Mapping[str, Entries]) -> Array:
        """Return the columns of numbers, shape (people, terms)."""
        people = len(next(iter(columns.values())))
        ones = [np.ones((people, 1))] if self.intercept else []
        return np.hstack([*ones, *(each.columns(columns[each.name]) for each in self.each)])


def _all_checked(held: Mapping[str, Any]) -> dict[str, Entries]:
    """Return the columns of covariates by their names, all of one length."""
    if not held:
        raise DomainError("covariates", "without columns", "a regression needs at least one", "give a column")
    found = {name: _checked(name, column) for name, column in held.items()}
    people = {name: len(column) for name, column in found.items()}
    if len(set(people.values())) > 1:
        said = ", ".join(f"{name} {count}" for name, count in people.items())
        raise DomainError("covariates", f"of lengths {said}", "columns have one entry for each person", "correct them")
    if not min(people.values()):
        raise DomainError("covariates", "empty", "a regression needs people", "give at least one row")
    return found


def _held(given: Any) -> tuple[dict[str, Any], bool]:
    """Return columns by name, as they were given."""
    if isinstance(given, Mapping):
        return dict(zip(names("covariates", list(given)), given.values(), strict=True)), True
    if is_table(given):
        heads = list(given.columns)
        return dict(zip(names("covariates", heads), (given[head] for head in heads), strict=True)), True
    name = getattr(given, "name", None)
    if hasattr(given, "to_numpy") and name not in (None, ""):
        return {text("covariates (name)", name): given}, True
    found = array("covariates", given)
    if found.ndim == 2:
        return {f"z{k}": _retyped(column) for k, column in enumerate(found.T)}, False
    return {"z0": given}, False


def _retyped(column: Entries) -> Entries:
    return np.asarray(column if column.dtype.kind != "O" else array("covariates", column.tolist()))


def _checked(name: str, column: Any) -> Entries:
    """Return a column of numbers, truths or texts, of which none is missing."""
    argument = f'covariates["{name}"]'
    entries = array(argument, column)
    if entries.ndim != 1:
        raise DomainError(argument, f"of shape {entries.shape}", "a column has one entry for each person", "flatten it")
    if entries.dtype.kind == "O" or entries.dtype.kind not in "biufU":
        entries = entries.astype(object)
        refuse_missing(argument, entries)
        refuse_mixtures(argument, entries)
    found = _kind_of(entries)
    if found not in ("numbers", "texts", "true or false"):
        rule = "a covariate consists of numbers, truths, texts or categories"
        raise DomainError(argument, f"of {found}", rule, "convert it, dates to numbers of days, say")
    if found != "texts":
        entries = entries.astype(float)
        refuse_missing(argument, entries)
    # Numbers that a table declares to be categories are names.
    return entries if categories_of(column) is None else np.array(list(map(str, column)), dtype=object)


def _kind_of(entries: Entries) -> str:
    known = {"b": "true or false", "i": "numbers", "u": "numbers", "f": "numbers", "U": "texts"}.get(entries.dtype.kind)
    return known or (kind(type(entries[0])) if len(entries) else "numbers")


def _levels(name: str, column: Entries, declared: Sequence[Any] | None) -> tuple[str, ...] | None:
    """Return the levels that a column of texts has, as they are declared or by the alphabet; None of numbers."""
    if _kind_of(column) != "texts":
        return None
    found = sorted(set(column.tolist()))
    if len(found) > MOST_LEVELS:
        rule = f"at most {MOST_LEVELS} levels of a text become indicators"
        remedy = "leave it out, or convert it to numbers or to fewer categories"
        raise DomainError(f'covariates["{name}"]', f"of {len(found)} different texts", rule, remedy)
    return tuple(found) if declared is None else tuple(level for level in map(str, declared) if level in found)
