"""A mechanism: its matrix, certificate, file and audit, and several of them together."""

from mechdesign.mechanism.certificate import Certificate, Multipliers, Proof
from mechdesign.mechanism.implicit import ImplicitMechanism
from mechdesign.mechanism.mechanism import Mechanism

__all__ = [
    "Certificate",
    "ImplicitMechanism",
    "Mechanism",
    "Multipliers",
    "Proof",
]
