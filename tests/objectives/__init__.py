"""Objectives against their definitions."""
