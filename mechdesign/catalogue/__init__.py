"""What pages, searches and contracts need of a notion or an objective, which carries it as its card."""

from mechdesign.catalogue.card import Card, card_of
from mechdesign.catalogue.rule import Rule, of_level, of_level_and_order, same_level, twice_the_level

__all__ = ["Card", "Rule", "card_of", "of_level", "of_level_and_order", "same_level", "twice_the_level"]
