"""What anybody would write in an afternoon, in plain Python: the yardstick for the speed of all that is Python here.

Cited ids exist (pattern and set), quotes are found verbatim, numbers are found, sentences overlap by words.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Sequence

from ragvigil.scorer.trace import Document, RagTrace

_SYLLABLES = (
    "ba",
    "de",
    "fi",
    "go",
    "lu",
    "ma",
    "ne",
    "pi",
    "ro",
    "su",
    "ta",
    "ve",
    "xo",
    "kra",
    "sto",
    "pla",
)
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d[\d.,]*")
_CITED = re.compile(r"\[([^\[\]]+)\]")
_QUOTED = re.compile(r'"([^"]+)"')
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def loop_seconds(items: int = 200) -> float:
    """CPU seconds that the loop takes for an answer, here and now: the mean of `items` made ones."""
    records = made_records(items)
    started = time.process_time()
    for record in records:
        plain_loop(record)
    return (time.process_time() - started) / items


def plain_loop(record: RagTrace) -> tuple[float, bool, float, float]:
    """Shares of cited ids that exist, whether quotes are verbatim, shares of numbers and of sentences found."""
    answer, texts = record.answer or "", [document.text or "" for document in record.documents]
    ids = {document.id for document in record.documents}
    cited = _CITED.findall(answer)
    quoted = all(any(quote in text for text in texts) for quote in _QUOTED.findall(answer))
    numbers = {number for text in texts for number in _NUMBER.findall(text)}
    mine = _NUMBER.findall(answer)
    vocabularies = [set(_WORD.findall(text.lower())) for text in texts]
    shares = [
        max(len(words & vocabulary) for vocabulary in vocabularies) / len(words)
        for sentence in _SENTENCE.split(answer)
        if (words := set(_WORD.findall(sentence.lower())))
    ]
    return (
        sum(one in ids for one in cited) / max(1, len(cited)),
        quoted,
        sum(one in numbers for one in mine) / max(1, len(mine)),
        sum(share >= 0.5 for share in shares) / max(1, len(shares)),
    )


def made_records(count: int) -> list[RagTrace]:
    """So many records with an answer of about 1 kB and 10 passages of about 1 kB, from a fixed seed."""
    source = random.Random(7)
    vocabulary = ["".join(source.choices(_SYLLABLES, k=source.randint(1, 4))) for _ in range(4000)]
    return [_record(number, source, vocabulary) for number in range(count)]


def _record(number: int, source: random.Random, vocabulary: Sequence[str]) -> RagTrace:
    texts = [_text(source, vocabulary, 1000) for _ in range(10)]
    sentences = [sentence for text in texts for sentence in _SENTENCE.split(text)]
    chosen = [*source.sample(sentences, 4), *_SENTENCE.split(_text(source, vocabulary, 600))]
    answer = " ".join(f"{one[:-1]} [doc-{source.randint(1, 11)}#{number}]." for one in chosen)[:1000]
    return RagTrace(
        trace_id=f"{number:032x}",
        span_id="1" * 16,
        service="bench",
        started_at=0,
        query=" ".join(source.choices(vocabulary, k=8)) + "?",
        answer=answer,
        documents=tuple(
            Document(f"doc-{rank}#{number}", text, rank=rank) for rank, text in enumerate(texts, 1)
        ),
    )


def _text(source: random.Random, vocabulary: Sequence[str], length: int) -> str:
    words: list[str] = []
    while sum(map(len, words)) + len(words) < length:
        sentence = [_token(source, vocabulary) for _ in range(source.randint(8, 24))]
        words += [sentence[0].capitalize(), *sentence[1:-1], sentence[-1] + "."]
    return " ".join(words)


def _token(source: random.Random, vocabulary: Sequence[str]) -> str:
    kind = source.random()
    if kind < 0.03:
        return str(source.randint(2, 3000))
    if kind < 0.4:
        return source.choice(("the", "of", "and", "is", "not", "in", "to", "a"))
    return vocabulary[int(len(vocabulary) * source.random() ** 2)]
