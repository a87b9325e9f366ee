"""LangChain applications: `python ask_langchain.py CASE`, instrumented as `INSTRUMENTATION` says."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator
from typing import Any, TypedDict

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_core.tools import tool
from scenario import API, FARE, FERRY, INPUT_TOKENS, MODEL, OUTPUT_TOKENS, TRAIN, Scenario
from telemetry import provider, run

USAGE = {
    "input_tokens": INPUT_TOKENS,
    "output_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}
TOKEN_USAGE = {
    "prompt_tokens": INPUT_TOKENS,
    "completion_tokens": OUTPUT_TOKENS,
    "total_tokens": INPUT_TOKENS + OUTPUT_TOKENS,
}


class TinyChat(BaseChatModel):
    """Says its lines in turn: a text, or the arguments of a call of the tool `find_passages`."""

    lines: list[Any]
    model_name: str = MODEL
    broken: bool = False
    said: int = 0

    @property
    def _llm_type(self) -> str:
        return "tiny"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model_name": self.model_name}

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _next(self) -> Any:
        if self.broken:
            raise ValueError("context window exceeded: 9000 > 8192")
        line = self.lines[min(self.said, len(self.lines) - 1)]
        self.said += 1
        return line

    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> ChatResult:
        line = self._next()
        calls = (
            []
            if isinstance(line, str)
            else [{"name": "find_passages", "args": line, "id": f"call_{self.said}"}]
        )
        message = AIMessage(
            content=line if isinstance(line, str) else "",
            tool_calls=calls,
            response_metadata={"model_name": MODEL, "token_usage": TOKEN_USAGE},
            usage_metadata=USAGE,
        )
        return ChatResult(
            generations=[ChatGeneration(message=message)],
            llm_output={"token_usage": TOKEN_USAGE, "model_name": MODEL},
        )

    def _stream(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[Any]:
        line = self._next()
        for place in range(0, len(line), 7):
            yield ChatGenerationChunk(message=AIMessageChunk(content=line[place : place + 7]))
        yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=USAGE))


class TinyRetriever(BaseRetriever):
    """Finds what the scenario says, or as asked for, less."""

    scenarios: list[Any]
    ids: bool = True
    empty: bool = False
    broken: bool = False

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        if self.broken:
            raise ConnectionError("index 'ferry' unreachable")
        known = [each for each in self.scenarios if each.question == query]
        found = () if self.empty else (known or self.scenarios)[0].passages
        return [
            Document(
                page_content=each.text,
                **({"id": each.id, "metadata": {"score": each.score}} if self.ids else {}),
            )
            for each in found
        ]


class Rerank(BaseRetriever):
    """Turns the order of another retriever round and keeps two, as contextual compression does."""

    base: Any

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return self.base.invoke(query, config={"callbacks": run_manager.get_child()})[::-1][:2]


def numbered(documents: list[Document]) -> str:
    return "\n".join(f"[{place}] {each.page_content}" for place, each in enumerate(documents, 1))


def plain(documents: list[Document]) -> str:
    return "\n\n".join(each.page_content for each in documents)


PROMPT = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("user", "{question}")])
ONE_PROMPT = ChatPromptTemplate.from_template(
    "Use the context.\n\nContext:\n{context}\n\nQuestion: {question}\n\nAnswer:"
)


def lcel(
    scenario: Scenario,
    *,
    show: Any = numbered,
    prompt: Any = PROMPT,
    broken_model: bool = False,
    retriever: Any = None,
    **options: bool,
) -> Any:
    """Retrieve, format, prompt, answer, parse."""
    given = {
        "context": (retriever or TinyRetriever(scenarios=[scenario], **options)) | show,
        "question": RunnablePassthrough(),
    }
    return given | prompt | TinyChat(lines=[scenario.answer], broken=broken_model) | StrOutputParser()


def by_vendor(*, traced: bool = False) -> Any:
    """The model is asked through its vendor's client, inside of a decorated function or not."""
    from langchain_openai import ChatOpenAI
    from tiny_openai import serving

    with serving([FERRY.answer]) as url:
        chat = ChatOpenAI(model=MODEL, base_url=url, api_key="unused")
        given = {
            "context": TinyRetriever(scenarios=[FERRY]) | numbered,
            "question": RunnablePassthrough(),
        }
        chain = given | PROMPT | chat | StrOutputParser()
        if not traced:
            return chain.invoke(FERRY.question)
        from ragvigil.tracer import trace_rag

        return trace_rag(lambda question: chain.invoke(question))(FERRY.question)


