"""Whether a built site holds what it promises: ``python .ci/site.py FOLDER`` prints what is wrong, and exits with 1."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What somebody knows who comes to the front page, and the page whose link has to have that word in its row.
SOUGHT = {
    "PRAM": "how-to/post-randomisation.html",
    "PML": "how-to/pointwise-maximal-leakage.html",
    "histogram": "tutorials/survey.html",
}
#: Elements that fetch what they name as soon as the page is opened.
FETCHING = {"script", "link", "img", "iframe", "source", "audio", "video", "object", "embed"}

#: Lists that no page has on purpose: the initial of a name was read as one.
LETTERED = {"upperalpha", "upperroman", "loweralpha", "lowerroman"}


class Page(HTMLParser):
    """The anchors of a page, its links, what it fetches, and whether it has a list with letters."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.lettered = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the element is called, where it leads and what it fetches."""
        found = dict(attrs)
        self.lettered |= tag == "ol" and bool(LETTERED & set((found.get("class") or "").split()))
        self.anchors.update(name for name in (found.get("id"), found.get("name")) if name)
        target = found.get("href") or found.get("src") or found.get("data")
        if target is not None:
            (self.fetched if tag in FETCHING and found.get("rel") != "canonical" else self.links).append(target)


def wrong(site: Path) -> list[str]:
    """Return in sentences what is wrong with the site in the folder."""
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if "_static" not in path.parts}
    if not pages:
        return [f"{site} has no page"]
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} has a list with letters: a name such as J. Duchi begins a line"] if page.lettered else []
        found += [f"{name} fetches {target}" for target in page.fetched if urlsplit(target).netloc]
        for target in (*page.links, *page.fetched):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            file = file / "index.html" if file.is_dir() else file
            if not file.exists():
                found.append(f"{name} leads to {target}, which is not there")
            elif parts.fragment and file in pages and unquote(parts.fragment) not in pages[file].anchors:
                found.append(f"{name} leads to {target}, which has no such place")
    front = (site / "index.html").read_text(encoding="utf-8")
    for word, target in SOUGHT.items():
        rows = [row for row in front.split("<tr") if word in row]
        if not any(target in row for row in rows):
            found.append(f"the front page does not lead from {word} to {target}")
        if word.casefold() not in (site / "searchindex.js").read_text(encoding="utf-8"):
            found.append(f"the search does not know {word}")
    return found


if __name__ == "__main__":
    sentences = wrong(Path(sys.argv[1]).resolve())
    sys.stdout.writelines(f"{sentence}\n" for sentence in sentences)
    sys.exit(bool(sentences))
