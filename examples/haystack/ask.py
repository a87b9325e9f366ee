"""A Haystack pipeline with no word of tracing in it: `ragvigil-instrument python ask.py QUESTION`."""

from __future__ import annotations

import sys

from haystack import Document, Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}
PROMPT = """Answer only from these passages, and cite them.
{% for document in documents %}[{{ document.id }}] {{ document.content }}
{% endfor %}"""


def pipeline() -> Pipeline:
    """Retrieve, build the prompt, answer."""
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=name, content=text) for name, text in PASSAGES.items()])
    messages = [ChatMessage.from_system(PROMPT), ChatMessage.from_user("{{ question }}")]
    made = Pipeline()
    made.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    made.add_component("prompt", ChatPromptBuilder(messages, required_variables=["documents", "question"]))
    made.add_component("model", OpenAIChatGenerator(model="gpt-4o-mini"))
    made.connect("retriever.documents", "prompt.documents")
    made.connect("prompt.prompt", "model.messages")
    return made


if __name__ == "__main__":
    question = sys.argv[1]
    result = pipeline().run({"retriever": {"query": question}, "prompt": {"question": question}})
    print(result["model"]["replies"][0].text)
