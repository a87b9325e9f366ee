"""Durable staging before the ack: one process appends, the other reads; segment files between them."""

from ragvigil.scorer.inbox.reader import MOST_BYTES_A_READ, InboxReader
from ragvigil.scorer.inbox.rows import Arrival, InboxRow, Kind, Position
from ragvigil.scorer.inbox.writer import InboxWriter

__all__ = ["MOST_BYTES_A_READ", "Arrival", "InboxReader", "InboxRow", "InboxWriter", "Kind", "Position"]
