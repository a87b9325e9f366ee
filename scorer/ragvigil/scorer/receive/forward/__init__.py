"""Pass-through: what was accepted goes on to other OTLP backends, after the ack and never in its way."""

from ragvigil.scorer.receive.forward.item import VIA, Received
from ragvigil.scorer.receive.forward.tee import Tee, forwarding, refuse_itself, refuse_unusable

__all__ = ["VIA", "Received", "Tee", "forwarding", "refuse_itself", "refuse_unusable"]
