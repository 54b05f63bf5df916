"""Keys of statements that were renamed or taken together with another, which still name them."""

from __future__ import annotations

from typing import Final

#: By the former key; a statement that is ours was credited to a paper.
FORMER_KEYS: Final = {
    "geumlek/T1tab": "ours/profile-chain",
    "jiang_bounded_prior/joint": "jiang_bounded_prior/T5",
    "zamani/l1": "ours/lip-strong-l1",
    "zamani/rel": "ours/lip-relations",
}


def present_key(key: str) -> str:
    """Return the key by which a statement is found today.

    Examples
    --------
    >>> present_key("zamani/rel"), present_key("jiang_lip/T3")
    ('ours/lip-relations', 'jiang_lip/T3')
    """
    return FORMER_KEYS.get(key, key)
