"""Services that send acknowledgements back: a name for each, without all that reading what they say would load."""

from __future__ import annotations

from typing import Literal

Sender = Literal["pagerduty", "slack"]
"""Who signed the body."""
