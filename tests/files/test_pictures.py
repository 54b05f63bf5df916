"""Pictures as files: each in the format that its ending says, whole or not at all."""

import shutil

import pytest

import mechdesign as md
from mechdesign import bench
from mechdesign.bench.reporting.page import write_profile
from mechdesign.bench.results import Results
from mechdesign.bench.running.record import Run
from mechdesign.files.pictures import PICTURE, write_picture
from tests.bench.test_exports import solved

STARTS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF", ".pgf": b"%% Creator: Matplotlib"}


def figure():
    return md.plotting.performance_profile({"a": {"1": 1.0, "2": 4.0}, "b": {"1": 2.0, "2": 3.0}})


@pytest.mark.parametrize("ending", PICTURE.suffixes)
def test_the_ending_says_the_format(tmp_path, ending):
    if ending == ".pgf" and shutil.which("xelatex") is None:
        with pytest.raises(md.UnsupportedError, match="needs LaTeX"):
            write_picture(figure(), tmp_path / "a.pgf")
        assert not (tmp_path / "a.pgf").exists()
        return
    path = write_picture(figure(), tmp_path / f"a{ending}")
    assert path.read_bytes().startswith(STARTS[ending])
    # A picture may be drawn again over one, and over nothing else.
    PICTURE.require_place(path, overwrite=False)
    path.write_text("mine")
    with pytest.raises(md.DomainError, match="overwrite"):
        PICTURE.require_place(path, overwrite=False)


@pytest.mark.parametrize("ending", PICTURE.suffixes)
@pytest.mark.parametrize("failure", [RuntimeError("mine"), FileNotFoundError("xelatex")], ids=repr)
def test_only_of_a_pgf_a_failure_is_taken_for_missing_latex(tmp_path, ending, failure):
    class Failing:
        def savefig(self, into, **given):
            assert given == {"format": ending[1:]}
            raise failure

    for name in (f"a{ending}", f"a{ending.upper()}"):
        with pytest.raises(md.UnsupportedError if ending == ".pgf" else type(failure), match=r"LaTeX|mine|xelatex"):
            write_picture(Failing(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_the_profile_of_a_benchmark_is_a_picture_for_a_paper(tmp_path):
    instance = bench.instances("small")[0]
    runs = []
    for solver, seconds in (("a", 1.0), ("b", 3.0)):
        answer = solved(instance)
        score = bench.judged(instance, answer)
        runs.append(
            Run(
                "small",
                instance.name,
                instance.form,
                "linear",
                solver,
                "",
                0.0,
                "answered",
                seconds=(seconds,),
                score=score,
            )
        )
    path = write_profile(Results(tuple(runs)), tmp_path / "profile.pdf")
    assert path.read_bytes().startswith(b"%PDF")
    with pytest.raises(md.UnsupportedError, match="No instance is solved"):
        write_profile(Results(()), tmp_path / "none.pdf")
    with pytest.raises(md.DomainError):
        write_profile(Results(tuple(runs)), tmp_path / "profile.bmp")
