"""What is noted of a trace whose texts must not be kept: read as any other, before they go."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules
from ragvigil.scorer.dialects import Dialect, Received, read_all
from ragvigil.scorer.dialects.withheld import noted, notes_on, without_notes
from ragvigil.scorer.scoring.late import joined
from ragvigil.scorer.scoring.naming import Names, ids_of, is_key
from ragvigil.scorer.trace import Cited, RagTrace

_log = logging.getLogger(__name__)

_RANK = re.compile(r"\d{1,3}")
_DIGITS = re.compile(r"\d+")


def note_of(
    received: Received,
    dialects: Sequence[Dialect],
    rules: Callable[[str], Rules],
    *,
    cut: Callable[[str], str],
    stored: Received | None = None,
) -> str | None:
    """What to note of a trace of which spans came, which still have their texts; what was noted before,
    or None, where they cannot be read.

    `stored` is what is stored of it. `rules` says how a service cites, `cut` takes out of an id what must not stay.
    """
    try:
        spans = [*(stored.spans if stored else ()), *received.spans]
        records, settled = _read(received, stored, dialects)
        names = Names(records, spans, cut, settled)
        cited = {one.span_id: names.cited(cited_in(one, rules(one.service), cut)) for one in records}
        return noted(list(map(names.record, records)), spans, lambda record: cited[record.span_id])
    except Exception as error:  # no traceback: it may quote the content
        _log.error("a trace that withholds its texts cannot be read: %s", type(error).__name__)
        return next(reversed(notes_on(stored.spans)), None) if stored else None


def _read(
    received: Received, stored: Received | None, dialects: Sequence[Dialect]
) -> tuple[Sequence[RagTrace], set[str]]:
    """The records of all that came, and the ids noted before; what is stored with a note has no texts."""
    if stored is None:
        return read_all([received], dialects)[0], set()
    bare = stored._replace(spans=without_notes(stored.spans))
    events = [*stored.events, *received.events]
    both = Received([*bare.spans, *received.spans], events, received.timed_out)
    if not notes_on(stored.spans):
        return read_all([both], dialects)[0], set()
    noted_then, before, after = read_all([stored, bare, both], dialects)
    late = {span.span_id for span in received.spans} - {span.span_id for span in stored.spans}
    return joined(noted_then, before, after, late), set(ids_of(noted_then))


def cited_in(record: RagTrace, rules: Rules, cut: Callable[[str], str] = str) -> Cited | None:
    """What an answer cites, without a word of it; None where there is no answer, or nothing that it could cite.

    What was not retrieved may be any word of the answer, unless it is a rank or written as the retrieved ids are:
    then it is told that there is one, and not which.

    >>> from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING
    >>> from ragvigil.scorer.trace import Document
    >>> documents = (Document("annual-leave", "You have 28 days."), Document("leave-2", "Paid."))
    >>> answer = "You have 28 days [annual-leave], paid [leave-7] as when ill [sick-pay]."
    >>> cited_in(RagTrace("0" * 32, "1" * 16, "s", 0, "why?", documents, answer), EVERYTHING)
    Cited(ids=('annual-leave',), unknown=('leave-7', '(unnamed 1)'), read_characters=None)
    """
    if record.answer is None:
        return record.cited
    if not record.retrieved:
        return None
    citations = Prepared(record, rules=rules).citations
    ids = dict.fromkeys(one.id for one in citations if one.id is not None)
    dead = dict.fromkeys(one.cited for one in citations if one.id is None)
    if dead and record.completeness == "partial_evidence":
        return None  # what was retrieved is not all known
    shapes = {_shape(document.id) for document in record.documents if document.id}
    named = [
        one for one in dead if _RANK.fullmatch(one) or (_is_written_so(one, shapes) and is_key(one, cut))
    ]
    unnamed = [f"(unnamed {number})" for number in range(1, len(dead) - len(named) + 1)]
    return Cited(tuple(ids), (*named, *unnamed))


def _is_written_so(name: str, shapes: set[str]) -> bool:
    return _shape(name) in shapes and _DIGITS.search(name) is not None


def _shape(name: str) -> str:
    """The id with what differs between ids taken out: its figures; words stay, for they are the same in all of them.

    >>> _shape("doc-12#3"), _shape("a1b2")
    ('doc-0#0', 'a0b0')
    """
    return _DIGITS.sub("0", name.casefold())
