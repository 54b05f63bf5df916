"""Displays of results: blocks of sentences and tables, written as text for a terminal or as HTML for a notebook."""

from mechdesign.displays.blocks import Block, Grid, Lines, Table
from mechdesign.displays.displayed import Displayed, Record

__all__ = ["Block", "Displayed", "Grid", "Lines", "Record", "Table"]
