"""Prints each dependency of the package at the oldest version that `pyproject.toml` allows, as pip's constraints."""

import re
import tomllib
from pathlib import Path

needed = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
for line in needed:
    name, version, marker = re.fullmatch(r"([\w-]+)>=([\w.]+)\s*(;.*)?", line).groups()
    print(f"{name}=={version}{marker or ''}")
