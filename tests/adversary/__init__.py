"""An adversary of `mechdesign.design`: it asks random questions and judges the answers by arithmetic of its own.

Nothing in here computes with the package: privacy is checked in rationals, values are enclosed in balls of 448 bits,
and every bound is held against private mechanisms with exact values, among them the optimum over the extreme rays of
the notion's cone, enumerated and optimised in rationals. ``python -m tests.adversary --designs 500 --seed 1`` prints
one table, and a Python snippet for each failure.
"""
