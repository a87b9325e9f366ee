"""duplicate_retrieval: share of the passages that say again what passages before them say.

Range [0, 1], 0 is good. Again is one of which four fifths of the characters stand, sentence by sentence, in
earlier passages: a whole repetition, the same document under two ids, or an overlap so large that it takes a
place without adding anything. None where fewer than two passages have a text.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_SHARE = 0.8
_MOST_LISTED = 20


def _measure(prepared: Prepared) -> Finding:
    evidence = prepared.evidence if sum(bool(one.text) for one in prepared.record.documents) > 1 else None
    if evidence is None:
        return Finding(None, "there are fewer than two passages with a text")
    passages, texts = evidence.passage_of, evidence.said
    held = len(set(passages))
    if held < 2:
        return Finding(None, "there are fewer than two passages with a text")
    repeated = _repeated(passages, texts) if len(set(texts)) < len(texts) else []
    names = [evidence.names[place] for place in repeated]
    return Finding(
        len(names) / held,
        f"say again what others say: {', '.join(name[:60] for name in names[:3])}" if names else None,
        {"repeated": names[:_MOST_LISTED]} if names else {},
    )


def _repeated(passages: Sequence[int], texts: Sequence[str]) -> list[int]:
    """The passages of which most stands in earlier ones, by sentences: whose passage, and what it says."""
    first: dict[str, int] = {}
    total: defaultdict[int, int] = defaultdict(int)
    again: defaultdict[int, int] = defaultdict(int)
    for passage, text in zip(passages, texts, strict=True):
        total[passage] += len(text)
        if first.setdefault(text, passage) != passage:
            again[passage] += len(text)
    return [passage for passage, size in total.items() if again[passage] >= _SHARE * size]


CHECK = Check("duplicate_retrieval", "1", _measure, better="low", cost="question")
