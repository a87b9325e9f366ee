"""Every span attribute name that ragvigil writes, once.

``gen_ai.*``, ``error.type``, ``session.id`` and ``user.id`` are OpenTelemetry semantic conventions;
``openinference.*``, ``input.value`` and ``output.value`` are the short OpenInference keys that other trace
viewers read; ``ragvigil.*`` exists only for what no convention has. This module imports nothing, so that the
scorer can read what the tracer writes without paying for it.
"""

from __future__ import annotations

SCOPE_NAME = "ragvigil"
"""Instrumentation scope of every span that we make."""

# What a span is.

GEN_AI_OPERATION_NAME = "gen_ai.operation.name"
"""One of the four ``OPERATION_…`` values below."""

OPERATION_WORKFLOW = "invoke_workflow"
"""Operation of the root span: one question answered once."""

OPERATION_RETRIEVAL = "retrieval"
"""Operation of a retriever span."""

OPERATION_RERANK = "rerank"
"""Operation of a reranker span (a custom value: the conventions have none)."""

OPERATION_CHAT = "chat"
"""Operation of a generator span."""

OPENINFERENCE_SPAN_KIND = "openinference.span.kind"
"""One of the four ``KIND_…`` values below."""

KIND_CHAIN = "CHAIN"
"""OpenInference kind of the root span."""

KIND_RETRIEVER = "RETRIEVER"
"""OpenInference kind of a retriever span."""

KIND_RERANKER = "RERANKER"
"""OpenInference kind of a reranker span."""

KIND_LLM = "LLM"
"""OpenInference kind of a generator span."""

GEN_AI_WORKFLOW_NAME = "gen_ai.workflow.name"
"""Name of the traced pipeline, on the root."""

GEN_AI_PROVIDER_NAME = "gen_ai.provider.name"
"""Who serves the model, for example ``openai``."""

ERROR_TYPE = "error.type"
"""Qualified class name of the exception that left the function; the span's status is then ERROR."""

# The request.

INPUT_VALUE = "input.value"
"""The user's question, on the root; plain text."""

OUTPUT_VALUE = "output.value"
"""The answer, on the root; plain text."""

GEN_AI_CONVERSATION_ID = "gen_ai.conversation.id"
"""Conversation that the question belongs to, on every span of the request."""

SESSION_ID = "session.id"
"""The conversation again, under the name that other trace viewers read."""

USER_ID = "user.id"
"""Who asked, as the service gave it, on every span of the request."""

# Retrieval and reranking.

GEN_AI_RETRIEVAL_QUERY_TEXT = "gen_ai.retrieval.query.text"
"""What was searched for; plain text."""

GEN_AI_RETRIEVAL_TOP_K = "gen_ai.retrieval.top_k"
"""How many documents were asked for; integer."""

GEN_AI_RETRIEVAL_DOCUMENTS = "gen_ai.retrieval.documents"
"""JSON array of ``{"id", "score", "content", "metadata"}`` in the order returned; unknown keys are left out.

A document whose text was cut also has ``"truncated": true``. With content off, id and score only.
"""

GEN_AI_DATA_SOURCE_ID = "gen_ai.data_source.id"
"""Index or collection that was searched."""

RAGVIGIL_DOCUMENTS_TOTAL = "ragvigil.documents.total"
"""Number of documents returned, when the documents attribute could not hold them all; integer."""

RAGVIGIL_RERANK_INPUT_IDS = "ragvigil.rerank.input_ids"
"""Ids that went into a reranker, in first-pass order; array of strings, ``""`` where a document has none."""

# Generation.

GEN_AI_REQUEST_MODEL = "gen_ai.request.model"
"""Model that was asked for."""

GEN_AI_RESPONSE_MODEL = "gen_ai.response.model"
"""Model that answered, as it names itself."""

GEN_AI_RESPONSE_ID = "gen_ai.response.id"
"""The provider's id of the completion."""

GEN_AI_RESPONSE_FINISH_REASONS = "gen_ai.response.finish_reasons"
"""Why the model stopped; array with one string."""

GEN_AI_USAGE_INPUT_TOKENS = "gen_ai.usage.input_tokens"
"""Prompt tokens; integer."""

GEN_AI_USAGE_OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
"""Completion tokens; integer."""

