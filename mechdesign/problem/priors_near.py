"""The extreme priors near a stated one, for guarantees and losses that have to hold for all of them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mechdesign.errors import UnsupportedError
from mechdesign.parameters import Real
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array

#: A total variation distance of two distributions.
RADIUS = Real(low=0.0, high=1.0, rule="it is a distance of distributions", remedy="choose it in [0, 1]")
#: Extreme priors that are listed at most.
MOST = 20_000


def priors_near(prior: npt.ArrayLike, radius: float) -> Array:
    """Return the extreme priors at a total variation distance of at most `radius` from a prior.

    Their mixtures are all priors within that distance: ``sum_x |p_x - prior_x| / 2 <= radius``. A loss under the least
    favourable of them is ``md.WorstCaseLoss(loss, priors=md.priors_near(prior, radius))``.

    Parameters
    ----------
    prior : array_like, shape (n,)
        A distribution.
    radius : float
        From 0 to 1.

    Returns
    -------
    ndarray, shape (K, n)
        A mass of `radius` is taken from some inputs, wholly but for one of them, and given to another one.

    Raises
    ------
    DomainError
        What is no distribution; a radius outside [0, 1].
    UnsupportedError
        More than 20,000 of them, as of many inputs at a radius above their least probabilities.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.priors_near([0.5, 0.3, 0.2], 0.1).round(6).tolist()[:2]
    [[0.6, 0.3, 0.1], [0.6, 0.2, 0.2]]
    >>> loss = md.WorstCaseLoss([[0, 1, 1], [1, 0, 1], [1, 1, 0]], priors=md.priors_near([0.5, 0.3, 0.2], 0.1))
    >>> round(md.design(md.Problem(n=3), md.LDP(1.0), loss).value, 6)
    0.423883
    """
    centre = domains.distribution("prior", prior)
    centre, distance = centre / math.fsum(centre), float(RADIUS.check("radius", radius))
    if distance == 0 or len(centre) == 1:
        return domains.frozen(centre[None, :])
    found = [law for to in range(len(centre)) for law in _given_to(to, centre, distance)]
    if len(found) > MOST:
        raise _too_many(len(centre))
    return domains.frozen(np.unique(np.array(found).round(15), axis=0)[::-1])


def _given_to(to: int, centre: Array, radius: float) -> list[Array]:
    """Return the priors in which `to` has what the others lost, or everything if they had less than the radius."""
    others = [x for x in range(len(centre)) if x != to and centre[x] > 0]
    if math.fsum(centre[others]) <= radius:
        return [np.eye(len(centre))[to]]
    found: list[Array] = []

    def lose(start: int, left: float, law: Array) -> None:
        """Take what is left from one of the inputs, or all that one from `start` on has, and go on."""
        for place, x in enumerate(others):
            if law[x] > left or math.isclose(law[x], left):
                ended = law.copy()
                ended[x] -= min(left, law[x])
                ended[to] += left
                found.append(ended)
            elif place >= start and law[x] > 0:
                rest = law.copy()
                rest[x], rest[to] = 0.0, law[to] + law[x]
                lose(place + 1, left - law[x], rest)
        if len(found) > MOST:
            raise _too_many(len(centre))

    lose(0, radius, centre)
    return found


def _too_many(n: int) -> UnsupportedError:
    return UnsupportedError(
        f"More than {MOST} extreme priors of {n} inputs are that near; give a smaller radius, or bounds of each "
        "probability: priors=(lower, upper)."
    )