def caught(ask: Any) -> Any:
    def case() -> None:
        with contextlib.suppress(ConnectionError, ValueError):
            ask()

    return case


async def drained(chunks: Any) -> None:
    async for _ in chunks:
        pass


def with_context() -> Any:
    """The question in a mapping beside the history, the answer in a mapping beside the documents."""
    chat = TinyChat(lines=[FARE.answer])
    prompt = ChatPromptTemplate.from_messages(
        [("system", "Answer from:\n{shown}"), MessagesPlaceholder("chat_history"), ("user", "{question}")]
    )
    chain = (
        RunnablePassthrough.assign(
            context=RunnableLambda(lambda given: given["question"]) | TinyRetriever(scenarios=[FARE])
        )
        .assign(shown=lambda given: plain(given["context"]))
        .assign(answer=prompt | chat | StrOutputParser())
    )
    history = [HumanMessage(FERRY.question), AIMessage(FERRY.answer)]
    return chain.invoke(
        {"question": FARE.question, "chat_history": history},
        config={"metadata": {"session_id": "s-77", "user_id": "u-5"}},
    )


def condensed() -> Any:
    """A first model call turns the follow-up into a question of its own; only then is searched and answered."""
    chat = TinyChat(lines=["Quel est le prix du bateau de Groix pour un enfant ?", FARE.answer])
    rephrase = ChatPromptTemplate.from_messages(
        [("system", "Rephrase the follow-up."), MessagesPlaceholder("chat_history"), ("user", "{input}")]
    )
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("user", "{input}")])
    search = rephrase | chat | StrOutputParser() | TinyRetriever(scenarios=[FARE]) | plain
    chain = RunnablePassthrough.assign(context=search) | prompt | chat | StrOutputParser()
    return chain.invoke(
        {"input": FARE.question, "chat_history": [HumanMessage(FERRY.question), AIMessage(FERRY.answer)]}
    )


def two_searches() -> Any:
    """Two indexes are asked side by side, and the prompt shows both."""
    both = RunnableParallel(one=TinyRetriever(scenarios=[FERRY]), two=TinyRetriever(scenarios=[FARE]))
    chain = (
        {
            "context": both | RunnableLambda(lambda found: plain(found["one"] + found["two"])),
            "question": RunnablePassthrough(),
        }
        | ONE_PROMPT
        | TinyChat(lines=[FERRY.answer])
        | StrOutputParser()
    )
    return chain.invoke(FERRY.question)


def structured() -> Any:
    """The model answers with a JSON object, and the chain returns it parsed."""
    chat = TinyChat(lines=['{"answer": "22 €", "sources": ["tarifs-1"]}'])
    chain = (
        {"context": TinyRetriever(scenarios=[FARE]) | plain, "question": RunnablePassthrough()}
        | PROMPT
        | chat
        | JsonOutputParser()
    )
    return chain.invoke(FARE.question)


def by_function() -> Any:
    """No retriever class: a plain function finds the documents."""

    def find(question: str) -> list[Document]:
        return TinyRetriever(scenarios=[TRAIN])._get_relevant_documents(question, run_manager=None)

    chain = (
        {"context": RunnableLambda(find) | numbered, "question": RunnablePassthrough()}
        | PROMPT
        | TinyChat(lines=[TRAIN.answer])
        | StrOutputParser()
    )
    return chain.invoke(TRAIN.question)


def with_titles() -> Any:
    """After the answer another model call names the conversation."""
    chain = lcel(FERRY)
    name = (
        ChatPromptTemplate.from_template("Name this: {answer}")
        | TinyChat(lines=["Horaires de Groix"])
        | StrOutputParser()
    )
    return RunnableLambda(
        lambda question: {
            "answer": (answer := chain.invoke(question)),
            "title": name.invoke({"answer": answer}),
        }
    ).invoke(FERRY.question)


