"""Known mechanisms against their formulas."""
