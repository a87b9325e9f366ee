"""Who is judged: a hash of the trace id, the same after a restart and in every process.

The contract is published so that others can draw the same sample: SHA-256 of the ASCII bytes
``ragvigil:sample:v1``, a zero byte, and the trace id as 32 lower-case hex characters; the digest's top 53 bits
as a fraction; judged when the fraction lies below the inclusion probability. Lower rates nest in higher ones.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

_DOMAIN = b"ragvigil:sample:v1\0"


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one record is judged, and how probable that was."""

    judged: bool
    inclusion: float
    """Probability in [0, 1] with which a record like this is judged; estimates weight by its inverse."""
    fraction: float
    """Where the trace id lies in [0, 1)."""
    stratum: str = ""
    """The part of traffic within which all records have such a probability."""


def fraction(trace_id: str, domain: bytes = _DOMAIN) -> float:
    """The place of a trace id in [0, 1), uniform over trace ids; in another `domain` another one.

    >>> fraction("0af7651916cd43dd8448eb211c80319c")
    0.5325290749564734
    """
    digest = hashlib.sha256(domain + trace_id.lower().encode("utf-8", "replace")).digest()
    return (int.from_bytes(digest[:8]) >> 11) / 2**53


def decide(trace_id: str, rate: float) -> Decision:
    """Whether this trace is judged when `rate` of all are.

    >>> decide("0af7651916cd43dd8448eb211c80319c", 1.0).judged
    True
    """
    place = fraction(trace_id)
    return Decision(place < rate, rate, place)
