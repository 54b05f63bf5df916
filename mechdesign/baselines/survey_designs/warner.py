"""Warner's design: a random device chooses whether the sensitive statement or its negation is answered."""

from __future__ import annotations

from typing import Any

from mechdesign.baselines.survey_designs.instructed import ATTRIBUTE, instructed, probability
from mechdesign.mechanism import Mechanism


def warner(p: Any) -> Mechanism:
    r"""Return Warner's randomised response: ``Pr("yes" | yes) = p``, ``Pr("yes" | no) = 1 - p``.

    Instruction: *Spin the spinner, unseen. If it stops in the red part (probability p), say whether you have done it;
    otherwise say whether you have not done it.*

    With a share ``s`` of "yes", the estimate of those who have done it is ``(s - (1 - p)) / (2 p - 1)``, with variance
    ``s (1 - s) / (2 p - 1)^2`` a report. The level of LDP is ``|ln(p / (1 - p))|`` nats. Every design for one yes-or-no
    question at that level is this one followed by further noise, so that none has a smaller variance.

    Parameters
    ----------
    p : float, Fraction or str
        From 0 to 1, "7/10" exactly. At 1/2 reports say nothing.

    Returns
    -------
    Mechanism
        Inputs "yes" and "no", outputs "yes" and "no".

    Raises
    ------
    DomainError
        p is no probability.

    References
    ----------
    S. L. Warner, "Randomized Response: A Survey Technique for Eliminating Evasive Answer Bias", Journal of the American
    Statistical Association 60 (1965).

    P. Kairouz, S. Oh, P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE Transactions on
    Information Theory 63 (2017), for its optimality.

    Examples
    --------
    >>> import mechdesign as md
    >>> spinner = md.baselines.warner("7/10")
    >>> found = spinner.estimate({"yes": 400, "no": 600})
    >>> round(float(found.frequencies[0]), 9), round(float(md.audit(spinner)), 6)
    (0.25, 0.847298)
    """
    truth = probability("p", p)
    return instructed([[truth, 1 - truth], [1 - truth, truth]], ATTRIBUTE)
