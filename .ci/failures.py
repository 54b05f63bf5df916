"""What failed in a step: ``python3 .ci/failures.py JUNIT LOG`` names each test, or else shows how the log ends."""

import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

#: Lines of a log without failed tests, and characters of a line.
LINES, WIDTH = 6, 160


def failed(junit: Path) -> list[str]:
    """Return a line for each failed test of the file: its name, and the first line of why."""
    found = []
    for case in ET.parse(junit).iter("testcase"):  # noqa: S314 - written by the step itself
        why = next((part for part in case if part.tag in {"failure", "error"}), None)
        if why is not None:
            said = (why.get("message") or "").strip().splitlines()
            found.append(f"{case.get('classname')}::{case.get('name')}: {said[0] if said else ''}")
    return found


def telling(log: Path) -> list[str]:
    """Return the lines of the log that say they are errors, as pip's and Sphinx's do, and its last ones."""
    lines = [line.rstrip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines[:-LINES] if re.match(r"\s*(ERROR|error|FAILED|Error)\b", line)]
    return [*errors[-LINES:], *lines[-LINES:]]


if __name__ == "__main__":
    junit, log = map(Path, sys.argv[1:])
    try:
        sentences = failed(junit)
    except (OSError, ET.ParseError):
        # No tests in this step, or stopped before their file was written.
        sentences = []
    if not sentences and log.exists():
        sentences = telling(log)
    sys.stdout.writelines(f"        {sentence[:WIDTH]}\n" for sentence in sentences)
