"""``instrument`` with real instrumentations and clients, each in a process of its own, as it changes the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest

from tests.libraries.conftest import ENVIRONMENT
from tests.libraries.vendors import ANSWER, MODEL, Vendors

ON: Mapping[str | None, tuple[str, ...]] = {
    "newest": ("langchain", "openai"),
    "lowest": ("langchain", "llamaindex", "haystack", "openai", "anthropic"),
}
"""The instrumentations of each environment; `lowest` has the lowest versions of all extras."""
pytestmark = pytest.mark.skipif(ENVIRONMENT not in ON, reason="no instrumentation is installed here")

START = """
import json, logging, sys
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from ragvigil.tracer import configure, context, instrument, trace_rag, uninstrument

exporter = InMemorySpanExporter()
logging.basicConfig(level=logging.INFO, format="%(message)s")
logging.getLogger("httpx").setLevel(logging.WARNING)

def client():
    from openai import OpenAI
    return OpenAI(api_key="unused", base_url=URL)

def ask(text="Write to ana@example.org: when does water boil?"):
    return client().chat.completions.create(model=MODEL, messages=[{"role": "user", "content": text}])

def tell(tracing):
    tracing.flush()
    print(json.dumps([
        {"name": span.name, "scope": span.instrumentation_scope.name, "trace": span.context.trace_id,
         "span": span.context.span_id, "parent": span.parent and span.parent.span_id,
         "service": span.resource.attributes["service.name"], "attributes": dict(span.attributes),
         "status": span.status.description,
         "events": [dict(event.attributes) for event in span.events]}
        for span in exporter.get_finished_spans()
    ]))
"""


def run(vendors: Vendors, code: str) -> tuple[list[dict[str, Any]], str]:
    """The spans that the scorer would get, and the log."""
    told = f"URL, MODEL = {vendors.url + '/v1'!r}, {MODEL!r}\n"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", told + START + code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "HAYSTACK_TELEMETRY_ENABLED": "False"},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


def test_a_library_is_traced_from_its_first_import_on_until_it_is_switched_off(vendors: Vendors) -> None:
    """Twice is once; the line says what is on and what is installed without its instrumentation, with the command.

    A vendor's client is not asked for where a framework tells its calls, unless it is named.
    """
    on = ON[ENVIRONMENT]
    spans, log = run(
        vendors,
        f"""
tracing = configure(service_name="shop", exporter=exporter)
first, second = instrument(), instrument()
assert first == second and first.on == {on!r}, first
assert instrument(libraries=["langchain", "anthropic"]).lacking == {() if "anthropic" in on else ("anthropic",)!r}
assert "openai" not in sys.modules and "langchain_core" not in sys.modules
ask()
uninstrument()
ask()
instrument(libraries=["openai"])
ask()
tell(tracing)
""",
    )
    assert [span["scope"] for span in spans] == ["openinference.instrumentation.openai"] * 2
    assert spans[0]["service"] == "shop"
    assert spans[0]["attributes"]["llm.output_messages.0.message.content"] == ANSWER
    lacking = "; installed without instrumentation: llamaindex, haystack (pip install 'ragvigil[llamaindex,haystack]')"
    said = f"instrumented: {', '.join(on)}{'' if 'haystack' in on else lacking}"
    assert said in log.splitlines()


CALLS = {
    "langchain": """
from langchain_core.runnables import RunnableLambda
RunnableLambda(lambda question: "boils").invoke("When?")
""",
    "llama_index": """
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode

class Shelf(BaseRetriever):
    def _retrieve(self, query):
        return [NodeWithScore(node=TextNode(id_="water-1", text="It boils."), score=0.9)]

Shelf().retrieve("When?")
""",
    "haystack": """
from haystack import Document, Pipeline
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
store = InMemoryDocumentStore()
store.write_documents([Document(id="water-1", content="It boils.")])
pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store))
pipeline.run({"retriever": {"query": "boils"}})
""",
    "openai": "ask()",
    "anthropic": """
from anthropic import Anthropic
asked = [{"role": "user", "content": "When does it boil?"}]
client = Anthropic(api_key="unused", base_url=URL.removesuffix("/v1"))
client.messages.create(model=MODEL, messages=asked, max_tokens=9)
""",
}


@pytest.mark.parametrize("library", CALLS)
def test_what_each_library_does_is_told(vendors: Vendors, library: str) -> None:
    """Its instrumentation starts with the library, and its spans reach the scorer."""
    if library.replace("_", "") not in ON[ENVIRONMENT]:
        pytest.skip("its instrumentation is not installed here")
    spans, log = run(
        vendors,
        f"""
tracing = configure(service_name="shop", exporter=exporter)
instrument()
{CALLS[library]}
tell(tracing)
""",
    )
    assert {span["scope"] for span in spans} == {f"openinference.instrumentation.{library}"}
    told = json.dumps(spans, ensure_ascii=False)
    if library in ("llama_index", "haystack"):
        assert "water-1" in told
        assert "It boils." in told
    else:
        assert "boil" in told
    assert "not instrumented" not in log


def test_texts_leave_as_configure_says(vendors: Vendors) -> None:
    """Nothing but numbers, ids and names, or without what the rules find."""
    for content in ("ids_only", "redacted"):
        spans, _ = run(
            vendors,
            f"""
