"""Passages within a frame of a prompt that begin with a field (`Source: a.txt`) or with a name (`[a.txt] …`)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from ragvigil.scorer.dialects.labels import COLON, HEAD
from ragvigil.scorer.trace import Document

_NAMED = (
    "sourcedocname|source|id|doc_id|document_id|chunk_id|node_id|quelle|fuente|fonte|bron|источник|来源|出典|file|filename"
    "|file_name|file_path|source_uri|uri|url|link|sourcedoclink|documentation url"
)
_TEXT = "contents?|text|value|body|passage|snippet|contenu|contenido|conteúdo|contenuto|inhalt|содержание|内容|本文"
_OTHER = (
    "page|page_label|page_number|score|file_type|file_size|creation_date|last_modified_date|metadata"
    "|absolute_directory_path"
)
_TOLD = "title|titel|titre|título|titolo|name|author|date|section|heading|标题|タイトル"
"""Fields that the model may tell of: they go where a field says that the text follows, and stay otherwise."""
_NUMBERED = "document|doc|chunk|passage|index"
_FIELD = re.compile(
    rf"\n{HEAD}(?:[├└]──[ \t]*)?(?:(?P<other>{_OTHER}|(?:{_NUMBERED})(?={COLON}[ \t]*\d{{1,3}}[ \t]*(?:\n|\Z)))"
    rf"|(?P<text>{_TEXT})|(?P<named>{_NAMED})|(?P<told>{_TOLD}))"
    rf"{COLON}[^\S\n]*",
    re.IGNORECASE,
)
_IDS = frozenset(_NAMED.split("|")[:14])
"""Those that name a passage rather than the file or the page that it comes from."""
_NAME = r"(?=[^\s\[\]()]*(?:\d|[/#]|\.\w{1,5}\b))[^\s\[\]()]{1,200}"
"""A name that is more than a word: a path, a file, or with a digit."""
_FILE = r"[^\s\[\]():]{1,200}\.[a-z]{2,5}(?:#[^\s\[\]():]{1,80})?"
_WORD = (
    "source|document|doc|file|context|passage|chunk|url|quelle|dokument|fuente|documento|fonte|источник|документ"
    "|来源|文档|出典"
)
_SAYING = (
    rf"\n[ \t]*\[(?:{_WORD})[:\uff1a][ \t]*(?P<name>[^\]\n]{{1,200}})\][ \t]*:?[ \t]*(?=\S|\n)",
    rf"\n[ \t]*(?:{_WORD})[ \t]+\[(?P<name>[^\]\n]{{1,200}})\][:\uff1a]?[ \t]*(?=\S|\n)",
    rf"\n[ \t]*[-=#*]{{2,40}}[ \t]*(?:{_WORD})[:\uff1a][ \t]*(?P<name>[^\n]{{1,200}}?)[ \t]*[-=#*]{{2,40}}[ \t]*(?=\n)",
)
"""Marks that say themselves that a passage follows."""
_NAMING = (
    rf"\n[ \t]*\[(?P<name>{_NAME})\][ \t]*:?[ \t]*(?=\S|\n)",
    rf"\n[ \t]*\((?P<name>{_FILE})\)[ \t]*:?[ \t]*(?=\S|\n)",
    rf"\n[ \t]*(?P<name>{_FILE}):[ \t]+(?=\S)",
    rf"\n[ \t]*#{{2,6}}[ \t]+(?P<name>{_FILE})[ \t]*(?=\n)",
)
_LONE = re.compile(
    rf"\s*(?:\[(?P<bracketed>{_NAME})\][:\uff1a]|(?P<file>{_FILE}):)[ \t]+(?=\S)", re.IGNORECASE
)
_MARKS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _SAYING)
_NAMES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _NAMING)
_SOURCE = re.compile(r"""['"](?:source|id)['"]: ['"](?P<name>[^'"]{1,300})['"]""")
_MOST = 1_000
"""Marks of one kind that may part passages: no prompt shows more."""
_COUNTED = re.compile(r"[\^]?\d{1,3}")


def few(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """What matches, where it could part passages: no prompt holds more than a thousand of these.

    >>> len(few(re.compile("-"), "-" * 1000)), few(re.compile("-"), "-" * 1001)
    (1000, [])
    """
    found = [*itertools.islice(pattern.finditer(text), _MOST + 1)]
    return found if len(found) <= _MOST else []


def named_marks(prompt: str) -> list[re.Match[str]]:
    """Where passages begin that say what they are and are called, all alike, and differently; [] where none do.

    >>> [mark["name"] for mark in named_marks("\\n[Source: a.txt]\\nSnow.\\n[Source: b.txt]\\nCoal.")]
    ['a.txt', 'b.txt']
    """
    rules = any(rule in prompt for rule in ("--", "==", "##", "**"))
    likely = _MARKS if rules else _MARKS[:2]
    tried = likely if "[" in prompt else likely[2:]
    return next((marks for pattern in tried if (marks := _distinct(pattern, prompt))), list[re.Match[str]]())


def named(inside: str) -> list[Document]:
    """Passages that begin with a name each, all written alike and all different; [] where they do not.

    >>> [(each.id, each.text) for each in named("\\n[a.txt] Snow.\\n[b.txt] Coal.")]
    [('a.txt', 'Snow.'), ('b.txt', 'Coal.')]
    >>> named("\\nSee\\n[a.txt] Snow.\\n[b.txt] Coal."), named("\\n[a.txt] Snow.\\n[a.txt] Coal.")
    ([], [])
    """
    for pattern in _NAMES:
        marks = _distinct(pattern, inside)
        if marks and not inside[: marks[0].start()].strip():
            pairs = zip(marks, texts_behind(marks, inside), strict=True)
            return [Document(mark["name"].strip(), text) for mark, text in pairs]
    return []


def lone_name(inside: str) -> Document | None:
    """The one passage of a context that begins with a name and a colon; None where it does not.

    >>> lone_name("[doc1]: Snow is white."), lone_name("Snow: it is white.")
    (Document(id='doc1', text='Snow is white.', score=None, rank=1, metadata={}), None)
    """
    mark = _LONE.match(inside)
    return Document(mark["bracketed"] or mark["file"], inside[mark.end() :].strip()) if mark else None


def texts_behind(marks: Sequence[re.Match[str]], inside: str) -> list[str]:
    """What stands behind each mark, up to the next one or the end."""
    edges = [*(mark.start() for mark in marks[1:]), len(inside)]
    return [inside[mark.end() : edge].strip() for mark, edge in zip(marks, edges, strict=True)]


def _distinct(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    marks = few(pattern, text)
    names = {mark["name"].strip() for mark in marks}
    return marks if 1 < len(names) == len(marks) and not all(map(_COUNTED.fullmatch, names)) else []


def blocks(inside: str) -> list[Document]:
    """Passages that begin with the same field, the first where the context begins; their names where all differ.

    >>> [(each.id, each.text) for each in blocks("\\nURL: a.de/1\\nText: Snow.\\n\\nURL: a.de/2\\nText: Coal.")]
    [(None, 'Snow.'), (None, 'Coal.')]
    """
    fields = few(_FIELD, inside)
    starts = [field.start() for field in fields if _word(field) == _word(fields[0])]
    if len(starts) < 2 or inside[: starts[0]].strip():
        return []
    edges = zip(starts, [*starts[1:], len(inside)], strict=True)
    return without_fields([inside[start:end].strip() for start, end in edges])


def without_fields(texts: Sequence[str]) -> list[Document]:
    """Passages without the fields before and behind their text; what those call them is an id where all differ.

    A template writes them into each passage: what only some have is a part of their text.

    >>> [(each.id, each.text) for each in without_fields(["Content: Snow.\\nSource: a", "Content: Coal.\\nSource: b"])]
    [('a', 'Snow.'), ('b', 'Coal.')]
    >>> [each.text for each in without_fields(["Source: a\\nSnow.", "Coal."])]
    ['Source: a\\nSnow.', 'Coal.']
    >>> without_fields(["Title: Snow"])
    [Document(id=None, text='Title: Snow', score=None, rank=1, metadata={})]
    """
    parts = [_parted(text) for text in texts]
    if not all(text != whole.strip() for (_, text), whole in zip(parts, texts, strict=True)):
        return [Document(None, text.strip()) for text in texts]
    distinct = len({name for name, _ in parts}) == len(parts)
    return [Document(name if distinct else None, text) for name, text in parts]


def _parted(block: str) -> tuple[str | None, str]:
    """What names a block, and its text; the whole block where nothing but fields is in it."""
    text, kept, names = f"\n{block}", None, dict[str, str]()
    while field := _FIELD.match(text):
        if field["text"]:
            text, kept = text[field.end() :], None
            break
        if field["told"] and kept is None:
            kept = text
        value, line, rest = text[field.end() :].partition("\n")
        names.setdefault(_word(field), value.strip())
        text = line + rest
    text = text if kept is None else kept
    while (line_start := text.rfind("\n")) > 0 and (field := _FIELD.match(text, line_start)):
        if not field["named"] and not field["other"]:
            break
        names.setdefault(_word(field), text[field.end() :].strip())
        text = text[:line_start].rstrip()
    name = next((_name(value) for key, value in names.items() if value and key in _IDS), None)
    return (name, text.strip()) if text.strip() else (None, block.strip())


def _name(value: str) -> str | None:
    """The value of a field; LangChain's guides print all metadata there, in which one may be the source."""
    if not value.startswith("{"):
        return value
    found = _SOURCE.search(value)
    return found["name"] if found else None


def _word(field: re.Match[str]) -> str:
    return next(each for each in field.groups() if each).lower()
