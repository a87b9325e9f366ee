"""A retriever of one's own to compare chunks with: BM25 over the stems of words, offline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from ragvigil.scorer.checks.reading.words import words

_K1, _B = 1.2, 0.75
_LONGEST = 100_000


class Keyword:
    """BM25 (Robertson & Zaragoza 2009, section 3.3) with k1 = 1.2 and b = 0.75; words without meaning are left out."""

    def search(
        self, corpus: Mapping[str, Mapping[str, str]], queries: Mapping[str, str], top_k: int
    ) -> dict[str, dict[str, float]]:
        """Scores by id of query and of passage, of the best `top_k` that share a word with the query.

        >>> found = Keyword().search({"a": {"text": "cats purr"}, "b": {"text": "dogs bark"}}, {"q": "Why do cats?"}, 5)
        >>> {query: list(scores) for query, scores in found.items()}
        {'q': ['a']}
        """
        bags = {
            name: Counter(_stems(f"{one.get('title', '')} {one['text']}")) for name, one in corpus.items()
        }
        holders: dict[str, list[str]] = {}
        for name, bag in bags.items():
            for stem in bag:
                holders.setdefault(stem, []).append(name)
        sizes = {name: bag.total() for name, bag in bags.items()}
        usual = sum(sizes.values()) / max(1, len(sizes)) or 1.0
        found: dict[str, dict[str, float]] = {}
        for query, text in queries.items():
            scores: dict[str, float] = {}
            for stem in dict.fromkeys(_stems(text)):
                names = holders.get(stem, [])
                rarity = math.log1p((len(bags) - len(names) + 0.5) / (len(names) + 0.5))
                for name in names:
                    count = bags[name][stem]
                    room = count + _K1 * (1.0 - _B + _B * sizes[name] / usual)
                    scores[name] = scores.get(name, 0.0) + rarity * count * (_K1 + 1.0) / room
            best = sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:top_k]
            found[query] = dict(best)
        return found


def _stems(text: str) -> list[str]:
    return [word.stem for word in words(text[:_LONGEST]) if word.content]