tracing = configure(service_name="shop", exporter=exporter, content={content!r})
instrument()
ask()
tell(tracing)
""",
        )
        ((attributes),) = [span["attributes"] for span in spans]
        assert attributes["llm.model_name"] == MODEL
        assert attributes["llm.token_count.prompt"] == 61
        assert "ana@example.org" not in json.dumps(spans)
        assert (ANSWER in json.dumps(spans, ensure_ascii=False)) is (content == "redacted")
        asked = attributes["llm.input_messages.0.message.content"]
        assert asked == (
            "__REDACTED__" if content == "ids_only" else "Write to <EMAIL>: when does water boil?"
        )


def test_a_request_that_wants_no_texts_has_none_of_its_model_calls_either(vendors: Vendors) -> None:
    """By its decorator, or by what is said in it; another request's are there."""
    spans, _ = run(
        vendors,
        """
tracing = configure(service_name="shop", exporter=exporter)
instrument()

@trace_rag(content="ids_only")
def closed(question):
    return ask("secret one").choices[0].message.content

@trace_rag
def closing(question):
    context(content="ids_only")
    return ask("secret two").choices[0].message.content

@trace_rag
def opened(question):
    return ask("open three").choices[0].message.content

closed("Why?"); closing("Why?"); opened("Why?")
tell(tracing)
""",
    )
    assert len(spans) == 6
    assert len({span["trace"] for span in spans}) == 3
    assert "secret" not in json.dumps(spans)
    assert "open three" in json.dumps(spans)


@pytest.mark.parametrize("content", ["full", "ids_only"])
def test_an_error_s_words_stay_where_texts_do(vendors: Vendors, content: str) -> None:
    """It may quote the user."""
    (span,), _ = run(
        vendors,
        f"""
tracing = configure(service_name="shop", exporter=exporter, content={content!r})
instrument()
URL += "/nowhere"
try:
    ask()
except Exception:
    pass
tell(tracing)
""",
    )
    types = [event["exception.type"] for event in span["events"]]
    assert types == ["openai.NotFoundError"]
    said = [span["status"], *(event.get("exception.message") for event in span["events"])]
    assert any(said) is (content == "full")


def test_what_is_instrumented_for_another_receiver_stays_there(vendors: Vendors) -> None:
    """And the log says so; nothing raises."""
    spans, log = run(
        vendors,
        """
import openai
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

theirs = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(theirs))
OpenAIInstrumentor().instrument(tracer_provider=provider)
tracing = configure(service_name="shop", exporter=exporter)
found = instrument()
assert "openai" not in found.on, found
ask()
assert len(theirs.get_finished_spans()) == 1
tell(tracing)
""",
    )
    assert spans == []
    assert (
        "ragvigil: openai is not instrumented: it was instrumented before, for another receiver"
        in log.splitlines()
    )


def test_nothing_is_switched_on_where_tracing_is_off(
    vendors: Vendors, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the environment."""
    monkeypatch.setenv("RAGVIGIL_DISABLED", "1")
    spans, log = run(vendors, "assert instrument().on == ()\nask()\nprint('[]')")
    assert spans == []
    assert "instrumented" not in log


LANGCHAIN = """
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableLambda

class Chat(BaseChatModel):
    @property
    def _llm_type(self):
        return "chat"

    def _asked(self, answer):
        usage = {"input_tokens": answer.usage.prompt_tokens, "output_tokens": answer.usage.completion_tokens}
        usage["total_tokens"] = sum(usage.values())
        message = AIMessage(answer.choices[0].message.content, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _generate(self, messages, stop=None, run_manager=None, **_):
        return self._asked(ask(messages[-1].content))

    async def _agenerate(self, messages, stop=None, run_manager=None, **_):
        from openai import AsyncOpenAI
        asking = AsyncOpenAI(api_key="unused", base_url=URL)
        asked = [{"role": "user", "content": messages[-1].content}]
        return self._asked(await asking.chat.completions.create(model=MODEL, messages=asked))

tracing = configure(service_name="shop", exporter=exporter)
instrument()
chain = RunnableLambda(lambda question: question) | Chat()
"""


def test_a_vendor_s_call_stands_beneath_langchain_s(vendors: Vendors) -> None:
    """One request, whose tokens count once, where LangChain and its vendor's client are both traced."""
    spans, log = run(
        vendors,
        f"""{LANGCHAIN}
import asyncio

@trace_rag
def traced(question):
    return chain.invoke(question).content

@trace_rag
def alone(question):
    return Chat().invoke(question).content

@trace_rag
async def later(question):
    return (await chain.ainvoke(question)).content

Chat().invoke("Why?"); chain.invoke("Why?"); traced("Why?"); alone("Why?")
asyncio.run(Chat().ainvoke("Why?")); asyncio.run(chain.ainvoke("Why?")); asyncio.run(later("Why?"))
ask("beside")
tell(tracing)
""",
    )
    beside = spans.pop()
    assert (beside["name"], beside["parent"]) == ("ChatCompletion", None)
    requests = {span["trace"] for span in spans}
    assert len(requests) == 7
    for request in requests:
        (model,) = [span for span in spans if span["trace"] == request and span["name"] == "Chat"]
        (vendor,) = [span for span in spans if span["trace"] == request and span["name"] == "ChatCompletion"]
        assert vendor["parent"] == model["span"]
    assert "beside LangChain" not in log
