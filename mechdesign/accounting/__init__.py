"""What reports betray: profiles of one report, losses of many of them, in exact numbers or rounded outward."""

from mechdesign.accounting.composition import Composition, composition
from mechdesign.accounting.privacy_loss import PrivacyLoss
from mechdesign.accounting.shuffling import Shuffled

__all__ = ["Composition", "PrivacyLoss", "Shuffled", "composition"]
