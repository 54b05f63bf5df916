"""Mechanism files that were cut, edited or made to lie: refused, or the same mechanism, or claims that are true."""

import json
import math
import random
import warnings
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

import mechdesign as md
from mechdesign.designing import loading
from mechdesign.files.checksums import sealed
from mechdesign.mechanism import Mechanism, mechanism_file
from mechdesign.mechanism.mechanism_file import read
from tests.helpers.golden import GOLDEN, check_true, numbers, replaced

SLOW = pytest.mark.slow
EDITS_AT_EACH_BYTE = 10
LIKELY = b" \n\t0123456789.eE+-,:[]{}\"truefalsn'\x00\xff"
#: Of how many places one is tried, where not all are.
STEPS = {"cut_short": 43, "edited_anywhere": 307, "moved_numbers": 13, "moved_mass": 2}


@pytest.fixture(scope="module", params=GOLDEN)
def golden(request, tmp_path_factory):
    """Return one of the files: what is true of it, its mechanism, its bytes, and a path for its variants."""
    return opened(request.param, tmp_path_factory.mktemp("golden"))


def opened(name, folder):
    kind = GOLDEN[name]
    path = kind.design().mechanism.save(folder / "a.json")
    return SimpleNamespace(kind=kind, made=md.load(path), held=path.read_bytes(), path=path, seed=name)


def outcome(golden, held, load):
    """Return what a file with these bytes is loaded as, None where it is refused."""
    golden.path.write_bytes(held)
    with warnings.catch_warnings(), suppress(md.MechdesignError):
        # One number moved makes a file of the version before.
        warnings.simplefilter("ignore", md.FileWarning)
        return load(golden.path)
    return None


def cut_short(golden, load, step=1):
    """Cut after each byte: refused, but where only the end of the line is missing."""
    for end in range(0, len(golden.held), step):
        found = outcome(golden, golden.held[:end], load)
        assert found is None or (found == golden.made and end == len(golden.held) - 1), end


def edited_anywhere(golden, load, step=1):
    """Each byte changed, left out, doubled, moved or joined by another: refused, or the same mechanism."""
    rng = random.Random(golden.seed)
    for at in range(0, len(golden.held), step):
        before, byte, after = golden.held[:at], golden.held[at : at + 1], golden.held[at + 1 :]
        for turn in range(EDITS_AT_EACH_BYTE):
            other = bytes(
                [rng.choice(b" \n\t0123456789.eE+-,:[]{}\"truefalsn'\x00\xff") if turn % 2 else rng.randrange(256)]
            )
            edits = [before + other + after] * 4
            edits += [before + after, before + byte * 2 + after, before + after[:1] + byte + after[1:]]
            edits += [before + other + byte + after, before + byte + other * 3 + after, after + before]
            found = outcome(golden, edits[turn], load)
            assert found is None or found == golden.made, (at, edits[turn][max(at - 20, 0) : at + 20])


MOVES = {
    "one more": lambda number: number + 1,
    "one less": lambda number: number - 1,
    "a last digit more": lambda number: math.nextafter(number, math.inf) if isinstance(number, float) else number + 2,
    "a last digit less": lambda number: math.nextafter(number, -math.inf) if isinstance(number, float) else -number,
    "a billionth more": lambda number: number * (1 + 1e-9) if isinstance(number, float) else number * 2,
    "a billionth less": lambda number: number * (1 - 1e-9) if isinstance(number, float) else 0,
}


def moved_numbers(golden, load, step=1):
    """Each number moved, the checksum made again: refused, or the same, or claims derived again that are true."""
    data = json.loads(golden.held)
    places = list(numbers(data))
    assert len(places) >= 10
    for place in places[::step]:
        for name, move in MOVES.items():
            check(golden, load, replaced(data, place, move), (place, name))


def moved_mass(golden, load, step=1):
    """2**-53, 1e-13 or a millionth moved within a row: rows still sum to one, privacy and claims may not hold."""
    data = json.loads(golden.held)
    for x, row in list(enumerate(data["numerators"]))[::step]:
        for y in range(len(row) - 1):
            for unit in (1, -1, 1 << 9, -(1 << 9), 1 << 33, -(1 << 33)):

                def shifted(given, y=y, unit=unit):
                    return [*given[:y], given[y] + unit, given[y + 1] - unit, *given[y + 2 :]]

                check(golden, load, replaced(data, ("numerators", x), shifted), (x, y, unit))


def check(golden, load, data, where):
    found = outcome(golden, json.dumps(sealed(data), indent=1).encode(), load)
    if found is not None and found != golden.made:
        try:
            check_true(golden.kind, found)
        except AssertionError as error:
            raise AssertionError(f"{where}: {error}") from None


CLAUSES = [cut_short, edited_anywhere, moved_numbers, moved_mass]


def test_the_files_themselves_are_true(golden):
    check_true(golden.kind, golden.made)
    made = GOLDEN[golden.seed].design().mechanism
    assert md.load(golden.path) == made or golden.seed.startswith(("loss, a rule", "a rounded"))
    assert md.load(golden.path).save(golden.path.with_name("b.json")).read_bytes() == golden.held or made.certificate


@pytest.mark.thinned(4)
@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_some_variants(clause, golden):
    clause(
        golden, md.load, {"cut_short": 23, "edited_anywhere": 101, "moved_numbers": 7, "moved_mass": 2}[clause.__name__]
    )


@SLOW
@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_every_variant(clause, golden):
    clause(golden, md.load)


def believes_claims(path, patch):
    """Loads what is well-formed, and returns the claims as they stand there."""
    return read(path)[0]


def believes_bounds(path, patch):
    """Derives again and compares, but returns what was claimed, up to a tolerance."""
    patch.setattr(loading, "_check_claims", lambda *_: None)
    made = md.load(path)
    return Mechanism(made.matrix, made.outputs, made.question, read(path)[0].certificate)


def skips_checksums(path, patch):
    patch.setattr(mechanism_file, "sealed", dict)
    return md.load(path)


def skips_privacy(path, patch):
    for kind in (md.LDP, md.LIP):
        patch.setattr(kind, "holds_exactly", lambda *_: True)
    return md.load(path)


def raises_what_comes(path, patch):
    return Mechanism.from_dict(json.loads(Path(path).read_text()))


def mends_the_end(path, patch):
    """Reads as far as it can and closes what is open."""
    text = Path(path).read_text()
    for end in ("", "}", '"}', "\n}"):
        try:
            data = json.loads(text + end)
        except ValueError:
            continue
        Path(path).write_text(json.dumps(sealed(data)))
    return md.load(path)


#: The clause that catches it, a reader with a defect.
DEFECTS = [
    (cut_short, mends_the_end),
    (cut_short, raises_what_comes),
    (edited_anywhere, raises_what_comes),
    (edited_anywhere, skips_checksums),
    (moved_numbers, believes_claims),
    (moved_numbers, believes_bounds),
    (moved_mass, believes_claims),
    (moved_mass, skips_privacy),
]


@pytest.mark.thinned(4)
@pytest.mark.parametrize(("clause", "wrong"), DEFECTS, ids=[f"{c.__name__}-{w.__name__}" for c, w in DEFECTS])
def test_a_lax_reader_is_caught(clause, wrong, tmp_path, monkeypatch):
    golden = opened("squared error, LIP", tmp_path)

    def lax(path):
        with monkeypatch.context() as patch:
            return wrong(path, patch)

    with pytest.raises((AssertionError, ValueError, LookupError, TypeError)) as found:
        clause(golden, lax)
    assert not isinstance(found.value, md.MechdesignError)
