"""Retrieval for the example service: BM25 over the passages, by the library bm25s."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from ragvigil.scorer.demo.corpus import Passage
from ragvigil.scorer.errors import MissingExtraError

_WORD = re.compile(r"\w[\w.]*\w|\w")
_PART = re.compile(r"[._]+")
_STOPWORDS: frozenset[str] = frozenset(
    json.loads(files("ragvigil.scorer.demo").joinpath("vocabulary.json").read_text(encoding="utf-8"))[
        "stopwords"
    ]
)
_LONGEST_PLURAL_KEPT = 3
_LIBRARY = "bm25s"


@dataclass(frozen=True, slots=True)
class Hit:
    """One passage that answers a query, with its BM25 score."""

    document: Passage
    score: float


def terms(text: str) -> list[str]:
    """The search terms of a text: lower case, singular, dotted names whole and in parts, no stop words.

    >>> terms("What does textwrap.dedent do to my lines?")
    ['textwrap.dedent', 'textwrap', 'dedent', 'line']
    """
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        parts = [part for part in _PART.split(word) if part]
        found += [word, *parts] if len(parts) > 1 else parts
    return [_singular(word) for word in found if word not in _STOPWORDS]


def _singular(word: str) -> str:
    plural = len(word) > _LONGEST_PLURAL_KEPT and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural else word


def refuse_without_library() -> None:
    """MissingExtraError where nothing could search: told before processes are started, not by one that ended."""
    if find_spec(_LIBRARY) is None:
        raise MissingExtraError("demo", _LIBRARY)


class Index:
    """A BM25 index of passages, in memory."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        """Index `passages`; raises MissingExtraError without the library."""
        refuse_without_library()
        bm25s: Any = importlib.import_module(_LIBRARY)
        self._passages = tuple(passages)
        self._bm25 = bm25s.BM25()
        # The name once more: what a passage documents outweighs what it mentions.
        corpus = [terms(f"{passage.name} {passage.text}") for passage in self._passages]
        self._bm25.index(corpus, show_progress=False)

    def search(self, query: str, *, top_k: int = 5) -> tuple[Hit, ...]:
        """The best `top_k` passages that share a term with `query`, best first."""
        tokens = terms(query)
        if not tokens:
            return ()
        limit = min(top_k, len(self._passages))
        rows, scores = self._bm25.retrieve([tokens], k=limit, show_progress=False)
        return tuple(
            Hit(self._passages[int(row)], float(score))
            for row, score in zip(rows[0], scores[0], strict=True)
            if score > 0
        )
