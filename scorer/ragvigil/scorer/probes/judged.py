"""The judge under probe: each content is judged once, some at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import cast

from ragvigil.prompts import Prompt
from ragvigil.scorer.judge import Judge
from ragvigil.scorer.judge.endpoint import UnavailableError
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

_log = logging.getLogger(__name__)


class Judged:
    """Verdicts of one judge, and of the same judge instructed in one language or another."""

    def __init__(
        self, judge: Judge, rubric: Prompt, *, instructed: Mapping[str, Judge], at_once: int
    ) -> None:
        """`instructed` by language code; empty for a judge that takes no instructions."""
        self._judge = judge
        self._rubric = rubric
        self._instructed = instructed
        self._gate = asyncio.Semaphore(at_once)
        self._asked: dict[tuple[str, str | None], asyncio.Task[Verdict | None]] = {}

    @property
    def languages(self) -> tuple[str, ...]:
        """In which it can be instructed."""
        return tuple(self._instructed)

    @property
    def verdicts(self) -> list[Verdict]:
        """All that it gave."""
        done = (task.result() for task in self._asked.values() if task.done())
        return [verdict for verdict in done if verdict is not None]

    async def verdict(self, record: RagTrace, instructed_in: str | None = None) -> Verdict | None:
        """What it says of the record; None when it failed. UnavailableError is no failure of the judge's."""
        key = (record.trace_id, instructed_in)
        if key not in self._asked:
            self._asked[key] = asyncio.create_task(self._ask(record, instructed_in))
        return await self._asked[key]

    async def _ask(self, record: RagTrace, instructed_in: str | None) -> Verdict | None:
        judge = self._judge if instructed_in is None else self._instructed[instructed_in]
        async with self._gate:
            try:
                return await judge.judge(record, self._rubric)
            except UnavailableError:
                raise
            except Exception as error:
                _log.warning("the judge failed on a probe: %s", error)
                return None


def scores(verdict: Verdict) -> Mapping[str, int]:
    """The rubric scores; none of a judge that gives none."""
    found = verdict.details.get("scores")
    return cast("Mapping[str, int]", found) if isinstance(found, Mapping) else {}
