"""Whether a record can be scored, and what in its trace says that it cannot: the missing outweighs the hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragvigil.scorer.dialects.dropped import broken_off, hides, lost_content, tells_no_reply
from ragvigil.scorer.dialects.errors import error_of
from ragvigil.scorer.dialects.evidence import Evidence, evidence_of
from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.roles import IN_A_CALL, Candidate, Roles, answer_of, query_candidates, roles_of
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.unanswered import called_in_vain, calls
from ragvigil.scorer.span import HAS_IS_REMOTE
from ragvigil.scorer.trace import Completeness

_APP_ROOT = "langfuse.internal.is_app_root"
_MIXED = "a search may be its own, or that of a question that was asked at the same time"
_CUT = "its sender cut passages"
_ORPHANED = "the span above it is not here, which may tell of a search or an answer"


@dataclass(frozen=True, slots=True)
class Judged:
    """How complete a record is."""

    completeness: Completeness
    why: str = ""
    """What is missing, as words about the step; empty where nothing is, and where content was kept back."""
    step: Step | None = None
    """The step that tells so; None where it is no step's."""


_COMPLETE = Judged("complete")
_HIDDEN = Judged("content_off")
_WITHHELD = Judged("withheld")
_TIMED_OUT = Judged("timed_out", "was given up waiting for")


def judged(question: Question, *, timed_out: bool = False) -> Judged:
    """How complete the record of a question is, as `completeness_of` says."""
    roles = roles_of(question)
    evidence = evidence_of(question.steps, roles.generation, planned=question.plan is not None)
    asked, failed = next(query_candidates(roles), None), error_of(question) is not None
    return completeness_of(roles, evidence, asked, answer_of(roles), failed=failed, timed_out=timed_out)


def completeness_of(
    roles: Roles,
    evidence: Evidence,
    asked: Candidate | None,
    answer: str | None,
    *,
    failed: bool,
    timed_out: bool,
) -> Judged:
    """Whether the record can be scored, and why not; of several reasons the first to look for."""
    steps = roles.question.steps
    if lossy := _first(steps, lost_content):
        return _partial("attributes or events of it, or some of its passages, were dropped on the way", lossy)
    if broken := broken_off(steps):
        return _partial("has JSON that breaks off: its sender cuts texts at a limit", broken)
    if answer is None and (unread := _first(steps, lambda step: step.reading.unread)):
        return _partial("its answer has a shape that cannot be read, or only its end is told", unread)
    query = asked.value if asked is not None and asked.place != IN_A_CALL else None
    if answer is None and _is_hidden(roles, evidence, query, failed=failed):
        if not any(step.reading.withheld for step in steps):
            return _HIDDEN
        return _beside_texts(roles, evidence) or (_TIMED_OUT if timed_out else _WITHHELD)
    silent = answer is None and not failed
    if silent and (unanswered := _of_silence(roles)):
        return unanswered
    if not (evidence.searches or evidence.documents) and (unsearched := _of_no_search(roles, silent=silent)):
        return unsearched
    if roles.question.mixed:
        return _partial(_MIXED, None)
    if not roles.replied:
        return _partial(
            "another call was about its answer, or may be: which of the replies the user got is not told",
            roles.generation,
        )
    return (
        _of_evidence(evidence, steps)
        or _of_question(asked, query)
        or _of_root(roles)
        or (_TIMED_OUT if timed_out else _COMPLETE)
    )


def _of_silence(roles: Roles) -> Judged | None:
    """Why an answer is missing that no failure explains."""
    model = roles.generation
    if model is not None and tells_no_reply(model):
        return _partial("says nothing of what came back: hidden, or cancelled", model)
    if model is not None and called_in_vain(model, roles.question.steps):
        return _partial("ended with the call of a search that nothing tells of", model)
    lost = _lost_step(roles)
    return _partial(_ORPHANED, lost) if lost else None


def _of_no_search(roles: Roles, *, silent: bool) -> Judged | None:
    """Why there may be evidence though no search and no passage is told; `silent`: nor is an answer, or a failure."""
    if untold := _first(roles.question.steps, lambda step: _may_have_searched(step, roles)):
        return _partial("what was searched for it, or given to it, is not told", untold)
    if lost := _lost_step(roles):
        return _partial(_ORPHANED, lost)
    if silent and roles.generation is None:
        return _partial("is the only one that tells anything, and says nothing of an answer", roles.root)
    return None


