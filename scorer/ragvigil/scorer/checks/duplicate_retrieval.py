"""duplicate_retrieval: share of the passages that say again what passages before them say.

Range [0, 1], 0 is good. Again is one of which four fifths of the characters stand, sentence by sentence, in
earlier passages: a whole repetition, the same document under two ids, or an overlap so large that it takes a
place without adding anything. None where fewer than two passages have a text.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_SHARE = 0.8
_MOST_LISTED = 20


def _measure(prepared: Prepared) -> Finding:
    evidence = prepared.evidence if sum(bool(one.text) for one in prepared.record.documents) > 1 else None
    if evidence is None:
        return Finding(None, "there are fewer than two passages with a text")
    count = len(evidence.names)
    first: dict[str, int] = {}
    total, again = [0] * count, [0] * count
    for segment in evidence.segments:
        text = segment.text[slice(*segment.span)] if segment.span else f"{segment.path} {segment.value}"
        passage = segment.passage
        total[passage] += len(text)
        if first.setdefault(text, passage) != passage:
            again[passage] += len(text)
    repeated = [place for place in range(count) if total[place] and again[place] >= _SHARE * total[place]]
    held = sum(size > 0 for size in total)
    if held < 2:
        return Finding(None, "there are fewer than two passages with a text")
    names = [evidence.names[place] for place in repeated]
    return Finding(
        len(names) / held,
        f"say again what others say: {', '.join(name[:60] for name in names[:3])}" if names else None,
        {"repeated": names[:_MOST_LISTED]} if names else {},
    )


CHECK = Check("duplicate_retrieval", "1", _measure, better="low", cost="question")
