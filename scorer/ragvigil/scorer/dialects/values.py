"""Loosely typed attribute values: text, numbers and JSON inside strings.

Every function answers None for what it cannot read; none raises.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import cast

from ragvigil.scorer.dialects.labels import ASKED, CONTEXT

REDACTED = "__REDACTED__"
"""What OpenInference writes where content was hidden."""
HIDDEN = frozenset(
    (
        REDACTED,
        *(
            f"{one}{word}{other}"
            for word in ("REDACTED", "Redacted", "redacted", "FILTERED", "Filtered", "MASKED")
            for one, other in ("[]", "<>", "()")
        ),
    )
)
"""What stands alone for a text that was taken out whole."""
_LONGEST_HIDDEN = max(map(len, HIDDEN))
_OPENING = '_[<("'
"""With one of these begins all that stands for a text and is none."""

_PLACEHOLDER = re.compile(
    r'(?P<quote>"?)<(?:(?:async_generator|generator|coroutine) object\b[^>]*|[\w.]+ object at 0x[0-9a-fA-F]+'
    r"|(?:function|bound method) .* at 0x[0-9a-fA-F]+>?)>(?P=quote)"
)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_QUERY_KEYS = (
    *("query", "question", "query_str", "input", "inputs", "q", "user_input"),
    *("prompt", "text", "args", "task"),
)
_INPUTS = ("input", "inputs", "user_input")
"""Keys of what a chain was given, of which no word says that it is a question."""
_REPLY_KEYS = ("answer", "final_answer", "response", "reply", "replies", "completion", "generation")
"""Keys that name an answer wherever they stand."""
ANSWER_KEYS = (*_REPLY_KEYS, "output_text", "output", "outputs", "result", "text", "content")
"""Keys of an answer in what a call returned."""
_ASKING = frozenset(ASKED.split("|")) - {"user"}
_SHOWN = frozenset(CONTEXT.split("|"))
_WHOSE = frozenset(("text", "string", "str", "raw", "original", "utente", "usuario", "utilisateur"))
"""What may stand behind such a word; with anything else, as an id or a language, the key names something about it."""
_WORD = re.compile(r"[^\W_A-Z]+|[A-Z][^\W_A-Z]*")
"""Of a key, as in `user_query` and `userQuery`."""
_OTHERS = frozenset(
    ("ai", "aimessage", "aimessagechunk", "assistant", "tool", "toolmessage", "system", "systemmessage")
)
"""Types and roles of messages that ask nothing."""
_DEEPEST = 4
_MOST = 2.0**53
_LONGEST_COUNT = 15


def text_of(value: object) -> str | None:
    """The text, None where there is none to read: empty, redacted, or a placeholder.

    >>> text_of("42"), text_of(""), text_of("__REDACTED__"), text_of("[REDACTED]"), text_of("<generator object>")
    ('42', None, None, None, None)
    >>> text_of("<acme.State object at 0x7f00>"), text_of('"<coroutine object Reply.parse at 0x7f00>"')
    (None, None)
    >>> text_of("<function ask.<locals>.find at 0x7f00>"), text_of("<function> is a word.")
    (None, '<function> is a word.')
    """
    if not isinstance(value, str) or not value or value.isspace():
        return None
    if value[0] in _OPENING and (
        (len(value) <= _LONGEST_HIDDEN and value in HIDDEN) or is_placeholder(value)
    ):
        return None
    return value


def is_placeholder(value: object) -> bool:
    """Whether the value is an object of a program that was printed, which says nothing of what it holds.

    >>> is_placeholder("<acme.Stream object at 0x7f00>"), is_placeholder(""), is_placeholder("<b>At nine.</b>")
    (True, False, False)
    """
    return isinstance(value, str) and value[:1] in _OPENING and _PLACEHOLDER.fullmatch(value) is not None


def kind_of(value: object) -> str:
    """A word out of a fixed list, such as the kind of a span, in lower case; "" where there is none.

    >>> kind_of("RETRIEVER"), kind_of(" Retriever "), kind_of(None)
    ('retriever', 'retriever', '')
    """
    return value.strip().lower() if isinstance(value, str) else ""


def id_of(value: object) -> str | None:
    """An identifier as text; numbers are written out, everything else is unknown."""
    if value is None:
        return None  # as mostly
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return text_of(value)


def first_id(attributes: Mapping[str, object], *keys: str) -> str | None:
    """The identifier under the first of the keys that has one.

    >>> first_id({"user.id": "", "enduser.id": 7}, "user.id", "enduser.id")
    '7'
    """
    for key in keys:
        if found := id_of(attributes.get(key)):
            return found
    return None


def first_text(attributes: Mapping[str, object], *keys: str) -> str | None:
    """The text under the first of the keys that has one."""
    for key in keys:
        if found := text_of(attributes.get(key)):
            return found
    return None


def first_count(attributes: Mapping[str, object], *keys: str) -> int | None:
    """The count under the first of the keys that has one."""
    for key in keys:
        if (found := count_of(attributes.get(key))) is not None:
            return found
    return None


def number_of(value: object) -> float | None:
    """A finite number.

    >>> number_of(0.5), number_of(float("nan")), number_of(True), number_of("1")
    (0.5, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def count_of(value: object) -> int | None:
    """A count that is not negative, as an integer, a whole double or digits; beyond 2 ** 53 nobody counted.

    >>> count_of(87.0), count_of("87"), count_of(-1), count_of(1e308)
    (87, 87, None, None)
    """
    if isinstance(value, str) and len(value) <= _LONGEST_COUNT and value.isascii() and value.isdecimal():
        value = int(value)
    number = number_of(value)
    return int(number) if number is not None and 0 <= number <= _MOST and number == int(number) else None


def flag_of(value: object) -> bool | None:
    """A boolean, nothing else."""
    return value if isinstance(value, bool) else None


def mapping_of(value: object) -> Mapping[str, object]:
    """The mapping itself, or the JSON object in the text; empty when it is neither.

    >>> mapping_of('{"a": 1}'), mapping_of("42")
    ({'a': 1}, {})
    """
    structure = structure_of(value)
    return cast("Mapping[str, object]", structure) if isinstance(structure, dict) else {}


def sequence_of(value: object) -> list[object]:
    """The list itself, or the JSON array in the text; empty when it is neither."""
    structure = structure_of(value)
    return cast("list[object]", structure) if isinstance(structure, list) else []


def structure_of(value: object) -> object:
    """The mapping or list that `value` is or holds as JSON; None for anything else.

    A text that merely looks like a JSON scalar stays a text: "42" and "true" are answers.

    >>> structure_of('[1]'), structure_of("true"), structure_of("{broken")
    ([1], None, None)
    """
    if isinstance(value, (dict, list)):
        return cast("object", value)
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return None
    decoded = _decode(value)
    return cast("object", decoded) if isinstance(decoded, (dict, list)) else None


def unquoted(value: object) -> object:
    """A JSON string's content, when the text is exactly one JSON string; else the value unchanged.

    >>> unquoted('"RETRIEVER"'), unquoted('say "no"')
    ('RETRIEVER', 'say "no"')
    """
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        decoded = _decode(value)
        return decoded if isinstance(decoded, str) else value
    return value


def query_in(value: object) -> str | None:
    """The question inside a call's arguments: a known key, else the only text there, in nested objects too.

    A key may name it in any language that prompts are labelled in.

    >>> query_in({"tenant": "acme", "user_query": "why?"}), query_in({"mandant": "acme", "frage": "warum?"})
    ('why?', 'warum?')
    >>> query_in({"question_id": "42", "query_language": "de"})
    >>> query_in({"data": {"retriever": {"query": "why?"}}}), query_in({"args": ["why?", 3], "kwargs": {}})
    ('why?', 'why?')
    >>> query_in({"rows": [{"page_content": "Snow."}]}), query_in({"type": "ai", "data": {"content": "Because."}})
    (None, None)
    """
    return _text_in(value, _QUERY_KEYS, _DEEPEST)


def named_query_in(fields: Mapping[str, object]) -> str | None:
    """The text under the first key that names a question or an input, "" where that is empty; None where none does.

    >>> named_query_in({"user_query": "why?", "history": []}), named_query_in({"input": ""})
    ('why?', '')
    >>> named_query_in({"limit": 0}), named_query_in({"query": {"match": "snow"}})
    (None, None)
    """
    for key in _INPUTS:
        if isinstance(text := fields.get(key), str):
            return text_of(text) or ""
    return _named(fields)


def versioned(name: str | None, version: str | None) -> str | None:
    """A prompt's name with its version, or the one that is known.

    >>> versioned("faq", "3"), versioned(None, "3"), versioned("faq", None)
    ('faq@3', '3', 'faq')
    """
    return f"{name}@{version}" if name and version else version or name


@lru_cache(maxsize=1_000)
def names_context(key: str) -> bool:
    """Whether a key says that a context or passages stand under it, in any language that prompts are labelled in.

    >>> names_context("context_str"), names_context("retrievedDocs"), names_context("context_length")
    (True, True, False)
    """
    words = [word.lower() for word in _WORD.findall(key)]
    return bool(words) and (words[-1] in _SHOWN or (words[0] in _SHOWN and words[-1] in _WHOSE))


def answer_in(value: object) -> str | None:
    """The answer inside a call's result, under a known key; in nested objects under those that name an answer.

    >>> answer_in({"llm": {"replies": ["Because."]}}), answer_in({"response_gen": "<generator object>"})
    ('Because.', None)
    >>> answer_in({"city": {"text": "Paris"}, "population": 3})
    """
    return _answer_in(value, ANSWER_KEYS, _DEEPEST)


def _answer_in(value: object, keys: tuple[str, ...], levels: int) -> str | None:
    if isinstance(value, str):
        return text_of(value)
    if not isinstance(value, dict) or not levels:
        return None
    fields = cast("Mapping[str, object]", value)
    if text := _under(fields, keys, lambda found: _answer_in(found, (*ANSWER_KEYS, "message"), levels - 1)):
        return text
    nested = [cast("object", item) for item in fields.values() if isinstance(item, dict)]
    return next((text for item in nested if (text := _answer_in(item, _REPLY_KEYS, levels - 1))), None)


def _text_in(value: object, keys: tuple[str, ...], levels: int) -> str | None:
    """Lists are entered only under a known key: elsewhere they hold documents, whose text is no question."""
    if isinstance(value, str):
        return text_of(value)
    if not isinstance(value, dict) or not levels:
        return None
    fields = cast("Mapping[str, object]", value)
    if text := _under(fields, keys, lambda found: _text_in(found, keys, levels - 1)):
        return text
    if text := _named(fields):
        return text
    if (
        "page_content" in fields
        or kind_of(fields.get("type")) in _OTHERS
        or kind_of(fields.get("role")) in _OTHERS
    ):
        return None
    texts = [text for item in fields.values() if (text := text_of(item))]
    if len(texts) == 1:
        return texts[0]
    nested = [cast("object", item) for item in fields.values() if isinstance(item, dict)]
    return next((text for item in nested if (text := _text_in(item, keys, levels - 1))), None)


def _named(fields: Mapping[str, object]) -> str | None:
    """The text under the first key that ends with a word for a question, or begins so and ends with whose it is."""
    for key, value in fields.items():
        words = [word.lower() for word in _WORD.findall(key)] if isinstance(value, str) else []
        if words and (words[-1] in _ASKING or (words[0] in _ASKING and words[-1] in _WHOSE)):
            return text_of(value)
    return None


def _under(
    fields: Mapping[str, object], keys: tuple[str, ...], look: Callable[[object], str | None]
) -> str | None:
    """What the look finds under the first of the keys, in a list in its first item."""
    for key in keys:
        found = fields.get(key)
        first = next(iter(cast("list[object]", found)), None) if isinstance(found, list) else found
        if first and (text := look(first)):
            return text
    return None


def _decode(text: str) -> object:
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _without_surrogates(decoded) if _SURROGATE.search(text) else decoded


def _without_surrogates(value: object) -> object:
    r"""JSON may spell half of a pair ("\ud83d"), which no encoder takes; it becomes a question mark."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_without_surrogates(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {str(_without_surrogates(key)): _without_surrogates(item) for key, item in fields.items()}
    return value


def one_line(text: str) -> str:
    """A text with single spaces, however its lines were broken.

    >>> one_line(" At\\n  nine. ")
    'At nine.'
    """
    return " ".join(text.split())
