"""How a report looks: on a screen, on a narrow one, and on paper."""

STYLE = """
:root { color-scheme: light; --ink: #1b2733; --soft: #4a5a6a; --line: #d5dde5; --deep: #084594; --pale: #f3f7fb; }
* { box-sizing: border-box; }
body { margin: 0; background: #fff; color: var(--ink); font: 16px/1.55 system-ui, "Segoe UI", Roboto, sans-serif; }
header { background: var(--deep); color: #fff; padding: 2.2rem 0 1.8rem; }
header > div, main { max-width: 58rem; margin: 0 auto; }
header p { margin: .4rem 0 0; color: #dce8f5; }
header > div { padding: 0 1.25rem; } main { padding: 0 1.25rem 2rem; }
h1 { margin: 0; font-size: clamp(1.5rem, 5vw, 2.1rem); line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 2.4rem 0 .6rem; padding-bottom: .25rem; border-bottom: 2px solid var(--line); font-size: 1.3rem; }
h3 { margin: 1.3rem 0 .3rem; font-size: 1.02rem; color: var(--deep); }
p, ul { margin: .5rem 0; } ul { padding-left: 1.2rem; } li { margin: .25rem 0; overflow-wrap: anywhere; }
p { overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(9.8rem, 100%), 1fr)); gap: .75rem; }
.facts { margin: 1.4rem 0; }
.facts div { background: var(--pale); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: .1rem 0 0; font-size: 1.15rem; font-weight: 600; overflow-wrap: anywhere; }
.facts dd small { display: block; font-size: .8rem; font-weight: 400; color: var(--soft); }
.facts .good { border-left: .35rem solid #17692b; } .facts .bad { border-left: .35rem solid #a31515; }
.scroll { overflow-x: auto; margin: .8rem 0; border: 1px solid var(--line); border-radius: .5rem; }
.scroll:focus-visible { outline: 3px solid #2171b5; outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .38rem .65rem !important; border-bottom: 1px solid var(--line); vertical-align: top; }
th, td { unicode-bidi: plaintext; }
td { max-width: 26rem; overflow-wrap: anywhere; } td[style*=left] { min-width: 9.5rem; }
thead th { background: var(--pale); color: var(--ink); font-weight: 600; }
tbody th { font-weight: 500; } .matrix th { white-space: nowrap; } tbody tr:last-child > * { border-bottom: 0; }
.matrix table { font-size: .82rem; }
.matrix thead th:first-child { white-space: normal; min-width: 8rem; overflow-wrap: normal; }
.matrix td, .matrix th { padding: .3rem .5rem !important; } .matrix td { border: 1px solid #fff; }
pre { background: var(--pale); border: 1px solid var(--line); border-radius: .5rem; padding: .7rem .9rem;
  margin: .6rem 0; white-space: pre-wrap; overflow-wrap: anywhere;
  font: .88rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
.witness { background: var(--pale); border-left: .35rem solid var(--deep); border-radius: .3rem; padding: .7rem .9rem; }
.note { color: var(--soft); font-size: .92rem; }
footer { color: var(--soft); font-size: .88rem; border-top: 1px solid var(--line); padding-top: 1rem;
  margin-top: 2rem; }
.about { margin: .8rem 0; } .about div { display: flex; flex-wrap: wrap; gap: .2rem .8rem; padding: .3rem 0; }
.about dt { flex: 0 0 7rem; color: var(--soft); } .about dd { flex: 1 1 14rem; margin: 0; min-width: 0; }
.about dd { overflow-wrap: anywhere; unicode-bidi: plaintext; } .about .blank { border-bottom: 1px solid var(--soft); }
.picture { margin: 1rem 0; max-width: 40rem; } .picture svg { display: block; width: 100%; height: auto; }
.picture text { font: 13px system-ui, "Segoe UI", Roboto, sans-serif; }
.picture text:not(.inside) { fill: #1b2733; }
.picture .inside { font-size: 12px; text-anchor: middle; }
.picture rect { stroke: #fff; stroke-width: 1; }
.picture figcaption { color: var(--soft); font-size: .92rem; margin-top: .4rem; overflow-wrap: anywhere; }
.narrow { display: none; }
@media screen and (max-width: 40rem) {
  table { font-size: .8rem; } th, td { padding: .3rem .3rem !important; } td[style*=left] { min-width: 0; }
  .narrow { display: block; }
}
@page { size: A4; margin: 15mm; }
@media print {
  body { font-size: 10.5pt; } header { background: none; color: var(--ink); padding: 0 0 .5rem; }
  header p { color: var(--soft); }
  main, header > div { max-width: none; padding-left: 0; padding-right: 0; }
  .scroll { overflow: visible; border: 0; } table { font-size: 8pt; } th, td { padding: .2rem .3rem !important; }
  .matrix th { white-space: normal; overflow-wrap: anywhere; } .matrix table { font-size: 7pt; }
  .matrix th, .matrix td { padding: .15rem .2rem !important; } td[style*=left] { min-width: 6rem; }
  .matrix td, .facts div, .witness, pre { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  h2, h3 { break-after: avoid; break-inside: avoid; } p, li { orphans: 3; widows: 3; } thead { break-after: avoid; }
  li, tr, .facts, .about div, .picture, pre, .witness { break-inside: avoid; }
  .picture { max-width: 15cm; } .picture svg { max-height: 20cm; -webkit-print-color-adjust: exact; }
  .picture svg { print-color-adjust: exact; }
  footer { break-before: avoid; break-inside: avoid; margin-top: 1rem; } main { padding-bottom: .5rem; }
  .kept { break-inside: avoid; }
}
"""
