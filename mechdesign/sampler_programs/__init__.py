"""Samplers for applications: a mechanism as one file of Python or ECMAScript that draws reports, and needs no more."""

from mechdesign.sampler_programs.writing import sampler

__all__ = ["sampler"]
