"""Python objects as instrumentations print them, where nothing else carries their content."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from ragvigil.scorer.dialects.values import number_of, text_of
from ragvigil.scorer.trace import Document

_NODE = re.compile(r"<\w+\(node=\w+\(id_=(?P<id>[^()]*)\), score=(?P<score>[^()]*)\)>")
_REPLY = re.compile(
    r"ChatMessage\(.*?TextContent\(text=(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")", re.DOTALL
)


def printed_nodes(items: Sequence[object]) -> tuple[Document, ...]:
    """The documents in a list that holds nothing but LlamaIndex's printed nodes: ids and scores, no text.

    >>> printed_nodes(["<NodeWithScore(node=TextNode(id_=a-1), score=0.5)>"])
    (Document(id='a-1', text=None, score=0.5, rank=1, metadata={}),)
    """
    found = [_NODE.fullmatch(item) if isinstance(item, str) else None for item in items]
    matches = [match for match in found if match]
    if len(matches) != len(items):
        return ()
    pairs = enumerate(matches, 1)
    return tuple(Document(match["id"], None, _number(match["score"]), rank) for rank, match in pairs)


def printed_reply(item: object) -> str | None:
    """The text of Haystack's printed chat message.

    >>> printed_reply("ChatMessage(_role=<…>, _content=[TextContent(text='It\\\\'s so.')], _meta={})")
    "It's so."
    """
    found = _REPLY.match(item) if isinstance(item, str) else None
    if found is None:
        return None
    try:
        return text_of(ast.literal_eval(found["text"]))
    except (ValueError, SyntaxError):
        return None


def _number(text: str) -> float | None:
    try:
        return number_of(float(text))
    except ValueError:
        return None
