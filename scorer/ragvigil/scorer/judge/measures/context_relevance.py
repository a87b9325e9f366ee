"""Context relevance per passage: which of the retrieved passages help to answer the question.

`judge.context_relevant_share` is relevant passages over all, in [0, 1], above 0.7 wanted. `judge.context_precision` is
the average precision of the ranks, relevant ones first, above 0.5 wanted; none where no passage is relevant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.measures.measure import Finding
from ragvigil.scorer.judge.replies import PassagesReply, usable

SHARE = "judge.context_relevant_share"
PRECISION = "judge.context_precision"
_SHOWN = 3


class ContextRelevance:
    """Asks for a label for each passage."""

    version = "1"
    names: tuple[str, ...] = (SHARE, PRECISION)

    def __init__(self, *, share: float = 1.0) -> None:
        self.prompt: Prompt = usable("context_relevance", "context_relevance", ("query", "evidence"))
        self.share = share

    def concerns(self, service: str) -> bool:
        """All answers."""
        del service
        return True

    async def close(self) -> None:
        """It holds nothing of its own."""

    async def take(self, prepared: Prepared, asker: Asker) -> Finding:
        """Both figures with the label of each passage; none where nothing was retrieved or texts are missing."""
        record = prepared.record
        nothing = dict[str, float | None].fromkeys(self.names)
        if not (record.query or "").strip():
            return Finding(nothing, "the question is not known", {"state": "not_scoreable"})
        if not record.documents or any(not document.text for document in record.documents):
            reason = "texts of passages are missing" if record.documents else "no passage was seen"
            return Finding(nothing, reason, {"state": "not_scoreable"})
        digest = asker.digest(record)
        values = {name: digest[name] for name in ("query", "evidence")}
        names = prepared.names
        asked = await asker.ask(
            self.prompt,
            values,
            PassagesReply,
            language=language_of(prepared),
            objection=lambda reply: _objection(reply, names),
            of=record.trace_id,
        )
        completions = tuple(asked.completions)
        if asked.reply is None:
            reason = f"the reply could not be read: {asked.problem}"
            return Finding(nothing, reason, {"state": "unparseable"}, completions)
        labels = _labels(asked.reply)
        relevant = [labels[name][0] for name in names]
        idle = [name for name, helps in zip(names, relevant, strict=True) if not helps]
        details: dict[str, object] = {
            "state": "measured",
            "passages": [{"id": name, "relevant": labels[name][0], "why": labels[name][1]} for name in names],
        }
        why = "; ".join(f"{name}: {labels[name][1]}" for name in idle[:_SHOWN])
        reason = f"not relevant: {why}" if idle else "all passages are relevant"
        values_found = {SHARE: sum(relevant) / len(relevant), PRECISION: average_precision(relevant)}
        return Finding(values_found, reason, details, completions)


def average_precision(relevant: Sequence[bool]) -> float | None:
    """Mean over the relevant ranks of the share of relevant passages up to there; None without one.

    >>> average_precision([True, False, True]), average_precision([False])
    (0.8333333333333333, None)
    """
    seen, precisions = 0, list[float]()
    for rank, helps in enumerate(relevant, 1):
        if helps:
            seen += 1
            precisions.append(seen / rank)
    return sum(precisions) / len(precisions) if precisions else None


def _labels(reply: PassagesReply) -> Mapping[str, tuple[bool, str]]:
    """By id; of a passage that is labelled twice the first counts."""
    found: dict[str, tuple[bool, str]] = {}
    for one in reply.passages:
        found.setdefault(one.id.strip().removeprefix("[").removesuffix("]"), (one.relevant, one.why[:200]))
    return found


def _objection(reply: PassagesReply, names: Sequence[str]) -> str | None:
    lacking = [name for name in names if name not in _labels(reply)]
    return f"passages lacks {', '.join(lacking[:5])}; label each passage by its id" if lacking else None
