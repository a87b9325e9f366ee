"""What people said of an answer later, as log events: ours, and the one that Azure's SDKs emit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragvigil.scorer.dialects.openinference_feedback import feedback_in
from ragvigil.scorer.dialects.question import Question
from ragvigil.scorer.dialects.values import number_of, text_of
from ragvigil.scorer.moments import calendar_time
from ragvigil.scorer.span import LogEvent
from ragvigil.tracer import attributes as names

Opinion = Mapping[str, object]

_AZURE = "gen_ai.evaluation.user_feedback"
_SCORES = ("gen_ai.evaluation.score", "gen_ai.evaluation.score.value", "score")
_RESPONSE_ID = "gen_ai.response.id"
_LATEST = 2**33 * 10**9
"""A moment in the year 2242: what lies beyond is no moment."""


def is_feedback(event: LogEvent) -> bool:
    """Whether the log event says what somebody thinks of an answer."""
    return event.name in (names.FEEDBACK_EVENT, _AZURE)


def opinions_on(questions: Sequence[Question], events: Iterable[LogEvent]) -> list[tuple[Opinion, ...]]:
    """For each question of a trace what was said of it.

    An event belongs to the question that has its span, or its response id; without either it was said of the
    whole trace, and so of each.
    """
    owners = _owners(questions)
    found: list[list[Opinion]] = [[] for _ in questions]
    for event in sorted(filter(is_feedback, events), key=lambda event: (event.time, repr(event))):
        said = _opinions(event)
        response = text_of(event.attributes.get(_RESPONSE_ID))
        owner = owners.get(event.span_id or "") or owners.get(response or "")
        for place in range(len(questions)) if owner is None else (owner - 1,):
            found[place] += said
    return [tuple(each) for each in found]


def last_word(opinions: Iterable[Opinion]) -> tuple[Opinion, ...]:
    """The opinions without repeats: of those with one identifier the last, and nothing that was taken back.

    >>> last_word([{"name": "thumbs", "label": "up", "identifier": "1"}, {"name": "thumbs", "identifier": "1"}])
    ({'name': 'thumbs', 'identifier': '1'},)
    """
    kept: dict[str, Opinion] = {}
    for opinion in opinions:
        name = text_of(opinion.get("identifier")) or repr(opinion)
        kept.pop(name, None)
        if not opinion.get("withdrawn"):
            kept[name] = opinion
    return tuple(kept.values())


def _owners(questions: Sequence[Question]) -> dict[str, int]:
    """The number of the question, from 1, by the ids of its spans and responses."""
    owners: dict[str, int] = {}
    for number, question in enumerate(questions, 1):
        for step in question.steps:
            owners.setdefault(step.span.span_id, number)
            response = text_of(step.span.attributes.get(_RESPONSE_ID))
            if response:
                owners.setdefault(response, number)
    return owners


def _opinions(event: LogEvent) -> list[Opinion]:
    get = event.attributes.get
    said = feedback_in(event.attributes) if event.name == names.FEEDBACK_EVENT else (_azure(event),)
    beside = {"user_id": text_of(get(names.USER_ID)) or text_of(get("enduser.id")), "at": _moment(event.time)}
    known = {key: value for key, value in beside.items() if value is not None}
    return [{**each, **known} for each in said]


def _azure(event: LogEvent) -> Opinion:
    get = event.attributes.get
    scores = (number_of(get(name)) for name in _SCORES)
    entry = {
        "name": "user_feedback",
        "score": next((score for score in scores if score is not None), None),
        "label": text_of(get("gen_ai.evaluation.score.label")),
        "explanation": text_of(get("comment")),
        "annotator_kind": "HUMAN",
    }
    return {key: value for key, value in entry.items() if value is not None}


def _moment(nanoseconds: int) -> str | None:
    if not 0 < nanoseconds < _LATEST:
        return None
    return calendar_time(nanoseconds).isoformat(timespec="milliseconds")