class State(TypedDict, total=False):
    question: str
    context: list[Document]
    answer: str


def graph() -> Any:
    """LangGraph's tutorial: a node retrieves, a node generates, over a shared state."""
    from langgraph.graph import START, StateGraph

    retriever, chat = TinyRetriever(scenarios=[TRAIN]), TinyChat(lines=[TRAIN.answer])

    def retrieve(state: State) -> State:
        return {"context": retriever.invoke(state["question"])}

    def generate(state: State) -> State:
        messages = PROMPT.invoke({"question": state["question"], "context": plain(state["context"])})
        return {"answer": chat.invoke(messages).content}

    built = StateGraph(State).add_node("retrieve", retrieve).add_node("generate", generate)
    compiled = built.add_edge(START, "retrieve").add_edge("retrieve", "generate").compile()
    return compiled.invoke(
        {"question": TRAIN.question},
        config={"configurable": {"thread_id": "t-12"}, "metadata": {"thread_id": "t-12"}},
    )


@tool
def find_passages(query: str) -> str:
    """Find passages of the ferry company's site."""
    return FERRY.numbered()


@tool(response_format="content_and_artifact")
def search_site(query: str) -> Any:
    """Search the ferry company's site."""
    found = TinyRetriever(scenarios=[FERRY]).invoke(query)
    return "\n\n".join(f"Source: {each.id}\nContent: {each.page_content}" for each in found), found


def agent() -> Any:
    """The model calls a tool that finds passages, and answers from them."""
    chat = TinyChat(lines=[{"query": "dernier bateau Groix"}, FERRY.answer])
    try:
        from langchain.agents import create_agent
    except ImportError:
        from langgraph.prebuilt import create_react_agent as create_agent
    made = create_agent(chat, [find_passages])
    return made.invoke({"messages": [("user", FERRY.question)]}, config={"metadata": {"session_id": "s-8"}})


def retriever_tool() -> Any:
    """The guide to agents' tool: a retriever, of whose passages it makes one text."""
    from langchain.agents import create_agent
    from langchain_core.tools import create_retriever_tool

    found = create_retriever_tool(TinyRetriever(scenarios=[FERRY]), "find_passages", "Passages of the site.")
    chat = TinyChat(lines=[{"query": "bateau"}, {"query": "dernier bateau Groix"}, FERRY.answer])
    return create_agent(chat, [found]).invoke({"messages": [("user", FERRY.question)]})


def corrective() -> Any:
    """What was found first is graded, thrown away, and searched for again."""
    chat = TinyChat(lines=["no", "yes", FERRY.answer])

    def search(question: str) -> Any:
        for scenario in (FARE, FERRY):
            found = TinyRetriever(scenarios=[scenario]).invoke(question)
            if chat.invoke(f"Is this relevant? {plain(found)}").content == "yes":
                return numbered(found)
        return ""

    given = {"context": RunnableLambda(search), "question": RunnablePassthrough()}
    return (given | PROMPT | chat | StrOutputParser()).invoke(FERRY.question)


def retrieval_chain() -> Any:
    """The two constructors that LangChain's documentation showed for years."""
    try:
        from langchain_classic.chains import create_retrieval_chain
        from langchain_classic.chains.combine_documents import create_stuff_documents_chain
    except ImportError:
        from langchain.chains import create_retrieval_chain
        from langchain.chains.combine_documents import create_stuff_documents_chain
    prompt = ChatPromptTemplate.from_messages([("system", "Answer from:\n{context}"), ("user", "{input}")])
    stuff = create_stuff_documents_chain(TinyChat(lines=[API.answer]), prompt)
    return create_retrieval_chain(TinyRetriever(scenarios=[API]), stuff).invoke({"input": API.question})


