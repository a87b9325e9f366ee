"""The same applications with other questions, passages and answers: the record holds those, and all else stays."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.span import LogEvent, Span, logs_of, spans_of
from ragvigil.scorer.trace import Document, RagTrace

from .conftest import TRACES
from .rewording import Rewording

RECORDED = Path(__file__).parent / "recorded"
PATHS = sorted(
    path for path in (*RECORDED.glob("*.pb.gz"), *TRACES.glob("*.pb")) if ".logs." not in path.name
)
IN_PIECES = ("langsmith-by_decorators-stream", "mlflow-by_decorators-stream")
"""Their answers stand on the wire in pieces only."""
JOINED = ("genai-langchain-graph", "genai-langchain-retrieval_qa")
"""Their passages stand in the prompt only, a blank line between two: texts with such lines cannot be told apart."""
PARTED = "google-"
"""Their passages are parts of a message without a mark: texts that may be something else make the record incomplete."""
THEMES = {
    "japanese": ("富士山の標高は何メートルですか\uff1f", "標高は3776メートルです[1]。", "富士山は3776メートルです。"),
    "arabic": ("متى تغادر العبارة؟", "تغادر في الساعة التاسعة [1].", "تغادر العبارة الميناء في التاسعة صباحا."),
    "hindi": ("नौका कब चलती है?", "नौका नौ बजे चलती है [1]।", "नौका सुबह नौ बजे बंदरगाह से चलती है।"),
    "long": (f"Why is it {'very ' * 300}long?", "It is so. " * 300 + "[1]", "A long passage. " * 500 + "End."),
    "lines": ("Hello.\nWhen does it leave?", "It leaves:\n\n- at nine [1]\n- at ten", "At nine.\nAt ten.\nNo more."),
    "paragraphs": ("I ask.\n\nWhen does it leave?", "At nine [1].\n\nAlso at ten.", "At nine.\n\nAt ten.\n\nNo more."),
    "quotes": ('What does "nine o\'clock" mean?', "It means 'nine' [1], \"9\".", "They say \"nine\" and 'noon' here."),
    "braces": ('What is {x} in {"a": 1}?', 'It is {"a": [1]} [1].', 'Write {"a": {"b": 1}} or {x}.'),
    "json": ("What is it?", "See [1].", '{"text": "It leaves at nine."}'),
    "lists": ("Which of 1. tea 2. coffee?", "1. Tea [1]\n2. Coffee", "1. Tea is green.\n2. Coffee is black."),
    "labels": ("Question: what is Context: here?", "Answer: Context: is one [1].", "Context: a word. Answer: this."),
    "a form": ("What is it?", "Context: none\nQuestion: what\nAnswer: it [1]", "It says:\nQuestion: Who?\nAnswer: Me."),
    "tags": ("What is <b>it</b>?", "<p>It is it</p> [1]", "<p>It is <b>it</b>.</p>"),
    "markdown": ("## What is it?", "## It\n\n**It** is [1]", "# Title\n\n**Bold** and `code`."),
    "rules": ("What --- is it?", "It --- is [1]\n---\nend", "Part one\n---\nPart two"),
    "brackets": ("What is [2]?", "See [2] and [1].", "As [3] says, [12] is prime."),
    "backslashes": ("What is C:\\new\\table?", "C:\\new [1]", "Path C:\\new\\table and \\n."),
    "addresses": ("https://a.example/x?y=1&z=2", "See https://a.example/ [1]", "From https://a.example/q?a=b#c: nine."),
    "numbers": ("42", "42", "42.5"),
}  # fmt: skip


def recording(path: Path) -> tuple[list[Span], list[LogEvent]]:
    """Spans and log events of a recording."""
    logs = path.with_name(path.name.replace(".pb.gz", ".logs.pb.gz"))
    return spans_of(content(path)), logs_of(content(logs)) if logs != path and logs.exists() else []


def content(path: Path) -> bytes:
    """Of a file, compressed or not."""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def records(spans: Sequence[Span], events: Sequence[LogEvent]) -> list[RagTrace]:
    """Those of every trace of a recording."""
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    return [
        record
        for trace_id, trace in traces.items()
        for record in read_records(trace, [event for event in events if event.trace_id == trace_id])
    ]


def table_of(found: Sequence[RagTrace], theme: str) -> dict[str, str]:
    """Which text becomes which; the passages stay apart."""
    question, answer, passage = THEMES[theme]
    table = dict[str, str]()
    for record in found:
        for place, document in enumerate(record.documents):
            if document.text:
                table.setdefault(document.text.strip(), f"{passage} ({place})" if place else passage)
        table |= {record.query.strip(): question} if record.query else {}
        table |= {record.answer.strip(): answer} if record.answer else {}
    return table


def reworded(record: RagTrace, rewording: Rewording) -> RagTrace:
    """The record with the other texts."""

    def again(text: str | None) -> str | None:
        return None if text is None else rewording.text(text)

    def about(document: Document) -> dict[str, object]:
        told = document.metadata.items()
        return {key: rewording.text(fact) if isinstance(fact, str) else fact for key, fact in told}

    return replace(
        record,
        query=again(record.query),
        answer=again(record.answer),
        documents=tuple(
            replace(each, text=again(each.text), metadata=about(each)) for each in record.documents
        ),
        retrievals=tuple(replace(each, query=again(each.query)) for each in record.retrievals),
    )


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_a_record_says_what_its_application_said(path: Path) -> None:
    """In other languages, and with texts that look like frames, data or labels."""
    spans, events = recording(path)
    found = records(spans, events)
    for theme in THEMES:
        table = table_of(found, theme)
        if any(name in path.name for name in IN_PIECES):
            table = {text: other for text, other in table.items() if other != THEMES[theme][1]}
        if any(name in path.name for name in JOINED):
            table = {text: other for text, other in table.items() if other in THEMES[theme][:2]}
        if path.name.startswith(PARTED):  # nobody can tell what is the label of a question from its beginning
            table = {text: other for text, other in table.items() if not other.startswith("Question:")}
        if not table:
            continue
        rewording = Rewording(table)
        read = records([rewording.span(span) for span in spans], [rewording.event(event) for event in events])
        expected = [reworded(record, rewording) for record in found]
        if path.name.startswith(PARTED) and read[0].completeness == "partial_evidence":
            assert (read[0].answer, read[0].documents) == (expected[0].answer, ()), theme
            continue
        assert read == expected, theme
