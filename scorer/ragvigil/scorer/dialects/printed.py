"""Python objects as instrumentations print them, where nothing else carries their content."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from typing import cast

from ragvigil.scorer.dialects.values import number_of, text_of
from ragvigil.scorer.trace import Document

_NODE = re.compile(r"<\w+\(node=\w+\(id_=(?P<id>.*)\), score=(?P<score>[^()]*)\)>")
_DOCUMENT = re.compile(
    r"Document\(id=(?P<id>(?:(?!, content: ')[^\n]){1,500}), content: '(?P<text>.*?)'"
    r"(?P<rest>|, (?:blob|dataframe|meta|score|embedding|sparse_embedding): .*)\)",
    re.DOTALL,
)
_SCORE = re.compile(r", score: (?P<score>-?[\d.]+(?:e[+-]?\d+)?)")
_LONGEST_PRINTED = 100
"""Characters of a text from which on Haystack prints `...` instead of the rest."""
_OBJECT = re.compile(r"[A-Z]\w*\((?:\)|\w+=.*(?:\)|\.\.\.))", re.DOTALL)
_LITERAL = r"(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
_ANSWERED = re.compile(
    rf"ToolCallResult\(result={_LITERAL}, "
    r"origin=ToolCall\(tool_name='(?P<name>[^']*)'",
    re.DOTALL,
)
_REPLY = re.compile(rf"ChatMessage\(.*?TextContent\(text={_LITERAL}", re.DOTALL)


def printed_turns(items: Sequence[object]) -> list[dict[str, object]]:
    """What users asked and tools answered, of a list of Haystack's printed messages; [] where no tool did.

    >>> printed_turns(["ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[ToolCallResult(result='[1] Snow.', "
    ...     "origin=ToolCall(tool_name='find', arguments={}, id='c'), error=False)])"])
    [{'role': 'tool', 'name': 'find', 'content': '[1] Snow.'}]
    """
    turns = list[dict[str, object]]()
    for item in items:
        text = item if isinstance(item, str) else ""
        if "ChatRole.USER" in text:
            turns.append({"role": "user", "content": text})
        for found in _ANSWERED.finditer(text) if "ToolCallResult(" in text else ():
            turns.append({"role": "tool", "name": found["name"], "content": _unquoted(found["text"])})
    return turns if any(turn["role"] == "tool" for turn in turns) else []


def printed_fields(value: object) -> Mapping[str, object]:
    """A mapping that was printed; an empty one for anything else.

    >>> printed_fields("{'text': 'Snow.'}"), printed_fields("Snow.")
    ({'text': 'Snow.'}, {})
    """
    evaluated = _evaluated(value) if isinstance(value, str) and value.startswith("{'") else None
    return cast("Mapping[str, object]", evaluated) if isinstance(evaluated, dict) else {}


def _unquoted(literal: str) -> str | None:
    return text_of(_evaluated(literal))


def _evaluated(literal: str) -> object:
    try:
        return cast("object", ast.literal_eval(literal))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def printed_nodes(items: Sequence[object]) -> tuple[Document, ...]:
    """The documents in a list that holds nothing but LlamaIndex's printed nodes: ids and scores, no text.

    >>> printed_nodes(["<NodeWithScore(node=TextNode(id_=/docs/plan (old).md_part_0), score=0.5)>"])
    (Document(id='/docs/plan (old).md_part_0', text=None, score=0.5, rank=1, metadata={}),)
    """
    found = [_NODE.fullmatch(item) if isinstance(item, str) else None for item in items]
    matches = [match for match in found if match]
    if len(matches) != len(items):
        return ()
    pairs = enumerate(matches, 1)
    return tuple(Document(match["id"], None, _number(match["score"]), rank) for rank, match in pairs)


def printed_documents(items: Sequence[object]) -> tuple[Document, ...]:
    """The documents in a list that holds nothing but Haystack's printed ones; a text that was cut is unknown.

    >>> printed_documents(["Document(id=a, p. 1, content: 'It's so.', meta: {'page': 4}, score: 0.5)"])
    (Document(id='a, p. 1', text="It's so.", score=0.5, rank=1, metadata={}),)
    """
    found = [
        _DOCUMENT.fullmatch(item) if isinstance(item, str) and item.endswith(")") else None for item in items
    ]
    matches = [match for match in found if match]
    if len(matches) != len(items):
        return ()
    return tuple(_printed_document(match, rank) for rank, match in enumerate(matches, 1))


def _printed_document(match: re.Match[str], rank: int) -> Document:
    score = _SCORE.search(match["rest"])
    cut = len(match["text"]) > _LONGEST_PRINTED and match["text"].endswith("...")
    text = None if cut else text_of(match["text"])
    return Document(match["id"], text, _number(score["score"]) if score else None, rank)


def is_printed(text: str) -> bool:
    """Whether the whole text is one printed object, cut short or not, which no one asked or answered.

    >>> is_printed("StopEvent(result=AgentOutput(response=ChatMessa..."), is_printed("Why (x=1)?")
    (True, False)
    """
    return _OBJECT.fullmatch(text) is not None


def printed_reply(item: object) -> str | None:
    """The text of Haystack's printed chat message.

    >>> printed_reply("ChatMessage(_role=<…>, _content=[TextContent(text='It\\\\'s so.')], _meta={})")
    "It's so."
    """
    found = _REPLY.match(item) if isinstance(item, str) else None
    return found and _unquoted(found["text"])


def _number(text: str) -> float | None:
    try:
        return number_of(float(text))
    except ValueError:
        return None