def retrieval_qa() -> Any:
    """The oldest of all."""
    try:
        from langchain_classic.chains import RetrievalQA
    except ImportError:
        from langchain.chains import RetrievalQA
    chain = RetrievalQA.from_chain_type(
        TinyChat(lines=[TRAIN.answer]),
        retriever=TinyRetriever(scenarios=[TRAIN]),
        return_source_documents=True,
    )
    return chain.invoke({"query": TRAIN.question})


def conversation() -> Any:
    """Two turns below one span of the service."""
    from opentelemetry import trace

    with trace.get_tracer("desk").start_as_current_span("POST /chat"):
        for scenario in (FERRY, FARE):
            lcel(scenario).invoke(scenario.question)


def batch() -> Any:
    """Two questions at once."""
    scenarios = [FERRY, FARE]
    given = {"context": TinyRetriever(scenarios=scenarios) | numbered, "question": RunnablePassthrough()}
    answers = {each.question: each.answer for each in scenarios}
    reply = RunnableLambda(
        lambda prompt: TinyChat(lines=[answers[prompt.to_messages()[-1].content]]).invoke(prompt)
    )
    return (given | PROMPT | reply | StrOutputParser()).batch([each.question for each in scenarios])


CASES = {
    "plain": lambda: lcel(FERRY).invoke(
        FERRY.question, config={"metadata": {"session_id": "s-1", "user_id": "u-9"}}
    ),
    "one_prompt": lambda: lcel(API, show=plain, prompt=ONE_PROMPT).invoke(API.question),
    "completion": lambda: (
        {"context": TinyRetriever(scenarios=[TRAIN]) | numbered, "question": RunnablePassthrough()}
        | PromptTemplate.from_template("{context}\n\nQuestion: {question}\nAnswer:")
        | TinyChat(lines=[TRAIN.answer])
        | StrOutputParser()
    ).invoke(TRAIN.question),
    "stream": lambda: list(lcel(TRAIN).stream(TRAIN.question)),
    "async_stream": lambda: asyncio.run(drained(lcel(API).astream(API.question))),
    "async": lambda: asyncio.run(lcel(FERRY, show=plain).ainvoke(FERRY.question)),
    "no_ids": lambda: lcel(TRAIN, show=plain, ids=False).invoke(TRAIN.question),
    "empty": lambda: lcel(FERRY, empty=True).invoke(FERRY.question),
    "reranked": lambda: lcel(FERRY, retriever=Rerank(base=TinyRetriever(scenarios=[FERRY]))).invoke(
        FERRY.question
    ),
    "retriever_error": caught(lambda: lcel(FERRY, broken=True).invoke(FERRY.question)),
    "model_error": caught(lambda: lcel(TRAIN, broken_model=True).invoke(TRAIN.question)),
    "stream_error": caught(lambda: list(lcel(TRAIN, broken_model=True).stream(TRAIN.question))),
    "with_context": with_context,
    "condensed": condensed,
    "two_searches": two_searches,
    "structured": structured,
    "by_function": by_function,
    "with_titles": with_titles,
    "graph": graph,
    "agent": agent,
    "retriever_tool": retriever_tool,
    "corrective": corrective,
    "retrieval_chain": retrieval_chain,
    "retrieval_qa": retrieval_qa,
    "by_vendor": by_vendor,
    "by_vendor_traced": lambda: by_vendor(traced=True),
    "conversation": conversation,
    "batch": batch,
}


def instrument() -> None:
    """Switch on the instrumentation that the environment names."""
    name = os.environ.get("INSTRUMENTATION", "openinference")
    if name == "openinference":
        from openinference.instrumentation.langchain import LangChainInstrumentor

        LangChainInstrumentor().instrument(tracer_provider=provider())
    elif name == "openllmetry":
        from opentelemetry.instrumentation.langchain import LangchainInstrumentor

        LangchainInstrumentor().instrument(tracer_provider=provider())
    elif name == "genai":
        from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as GenAIInstrumentor

        os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
        GenAIInstrumentor().instrument(tracer_provider=provider())
    elif name == "langsmith":
        provider()
    elif name == "mlflow":
        import mlflow

        mlflow.langchain.autolog()


if __name__ == "__main__":
    instrument()
    run(CASES)
