"""Dialects: other people's spans, translated at the door; nothing behind it knows them."""

from ragvigil.scorer.dialects.ragvigil import lost_in_service
from ragvigil.scorer.dialects.reading import Dialect, Failure, Message, Reading, Role
from ragvigil.scorer.dialects.records import Received, read_all, read_records
from ragvigil.scorer.dialects.table import DIALECTS

__all__ = [
    "DIALECTS",
    "Dialect",
    "Failure",
    "Message",
    "Reading",
    "Received",
    "Role",
    "lost_in_service",
    "read_all",
    "read_records",
]
