"""Passages that a prompt holds as data: JSON, a line of it for each, Python's way to print a list, Markdown's table."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ragvigil.scorer.dialects.documents import document_of, documents_of, passages_of
from ragvigil.scorer.dialects.messages import messages_of
from ragvigil.scorer.dialects.values import mapping_of, structure_of
from ragvigil.scorer.trace import Document

_FENCED = re.compile(r"```[a-z]*\n(?P<inside>.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"\[?(?:doc|document|source)?[ _-]?(?P<number>\d{1,3})\]?", re.IGNORECASE)
_CELL = re.compile(r"(?<!\\)\|")
_LINE_BELOW = re.compile(r":?-+:?")
_LONGEST_LITERAL = 200_000
"""Characters: Python's parser takes a hundred times as much memory."""
_DEEPEST = 12
"""Brackets within brackets of a list that Python printed."""


def written_in(inside: str) -> tuple[Document, ...]:
    """The passages of a context that is data through and through; () where it is not.

    >>> [each.text for each in written_in('["It snows.", "It rains."]')], written_in("['It snows.']")[0].text
    (['It snows.', 'It rains.'], 'It snows.')
    >>> [(each.id, each.text) for each in written_in("[Document(id='a', page_content='Snow.', metadata={})]")]
    [('a', 'Snow.')]
    >>> [each.text for each in written_in('{"id": 1, "text": "Snow."}\\n{"id": 2, "text": "Coal."}')]
    ['Snow.', 'Coal.']
    >>> [each.text for each in written_in("| id | text |\\n|---|---|\\n| a | Snow. |\\n| b | Coal. |")]
    ['Snow.', 'Coal.']
    >>> written_in("[1] Snow."), written_in("Snow.")
    ((), ())
    """
    text = inside.strip()
    fenced = _FENCED.fullmatch(text)
    text = fenced["inside"].strip() if fenced else text
    if text[:1] not in ("[", "{", "|"):
        return ()
    if text[0] == "|":
        return _table(text)
    structure = structure_of(text)
    if structure is None:
        return _of_items(_lines(text)) or _of_items(_printed(text))
    if isinstance(structure, list):
        return _of_items(cast("list[object]", structure))
    fields = cast("Mapping[str, object]", structure)
    only = next(iter(fields.values())) if len(fields) == 1 else None
    return _of_items(cast("list[object]", only)) if isinstance(only, list) else ()


def _of_items(items: Sequence[object]) -> tuple[Document, ...]:
    """Passages; texts alone are some as well where nothing else is in the list, and each may be called [doc1]."""
    if items and all(isinstance(item, str) and " " in item.strip() for item in items):
        return tuple(Document(None, str(item).strip()) for item in items)
    unnamed = [_without_number(item) for item in items]
    if items and all(unnamed):
        items = unnamed
        found = tuple(document for item in items if (document := document_of(item)) and document.text)
        return found if len(found) == len(items) else ()
    if passages := passages_of([*items]):
        return passages
    spoken = any(message.text for message in messages_of([*items]) if message.role in ("user", "assistant"))
    documents = documents_of([fields for item in items if (fields := mapping_of(item))])
    told = documents and len(documents) == len(items) and all(each.text for each in documents)
    return documents or () if told and not spoken else ()


def _without_number(item: object) -> object:
    """What stands under the one key of an object, where that counts: Azure OpenAI writes {"[doc1]": {"content": …}}."""
    fields = mapping_of(item)
    key, value = next(iter(fields.items())) if len(fields) == 1 else ("", None)
    return mapping_of(value) if _NUMBER.fullmatch(key) else None


def _lines(text: str) -> list[object]:
    """The object on each line; [] where one line is none."""
    lines = [line for line in text.split("\n") if line.strip()]
    found = [structure_of(line) for line in lines]
    return found if all(isinstance(each, dict) for each in found) else []


def _printed(text: str) -> list[object]:
    """A list as Python prints it, LangChain's documents in it as objects; [] where it is none."""
    if len(text) > _LONGEST_LITERAL or text[0] != "[" or text[-1] != "]" or not _is_flat(text):
        return []
    try:
        parsed = ast.parse(text, mode="eval").body
        return [_value(item) for item in parsed.elts] if isinstance(parsed, ast.List) else []
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []


def _is_flat(text: str) -> bool:
    """Whether nothing could be nested so deep that Python's parser has to give up."""
    depths = itertools.accumulate((each in "([{") - (each in ")]}") for each in text)
    return max(depths) <= _DEEPEST


def _value(item: ast.expr) -> object:
    """A literal, or the fields of a document. Raises ValueError for anything else."""
    if not isinstance(item, ast.Call):
        return cast("object", ast.literal_eval(item))
    if not isinstance(item.func, ast.Name) or item.func.id != "Document" or item.args:
        raise ValueError("no document")
    return {keyword.arg or "": cast("object", ast.literal_eval(keyword.value)) for keyword in item.keywords}


def _table(text: str) -> tuple[Document, ...]:
    """The rows of a table that names its columns."""
    rows = list(_rows(text))
    width = len(rows[0])
    if (
        len(rows) < 3
        or any(len(row) != width for row in rows)
        or not all(map(_LINE_BELOW.fullmatch, rows[1]))
    ):
        return ()
    head = [name.lower().strip("* ") for name in rows[0]]
    return _of_items([dict(zip(head, row, strict=True)) for row in rows[2:]])


def _rows(text: str) -> Iterator[list[str]]:
    for line in text.split("\n"):
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip())]
        yield cells[1:-1] if len(cells) > 2 and not cells[0] and not cells[-1] else []
