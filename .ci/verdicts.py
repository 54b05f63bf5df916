"""Whether two records of verdicts agree: ``python .ci/verdicts.py RECORDED MADE`` prints where not, and exits with 1.

Words are compared exactly; numbers, wherever they stand, to 1e-6: solvers give other last digits on other processors.
"""

import json
import math
import re
import sys
from pathlib import Path

CLOSE = 1e-6
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def alike(first: object, second: object) -> bool:
    """Tell whether two values are the same but for digits of numbers."""
    if not (isinstance(first, str) and isinstance(second, str)):
        return first == second
    if NUMBER.sub("#", first) != NUMBER.sub("#", second):
        return False
    pairs = zip(NUMBER.findall(first), NUMBER.findall(second), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=CLOSE, abs_tol=CLOSE) for a, b in pairs)


def differences(recorded: dict, made: dict) -> list[str]:
    """Return a sentence for each field of each row that differs, and for each row that only one of them has."""
    found = [f"{key} is in one record only" for key in sorted(recorded.keys() ^ made.keys())]
    for key in sorted(recorded.keys() & made.keys()):
        fields = recorded[key].keys() | made[key].keys()
        for field in sorted(fields):
            was, now = recorded[key].get(field), made[key].get(field)
            if not alike(was, now):
                found.append(f"{key}: {field} was {was!r}, is {now!r}")
    return found


if __name__ == "__main__":
    rows = [json.loads(Path(path).read_text(encoding="utf-8"))["rows"] for path in sys.argv[1:]]
    sentences = differences(*rows)
    sys.stdout.writelines(f"{sentence}\n" for sentence in sentences)
    sys.exit(bool(sentences))
