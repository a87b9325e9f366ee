"""Answer correctness where a reference exists: accuracy, completeness and relevance, each with its sentence.

Points from 1 to 5 become values in [0, 1]. A required fact counts as stated, and a forbidden claim as made, only when
the sentence that the model quotes stands in the answer; a required fact that is missing costs completeness, a
forbidden claim that is made costs accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.endpoint import Completion
from ragvigil.scorer.judge.measures.measure import Finding
from ragvigil.scorer.judge.quoting import found_in
from ragvigil.scorer.judge.replies import CorrectnessReply, usable

ACCURACY = "judge.factual_accuracy"
COMPLETENESS = "judge.completeness"
RELEVANCE = "judge.relevance"
REQUIRED = "judge.required_facts"
_FIELDS = ("query", "reference", "required_facts", "forbidden_claims", "answer")
_MOST = 5
"""Points there are, from 1."""
_MISSING, _FORBIDDEN = 3, 1
"""Most points of completeness without a required fact, and of accuracy with a forbidden claim."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a right answer says."""

    answer: str
    required: tuple[str, ...] = ()
    """Facts that it must state."""
    forbidden: tuple[str, ...] = ()
    """Claims that it must not make."""


class Correctness:
    """Compares one answer with its reference."""

    version = "1"
    share = 1.0
    names: tuple[str, ...] = (ACCURACY, COMPLETENESS, RELEVANCE, REQUIRED)

    def __init__(self, reference: Reference) -> None:
        self.prompt: Prompt = usable("correctness", "correctness", _FIELDS)
        self._reference = reference

    def concerns(self, service: str) -> bool:
        """All answers."""
        del service
        return True

    async def close(self) -> None:
        """It holds nothing of its own."""

    async def take(self, prepared: Prepared, asker: Asker) -> Finding:
        """The four figures; `judge.required_facts` is the share of them that is stated, none without any."""
        digest = asker.digest(prepared.record)
        values: Mapping[str, object] = {
            "query": digest["query"],
            "reference": self._reference.answer,
            "required_facts": _numbered(self._reference.required),
            "forbidden_claims": _numbered(self._reference.forbidden),
            "answer": digest["answer"],
        }
        asked = await asker.ask(
            self.prompt,
            values,
            CorrectnessReply,
            language=language_of(prepared),
            objection=self._objection,
            of=prepared.record.trace_id,
        )
        completions = tuple(asked.completions)
        if asked.reply is None:
            reason = f"the reply could not be read: {asked.problem}"
            nothing = dict[str, float | None].fromkeys(self.names)
            return Finding(nothing, reason, {"state": "unparseable"}, completions)
        return self._found(asked.reply, prepared, completions)

    def _found(
        self, reply: CorrectnessReply, prepared: Prepared, completions: tuple[Completion, ...]
    ) -> Finding:
        stated, made = _quoted(reply, prepared.answer)
        required = self._reference.required
        missing = [fact for number, fact in enumerate(required, 1) if number not in stated]
        forbidden = [one for number, one in enumerate(self._reference.forbidden, 1) if number in made]
        values: dict[str, float | None] = {
            ACCURACY: _share(reply.factual_accuracy.points, _FORBIDDEN if made else _MOST),
            COMPLETENESS: _share(reply.completeness.points, _MISSING if missing else _MOST),
            RELEVANCE: _share(reply.relevance.points, _MOST),
            REQUIRED: (len(required) - len(missing)) / len(required) if required else None,
        }
        said = sum(one.stated for one in reply.required) + sum(one.stated for one in reply.forbidden)
        details: dict[str, object] = {
            "state": "measured",
            "missing": missing,
            "forbidden": forbidden,
            "decided_by": {
                "factual_accuracy": reply.factual_accuracy.sentence,
                "completeness": reply.completeness.sentence,
                "relevance": reply.relevance.sentence,
            },
            "flags": ["sentence_not_in_answer"] if said > len(stated) + len(made) else [],
        }
        problems = [*(f"lacks: {one}" for one in missing), *(f"says: {one}" for one in forbidden)]
        return Finding(values, "; ".join(problems) or None, details, completions)

    def _objection(self, reply: CorrectnessReply) -> str | None:
        asked = (
            ("required", len(self._reference.required), {one.fact for one in reply.required}),
            ("forbidden", len(self._reference.forbidden), {one.claim for one in reply.forbidden}),
        )
        for name, size, told in asked:
            lacking = sorted(set(range(1, size + 1)) - told)
            if lacking:
                return f"{name} lacks {', '.join(map(str, lacking[:10]))}; one object for each"
        return None


def _quoted(reply: CorrectnessReply, answer: str) -> tuple[set[int], set[int]]:
    """The numbers of the required facts and of the forbidden claims whose sentence stands in the answer."""
    stated = {one.fact for one in reply.required if one.stated and found_in(one.sentence or "", answer)}
    made = {one.claim for one in reply.forbidden if one.stated and found_in(one.sentence or "", answer)}
    return stated, made


def _share(points: int, most: int) -> float:
    return (min(points, most) - 1) / (_MOST - 1)


def _numbered(texts: Sequence[str]) -> list[dict[str, object]]:
    return [{"number": number, "text": said} for number, said in enumerate(texts, 1)]
