"""What a page says of the survey that it is filed for: data, purpose, controller, contact and date, as given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mechdesign.displays.html import Html, element
from mechdesign.errors import DomainError, nearest
from mechdesign.reports.pieces import section

#: What can be said, in the order of the page, with what each is called there.
FIELDS = {
    "data": "Data",
    "purpose": "Purpose",
    "controller": "Controller",
    "contact": "Contact",
    "date": "Date",
}
#: Characters of a text: a longer one belongs into a document of its own.
MOST = 2000


def checked(about: Any) -> dict[str, str] | None:
    """Return what is said of a survey, in the order of the page; None where nothing is.

    Parameters
    ----------
    about : mapping of str to str, optional
        Texts by the names of `FIELDS`; the ends of lines become blanks.

    Returns
    -------
    dict or None

    Raises
    ------
    DomainError
        Another name, something that is no text, or a text that does not fit a page.

    Examples
    --------
    >>> checked({"date": "1 March 2027", "purpose": "health"})
    {'purpose': 'health', 'date': '1 March 2027'}
    """
    if about is None:
        return None
    if not isinstance(about, Mapping):
        rule = "it has to be a dictionary of texts"
        raise DomainError("about", about, rule, f'give {{"purpose": "..."}}, with any of {", ".join(FIELDS)}')
    for name, text in about.items():
        if name not in FIELDS:
            rule = "a page has no such field"
            raise DomainError("about", name, rule, nearest(str(name), FIELDS))
        if not isinstance(text, str):
            raise DomainError(f"about[{name!r}]", text, "it has to be a text", "write it as a person would read it")
        if len(text) > MOST:
            rule = f"it has {len(text)} characters, and there is room for {MOST}"
            raise DomainError(
                f"about[{name!r}]", f"{text[:20]}...", rule, "shorten it, and name the document it is from"
            )
    return {name: " ".join(about[name].split()) for name in FIELDS if name in about}


def about_survey(about: Mapping[str, str] | None) -> Html:
    """Return what is said of the survey, and a blank line to fill by hand for what is not; nothing without `about`."""
    if about is None:
        return Html()
    rows = []
    for name, title in FIELDS.items():
        text = about.get(name, "")
        said = element("dd", text) if text else element("dd", Html("&nbsp;"), class_="blank")
        rows.append(element("div", element("dt", title), said))
    return section("About this survey", element("dl", *rows, class_="about"))
