"""Documents as span attributes, within the limits: as one JSON array, or spread over OpenInference's attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ragvigil.tracer import attributes as names
from ragvigil.tracer._documents import Passage
from ragvigil.tracer._quoting import encode, quoted
from ragvigil.tracer._reading import encodable
from ragvigil.tracer._settings import Limits
from ragvigil.tracer._sizes import cut, encoded_attributes, utf8_size

if TYPE_CHECKING:
    from ragvigil.tracer._facts import AttributeValue


class Written(NamedTuple):
    """The attributes of some documents, and what of these is not in them."""

    attributes: dict[str, AttributeValue]
    kept: int
    """How many documents they hold."""
    cut: bool
    """Whether a text was cut, or a document left out."""
    metadata_cut: bool


def write_documents(
    passages: Sequence[Passage],
    *,
    content: bool,
    spread: bool,
    limits: Limits,
    room: int,
    small: bool = False,
) -> Written:
    """The documents in at most ``room`` bytes: without metadata, with shorter texts, then fewer of them, until it fits.

    ``content`` is whether texts and metadata may be written, ``spread`` whether they go into attributes of their own,
    ``small`` that all of it is known to fit.

    >>> write_documents([Passage("a", 0.5, "Ice")], content=True, spread=False, limits=Limits(), room=1000).attributes
    {'gen_ai.retrieval.documents': '[{"id":"a","score":0.5,"content":"Ice"}]'}
    """
    if small and not spread:
        return _whole(passages, content=content)
    rows, longest, metadata, shortened = list(passages), limits.document_bytes, True, False
    while True:
        texts = [_shortened(passage.text, longest) if content else None for passage in rows]
        shortened = shortened or (content and any(is_cut for _, is_cut in filter(None, texts)))
        found = _attributes(rows, texts, content=content, spread=spread, metadata=metadata)
        if not rows or _fits(found, limits, room):
            fewer = len(rows) < len(passages)
            return Written(found, len(rows), shortened or fewer, content and not metadata)
        if metadata and content and any(passage.metadata for passage in rows):
            metadata = False
        elif content and longest:
            longest = min(longest, max(0, min(room, limits.attribute_bytes)) // len(rows)) // 2
        else:
            rows = rows[: len(rows) // 2]


def _whole(passages: Sequence[Passage], *, content: bool) -> Written:
    """All of the documents as one array."""
    rows = [
        _row(one, (one.text, False) if content and one.text is not None else None, metadata=content)
        for one in passages
    ]
    return Written({names.GEN_AI_RETRIEVAL_DOCUMENTS: encodable(_array(rows))}, len(rows), False, False)


def _fits(found: Mapping[str, AttributeValue], limits: Limits, room: int) -> bool:
    sizes = (utf8_size(value) for value in found.values() if isinstance(value, str))
    return all(size <= limits.attribute_bytes for size in sizes) and encoded_attributes(found) <= room


def _shortened(text: str | None, longest: int) -> tuple[str, bool] | None:
    if text is None:
        return None
    kept = cut(text, longest)
    return kept, len(kept) < len(text)


def _attributes(
    passages: Sequence[Passage],
    texts: Sequence[tuple[str, bool] | None],
    *,
    content: bool,
    spread: bool,
    metadata: bool,
) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {}
    if spread:
        from ragvigil.tracer._flattened import flattened_documents

        found = dict(flattened_documents(passages, texts, metadata=metadata))
    rows = [
        _row(passage, None if spread else text, metadata=metadata and content and not spread)
        for passage, text in zip(passages, texts, strict=True)
    ]
    found[names.GEN_AI_RETRIEVAL_DOCUMENTS] = encodable(_array(rows))
    return found


def _row(passage: Passage, text: tuple[str, bool] | None, *, metadata: bool) -> str:
    """One document as JSON."""
    fields: list[str] = []
    if passage.id is not None:
        fields.append(f'"id":{quoted(passage.id)}')
    if passage.score is not None:
        fields.append(f'"score":{passage.score!r}')
    if text is not None:
        fields.append(f'"content":{quoted(text[0])}')
        if text[1]:
            fields.append('"truncated":true')
    if metadata and passage.metadata:
        fields.append(f'"metadata":{encode(passage.metadata)}')
    return f"{{{','.join(fields)}}}"


def _array(rows: Sequence[str]) -> str:
    return f"[{','.join(rows)}]"
