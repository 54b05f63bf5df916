"""Bounds that no mechanism passes, whatever cut them short."""
