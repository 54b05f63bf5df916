"""What pages and searches say of a notion or an objective, which carries it as its card."""

from mechdesign.catalogue.card import Card, require_card

__all__ = ["Card", "require_card"]
