"""The unrelated question: a random device chooses between the sensitive question and a harmless one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mechdesign.baselines.survey_designs.instructed import ATTRIBUTE, instructed, probability
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.problem import Problem

#: Who has the sensitive attribute and would say yes to the harmless question, in the design of two samples.
PAIRS = tuple(f"{sensitive}, {harmless}" for sensitive in ATTRIBUTE for harmless in ATTRIBUTE)


def unrelated_question(p: Any, prevalence: Any = None, *, first: Any = "1/2") -> Mechanism:
    r"""Return the unrelated-question design: ``Pr("yes" | yes) = p + (1 - p) u``, ``Pr("yes" | no) = (1 - p) u``.

    Instruction: *Draw a ball, unseen. If it is red (probability p), answer: have you done it? Otherwise answer: were
    you born in November?* Here u is the share of people who are born in November.

    With a share ``s`` of "yes" the estimate is ``(s - (1 - p) u) / p``, with variance ``s (1 - s) / p^2`` a report. The
    level of LDP is ``ln(max(1 + p / ((1 - p) u), 1 + p / ((1 - p) (1 - u))))`` nats.

    If the share of the harmless attribute is not known, two samples with different p estimate both: give the pair.
    Inputs are then who has either attribute, and outputs say the sample too; the reports identify the shares of both
    attributes, not how they go together: ``estimate.functional([1, 1, 0, 0])`` is the sensitive one.

    Parameters
    ----------
    p : float, Fraction or str; or a pair
        The probability of the sensitive question, from 0 to 1; of two samples a pair.
    prevalence : float, Fraction or str, optional
        The share u of people with the harmless attribute, from 0 to 1; of a single sample.
    first : float, Fraction or str
        The probability that a person is in the first of two samples.

    Returns
    -------
    Mechanism
        Inputs "yes" and "no", outputs "yes" and "no". Of two samples inputs "yes, yes" to "no, no" (the sensitive
        attribute, then the harmless one) and outputs "1: yes" to "2: no".

    Raises
    ------
    DomainError
        What is no probability; a prevalence beside a pair, or none beside a number; equal probabilities of a pair.

    References
    ----------
    B. G. Greenberg, A.-L. A. Abul-Ela, W. R. Simmons, D. G. Horvitz, "The Unrelated Question Randomized Response Model:
    Theoretical Framework", Journal of the American Statistical Association 64 (1969).

    Examples
    --------
    >>> import mechdesign as md
    >>> ball = md.baselines.unrelated_question("7/10", "1/12")
    >>> round(float(ball.estimate({"yes": 165, "no": 835}).frequencies[0]), 6)
    0.2
    >>> pair = md.baselines.unrelated_question(("7/10", "3/10"))
    >>> counts = {"1: yes": 155, "1: no": 345, "2: yes": 95, "2: no": 405}
    >>> round(float(pair.estimate(counts).functional([1, 1, 0, 0])), 6)
    0.4
    """
    if isinstance(p, Sequence) and not isinstance(p, str):
        return _of_two_samples(p, prevalence, first)
    if prevalence is None:
        rule = "one sample does not separate the two attributes"
        remedy = "give the share of people with the harmless attribute, or a pair of p for two samples"
        raise DomainError("prevalence", None, rule, remedy)
    asked, harmless = probability("p", p), probability("prevalence", prevalence)
    by_chance = (1 - asked) * harmless
    return instructed([[asked + by_chance, 1 - asked - by_chance], [by_chance, 1 - by_chance]], ATTRIBUTE)


def _of_two_samples(p: Sequence[Any], prevalence: Any, first: Any) -> Mechanism:
    if prevalence is not None:
        rule = "two samples estimate it"
        raise DomainError("prevalence", prevalence, rule, "leave it out, or give one p")
    if len(p) != 2:
        raise DomainError("p", f"of length {len(p)}", "there are two samples", "give one number, or a pair")
    chances = [probability(f"p[{k}]", each) for k, each in enumerate(p)]
    if chances[0] == chances[1]:
        raise DomainError("p", p, "samples alike do not separate the two attributes", "give two numbers")
    share = probability("first", first)
    rows: list[list[Fraction]] = []
    for sensitive in (1, 0):
        for harmless in (1, 0):
            yes = [asked * sensitive + (1 - asked) * harmless for asked in chances]
            rows.append([share * yes[0], share * (1 - yes[0]), (1 - share) * yes[1], (1 - share) * (1 - yes[1])])
    outputs = [f"{sample}: {answer}" for sample in (1, 2) for answer in ATTRIBUTE]
    return instructed(rows, outputs, Problem(labels=PAIRS))
