"""Computes the verdict on a theorem from what its checks came to."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from mechdesign.referee.judge import Finding, Judge
from mechdesign.referee.points import QUICK, THOROUGH, Effort, plan
from mechdesign.theorems.base import Condition, Formula, Theorem, met
from mechdesign.theorems.family import Point
from mechdesign.tolerances import REFEREE_ROUNDING

Verdict = Literal["holds", "holds under a narrower condition", "misprinted", "false", "not checkable", "inconclusive"]
VERDICTS: tuple[str, ...] = get_args(Verdict)

#: What a remark says of a condition that is stronger than it needs to be.
NOT_SHARP = "is true but not sharp"
#: Attempts at a simpler counterexample.
MOST_SIMPLER = 150


@dataclass(frozen=True)
class Tried:
    """A point and what the checks came to there."""

    point: Point
    findings: tuple[Finding, ...]

    @property
    def failed(self) -> bool:
        """Whether a check failed."""
        return any(finding.failed for finding in self.findings)

    @property
    def undecided(self) -> bool:
        """Whether no check failed, but one could not be decided."""
        return not self.failed and any(finding.status == "undecided" for finding in self.findings)

    @property
    def excess(self) -> float:
        """The largest violation, or what rounding left."""
        return max((finding.excess for finding in self.findings), default=0.0)

    def described(self) -> str:
        """Return the point and the first check that failed there."""
        failure = next(finding for finding in self.findings if finding.failed)
        return f"{self.point.described()}: {failure.what}"


@dataclass(frozen=True)
class Ruling:
    """The verdict on a theorem, with its grounds."""

    verdict: Verdict
    #: Where the print holds, or of a misprint its correction, in words; empty where it does on all of its domain, or
    #: nowhere.
    condition: str
    counterexample: str
    #: At how many points of the claimed domain the print was tried.
    points: int
    #: The largest relative deviation where it is said to hold; for a false claim, the largest violation.
    worst: float
    #: Whether a correction was found to hold, on its own domain.
    corrected: bool
    #: Whether a failure was found outside the claimed domain; None where no point lies there.
    fails_outside: bool | None
    #: Of the narrower condition: that it is too wide, or true but not sharp; empty where it is sharp, or there is none.
    remark: str = ""


def referee(theorem: Theorem, *, thorough: bool = False, seed: int = 0) -> Ruling:
    """Return the verdict on a theorem.

    First match: no failure in the claimed domain, then it holds; a stated part of it that has no failure, with failures
    next to the edge of each condition, then it holds under a narrower condition; a correction of the same expression
    that holds on the same domain, or on a stated part of it with failures next to the edge of each condition, then it
    is misprinted; otherwise it is false, also where the correction is another formula. Where checks stay undecided and
    none fails, it is inconclusive. The remark distinguishes a narrower condition that is true but not sharp (no failure
    was found next to its edge: it does not say where the claim ends) from one that is too wide (it contains a
    counterexample).
    """
    return hearing(theorem, thorough=thorough, seed=seed).ruling()


def hearing(theorem: Theorem, *, thorough: bool = False, seed: int = 0) -> Hearing:
    """Return the theorem with its points drawn: the same ones for the same seed, whichever other claims are tried."""
    rng = np.random.default_rng([seed, zlib.crc32(theorem.key.encode())])
    return Hearing(theorem, rng, THOROUGH if thorough else QUICK)


class Hearing:
    """One theorem before the referee."""

    def __init__(self, theorem: Theorem, rng: np.random.Generator, effort: Effort) -> None:
        self.theorem = theorem
        self.judge = Judge()
        self.plan = plan(theorem, rng, effort)

    def ruling(self) -> Ruling:
        """Return the verdict with its grounds."""
        theorem = self.theorem
        claimed = self.tried(self.plan.claimed, theorem.printed)
        outside = self.tried(self.plan.outside, theorem.printed)
        fails_outside = any(tried.failed for tried in outside) if outside else None
        mended = self.corrected()
        corrected = bool(mended) and not any(tried.failed or tried.undecided for tried in mended)

        words = " and ".join(map(str, theorem.narrower))

        def made(
            verdict: Verdict, grounds: Iterable[Tried], condition: str = "", against: str = "", remark: str = ""
        ) -> Ruling:
            worst = max((tried.excess for tried in grounds), default=0.0)
            return Ruling(verdict, condition, against, len(claimed), worst, corrected, fails_outside, remark)

        failed = [tried for tried in claimed if tried.failed]
        if not failed:
            needless = f"the condition {words} is not needed: no failure was found outside of it" if words else ""
            undecided = any(tried.undecided for tried in claimed)
            return made("inconclusive" if undecided else "holds", claimed, remark=needless)
        within = [tried for tried in claimed if words and met(theorem.narrower, self.subject(tried.point))]
        inner = [tried for tried in within if tried.failed]
        against = self.counterexample(inner or failed, theorem.narrower if inner else ())
        remark = f"the condition {words} is too wide: it fails inside" if inner else ""
        if within and not inner:
            if all(self.is_sharp(beyond, theorem.printed) for beyond in self.plan.beyond):
                undecided = any(tried.undecided for tried in within)
                return made("inconclusive" if undecided else "holds under a narrower condition", within, words, against)
            remark = f"the condition {words} {NOT_SHARP}: no failure was found next to its edge"
        if mended and not theorem.is_another and not any(tried.failed for tried in mended):
            assert theorem.corrected is not None, "what was mended is of the correction"
            part = " and ".join(map(str, theorem.corrected_domain))
            if all(self.is_sharp(beyond, theorem.corrected) for beyond in self.plan.beyond_correction):
                return made("misprinted" if corrected else "inconclusive", mended, part, against)
            remark = remark or f"the correction's domain {part} {NOT_SHARP}: no failure was found next to it"
        return made("false", failed, "", against, remark)

    def corrected(self) -> list[Tried]:
        """Return the results of the corrected formula's checks on its domain; empty where there is no correction."""
        formula = self.theorem.corrected
        if formula is None:
            return []
        domain = self.theorem.corrected_domain
        return self.tried((point for point in self.plan.claimed if met(domain, self.subject(point))), formula)

    def is_sharp(self, beyond: Iterable[Point], formula: Formula) -> bool:
        """Return whether a formula fails at half of the points beyond a condition's edge, at least.

        A condition is informative only if the claim fails as soon as it is left.
        """
        failed = [tried.failed for tried in self.tried(beyond, formula)]
        return any(failed) and 2 * sum(failed) >= len(failed)

    def fails(self) -> bool:
        """Return whether the print fails somewhere in its claimed domain; stops at the first failure."""
        return any(self.at(point, self.theorem.printed).failed for point in self.plan.claimed)

    def subject(self, point: Point) -> Any:
        """Return the argument of the formulas at a point."""
        return self.theorem.family.subject(point)

    def tried(self, points: Iterable[Point], formula: Formula) -> list[Tried]:
        """Return the results of the checks at each point."""
        return [self.at(point, formula) for point in points]

    def at(self, point: Point, formula: Formula) -> Tried:
        """Return the results of the checks at a point; a formula that has no value there fails."""
        subject = self.subject(point)
        try:
            with np.errstate(all="ignore"):
                checks = tuple(self.theorem.test(subject, formula(subject)))
        except ArithmeticError as error:
            return Tried(point, (Finding("failed", math.inf, f"the formula has no value: {error}"),))
        return Tried(point, self.judge.findings(checks))

    def counterexample(self, failed: list[Tried], inside: tuple[Condition, ...] = ()) -> str:
        """Return the plainest counterexample that is found from the smallest clear one, inside of these conditions."""
        clear = min(max(_apart(tried) for tried in failed), 1e4 * REFEREE_ROUNDING)
        sizes = self.theorem.family.sizes
        # Of the clear ones one of the least sizes: what is cut down to fewer inputs need not fail any more.
        # Points that mirror each other differ in their last digits: the first of them is taken on every machine.
        best = min(
            (t for t in failed if _apart(t) >= clear), key=lambda t: (sizes(t.point), -round(min(_apart(t), 1.0), 9))
        )
        for _ in range(MOST_SIMPLER):
            plainer = self._simpler(best, clear, inside)
            if plainer is None:
                break
            best = plainer
        return best.described()

    def _simpler(self, tried: Tried, clear: float, inside: tuple[Condition, ...]) -> Tried | None:
        for point in self.theorem.family.simpler(tried.point):
            subject = self.subject(point)
            if met((*self.theorem.claimed, *inside), subject):
                found = self.at(point, self.theorem.printed)
                if found.failed and _apart(found) >= clear:
                    return found
        return None


def _apart(tried: Tried) -> float:
    """Return the excess, 0 where it is rounding: what is equal where more is claimed fails alike on every machine."""
    return tried.excess if tried.excess > REFEREE_ROUNDING else 0.0
