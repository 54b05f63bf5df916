"""The extreme priors near a stated one, for guarantees and losses that have to hold for all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mechdesign.errors import UnsupportedError
from mechdesign.parameters import Real
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array

#: A total variation distance of two distributions.
RADIUS = Real(low=0.0, high=1.0, rule="it is a distance of distributions", remedy="choose it in [0, 1]")
#: Extreme priors that are listed at most, and entries of theirs.
MOST, MOST_ENTRIES = 20_000, 4_000_000
#: Inputs that are looked at, for each that is given what others lose, before there are said to be too many.
MOST_LOOKED = 50_000_000
#: Masses that differ by less, as a share, are the same.
ALIKE = 1e-12


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
        More than 20,000 of them or 4,000,000 entries, as of many inputs at a radius above their least probabilities.

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
    found: list[Array] = []
    for to in range(len(centre)):
        for law in _given_to(to, centre, distance):
            found.append(law)
            if len(found) > MOST or len(found) * len(centre) > MOST_ENTRIES:
                raise _too_many(len(centre))
    return domains.frozen(np.unique(np.array(found).round(15), axis=0)[::-1])


def _given_to(to: int, centre: Array, radius: float) -> Iterator[Array]:
    """Yield the priors in which `to` has what the others lost, or everything if they had less than the radius."""
    # The likeliest first: sets of inputs that lose everything are then cut off early.
    others = [x for x in np.argsort(-centre, kind="stable").tolist() if x != to and centre[x] > 0]
    masses = centre[others]
    if math.fsum(masses) <= radius:
        yield np.eye(len(centre))[to]
        return
    after = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
    # Which lose everything, by place, and how much is left to take.
    waiting: list[tuple[tuple[int, ...], float]] = [((), radius)]
    looked = 0
    while waiting:
        emptied, left = waiting.pop()
        looked += len(centre)
        if looked > MOST_LOOKED:
            raise _too_many(len(centre))
        kept = np.ones(len(others), dtype=bool)
        kept[list(emptied)] = False
        for place in np.flatnonzero(kept & (masses >= left * (1.0 - ALIKE))).tolist():
            yield _moved_to(to, centre, [others[each] for each in emptied], others[place], left)
        first, rest = emptied[-1] + 1 if emptied else 0, left - masses
        # One of those left, or of those passed over, has to lose the last of it.
        passed = np.append(0.0, np.maximum.accumulate(np.where(kept, masses, 0.0))[:-1])
        goes_on = (np.arange(len(others)) >= first) & (rest > ALIKE * left) & (rest <= after[1:] + passed)
        waiting += [((*emptied, place), float(rest[place])) for place in np.flatnonzero(goes_on).tolist()]


def _moved_to(to: int, centre: Array, emptied: list[int], last: int, left: float) -> Array:
    """Return the prior after some lose everything, and one more what is left, to `to`."""
    law = centre.copy()
    law[emptied] = 0.0
    law[last] = max(law[last] - left, 0.0)
    law[to] = 0.0
    # All of the rest, so that the sum is one to the last digit.
    law[to] = 1.0 - math.fsum(law)
    return law


def _too_many(n: int) -> UnsupportedError:
    return UnsupportedError(
        f"The extreme priors of {n} inputs that are that near are too many to list (more than {MOST}, or "
        f"{MOST_ENTRIES} entries); give a smaller radius, or bounds of each probability: priors=(lower, upper)."
    )
