"""The citations of answers that people wrote down by hand, in twelve styles with traps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel, TypeAdapter

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.config import Citing
from ragvigil.scorer.config.citing import CitationStyle
from ragvigil.scorer.scoring.citing import CitingRules
from ragvigil.scorer.trace import Document, RagTrace

CORPUS = Path(__file__).parent / "corpus"
_MARK = re.compile("⟦([^⟦⟧]*)⇒([^⟦⟧]*)⟧")
Found = Counter[tuple[int, int, str | None]]


class Row(BaseModel):
    """One passage."""

    id: str | None = None
    text: str = "A passage."
    metadata: dict[str, object] = {}


_SETS = TypeAdapter(dict[str, list[Row]])
_RULES = CitingRules({style: Citing(usual=style) for style in get_args(CitationStyle)})
"""Of services that are named for how they cite."""


@dataclass(frozen=True, slots=True)
class Case:
    """One answer with the citations that a person found in it."""

    style: str
    documents: tuple[Document, ...]
    answer: str
    expected: Found
    """(start, end, id of the passage or None for a dead citation), counted."""
    rules: Rules = EVERYTHING
    """How the service is known to cite."""


def cases(name: str) -> Iterator[Case]:
    """The answers of one file."""
    sets = _SETS.validate_json((CORPUS / "citations_documents.json").read_bytes())
    for line in (CORPUS / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            style, documents, marked, *usual = line.split("\t")
            answer, expected = _read(marked.replace("\\r\\n", "\r\n").replace("\\n", "\n"))
            yield Case(
                style,
                _documents(sets[documents]),
                answer,
                expected,
                _RULES.of(usual[0]) if usual else EVERYTHING,
            )


def _documents(rows: Sequence[Row]) -> tuple[Document, ...]:
    return tuple(
        Document(row.id, row.text, rank=rank, metadata=row.metadata) for rank, row in enumerate(rows, 1)
    )


def _read(marked: str) -> tuple[str, Found]:
    answer, position, expected = "", 0, Found()
    for mark in _MARK.finditer(marked):
        answer += marked[position : mark.start()]
        span = (len(answer), len(answer) + len(mark[1]))
        expected.update((*span, None if one == "!" else one) for one in mark[2].split("|"))
        answer += mark[1]
        position = mark.end()
    return answer + marked[position:], expected


def found_in(case: Case) -> Found:
    """What the parser reads."""
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, answer=case.answer, documents=tuple(case.documents))
    return Counter((one.start, one.end, one.id) for one in Prepared(record, rules=case.rules).citations)


def f1(read: Sequence[Case]) -> float:
    """F1 over (place, passage)."""
    hits = total = 0
    for case in read:
        found = found_in(case)
        hits += (found & case.expected).total()
        total += found.total() + case.expected.total()
    return 2 * hits / total


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("citations_dev.txt", 0.999),
        ("citations_frozen.txt", 0.998),
        ("citations_lookalikes.txt", 0.99),
        ("citations_lookalikes_frozen.txt", 0.99),
        ("citations_words.txt", 0.99),
        ("citations_usual.txt", 0.97),
        ("citations_fresh.txt", 0.98),
        ("citations_unseen.txt", 0.97),
        ("citations_habits.txt", 0.99),
        ("citations_plain.txt", 0.96),
    ],
)
def test_citations_are_read_as_people_read_them(name: str, least: float) -> None:
    """F1 over the place and the passage of each citation; the frozen half was measured before it was looked at."""
    assert f1(list(cases(name))) >= least


def test_the_corpus_is_large_and_has_twelve_styles() -> None:
    """At least 400 answers; each file has every style, and answers without a citation."""
    both = [list(cases(name)) for name in ("citations_dev.txt", "citations_frozen.txt")]
    assert sum(map(len, both)) >= 400
    for half in both:
        styles = Counter(case.style for case in half)
        assert len(styles) == 12
        assert min(styles.values()) >= 12
