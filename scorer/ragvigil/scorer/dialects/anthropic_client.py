"""What the spans of Anthropic's own client leave out: GenAI conventions, with content where it is told to send it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.reading import Reading

SCOPE = "com.anthropic.sdk"
"""How its scopes begin."""
_CUT = "anthropic.content.truncated"


def with_gaps(reading: Reading, attributes: Mapping[str, object], *, failed: bool) -> Reading:
    """The reading of a call with what its span cannot have told marked as not told.

    It keeps to a limit, instructions first, and says so; a stream of which the service reads the events has no answer.
    """
    untold = bool(reading.messages) and not failed and "gen_ai.output.messages" not in attributes
    return replace(reading, unread=untold, truncated=attributes.get(_CUT) is True)
