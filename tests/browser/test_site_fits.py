"""Nothing on a page of the site is cut, in a window of 390 pixels (a telephone) and in one of 1280.

`SITE=folder python -m pytest -m browser tests/browser/test_site_fits.py`, after `python -m sphinx -j auto docs folder`.
"""

import os
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

WIDTHS = (390, 1280)
SITE = Path(os.environ["SITE"]).resolve() if os.environ.get("SITE") else None
PAGES = sorted(path for path in SITE.rglob("*.html") if "_static" not in path.parts) if SITE else []
assert PAGES or not SITE, f"SITE is {SITE}, where no page is"
#: What is found at once is enough to mend a page.
MOST = 5

#: Returns a sentence for each element that is cut. Closed sections are opened first. An element may reach beyond the
#: window where it or an ancestor scrolls, unless that holds the title: then all of the page scrolls. What only readers
#: of the screen's text get (one pixel) counts nothing.
CUT = """() => {
    document.querySelectorAll('details').forEach(each => { each.open = true; });
    const wide = window.innerWidth, found = [];
    const named = e => `<${e.tagName.toLowerCase()} class="${e.getAttribute('class') || ''}"> "` +
        `${(e.textContent || '').trim().slice(0, 40)}"`;
    const overflow = e => getComputedStyle(e).overflowX;
    const page = e => e.contains(document.querySelector('h1'));
    const scrolls = e => ['auto', 'scroll'].includes(overflow(e)) && !page(e);
    const inside = e => { for (let a = e; a; a = a.parentElement) if (scrolls(a)) return true; return false; };
    const root = document.documentElement;
    if (root.scrollWidth > wide) found.push(`the document is ${root.scrollWidth} wide in a window of ${wide}`);
    for (const e of document.body.querySelectorAll('*')) {
        if (e.closest('svg') && e.tagName !== 'svg') continue;
        const box = e.getBoundingClientRect();
        if (box.width <= 1 || box.height <= 1 || !e.checkVisibility({visibilityProperty: true})) continue;
        const hides = overflow(e) !== 'visible' && !scrolls(e) && e.tagName !== 'svg';
        if (hides && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 1)
            found.push(`${named(e)} shows ${e.clientWidth} of ${e.scrollWidth} pixels`);
        if ((box.right > wide + 1 || (box.left < -1 && box.right > 0)) && !inside(e))
            found.push(`${named(e)} reaches from ${Math.round(box.left)} to ${Math.round(box.right)}`);
    }
    return found;
}"""


@pytest.fixture
def faults(chromium):
    """Return a function that opens an address at a width and returns what is cut there."""
    contexts = []

    def found(address, width):
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        tab = context.new_page()
        tab.goto(address)
        return tab.evaluate(CUT)

    yield found
    for context in contexts:
        context.close()


@pytest.mark.skipif(not PAGES, reason="build the site first, and give its folder in SITE")
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_nothing_on_a_page_is_cut(path, width, faults):
    cut = faults(path.as_uri(), width)
    assert not cut, "\n".join(cut[:MOST])


WIDE = "<table><tr>" + "<td>a_column_of_many_letters</td>" * 60 + "</tr></table>"
BOXED = f'<div style="overflow-x: auto">{WIDE}</div>'
SCROLLING = "<style>body {overflow-x: auto; width: 300px} html {overflow-x: hidden}</style>"
#: What is put into a page, and whether something is then cut.
PLANTED = {
    "nothing": ("<p>Some words.</p>", False),
    "a wide table in a box that scrolls": (BOXED, False),
    "a wide table in no box": (WIDE, True),
    "a wide table of which the rest is hidden": (f'<div style="overflow: hidden">{WIDE}</div>', True),
    "a wide table in a closed section": (f"<details><summary>More</summary>{WIDE}</details>", True),
    "a wide table in a page that hides its own rest": (f"<style>html {{overflow-x: hidden}}</style>{WIDE}", True),
    "a wide table in a page that scrolls as a whole": (f"{SCROLLING}{WIDE}", True),
    "something left of the window": ('<p style="position: relative; left: -3rem">The beginning is cut.</p>', True),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PLANTED)
def test_what_is_cut_is_found(name, width, faults, tmp_path):
    planted, is_cut = PLANTED[name]
    path = tmp_path / "page.html"
    path.write_text(
        f'<!doctype html><html lang="en"><title>A page</title><body><h1>A page</h1>{planted}', encoding="utf-8"
    )
    assert bool(faults(path.as_uri(), width)) is is_cut


@pytest.mark.skipif(not PAGES, reason="build the site first, and give its folder in SITE")
@pytest.mark.parametrize("width", WIDTHS)
def test_a_wide_table_on_a_page_of_the_site_is_found(width, faults):
    sound = SITE / "changelog.html"
    planted = SITE / f"planted-{width}.html"
    markup = sound.read_text(encoding="utf-8")
    assert "</article>" in markup
    try:
        planted.write_text(markup.replace("</article>", f"{WIDE}</article>", 1), encoding="utf-8")
        assert not faults(sound.as_uri(), width)
        assert faults(planted.as_uri(), width)
    finally:
        planted.unlink()
