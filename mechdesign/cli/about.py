"""Facts about a survey, given on the command line for its report: texts by their names."""

from __future__ import annotations

from collections.abc import Sequence

from mechdesign.errors import DomainError
from mechdesign.reports.about import FIELDS, checked

OPTION = "--about"


def read(given: Sequence[str]) -> dict[str, str] | None:
    """Return what is said of the survey; None where nothing is.

    Raises
    ------
    DomainError
        A text without its name, a name that a page does not have, or one that is given twice.

    Examples
    --------
    >>> read(["purpose=health, a=b"]), read([])
    ({'purpose': 'health, a=b'}, None)
    """
    found: dict[str, str] = {}
    for each in given:
        name, equals, text = each.partition("=")
        name = name.strip()
        if not equals:
            rule = "it has to be a name and a text"
            raise DomainError(OPTION, each, rule, f'write purpose="...", with any of {", ".join(FIELDS)}')
        if name in found:
            raise DomainError(OPTION, name, "it is given twice", "give each of them once")
        found[name] = text
    return checked(found) if found else None
