"""Questions for the example service: those people really ask, among thousands made from the corpus."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib.resources import files

from ragvigil.scorer.demo.corpus import Passage
from ragvigil.scorer.demo.retrieval import terms


def load_questions(corpus: Sequence[Passage], *, seed: int = 0) -> tuple[str, ...]:
    """Every question, once, in an order that `seed` alone decides."""
    data = json.loads(files("ragvigil.scorer.demo").joinpath("questions.json").read_text(encoding="utf-8"))
    asked = [str(question) for question in data["asked"]]
    made = _from_corpus(corpus, data["templates"])
    distinct = dict.fromkeys([*asked, *made])
    return tuple(sorted(distinct, key=lambda question: _order(question, seed)))


def _from_corpus(corpus: Sequence[Passage], templates: dict[str, list[str]]) -> Iterable[str]:
    for passage in corpus:
        if passage.id.endswith("#0") and terms(passage.name):
            for template in templates[passage.kind]:
                yield template.format(name=passage.name)


def _order(question: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed}:{question}".encode()).digest()
