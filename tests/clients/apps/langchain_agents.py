"""LangChain applications in which a graph or a model says what is done next."""

from __future__ import annotations

from typing import Any, TypedDict

from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import tool
from langchain_parts import PROMPT, TinyChat, TinyRetriever, numbered, plain
from scenario import FARE, FERRY, TRAIN


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
