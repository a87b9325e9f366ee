"""A page as Slack's Block Kit: rich text, whose text elements Slack shows as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragvigil.exporters._escape import fitted, slack
from ragvigil.exporters._page import QUIET, Page, Shown

Block = Mapping[str, object]

_HEADER_CHARACTERS = 150
_FALLBACK_CHARACTERS = 1_000
_REPLY_LINES = 6
"""What is new stands first; the message above has the rest."""


def blocks_of(page: Page) -> list[Block]:
    """The blocks of a message: about 8,000 characters at most, where Slack refuses more than about 13,000.

    Texts of traces stand only in plain and rich text, never in mrkdwn: no mention, link or emphasis is read
    in them.
    """
    body = [_section([_text("\n".join(page.summary))])] if page.summary else []
    if page.trend:
        body.append({"type": "rich_text_preformatted", "elements": [_text(page.trend)]})
    body.append(_section(_facts(page)))
    for example in page.examples:
        body += _example(example)
    return [
        {
            "type": "header",
            "text": {
                "type": "plain_text",
                "text": fitted(page.headline, str, limit=_HEADER_CHARACTERS),
                "emoji": False,
            },
        },
        {"type": "rich_text", "elements": body},
    ]


def button(incident: str) -> Block:
    """What says that somebody has the incident in hand; Slack posts it to the app's interactivity address."""
    label = {"type": "plain_text", "text": "Acknowledge", "emoji": False}
    pressed = {"type": "button", "text": label, "action_id": "ragvigil_acknowledge", "value": incident[:300]}
    return {"type": "actions", "elements": [pressed]}


def fallback(page: Page) -> str:
    """What a notification on a lock screen says."""
    return fitted(page.headline, slack, limit=_FALLBACK_CHARACTERS)


def reply_of(page: Page) -> Mapping[str, object]:
    """What is said in the thread when a message changes."""
    if page.action in QUIET:
        who = dict(page.facts).get("in hand")
        said = f"In hand: {who}" if who else "Nobody has it in hand any more."
        text = fitted(said, slack, limit=_FALLBACK_CHARACTERS)
    else:
        said, text = "\n".join([page.headline, *page.summary[:_REPLY_LINES]]), fallback(page)
    return {"text": text, "blocks": [{"type": "rich_text", "elements": [_section([_text(said)])]}]}


def _facts(page: Page) -> list[Block]:
    elements: list[Block] = []
    for name, value in page.facts:
        elements += [_text(name, bold=True), _text(f"  {value}\n")]
    return [*elements, _link(page.link, "Open the incident")] if page.link else elements


def _example(example: Shown) -> Sequence[Block]:
    said = "\n".join(f"{name}: {text}" for name, text in example.lines)
    quote = [{"type": "rich_text_quote", "elements": [_text(said)]}] if said else []
    trace = _link(example.url, "trace") if example.url else _text(f"trace {example.trace}")
    return [_section([_text("\n• "), _text(example.reason + "  "), trace]), *quote]


def _section(elements: Sequence[Block]) -> Block:
    return {"type": "rich_text_section", "elements": list(elements)}


def _text(text: str, *, bold: bool = False) -> Block:
    return {"type": "text", "text": text} | ({"style": {"bold": True}} if bold else {})


def _link(url: str, text: str) -> Block:
    return {"type": "link", "url": url, "text": text}
