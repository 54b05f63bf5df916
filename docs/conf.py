"""How the site is built: ``python -m sphinx -W -j auto docs site``; pages of the catalogue are generated first."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import catalogue_pages  # noqa: E402 - found on the path that the line before extends

from mechdesign import __version__  # noqa: E402 - likewise

project = "mechdesign"
author = "the mechdesign developers"
project_copyright = "the mechdesign developers, Apache License 2.0"
release = version = __version__

extensions = [
    "mathml",
    "myst_nb",
    "numpydoc",
    "plain_names",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.bibtex",
]
exclude_patterns = ["extensions"]
html_theme = "pydata_sphinx_theme"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = "mechdesign"
html_show_sourcelink = False
html_math_renderer = "mathml"
html_theme_options = {
    "navigation_with_keys": True,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {page: [] for page in ("index", "choose", "catalogue/words", "bibliography", "changelog", "benchmarks")}

# Code on a page is run when the site is built (but with `-t light`), and a page whose code fails is an error. No cell
# is stopped: machines may be busy.
nb_execution_mode = "off" if tags.has("light") else "force"  # type: ignore[name-defined] # noqa: F821 - Sphinx's own
# Cells that are not run have no language that is known, and are shown without colours.
suppress_warnings = ["myst-nb.lexer"] if tags.has("light") else []  # type: ignore[name-defined] # noqa: F821 - likewise
nb_execution_raise_on_error = True
nb_execution_timeout = -1
nb_merge_streams = True
# What a cell shows as Markdown may have formulas in it.
nb_render_markdown_format = "myst"
nb_execution_show_tb = True
# Widgets would be fetched from elsewhere, and no page has any.
nb_ipywidgets_js: dict[str, dict[str, str]] = {}
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

bibtex_bibfiles = ["catalogue/works.bib"]
bibtex_default_style = "unsrtalpha"

catalogue_pages.write(HERE)
