"""A question as a TOML file beside its table of counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from mechdesign.cli.answers import read_records
from mechdesign.cli.counts import read_counts, read_joint
from mechdesign.cli.toml_file import TomlFile
from mechdesign.designing.settings import Settings, all_but
from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.question.members_by_name import (
    UnknownMemberError,
    by_any_name,
    members,
    notion_from_dict,
    objective_from_dict,
    own_members,
)
from mechdesign.solve.solvers.catalogue import SOLVERS, solver_name

#: The keywords of `design` that a file can give: all but those whose values are Python's own (functions, theorems).
SOLVE_KEYS = all_but("subject_to", "theorems")
#: What of a secret behind the data can be given, as the keywords of `Problem.hidden` or as a table of counts.
_HIDDEN = ("joint", "secret_given_data", "data_given_secret", "secret_prior", "secret_labels")
#: The keys that describe a file of answers, one for each person.
_RECORDS = ("records", "column", "bins", "by", "missing", "drop_missing")
_OTHERS = ("prior_source", *_HIDDEN)
#: The keys of real numbers.
_INTERVAL = ("interval", "points", "prior")
#: The keys of the sections that are not a member of the catalogue.
KEYS = {
    "problem": (
        *("data", "label", "value", "count", *_RECORDS, "smoothing"),
        *("prior", "values", "labels", "n", *_INTERVAL[:2]),
        *_OTHERS,
    ),
    "solve": SOLVE_KEYS,
    "output": ("path",),
}
#: What the sections of members name.
KINDS: dict[str, type] = {"notion": Notion, "objective": Objective}
Made = TypeVar("Made")
SECTIONS = ("problem", "notion", "objective", "solve", "output")
_INLINE = ("prior", "values", "labels", "n")
_COLUMNS = ("label", "value", "count")
_WORDS = ("route", "solver", "prior_source", "data", "joint", "path", "records", "column", "by", *_COLUMNS)
_SWITCHES = ("verbose", "solver_verbose", "proof", "drop_missing")


@dataclass(frozen=True)
class QuestionFile:
    """What a question file says: the question, the keywords of `design`, and where the mechanism goes."""

    question: Question
    solve: dict[str, Any]
    output: Path


def read_question(path: str | Path, own: Sequence[type] = ()) -> QuestionFile:
    """Return the question of a file, each key checked; nothing is guessed or normalised silently.

    Parameters
    ----------
    path : str or Path
        A TOML file with the sections ``[problem]``, ``[notion]``, ``[objective]`` and, if wanted, ``[solve]`` and
        ``[output]``. Paths in it are relative to it and stay in its folder; the mechanism goes to the working folder
        unless ``[output] path`` says otherwise.
    own : sequence of type
        Classes of notions and objectives of one's own that the file may name: it never names code by itself.

    Raises
    ------
    DomainError
        With the file and the line: a file that is missing or no TOML, an unknown section, key or name, a key in the
        wrong section, a value outside its domain, a table of counts that is missing or broken.

    Examples
    --------
    >>> import tempfile
    >>> text = '''
    ... [problem]
    ... prior = [0.5, 0.5]
    ... [notion]
    ... name = "LDP"
    ... epsilom = 1.0
    ... [objective]
    ... name = "ExpectedLoss"
    ... loss = [[0, 1], [1, 0]]
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "coin.toml")
    ...     _ = file.write_text(text)
    ...     read_question(file)
    Traceback (most recent call last):
        ...
    mechdesign.errors.DomainError: coin.toml line 6, [notion] epsilom is 1.0, but LDP has no such parameter; \
did you mean "epsilon"? (one of epsilon).
    """
    return _Reader(Path(path), own_members("own", own)).read()


class _Reader:
    """Reads one file, and knows the line of each key for its complaints."""

    def __init__(self, path: Path, own: Sequence[type]) -> None:
        self.path, self.own = path, own
        self.folder = path.resolve().parent
        file = TomlFile(path)
        self.tables, self._place = file.tables, file.place
        self._check_sections()

    def read(self) -> QuestionFile:
        """Return the file's contents."""
        problem = self._problem()
        notion = self._member("notion", notion_from_dict)
        objective = self._member("objective", objective_from_dict)
        # What a design would refuse of the two together is refused here, where the line is known.
        self._made("objective", lambda: objective.check(notion.inputs(problem)))
        solve = self._solve()
        return QuestionFile(Question(problem, notion, objective, solve.get("outputs")), solve, self._output())

    def _check_sections(self) -> None:
        for name, table in self.tables.items():
            if name not in SECTIONS:
                remedy = nearest(name, SECTIONS) if isinstance(table, dict) else "put it under its section"
                raise DomainError(self._place(None, name), table, "the file has no such section or key here", remedy)
            if not isinstance(table, dict):
                raise DomainError(self._place(None, name), table, "it has to be a section", f"write [{name}]")
        for name in SECTIONS[:3]:
            if name not in self.tables:
                raise DomainError(self.path.name, f"without [{name}]", "the section is needed", f"add [{name}]")
        for name in SECTIONS:
            # Which parameters an unknown member has is not known either: its name is what is wrong.
            if not self._is_unknown(name):
                for key, value in self.tables.get(name, {}).items():
                    self._check_key(name, key, value)

    def _is_unknown(self, section: str) -> bool:
        """Return whether a section names a member that is neither in the catalogue nor one's own."""
        name = self.tables.get(section, {}).get("name")
        return section in KINDS and isinstance(name, str) and name not in by_any_name(KINDS[section], self.own)

    def _check_key(self, section: str, key: str, value: Any) -> None:
        known = _keys(section, self.own)
        homes = [name for name in SECTIONS if key in _keys(name, self.own)]
        if section in KEYS and key in known:
            self._check_type(section, key, value)
        elif key not in known and (homes or section in KEYS):
            # Of a parameter that no section knows, the catalogue says which it might be.
            remedy = f"move it to [{homes[0]}]" if homes else nearest(key, known)
            if key == "subject_to":
                remedy = "call mechdesign.design from Python for constraints of your own"
            raise DomainError(self._place(section, key), value, f"[{section}] has no such key", remedy)

    def _check_type(self, section: str, key: str, value: Any) -> None:
        several = key == "solver" and isinstance(value, list) and value and all(isinstance(v, str) for v in value)
        # The prior of an interval is a word, which `Problem.from_interval` checks.
        interval = {"prior"} if "interval" in self.tables.get(section, {}) else set()
        if key in _WORDS and not isinstance(value, str) and not several:
            rule, remedy = "it has to be a text", "put it in quotes"
        elif key in _SWITCHES and not isinstance(value, bool):
            rule, remedy = "it has to be true or false", "write one of them"
        elif key in {"n", "outputs", "points", "threads"} and (
            not isinstance(value, int) or isinstance(value, bool) or value < 1
        ):
            rule, remedy = "it has to be a positive whole number", "correct it"
        elif key == "missing" and not (isinstance(value, str) or (isinstance(value, list) and value)):
            rule, remedy = "it has to be a text, or a list of them", 'write ["NA", ""]'
        elif key == "bins" and (not isinstance(value, int | list) or isinstance(value, bool)):
            rule, remedy = "it has to be how many, or a list of edges", "write 10, or [18, 25, 40, 65]"
        elif key in {"gap", "within", "time_limit", "memory_limit", "smoothing"} and (
            not isinstance(value, int | float) or isinstance(value, bool)
        ):
            rule, remedy = "it has to be a number", "correct it"
        elif key in _HIDDEN[1:] and not isinstance(value, list):
            rule, remedy = "it has to be a list with an entry or a row for each secret", "write it in brackets"
        elif key == "interval" and not (isinstance(value, list) and len(value) == 2):
            rule, remedy = "it has to be the two ends of an interval", "write [0, 100]"
        elif key in {"prior", "values", "labels"} - interval and not isinstance(value, list):
            rule, remedy = "it has to be a list with an entry for each input", "write it in brackets"
        else:
            return
        raise DomainError(self._place(section, key), value, rule, remedy)

    def _problem(self) -> Problem:
        """Return the problem, with its secret if that is not the datum itself."""
        table = dict(self.tables["problem"])
        hidden = {key: table.pop(key) for key in _HIDDEN if key in table}
        if "joint" in hidden:
            return self._joint(table, hidden)
        problem = self._of_data(table, follows="data_given_secret" in hidden)
        return self._made("problem", lambda: problem.hidden(**hidden)) if hidden else problem

    def _joint(self, table: dict[str, Any], hidden: dict[str, Any]) -> Problem:
        """Return the problem of a joint table of counts, whose rows are secrets and whose columns are data."""
        for key in (*table, *hidden):
            if key not in {"joint", "values", "prior_source"}:
                rule = "the joint table already gives it"
                shown = {**table, **hidden}[key]
                raise DomainError(self._place("problem", key), shown, rule, "leave out one of the two")
        data = self._file("joint")
        read = read_joint(data)
        return self._made("problem", lambda: replace(read, **table))

    def _file(self, key: str) -> Path:
        """Return the table that a key of the problem names, which has to be there."""
        data = self._inside("problem", key)
        if not data.is_file():
            given, rule = self.tables["problem"][key], f"there is no such file in {self.folder}"
            raise DomainError(self._place("problem", key), given, rule, "correct it")
        return data

    def _of_data(self, table: dict[str, Any], follows: bool) -> Problem:
        """Return the problem of the data alone; with `follows` the prior may follow from the secret's."""
        if follows and not any(key in table for key in ("data", *_INLINE)):
            table["n"] = len(next(iter(self.tables["problem"]["data_given_secret"]), ()))
        if "interval" in table:
            return self._of_interval(table)
        self._refuse(table, ("points",), "it is how many points an interval has", "add interval = [low, high]")
        if "records" in table:
            return self._of_records(table)
        self._refuse(table, _RECORDS[1:], "it speaks of a file of answers", "add records, the file's name")
        if "data" not in table:
            self._refuse(table, _COLUMNS, "it names a column of a table of counts", "add data, the table's file")
            self._refuse(table, ("smoothing",), "it is added to counts", "add data or records, the file of them")
            return self._made("problem", lambda: Problem(**table))
        self._refuse(table, _INLINE, "the table of counts already gives it", "leave out one of the two")
        if "count" not in table:
            rule = "it needs the name of the column that holds the counts"
            raise DomainError(self._place("problem", "data"), table["data"], rule, "add count")
        data = self._file("data")
        asked = {key: table[key] for key in ("label", "value", "smoothing", "prior_source") if key in table}
        with self._placed("smoothing"):
            return read_counts(data, table["count"], **asked)

    def _refuse(self, table: dict[str, Any], keys: Sequence[str], rule: str, remedy: str) -> None:
        """Raise where the problem has one of these keys."""
        for key in keys:
            if key in table:
                raise DomainError(self._place("problem", key), table[key], rule, remedy)

    def _of_interval(self, table: dict[str, Any]) -> Problem:
        """Return the problem of the real numbers of an interval."""
        for key, value in table.items():
            if key not in _INTERVAL:
                remedy = "leave out one of the two"
                raise DomainError(self._place("problem", key), value, "an interval has numbers alone", remedy)
        low, high = table["interval"]
        return self._made("problem", lambda: Problem.from_interval(low, high, table.get("points"), table.get("prior")))

    def _of_records(self, table: dict[str, Any]) -> Problem:
        """Return the problem of a column of answers."""
        given = ("data", *_COLUMNS, *(key for key in _INLINE if key != "values"))
        self._refuse(table, given, "the file of answers already gives it", "leave out one of the two")
        if "column" not in table:
            rule = "it needs the name of the column that holds the answers"
            raise DomainError(self._place("problem", "records"), table["records"], rule, "add column")
        data, asked = (
            self._file("records"),
            {key: table[key] for key in (*_RECORDS[2:], "smoothing", "values") if key in table},
        )
        # What the table of answers is blamed for has its own line.
        with self._placed(*_RECORDS, "smoothing", "values"):
            return read_records(data, table["column"], prior_source=table.get("prior_source"), **asked)

    @contextmanager
    def _placed(self, *keys: str) -> Iterator[None]:
        """Give complaints about these keys of the problem their place in this file."""
        try:
            yield
        except DomainError as error:
            if error.argument.split("[")[0] not in keys:
                raise
            place = self._place("problem", error.argument)
            raise DomainError(place, error.value, error.rule, error.remedy) from None

    def _member(self, section: str, make: Callable[..., Any]) -> Any:
        table = self.tables[section]
        if not isinstance(table.get("name"), str):
            remedy = f"mechdesign {section}s lists them"
            raise DomainError(self._place(section, "name"), table.get("name", "missing"), "it has to be a name", remedy)
        return self._made(section, lambda: make(table, section, self.own))

    def _made(self, section: str, make: Callable[[], Made]) -> Made:
        """Return ``make()``; a DomainError that it raises names the place in this file."""
        try:
            return make()
        except DomainError as error:
            argument = error.argument.removeprefix(f"{section}.")
            place = self._place(section, "name" if argument == section else argument)
            own = isinstance(error, UnknownMemberError)
            remedy = f"{error.remedy}, or add --members MODULE for a class of your own" if own else error.remedy
            raise DomainError(place, error.value, error.rule, remedy) from None

    def _solve(self) -> dict[str, Any]:
        table = dict(self.tables.get("solve", {}))
        # What `design` would refuse is refused here, where the line is known.
        self._made("solve", partial(Settings, **table))
        given = table.get("solver", [])
        for name in [given] if isinstance(given, str) else given:
            # One that is known but not installed is missed where it is needed.
            if name.upper() not in SOLVERS:
                self._made("solve", partial(solver_name, name))
        return table

    def _output(self) -> Path:
        if "path" not in self.tables.get("output", {}):
            return Path(f"{self.path.stem}.mechanism.json")
        return self._inside("output", "path")

    def _inside(self, section: str, key: str) -> Path:
        given: str = self.tables[section][key]
        if "\0" in given:
            raise DomainError(self._place(section, key), given, "no path has the character U+0000", "leave it out")
        target = (self.folder / given).resolve()
        if Path(given).is_absolute() or not target.is_relative_to(self.folder) or target == self.folder:
            rule = "it has to be a file in the folder of the question file or below it"
            raise DomainError(self._place(section, key), given, rule, "give a path relative to the question file")
        return target


def _keys(section: str, own: Sequence[type] = ()) -> tuple[str, ...]:
    """Return the keys that a section may have; in a section of the catalogue, the keys of any member."""
    if section in KEYS:
        return KEYS[section]
    room = members(KINDS[section], own).values()
    parts = ("parts",) if section == "notion" else ()
    return ("name", *parts, *{field.name: None for member in room for field in fields(member)})
