"""What is cut from spans and log records, what is not, and that nothing slips through."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.assemble import Assembler
from ragvigil.scorer.config import Content, load
from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.streams import streamed
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.inbox import Arrival, InboxReader, InboxWriter
from ragvigil.scorer.pipeline import Pipeline, SamplePlan
from ragvigil.scorer.receive.told import Feedback
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.redact.keys import Meaning, meaning_of, meaning_under
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.span import spans_of
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Verdict

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "traces").glob("*.pb"))
_RECORDINGS = Path(__file__).parents[1] / "dialects" / "recorded"
RECORDED_LOGS = sorted(_RECORDINGS.glob("*.logs.pb.gz"))
RECORDED = sorted(set(_RECORDINGS.glob("*.pb.gz")) - set(RECORDED_LOGS))
"""What real applications sent; each with one question, and perhaps traces in which nobody asks."""
SECRETS = {
    "e-mail": "ana.souza@mail.example.org",
    "card": "4111 1111 1111 1111",
    "cpf": "529.982.247-25",
    "key": "sk-proj-abcdefghijklmnop1234",
}
PEOPLE = Pseudonyms("a key")


def redaction(**settings: object) -> Redaction:
    """A redaction as it is configured by these."""
    return Redaction(Content.model_validate(settings), PEOPLE)


def spans(**attributes: object) -> bytes:
    """One span with these attributes; two underscores stand for a dot."""
    data = TracesData()
    resource_spans = data.resource_spans.add()
    pair = resource_spans.resource.attributes.add(key="service.name")
    pair.value.string_value = "shop"
    span = resource_spans.scope_spans.add().spans.add(trace_id=b"t" * 16, span_id=b"s" * 8, name="step")
    for key, value in attributes.items():
        span.attributes.append(KeyValue(key=key.replace("__", "."), value=wire(value)))
    return data.SerializeToString()


def wire(value: object) -> AnyValue:
    """An attribute's value as OTLP has it."""
    if isinstance(value, bytes):
        return AnyValue(bytes_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    return AnyValue(string_value=str(value))


def attributes(payload: bytes) -> dict[str, object]:
    """The attributes of its one span."""
    return dict(spans_of(payload)[0].attributes)


def test_content_is_cut_and_marked_and_ids_of_passages_are_not() -> None:
    """A passage's id may look like a card; scoring compares it with what the answer cites."""
    document = {
        "id": "4111111111111111",
        "content": "Write to ana@example.org.",
        "score": 0.5,
        "n": 4111111111111111,
    }
    found = attributes(
        redaction().spans(
            spans(
                input__value="Who is ana@example.org?",
                documents=json.dumps([document]),
                retrieval__documents__0__document__id="4111111111111111",
                number=4111111111111111,
                long=1732190000000000000,
                blob=b"CPF 529.982.247-25",
                db__password="hunter2",
            )
        )
    )
    assert found["input.value"] == "Who is <EMAIL>?"
    assert json.loads(str(found["documents"])) == [
        {"id": "4111111111111111", "content": "Write to <EMAIL>.", "score": 0.5, "n": "<CARD>"}
    ]
    assert found["retrieval.documents.0.document.id"] == "4111111111111111"
    assert found["number"] == "<CARD>"
    assert found["long"] == 1732190000000000000
    assert found["blob"] == "CPF <CPF>"
    assert found["db.password"] == "<SECRET>"


def test_json_stays_json_and_its_escapes_hide_nothing() -> None:
    r"""``\n`` before an address is no part of it, and ``\u0040`` is an at sign."""
    text = '{"a": "line\\nana@example.org", "b": "ana\\u0040example.org", "c": "x\\n11222333000181", "token": "abcdef"}'
    found = attributes(redaction().spans(spans(output__value=text)))
    assert json.loads(str(found["output.value"])) == {
        "a": "line\n<EMAIL>", "b": "<EMAIL>", "c": "x\n<CNPJ>", "token": "abcdef",
    }  # fmt: skip
    printed = attributes(redaction().spans(spans(x="Document(page_content='x\\n11222333000181')")))
    assert printed["x"] == "Document(page_content='x\\n<CNPJ>')"


def test_json_with_nothing_to_cut_stays_as_it_was_written() -> None:
    """Spaces, escapes, order of keys, numbers too long for a float."""
    text = '{ "b" : "caf\\u00e9", "a": 1.00000000000000000001 }'
    assert attributes(redaction().spans(spans(x=text)))["x"] == text


def test_headers_and_cookies_are_never_kept() -> None:
    """Not even where content is."""
    given = spans(
        http__request__header__authorization="Basic abc", http__response__header__set_cookie="id=1", a="b"
    )
    assert attributes(redaction(mode="full").spans(given)) == {"a": "b"}


@pytest.mark.parametrize("mode", ["full", "redacted", "ids_only"])
def test_people_and_conversations_are_pseudonyms_in_the_spans_too(mode: str) -> None:
    """The same one wherever an id stands, so that a reader finds what the record says."""
    given = spans(user__id="ana", session__id=7, metadata='{"user_id": "ana", "thread_id": null, "id": "x"}')
    found = attributes(redaction(mode=mode).spans(given))
    assert (found["user.id"], found["session.id"]) == (PEOPLE.of("ana"), PEOPLE.of("7"))
    if mode != "ids_only":
        assert json.loads(str(found["metadata"]))["user_id"] == PEOPLE.of("ana")
    assert attributes(redaction(mode=mode).spans(redaction(mode=mode).spans(given))) == found


@pytest.mark.parametrize("mode", ["redacted", "ids_only"])
@pytest.mark.parametrize(
    "value",
    [
        '{"user": {"id": "ana@example.org", "name": "ana@example.org"}}',
        '{"from": {"id": "ana@example.org"}, "rows": [{"id": "ana@example.org"}]}',
        '{"session": [{"id": "ana@example.org"}], "ids": ["ana@example.org"]}',
    ],
)
def test_an_id_that_is_no_passages_is_cut_wherever_it_stands(mode: str, value: str) -> None:
    """Nested in JSON, in attributes that are lists of pairs, and as an attribute of its own."""
    data = TracesData.FromString(spans(metadata=value, id="ana@example.org"))
    nested = data.resource_spans[0].scope_spans[0].spans[0].attributes.add(key="user")
    for key in ("id", "name"):
        nested.value.kvlist_value.values.add(key=key).value.string_value = "ana@example.org"
    assert b"ana@example.org" not in redaction(mode=mode).spans(data.SerializeToString())


def test_a_nested_user_is_the_same_pseudonym_as_a_flat_one() -> None:
    """So that a reader finds one person, not two."""
    found = attributes(redaction().spans(spans(user__id="ana", metadata='{"user": {"id": "ana"}}')))
    assert json.loads(str(found["metadata"])) == {"user": {"id": found["user.id"]}}


@pytest.mark.parametrize(
    "passages",
    [
        [{"id": "4111111111111111", "text": "t"}],
        {"ids": [["4111111111111111"]], "documents": [["t"]]},
        {"documents": [{"id": "4111111111111111"}]},
        {"retrieved_chunks": {"_id": "4111111111111111"}},
    ],
)
def test_ids_of_passages_stay_as_they_are(passages: object) -> None:
    """Under passages, or beside a text."""
    found = attributes(redaction().spans(spans(output__value=json.dumps(passages))))
    assert json.loads(str(found["output.value"])) == passages


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
@pytest.mark.parametrize("kind", ["texts", "OpenAI", "LangChain", "Anthropic", "within"])
def test_a_stream_is_cut_as_the_text_that_it_is(kind: str, secret: str) -> None:
    """Chunks are a few letters each: none of them holds what all of them say."""
    said = f"Write {secret} down."
    letters = [said[start : start + 3] for start in range(0, len(said), 3)]
    shapes: dict[str, Callable[[str], object]] = {
        "texts": lambda text: text,
        "OpenAI": lambda text: {"choices": [{"delta": {"content": text}}]},
        "LangChain": lambda text: {"lc": 1, "kwargs": {"type": "AIMessageChunk", "content": text}},
        "Anthropic": lambda text: {
            "type": "content_block_delta",
            "delta": {"type": "text_delta", "text": text},
        },
        "within": lambda text: text,
    }
    chunks: object = [*map(shapes[kind], letters)]
    given = json.dumps({"output": chunks} if kind == "within" else chunks)
    found = json.loads(
        str(attributes(redaction().spans(spans(mlflow__spanOutputs=given)))["mlflow.spanOutputs"])
    )
    text = streamed(found["output"] if kind == "within" else found)
    assert text is not None
    assert text.startswith("Write <")
    assert text.endswith("> down.")


@pytest.mark.parametrize(
    "given",
    [
        '["Water ", "boils ", "at 100."]',
        '[{"choices": [{"delta": {"content": "at 100."}}]}]',
        '["a", "b"]',
    ],
)
def test_a_stream_with_nothing_to_cut_stays_as_it_was_written(given: str) -> None:
    """So does any list of texts."""
    assert attributes(redaction().spans(spans(a=given, b="to ana@example.org")))["a"] == given


def test_ids_only_keeps_ids_labels_and_figures() -> None:
    """No word that anybody wrote."""
    documents = [{"id": "d1", "content": "Secret.", "score": 0.5}]
    given = spans(
        input__value='{"question": "why?"}', gen_ai__retrieval__documents=json.dumps(documents),
        openinference__span__kind="RETRIEVER", llm__model_name="m", tokens=5,
    )  # fmt: skip
    found = attributes(redaction(mode="ids_only").spans(given))
    assert json.loads(str(found.pop("gen_ai.retrieval.documents"))) == [
        {"id": "d1", "content": "__REDACTED__", "score": 0.5}
    ]
    assert found == {
        "input.value": "__REDACTED__", "openinference.span.kind": "RETRIEVER", "llm.model_name": "m", "tokens": 5,
    }  # fmt: skip


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_trace_without_content_is_not_scoreable_and_keeps_its_documents(path: Path) -> None:
    """Content-off is said, never scored as 0."""
    plain = read_records(spans_of(path.read_bytes()), [], timed_out=False)
    bare = read_records(spans_of(redaction(mode="ids_only").spans(path.read_bytes())), [], timed_out=False)
    for before, after in zip(plain, bare, strict=False):
        assert (after.query, after.answer) == (None, None)
        assert {document.id for document in after.documents} >= {document.id for document in before.documents}
        assert {document.text for document in after.documents} <= {None}


def test_modes_are_chosen_by_service() -> None:
    """One service may be stricter than the rest."""
    strict = redaction(mode="full", services={"shop": "ids_only"})
    assert attributes(strict.spans(spans(a="words")))["a"] == "__REDACTED__"
    assert (
        attributes(redaction(mode="full", services={"x": "ids_only"}).spans(spans(a="words")))["a"] == "words"
    )


def test_patterns_of_ones_own_and_what_they_must_not_touch() -> None:
    """An order number goes, an id that looks like a card stays."""
    own = redaction(patterns=[r"ORDER-\d+"], keep=[r"\[\d{16}\]"])
    found = attributes(own.spans(spans(a="ORDER-77 by ana@example.org [4111111111111111] 4111111111111111")))
    assert found["a"] == "<REMOVED> by <EMAIL> [4111111111111111] <CARD>"


@pytest.mark.parametrize("keep", [["(?i)support"], ["(?P<a>x)", "(?P<a>y)"]])
def test_what_to_keep_is_refused_by_name_where_it_cannot_stand_beside_others(keep: list[str]) -> None:
    """Each compiles by itself; joined they were a traceback when the scorer started."""
    with pytest.raises(
        ConfigError, match=r"content\.keep: cannot stand beside others: .*write \(\?i:support\)"
    ):
        load(overrides={"content": {"keep": keep}})


@pytest.mark.parametrize("kind", [TracesData, LogsData])
@pytest.mark.parametrize("mode", ["redacted", "ids_only"])
def test_no_text_of_the_protocol_is_overlooked(kind: type[TracesData | LogsData], mode: str) -> None:
    """Every field that can hold a text holds one: also those that a later release of the protocol adds."""
    data = kind()
    assert fill(data, SECRETS["e-mail"]) > 15
    cut = redaction(mode=mode)
    payload = data.SerializeToString()
    left = cut.spans(payload) if kind is TracesData else cut.logs(payload)
    assert SECRETS["e-mail"].encode() in payload
    assert SECRETS["e-mail"].encode() not in left
    whole = redaction(mode="full")
    kept = whole.spans(payload) if kind is TracesData else whole.logs(payload)
    assert kept == payload


def fill(message: Message, text: str, depth: int = 12) -> int:
    """Put the text into every field of text, and say into how many; of alternatives the last one counts."""
    filled = 0
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.type == field.TYPE_STRING:
            filled += 1
            if isinstance(value, str):
                setattr(message, field.name, text)
            else:
                value.append(text)
        elif field.message_type is not None and depth and field.name not in ("array_value", "kvlist_value"):
            part = value if isinstance(value, Message) else value.add()
            part.SetInParent()
            filled += fill(part, text, depth - 1)
    return filled


def test_log_records_are_cut_like_spans() -> None:
    """Bodies that are texts and bodies that are mappings."""
    data = LogsData()
    scope = data.resource_logs.add().scope_logs.add()
    scope.log_records.add(trace_id=b"t" * 16).body.string_value = "to ana@example.org"
    pair = scope.log_records.add(trace_id=b"t" * 16).body.kvlist_value.values.add(key="content")
    pair.value.string_value = "to ana@example.org"
    cut = redaction().logs(data.SerializeToString())
    assert b"example.org" not in cut
    assert cut.count(b"to <EMAIL>") == 2


def places(data: TracesData, *, labels: bool) -> Iterator[AnyValue]:
    """Every value that may hold a text and is no id of a passage; with or without what dialects are told by."""
    spared = {Meaning.DOCUMENT_ID} | (set[Meaning]() if labels else {Meaning.LABEL})

    def inside(pairs: Sequence[KeyValue]) -> Iterator[AnyValue]:
        for pair in pairs:
            if pair.value.HasField("string_value") and meaning_of(pair.key) not in spared:
                yield pair.value
            yield from inside(pair.value.kvlist_value.values)

    for resource_spans in data.resource_spans:
        yield from inside(resource_spans.resource.attributes)
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                yield from inside(span.attributes)
                for event in span.events:
                    yield from inside(event.attributes)


def plant(data: TracesData, secret: str, *, labels: bool) -> None:
    """The secret in every text: beside it, and inside where it is JSON."""
    for value in places(data, labels=labels):
        text = value.string_value
        try:
            inner: object = json.loads(text) if text[:1] in "{[" else None
        except ValueError:
            inner = None
        value.string_value = json.dumps(_planted(inner, secret)) if inner else f"{text} ({secret})"
    for resource_spans in data.resource_spans:
        for scope_spans in resource_spans.scope_spans:
            for span in scope_spans.spans:
                span.name += f" {secret}"
                span.status.message += f" {secret}"


def _planted(value: object, secret: str, key: str = "", meaning: Meaning = Meaning.TEXT) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {
            name: _planted(inner, secret, name, meaning_under(name, key, fields))
            for name, inner in fields.items()
        }
    if isinstance(value, list):
        return [_planted(inner, secret, key, meaning) for inner in cast("list[object]", value)]
    if isinstance(value, str) and meaning is not Meaning.DOCUMENT_ID:
        return f"{value}\n{secret}"
    return value


def texts(pairs: Sequence[KeyValue]) -> Iterator[AnyValue]:
    """Every value that is a text, in pairs of pairs, too."""
    for pair in pairs:
        if pair.value.HasField("string_value"):
            yield pair.value
        yield from texts(pair.value.kvlist_value.values)


def log_records(trace_id: bytes, secret: str) -> bytes:
    """The secret wherever log events of the GenAI conventions and of feedback hold texts: attributes and bodies."""
    data = LogsData()
    records = data.resource_logs.add().scope_logs.add().log_records
    messages = json.dumps([{"role": "user", "parts": [{"type": "text", "content": f"Is it {secret}?"}]}])
    details = records.add(trace_id=trace_id, event_name="gen_ai.client.inference.operation.details")
    for key, value in (("gen_ai.input.messages", messages), ("gen_ai.system_instructions", f"Mind {secret}")):
        details.attributes.append(KeyValue(key=key, value=wire(value)))
    choice = records.add(trace_id=trace_id, event_name="gen_ai.choice")
    message = choice.body.kvlist_value.values.add(key="message").value.kvlist_value.values.add(key="content")
    message.value.string_value = f"It is {secret}."
    records.add(trace_id=trace_id, body=AnyValue(string_value=f"user said {secret}"))
    verdict = records.add(trace_id=trace_id, event_name="gen_ai.evaluation.result")
    verdict.attributes.append(KeyValue(key="gen_ai.evaluation.explanation", value=wire(f"names {secret}")))
    verdict.attributes.append(KeyValue(key="gen_ai.evaluation.name", value=wire("privacy")))
    for path in RECORDED_LOGS:
        recording = LogsData.FromString(gzip.decompress(path.read_bytes()))
        for record in (
            each
            for logs in recording.resource_logs
            for scope in logs.scope_logs
            for each in scope.log_records
        ):
            record.trace_id = trace_id
            for text in (*texts(record.attributes), *texts(record.body.kvlist_value.values)):
                text.string_value += f" ({secret})"
            records.append(record)
    told = Feedback(trace_id=trace_id.hex(), kind="comment", comment=f"but {secret}")
    return data.SerializeToString() + told.arrival(1).payload


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_planted_secret_reaches_neither_store_nor_judge_nor_page(tmp_path: Path, secret: str) -> None:
    """In every attribute of every fixture and recording, and in log records beside.

    The bytes of the file and of its log are searched.
    """
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'ragvigil.db'}"}})
    moment = 10**12
    with (
        SqliteStore(settings) as store,
        closing(InboxWriter(settings.inbox_path)) as writer,
        closing(InboxReader(settings.inbox_path)) as reader,
    ):
        pipeline = Pipeline(
            inbox=reader,
            assembler=Assembler(settings.assemble),
            store=store.records,
            plan=SamplePlan(1.0, 1_000),
            redaction=Redaction(settings.content, store.pseudonyms),
            ticks=lambda: moment,
        )
        payloads = [path.read_bytes() for path in FIXTURES]
        payloads += [gzip.decompress(path.read_bytes()) for path in RECORDED]
        for number, payload in enumerate(payloads * 2, 1):
            data = TracesData.FromString(payload)
            plant(data, secret, labels=number > len(payloads))
            trace_id = number.to_bytes(16, "big")
            for resource_spans in data.resource_spans:
                for scope_spans in resource_spans.scope_spans:
                    for span in scope_spans.spans:
                        span.trace_id = trace_id
            said = Arrival("logs", trace_id, log_records(trace_id, secret), 0)
            writer.append([Arrival("spans", trace_id, data.SerializeToString(), 0), said]).result(10)
        jobs = list(pipeline.turn().jobs)
        moment += 700 * 10**9
        for _ in range(3):
            jobs += pipeline.turn().jobs
        assert len(jobs) >= len(payloads) - 2
        pipeline.judged([Judgement(job, Verdict("t", "1", "d", "unsupported", 0.0, 0.0)) for job in jobs])
        pipeline.turn()
        shown = repr(jobs) + "".join(
            repr(store.monitoring.examples(key, 0, 2**62, 100)) for key in store.monitoring.series()
        )
        stored = b"".join(file.read_bytes() for file in tmp_path.glob("ragvigil.db*"))
        raw = store.records.raw([job.record.trace_id for job in jobs])
        kept = b"".join(trace.spans + trace.logs for trace in raw.values())
        assert len(raw) >= len(payloads) - 2
        assert all(
            trace.logs.count(b"gen_ai.client.inference.operation.details") == 1 for trace in raw.values()
        )
    assert secret not in shown
    assert secret.encode() not in stored + kept
    assert json.dumps(secret).encode()[1:-1] not in kept


FRAGMENTS = st.sampled_from(
    [
        *("ana@example.org", "4111 1111 1111 1111", "529.982.247-25", "sk-abcdefghijklmnopqr", "token=abcdefgh"),
        *("GB82 WEST 1234 5698 7654 32", "10.0.0.1", "2001:db8::1", "+55 11 98765-4321", "Bearer abcdefghijklmnopq"),
        *("12.ABC.345/01DE-35", "123-45-6789", " ", "\n", "\\n", '"', "{", "[1]", "é", "٤", "5", "5", "a", "-", "."),
    ]
)  # fmt: skip


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
def test_redaction_is_idempotent(text: str) -> None:
    """What was cut once is not cut again, nor is anything new found."""
    once = redaction().spans(spans(a=text, b=json.dumps({"x": text})))
    assert redaction().spans(once) == once
