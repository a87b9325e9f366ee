"""One cause, one page: which incidents of a service share a cause, and which of them is told. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from ragvigil.exporters import shown
from ragvigil.scorer.monitoring import AnyName, Incident

CAUSES: tuple[AnyName, ...] = ("retrieval", "citation", "faithfulness")
"""Each may be the cause of those after it: nothing retrieved leaves nothing to cite, or to be faithful to."""


def rank(name: str) -> int:
    """How near to the cause a series is; 0 is the nearest.

    >>> rank("retrieval") < rank("faithfulness") < rank("traffic")
    True
    """
    return CAUSES.index(name) if name in CAUSES else len(CAUSES)


def disturbing(name: str) -> tuple[str, ...]:
    """The series whose falls are seen in that one: itself, and what may be a cause of it.

    >>> disturbing("citation"), disturbing("judge.answer_relevance")
    (('retrieval', 'citation'), ('judge.answer_relevance',))
    """
    return CAUSES[: rank(name) + 1] if name in CAUSES else (name,)


def explaining(incident: Incident, others: Iterable[Incident], *, within: int, now: int) -> Incident | None:
    """The told incident of the same service with which this one shares its cause; None when it stands alone.

    They share it when the two falls began within `within` ns of each other: one that begins while another has
    been open for long is news. So is one of another segment; of all traffic every segment is a part. A cause that
    is over still explains for as long, since what it did is seen later in a series of fewer observations.
    """
    if not _is_fall(incident):
        return None
    for other in others:
        related = other.told and not other.withdrawn and _is_fall(other) and other.key != incident.key
        lasts = other.resolved_at is None or now - other.resolved_at < within
        if related and lasts and _meet(other, incident) and abs(other.since - incident.since) <= within:
            return other
    return None


def likely_cause(effect: Incident, cause: Incident, label: str) -> str:
    """What is added to the page that is out already, when its likely cause is found after it."""
    return joined(
        effect.note,
        f"{label} fell as well, and is likely the cause: {shown(cause.before)} to {shown(cause.worst)} of "
        f"{cause.worst.n:,}.",
    )


def joined(note: str | None, more: str) -> str:
    """The note with one more sentence.

    >>> joined(None, "Seen in language=fr, too.")
    'Seen in language=fr, too.'
    """
    return f"{note} {more}" if note else more


def _is_fall(incident: Incident) -> bool:
    return incident.key.name in CAUSES and not incident.under_floor


def _meet(one: Incident, other: Incident) -> bool:
    return one.segment is None or other.segment is None or one.segment == other.segment
