"""`ragvigil explain`: which span was taken for which fact, why, and what is missing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.command_line import ragvigil

from ragvigil.scorer.dialects import read_records
from ragvigil.scorer.offline.choices import Fact
from ragvigil.scorer.offline.explain import TraceAccount, explain, explain_files
from ragvigil.scorer.offline.read import read_files
from ragvigil.scorer.span import Span, spans_of

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
EVERY = sorted(TRACES.glob("*.pb"))


def account(name: str) -> TraceAccount:
    """The account of a fixture with one trace."""
    (trace,) = explain_files([TRACES / f"{name}.pb"])
    return trace


def facts(trace: TraceAccount) -> dict[str, Fact]:
    """The facts of its one record, by name."""
    (record,) = trace.records
    return {fact.name: fact for fact in record.facts}


def names(trace: TraceAccount, ids: list[str]) -> list[str]:
    """Names of the spans."""
    known = {span.span_id: span.name for span in trace.spans}
    return [known[each] for each in ids]


def test_every_fact_names_the_span_that_it_was_taken_from() -> None:
    """And why the others that could have told it were not."""
    trace = account("llama_index_rerank")
    told = facts(trace)
    assert {name: names(trace, [place.span_id for place in fact.taken]) for name, fact in told.items()} == {
        "query": ["RetrieverQueryEngine.query"],
        "documents": ["LlamaRerank._postprocess_nodes"],
        "answer": ["LlamaModel.complete"],
        "model": ["LlamaModel.complete"],
        "tokens": ["LlamaModel.complete"],
        "conversation": [],
    }
    whys = {names(trace, [place.span_id])[0]: place.why for place in told["documents"].others}
    assert whys == {
        "LlamaSearch.retrieve": "its documents went into a rerank, which stands for them",
        "LlamaSearch._retrieve": "is part of the search above it, which was taken",
    }
    whys = {names(trace, [place.span_id])[0]: place.why for place in told["answer"].others}
    assert whys["LlamaModel.predict"] == "wraps another generation that answered"


def test_a_missing_fact_names_where_it_was_looked_for() -> None:
    """The spans that should have told it, the attributes that are not there, those that are hidden."""
    trace = account("langchain_hidden")
    fact = facts(trace)["answer"]
    assert (fact.value, fact.taken) == (None, ())
    assert "LangChainModel" in names(trace, list(fact.looked_at))
    (model,) = [span for span in trace.spans if span.name == "LangChainModel"]
    assert "llm.output_messages.N" in model.looked_for
    assert "output.value" in model.hidden


def test_a_failed_question_names_the_span_that_failed_first() -> None:
    """And what only failed with it; its retriever found nothing because it failed."""
    trace = account("haystack_error")
    told = facts(trace)
    error = told["error"]
    assert error.value == {
        "where": "retriever",
        "type": "TimeoutError",
        "message": "index did not answer",
    }
    assert [place.why for place in error.taken] == ["failed first"]
    assert {place.why for place in error.others} == {"failed with what failed below it"}
    assert [place.why for place in told["documents"].others] == ["failed before it found anything"]


def test_the_conversation_is_looked_for_where_one_is_named() -> None:
    """Its keys only, and only there."""
    named = ragvigil("explain", str(TRACES / "langchain_session.pb")).stdout
    assert 'conversation "' in named
    missing = ragvigil("explain", str(TRACES / "langchain_hidden.pb")).stdout
    (line,) = [
        line
        for place, line in enumerate(missing.splitlines())
        if "conversation MISSING" in missing.splitlines()[place - 1]
    ]
    assert "session.id" in line
    assert "output_messages" not in line


def test_only_keys_that_could_tell_a_fact_are_named() -> None:
    """Others would look like what is missing."""
    missing = ragvigil("explain", str(TRACES / "langchain_hidden.pb")).stdout.splitlines()
    (line,) = [line for place, line in enumerate(missing) if "answer       MISSING" in missing[place - 1]]
    keys = line.partition(" for ")[2].partition(";")[0].split(", ")
    assert all("output" in key or "completion" in key or "response" in key for key in keys), keys


def test_attributes_that_the_sender_dropped_are_told(tmp_path: Path) -> None:
    """They may be the ones that are looked for; a span that lost none has no such note."""
    whole = TracesData.FromString((TRACES / "langchain_session.pb").read_bytes())
    (lost, *_) = (span for each in whole.resource_spans for scope in each.scope_spans for span in scope.spans)
    lost.dropped_attributes_count = 34
    path = tmp_path / "lost.pb"
    path.write_bytes(whole.SerializeToString())
    text = ragvigil("explain", str(path)).stdout
    (line,) = [line for line in text.splitlines() if "its sender dropped 34 of its attributes" in line]
    assert lost.span_id.hex() in line
    (trace,) = explain_files([path])
    assert {span.dropped for span in trace.spans} == {0, 34}
    assert "dropped" not in ragvigil("explain", str(TRACES / "langchain_session.pb")).stdout


def test_a_span_that_no_dialect_reads_shows_what_it_has() -> None:
    """So that somebody can write the dialect."""
    span = Span("0" * 32, "1" * 16, None, "search", 1, 1, 2, {"acme.q": "why?"}, scope="acme")
    trace = explain([span])
    assert trace.spans[0].why == "no dialect knows scope 'acme' with attributes acme.q"
    assert trace.problem == "no dialect reads any of its spans"


def test_what_stands_where_no_search_tells_it_is_named_for_what_it_is() -> None:
    """A tool's answer in the messages, and a conversation on the request's own span."""
    hits = json.dumps([{"id": "a", "text": "At nine.", "score": 0.5}])
    messages = [{"role": "user", "content": "When?"}, {"role": "tool", "tool_call_id": "c", "content": hits}]
    model = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": json.dumps(messages)}
    request = Span("0" * 32, "1" * 16, None, "GET /ask", 1, 1, 9, {"session.id": "s-1"})
    told = facts(explain([request, Span("0" * 32, "2" * 16, "1" * 16, "chat", 1, 2, 8, model)]))
    assert [place.why for place in told["documents"].taken] == ["what tools answered, in its messages"]
    assert (told["conversation"].value, told["conversation"].taken[0].span_id) == ("s-1", "1" * 16)
    parts = [{"type": "search_result", "source": "a", "content": [{"type": "text", "text": "At nine."}]}]
    given = {**model, "gen_ai.input.messages": json.dumps([{"role": "user", "parts": parts}])}
    told = facts(explain([request, Span("0" * 32, "2" * 16, "1" * 16, "chat", 1, 2, 8, given)]))
    assert [place.why for place in told["documents"].taken] == [
        "passages that its provider found or was given"
    ]


def chat(span_id: str, start: int, prompt: str, answer: str) -> Span:
    """A model call below a request."""

    def said(role: str, text: str) -> str:
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    made = {
        "gen_ai.input.messages": said("user", prompt),
        "gen_ai.output.messages": said("assistant", answer),
    }
    return Span(
        "0" * 32, span_id, "1" * 16, "chat", 1, start, start + 1, {"gen_ai.operation.name": "chat", **made}
    )


def test_it_says_what_a_prompt_tells_and_what_it_does_not() -> None:
    """Texts for ids that a search found; a context that nobody can part; a call that gave no answer."""
    request = Span("0" * 32, "1" * 16, None, "POST /ask", 1, 1, 99, {})
    found = {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps([{"id": "a"}])}
    search = Span("0" * 32, "2" * 16, "1" * 16, "retrieval", 1, 2, 3, found)
    answering = chat("3" * 16, 4, "[1] It leaves at nine.\n\nQuestion: When?", "At nine.")
    title = chat("4" * 16, 8, "Write a title: When?", "Ferries")
    told = facts(explain([request, search, answering, title]))
    assert [place.why for place in told["documents"].taken] == [
        "1 document of a retriever",
        "their texts, in its prompt",
    ]
    assert told["answer"].taken[0].span_id == "3" * 16
    assert [place.why.partition(":")[0] for place in told["answer"].others] == ["an aside"]
    whole = chat("3" * 16, 4, "Context:\nIt leaves.\nAt nine.\n\nQuestion: When?", "At nine.")
    told = facts(explain([request, whole]))
    assert [place.why for place in told["documents"].others] == [
        "its prompt shows a context, and not where passages end"
    ]


@pytest.mark.parametrize(
    ("scope", "said", "setting"),
    [
        (
            "app",
            {"gen_ai.operation.name": "chat"},
            "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
        ),
        ("gen_ai", {"gen_ai.operation.name": "chat"}, "recordInputs and recordOutputs"),
        ("ai", {"ai.operationId": "ai.generateText.doGenerate"}, "recordInputs and recordOutputs"),
        (
            "opentelemetry.instrumentation.langchain",
            {"gen_ai.operation.name": "chat"},
            "TRACELOOP_TRACE_CONTENT=true",
        ),
    ],
)
def test_it_says_how_content_that_is_kept_back_is_sent(
    scope: str, said: dict[str, object], setting: str
) -> None:
    """By the setting of whoever made the spans; nothing where there is content."""
    silent = Span(
        "0" * 32, "1" * 16, None, "ask", 1, 1, 9, said | {"gen_ai.request.model": "tiny"}, scope=scope
    )
    (record,) = explain([silent]).records
    assert record.completeness == "content_off"
    assert [each.startswith(setting) for each in record.content_settings] == [True]
    (record,) = explain([chat("3" * 16, 4, "When?", "At nine.")]).records
    assert record.content_settings == ()


def test_a_list_that_a_model_answered_is_explained_as_its_answer() -> None:
    """Not as a search, which its shape alone would say."""
    answer = json.dumps([{"id": "s1", "text": "It leaves at nine."}])
    told: dict[str, object] = {"langfuse.observation.type": "span", "langfuse.observation.input": "When?"}
    root = Span("0" * 32, "1" * 16, None, "ask", 1, 1, 99, told | {"langfuse.observation.output": answer})
    account = explain([root, chat("3" * 16, 4, "When?", answer)])
    assert [each.role for each in account.spans] == ["chain", "generator"]
    assert facts(account)["answer"].value == answer


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_what_is_explained_is_what_is_read(path: Path) -> None:
    """The account comes from the readers themselves: same records, same texts, from spans that are there."""
    spans = spans_of(path.read_bytes())
    traces = explain_files([path])
    records = read_files([path])
    explained = [(record, trace) for trace in traces for record in trace.records]
    assert sorted(account.span_id for account, _ in explained) == sorted(each.span_id for each in records)
    for told, trace in explained:
        (record,) = [each for each in records if each.span_id == told.span_id]
        values = {fact.name: fact.value for fact in told.facts}
        assert (values["query"], values["answer"]) == (record.query, record.answer)
        assert (values["model"], values["conversation"]) == (record.model, record.conversation_id)
        assert ("error" in values) == (record.error is not None)
        ids = {span.span_id for span in trace.spans}
        assert all(place.span_id in ids for fact in told.facts for place in (*fact.taken, *fact.others))
        json.dumps(asdict(trace), allow_nan=False)
    assert sum(len(trace.spans) for trace in traces) == len({span.span_id for span in spans})


def test_the_readers_do_not_notice_that_they_are_watched() -> None:
    """A recording mapping gives the same records as a plain one."""
    for path in EVERY:
        spans = spans_of(path.read_bytes())
        before = read_records(spans)
        explain(spans)
        assert read_records(spans) == before


def test_the_command_prints_text_for_people_and_json_for_programs(tmp_path: Path) -> None:
    """Hostile names do not reach the terminal, and a bad file is one line."""
    path = str(TRACES / "langchain_session.pb")
    text = ragvigil("explain", path)
    assert text.returncode == 0
    assert "from" in text.stdout
    assert "LangChainRetriever: 3 documents of a retriever" in text.stdout
    (line,) = ragvigil("explain", path, "--json").stdout.splitlines()
    assert json.loads(line)["records"][0]["facts"][0]["name"] == "query"
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    assert ragvigil("explain", str(bad)).returncode == 2
    hostile = (TRACES / "langchain_session.pb").read_bytes().replace(b"LangChainModel", b"\x1b[31mEvilName!")
    (tmp_path / "hostile.pb").write_bytes(hostile)
    shown = ragvigil("explain", str(tmp_path / "hostile.pb")).stdout
    assert "EvilName!" in shown
    assert "\x1b" not in shown


def test_it_says_by_which_rule_a_record_would_not_be_scored(tmp_path: Path) -> None:
    """Before anybody wonders where their answers went."""
    config = tmp_path / "ragvigil.toml"
    config.write_text("[filters.drills]\nspan = { 'openinference.span.kind' = 'RETRIEVER' }")
    path = str(TRACES / "langchain_session.pb")
    text = ragvigil("explain", path, "--config", str(config)).stdout
    assert (
        "not scored, filtered by filters.drills: span attribute openinference.span.kind = 'RETRIEVER'" in text
    )
    (line,) = ragvigil("explain", path, "--config", str(config), "--json").stdout.splitlines()
    assert json.loads(line)["records"][0]["filtered"][0] == "drills"
    assert "not scored" not in ragvigil("explain", path).stdout


@pytest.mark.parametrize(
    ("attributes", "why"),
    [
        (
            {"gen_ai.prompt.0.content": "Context:\nSnow is white.\n\nCoal is black.\n\nQuestion: why?"},
            "'Snow is white.",
        ),
        ({}, "no span tells the question"),
    ],
)
def test_an_incomplete_record_says_what_is_missing_and_where(attributes: dict[str, object], why: str) -> None:
    """Which span, which part of it: who has to mend a tracer needs no source code."""
    said = {
        "gen_ai.operation.name": "chat",
        "gen_ai.completion.0.content": "Because.",
        "gen_ai.usage.output_tokens": 1,
    }
    asked = {
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.1.role": "system",
        "gen_ai.prompt.1.content": "Be brief.",
    }
    trace = explain([Span("0" * 32, "1" * 16, None, "chat", 1, 0, 1, {**said, **asked, **attributes})])
    (record,) = trace.records
    assert record.completeness == "partial_evidence"
    assert record.cause is not None
    assert why in record.cause.why
    assert record.cause.span_id in ("", "1" * 16)


def test_a_complete_record_has_no_cause() -> None:
    """Nor has one whose content was kept back: there the setting that sends it is named."""
    assert [record.cause for record in account("llama_index_rerank").records] == [None]


def test_an_incident_is_sent_on_to_the_command_that_knows_it() -> None:
    """`explain inc-…` said "No such file or directory"."""
    done = ragvigil("explain", "inc-cfd0d6548ed69ba7")
    assert done.returncode == 2
    assert (
        "is an incident, not a file (ragvigil diagnose inc-cfd0d6548ed69ba7 says why it fell)" in done.stderr
    )


def test_texts_that_the_owner_keeps_back_are_told_as_such(tmp_path: Path) -> None:
    """What that leaves, and how to send them."""
    data = TracesData()
    scope = data.resource_spans.add().scope_spans.add()
    scope.scope.name = "ragvigil"
    span = scope.spans.add(trace_id=b"t" * 16, span_id=b"s" * 8, name="chat", start_time_unix_nano=1)
    for key, value in (("gen_ai.operation.name", "chat"), ("ragvigil.content", "off")):
        span.attributes.add(key=key).value.string_value = value
    path = tmp_path / "off.pb"
    path.write_bytes(data.SerializeToString())
    text = ragvigil("explain", str(path)).stdout
    assert ": withheld" in text
    assert "texts withheld by ids_only: no claim is judged, citations and retrieval are" in text
    assert 'to send it: content="full" or "redacted"' in text
