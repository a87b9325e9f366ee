"""All measures on one record after another."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.endpoint import Completion, RefusedError, UnavailableError
from ragvigil.scorer.judge.measures.measure import Finding, Measure
from ragvigil.scorer.judge.obstacles import without_content
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Measured, Verdict

_log = logging.getLogger(__name__)


class Measuring:
    """Takes every measure that concerns a record, at once, and adds them to its verdict."""

    def __init__(
        self,
        asker: Asker,
        measures: Sequence[Measure],
        *,
        citing: Callable[[str], Rules] = any_style,
        sampling: bool = True,
    ) -> None:
        """`citing` says how a service cites; without `sampling` every record is asked about, whatever the share."""
        self._sampling = sampling
        self._asker = asker
        self._measures = tuple(measures)
        self._citing = citing

    @property
    def names(self) -> tuple[str, ...]:
        """Of all series."""
        return tuple(name for measure in self._measures for name in measure.names)

    async def added(self, verdict: Verdict, record: RagTrace) -> Verdict:
        """The verdict with what was measured of its record, and with what that cost.

        A record without an answer is not measured. Raises UnavailableError when the endpoint does not answer.
        """
        wanted = [
            one
            for one in self._measures
            if one.concerns(record.service)
            and (not self._sampling or drawn(record.trace_id, one.names[0], one.share))
        ]
        if not wanted or without_content(record) is not None:
            return verdict
        prepared = Prepared(record, rules=self._citing(record.service))
        taken = await asyncio.gather(*(self._take(one, prepared) for one in wanted), return_exceptions=True)
        findings = [one for one in taken if isinstance(one, Finding)]
        for one in taken:
            if isinstance(one, BaseException):
                self._asker.owe(
                    [*_spent_on(verdict), *(paid for found in findings for paid in found.completions)]
                )
                raise one
        measured = [
            one
            for measure, found in zip(wanted, findings, strict=True)
            for one in self._measured(measure, found)
        ]
        cost = self._asker.usage([one for found in findings for one in found.completions])
        usage = _sum(verdict.details.get("usage"), cost)
        return replace(verdict, measured=tuple(measured), details={**verdict.details, "usage": usage})

    async def close(self) -> None:
        """Let go of the endpoints."""
        for measure in self._measures:
            await measure.close()
        await self._asker.close()

    async def _take(self, measure: Measure, prepared: Prepared) -> Finding:
        """What the measure finds; one that fails costs itself only."""
        try:
            return await measure.take(prepared, self._asker)
        except RefusedError as error:
            return Finding(dict.fromkeys(measure.names), f"the model refused: {error}", {"state": "failed"})
        except UnavailableError:
            raise
        except Exception as error:
            _log.exception("%s failed on trace %s", measure.names[0], prepared.record.trace_id)
            reason = f"it failed: {type(error).__name__}"
            return Finding(dict.fromkeys(measure.names), reason, {"state": "failed"})

    def _measured(self, measure: Measure, found: Finding) -> list[Measured]:
        return [
            Measured(
                name=name,
                judge=self._asker.name,
                judge_version=f"{measure.version}+{self._asker.answered_as(found.completions)}",
                prompt_digest=measure.prompt.digest,
                value=value,
                reason=found.reason,
                details=found.details,
                share=measure.share if self._sampling else 1.0,
            )
            for name, value in found.values.items()
        ]


def drawn(trace_id: str, name: str, share: float) -> bool:
    """Whether a measure is asked about a record: by a hash of both, so that a restart draws the same.

    It is another hash than the sampler's: among judged records the draw is independent of theirs.

    >>> sum(drawn(f"{number:032x}", "criteria.tone", 0.25) for number in range(1000))
    249
    """
    if share >= 1.0:
        return True
    digest = hashlib.sha256(f"{name} {trace_id}".encode()).digest()
    return int.from_bytes(digest[:8]) / 2**64 < share


def _spent_on(verdict: Verdict) -> Iterator[Completion]:
    """What a verdict cost that will be asked for once more, as one completion; some judges tell their calls alone."""
    usage = verdict.details.get("usage")
    if isinstance(usage, Mapping):
        told = cast("Mapping[str, int | None]", usage)
        yield Completion(
            "",
            None,
            cut=False,
            input_tokens=int(told.get("input_tokens") or 0),
            output_tokens=int(told.get("output_tokens") or 0),
            calls=int(told.get("calls") or 0),
        )


def _sum(first: object, second: Mapping[str, object]) -> dict[str, object]:
    """Both usages together; dollars are known when those of both are."""
    if not isinstance(first, Mapping):
        return dict(second)
    known = cast("Mapping[str, object]", first)

    def figure(usage: Mapping[str, object], name: str) -> float | None:
        value = usage.get(name)
        return value if isinstance(value, int | float) else None

    sums: dict[str, object] = {}
    for name in {**known, **second}:
        one, other = figure(known, name), figure(second, name)
        if name == "cost_usd":
            sums[name] = None if one is None or other is None else one + other
        else:
            sums[name] = (one or 0) + (other or 0)
    return sums
