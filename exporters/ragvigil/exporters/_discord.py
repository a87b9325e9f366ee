"""Discord through a channel's webhook: one message per incident, edited in place."""

from __future__ import annotations

import json
import re
from urllib.parse import quote, urlsplit, urlunsplit

from ragvigil.exporters._addressed import Addressed
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._escape import fitted, markdown
from ragvigil.exporters._page import Page, Shown, page_of
from ragvigil.exporters._post import HOPELESS, check_address, outcome_of
from ragvigil.exporters._wire import rfc3339

_ANSWER_BYTES = 65_536
_EXAMPLES = 3

# One embed may have 6,000 characters: these come to at most 250 + 1,500 + 6 (60 + 240) + 3 (60 + 690).
_TITLE_CHARACTERS = 250
_DESCRIPTION_CHARACTERS = 1_500
_FACTS = 6
_NAME_CHARACTERS = 60
_FACT_CHARACTERS = 240
_EXAMPLE_CHARACTERS = 690

_WEBHOOK_PATH = re.compile(r".*/webhooks/[^/]+/[^/]+/?")


class Discord(Addressed):
    """Posts to the channel that the webhook belongs to.

    >>> Discord("https://discord.com/api/webhooks/123/hush")
    Discord('discord.com')
    """

    def __init__(self, url: str, *, timeout_seconds: float = 15.0) -> None:
        """Raises ValueError when `url` cannot be used, ImportError without httpx."""
        super().__init__(url, timeout_seconds=timeout_seconds)
        self._url = url

    @staticmethod
    def check(*, url: str) -> None:
        """Raises ValueError when `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)
        if not _WEBHOOK_PATH.fullmatch(urlsplit(url).path):
            raise ValueError("url must end in /webhooks/ID/TOKEN, without /slack or /github behind it")

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Post a message, or edit the one that `reference` names; one that was deleted is posted anew."""
        body = _encode(page_of(alert, examples=_EXAMPLES), rfc3339(alert.at))
        if reference is not None:
            path = f"/messages/{quote(reference, safe='')}"
            answer = await self._post.exchange(body, {}, method="PATCH", url=_below(self._url, path, ""))
            if isinstance(answer, Outcome):
                return answer
            if answer.status != 404:
                return outcome_of(answer, hopeless=HOPELESS, reference=reference)
        answer = await self._post.exchange(
            body, {}, url=_below(self._url, "", "wait=true"), most_bytes=_ANSWER_BYTES
        )
        if isinstance(answer, Outcome):
            return answer
        message = answer.json().get("id")
        return outcome_of(answer, hopeless=HOPELESS, reference=message if isinstance(message, str) else None)


def _below(url: str, path: str, query: str) -> str:
    """The webhook's address with something behind its path, and its own query (thread_id) kept."""
    parts = urlsplit(url)
    queries = "&".join(filter(None, (parts.query, query)))
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, queries, ""))


def _encode(page: Page, moment: str) -> bytes:
    embed: dict[str, object] = {
        "title": fitted(page.headline, markdown, limit=_TITLE_CHARACTERS),
        "description": _description(page),
        "color": int(page.colour, 16),
        "timestamp": moment,
        "fields": [*_facts(page), *(_example(example) for example in page.examples)],
    }
    if page.link:
        embed["url"] = page.link
    # Nobody is called, whatever the texts hold; embeds notify nobody anyway.
    message: dict[str, object] = {"embeds": [embed], "allowed_mentions": {"parse": list[str]()}}
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode()


def _description(page: Page) -> str:
    shape = f"`{page.trend}`\n" if page.trend else ""
    room = _DESCRIPTION_CHARACTERS - len(shape)
    lines: list[str] = []
    for line in page.summary:
        text = fitted(line, markdown, limit=max(1, room))
        if len(text) >= room:
            break
        lines.append(text)
        room -= len(text) + 1
    return shape + "\n".join(lines)


def _facts(page: Page) -> list[dict[str, object]]:
    return [
        {"name": name, "value": fitted(value, markdown, limit=_FACT_CHARACTERS) or "-", "inline": True}
        for name, value in page.facts[:_FACTS]
    ]


def _example(example: Shown) -> dict[str, object]:
    trace = f"[trace]({example.url})" if example.url and ")" not in example.url else f"trace {example.trace}"
    each = (_EXAMPLE_CHARACTERS - len(trace) - 40) // 3
    if each < 40:
        trace, each = f"trace {fitted(example.trace, markdown, limit=60)}", (_EXAMPLE_CHARACTERS - 110) // 3
    lines = [fitted(example.reason, markdown, limit=each)]
    lines += [f"> {name}: {fitted(text, markdown, limit=each)}" for name, text in example.lines]
    return {"name": "example", "value": "\n".join([*lines, trace]), "inline": False}
