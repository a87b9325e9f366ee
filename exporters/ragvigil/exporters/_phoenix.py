"""Scores as annotations on Phoenix's spans."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragvigil.exporters._alert import Outcome
from ragvigil.exporters._post import REFUSED, Post, check_address, outcome_of
from ragvigil.exporters._scores import Score, ScoredAnswer, Sent
from ragvigil.exporters._text import showable

_MOST_BYTES = 2**20
_IDENTIFIER = "ragvigil"
"""Phoenix keeps one annotation for each span, name and identifier: sending it again overwrites it."""


class PhoenixScores:
    """POSTs span annotations, which Phoenix keeps until their spans are there.

    >>> PhoenixScores("http://phoenix:6006")
    PhoenixScores('phoenix')
    """

    def __init__(self, url: str, *, api_key: str | None = None, timeout_seconds: float = 15.0) -> None:
        """Raises ValueError when `url` is no address, ImportError without httpx."""
        self._post = Post(f"{url.rstrip('/')}/v1/span_annotations", timeout_seconds=timeout_seconds)
        self._headers = {} if api_key is None else {"authorization": f"Bearer {api_key}"}

    @staticmethod
    def check(*, url: str) -> None:
        """Raises ValueError when `url` cannot be used; sends nothing and needs no httpx."""
        check_address(url)

    def __repr__(self) -> str:
        return f"PhoenixScores({self._post.host!r})"

    async def send(self, answers: Sequence[ScoredAnswer]) -> Sent:
        """Hand over every score that says anything."""
        data = [
            _annotation(answer, score)
            for answer in answers
            for score in answer.scores
            if (score.value, score.label, score.explanation) != (None, None, None)
        ]
        if not data:
            return Sent(delivered=True)
        body = json.dumps(showable({"data": data}), allow_nan=False, separators=(",", ":")).encode()
        answer = await self._post.exchange(body, self._headers, most_bytes=_MOST_BYTES)
        if isinstance(answer, Outcome):
            return Sent(delivered=False, retry=True, reason=answer.reason)
        outcome = outcome_of(answer, hopeless=REFUSED)
        if outcome.delivered and "data" not in answer.json():
            return Sent(delivered=False, retry=True, reason="not_phoenix")
        return Sent(outcome.delivered, outcome.retry, outcome.reason, outcome.retry_after)


def _annotation(answer: ScoredAnswer, score: Score) -> dict[str, object]:
    result = {"score": score.value, "label": score.label, "explanation": score.explanation}
    return {
        "span_id": answer.span_id,
        "name": score.name,
        "annotator_kind": "LLM" if score.kind == "model" else "CODE",
        "result": {name: value for name, value in result.items() if value is not None},
        "metadata": {"instrument": score.instrument, "input_hash": score.input_hash},
        "identifier": _IDENTIFIER,
    }
