"""Without a text, a record has the passages, ids, scores and citations that it has with all of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.redact.test_payload import FIXTURES, PEOPLE, attributes, redaction, spans
from tests.scorer.redact.test_planted import RECORDED

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.config import Content
from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.withheld import NOTE, recalled
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.sample import Sampler
from ragvigil.scorer.scoring.queue_room import QueueRoom
from ragvigil.scorer.scoring.trace_scoring import TraceScoring
from ragvigil.scorer.span import Span, logs_of, spans_of
from ragvigil.scorer.store.port import ScoredTrace
from ragvigil.scorer.trace import Document, RagTrace

SEVERAL = sorted((Path(__file__).parents[2] / "fixtures" / "several").glob("*.pb"))
IN_TEXTS = sorted((Path(__file__).parents[2] / "fixtures" / "in_texts").glob("*.pb"))
EVERY = [*FIXTURES, *SEVERAL, *IN_TEXTS, *RECORDED]
SOME = [path for path in FIXTURES if path.stem in ("langchain_dual", "llama_index_rerank")]


def bytes_of(path: Path) -> bytes:
    """The recording, unpacked; nothing where there is none."""
    if not path.exists():
        return b""
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def traces_in(path: Path) -> Iterator[Assembled]:
    """Each trace of a recording with its log records, as one delivery."""
    payload, logs = bytes_of(path), bytes_of(Path(str(path).replace(".pb", ".logs.pb")))
    for number, trace_id in enumerate(sorted({span.trace_id for span in spans_of(payload)}), 1):
        parts = (only(payload, trace_id),), ((only_logs(logs, trace_id),) if logs else ())
        yield Assembled(trace_id, *parts, Position(1, number), False, 0)


def only(payload: bytes, trace_id: str, chosen: Sequence[str] | None = None) -> bytes:
    """The spans of one trace, or the chosen ones of it."""
    data = TracesData.FromString(payload)
    for resource_spans in data.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for place in reversed(range(len(scope_spans.spans))):
                span = scope_spans.spans[place]
                wanted = chosen is None or span.span_id.hex() in chosen
                if span.trace_id.hex() != trace_id or not wanted:
                    del scope_spans.spans[place]
    return data.SerializeToString()


def only_logs(payload: bytes, trace_id: str) -> bytes:
    """The log records of one trace."""
    data = LogsData.FromString(payload)
    for resource_logs in data.resource_logs:
        for scope_logs in resource_logs.scope_logs:
            for place in reversed(range(len(scope_logs.log_records))):
                if scope_logs.log_records[place].trace_id.hex() != trace_id:
                    del scope_logs.log_records[place]
    return data.SerializeToString()


def scored(deliveries: Sequence[Assembled], *, restarts: bool = False, **settings: object) -> ScoredTrace:
    """What is stored of a trace that came in these deliveries, one after the other; each to another process or not."""
    redaction = Redaction(Content.model_validate(settings), PEOPLE)
    found: ScoredTrace | None = None
    scoring: TraceScoring | None = None
    for delivery in deliveries:
        if scoring is None or restarts:
            scoring = TraceScoring(
                sampler=Sampler(1.0),
                room=QueueRoom(9),
                redaction=redaction,
                max_bytes=1 << 24,
                max_spans=10_000,
                now=lambda: 0,
            )
        arrived = scoring.redacted(delivery, found.raw if found else None)
        assert arrived is not None
        found = scoring.score([arrived])[0] or found
    assert found is not None
    assert found.failure is None
    return found


def records(trace: ScoredTrace) -> dict[str, RagTrace]:
    """By their spans."""
    return {each.record.span_id: each.record for each in trace.records}


def passages(record: RagTrace) -> tuple[object, ...]:
    """All that is known of passages and searches but for their texts."""
    return (
        [(one.id, one.score, one.rank) for one in record.documents],
        [(one.stage, one.ids, one.scores) for one in record.retrievals],
        record.tokens,
    )


def labels(record: RagTrace) -> tuple[object, ...]:
    """What is no text of a record, beside its passages: of a model, of people as they are stored, of what failed."""
    model = (record.model, record.response_model, record.finish_reason, record.prompt_version)
    return (*model, record.user_id, record.conversation_id, record.error_where, record.error is None)


def cited_by(record: RagTrace) -> tuple[set[str], int] | None:
    """The passages that its answer cites, and how many others; None where it cites nothing and need not.

    Of others nothing is said where the passages are not all known.
    """
    if record.answer is None:
        return None if record.cited is None else (set(record.cited.ids), len(record.cited.unknown))
    read = Prepared(record)
    found, dead = (
        {one.id for one in read.citations if one.id},
        {one.cited for one in read.citations if not one.id},
    )
    unknown = dead and record.completeness == "partial_evidence"
    if unknown or not record.retrieved or not (read.citations or read.owes_citations):
        return None
    return found, len(dead)


def texts_of(record: RagTrace) -> Iterator[str]:
    """All that somebody wrote."""
    found = [record.query, record.answer, record.error_message, *(one.query for one in record.retrievals)]
    found += [one.text for one in record.documents]
    return (text for text in found if text)


def pieces(text: str) -> set[str]:
    """Every three words in a row: no three of them stand in a name."""
    words = text.split()
    return {" ".join(words[start : start + 3]) for start in range(len(words) - 2)}


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name.split(".pb")[0])
def test_records_without_texts_have_the_same_passages_and_citations(path: Path) -> None:
    """In every dialect: passages in prompts, in what tools answered, in JSON within JSON, told by two libraries."""
    for trace in traces_in(path):
        plain, bare = records(scored([trace], mode="full")), scored([trace], mode="ids_only")
        assert list(records(bare)) == list(plain)
        stored = repr([(span.attributes, span.events) for span in spans_of(bare.raw.spans)])
        stored += repr(logs_of(bare.raw.logs)) if bare.raw.logs else ""
        for span_id, record in records(bare).items():
            whole = plain[span_id]
            assert passages(record) == passages(whole)
            assert labels(record) == labels(whole)
            assert not [*texts_of(record)]
            missing = whole.completeness in ("partial_evidence", "timed_out")
            assert record.completeness == (whole.completeness if missing else "withheld")
            said = {piece for text in texts_of(whole) for piece in pieces(text)}
            assert [piece for piece in said if piece in stored] == []
            assert cited_by(record) == cited_by(whole)


HEADED = """Answer from the context.

