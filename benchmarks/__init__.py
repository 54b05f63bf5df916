"""Benchmarks of mechdesign: ratios measured in one run, against named peers."""
