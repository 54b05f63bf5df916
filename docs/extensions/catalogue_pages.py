"""Pages that the catalogue writes by itself: one for each notion, objective, route and family of statements."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from pathlib import Path

import architecture
import benchmark_pages
import gallery_pictures
import numpy as np

import mechdesign as md
from mechdesign import literature, plotting
from mechdesign.catalogue import card_of
from mechdesign.catalogue.vocabulary import vocabulary
from mechdesign.errors import MechdesignError
from mechdesign.reports.promises import promises
from mechdesign.solve.choose import ROUTES
from mechdesign.testing import pairs, sized
from mechdesign.testing.catalogue import all_notions, all_objectives
from mechdesign.theorems import statements
from mechdesign.theorems.record import recorded

#: The survey that pictures are drawn for, and the seed of parameters that an example needs.
SURVEY = md.Problem(prior=[0.1, 0.2, 0.3, 0.25, 0.15], values=[0, 1, 2, 3, 4])
BIT = md.Problem(prior=[0.4, 0.6], values=[0, 1])
SEED = 1
#: The classes of the catalogue by name.
KNOWN = all_notions() | all_objectives()
#: Objectives that are tried in turn, until one can be asked under a notion.
TRIED = ("MMSE", "KLDivergence", "MutualInformation", "AbsoluteError", "MaxOffDiagonal")


def write(docs: Path) -> None:
    """Write every generated page below ``docs/catalogue``, which holds nothing else."""
    reference = docs / "catalogue"
    listed = {
        "notions": {name: notion(member, reference / "notions") for name, member in sorted(all_notions().items())},
        "objectives": {name: objective(member) for name, member in sorted(all_objectives().items())},
        "routes": {name: _route(name) for name in ROUTES},
        "theorems": {paper: _theorems(paper) for paper in sorted({key.split("/")[0] for key in statements()})},
    }
    for folder, texts in listed.items():
        for name, text in texts.items():
            _put(reference / folder / f"{name}.md", text)
        entries = "\n".join(f"- [{name}]({name}.md): {_about(folder, name)}" for name in texts)
        names = "\n".join(texts)
        _put(
            reference / folder / "index.md",
            f"# {folder.capitalize()}\n\n{entries}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n",
        )
    _put(reference / "pairs.md", pairs.table())
    _put(reference / "proofs.md", pairs.proofs())
    _notebooks(docs.parent / "notebooks", reference / "notebooks")
    gallery_pictures.draw(docs / "gallery", reference / "gallery")
    _put(reference / "words.md", _words())
    for path, text in architecture.page(reference).items():
        _put(path, text)
    for name, text in benchmark_pages.pages():
        _put(reference / benchmark_pages.FOLDER / f"{name}.md", text)
    _put(reference / "works.bib", literature.bibtex())


def _notebooks(folder: Path, target: Path) -> None:
    """Take the notebooks and their table over, to be run with the site; links between them stay as they are."""
    names = sorted(path.stem for path in folder.glob("*.ipynb"))
    for name in names:
        _put(target / f"{name}.ipynb", (folder / f"{name}.ipynb").read_text(encoding="utf-8"))
    listed = "\n".join(names)
    table = (folder / "README.md").read_text(encoding="utf-8")
    _put(target / "index.md", f"{table}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")


def _put(path: Path, text: str) -> None:
    """Write the page unless it stands there as it is: Sphinx reads again only what changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _about(folder: str, name: str) -> str:
    if folder == "routes":
        return _first_line(sys.modules[ROUTES[name].plan.__module__].__doc__).partition(": ")[2]
    if folder == "theorems":
        return literature.source_of(name)
    return _first_line(getattr(md, name).__doc__)


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]


def _member(member: type) -> str:
    """Return a member's formula, if its card has one, and its docstring."""
    formula, name = card_of(member).latex, member.__name__
    path = f"mechdesign.{name}" if KNOWN.get(name) is member else f"{member.__module__}.{name}"
    displayed = f"$$\n{formula}\n$$\n\n" if formula else ""
    return f"{displayed}```{{eval-rst}}\n.. autoclass:: {path}\n```\n"


def _also(member: type) -> str:
    """Return the words of the field that lead to a member."""
    name = member.__name__
    names = [other for word in vocabulary(KNOWN | {name: member}) if name in word.members for other in word.names]
    return f"Looked for as: {', '.join(dict.fromkeys(names))}.\n\n" if names else ""


def _made(member: type, survey: md.Problem) -> md.Notion | None:
    """Return the example of a notion over that survey, with the same parameters on every build."""
    return sized.sized_of(member)(survey, np.random.default_rng(SEED))


def notion(member: type, folder: Path) -> str:
    """Return a notion's page: its definition, a picture of an optimum, and how it relates to others."""
    begins = f"# {member.__name__}\n\n{_begins(member, _promised(member))}"
    return "\n".join([begins, _member(member), _also(member), _pictured(member, folder), _implications(member)])


def _begins(member: type, promised: str = "") -> str:
    """Return the sentences that a page begins with: the name in full, what it means, and for whom it is usual."""
    card = card_of(member)
    name = card.full_name or member.__name__
    usual = f"{card.usual[:1].upper()}{card.usual[1:]}." if card.usual else ""
    said = (f"**{name[:1].upper()}{name[1:]}.**", _cell(card.means or promised), usual)
    return f"{' '.join(filter(None, said))}\n"


def _promised(member: type) -> str:
    """Return what the example of a notion promises, in a sentence or two."""
    for survey in (SURVEY, BIT):
        asked = _made(member, survey)
        if asked is not None:
            inputs = asked.inputs(sized.as_asked(asked, survey))
            return f"Of {str(asked)[:60]}: {promises(asked, inputs)[0]}"
    return ""


