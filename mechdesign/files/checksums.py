"""Checksums of plain data, kept within it."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    """Return `data` with a checksum of everything else in it."""
    body = {key: value for key, value in data.items() if key != "checksum"}
    # Files of earlier versions hold infinite numbers, whose checksums stay what they were.
    canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**body, "checksum": "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()}
