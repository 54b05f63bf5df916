"""What reports of several mechanisms on one person's input betray together."""

from __future__ import annotations

from collections.abc import Sequence

from mechdesign.accounting import Composition, composition
from mechdesign.errors import DomainError
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.parameters.checks import entries


def composed(mechanisms: Sequence[Mechanism]) -> Composition:
    """Return the privacy of independent reports of several mechanisms on the same input of one person.

    Parameters
    ----------
    mechanisms : sequence of Mechanism or Design
        At least one, each as often as it reports; of the same inputs in the same order.

    Returns
    -------
    Composition
        ``delta(epsilon)`` and ``epsilon(delta)``, from above, ``delta_below`` and ``epsilon_below``.

    Raises
    ------
    DomainError
        No mechanisms, something else among them, mechanisms of other inputs.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(labels=["no", "yes"])
    >>> once, again = (md.baselines.randomised_response(problem, epsilon) for epsilon in (1.0, 0.5))
    >>> both = md.composed([once, again, again])
    >>> round(both.epsilon(0.0), 9), round(both.epsilon(0.1), 4)
    (2.0, 1.5645)
    """
    given = entries("mechanisms", mechanisms, "it has to be a sequence of mechanisms", "give a list")
    made = [getattr(one, "mechanism", one) for one in given]
    if not made:
        raise DomainError("mechanisms", "empty", "there has to be one", "give the mechanisms that report")
    for at, one in enumerate(made):
        if not isinstance(one, Mechanism):
            rule = "it has to be a Mechanism"
            raise DomainError(f"mechanisms[{at}]", one, rule, "md.Mechanism(matrix, outputs) is one")
        if one.inputs.n != made[0].inputs.n:
            rule = f"mechanisms that are composed take the same inputs, {made[0].inputs.n} of the first one"
            remedy = "compose mechanisms of one problem"
            raise DomainError(f"mechanisms[{at}]", f"of {one.inputs.n} inputs", rule, remedy)
    distinct = list(dict.fromkeys(made))
    ordered = [one.over(made[0].inputs) for one in distinct]
    return composition([(one.compared_rows, made.count(old)) for one, old in zip(ordered, distinct, strict=True)])
