"""Discord through a channel's webhook: one message with a chart per incident, edited in place, and news told anew."""

from __future__ import annotations

import json
import re
import secrets
from dataclasses import replace
from typing import Literal
from urllib.parse import quote, urlsplit, urlunsplit

from ragvigil.exporters._addressed import Addressed
from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._chart import Chart, chart_of
from ragvigil.exporters._escape import fitted, markdown
from ragvigil.exporters._page import QUIET, Page, Shown, page_of
from ragvigil.exporters._post import REFUSED, Answer, check_address, outcome_of
from ragvigil.exporters._wire import rfc3339

_ANSWER_BYTES = 65_536
_EXAMPLES = 3

# Of the 6,000 characters of an embed the description has what the others leave: 1,500 at least.
_EMBED_CHARACTERS = 6_000
_TITLE_CHARACTERS = 250
_DESCRIPTION_CHARACTERS = 4_000
_NEWS_LINES = 6
_FACTS = 6
_FACT_CHARACTERS = 240
_EXAMPLE_CHARACTERS = 690
_FOOTER_CHARACTERS = 200

_CHART_FILE = "chart.png"

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
        """Post a message, or edit the one that `reference` names and say what is new in a short one.

        An edit notifies nobody: what opens again is posted anew, and so is a message that somebody deleted. Not to
        say who has it in hand, or that it is over, which is said in an edit."""
        if reference is not None and alert.action != "trigger":
            path = f"/messages/{quote(reference, safe='')}"
            answer = await self._say(alert, "PATCH", _below(self._url, path, ""))
            if isinstance(answer, Outcome):
                return answer
            if answer.status != 404:
                edited = outcome_of(answer, reference=reference)
                return await self._news(alert, edited) if edited.delivered else edited
        if alert.action in QUIET:
            return Outcome(delivered=True)
        answer = await self._say(alert, "POST", _below(self._url, "", "wait=true"))
        if isinstance(answer, Outcome):
            return answer
        message = answer.json().get("id")
        return outcome_of(answer, reference=message if isinstance(message, str) else None)

    async def _news(self, alert: Alert, edited: Outcome) -> Outcome:
        """Say what an edit changed, where somebody must hear it; the edited message stays the incident's."""
        if alert.action != "update":
            return edited
        body = _encode_news(page_of(alert, examples=0), rfc3339(alert.at))
        answer = await self._post.exchange(body, {}, url=_below(self._url, "", "wait=true"))
        told = answer if isinstance(answer, Outcome) else outcome_of(answer)
        return edited if told.delivered else told

    async def _say(self, alert: Alert, method: Literal["POST", "PATCH"], url: str) -> Answer | Outcome:
        """The message with its chart; without, if Discord does not like it: a page beats its looks."""
        page, moment, chart = page_of(alert, examples=_EXAMPLES), rfc3339(alert.at), chart_of(alert)
        if chart is not None:
            body, kind = _form(_encode(page, moment, chart), chart.png)
            answer = await self._post.exchange(
                body, {"content-type": kind}, method=method, url=url, most_bytes=_ANSWER_BYTES
            )
            if isinstance(answer, Outcome) or answer.status not in REFUSED:
                return answer
        body = _encode(page, moment, None)
        return await self._post.exchange(body, {}, method=method, url=url, most_bytes=_ANSWER_BYTES)


def _below(url: str, path: str, query: str) -> str:
    """The webhook's address with something behind its path, and its own query (thread_id) kept."""
    parts = urlsplit(url)
    queries = "&".join(filter(None, (parts.query, query)))
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/") + path, queries, ""))


def _form(message: bytes, png: bytes) -> tuple[bytes, str]:
    """A form of the message and the picture that it names, and its content type."""
    boundary = secrets.token_hex(16)
    parts = (
        ('name="payload_json"', "application/json", message),
        (f'name="files[0]"; filename="{_CHART_FILE}"', "image/png", png),
    )
    body = b"".join(
        f"--{boundary}\r\nContent-Disposition: form-data; {name}\r\nContent-Type: {kind}\r\n\r\n".encode()
        + data
        + b"\r\n"
        for name, kind, data in parts
    )
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _encode(page: Page, moment: str, chart: Chart | None) -> bytes:
    title = fitted(page.headline, markdown, limit=_TITLE_CHARACTERS)
    fields = [*_facts(page), *(_example(example) for example in page.examples)]
    texts = (title, *(str(field[name]) for field in fields for name in ("name", "value")))
    room = _EMBED_CHARACTERS - _FOOTER_CHARACTERS - sum(map(_units, texts))
    embed: dict[str, object] = {
        "title": title,
        "description": _description(page, min(room, _DESCRIPTION_CHARACTERS)),
        "color": int(page.colour, 16),
        "timestamp": moment,
        "fields": fields,
    }
    if page.link:
        embed["url"] = page.link
    # What is not in this list an edit takes away: the chart of an hour ago.
    attachments: list[dict[str, object]] = []
    if chart is not None:
        words = fitted(chart.words, str, limit=_FOOTER_CHARACTERS)
        embed |= {"image": {"url": f"attachment://{_CHART_FILE}"}, "footer": {"text": words}}
        attachments = [{"id": "0", "filename": _CHART_FILE, "description": words}]
    return _message(embed, attachments)


def _encode_news(page: Page, moment: str) -> bytes:
    """The first lines; the incident's own message has the rest."""
    short = replace(page, summary=page.summary[:_NEWS_LINES], trend=None)
    embed: dict[str, object] = {
        "title": fitted(page.headline, markdown, limit=_TITLE_CHARACTERS),
        "description": _description(short, _DESCRIPTION_CHARACTERS),
        "color": int(page.colour, 16),
        "timestamp": moment,
    }
    return _message(embed | ({"url": page.link} if page.link else {}), [])


def _message(embed: dict[str, object], attachments: list[dict[str, object]]) -> bytes:
    # Nobody is called, whatever the texts hold; mentions in embeds notify nobody anyway.
    message: dict[str, object] = {
        "embeds": [embed],
        "attachments": attachments,
        "allowed_mentions": {"parse": list[str]()},
    }
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode()


def _description(page: Page, room: int) -> str:
    shape = f"`{page.trend}`\n" if page.trend else ""
    room -= len(shape)
    lines: list[str] = []
    for line in page.summary:
        text = fitted(line, markdown, limit=max(1, room))
        if _units(text) >= room:
            break
        lines.append(text)
        room -= _units(text) + 1
    return shape + "\n".join(lines)


def _units(text: str) -> int:
    """Characters as Discord may count them: in UTF-16."""
    return len(text.encode("utf-16-le", errors="replace")) // 2


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
