"""Write the table of figures: ``python -m mechdesign.figures notebooks/README.md``."""

from __future__ import annotations

import sys
from pathlib import Path

from mechdesign.figures.table import page
from mechdesign.files.atomic_writes import write

if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m mechdesign.figures FILE")
    target = Path(sys.argv[1])
    write(target, page(notebooks=target.parent))
