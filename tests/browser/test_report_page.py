"""The report in a real browser: nothing is fetched or complained of, it fits, it is accessible, and it prints.

`python -m pytest -m browser` needs the extra `browser` and Chromium: `apt-get install chromium`, or CHROMIUM=path.
"""

import io
from itertools import pairwise

import pytest

import mechdesign as md
from mechdesign.reports import page
from tests.displays.test_displays import large
from tests.helpers.hostile import TEXTS, mechanism

pytestmark = pytest.mark.browser

WIDTHS = (390, 1200)
#: Pixels of a sheet of A4 between the margins of the page, 15 millimetres.
PAPER = 680


def survey():
    counts = {"never": 620, "rarely": 250, "often": 130}
    asked = md.Problem.from_counts(counts, values=[0, 1, 5], prior_source="census of 2024")
    return md.design(asked, md.LDP(1.0), md.InformationDesign("A")).mechanism


def relative():
    problem = md.Problem(
        prior=[1 / 16] * 16, values=range(16), labels=[f"{age} to {age + 4} years" for age in range(16)]
    )
    return md.design(problem, md.LIP(1.0) & md.LDP(1.5), md.AbsoluteError()).mechanism


PAGES = {
    "a survey": survey,
    "two notions": relative,
    "no question": lambda: md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"]),
    "no use": lambda: md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(0.0), md.MMSE()).mechanism,
    "large": lambda: large(400).mechanism,
    **{f"hostile, {kind}": lambda kind=kind: mechanism(TEXTS[kind]) for kind in TEXTS},
}


def check_alone(opened, markup):
    """Nothing is fetched besides the file, and nothing is complained of."""
    tab, fetched, said = opened(markup)
    assert [url.rpartition("/")[2] for url in fetched] == ["page.html"], f"it fetches {fetched}"
    assert not said, f"the console says {said}"
    assert tab.evaluate("document.scripts.length") == 0, "it has scripts"


def check_accessible(opened, markup):
    """axe-core finds nothing: contrast, headings, names of regions, tables, the language."""
    from axe_playwright_python.sync_playwright import Axe

    for width in WIDTHS:
        tab, _, _ = opened(markup, width)
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
        levels = tab.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map(h => Number(h.tagName[1]))")
        assert levels[0] == 1 and levels.count(1) == 1, "it has not one title"
        assert all(b <= a + 1 for a, b in pairwise(levels)), "a heading is skipped"


def check_fits(opened, markup):
    """No page is wider than its window, and on paper no table is cut."""
    for width in WIDTHS:
        tab, _, _ = opened(markup, width)
        wide = tab.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"the page is {wide} wide in a window of {width}"
    tab, _, _ = opened(markup, PAPER, "print")
    wide = tab.evaluate("Math.max(...[...document.querySelectorAll('*')].map(e => e.getBoundingClientRect().right))")
    assert wide <= PAPER, f"something reaches to {wide} on paper of {PAPER}"


#: Each table but the matrix, whose columns are many: wider than its box, it is cut until somebody scrolls it.
CUT_TABLES = """() => [...document.querySelectorAll('.scroll')]
    .filter(box => !box.closest('.matrix') && box.scrollWidth > box.clientWidth + 1)
    .map(box => `${box.getAttribute('aria-label')} is ${box.scrollWidth} wide in ${box.clientWidth}`)"""


def check_tables(opened, markup):
    """On a telephone no column of a table is cut, and where the matrix is, a sentence says so."""
    tab, _, _ = opened(markup, WIDTHS[0])
    cut = tab.evaluate(CUT_TABLES)
    assert not cut, f"a table is cut: {cut}"
    said = tab.evaluate(
        """() => [...document.querySelectorAll('.matrix .scroll')].every(box => box.scrollWidth <= box.clientWidth + 1
        || box.previousElementSibling?.checkVisibility())"""
    )
    assert said, "the matrix is cut, and nothing says that it scrolls"


def check_printed(opened, markup):
    """The sheets are A4, and the last one holds more than the checksum."""
    import pypdf

    tab, _, _ = opened(markup, media="print")
    read = pypdf.PdfReader(io.BytesIO(tab.pdf(prefer_css_page_size=True)))
    size = [round(float(side)) for side in read.pages[0].mediabox[2:]]
    assert size == [595, 842], f"a sheet is {size} points"
    texts = [" ".join(sheet.extract_text().split()) for sheet in read.pages]
    last = texts[-1].partition("Checksum of")[0].partition("Made by mechdesign")[0]
    assert len(last) > 40, f"the last sheet holds the end of the page alone: {texts[-1]}"
    heads = ("The question", "The guarantee", "The mechanism", "The exact audit", "How good it is", "How it is used")
    assert not [text for text in texts if text.endswith(heads)], "a heading is the last line of a sheet"


def check_read(opened, markup, words):
    """The words stand there for a reader, on the screen and on paper."""
    tab, _, _ = opened(markup)
    text = " ".join(tab.inner_text("body").split())
    for each in words:
        assert " ".join(each.split()) in text, f"a reader does not see: {each}"
    printed = tab.pdf(format="A4")
    assert printed.startswith(b"%PDF") and len(printed) > 10_000


@pytest.mark.parametrize("name", PAGES)
def test_a_report_in_a_browser(name, opened):
    made = PAGES[name]()
    markup = page(made, about={"purpose": f"{made.outputs[0][:99]}, and how often", "controller": "City of Bern"})
    check_alone(opened, markup)
    check_accessible(opened, markup)
    check_fits(opened, markup)
    words = ["What it does not promise", "The witness:", "How it is used"]
    if made.question is not None and not name.startswith("hostile"):
        words += [md.audit(made).sentence, repr(made.claimed.value), "mechdesign estimate survey.mechanism.json"]
    check_read(opened, markup, words)
    if not name.startswith("hostile"):
        check_tables(opened, markup)
    check_printed(opened, markup)


def test_planted_defects_of_a_page_are_caught(opened):
    sound = page(survey())
    policy = sound[sound.index('<meta http-equiv="Content') : sound.index('<meta name="viewport"')]
    planted = {
        "a picture from elsewhere": (
            check_alone,
            sound.replace(policy, "").replace("<main>", '<main><img src="a.png">'),
        ),
        "a script": (check_alone, sound.replace("<main>", "<main><script>1</script>")),
        "pale text": (check_accessible, sound.replace("--soft: #4a5a6a", "--soft: #b8c4d0")),
        "no language": (check_accessible, sound.replace(' lang="en"', "")),
        "a heading that is skipped": (check_accessible, sound.replace("h2>", "h4>")),
        "a wide table": (check_fits, sound.replace(".scroll { overflow-x: auto;", ".scroll { min-width: 90rem;")),
        "a table of wide words": (
            check_tables,
            sound.replace("@media screen and (max-width: 40rem)", "@media (max-width: 0)"),
        ),
        "a heading below which nothing stands": (
            check_printed,
            sound.replace("h2, h3 { break-after: avoid", "h2 { break-after: page; } h2, h3 { break-inside: avoid"),
        ),
        "letter paper": (check_printed, sound.replace("size: A4", "size: letter")),
        "a footer of its own": (
            check_printed,
            sound.replace("footer { break-before: avoid;", "footer { break-before: page;"),
        ),
        "no witness": (check_read, sound.replace("The witness: ", "")),
    }
    for name, (check, markup) in planted.items():
        assert markup != sound, name
        rest = (["The witness:"],) if check is check_read else ()
        check(opened, sound, *rest)
        with pytest.raises(AssertionError) as found:
            check(opened, markup, *rest)
        assert str(found.value), name
