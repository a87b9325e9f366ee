"""Slack through a bot: one message per incident, edited in place, its changes told in its thread."""

from __future__ import annotations

import json
from collections.abc import Mapping

from ragvigil.exporters._alert import Alert, Outcome
from ragvigil.exporters._page import QUIET, Page, page_of
from ragvigil.exporters._post import Answer, Post, check_address, outcome_of
from ragvigil.exporters._slack_blocks import blocks_of, button, fallback, reply_of

_ANSWER_BYTES = 65_536

_GONE = frozenset({"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"})
"""Why a message cannot be edited any more; then a new one is posted."""
_BLOCKS_REFUSED = frozenset(
    {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "invalid_arguments"}
)
_HOPELESS = frozenset({"msg_too_long", "no_text"})
"""What no later try and no operator can change; a wrong token or a missing channel an operator can."""


class Slack:
    """Posts to one channel with a bot token (scope ``chat:write``).

    >>> Slack(token="xoxb-1-hush", channel="C024BE91L")
    Slack('C024BE91L')
    """

    def __init__(
        self,
        token: str,
        channel: str,
        url: str = "https://slack.com/api",
        *,
        acknowledge: bool = False,
        timeout_seconds: float = 15.0,
    ) -> None:
        """`acknowledge`: whether pages have a button that says that somebody has them in hand.

        Raises ValueError when a setting cannot be used, ImportError without httpx."""
        self.check(token=token, channel=channel, url=url)
        self._post = Post(url, timeout_seconds=timeout_seconds)
        self._url = url.rstrip("/")
        self._headers = {
            "authorization": f"Bearer {token}",
            "content-type": "application/json; charset=utf-8",
        }
        self._channel = channel
        self._acknowledge = acknowledge

    @staticmethod
    def check(*, token: str, channel: str, url: str) -> None:
        """Raises ValueError when a setting cannot be used; sends nothing and needs no httpx."""
        check_address(url)
        if not (token.startswith("xox") and token.isascii() and token.isprintable() and " " not in token):
            raise ValueError("token must be a bot token of a Slack app, which begins with xoxb-")
        if not channel or not channel.isprintable() or " " in channel:
            raise ValueError("channel must be an id such as C024BE91L, or a name such as #rag-alerts")

    def __repr__(self) -> str:
        return f"Slack({self._channel!r})"

    async def send(self, alert: Alert, reference: str | None = None) -> Outcome:
        """Post a message, or edit the one that `reference` names and answer in its thread.

        A message that somebody deleted, or that Slack lets nobody edit any more, is posted anew, but not to say who
        has it in hand.
        """
        page = page_of(alert)
        channel, _, moment = (reference or "").rpartition(" ")
        if not channel and page.action in QUIET:
            return Outcome(delivered=True)
        if not channel:
            return await self._start(page, alert)
        edited = await self._say("chat.update", page, alert, {"channel": channel, "ts": moment})
        quiet = page.action in QUIET
        if edited.reason in _GONE:
            return Outcome(delivered=True) if quiet else await self._start(page, alert)
        if not edited.delivered:
            return edited
        told = await self._call(
            "chat.postMessage",
            {
                "channel": channel,
                "thread_ts": moment,
                # An edit notifies nobody, so what is worse is said to the whole channel.
                "reply_broadcast": page.action != "resolve" and not quiet,
                **reply_of(page),
                **_PLAIN,
            },
        )
        return Outcome(delivered=True, reference=reference) if told.delivered else told

    async def _start(self, page: Page, alert: Alert) -> Outcome:
        return await self._say("chat.postMessage", page, alert, {"channel": self._channel, **_PLAIN})

    async def _say(self, method: str, page: Page, alert: Alert, where: Mapping[str, object]) -> Outcome:
        """One message with its blocks; if Slack does not like them, its plain text: a page beats its looks."""
        blocks = blocks_of(page)
        if self._acknowledge and page.action != "resolve" and alert.acknowledged is None:
            blocks.append(button(alert.incident_id))
        message = {**where, "text": fallback(page), "blocks": blocks}
        outcome = await self._call(method, message)
        if outcome.reason in _BLOCKS_REFUSED:
            plain = {
                **message,
                "blocks": list[object](),
                "text": "\n".join([fallback(page), page.link or ""]),
            }
            outcome = await self._call(method, plain)
        return outcome

    async def _call(self, method: str, arguments: Mapping[str, object]) -> Outcome:
        body = json.dumps(arguments, allow_nan=False, separators=(",", ":")).encode()
        answer = await self._post.exchange(
            body, self._headers, url=f"{self._url}/{method}", most_bytes=_ANSWER_BYTES
        )
        return answer if isinstance(answer, Outcome) else _outcome(answer)


_PLAIN = {"unfurl_links": False, "unfurl_media": False, "mrkdwn": False, "parse": "none", "link_names": False}
"""No previews, and nothing in the text that Slack would read as a name or an address."""


def _outcome(answer: Answer) -> Outcome:
    """Slack says 200 to nearly everything; the truth is in the body."""
    if answer.status != 200:
        return outcome_of(answer, hopeless=frozenset())
    said = answer.json()
    if said.get("ok") is True:
        return Outcome(delivered=True, reference=f"{said.get('channel', '')} {said.get('ts', '')}")
    error = str(said.get("error", "unreadable_answer"))
    reason = (
        error if error.isascii() and error.replace("_", "").isalnum() and len(error) < 64 else "unknown_error"
    )
    return Outcome(
        delivered=False, retry=reason not in _HOPELESS, reason=reason, retry_after=answer.retry_after
    )
