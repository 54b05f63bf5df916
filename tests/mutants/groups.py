"""What is mutated, and the tests that have to notice it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Group:
    """Sources that are mutated, as patterns from the root, and the tests that are run on each mutant."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]

    def files(self) -> list[Path]:
        """Return the sources, sorted."""
        return sorted({path for pattern in self.sources for path in ROOT.glob(pattern) if path.name != "__init__.py"})


GROUPS = {
    "reader": Group(("mechdesign_check.py",), ("tests/proofs",)),
    "exact": Group(
        ("mechdesign/exact/*.py",),
        ("tests/package/test_exact.py", "tests/solve/repair", "tests/proofs", "tests/testing"),
    ),
    "proofs": Group(
        ("mechdesign/proofs/*.py", "mechdesign/objectives/exact_form.py", "mechdesign/columns/dual.py"),
        ("tests/proofs", "tests/testing"),
    ),
    "notions": Group(
        (
            *(f"mechdesign/notions/{name}.py" for name in ("ldp", "lip", "max_lift", "maximal_leakage")),
            *(f"mechdesign/columns/{name}.py" for name in ("ratio_in_blocks", "mass_band", "peaks")),
        ),
        ("tests/notions", "tests/columns", "tests/testing", "tests/proofs"),
    ),
    "loading": Group(
        ("mechdesign/designing/loading.py", "mechdesign/mechanism/*.py"),
        ("tests/files", "tests/proofs", "tests/designing/test_designing.py", "tests/estimation/test_together.py"),
    ),
    "repair": Group(("mechdesign/solve/repair/*.py",), ("tests/solve/repair", "tests/testing", "tests/designing")),
    "certificate": Group(
        (
            *(f"mechdesign/solve/certificate/{name}.py" for name in ("bound", "claims")),
            *(f"mechdesign/solve/pricing/{name}.py" for name in ("oracles", "functionals")),
        ),
        ("tests/solve/certificate", "tests/testing", "tests/designing"),
    ),
    "labels": Group(
        ("mechdesign/solve/pricing/few_labels.py", "mechdesign/solve/routes/few_labels.py"),
        ("tests/solve/routes/test_few_labels.py",),
    ),
    "equations": Group(
        ("mechdesign/exact/small_solutions.py", "mechdesign/solve/repair/exact_equations.py"),
        ("tests/solve/repair/test_exact_equations.py",),
    ),
    "runtime": Group(("mechdesign/runtime/*.py",), ("tests/runtime",)),
    "pricing": Group(("mechdesign/solve/pricing/*.py",), ("tests/solve/pricing", "tests/solve/certificate")),
    "estimation": Group(("mechdesign/estimation/*.py", "mechdesign/estimation/surveys/*.py"), ("tests/estimation",)),
    "files": Group(("mechdesign/files/*.py",), ("tests/files", "tests/cli/test_overwriting.py")),
    "sampler": Group(
        ("mechdesign/estimation/sampling.py", "mechdesign/sampler_programs/*.py"),
        ("tests/estimation", "tests/sampler_programs", "tests/testing"),
    ),
}
