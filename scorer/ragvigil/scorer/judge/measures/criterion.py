"""A criterion of the team's own as a measure: 1 pass, 0 fail, none where it does not concern the answer."""

from __future__ import annotations

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.criteria import Criterion
from ragvigil.scorer.judge.measures.measure import Finding
from ragvigil.scorer.judge.obstacles import without_evidence
from ragvigil.scorer.judge.quoting import found_in
from ragvigil.scorer.judge.replies import CriterionReply

_LONGEST_CRITIQUE = 1_000


class CriterionMeasure:
    """Asks whether the criterion is met."""

    version = "2"

    def __init__(self, criterion: Criterion) -> None:
        self._criterion = criterion
        self.names: tuple[str, ...] = (criterion.name,)
        self.prompt: Prompt = criterion.prompt
        self.share: float = criterion.share

    def concerns(self, service: str) -> bool:
        """Whether it is about answers of that service."""
        return not self._criterion.services or service in self._criterion.services

    async def close(self) -> None:
        """It holds nothing of its own."""

    async def take(self, prepared: Prepared, asker: Asker) -> Finding:
        """Pass or fail with the critique; a quotation that the answer does not hold is flagged."""
        name = self._criterion.name
        obstacle = without_evidence(prepared) if "evidence" in self._criterion.shows else None
        if obstacle is not None:
            return Finding({name: None}, obstacle[1], {"state": obstacle[0]})
        digest = asker.digest(prepared.record, prepared.citations)
        values = {key: value for key, value in digest.items() if key in self._criterion.shows}
        asked = await asker.ask(
            self.prompt,
            values,
            CriterionReply,
            language=language_of(prepared),
            of=prepared.record.trace_id,
        )
        completions = tuple(asked.completions)
        reply = asked.reply
        if reply is None:
            reason = f"the reply could not be read: {asked.problem}"
            return Finding({name: None}, reason, {"state": "unparseable"}, completions)
        flags: list[str] = []
        if reply.quote and not found_in(reply.quote, prepared.answer):
            flags.append("quote_not_in_answer")
        value = {"pass": 1.0, "fail": 0.0, "not_applicable": None}[reply.verdict]
        details: dict[str, object] = {"state": reply.verdict, "quote": reply.quote, "flags": flags}
        return Finding({name: value}, reply.critique[:_LONGEST_CRITIQUE], details, completions)