GEN_AI_INPUT_MESSAGES = "gen_ai.input.messages"
"""JSON array with the user's question as its one message; the prompt repeats the passages and stays out."""

GEN_AI_OUTPUT_MESSAGES = "gen_ai.output.messages"
"""JSON array with the answer as its one message: ``[{"role", "parts": [{"type": "text", "content"}]}]``."""

GEN_AI_REQUEST_STREAM = "gen_ai.request.stream"
"""True when the answer was streamed; boolean."""

GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
"""Seconds from the call to the first streamed piece; double."""

# What no convention has.

RAGVIGIL_SEGMENT_PREFIX = "ragvigil.segment."
"""Prefix of the low-cardinality dimensions a drop is searched by: ``ragvigil.segment.language = "pt"``."""

RAGVIGIL_PROMPT_VERSION = "ragvigil.prompt.version"
"""Version of the prompt template in use."""

RAGVIGIL_CONTENT = "ragvigil.content"
"""``"off"`` where texts were left out on purpose, ``"redacted"`` where parts were; absent where all is there."""

CONTENT_OFF = "off"
"""Value of ``RAGVIGIL_CONTENT``: ids, scores, cited ids and timings only."""

CONTENT_REDACTED = "redacted"
"""Value of ``RAGVIGIL_CONTENT``: texts after redaction, with marks such as ``<EMAIL>``."""

RAGVIGIL_CITED_IDS = "ragvigil.citations.ids"
"""Ids of the retrieved documents that the answer cites, each once; array of strings.

A document without an id is its rank in brackets. On the span that has the answer, whatever the content policy.
"""

RAGVIGIL_CITED_UNKNOWN = "ragvigil.citations.unknown"
"""Ranks and ids that the answer cites and that were not retrieved, each once; array of strings.

What is not written as the retrieved ids are, or has no digit, may be any word of the answer: it is ``(unnamed 1)``.
"""

RAGVIGIL_CITATIONS_READ = "ragvigil.citations.read_characters"
"""Characters of the answer that were read for citations, where that was not all of it; integer.

An answer has too many markers then, or too long a piece: what the rest of it cites is not known.
"""

RAGVIGIL_ATTRIBUTES_DROPPED = "ragvigil.attributes.dropped"
"""How many attributes did not fit the provider's limit for a span, the least important ones; integer."""

RAGVIGIL_DROPPED_SPANS = "ragvigil.dropped_spans"
"""Spans of this process that were lost since the last one that got through; integer, on the next that does."""

RAGVIGIL_CACHED = "ragvigil.cached"
"""True when the answer came from a cache; boolean."""

RAGVIGIL_SAMPLING_PROBABILITY = "ragvigil.sampling.probability"
"""Probability with which the service's sampler recorded this request, where ``tracestate`` does not say it; double.

On the root, in (0, 1].
"""

RAGVIGIL_SERVICE_SAMPLING_PROBABILITY = "ragvigil.service.sampling_probability"
"""Probability with which the service samples its own spans, when below 1 and ours are all kept; on the root."""

RAGVIGIL_RETRY = "retry"
"""Name of the span event that says that the model was asked again."""

RETRY_ATTEMPT = "ragvigil.retry.attempt"
"""Which attempt failed, from 1; integer, on a retry event."""

# OpenInference's own carriers, written with ``openinference=True`` only.

OPENINFERENCE_DOCUMENTS = "retrieval.documents."
"""Prefix of ``{i}.document.id``, ``.score``, ``.content`` and ``.metadata``; the JSON then has no content."""

OPENINFERENCE_INPUT_MESSAGE = "llm.input_messages.0.message."
"""Prefix of the question's ``role`` and ``content``."""

OPENINFERENCE_OUTPUT_MESSAGE = "llm.output_messages.0.message."
"""Prefix of the answer's ``role`` and ``content``."""

# What people say later, on a span of its own in the same trace.

OPERATION_FEEDBACK = "feedback"
"""Operation of a feedback span; its parent is the span it is about, if that is known."""

FEEDBACK_NAME = "annotations.0.annotation.name"
"""``thumbs``, ``score``, ``comment``, ``rephrase`` or ``follow_up``; an OpenInference annotation."""

FEEDBACK_SCORE = "annotations.0.annotation.score"
"""1 for thumbs up, 0 for thumbs down, or the score given; double."""

