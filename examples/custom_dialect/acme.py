"""A dialect of your own: how Acme's search service writes its spans, in terms that ragvigil knows."""

from ragvigil.scorer.dialects import Reading
from ragvigil.scorer.dialects.documents import documents_of
from ragvigil.scorer.dialects.values import text_of
from ragvigil.scorer.span import Span


class Acme:
    """Reads the spans of the tracer `acme-rag`."""

    name = "acme"

    def matches(self, span: Span) -> bool:
        """Whether the tracer acme-rag made the span."""
        return span.scope == "acme-rag"

    def read(self, span: Span) -> Reading:
        """What the span says; unknown stays None."""
        get = span.attributes.get
        if span.name == "search":
            hits = documents_of(get("acme.hits"))
            return Reading(role="retriever", query=text_of(get("acme.q")), documents=hits)
        if span.name == "complete":
            return Reading(
                role="generator", answer=text_of(get("acme.reply")), model=text_of(get("acme.llm"))
            )
        return Reading(role="chain", query=text_of(get("acme.q")), answer=text_of(get("acme.reply")))
