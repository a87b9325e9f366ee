"""LangChain's own objects, as its instrumentations write them into what steps were given and returned."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import cast

from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.messages import content_of
from ragvigil.scorer.dialects.printed import printed_fields
from ragvigil.scorer.dialects.values import mapping_of, sequence_of, structure_of, unquoted
from ragvigil.scorer.trace import Document

_DEEPEST = 4
_SHELLS = ("output", "data", "kwargs")
"""Keys under which a tool's message is wrapped, once or more."""
_MCP = frozenset({"content", "structuredContent", "isError", "_meta", "meta"})
"""All that the result of an MCP tool is made of; it may leave out everything but its content."""
_STATES = ("state", "status")
"""Keys under which the result of a tool says how its call ended."""
_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PRINTED = re.compile(rf"(?:status='\w+' result|content)=(?P<text>{_TEXT}) ", re.DOTALL)
"""LangChain's message of a tool, or what Agno's tools return, as Python prints them."""
_FAILED = re.compile(
    rf"status='failure' result=None error=(?P<text>{_TEXT}) updated_session_state=", re.DOTALL
)


def pages_in(value: object) -> tuple[Document, ...] | None:
    """The Document objects in a value, a list, or the lists of a state; None when it holds none. Node's are read too.

    >>> state = '{"question": "why?", "context": [{"page_content": "Snow.", "metadata": {}, "type": "Document"}]}'
    >>> [page.text for page in pages_in(state) or ()]
    ['Snow.']
    >>> [page.id for page in pages_in([{"id": "a", "pageContent": "Snow.", "metadata": {}}]) or ()]
    ['a']
    >>> pages_in('[{"text": "Snow."}]')
    """
    return documents_of(list(_pages(structure_of(value), _DEEPEST))) or None


def _pages(value: object, levels: int) -> Iterator[object]:
    if not levels:
        return
    items: list[object] = []
    if isinstance(value, dict):
        fields = cast("Mapping[str, object]", value)
        page = mapping_of(fields.get("kwargs")) or fields
        if isinstance(page.get("page_content"), str) or isinstance(page.get("pageContent"), str):
            yield page
            return
        items = [item for item in fields.values() if isinstance(item, (dict, list))]
    elif isinstance(value, list):
        items = cast("list[object]", value)
    for item in items:
        yield from _pages(item, levels - 1)


def tool_result(value: object) -> object:
    """What a tool returned, out of the message that LangChain, LlamaIndex or MCP wraps around it.

    >>> tool_result('{"output": {"kwargs": {"type": "tool", "content": "[1] Snow.", "tool_call_id": "c"}}}')
    '[1] Snow.'
    >>> tool_result({"type": "tool", "data": {"content": "Snow.", "artifact": [{"page_content": "Snow."}]}})
    [{'page_content': 'Snow.'}]
    >>> tool_result({"output": "content='[1] Snow.' name='find' tool_call_id='c'"}), tool_result([7])
    ('[1] Snow.', [7])
    >>> tool_result("status='success' result='[1] Snow.' error=None updated_session_state=None")
    '[1] Snow.'
    """
    value = unquoted(value)
    for _ in range(_DEEPEST):
        fields = mapping_of(value)
        if isinstance(fields.get("artifact"), list):
            return fields["artifact"]
        if "tool_call_id" in fields or fields.get("type") == "tool_result" or _is_blocks(fields):
            text = content_of(fields.get("content") or fields.get("blocks"))
            if text is not None and _is_blocks(mapping_of(text)):
                value = text  # a message around what an MCP tool returned
                continue
            if text is not None:
                return text
        shell = next((fields[key] for key in _SHELLS if isinstance(fields.get(key), (dict, str))), None)
        if shell is None:
            break
        value = shell
    return _printed(value)


def is_refusal(value: object) -> bool:
    """Whether what a tool returned says that it failed, as LangChain's, Anthropic's and MCP's messages can.

    >>> is_refusal({"content": [{"type": "text", "text": "Timeout."}], "isError": True}), is_refusal("Timeout.")
    (True, False)
    >>> is_refusal({"content": [{"type": "text", "text": "Timeout."}], "state": "error", "id": "c"})
    True
    """
    value = unquoted(value)
    for _ in range(_DEEPEST):
        fields = mapping_of(value)
        if fields.get("isError") is True or fields.get("is_error") is True:
            return True
        told = "tool_call_id" in fields or _is_blocks(fields)
        if told and any(fields.get(key) == "error" for key in _STATES):
            return True
        shell = next((fields[key] for key in _SHELLS if isinstance(fields.get(key), (dict, str))), None)
        if shell is None:
            break
        value = shell
    return isinstance(value, str) and _FAILED.match(value) is not None


def tool_arguments(value: object) -> object:
    """What a tool was called with: LangChain prints a mapping as Python does.

    >>> tool_arguments('{"input_str": "{\\'query\\': \\'why?\\'}", "tags": ["seq:step:1"], "metadata": {}}')
    {'query': 'why?'}
    >>> tool_arguments("{'query': 'why?'}"), tool_arguments("why?")
    ({'query': 'why?'}, 'why?')
    """
    fields = mapping_of(value)
    if "input_str" in fields:
        value = mapping_of(fields.get("inputs")) or fields["input_str"]
    return printed_fields(value) or value


def _is_blocks(fields: Mapping[str, object]) -> bool:
    """LlamaIndex's tool output, MCP's or AgentScope's: a list of parts and nothing that is a document of its own."""
    if isinstance(fields.get("blocks"), list):
        return True
    parts = [mapping_of(part) for part in sequence_of(fields.get("content"))]
    typed = bool(parts) and all("type" in part for part in parts)
    ended = any(isinstance(fields.get(key), str) for key in _STATES)
    whole = typed and (ended or fields.keys() <= _MCP)
    return isinstance(fields.get("content"), list) and ("isError" in fields or whole)


def _printed(value: object) -> object:
    found = (_PRINTED.match(value) or _FAILED.match(value)) if isinstance(value, str) else None
    if found is None:
        return value
    try:
        return cast("object", ast.literal_eval(found["text"]))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
