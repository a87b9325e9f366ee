"""What SDKs with decorators of their own call the facts of their spans: a plain table, in their own words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragvigil.scorer.dialects.reading import Role

_TOOL: Mapping[str, Role] = {"tool": "tool"}
_LLM: Mapping[str, Role] = {"llm": "generator"}
_AGENT_OPS = ("tool", "task", "operation", "agent", "workflow")
"""Kinds that are in the names of what AgentOps' functions were given and returned."""


@dataclass(frozen=True, slots=True)
class Names:
    """What an SDK calls the facts of its spans; a name that ends with a dot begins several."""

    kind: tuple[str, ...]
    """The first that a span has says what it is; the last is on all of the SDK's spans, unless it has `marks`."""
    given: tuple[str, ...]
    made: tuple[str, ...]
    marks: tuple[str, ...] = ()
    """Names of which a span has one that says nothing of its kind; there, a model that is named was called."""
    roles: Mapping[str, Role] = field(default_factory=dict[str, Role])
    """The SDK's words for what is no function, in lower case."""
    found: tuple[str, ...] = ()
    """What a search found, where that is told beside what it returned."""
    call: str = ""
    """What a model was sent; where the SDK has no words for kinds, this alone says that it is a model's call."""
    content: str = ""
    """What a model returned, where that is told apart from what its function returned."""
    said: str = ""
    replied: str = ""
    """How the names begin that spell the messages which a model was sent, and those that it returned."""
    parameters: str = ""
    """The settings of a model's call, as one object."""
    usage: tuple[str, ...] = ()
    """Tokens, as one object."""
    model: tuple[str, ...] = ()
    conversation: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    metadata: str = ""
    """What the application adds, as one object."""
    failed: tuple[str, object, str] | None = None
    """An attribute, its value where the step failed (None: any), and the attribute of the message."""
    scope: str = ""
    """The scope of its spans, where its names are anybody's words; "" where they are its own."""
    typed: bool = False
    """Whether values stand in objects of a type and a value."""


SDKS = (
    Names(  # LangWatch
        kind=("langwatch.span.type",),
        roles={
            **_TOOL,
            **_LLM,
            "rag": "retriever",
            "guardrail": "evaluator",
            "evaluation": "evaluator",
        },
        given=("langwatch.input",),
        made=("langwatch.output",),
        found=("langwatch.rag.contexts",),
        usage=("langwatch.metrics",),
        conversation=("langwatch.thread.id",),
        user=("langwatch.user.id",),
        metadata="metadata",
        typed=True,
    ),
    Names(  # Genkit, in Python, Node and Go
        kind=("genkit:metadata:subtype", "genkit:type"),
        roles={
            **_TOOL,
            "tool.v2": "tool",
            "model": "generator",
            "background-model": "generator",
            "retriever": "retriever",
            "reranker": "reranker",
            "embedder": "embedding",
            "evaluator": "evaluator",
        },
        given=("genkit:input",),
        made=("genkit:output",),
        model=("genkit:name",),
        failed=("genkit:state", "error", "genkit:error"),
    ),
    Names(  # Mirascope
        kind=("mirascope.type",),
        given=("mirascope.trace.arg_values",),
        made=("mirascope.trace.output", "mirascope.response.content"),
        call="mirascope.response.messages",
        content="mirascope.response.content",
        usage=("mirascope.response.usage",),
        model=("mirascope.response.model_id",),
        conversation=("mirascope.ops.session.id",),
    ),
    Names(  # TruLens
        kind=("ai.observability.span_type",),
        roles={
            **_TOOL,
            "mcp": "tool",
            "retrieval": "retriever",
            "reranking": "reranker",
            "generation": "generator",
            "embedding": "embedding",
            "eval": "evaluator",
            "eval_root": "evaluator",
        },
        given=(
            "ai.observability.record_root.input",
            "ai.observability.retrieval.query_text",
            "ai.observability.call.kwargs.",
        ),
        made=("ai.observability.record_root.output", "ai.observability.call.return"),
        found=("ai.observability.retrieval.retrieved_contexts",),
    ),
    Names(  # HoneyHive
        kind=("honeyhive_event_type",),
        roles={**_TOOL, "model": "generator"},
        given=("honeyhive_inputs.",),
        made=("honeyhive_outputs.result", "honeyhive_outputs.result.", "honeyhive_outputs."),
        call="honeyhive_inputs.chat_history.",
        usage=("honeyhive_metadata.",),
        model=("honeyhive_config.model",),
        conversation=("honeyhive.session_id",),
    ),
    Names(  # Judgment
        kind=("judgment.span_kind",),
        roles={**_TOOL, **_LLM, "retriever": "retriever"},
        given=("judgment.input", "gen_ai.prompt"),
        made=("judgment.output", "gen_ai.completion"),
        usage=("judgment.usage.metadata",),
        model=("judgment.llm.model",),
        conversation=("judgment.session_id",),
    ),
    Names(  # Netra
        kind=("netra.span.type",),
        roles={**_TOOL, "generation": "generator", "embedding": "embedding"},
        given=("input",),
        made=("output",),
        conversation=("netra.session_id",),
        user=("netra.user_id",),
        failed=("netra.entity.error", None, "netra.entity.error"),
    ),
    Names(  # Future AGI's traceAI; LoongSuite has its kinds
        kind=("gen_ai.span.kind", "fi.span.kind"),
        roles={
            **_TOOL,
            **_LLM,
            "retriever": "retriever",
            "reranker": "reranker",
            "embedding": "embedding",
            "guardrail": "evaluator",
            "evaluator": "evaluator",
        },
        given=("input.value",),
        made=("output.value",),
        found=("gen_ai.retrieval.documents.", "retrieval.documents."),
        said="gen_ai.input.messages.",
        replied="gen_ai.output.messages.",
        parameters="gen_ai.request.parameters",
    ),
    Names(  # Braintrust, in Go, Java, C# and Ruby, and in anybody's own spans
        kind=("braintrust.span_attributes", "braintrust.span_attributes.type"),
        marks=("braintrust.input_json", "braintrust.input", "braintrust.input.0.role"),
        roles={**_TOOL, **_LLM, "function_call": "tool", "score": "evaluator"},
        given=("braintrust.input_json", "braintrust.input", "braintrust.input."),
        made=("braintrust.output_json", "braintrust.output", "braintrust.output."),
        usage=("braintrust.metrics", "braintrust.metrics."),
        parameters="braintrust.metadata",
        model=("braintrust.metadata.model",),
        conversation=("braintrust.metadata.session_id", "braintrust.metadata.thread_id"),
        user=("braintrust.metadata.user_id",),
        metadata="braintrust.metadata",
    ),
    Names(  # promptflow; its tools are the functions of a flow, which no model calls
        kind=("span_type",),
        scope="promptflow",
        roles={**_LLM, "retrieval": "retriever", "embedding": "embedding"},
        given=("inputs",),
        made=("output",),
        parameters="inputs",
        usage=("llm.usage.",),
    ),
    Names(  # AgentOps
        kind=("agentops.span.kind",),
        roles={**_TOOL, **_LLM, "guardrail": "evaluator", "embedding": "embedding"},
        given=("agentops.entity.input", *(f"agentops.{kind}.input" for kind in _AGENT_OPS)),
        made=("agentops.entity.output", *(f"agentops.{kind}.output" for kind in _AGENT_OPS)),
    ),
)