def _may_have_searched(step: Step, roles: Roles) -> bool:
    """Whether what a search found, or a tool returned before the answer, is not told.

    Of a function that has only its name to say so, the model's prompt knows better; the outermost is no search.
    """
    model = roles.generation
    searched = step.reading.unread_list and (step is not roles.root or step.reading.declared)
    if searched and not (model and model.reading.messages):
        return True
    later = model is not None and step.role == "tool" and step.span.start > model.span.end
    return step.reading.unread_search and not later


def _beside_texts(roles: Roles, evidence: Evidence) -> Judged | None:
    """What is missing where the owner keeps ids only: the ids of all passages should be there."""
    steps = roles.question.steps
    if cut := _first(steps, lambda step: step.reading.truncated):
        return _partial(_CUT, cut)
    if silent := _first(evidence.searches, lambda step: step.reading.documents is None and not step.failed):
        return _partial("does not say what it found", silent)
    if not evidence.searches and not evidence.documents and (lost := _lost_step(roles)):
        return _partial(_ORPHANED, lost)
    return _partial(_MIXED, None) if roles.question.mixed else _of_root(roles)


def _of_evidence(evidence: Evidence, steps: Sequence[Step]) -> Judged | None:
    """What is missing of the passages."""
    if any(document.text is None for document in evidence.documents):
        return _partial("passages of it have no text", next(iter(evidence.sources), None))
    if cut := _first(steps, lambda step: step.reading.truncated):
        return _partial(_CUT, cut)
    if evidence.known:
        return None
    if evidence.untold is not None:
        where = f": {evidence.section[:60]!r}" if evidence.section else ""
        of_asker = "its prompt tells of who asks, and not whether that is evidence"
        shown = of_asker if evidence.of_asker else "its prompt shows a context, and not where passages end"
        return _partial(f"{shown}{where}", evidence.untold)
    silent = _first(evidence.searches, lambda step: step.reading.documents is None and not step.failed)
    return _partial("does not say what it found" if silent else "what was searched is not told", silent)


def _of_question(asked: Candidate | None, query: str | None) -> Judged | None:
    if query is not None:
        return None
    if asked is None:
        return _partial("no span tells the question", None)
    return _partial("the question is told in the words of a model's call alone", asked.step)


def _of_root(roles: Roles) -> Judged | None:
    """Whether a span above those that are here is missing, in this process, and no chain stands for it.

    One that tells neither question nor answer stands for nothing, nor does one whose model called something with what
    it said: that may be a step on the way to the answer.
    """
    root = roles.root
    if root is not None and _is_on_the_way(root, roles.generation):
        return _partial(_ORPHANED, [root, *root.ancestors()][-1])
    if root is not None and (root.span.parent_id is None or root.parent is not None or _speaks(root)):
        return None
    lost = _first(roles.question.steps, _is_orphan)
    return _partial(_ORPHANED, lost) if lost else None


def _partial(why: str, step: Step | None) -> Judged:
    return Judged("partial_evidence", why, step)


def _first(steps: Sequence[Step], is_so: Callable[[Step], bool]) -> Step | None:
    return next((step for step in steps if is_so(step)), None)


def _is_hidden(roles: Roles, evidence: Evidence, query: str | None, *, failed: bool) -> bool:
    """Whether the sender kept the texts back; a generation that only called tools hides nothing."""
    steps = roles.question.steps
    if any(step.reading.redacted for step in steps):
        return True
    if roles.generation is not None and not failed and hides(roles.generation):
        return True
    told = any(message.text for step in steps for message in step.reading.messages)
    silent = query is None and not any(document.text for document in evidence.documents)
    return not told and (silent or (roles.generation is not None and not failed))


def _speaks(step: Step) -> bool:
    return step.reading.query is not None or step.reading.answer is not None


def _lost_step(roles: Roles) -> Step | None:
    """A step below a span between those that are here which is missing, in this process: it may have searched.

    Above a root that speaks is another process where the sender does not say which: its searches are not the root's.
    """
    alone = roles.root if roles.root is not None and _stands_alone(roles.root) else None
    return _first(roles.question.steps, lambda step: step is not alone and _is_orphan(step))


def _is_on_the_way(root: Step, model: Step | None) -> bool:
    """Whether the model said its words beside a call, and the span above all that is here is missing."""
    return model is not None and _is_orphan([root, *root.ancestors()][-1]) and calls(model)


def _stands_alone(root: Step) -> bool:
    return _speaks(root) and not root.span.flags & HAS_IS_REMOTE


def _is_orphan(step: Step) -> bool:
    """Whether the span above it is not here; Langfuse says of a span whether it sends none above."""
    span = step.span
    sent_alone = span.attributes.get(_APP_ROOT) is True
    return step.parent is None and span.parent_id is not None and not span.parent_is_remote and not sent_alone
