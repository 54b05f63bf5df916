"""The ledger as one page of HTML: formulas are MathML, so that it reads without a network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from mechdesign.literature import source_of
from mechdesign.referee import Row

TITLE = "The papers' statements, by computation"
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem; color: #222; }
h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #ddd; padding: .5rem .6rem; text-align: left; vertical-align: top; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.verdict { font-weight: 600; }
.holds { color: #17692b; } .narrower, .misprinted { color: #8a5a00; } .false { color: #a31515; }
.inconclusive { color: #7a1f7a; } .not { color: #666; }
.grounds { color: #444; font-size: 90%; } math { font-size: 110%; }
"""


def page(rows: Sequence[Row], summary: str) -> str:
    """Return the page: the summary, and a table for each paper."""
    papers = dict.fromkeys(row.paper for row in rows)
    parts = "".join(_paper(name, [row for row in rows if row.paper == name]) for name in papers)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{TITLE}</title><style>{STYLE}</style></head><body>\n"
        f"<h1>{TITLE}</h1>\n<p>{escape(summary)}</p>\n{parts}</body></html>\n"
    )


def _paper(name: str, rows: list[Row]) -> str:
    heads = "".join(f"<th>{head}</th>" for head in ("statement", "verdict", "points", "worst"))
    body = "\n".join(_row(row) for row in rows)
    source = f"<p>{escape(source_of(name))}</p>"
    return f'<h2 id="{escape(name)}">{escape(name)}</h2>\n{source}\n<table><tr>{heads}</tr>\n{body}\n</table>\n'


def _row(row: Row) -> str:
    grounds = (*row.findings, *row.particulars)
    details = "".join(f'<div class="grounds">{escape(text[:1].upper() + text[1:])}</div>' for text in grounds)
    formula = f"<div>{formula_of(row.latex)}</div>" if row.latex else ""
    claim = f"<b>{escape(row.key)}</b> ({escape(row.place)}, {escape(row.kind)})<div>{escape(row.claim)}</div>{formula}"
    kind = "narrower" if "narrower" in row.verdict else row.verdict.split()[0]
    worst = f"{row.worst:.0e}" if row.points else ""
    return (
        f'<tr id="{escape(row.key)}"><td>{claim}</td>'
        f'<td><span class="verdict {kind}">{escape(row.verdict)}</span>{details}</td>'
        f'<td class="number">{row.points or ""}</td><td class="number">{worst}</td></tr>'
    )


def formula_of(latex: str) -> str:
    """Return a displayed formula as MathML."""
    from latex2mathml.converter import convert

    made: str = convert(latex, display="block")
    return made