FEEDBACK_LABEL = "annotations.0.annotation.label"
"""``up`` or ``down``."""

FEEDBACK_EXPLANATION = "annotations.0.annotation.explanation"
"""The comment, or the question as it was put again; content, so it obeys the content policy."""

FEEDBACK_ANNOTATOR_KIND = "annotations.0.annotation.annotator_kind"
"""Always ``HUMAN``."""

FEEDBACK_IDENTIFIER = "annotations.0.annotation.identifier"
"""Name of one piece of feedback; a later one of the same name stands in its place."""

FEEDBACK_EVENT = "ragvigil.feedback"
"""Name of the log event that carries the same attributes, from whoever has the trace id and no tracer."""

# What somebody changed, as a log event that needs no trace.

CHANGE_EVENT = "ragvigil.change"
"""Name of the log event; its resource's ``service.name`` and environment say where, absent they say everywhere."""

CHANGE_KIND = "ragvigil.change.kind"
"""``deploy``, ``index``, ``prompt``, ``model``, ``config`` or ``other``."""

CHANGE_TEXT = "ragvigil.change.text"
"""What was changed, in words for the page; the event's body where this is absent."""

CHANGE_ID = "ragvigil.change.id"
"""Name of the change; told twice under one name, it is one change."""

SERVICE_NAME = "service.name"
"""Service, on the resource."""

DEPLOYMENT_ENVIRONMENT_NAME = "deployment.environment.name"
"""Environment, on the resource."""

RAGVIGIL_CONTENT_TRUNCATED = "ragvigil.content.truncated"
"""What of this span was cut to a limit or left out: names of attributes, and the ``CUT_…`` below; array of strings.

With content off, too: it says that there was more, not what. Where a text is named, the evidence is not complete.
"""

CUT_NAME = "name"
"""In ``RAGVIGIL_CONTENT_TRUNCATED``: the model, index or pipeline in the span's name has more than 256 characters."""

CUT_DOCUMENT_IDS = "gen_ai.retrieval.documents.id"
"""In ``RAGVIGIL_CONTENT_TRUNCATED``: ids of documents had more than 256 characters."""

CUT_METADATA = "gen_ai.retrieval.documents.metadata"
"""In ``RAGVIGIL_CONTENT_TRUNCATED``: metadata of documents had more entries, letters or levels than are kept."""

CUT_SEGMENT = "ragvigil.segment.*"
"""In ``RAGVIGIL_CONTENT_TRUNCATED``: more segment dimensions were given than are kept."""

CUT_BAGGAGE = "baggage"
"""In ``RAGVIGIL_CONTENT_TRUNCATED``: more facts came over baggage than are read."""

CUT_ERROR = "status.message"
"""In ``RAGVIGIL_CONTENT_TRUNCATED``: the error's message has 300 characters or more, of which 300 are kept."""

RAGVIGIL_STREAM_CLOSED_EARLY = "ragvigil.stream.closed_early"
"""True when the reader of a stream left before its end: the answer is what was sent until then; boolean."""

RAGVIGIL_UNREADABLE = "ragvigil.unreadable"
"""What of the call could not be read, and its type: array such as ``["documents: DataFrame"]``."""

UNREADABLE_QUERY = "query: "
"""How an entry of ``RAGVIGIL_UNREADABLE`` begins that is about the question's argument."""

UNREADABLE_METADATA = "metadata: "
"""How an entry of ``RAGVIGIL_UNREADABLE`` begins that is about a document's metadata, which nobody judges by."""

UNREADABLE_ID = "id: "
"""How an entry of ``RAGVIGIL_UNREADABLE`` begins that is about a document's id: what there was may be a text."""

UNREADABLE_SCORE = "score: "
"""How an entry of ``RAGVIGIL_UNREADABLE`` begins that is about a document's score."""

UNREADABLE_USAGE = "usage: "
"""How an entry of ``RAGVIGIL_UNREADABLE`` begins that is about a number of tokens."""

UNREADABLE_ASIDE = (UNREADABLE_QUERY, UNREADABLE_METADATA, UNREADABLE_ID, UNREADABLE_SCORE, UNREADABLE_USAGE)
"""Those whose entries are about neither the evidence nor the answer."""
