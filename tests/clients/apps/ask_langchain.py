"""LangChain applications: `python ask_langchain.py CASE`, instrumented as `INSTRUMENTATION` says."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from langchain_agents import agent, corrective, graph, retriever_tool
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnableParallel, RunnablePassthrough
from langchain_parts import (
    ONE_PROMPT,
    PROMPT,
    Rerank,
    TinyChat,
    TinyRetriever,
    instrument,
    numbered,
    plain,
)
from scenario import API, FARE, FERRY, MODEL, TRAIN, Scenario
from telemetry import run


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


def requested(ask: Any) -> Any:
    """Asked within the span of a web request, as in a service whose framework is instrumented as well."""

    def case() -> None:
        from opentelemetry import trace

        with trace.get_tracer("web").start_as_current_span("POST /chat"):
            ask()

    return case


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
    "requested": requested(lambda: lcel(FERRY).invoke(FERRY.question)),
    "requested_stream": requested(lambda: list(lcel(TRAIN).stream(TRAIN.question))),
    "requested_agent": requested(agent),
    "requested_by_vendor": requested(by_vendor),
    "conversation": conversation,
    "batch": batch,
}


if __name__ == "__main__":
    instrument()
    run(CASES)
