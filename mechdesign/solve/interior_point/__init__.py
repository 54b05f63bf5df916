"""An interior point for programs over a band, by hand."""
