"""Files of solutions that are damaged, hostile or empty: each is named with a reason, and the others are scored."""

import io
import tracemalloc
import warnings
import zipfile

import numpy as np
import pytest

import mechdesign as md
from mechdesign import bench
from mechdesign.bench.exports.scoring import score_folder
from mechdesign.bench.exports.solutions import read_solution
from mechdesign.cli import commands

SMALL = {each.name: each for each in bench.instances("small")}
NAME, GOOD = "ldp-absolute-6-looped", "lip-absolute-10-decisions"
PROGRAM = SMALL[NAME].posed.program
SIZE = len(PROGRAM.cost)
#: Bytes that a bad file may take: what it claims to hold is thousands of times as much.
MOST = 64 << 20
DIGITS = "9" * 5000
SECTION = "# Primal solution values\nFeasible\nObjective 1\n# Columns {}\n{}\n"
WHOLE = "".join(f"x{k} 0.5\n" for k in range(SIZE))

#: Texts that are no solution, and a part of what is said.
TEXTS = {
    "a heading without a number": (SECTION.format("abc", WHOLE), "has abc columns"),
    "a heading of many digits": (SECTION.format(DIGITS, WHOLE), f"and the instance {SIZE}"),
    "a heading alone": (SECTION.format("", WHOLE), f"and the instance {SIZE}"),
    "a column twice": (SECTION.format(SIZE, WHOLE.replace("x1 ", "x0 ", 1)), "names x0 a second time"),
    "a place of many digits": (f"x{DIGITS} 1\n", "the instance has x0 to"),
    "a value of many digits": (f"x0 {DIGITS}\n", "no name with a finite number"),
    "a variable twice": ("x0 1\nx0 2\n", "line 2 names x0 a second time"),
    "a row twice": ("x0 1\nr0 1\nr0 1\n", "line 3 names r0 a second time"),
    "nothing": ("", "names no variable"),
    "blank lines": ("\n \n# a remark\n", "names no variable"),
    "a status alone": ("optimal\n", "names no variable"),
    "glpk, a place of many digits": (f"s bas 222 36 f f 0.5\nj {DIGITS} b 0.5 0\ne o f\n", "the instance has x0 to"),
    "glpk, no place": ("s bas 222 36 f f 0.5\nj one b 0.5 0\ne o f\n", "names xone"),
    "cbc, a place of many digits": (f"Optimal - objective value 0.5\n 0 x{DIGITS} 0.5 0\n", "the instance has x0 to"),
    "too long": ("# " + "a" * (4 << 20), "too many for a solution"),
    "bytes": (b"\xff\xfe\x00", "cannot be read as a solution"),
}


def zipped(**members):
    """Return the bytes of an archive of members that are arrays, or bytes as they are."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members.items():
            archive.writestr(f"{name}.npy", member if isinstance(member, bytes) else dumped(member))
    return held.getvalue()


def dumped(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=True)
    return stream.getvalue()


def claiming(shape):
    """Return an array's bytes whose header claims another shape."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return stream.getvalue() + bytes(80)


def twice():
    held = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(held, "w") as archive:
        warnings.simplefilter("ignore")
        for _ in range(2):
            archive.writestr("x.npy", dumped(np.zeros(SIZE)))
    return held.getvalue()


ARCHIVES = {
    "no zip": (b"no zip", "cannot be read as an npz file"),
    "nothing": (b"", "cannot be read as an npz file"),
    "an array": (dumped(np.zeros(SIZE)), "cannot be read as an npz file"),
    "a cut one": (zipped(x=np.zeros(SIZE))[:-30], "cannot be read as an npz file"),
    "a huge shape": (zipped(x=claiming((10**12,))), "has not the numbers for it"),
    "a shape of 20 digits": (zipped(x=claiming((10**20, 10**20))), "has not the numbers for it"),
    "a bomb": (zipped(x=np.zeros(10**7)), "has not the numbers for it"),
    "objects": (zipped(x=np.array([None] * SIZE)), "cannot be read as an npz file"),
    "no array": (zipped(x=b"text"), "cannot be read as an npz file"),
    "x twice": (twice(), "has x.npy twice"),
    "iterations that are none": (zipped(x=np.zeros(SIZE), iterations=np.zeros(3)), "cannot be read as an npz file"),
    "iterations of many digits": (zipped(x=np.zeros(SIZE), iterations=np.array(DIGITS)), "cannot be read as an npz"),
    "another status": (zipped(x=np.zeros(SIZE), status=np.array("done")), "status is done"),
    "another shape": (zipped(x=np.zeros(3)), "of shape"),
}
FILES = {f"{name} as text": (".sol", *held) for name, held in TEXTS.items()}
FILES |= {f"{name} as npz": (".npz", *held) for name, held in ARCHIVES.items()}


def put(path, held):
    path.write_bytes(held if isinstance(held, bytes) else held.encode())


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_named_and_takes_no_memory(name, tmp_path):
    suffix, held, said = FILES[name]
    put(tmp_path / f"{NAME}{suffix}", held)
    (tmp_path / f"{GOOD}.txt").write_text("x0 0.5\n")
    tracemalloc.start()
    try:
        with pytest.warns(md.FileWarning, match=rf"solution of {NAME} is not scored"):
            bad, good = score_folder([SMALL[NAME], SMALL[GOOD]], "small", tmp_path, "x").runs
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()
    assert bad.outcome == "malformed" and said in bad.why and len(bad.why) < 400
    assert good.outcome == "answered" and good.score is not None


def test_the_command_goes_on_and_its_exit_code_tells(tmp_path, capsys):
    def score():
        with pytest.raises(SystemExit) as left:
            commands.main(["bench", "score", str(tmp_path)])
        return int(left.value.code or 0), capsys.readouterr()

    (tmp_path / f"{GOOD}.txt").write_text("x0 0.5\n")
    assert score()[0] == 0
    (tmp_path / f"{NAME}.npz").write_bytes(b"no zip")
    code, printed = score()
    assert code == 1 and f"{NAME} is not scored" in printed.err and "solver" in printed.out


def test_whoever_says_that_there_is_no_solution_names_no_variable(tmp_path):
    path = tmp_path / "a.sol"
    path.write_text("infeasible\n")
    assert read_solution(path, PROGRAM).x is None and read_solution(path, PROGRAM).status == "infeasible"
