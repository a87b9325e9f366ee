"""One call of ``context`` covers the request: spans before and after it, threads, and the services behind."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from opentelemetry import context as otel_context
from opentelemetry import propagate

from ragvigil.tracer import configure, context, trace_generator, trace_rag, trace_retriever

from .conftest import Receiver, Recording

SECRET = "Write to ana@example.org"


@trace_retriever
def search(query: str) -> list[tuple[str, str]]:
    """One passage."""
    return [("p1", SECRET)]


def sent() -> dict[str, str]:
    """The headers that an instrumented HTTP client would send from here."""
    headers: dict[str, str] = {}
    propagate.inject(headers)
    return headers


def received(headers: dict[str, str], work: Callable[[], object]) -> None:
    """Do the work as a service that was called with these headers."""
    token = otel_context.attach(propagate.extract(headers))
    try:
        work()
    finally:
        otel_context.detach(token)


def test_one_call_covers_the_spans_before_it_and_after_it(recording: Recording) -> None:
    """Those that ended and wait to be sent, the open root, and those that begin later."""

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        context(conversation_id="c-1", language="pt", cached=True)
        search(question)
        return "so"

    ask("why")
    spans = [span["attributes"] for span in recording.spans()]
    assert [span["gen_ai.conversation.id"] for span in spans] == ["c-1"] * 3
    assert [span["ragvigil.segment.language"] for span in spans] == ["pt"] * 3
    assert [span["ragvigil.cached"] for span in spans] == [True] * 3


def test_the_root_has_the_facts_that_came_too_late_for_what_was_sent(recording: Recording) -> None:
    """The scorer joins them to the record by way of the root."""

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        recording.tracing.flush()
        context(conversation_id="c-1")
        return "so"

    ask("why")
    earlier, root = (span["attributes"] for span in recording.spans())
    assert "gen_ai.conversation.id" not in earlier
    assert root["gen_ai.conversation.id"] == "c-1"


def test_a_request_inside_of_another_has_the_outer_facts_and_keeps_its_own(recording: Recording) -> None:
    """A sub-question may have a language of its own."""

    @trace_rag(name="inner")
    def part(question: str) -> str:
        context(language="en")
        return "so"

    @trace_rag(name="outer")
    def ask(question: str) -> str:
        part(question)
        context(conversation_id="c-1", language="pt")
        return "so"

    ask("why")
    inner, outer = (span["attributes"] for span in recording.spans())
    assert (inner["ragvigil.segment.language"], outer["ragvigil.segment.language"]) == ("en", "pt")
    assert inner["gen_ai.conversation.id"] == outer["gen_ai.conversation.id"] == "c-1"


def test_what_a_part_says_crosses_from_the_rest_of_the_request(recording: Recording) -> None:
    """From the root after it, from the next part, and from later steps of a stream."""
    headers: list[dict[str, str]] = []

    @trace_retriever
    def say(query: str) -> list[str]:
        context(language="pt")
        return []

    @trace_generator
    def write(question: str) -> Iterator[str]:
        context(experiment="B")
        yield "so"
        headers.append(sent())

    @trace_rag
    def ask(question: str) -> str:
        say(question)
        headers.append(sent())
        answer = "".join(write(question))
        headers.append(sent())
        return answer

    ask("why")
    assert [header["baggage"].count("ragvigil.segment") for header in headers] == [1, 2, 2]
    assert "baggage" not in sent()


def test_what_a_thread_says_crosses_from_the_parts_after_it(recording: Recording) -> None:
    """A part that begins later has it in its baggage; nothing is left behind."""
    headers: list[dict[str, str]] = []

    @trace_retriever
    def call(query: str) -> list[str]:
        headers.append(sent())
        return []

    @trace_rag
    def ask(question: str) -> str:
        thread = threading.Thread(target=lambda: context(language="pt"))
        thread.start()
        thread.join()
        call(question)
        return "so"

    ask("why")
    assert "ragvigil.segment.language=pt" in headers[0]["baggage"]
    assert "baggage" not in sent()


def test_a_cached_answer_says_so_in_the_next_service(recording: Recording) -> None:
    """As the boolean that it was."""
    with context(cached=True):
        headers = sent()
    received(headers, lambda: search("why"))
    assert recording.attributes()["ragvigil.cached"] is True


@pytest.mark.parametrize("said", ["block", "call", "root"])
def test_the_content_policy_of_a_request_binds_the_next_service(recording: Recording, said: str) -> None:
    """What the first service does not record, the next one must not record either."""
    headers: dict[str, str] = {}

    def ask(question: str) -> str:
        if said == "call":
            context(content="ids_only")
        headers.update(sent())
        return SECRET

    if said == "root":
        trace_rag(content="ids_only")(ask)(SECRET)
    elif said == "block":
        with context(content="ids_only"):
            trace_rag(ask)(SECRET)
    else:
        trace_rag(ask)(SECRET)
    assert "baggage" not in sent()
    received(headers, lambda: search(SECRET))
    spans = recording.spans()
    assert [span["attributes"]["ragvigil.content"] for span in spans] == ["off", "off"]
    assert "ana@" not in str(spans)


def test_a_block_ends_its_policy_at_its_end(recording: Recording) -> None:
    """Here and for the services behind; the facts of the call stay."""
    headers: list[str] = []

    @trace_rag
    def ask(question: str) -> str:
        with context(content="ids_only", language="pt"):
            search(question)
            headers.append(sent()["baggage"])
        search(question)
        headers.append(sent()["baggage"])
        return "so"

    ask(SECRET)
    assert [span["attributes"].get("ragvigil.content") for span in recording.spans()] == ["off", None, None]
    assert ["ids_only" in header for header in headers] == [True, False]
    assert all("ragvigil.segment.language=pt" in header for header in headers)


def test_an_inner_block_never_loosens_the_outer(recording: Recording) -> None:
    """The strictest wins."""
    with context(content="ids_only"), context(content="full"):
        search(SECRET)
    assert recording.attributes()["ragvigil.content"] == "off"


def test_baggage_can_only_take_texts_away(record: Callable[..., Recording]) -> None:
    """Anybody may send headers, and gets no more recorded; a word that is no policy counts as the strictest."""
    recording = record(content="redacted")
    for word in ("full", "ids_only", "everything"):
        received({"baggage": f"ragvigil.content_policy={word}"}, lambda: search(SECRET))
    marks = [span["attributes"]["ragvigil.content"] for span in recording.spans()]
    assert marks == ["redacted", "off", "off"]


def test_the_policy_is_read_beside_any_number_of_facts(recording: Recording) -> None:
    """Nobody crowds it out."""
    many = ",".join(f"ragvigil.segment.k{index}=v" for index in range(60))
    received({"baggage": f"{many},ragvigil.content_policy=ids_only"}, lambda: search(SECRET))
    assert recording.attributes()["ragvigil.content"] == "off"


def test_a_call_makes_the_whole_request_quiet(recording: Recording) -> None:
    """The spans that wait to be sent, the open root with its error, and what begins later."""

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        context(content="ids_only")
        search(question)
        raise ValueError(SECRET)

    with pytest.raises(ValueError, match="Write"):
        ask(SECRET)
    spans = recording.spans()
    assert [span["attributes"]["ragvigil.content"] for span in spans] == ["off"] * 3
    assert "ana@" not in str(spans)


def test_an_error_that_waits_to_be_sent_loses_its_words_too(recording: Recording) -> None:
    """They may quote the user."""

    @trace_generator
    def write(question: str) -> str:
        raise ValueError(SECRET)

    @trace_rag
    def ask(question: str) -> str:
        try:
            return write(question)
        except ValueError:
            context(content="ids_only")
            return "so"

    ask(SECRET)
    assert [span["status"] for span in recording.spans()] == [("ERROR", None), ("UNSET", None)]


def test_facts_arrive_on_the_wire(receiver: Receiver) -> None:
    """Over OTLP, as on the spans in memory."""
    tracing = configure(service_name="tests", endpoint=receiver.endpoint)

    @trace_rag
    def ask(question: str) -> str:
        search(question)
        context(language="pt")
        return "so"

    ask("why")
    tracing.shutdown()
    told = [{pair.key: pair.value.string_value for pair in span.attributes} for span in receiver.spans()]
    assert [span["ragvigil.segment.language"] for span in told] == ["pt", "pt"]


def test_a_call_outside_of_a_request_says_that_it_had_no_effect(
    recording: Recording, caplog: pytest.LogCaptureFixture
) -> None:
    """Unless it is a block around one, or somewhere in such a block or request."""

    @trace_rag
    def ask(question: str) -> str:
        context(language="pt")
        return "so"

    with context(language="en"):
        context(user_id="u1")
        ask("why")
    assert not caplog.records
    context(user_id="u2")
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("ragvigil: context() had no effect: outside of a traced request")
    (root,) = recording.spans()
    assert (root["attributes"]["user.id"], root["attributes"]["ragvigil.segment.language"]) == ("u1", "pt")


def test_a_call_outside_of_a_request_is_silent_where_nothing_is_recorded(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A service that is not traced has nothing to put right."""
    context(user_id="u2")
    assert not caplog.records
