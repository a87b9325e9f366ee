"""Answers in JSON, as structured outputs give them: what they say, and what they cite, each at its place."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ragvigil.scorer.checks.reading.markup import Span

_OBJECT = re.compile(r"\s*(?:```(?:json)?\s*)?\{")
_AROUND = " \t\r\n`"
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}\[\],:]|true|false|null', re.DOTALL)
_SAID = ("answer", "final_answer", "response", "reply", "completion", "text", "content", "output", "message")
"""Keys of what is said, the likeliest first."""
_CITED = re.compile(
    r"(?:citations?|sources?|references?|cited|evidence|documents?|chunks?|passages?|context)(?:_?(?:ids?|used|list))?\Z",
    re.IGNORECASE,
)
_NAMED = frozenset({"id", "doc_id", "document_id", "chunk_id", "source_id", "source", "url", "rank", "index"})
"""Keys under which an object of such a list names a passage."""
_ESCAPES = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL
)
"""One letter each, also where two escapes make one, as of an emoji."""
_LONGEST = 4_000_000


def unstructured(answer: str) -> str:
    """What an answer in JSON says, with what it cites in brackets below, every offset as it was; others unchanged.

    An object without one of the usual keys of an answer is left as it stands.

    >>> text = '{"answer": "It opens at nine.", "citations": ["doc-1"], "confidence": 0.9}'
    >>> unstructured(text).split(), len(unstructured(text)) == len(text), unstructured('{"a": "b"}')
    (['It', 'opens', 'at', 'nine.', '[doc-1]'], True, '{"a": "b"}')
    """
    if not _OBJECT.match(answer) or len(answer) > _LONGEST or not _is_object(answer):
        return answer
    said: dict[str, Span] = {}
    cited: list[Span] = []
    for path, span in _values(answer):
        if len(path) == 1 and path[0] in _SAID and answer[span[0]] == '"':
            said.setdefault(path[0], span)
        elif _CITED.match(path[0]) and (len(path) == 1 or path[-1] in _NAMED or not path[-1]):
            cited.append(span)
    start, end = next((said[key] for key in _SAID if key in said), (0, 0))
    if start == end:
        return answer
    text = list(" " * len(answer))
    text[start + 1 : end - 1] = _ESCAPES.sub(_unescaped, answer[start + 1 : end - 1])
    for first, last in cited:
        quoted = answer[first] == '"'
        around = (first, last - 1) if quoted else (first - 1, last)
        text[around[0] + 1 : around[1]] = answer[around[0] + 1 : around[1]]
        text[around[0]], text[around[1]] = "," if text[around[0]] == "]" else "[", "]"
    if any(first > end for first, _ in cited):
        text[end - 1 : end + 1] = "\n\n"  # so that they cover all that is said
    return "".join(text)


def _is_object(answer: str) -> bool:
    body = answer.strip(_AROUND)
    try:
        return isinstance(json.loads(body.removeprefix("json")), dict)
    except (ValueError, RecursionError):
        return False


def _values(answer: str) -> Iterator[tuple[tuple[str, ...], Span]]:
    """Each text and number with the keys above it, "" for a place in a list."""
    path: list[str] = []
    key, expects_key = "", False
    kinds: list[str] = []
    for token in _TOKEN.finditer(answer):
        sign = token[0]
        if sign in "{[":
            if kinds:
                path.append(key if kinds[-1] == "{" else "")
            kinds.append(sign)
            expects_key = sign == "{"
        elif sign in "}]":
            kinds.pop()
            if path:
                path.pop()
        elif sign == ",":
            expects_key = kinds[-1] == "{"
        elif sign == ":":
            expects_key = False
        elif expects_key:
            key = json.loads(sign, strict=False)
        elif sign[0] in '"-0123456789':
            yield (*path, key if kinds[-1] == "{" else ""), token.span()


def _unescaped(escape: re.Match[str]) -> str:
    """As many characters, of which the last is what is meant."""
    if escape[0] in ("\\n", "\\r", "\\t"):
        return " \n" if escape[0] == "\\n" else "  "
    meant: str = json.loads(f'"{escape[0]}"')
    return meant.encode("utf-8", "replace").decode().rjust(len(escape[0]))
