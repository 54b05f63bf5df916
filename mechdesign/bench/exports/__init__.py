"""Instances as files, and solutions from files."""
