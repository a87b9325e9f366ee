"""Pass-through: what was accepted goes on to other OTLP backends, after the ack and never in its way."""

from ragvigil.scorer.receive.forward.item import VIA, Received
from ragvigil.scorer.receive.forward.tee import Clients, Tee, clients, forwarding, refuse_itself

__all__ = ["VIA", "Clients", "Received", "Tee", "clients", "forwarding", "refuse_itself"]
