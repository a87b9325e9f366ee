"""A LlamaIndex query engine, traced by OpenInference's instrumentation: nothing in the engine changes."""

from __future__ import annotations

import os
import re
import sys

from llama_index.core import QueryBundle
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from llama_index.llms.openai import OpenAI

from ragvigil.tracer import configure, instrument

PASSAGES = {
    "water-1": "At sea level, water boils at 100 degrees Celsius.",
    "water-2": "The boiling point of water falls with altitude because air pressure is lower.",
    "ice-1": "Water freezes at 0 degrees Celsius under normal pressure.",
}


class Water(BaseRetriever):
    """The passages that share the most words with the question; stands for your index's retriever."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        wanted = words(query_bundle.query_str)
        found = [
            NodeWithScore(node=passage(name), score=len(wanted & words(text)) / max(1, len(wanted)))
            for name, text in PASSAGES.items()
        ]
        return sorted(found, key=lambda node: node.score or 0.0, reverse=True)[:2]


def passage(name: str) -> TextNode:
    """A passage, shown to the model with its id, so that it can be cited."""
    return TextNode(
        id_=name,
        text=PASSAGES[name],
        metadata={"id": name},
        metadata_template="{value}",
        text_template="[{metadata_str}] {content}",
    )


def words(text: str) -> set[str]:
    """The longer words of a text, in lower case."""
    return set(re.findall(r"\w{4,}", text.lower()))


if __name__ == "__main__":
    configure(service_name="water-llama-index")
    instrument()
    model = OpenAI(model="gpt-4o-mini", api_base=os.environ.get("OPENAI_BASE_URL"))
    print(RetrieverQueryEngine.from_args(Water(), llm=model).query(sys.argv[1]))
