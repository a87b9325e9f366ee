"""Microsoft Teams through a workflow ("When a Teams webhook request is received"): an Adaptive Card each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ragvigil.exporters._addressed import Addressed
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._page import Page, Shown, page_of
from ragvigil.exporters._post import outcome_of

Element = Mapping[str, object]

_BODY_BYTES = 27_000
"""Teams refuses messages above 28 KB."""
_ANSWER_BYTES = 4_096
_STYLES = {"🔴": "attention", "🟠": "warning", "🟡": "warning", "🔵": "accent", "🟢": "good"}


class Teams(Addressed):
    """Posts a card for each change: a workflow can neither edit nor close one.

    >>> Teams("https://example.westeurope.logic.azure.com/workflows/1/triggers/manual/paths/invoke?sig=hush")
    Teams('example.westeurope.logic.azure.com')
    """

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Post one card; `reference` is not needed, for nothing can be edited."""
        answer = await self._post.exchange(_fitting(alert), {}, most_bytes=_ANSWER_BYTES)
        if isinstance(answer, Outcome):
            return answer
        if answer.status == 200 and b"failed with error" in answer.body:
            # An old connector says 200 and tells in words that it delivered nothing.
            return Outcome(
                delivered=False, retry=True, reason="not_delivered", retry_after=answer.retry_after
            )
        return outcome_of(answer)


def _fitting(alert: Alert) -> bytes:
    """The message with as many examples as fit."""
    for examples in (5, 3, 1):
        body = _encode(page_of(alert, examples=examples))
        if len(body) <= _BODY_BYTES:
            return body
    return _encode(page_of(alert, examples=0))


def _encode(page: Page) -> bytes:
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "msteams": {"width": "full"},
        "fallbackText": page.title,
        "body": _body(page),
        "actions": _actions(page),
    }
    attachment = {
        "contentType": "application/vnd.microsoft.card.adaptive",
        "contentUrl": None,
        "content": card,
    }
    message = {"type": "message", "attachments": [attachment]}
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _body(page: Page) -> list[Element]:
    headline = _run(page.headline, size="Large", weight="Bolder")
    body: list[Element] = [
        {"type": "Container", "style": _STYLES[page.mark], "bleed": True, "items": [_rich([headline])]}
    ]
    body += [_rich([_run(line)]) for line in page.summary]
    if page.trend:
        body.append(_rich([_run(page.trend, fontType="Monospace")]))
    for number, (name, value) in enumerate(page.facts):
        body.append(_rich([_run(f"{name}  ", weight="Bolder"), _run(value)], apart=number == 0))
    for example in page.examples:
        body += _example(example)
    return body


def _example(example: Shown) -> Sequence[Element]:
    return [
        _rich([_run("• "), _run(example.reason, weight="Bolder")], apart=True),
        *(_rich([_run(f"{name}: ", isSubtle=True), _run(text)]) for name, text in example.lines),
        *([] if example.url else [_rich([_run(f"trace {example.trace}", isSubtle=True)])]),
    ]


def _actions(page: Page) -> Sequence[Element]:
    """Buttons; Teams shows six at most."""
    links = [("Open the incident", page.link)]
    links += [(f"Trace {number}", example.url) for number, example in enumerate(page.examples, start=1)]
    return [{"type": "Action.OpenUrl", "title": title, "url": url} for title, url in links if url][:6]


def _rich(runs: Sequence[Element], *, apart: bool = False) -> Element:
    """Rich text, not a TextBlock: only in TextRuns no Markdown is read."""
    return {"type": "RichTextBlock", "inlines": list(runs)} | (
        {"spacing": "Medium"} if apart else {"spacing": "None"}
    )


def _run(text: str, **looks: str | bool) -> Element:
    return {"type": "TextRun", "text": text, **looks}
