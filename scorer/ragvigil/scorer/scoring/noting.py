"""What is noted of a trace whose texts must not be kept: it is read as any other, before they go.

It is noted anew with each delivery, spans or logs, of whichever of its services. Of the latest traces what came is
held in memory with its texts, so that nearly every late delivery is read beside all that came before. After that, or
after a restart, only the note and spans without texts are left of it: `late` says what the new ones change.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules
from ragvigil.scorer.dialects import Dialect, Received, read_all
from ragvigil.scorer.dialects.withheld import note_on, noted, recalled, without_note
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.scoring.held import Held
from ragvigil.scorer.scoring.late import joined
from ragvigil.scorer.scoring.naming import Names, ids_of, is_key
from ragvigil.scorer.span import logs_of, spans_of
from ragvigil.scorer.store.port import RawTrace
from ragvigil.scorer.trace import Cited, RagTrace

_log = logging.getLogger(__name__)

_RANK = re.compile(r"\d{1,3}")
_DIGITS = re.compile(r"\d+")


class Notes:
    """What to note of each trace; used by one thread."""

    def __init__(
        self,
        dialects: Sequence[Dialect],
        rules: Callable[[str], Rules],
        redaction: Redaction,
        now: Callable[[], int],
    ) -> None:
        """`rules` says how a service cites."""
        self._dialects = dialects
        self._rules = rules
        self._redaction = redaction
        self.held = Held(now)

    def of(self, received: Assembled, stored: RawTrace | None) -> str:
        """What to note of a trace of which this came as it is, beside what is stored of it."""
        try:
            return self._of(received, stored)
        except Exception as error:  # no traceback: it may quote the content
            _log.error("a trace that withholds its texts cannot be read: %s", type(error).__name__)
            return (stored and note_on(spans_of(stored.spans))) or "{}"

    def _of(self, received: Assembled, stored: RawTrace | None) -> str:
        if stored is not None and not self._is_withheld(stored):  # all of it is there, until now
            spans, logs = (stored.spans, *received.spans), (stored.logs, *received.logs)
            received, stored = replace(received, spans=spans, logs=logs), None
        whole = self.held.with_earlier(received, first=stored is None)
        came, settled = _received(whole or received), set[str]()
        if stored is None or whole is not None:
            (records,) = read_all([came], self._dialects)
        else:
            came, then, records = self._late(came, stored)
            settled = set(ids_of(then))
        names, cut = Names(records, came.spans, self._redaction, settled), self._redaction.cut
        found = [replace(one, cited=cited_in(one, self._rules(one.service), cut)) for one in records]
        return noted(list(map(names.record, found)))

    def _is_withheld(self, stored: RawTrace) -> bool:
        return (
            self._redaction.withholds(stored.spans, stored.logs)
            or note_on(spans_of(stored.spans)) is not None
        )

    def _late(self, came: Received, stored: RawTrace) -> tuple[Received, list[RagTrace], list[RagTrace]]:
        """What came beside what is stored, the records as they were noted, and as they are now."""
        known = spans_of(stored.spans)
        before = Received(without_note(known), logs_of(stored.logs))
        both = came._replace(spans=[*before.spans, *came.spans], events=[*before.events, *came.events])
        said, says = read_all([before, both], self._dialects)
        then = recalled(known, said, hidden=True)
        records = joined(then, said, says)
        new = {span.span_id for span in came.spans} - {span.span_id for span in known}
        if any(event.span_id in new for event in before.events):  # nobody knew whose texts those were
            records = [replace(one, completeness="partial_evidence") for one in records]
        return both, then, records


def _received(item: Assembled) -> Received:
    return Received(
        without_note(spans_of(b"".join(item.spans))), logs_of(b"".join(item.logs)), item.timed_out
    )


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
    prepared = Prepared(record, rules=rules)
    citations = prepared.citations
    if not citations and not prepared.owes_citations:
        return None
    ids = dict.fromkeys(one.id for one in citations if one.id is not None)
    dead = dict.fromkeys(one.cited for one in citations if one.id is None)
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
