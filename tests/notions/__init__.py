"""Notions against their definitions."""
