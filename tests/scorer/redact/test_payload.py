"""What is cut from spans and log records, what is not, and that nothing slips through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.config import Content, load
from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.dialects.streams import streamed
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.redact import Pseudonyms
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.span import spans_of

FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "traces").glob("*.pb"))
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


IDS_WITHIN_CONTENT = "llamaindex-otel-"
"""Its events hold nodes as one JSON text with their words, which goes as a whole; the note has the ids."""


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_trace_without_content_is_not_scoreable_and_keeps_its_documents(path: Path) -> None:
    """Content-off is said, never scored as 0."""
    plain = read_records(spans_of(path.read_bytes()), [], timed_out=False)
    bare = read_records(spans_of(redaction(mode="ids_only").spans(path.read_bytes())), [], timed_out=False)
    for before, after in zip(plain, bare, strict=False):
        assert (after.query, after.answer) == (None, None)
        named = {document.id for document in before.documents} - {None}
        if not path.stem.startswith(IDS_WITHIN_CONTENT):
            assert {document.id for document in after.documents} >= named
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
