"""Pages of the benchmark's instances: one for each set, a section for each instance."""

from __future__ import annotations

from collections.abc import Iterator

from mechdesign import bench

#: What the pages are listed by.
FOLDER = "benchmark"


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page: the sets, the forms, and the page that lists them."""
    for name in bench.SETS:
        yield name, _set(name)
    yield "forms", _forms()
    listed = "\n".join(f"- [{name}]({name}.md): {len(bench.instances(name))} instances" for name in bench.SETS)
    names = "\n".join(["forms", *bench.SETS])
    about = "[Benchmark a solver](../../how-to/benchmark-a-solver.md) has what they are for."
    tree = f"```{{toctree}}\n:hidden:\n\n{names}\n```"
    yield "index", f"# Instances\n\n{about} The [forms](forms.md), and by set:\n\n{listed}\n\n{tree}\n"


def _forms() -> str:
    sections = (f"## {form.name}\n\n{form.words}\n\n    {form.formula}\n" for form in bench.FORMS.values())
    return "# Forms of a question as a program\n\n" + "\n".join(sections)


def _set(name: str) -> str:
    return f"# The set {name}\n\n" + "\n".join(_instance(each) for each in bench.instances(name))


def _instance(instance: bench.Instance) -> str:
    """Return a section: the question in words, the form, the certified optimum, the program's numbers."""
    # Priors are drawn, not estimated.
    words = " ".join(line for line in instance.question.sentences() if not line.startswith("Prior:"))
    optimum, sizes = instance.optimum, instance.sizes()
    # Large programs are not kept.
    vars(instance).pop("posed", None)
    why = f" What makes it hard: {instance.why}." if instance.why else ""
    how = "proved" if optimum.proved else "certified"
    rows = "".join(f"| {what} | {number:.6g} |\n" for what, number in sizes.items())
    return (
        f"## {instance.name}\n\n{_plain(words)}{_plain(why)} Form: [{instance.form}](forms.md).\n\n"
        f"| | |\n|---|---|\n| certified value | {optimum.value!r} |\n| {how} bound | {optimum.bound!r} |\n{rows}"
    )


def _plain(text: str) -> str:
    """Return text that Markdown takes as it is."""
    return "".join(f"\\{letter}" if letter in "_*[]<>`$|" else letter for letter in text)
