"""A mechanism file, read strictly: it holds to the last digit and type what saving the mechanism would write."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mechdesign.errors import CertificateError, DomainError, OtherFileError
from mechdesign.files.checksums import sealed
from mechdesign.files.strict_json import NotStrictError, difference, parsed
from mechdesign.mechanism.implicit import ImplicitMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.plain_data import (
    IN_TREES,
    READABLE_VERSIONS,
    SCHEMA,
    WITHOUT_MATRIX,
    WRITTEN,
)
from mechdesign.question.members_by_name import UnknownMemberError
from mechdesign.question.plain_values import in_json

#: The parts of a question; what its problem, notion and objective may hold, the catalogue says.
QUESTION_PARTS = {"problem", "notion", "objective", "outputs"}


def read(path: str | Path, own: Sequence[type] = ()) -> tuple[Mechanism, int]:
    """Return the mechanism in a file and the version of its schema; its claims are not yet derived again.

    A file of the present version has to be what `Mechanism.save` would write of what was read, part by part and type by
    type. Older versions may have infinite numbers as such, whole numbers for floats, and lack what came later.

    Raises
    ------
    DomainError
        There is no such file, or it cannot be read.
    CertificateError
        The file is truncated, edited or damaged, or has a part that saving would not write.
    """
    data = _data(path)
    version = data.get("schema_version")
    if type(version) is not int or version not in READABLE_VERSIONS:
        raise CertificateError(
            f"{path} has schema version {version!r:.40}, this mechdesign reads those up to {max(READABLE_VERSIONS)}; "
            "upgrade, or design the mechanism again."
        )
    if sealed(data)["checksum"] != data.get("checksum"):
        raise CertificateError(
            f"{path} was edited or damaged: its checksum does not match; design the mechanism again."
        )
    try:
        kind = ImplicitMechanism if version == WITHOUT_MATRIX else Mechanism
        made = kind.from_dict(data, own)
        wrong = _difference(data, made, version)
    except UnknownMemberError as error:
        name = error.value
        raise CertificateError(
            f"{path} has the {error.argument} {name!r:.80}, which is not in the catalogue; if it is a class of your "
            f"own, md.load(path, members=[{name:.80}]) reads the file, and --members MODULE on the command line."
        ) from None
    except (KeyError, TypeError, ValueError, ArithmeticError, IndexError, AttributeError) as error:
        raise CertificateError(
            f"{path} lacks a part or holds a wrong one ({error}); design the mechanism again."
        ) from None
    if wrong is not None:
        raise CertificateError(f"{path} lacks a part or holds a wrong one ({wrong}); design the mechanism again.")
    return made, version


def _data(path: str | Path) -> dict[str, Any]:
    """Return the data of the file at `path`."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        rule = f"it cannot be read ({error.strerror})"
        raise DomainError("path", str(path), rule, "check the path") from None
    except UnicodeDecodeError:
        raise OtherFileError(f"{path} is no mechanism file but binary; mechdesign design writes one.") from None
    except TypeError:
        raise DomainError("path", path, "it has to be a path", "give a text or a pathlib.Path") from None
    except ValueError as error:
        raise DomainError("path", ascii(str(path)), f"it is no path ({error})", "check it") from None
    try:
        data = parsed(text)
    except NotStrictError as error:
        raise CertificateError(f"{path} is no mechanism file: {error}; design the mechanism again.") from None
    except json.JSONDecodeError as error:
        if not _starts_as_one(text):
            raise OtherFileError(f"{path} is no mechanism file; mechdesign design writes one.") from None
        where = f"line {error.lineno}: {error.msg}"
        raise CertificateError(
            f"{path} is no mechanism file, or a cut one ({where}); mechdesign design writes one."
        ) from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise OtherFileError(f"{path} is no mechanism file; mechdesign design writes one.")
    return data


def _starts_as_one(text: str) -> bool:
    """Return whether a text starts as a mechanism file, of which the rest may be missing."""
    start, wanted = "".join(text[:200].split()), "".join(f'{{"schema":"{SCHEMA}"'.split())
    return start.startswith(wanted) or wanted.startswith(start)


def _difference(data: dict[str, Any], made: Mechanism, version: int) -> str | None:
    """Return where the file's data differs from what saving the mechanism would write; None where it does not."""
    wanted = in_json({**made.to_dict(), "schema_version": version, "checksum": data["checksum"]})
    if version in WRITTEN:
        return _infinite(data) or difference(data, wanted)
    for name in set(data["question"]) - QUESTION_PARTS:
        return f"question has {name!r:.40}, which is no part of it"
    # Members of the catalogue may have written their parameters otherwise; what they are now was checked on the way.
    wanted["question"] = in_json(data["question"])
    if version == 2:
        for name in IN_TREES:
            wanted["multipliers"].pop(name)
    return difference(in_json(data), wanted, lax=True)


def _infinite(data: Any) -> str | None:
    """Return a clause if some number is infinite, be it written as a word or as 1e999; None otherwise."""
    entries = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    if isinstance(data, float) and not math.isfinite(data):
        return "it has an infinite number that is no text"
    return next((said for said in map(_infinite, entries) if said is not None), None)
