"""The one error of a question: chains repeat what failed below them, and agents survive failed tools."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragvigil.scorer.dialects.failure import failure_of
from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.reading import Failure, Role
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tools import is_search

_COUNTING = frozenset[Role]({"retriever", "reranker", "generator", "tool"})

_RETRIEVER_FRAME = re.compile(r'File "[^"\n]*\bretrievers?(?:/[^"\n]*)?\.py"')
"""A framework's own frame in a stack trace names the retriever where, as in old LangChain, no span does."""

_CANCELLED = frozenset({"CancelledError", "Cancelled", "AbortError"})
"""Who waited has stopped waiting: asyncio and concurrent.futures, trio, JavaScript."""

_END_OF_TRACE = 10_000
"""Characters of a stack trace that are searched."""


@dataclass(frozen=True, slots=True)
class Error:
    """What failed first, and where."""

    where: str
    failure: Failure
    step: Step
    """The step that tells it."""


def error_of(question: Question) -> Error | None:
    """The error of the question, at the deepest step that tells it; None when nothing failed that matters.

    A step that failed and then succeeded under the same name was retried, and is no error. A cancelled step tells where
    it was, and what failed beside or above it tells why: a timeout, another task of its group.
    """
    if not any(step.failed for step in question.steps):
        return None  # as nearly always
    successes = _last_successes(question.steps)
    failed = {
        step
        for step in question.steps
        if step.failed and _counts(step, question) and not _retried(step, successes)
    }
    if not failed:
        return None
    deepest = [step for step in failed if failed.isdisjoint(step.children)]
    causes = [step for step in deepest if not _is_cancelled(_failure(step))] or deepest
    first = min(causes, key=lambda step: (step.span.end, step.span.span_id))
    error = _worded(_at_its_origin(first, question.steps))
    if not _is_cancelled(error.failure):
        return error
    above = (_failure(step) for step in first.ancestors() if step in failed)
    cause = next((one for one in above if one is not None and not _is_cancelled(one)), error.failure)
    return replace(error, failure=cause)


def _worded(error: Error) -> Error:
    """The error in the words of the call around it where the client's own span, which failed below, has none."""
    around = error.step.parent
    if (
        error.failure.message is not None
        or around is None
        or (around.role, around.failed) != (error.step.role, True)
    ):
        return error
    told = _failure(around)
    return replace(error, failure=told) if told is not None and told.message is not None else error


def _is_cancelled(failure: Failure | None) -> bool:
    return failure is not None and (failure.type or "").rpartition(".")[2] in _CANCELLED


def _counts(step: Step, question: Question) -> bool:
    """Helpers of the service (an HTTP call, a cache) fail without harm unless all above fail too."""
    if step.role in _COUNTING or step is question.top or step.parent is None:
        return True
    return step.role == "chain" or all(above.failed for above in step.ancestors())


def _last_successes(steps: Sequence[Step]) -> dict[tuple[Role, str], int]:
    """When the last success of each role and name began."""
    return {
        (role, step.span.name): step.span.start
        for step in steps
        if (role := step.merged or step.role) in _COUNTING and not step.failed
    }


def _retried(step: Step, successes: Mapping[tuple[Role, str], int]) -> bool:
    return successes.get((step.role, step.span.name), -1) >= step.span.end


def _at_its_origin(step: Step, steps: Sequence[Step]) -> Error:
    """Some SDKs mark only the ancestors as failed; the step that raised has just the exception event."""
    failure = _failure(step) or Failure(None, None)
    if step.role not in _COUNTING:
        for other in steps:
            if other.role in _COUNTING and failure.message is not None and _failure(other) == failure:
                return Error(_place(other), failure, other)
        holder = next((above for above in step.ancestors() if above.role in _COUNTING), step)
        return Error(_place(holder), failure, holder)
    return Error(_place(step), failure, step)


def _failure(step: Step) -> Failure | None:
    return step.reading.failure or failure_of(step.span)


def _place(step: Step) -> str:
    if step.reading.tool:
        return f"{step.reading.tool} tool"
    if step.role in _COUNTING:
        return step.role
    if step.parent is not None and is_search(step.span.name) and "research" not in step.span.name.lower():
        return "retriever"  # a function that returned nothing from which it could be known
    traces = (str(event.attributes.get("exception.stacktrace", "")) for event in step.span.events)
    return "retriever" if any(_RETRIEVER_FRAME.search(trace[-_END_OF_TRACE:]) for trace in traces) else "root"
