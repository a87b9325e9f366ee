"""finish_reason: 1 when the model says that it came to its end, 0 when it was cut off, filtered or failed.

Range {0, 1}. `gen_ai.response.finish_reasons` of the generation, and what vendors write for it; a call of a
tool is an end. None where the trace does not say, or says something unknown.
"""

from __future__ import annotations

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared

_DONE = frozenset(
    (
        "stop",
        "end_turn",
        "stop_sequence",
        "eos",
        "eos_token",
        "complete",
        "completed",
        "finish",
        "finished",
        "end",
        "ok",
    )
) | {"tool_calls", "tool_call", "tool_use", "function_call", "tool-calls"}
_RAN_OUT = frozenset(
    (
        "length",
        "max_tokens",
        "max_output_tokens",
        "max_length",
        "model_length",
        "token_limit",
        "max_new_tokens",
    )
)
_FILTERED = frozenset(
    (
        "content_filter",
        "content_filtered",
        "content-filter",
        "safety",
        "recitation",
        "blocklist",
        "prohibited_content",
        "spii",
    )
) | {"refusal", "guardrail_intervened", "filtered"}
_FAILED = frozenset(
    ("error", "cancelled", "canceled", "timeout", "insufficient_system_resource", "malformed_function_call")
)


def ran_out(reason: str | None) -> bool:
    """Whether a finish reason says that tokens ran out.

    >>> ran_out("MAX_TOKENS"), ran_out("stop"), ran_out(None)
    (True, False, False)
    """
    return reason is not None and reason.lower() in _RAN_OUT


def _measure(prepared: Prepared) -> Finding:
    reason = prepared.record.finish_reason
    if reason is None:
        return Finding(None, "the trace does not say why the model stopped")
    plain = reason.lower()
    if plain in _DONE:
        return Finding(1.0)
    kinds = {"the tokens ran out": _RAN_OUT, "a filter stopped it": _FILTERED, "it failed": _FAILED}
    why = next((name for name, reasons in kinds.items() if plain in reasons), None)
    if why is None:
        return Finding(None, f"unknown finish reason {reason[:60]}")
    return Finding(0.0, f"{why} ({reason[:60]})")


CHECK = Check("finish_reason", "1", _measure, range="{0, 1}", cost="record")
