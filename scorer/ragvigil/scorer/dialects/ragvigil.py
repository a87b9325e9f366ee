"""Our own tracer's spans: GenAI conventions for content, `ragvigil.*` for what no convention has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ragvigil.scorer.dialects.finish import finish_reason_in
from ragvigil.scorer.dialects.messages import last_of, messages_of
from ragvigil.scorer.dialects.openinference_feedback import feedback_in
from ragvigil.scorer.dialects.reading import Reading, Role
from ragvigil.scorer.dialects.tool_responses import passages_answered
from ragvigil.scorer.dialects.values import (
    count_of,
    flag_of,
    id_of,
    mapping_of,
    number_of,
    sequence_of,
    structure_of,
    text_of,
)
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import Cited, Document, Tokens
from ragvigil.tracer import attributes as names

_ROLES: dict[str, Role] = {
    names.OPERATION_WORKFLOW: "chain",
    names.OPERATION_RETRIEVAL: "retriever",
    names.OPERATION_RERANK: "reranker",
    names.OPERATION_CHAT: "generator",
}


_EVIDENCE = frozenset(
    {
        names.INPUT_VALUE,
        names.OUTPUT_VALUE,
        names.GEN_AI_RETRIEVAL_QUERY_TEXT,
        names.GEN_AI_RETRIEVAL_DOCUMENTS,
        names.GEN_AI_INPUT_MESSAGES,
        names.GEN_AI_OUTPUT_MESSAGES,
    }
)
"""Of what may be cut, the texts that are judged; a cut id or metadata leaves the evidence whole."""
_SPREAD = (
    names.OPENINFERENCE_DOCUMENTS,
    names.OPENINFERENCE_INPUT_MESSAGE,
    names.OPENINFERENCE_OUTPUT_MESSAGE,
)


class Ragvigil:
    """Reads the spans of `ragvigil.tracer`."""

    name = "ragvigil"

    def matches(self, span: Span) -> bool:
        """Whether our tracer made the span."""
        return span.scope == names.SCOPE_NAME

    def read(self, span: Span) -> Reading:
        """What the span says; our names are written strictly, so nothing else is looked for."""
        get = span.attributes.get
        role = _ROLES.get(text_of(get(names.GEN_AI_OPERATION_NAME)) or "", "other")
        chain, searching = role == "chain", role in ("retriever", "reranker")
        hits = structure_of(get(names.GEN_AI_RETRIEVAL_DOCUMENTS)) if searching else None
        tools = passages_answered(get(names.GEN_AI_INPUT_MESSAGES))
        off = get(names.RAGVIGIL_CONTENT) == names.CONTENT_OFF
        return Reading(
            role=role,
            query=text_of(get(names.INPUT_VALUE if chain else names.GEN_AI_RETRIEVAL_QUERY_TEXT)),
            documents=_documents(hits, span.attributes) if searching else tools.documents,
            unread_search=tools.unread,
            input_documents=_input_documents(get(names.RAGVIGIL_RERANK_INPUT_IDS)),
            answer=text_of(get(names.OUTPUT_VALUE)) if chain else _answer(get(names.GEN_AI_OUTPUT_MESSAGES)),
            messages=messages_of(get(names.GEN_AI_INPUT_MESSAGES)),
            model=text_of(get(names.GEN_AI_REQUEST_MODEL)),
            response_model=text_of(get(names.GEN_AI_RESPONSE_MODEL)),
            finish_reason=finish_reason_in(span.attributes),
            prompt_version=text_of(get(names.RAGVIGIL_PROMPT_VERSION)),
            tokens=Tokens(
                count_of(get(names.GEN_AI_USAGE_INPUT_TOKENS)),
                count_of(get(names.GEN_AI_USAGE_OUTPUT_TOKENS)),
            ),
            conversation_id=text_of(get(names.GEN_AI_CONVERSATION_ID)) or text_of(get(names.SESSION_ID)),
            user_id=text_of(get(names.USER_ID)),
            segment=_segment(span),
            feedback=feedback_in(span.attributes),
            cited=_cited(span),
            sampled_with=number_of(get(names.RAGVIGIL_SAMPLING_PROBABILITY)),
            streaming=flag_of(get(names.GEN_AI_REQUEST_STREAM)),
            redacted=off,
            withheld=off,
            truncated=_truncated(span, hits, chain=chain, off=off),
        )


def lost_in_service(spans: Iterable[Span]) -> int:
    """Spans that our tracer says its process lost before these got through."""
    said = (
        span.attributes.get(names.RAGVIGIL_DROPPED_SPANS) for span in spans if span.scope == names.SCOPE_NAME
    )
    return sum(count_of(each) or 0 for each in said)


def _answer(messages: object) -> str | None:
    return last_of(messages_of(messages), "assistant") if messages else None


def _cited(span: Span) -> Cited | None:
    found = [span.attributes.get(name) for name in (names.RAGVIGIL_CITED_IDS, names.RAGVIGIL_CITED_UNKNOWN)]
    read = count_of(span.attributes.get(names.RAGVIGIL_CITATIONS_READ))
    if found == [None, None] and read is None:
        return None
    ids, unknown = (tuple(text for each in sequence_of(part) if (text := id_of(each))) for part in found)
    return Cited(ids, unknown, read)


def _documents(hits: object, flattened: Mapping[str, object]) -> tuple[Document, ...] | None:
    """The JSON attribute; with `openinference=True` it has no texts, they are flattened beside it."""
    if hits is None:
        return None
    fields = [mapping_of(hit) for hit in sequence_of(hits)]
    return tuple(
        Document(
            id_of(hit.get("id")),
            text_of(hit.get("content"))
            or text_of(flattened.get(f"{names.OPENINFERENCE_DOCUMENTS}{rank - 1}.document.content")),
            number_of(hit.get("score")),
            rank,
            mapping_of(hit.get("metadata")),
        )
        for rank, hit in enumerate(fields, 1)
    )


def _input_documents(ids: object) -> tuple[Document, ...] | None:
    if structure_of(ids) is None:
        return None
    return tuple(Document(id_of(each), None, None, rank) for rank, each in enumerate(sequence_of(ids), 1))


def _segment(span: Span) -> dict[str, str]:
    prefix = names.RAGVIGIL_SEGMENT_PREFIX
    found = {
        key.removeprefix(prefix): value for key, value in span.attributes.items() if key.startswith(prefix)
    }
    if flag_of(span.attributes.get(names.RAGVIGIL_CACHED)):
        found["cached"] = "true"  # answers of yesterday's prompt and index: a drop may be theirs alone
    return {key: text for key, value in found.items() if (text := id_of(value))}


def _truncated(span: Span, hits: object, *, chain: bool, off: bool) -> bool:
    """Whether documents are missing, or a text that the judge would read was cut; of texts left out none was.

    What a root returns to the web framework need not be readable: the generator's span has the answer.
    """
    cut = sequence_of(span.attributes.get(names.RAGVIGIL_CONTENT_TRUNCATED))
    if not off and any(mark in _EVIDENCE or str(mark).startswith(_SPREAD) for mark in cut):
        return True
    if not chain and any(
        not (text_of(each) or "").startswith(names.UNREADABLE_ASIDE)
        for each in sequence_of(span.attributes.get(names.RAGVIGIL_UNREADABLE))
    ):
        return True
    documents = sequence_of(hits)
    total = count_of(span.attributes.get(names.RAGVIGIL_DOCUMENTS_TOTAL))
    if total is not None and total > len(documents):
        return True
    return not off and any(mapping_of(document).get("truncated") is True for document in documents)
