"""Degeneracy and conditioning of the benchmark's linear programs: ``python -m benchmarks.vertices``, some minutes."""

from __future__ import annotations

import argparse
import json
from dataclasses import astuple

from mechdesign.bench.sets import MOST_NONZEROS, SETS, VERTICES, instances
from mechdesign.bench.vertex import vertex_of
from mechdesign.files.atomic_writes import write


def main() -> None:
    """Write the vertices of the sets that are named, and keep the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=sorted(SETS))
    found = json.loads(VERTICES.read_text(encoding="utf-8")) if VERTICES.exists() else {}
    for name in parser.parse_args().sets:
        for each in instances(name):
            program = each.posed.program
            if program.is_linear and program.nonzeros <= MOST_NONZEROS:
                found[each.name] = astuple(vertex_of(program))
                print(f"{each.name:40s} {found[each.name]}", flush=True)
            vars(each).pop("posed")
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(numbers)}" for name, numbers in sorted(found.items()))
    write(VERTICES, f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
