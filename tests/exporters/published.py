"""What services publish about the messages they take, in the packages that they keep themselves.

Slack's SDK checks its blocks, Microsoft's models of Adaptive Cards are made from the schema that Teams uses, and the
library of Standard Webhooks verifies signatures. The others publish documents and no package: of those we keep schemas
of our own words in schemas/, each of which says with what it was compared, field by field, and when.
"""

from __future__ import annotations

import json
from typing import Any, cast

from microsoft_teams.cards.core import AdaptiveCard, Container, OpenUrlAction, RichTextBlock, TextRun
from pydantic import BaseModel
from slack_sdk.models.blocks import Block
from standardwebhooks import Webhook
from tests.exporters.conftest import Received

SECRET = "whsec_aHVzaC1odXNoLWh1c2gtaHVzaC1odXNoLWh1c2gh"

_ELEMENTS: dict[str, type[BaseModel]] = {
    "AdaptiveCard": AdaptiveCard,
    "Container": Container,
    "RichTextBlock": RichTextBlock,
    "TextRun": TextRun,
    "Action.OpenUrl": OpenUrlAction,
}
"""Those that we send: a card of Microsoft's models takes any element, so each is held against its own."""


def slack(request: Received) -> None:
    """Raises when a block is none that Slack's SDK knows, breaks a limit, or holds a field that it does not know."""
    for block in json.loads(request.body)["blocks"]:
        known = Block.parse(block)  # pyright: ignore[reportUnknownMemberType]  # partly untyped
        assert known is not None, block["type"]
        assert type(known) is not Block, block["type"]
        known.validate_json()
        assert known.to_dict() == block  # pyright: ignore[reportUnknownMemberType]  # partly untyped


def teams(request: Received) -> None:
    """Raises when the card, or an element of it, is none that Teams knows, or holds a field that it does not know."""
    _check_card(json.loads(request.body)["attachments"][0]["content"])


def _check_card(element: dict[str, Any]) -> None:
    kind = _ELEMENTS[element["type"]]
    kind.model_validate(element)
    known = {str(field.validation_alias) for field in kind.model_fields.values()}
    assert set(element) <= {"$schema", *known}
    for part in element.values():
        if isinstance(part, list):
            for inner in cast("list[dict[str, Any]]", part):
                _check_card(inner)


def standard_webhooks(request: Received) -> None:
    """Raises when the signature is wrong, or the message too old."""
    Webhook(SECRET).verify(request.body, request.headers)