[Source: Ann Smith was fired for theft.pdf]
She was fired.

[Source: ann@mail.example.org]
Of Monday.

[Source: b.pdf]
Snow.

Question: why?"""


def asked(prompt: str, answer: str, **given: str) -> Assembled:
    """A question to a model, as one delivery."""
    messages = {
        f"gen_ai__{kind}__messages": json.dumps(
            [{"role": role, "parts": [{"type": "text", "content": text}]}]
        )
        for kind, role, text in (("input", "user", prompt), ("output", "assistant", answer))
    }
    payload = spans(gen_ai__operation__name="chat", gen_ai__request__model="m", **messages, **given)
    return Assembled("74" * 16, (payload,), (), Position(1, 1), False, 0)


def test_headings_of_a_prompt_are_no_ids_to_keep() -> None:
    """They may be sentences, or name people; what is written as an id is stays, and what is cited can still be told."""
    answer = "She was [Ann Smith was fired for theft.pdf] [b.pdf]."
    (whole,) = records(scored([asked(HEADED, answer)], mode="full")).values()
    assert [one.id for one in whole.documents][0::2] == ["Ann Smith was fired for theft.pdf", "b.pdf"]
    bare = scored([asked(HEADED, answer)], mode="ids_only")
    (record,) = records(bare).values()
    assert [one.id for one in record.documents] == ["(passage 1)", "(passage 2)", "b.pdf"]
    assert record.cited is not None
    assert record.cited.ids == ("(passage 1)", "b.pdf")
    assert [one for one in (b"Ann Smith", b"ann@") if one in bare.raw.spans] == []


def test_an_id_that_its_sender_gave_as_one_stays_whatever_it_is() -> None:
    """It is on its span, too."""
    told = json.dumps([{"id": "Annual leave.pdf", "content": "28 days.", "score": 0.5}])
    given = asked("How long?", "28 days.", retrieval__documents=told, openinference__span__kind="RETRIEVER")
    (record,) = records(scored([given], mode="ids_only")).values()
    assert [one.id for one in record.documents] == ["Annual leave.pdf"]


def test_what_is_stored_is_read_again_as_it_was() -> None:
    """From one note."""
    (trace,) = traces_in(SOME[0])
    first = scored([trace], mode="ids_only")
    again = read_records(spans_of(first.raw.spans), (), timed_out=False)
    assert {each.span_id: each for each in again} == records(first)
    assert len(notes_in(first)) == 1


def notes_in(trace: ScoredTrace) -> list[object]:
    """All that are stored with it."""
    return [span.attributes[NOTE] for span in spans_of(trace.raw.spans) if NOTE in span.attributes]


def forged(trace: Assembled, told: dict[str, object]) -> Assembled:
    """The trace as of a sender that wrote a note itself, of the same spans."""
    data = TracesData.FromString(trace.spans[0])
    pair = data.resource_spans[0].scope_spans[0].spans[0].attributes.add(key=NOTE)
    pair.value.string_value = json.dumps({"records": told})
    return replace(trace, spans=(data.SerializeToString(),))


@pytest.mark.parametrize("mode", ["full", "redacted", "ids_only"])
def test_a_note_that_a_sender_wrote_is_not_read(mode: str) -> None:
    """It would take a record away, or make thousands."""
    (trace,) = traces_in(SOME[0])
    plain = scored([trace], mode=mode)
    told: dict[str, object] = {key: {"cited": [["x"], []], "started_at": "9" * 19} for key in records(plain)}
    found = scored([forged(trace, {**told, "<b>x": dict[str, object]()})], mode=mode)
    assert records(found) == records(plain)
    assert notes_in(found) == notes_in(plain)


def test_of_a_note_only_what_a_store_holds_is_read() -> None:
    """Spans of the trace alone have records, moments fit, and no amount is below zero or without end."""
    span = Span("0" * 32, "1" * 16, None, "ask", 1, 1, 9, {})
    facts = {"started_at": "9" * 19, "seconds": [-5, 1e999, 2.5], "cost_usd": -1, "tokens": [1e300, 5]}
    told = json.dumps({"records": {"1" * 16: facts, "2" * 16: {}, "<b>x": {}}})
    (found,) = recalled([replace(span, attributes={NOTE: told})], [])
    assert (found.span_id, found.started_at, found.cost_usd) == ("1" * 16, 0, None)
    assert (found.retrieval_seconds, found.generation_seconds, found.total_seconds) == (None, None, 2.5)
    assert (found.tokens.input, found.tokens.output) == (None, 5)


def test_labels_beside_passages_in_any_other_json_go_with_it() -> None:
    """Only attributes that hold passages by their name keep them; ids and scores of the rest are in the note."""
    metadata = {"status": "fired for theft", "type": "complaint about Dr. Weber", "salary": 83000}
    told = json.dumps([{"title": "Notice", "content": "Snow.", "score": 0.5, "metadata": metadata}])
    found = attributes(
        redaction(mode="ids_only").spans(spans(output__value=told, gen_ai__tool__call__result=told))
    )
    assert {*found.values()} == {"__REDACTED__"}
    told = json.dumps([{"id": "a", "content": "Snow.", "type": "chunk", "metadata": metadata}])
    (kept,) = json.loads(
        str(attributes(redaction(mode="ids_only").spans(spans(output__value=told)))["output.value"])
    )
    assert kept == {
        "id": "a", "content": "__REDACTED__", "type": "chunk",
        "metadata": {"status": "__REDACTED__", "type": "__REDACTED__", "salary": 83000},
    }  # fmt: skip


def of_service(trace: Assembled, name: str) -> Assembled:
    """The delivery as another service sends it."""
    data = TracesData.FromString(trace.spans[0])
    for part in data.resource_spans:
        del part.resource.attributes[:]
        part.resource.attributes.add(key="service.name").value.string_value = name
    return replace(trace, spans=(data.SerializeToString(),))


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_of_a_trace_that_only_some_of_its_services_withhold_the_others_texts_stay(
    path: Path, restarts: bool
) -> None:
    """A service of its own for each span: of any that keeps ids only no text stays, and no id is lost."""
    (trace,) = traces_in(path)
    for span in spans_of(trace.spans[0]):
        own = of_service(replace(trace, spans=(only(trace.spans[0], trace.trace_id, [span.span_id]),)), "hr")
        rest = [one.span_id for one in spans_of(trace.spans[0]) if one.span_id != span.span_id]
        others = replace(trace, spans=(only(trace.spans[0], trace.trace_id, rest),))
        joined = replace(trace, spans=(*own.spans, *others.spans))
        (whole,) = records(scored([joined], mode="full")).values()
        for deliveries in ([joined], [others, own], [own, others]):
            trace_now = scored(deliveries, restarts=restarts, mode="full", services={"hr": "ids_only"})
            bare = next(one for one in spans_of(trace_now.raw.spans) if one.span_id == span.span_id)
            said = {piece for text in texts_of(whole) for piece in pieces(text)}
            assert [piece for piece in said if piece in repr((bare.attributes, bare.events))] == []
            (record,) = records(trace_now).values()
            if len(deliveries) == 1 or not restarts:
                assert passages(record) == passages(whole)
                assert cited_by(record) == cited_by(whole)
            assert {one.id for one in record.documents} >= {one.id for one in whole.documents}
            assert record.answer in (None, whole.answer)


@pytest.mark.parametrize(
    "note",
    [
        "{}",
        "[]",
        "no JSON",
        '{"records": [1]}',
        '{"records": {"SPAN": 7}}',
        '{"records": {"SPAN": {"documents": [7, [[], {}]], "retrievals": 5, "labels": {}}}}',
        '{"records": {"SPAN": {"cited": [1], "tokens": "x", "started_at": "9e9", "labels": [5, ["a"]]}}}',
    ],
)
def test_a_note_that_nobody_can_read_breaks_nothing(note: str) -> None:
    """Whoever sends spans may write what it likes."""
    (trace,) = traces_in(SOME[0])
    first = scored([trace], mode="ids_only")
    found = spans_of(first.raw.spans)
    known = found[0].span_id
    found[0].attributes = {**found[0].attributes, NOTE: note.replace("SPAN", known)}
    for record in recalled(found, [RagTrace("0" * 32, known, "s", 5, documents=(Document("a", None),))]):
        assert record.span_id == known
        assert not [*texts_of(record)]


@pytest.mark.parametrize(
    "key",
    [
        "embedding",
        "embedding.embeddings.0.embedding.vector",
        "embedding.vector.0",
        "vectors.0",
        "contentVector",
        "queryEmbedding",
        "sparse_values",
        "values",
        "llm.prompt.tokens",
        "retrieval.vector",
    ],
)
def test_embeddings_go_with_the_texts(key: str) -> None:
    """A model can tell from one what the text was."""
    data = TracesData.FromString(spans(x="y"))
    (span,) = data.resource_spans[0].scope_spans[0].spans
    for name in (key, "retrieval.scores"):
        numbers = span.attributes.add(key=name).value.array_value.values
        for number in (0.25, 0.5):
            numbers.add().double_value = number
    nodes = json.dumps([{"node": {"id_": "a", "text": "Snow.", key: [0.25, 0.5]}, "scores": [0.5, 0.25]}])
    span.attributes.add(key="retrieval.nodes").value.string_value = nodes
    found = attributes(redaction(mode="ids_only").spans(data.SerializeToString()))
    assert found[key] == "__REDACTED__"
    assert found["retrieval.scores"] == [0.25, 0.5]
    assert json.loads(str(found["retrieval.nodes"])) == [
        {"node": {"id_": "a", "text": "__REDACTED__", key: None}, "scores": [0.5, 0.25]}
    ]
    assert attributes(redaction().spans(data.SerializeToString()))[key] == [0.25, 0.5]


def test_an_embedding_goes_that_lies_flat_and_what_is_said_of_it_stays() -> None:
    """One number an attribute; whose it is and how long is no text."""
    given = {"embedding__vector__0": 0.25, "embedding_model_name": "m", "embedding_dimensions": 2}
    found = attributes(redaction(mode="ids_only").spans(spans(**given, document__vector="[0.25, 0.5]")))
    assert found == {
        "embedding.vector.0": "__REDACTED__", "embedding_model_name": "m", "embedding_dimensions": 2,
        "document.vector": "__REDACTED__",
    }  # fmt: skip


@pytest.mark.parametrize(
    "vector", ["[0.25, 0.5]", "[[0.25, 0.5], [1, 2]]", '[{"id": "a", "text": "Snow."}, [0.25, 0.5]]']
)
def test_an_embedding_goes_that_is_a_text_of_its_own(vector: str) -> None:
    """JSON under a name that may hold passages; where the name says scores or ids, figures stay."""
    given = {
        "retrieval__query": vector,
        "retrieval__scores": "[0.25, 0.5]",
        "document__ids": "[[7, 8], [9, 10]]",
    }
    found = attributes(redaction(mode="ids_only").spans(spans(**given)))
    assert "0.25" not in str(found["retrieval.query"])
    assert found["retrieval.scores"] == "[0.25, 0.5]"
    assert found["document.ids"] == "[[7, 8], [9, 10]]"
