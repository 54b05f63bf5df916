"""Estimates of groups of people of one sample: one table, and differences that know which clusters groups share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.errors import DomainError, nearest
from mechdesign.estimation.differences import Difference
from mechdesign.estimation.estimating import COLUMNS, Estimate
from mechdesign.estimation.numbers_of_people import LEVEL
from mechdesign.estimation.printed import EQUAL
from mechdesign.files.tables import Tabular


@dataclass(frozen=True, eq=False)
class GroupedEstimate(Mapping[Any, Estimate], Tabular, Displayed):
    """The estimate of each group of people, by the group's label, as ``Mechanism.estimate(groups=...)`` returns them.

    A group is a domain of the sample: all strata and clusters are kept, and a cluster without people of the group
    counts as 0, as how many of a group are drawn is chance too. Its degrees of freedom are clusters less strata.

    Attributes
    ----------
    estimates : dict
        The estimate of each group.

    References
    ----------
    T. Lumley, "Complex Surveys: A Guide to Analysis Using R", Wiley 2010, section 2.2.

    Examples
    --------
    >>> import mechdesign as md
    >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 2.0)
    >>> found = response.estimate([0, 0, 1, 0, 0, 1] * 50, groups=["north", "south"] * 150)
    >>> list(found), found["south"].reports
    (['north', 'south'], 150)
    """

    estimates: dict[Any, Estimate]

    def __getitem__(self, group: Any) -> Estimate:
        """Return the estimate of a group."""
        if group not in self.estimates:
            names = tuple(map(str, self.estimates))
            rule = f"there are {len(names)} groups, and it is none of them"
            raise DomainError("group", group, rule, nearest(str(group), names))
        return self.estimates[group]

    def __contains__(self, group: object) -> bool:
        """Return whether there is such a group."""
        return group in self.estimates

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def difference(self, first: Any, second: Any) -> Difference:
        """Return what the frequencies and the mean of two groups differ by, with intervals.

        The covariance between groups that share clusters, strata or replicates is in the standard errors.

        Parameters
        ----------
        first, second : object
            The labels of the groups: ``first - second``.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        DomainError
            No such group, or one group twice.
        """
        if first == second and first in self:
            raise DomainError("second", second, "it is the first group, too", f"use one of {', '.join(map(str, self))}")
        return self[first].difference(self[second])

    def rows(self, level: float = LEVEL) -> list[dict[str, Any]]:
        """Return a row for each group and input: group, label, estimate, standard error and the ends of its interval.

        Parameters
        ----------
        level : float
            Of the intervals, above 0 and below 1.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        return [{"group": group, **row} for group, made in self.estimates.items() for row in made.rows(level)]

    def _columns(self) -> tuple[str, ...]:
        return ("group", *COLUMNS)

    def _records(self) -> list[dict[str, Any]]:
        return self.rows()

    def __repr__(self) -> str:
        return f"GroupedEstimate({len(self)} groups, {sum(made.reports for made in self.values())} reports)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the frequencies of each group with their intervals, and the means if answers have values."""
        return self.shown()

    def shown(self, level: float = LEVEL) -> tuple[Block, ...]:
        """Return what is printed, with intervals of a level."""
        made = list(self.estimates.items())
        weighted = "weighted " * any(each.survey is not None and each.design_effect > 1.0 + EQUAL for _, each in made)
        said = [f"{sum(each.reports for _, each in made)} {weighted}reports of {len(made)} groups."]
        designs = dict.fromkeys(each.survey.words for _, each in made if each.survey is not None)
        said += [f"Drawn from {words}." for words in designs if words]
        said += [f"Group {group}: {note}" for group, each in made for note in each.notes]
        if not all(each.identifiable.all() for _, each in made):
            return (Lines("Estimates", tuple(said)),)
        rows = self.rows(level)

        def row(k: int) -> tuple[str, ...]:
            return (str(rows[k]["group"]), str(rows[k]["label"]), *(f"{rows[k][name]:z.6f}" for name in COLUMNS[1:]))

        heads = ("group", "input", "frequency", "standard error", f"{100 * level:.4g} % from", "to")
        blocks: list[Block] = [Lines("Estimates", tuple(said))]
        blocks.append(Table.of("", heads, len(rows), row, ("group", "input"), most=100))
        if made[0][1].problem.values is not None:
            means = [(str(group), each.mean().written(level)) for group, each in made]
            blocks.append(Table.of("Means", ("group", "mean"), len(means), means.__getitem__, ("group", "mean")))
        return tuple(blocks)
