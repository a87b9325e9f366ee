"""What a search returned, in whatever shape: objects, texts, one text, or the word that there is nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ragvigil.scorer.dialects.documents import ranked, searched_in, text_in
from ragvigil.scorer.dialects.fields import without_fields
from ragvigil.scorer.dialects.langchain import tool_result
from ragvigil.scorer.dialects.orders import is_empty_result
from ragvigil.scorer.dialects.printed import is_printed
from ragvigil.scorer.dialects.prompt import documents_in
from ragvigil.scorer.dialects.shapes import split_frame
from ragvigil.scorer.dialects.values import mapping_of, sequence_of, structure_of, text_of
from ragvigil.scorer.dialects.written import written_in
from ragvigil.scorer.trace import Document

_UNTOLD = re.compile(r"\s*(?:\[<|(?:[A-Za-z_.]*(?:Error|Exception|Timeout)|error|failed)\s*[:(])")
"""How a text begins that prints objects, or says that the search failed."""
_OBJECTS = re.compile(r'\s*(?:\[\s*)?\{\s*"')
_DECODER = json.JSONDecoder(strict=False)
_LONGEST_MARK = 40
"""Characters that a sender writes behind what it cut."""
_ADDRESS = re.compile(r"<?https?://\S+>?")
_NUMBERS = re.compile(r"^[ \t]*\[\d{1,3}\][ \t]*\S", re.MULTILINE)
"""What a line begins with that numbers a passage."""


def documents_found(result: object) -> tuple[Document, ...] | None:
    """The documents of what is known to be a search; None where nobody can tell.

    >>> [each.text for each in documents_found("[1] Snow.\\n[2] Coal.") or ()], documents_found("No results found.")
    (['Snow.', 'Coal.'], ())
    >>> documents_found("ConnectionError: store unreachable"), documents_found("[<NodeWithScore(score=0.9)>]")
    (None, None)
    >>> [each.text for each in documents_found({"context": "Snow is white."}) or ()], documents_found({"answer": "no"})
    (['Snow is white.'], None)
    """
    result = tool_result(result)
    result = _words(structure_of(result) or result)  # decoded once for all that look at it
    if _is_mixed(result):
        return None
    documents = searched_in(result)
    if documents is not None:
        return documents
    text = text_in(result) or (text_of(result) if structure_of(result) is None else None)
    if text is None or is_printed(text) or _UNTOLD.match(text) or is_cut(text):
        return None
    return () if is_empty_result(text) else passages_in_text(text)


def is_cut(text: str) -> bool:
    """Whether the text begins as JSON does that holds objects, and ends before that does: its sender cut it.

    >>> is_cut('[{"id": "a", "text": "Snow is wh...[truncated]'), is_cut('[{"id": "a"}]'), is_cut('{"a": 0} is empty.')
    (True, False, False)
    >>> is_cut('[{"id": "a"}, ...'), is_cut('[{"id": "a", "at": datetime(2026, 1, 1)}]'), is_cut('{"a": 1, ...} is it.')
    (True, False, False)
    """
    if not _OBJECTS.match(text):
        return False
    text = text.strip()
    try:
        _DECODER.raw_decode(text)
    except json.JSONDecodeError as error:
        left = text[error.pos :]
        at_end = len(left) <= _LONGEST_MARK and "}" not in left
        return (at_end or error.msg.startswith("Unterminated")) and not written_in(text)
    except (ValueError, RecursionError):
        return not written_in(text)
    return False


def _words(result: object) -> object:
    """The text or data of a result that is one part of a message, as Bedrock and Strands return it; any other as it is.

    >>> _words([{"text": "Snow."}]), _words([{"json": {"results": []}}])
    ('Snow.', {'results': []})
    """
    items = sequence_of(result)
    part = mapping_of(items[0] if len(items) == 1 else None)
    if set(part) == {"json"}:
        return part["json"]
    told = text_of(part.get("text"))
    return told if told and part.keys() <= {"type", "text"} and part.get("type", "text") == "text" else result


def _is_mixed(result: object) -> bool:
    """Whether data stand beside other parts of a message, such as a line that says how much was found.

    >>> _is_mixed([{"text": "Found 1:"}, {"json": {"id": "a", "text": "Snow."}}]), _is_mixed([{"text": "Snow."}])
    (True, False)
    """
    parts = [mapping_of(item) for item in sequence_of(result)]
    return len(parts) > 1 and all(len(part) == 1 for part in parts) and any("json" in part for part in parts)


def passages_in_text(text: str) -> tuple[Document, ...] | None:
    """The passages of a text that a search returned: as it parts them, else all of it as one.

    None where it numbers them and they cannot be told apart, for they have such numbers in them.

    >>> passages_in_text("[1] Either:\\n[1] Snow.\\n[2] Coal.\\n[2] Or none."), passages_in_text("As [1] says.")
    (None, (Document(id=None, text='As [1] says.', score=None, rank=1, metadata={}),))
    """
    parted = parted_in(text)
    if parted is None:
        return ranked(without_fields([text]))
    parted = parted or split_frame(text, sure=False)
    if not parted and len(_NUMBERS.findall(text)) > 1:
        return None
    return ranked(parted or without_fields([text]))


def parted_in(text: str) -> Sequence[Document] | None:
    """The passages that a text has numbers or tags for; None where it only numbers the addresses of what it says.

    >>> parted_in("At nine [1], free [2].\\n\\n[1] https://a.example\\n[2] https://b.example") is None
    True
    >>> [each.text for each in parted_in("[1] Snow.\\n[2] Coal.") or ()]
    ['Snow.', 'Coal.']
    """
    parted = documents_in(text, alone=True)
    if not parted or _NUMBERS.match(text.lstrip()):
        return parted
    return None if all(_ADDRESS.fullmatch((each.text or "").strip()) for each in parted) else parted
