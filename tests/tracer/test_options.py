"""What decorators are told, or find in a function's own parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.tracer.test_spans import ANSWER, QUESTION, QUESTION_MESSAGE

from ragvigil.tracer import context, trace_generator, trace_rag, trace_retriever

from .conftest import Recording


def test_a_generator_without_a_question_of_its_own_takes_the_requests(recording: Recording) -> None:
    """A rendered prompt repeats the passages, so it is not what is recorded."""

    @trace_generator(model="m")
    def complete(prompt: str) -> str:
        return ANSWER

    @trace_rag
    def ask(question: str) -> str:
        return complete(f"Passages: …\nQuestion: {question}")

    ask(QUESTION)
    assert recording.spans()[0]["attributes"]["gen_ai.input.messages"] == QUESTION_MESSAGE


def test_options_of_the_root_name_parameters_and_fix_a_segment(recording: Recording) -> None:
    """What a root knows, its children carry."""

    @trace_retriever
    def search(query: str) -> list[str]:
        return []

    @trace_rag(name="support", conversation_id="thread", user_id="who", segment={"tenant": "acme"})
    def ask(question: str, *, thread: int, who: str | None = None) -> str:
        search(question)
        return ANSWER

    ask(QUESTION, thread=42, who="u-7")
    carried = {
        "gen_ai.conversation.id": "42",
        "session.id": "42",
        "user.id": "u-7",
        "ragvigil.segment.tenant": "acme",
    }
    spans = recording.spans()
    assert spans[1]["name"] == "invoke_workflow support"
    for span in spans:
        assert carried.items() <= span["attributes"].items()


def test_a_context_block_around_requests_ends_with_the_block(recording: Recording) -> None:
    """A middleware's facts must not leak into the next request of the same thread."""

    @trace_rag
    def ask(question: str) -> str:
        return ANSWER

    with context(user_id="u-7"):
        ask(QUESTION)
    ask(QUESTION)
    with_user, without = (span["attributes"] for span in recording.spans())
    assert with_user["user.id"] == "u-7"
    assert "user.id" not in without


def test_methods_classmethods_staticmethods_and_callables_are_traced(recording: Recording) -> None:
    """The question is found past ``self`` and ``cls``."""

    class Engine:
        @trace_retriever
        def search(self, query: str) -> list[str]:
            return [query]

        @trace_retriever
        @classmethod
        def shared(cls, query: str) -> list[str]:
            return [query]

        @trace_retriever
        @staticmethod
        def loose(query: str) -> list[str]:
            return [query]

        def __call__(self, query: str) -> list[str]:
            return [query]

    engine = Engine()
    calls: list[Callable[[str], list[str]]] = [
        engine.search,
        engine.shared,
        Engine.loose,
        trace_retriever(engine),
    ]
    assert [call("why") for call in calls] == [["why"]] * 4
    assert [span["attributes"]["gen_ai.retrieval.query.text"] for span in recording.spans()] == ["why"] * 4


def test_the_question_is_found_in_a_request_body_and_in_a_chat_history(recording: Recording) -> None:
    """Bodies of web frameworks, and messages lists."""

    @dataclass
    class Body:
        question: str

    @trace_rag(query="body")
    def ask(body: Body) -> str:
        return ANSWER

    @trace_rag
    def chat(messages: list[dict[str, str]]) -> str:
        return ANSWER

    @trace_rag
    def endpoint(request: dict[str, object]) -> str:
        return ANSWER

    ask(Body(QUESTION))
    endpoint({"stream": False, "messages": [{"role": "user", "content": QUESTION}]})
    chat([{"role": "user", "content": QUESTION}, {"role": "assistant", "content": "Hm."}])
    assert [span["attributes"]["input.value"] for span in recording.spans()] == [QUESTION] * 3


def test_a_parameter_that_calls_itself_a_question_is_one(recording: Recording) -> None:
    """Before the first text by position, and before a rendered prompt; not the vector or the id of one."""

    @trace_rag
    def answer(tenant: str, question_text: str, query_id: str = "7") -> str:
        return ANSWER

    @trace_retriever
    def search(query_vector: list[float], prompt: str, *, rewritten_query: str) -> list[str]:
        return []

    answer("acme", QUESTION)
    search([0.5], "Context: …", rewritten_query=QUESTION)
    root, search_span = (span["attributes"] for span in recording.spans())
    assert root["input.value"] == search_span["gen_ai.retrieval.query.text"] == QUESTION


def test_extract_reads_an_odd_result_and_leaves_it_alone(recording: Recording) -> None:
    """The service still gets the object that it made."""
    odd = object()

    @trace_retriever(extract=lambda result: [("p1", "Ice", 0.5)])
    def search(query: str) -> object:
        return odd

    assert search(QUESTION) is odd
    assert recording.attributes()["gen_ai.retrieval.documents"] == '[{"id":"p1","score":0.5,"content":"Ice"}]'
