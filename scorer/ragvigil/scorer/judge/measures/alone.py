"""A criterion as if it were the judge: to be held against people's labels of it, as a judge is."""

from __future__ import annotations

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.criteria import Criterion
from ragvigil.scorer.judge.measures.criterion import CriterionMeasure
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import State, Verdict


class CriterionAlone:
    """Passes what meets the criterion."""

    def __init__(self, criterion: Criterion, asker: Asker) -> None:
        self._measure = CriterionMeasure(criterion)
        self._asker = asker

    @property
    def name(self) -> str:
        """The kind of endpoint."""
        return self._asker.name

    @property
    def version(self) -> str:
        """Version of the code and name of the model."""
        return f"{self._measure.version}+{self._asker.model}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """Supported when the criterion is met, unsupported when not, else no verdict."""
        found = await self._measure.take(Prepared(record), self._asker)
        value = found.values[self._measure.names[0]]
        state: State = "not_scoreable" if value is None else "supported" if value else "unsupported"
        return Verdict(self.name, self.version, rubric.digest, state, value, value, reason=found.reason)

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._asker.close()
