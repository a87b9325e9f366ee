"""Scores on Langfuse's traces and observations, through its batch ingestion API.

Written to the published API and tested against a local server that validates by its schema, not against Langfuse.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import cast

from ragvigil.exporters._alert import Outcome
from ragvigil.exporters._post import REFUSED, Post, check_address, outcome_of
from ragvigil.exporters._scores import Score, ScoredAnswer, Sent, digest
from ragvigil.exporters._text import showable
from ragvigil.exporters._wire import rfc3339

_MULTI_STATUS = 207
_ITS_OWN_FAULT = 500
_MOST_BYTES = 2**20
_ENVIRONMENT_CHARACTERS = 40


class LangfuseScores:
    """POSTs ``score-create`` events; ids are the same however often a score is sent.

    >>> LangfuseScores("https://cloud.langfuse.com", public_key="pk-lf-1", secret_key="hush")
    LangfuseScores('cloud.langfuse.com')
    """

    def __init__(self, url: str, *, public_key: str, secret_key: str, timeout_seconds: float = 15.0) -> None:
        """Raises ValueError when `url` is no address, ImportError without httpx."""
        self._post = Post(f"{url.rstrip('/')}/api/public/ingestion", timeout_seconds=timeout_seconds)
        known = base64.b64encode(f"{public_key}:{secret_key}".encode()).decode()
        self._headers = {"authorization": f"Basic {known}"}

    @staticmethod
    def check(*, url: str) -> None:
        """Raises ValueError when `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)

    def __repr__(self) -> str:
        return f"LangfuseScores({self._post.host!r})"

    async def send(self, answers: Sequence[ScoredAnswer]) -> Sent:
        """Hand over every score that has a value; Langfuse has no place for one without."""
        events = [
            _event(answer, score) for answer in answers for score in answer.scores if score.value is not None
        ]
        if not events:
            return Sent(delivered=True)
        body = json.dumps(showable({"batch": events}), allow_nan=False, separators=(",", ":")).encode()
        answer = await self._post.exchange(body, self._headers, most_bytes=_MOST_BYTES)
        if isinstance(answer, Outcome):
            return Sent(delivered=False, retry=True, reason=answer.reason)
        told = answer.json()
        if answer.status == _MULTI_STATUS or (answer.status // 100 == 2 and "errors" in told):
            return _judged(told)
        if answer.status // 100 == 2:
            return Sent(delivered=False, retry=True, reason="not_langfuse")
        outcome = outcome_of(answer, hopeless=REFUSED)
        return Sent(
            delivered=False, retry=outcome.retry, reason=outcome.reason, retry_after=outcome.retry_after
        )


def _judged(told: Mapping[str, object]) -> Sent:
    """What a multi-status says: events are refused or worth another try, each by its own status."""
    errors = told.get("errors")
    if not isinstance(told.get("successes"), list) or not isinstance(errors, list):
        return Sent(delivered=False, retry=True, reason="not_langfuse")
    statuses = [_status(one) for one in cast("list[object]", errors)]
    refused = [one for one in statuses if one in REFUSED]
    later = [one for one in statuses if one not in REFUSED]
    if not later:
        return Sent(delivered=True, refused=len(refused), reason=f"http_{refused[0]}" if refused else "")
    works = bool(told["successes"]) and all(one is not None and one >= _ITS_OWN_FAULT for one in later)
    stuck = {
        _id(error)
        for error, one in zip(cast("list[object]", errors), statuses, strict=True)
        if works and one not in REFUSED
    }
    return Sent(
        delivered=False,
        retry=True,
        reason=f"http_{later[0]}",
        refused=len(refused),
        stuck=frozenset(stuck),
    )


def _status(error: object) -> int | None:
    told = cast("dict[str, object]", error).get("status") if isinstance(error, dict) else None
    return told if isinstance(told, int) else None


def _id(error: object) -> str:
    return str(cast("dict[str, object]", error).get("id"))


def _event(answer: ScoredAnswer, score: Score) -> dict[str, object]:
    identity = answer.score_id(score)
    body: dict[str, object] = {
        "id": identity,
        "traceId": answer.trace_id,
        "observationId": answer.span_id,
        "name": score.name,
        "value": score.value,
        "dataType": "NUMERIC",
        "metadata": {"instrument": score.instrument, "label": score.label, "input_hash": score.input_hash},
    }
    if score.explanation is not None:
        body["comment"] = score.explanation
    if answer.environment:
        body["environment"] = _environment(answer.environment)
    return {
        "id": digest("event", identity, score.value, score.label, score.instrument, score.at),
        "timestamp": rfc3339(datetime.fromtimestamp(score.at / 1e9, UTC)),
        "type": "score-create",
        "body": body,
    }


def _environment(name: str) -> str:
    """As Langfuse allows: lower case, digits, ``-`` and ``_``, not beginning with its own name.

    >>> _environment("Production EU"), _environment("langfuse-x")
    ('production-eu', 'x-langfuse-x')
    """
    plain = "".join(one if one.isascii() and (one.isalnum() or one in "-_") else "-" for one in name.lower())
    return (f"x-{plain}" if plain.startswith("langfuse") else plain)[:_ENVIRONMENT_CHARACTERS]
