"""A LangChain chain, traced by OpenInference's instrumentation: nothing in the chain changes."""

from __future__ import annotations

import re
import sys

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnablePassthrough
from langchain_openai import ChatOpenAI

from ragvigil.tracer import configure, instrument

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}


class Water(BaseRetriever):
    """The passages that share the most words with the question; stands for your vector store's retriever."""

    top_k: int = 2

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        wanted = words(query)
        best = sorted(PASSAGES, key=lambda name: len(wanted & words(PASSAGES[name])), reverse=True)
        return [Document(id=name, page_content=PASSAGES[name]) for name in best[: self.top_k]]


def shown(documents: list[Document]) -> str:
    """The passages as the model gets them."""
    return "\n".join(f"[{document.id}] {document.page_content}" for document in documents)


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))


if __name__ == "__main__":
    configure(service_name="water-langchain")
    instrument()
    prompt = ChatPromptTemplate.from_messages(
        [
            ("system", "Answer only from these passages, and cite them.\n{context}"),
            ("user", "{question}"),
        ]
    )
    chain = (
        {"context": Water() | shown, "question": RunnablePassthrough()}
        | prompt
        | ChatOpenAI(model="gpt-4o-mini")
        | StrOutputParser()
    )
    print(chain.invoke(sys.argv[1]))