def _pictured(member: type, folder: Path) -> str:
    """Draw the first optimum that can be had, and return the section with it."""
    name = member.__name__
    for survey, tried in ((survey, tried) for survey in (SURVEY, BIT) for tried in TRIED):
        asked = _made(member, survey)
        if asked is None:
            continue
        problem = sized.as_asked(asked, survey)
        wanted = sized.OBJECTIVES[tried](asked.inputs(problem), np.random.default_rng(SEED))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", md.GapWarning)
                made = md.design(problem, asked, wanted)
        except MechdesignError:
            continue
        folder.mkdir(parents=True, exist_ok=True)
        plotting.heat_map(made).savefig(folder / f"{name}.svg", metadata={"Date": None})
        found = f"value {made.value:.5g}, gap {made.gap:.1e}"
        caption = f"The optimum for {tried} under {_escaped(str(asked))}: {found}."
        return f"## An optimal mechanism\n\n```{{figure}} {name}.svg\n:alt: {caption}\n\n{caption}\n```\n"
    raise LookupError(f"no objective of {', '.join(TRIED)} can be designed for under {name}")


def _implications(member: type) -> str:
    """Return which notions a notion implies and is implied by, on a survey, at the levels of the examples."""
    survey = SURVEY if _made(member, SURVEY) is not None else BIT
    first = _made(member, survey)
    rows = []
    for _, other in sorted(all_notions().items()):
        second = _made(other, survey)
        if other is member or first is None or second is None:
            continue
        answers = [_implied(a, b, survey) for a, b in ((first, second), (second, first))]
        rows.append(f"| {_escaped(str(second))} | {answers[0]} | {answers[1]} |")
    shown = f"`{_escaped(str(first)).strip('`')}` beside others, on a survey of {survey.n} values, by `md.implies`."
    head = f'## Beside other notions\n\n{shown} A "no" is shown by a mechanism.\n\n'
    return head + "| other notion | this implies it | it implies this |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _implied(first: md.Notion, second: md.Notion, survey: md.Problem) -> str:
    try:
        return md.implies(first, second, survey).answer
    except MechdesignError:
        return "not comparable"


def _escaped(text: str) -> str:
    short = text if len(text) <= 60 else f"{text[:57]}..."
    return f"`{short}`"


def objective(member: type) -> str:
    """Return an objective's page: its definition, and what it costs under local differential privacy."""
    return "\n".join([f"# {member.__name__}\n", _begins(member), _member(member), _also(member), _costs(member)])


def _costs(member: type) -> str:
    asked = sized.sized_of(member)(SURVEY, np.random.default_rng(SEED))
    rows = []
    for epsilon in (0.5, 1.0, 2.0):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", md.GapWarning)
                made = md.design(SURVEY, md.LDP(epsilon), asked)
        except MechdesignError:
            return ""
        rows.append(f"| {epsilon} | {made.value:.6g} | {made.bound:.6g} | {made.matrix.shape[1]} | {made.route} |")
    head = f"## What privacy costs\n\n{_escaped(str(asked))} of a survey of five values under `LDP(epsilon)`:\n\n"
    return head + "| epsilon | value | bound | outputs | route |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _route(name: str) -> str:
    """Return a route's page: its module's own words, and what it answers."""
    route = ROUTES[name]
    doc = (sys.modules[route.plan.__module__].__doc__ or "").strip()
    solvers = ", ".join(route.solvers) or "none"
    kind = "an exact optimum" if route.is_exact else "a certified approximation"
    return f"# {name}\n\n{doc}\n\nSolvers that can be named: {solvers}. It aims at {kind}.\n"


def _theorems(paper: str) -> str:
    """Return the page of a paper's statements with their recorded verdicts."""
    rows = [
        f"| `{key}` | {it.place} | {_cell(_statement(it))} | {verdict.verdict} | {_cell(verdict.condition)} |"
        for key, it, verdict in _ruled(paper)
    ]
    table = "| key | place | statement | verdict | where it holds |\n|---|---|---|---|---|\n" + "\n".join(rows)
    shown = f"`mechdesign verify {paper}` computes this table again."
    return f"# {paper}\n\n{literature.source_of(paper)}\n\n{shown}\n\n{table}\n"


def _statement(statement: object) -> str:
    """Return a statement, with where it was published if it is of none of the papers."""
    origin = getattr(statement, "origin", "")
    return f"{statement.words} (Origin: {origin}.)" if origin else statement.words


def _ruled(paper: str) -> Iterable[tuple[str, object, object]]:
    verdicts = recorded()
    return [(key, it, verdicts[key]) for key, it in statements().items() if key.split("/")[0] == paper]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_").replace("<", "&lt;")


def _words() -> str:
    """Return the page of words, each with a heading of its own so that the search finds it."""
    parts = ["# Words of the field\n\nWhat you may know under another name, and where it is here.\n"]
    for word in vocabulary(KNOWN):
        members = ", ".join(f"`{name}`" for name in word.members)
        here = f"Here: {members}; see" if members else "See"
        cited = " ".join(f"{{cite:p}}`{work.key}`" for work in word.works)
        rest = f" ({', '.join(word.names[1:])})" if word.names[1:] else ""
        parts.append(
            f"## {word.names[0]}\n\n**{word.names[0]}**{rest}. {word.means} {cited}\n\n"
            f"{here} [the page](../{word.page}.md).\n\n```python\n{word.example}\n```\n"
        )
    return "\n".join(parts)
