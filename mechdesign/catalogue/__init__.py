"""What pages, searches and contracts need of a notion or an objective, which carries it as its card."""

from mechdesign.catalogue.card import Card, card_of

__all__ = ["Card", "card_of"]
