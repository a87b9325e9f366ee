"""Documents and JSON in OpenInference's attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragvigil.scorer.dialects.documents import documents_of, score_of
from ragvigil.scorer.dialects.flattened import indexed
from ragvigil.scorer.dialects.printed import printed_nodes
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.values import id_of, mapping_of, sequence_of, structure_of, text_of
from ragvigil.scorer.trace import Document


def documents_in(attributes: Mapping[str, object], role: Role) -> tuple[Document, ...] | None:
    """The flattened documents; with gaps, or without any, also those in the output."""
    prefix = "reranker.output_documents." if role == "reranker" else "retrieval.documents."
    flattened = flattened_documents(attributes, prefix)
    if flattened is None:
        if (whole := attributes.get(prefix.removesuffix("."))) is not None and (found := _whole(whole)):
            return found
        return _written(attributes) if role in ("retriever", "reranker") else None
    if all(document.id is not None for document in flattened):
        return flattened
    written = _written(attributes) or ()
    if len(written) != len(flattened):  # nothing is flattened of an empty passage without an id
        told = {each.text for each in written}
        more = len(written) > len(flattened) and all(each.text in told for each in flattened)
        return written if more else flattened
    return tuple(map(_completed, flattened, written))


def flattened_documents(attributes: Mapping[str, object], prefix: str) -> tuple[Document, ...] | None:
    """The documents whose fields are attributes that begin with the prefix and a number; None where there are none."""
    found = indexed(attributes, prefix)
    return tuple(_document(fields, rank) for rank, fields in enumerate(found, 1)) if found else None


def declared_json(attributes: Mapping[str, object], side: str) -> object:
    """The structure of `input.value` or `output.value`, only where its MIME type says JSON."""
    if attributes.get(f"{side}.mime_type") != "application/json":
        return None
    return structure_of(attributes.get(f"{side}.value"))


def likely_json(attributes: Mapping[str, object], side: str) -> object:
    """The structure also where no MIME type is told, which stands for plain text: spans made by hand forget it."""
    told = attributes.get(f"{side}.mime_type", "application/json")
    return structure_of(attributes.get(f"{side}.value")) if told == "application/json" else None


def _whole(value: object) -> tuple[Document, ...] | None:
    """The documents in one attribute, as spans made by hand have them: a list, or JSON, of what would be flattened."""
    items = [mapping_of(item) for item in sequence_of(value)]
    return (
        documents_of([{key.removeprefix("document."): each for key, each in item.items()} for item in items])
        or None
    )


def _completed(document: Document, other: Document) -> Document:
    """An empty text is told in the output alone."""
    score = other.score if document.score is None else document.score
    text = "" if document.text is None and other.text == "" else document.text
    return replace(document, id=document.id or other.id, text=text, score=score)


def _written(attributes: Mapping[str, object]) -> tuple[Document, ...] | None:
    """The documents in a JSON output; printed objects are no texts."""
    structure = likely_json(attributes, "output")
    items = sequence_of(structure) or sequence_of(mapping_of(structure).get("documents"))
    if any(isinstance(item, str) for item in items):
        return printed_nodes(items) or None
    return documents_of(structure)


def _document(fields: Mapping[str, object], rank: int) -> Document:
    given, score = fields.get("document.metadata"), score_of(fields.get("document.score"))
    metadata: Mapping[str, object] = mapping_of(given) if given else {}
    if score is None and metadata:
        scores = (metadata.get("score"), metadata.get("relevance_score"))
        score = next((number for each in scores if (number := score_of(each)) is not None), None)
    return Document(
        id_of(fields.get("document.id")), text_of(fields.get("document.content")), score, rank, metadata
    )
