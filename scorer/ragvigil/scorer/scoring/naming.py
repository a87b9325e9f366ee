"""How passages are called in what is noted of a trace without its texts: by their ids, unless such an id is a text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ragvigil.scorer.dialects.withheld import LABELS, PEOPLE
from ragvigil.scorer.redact.keys import Meaning, meaning_of
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.span import Span
from ragvigil.scorer.trace import RagTrace

_LONGEST = 64
_KEY_LIKE = re.compile(rf"\S{{1,{_LONGEST}}}")
_NUMBERED = re.compile(r"\(passage (\d{1,6})\)")
_ID = r'"(?:[\w.-]*[._-])?_?(?:ids?|uuid)_?"\s*:\s*(?:\[[^\[\]{}]*)?'
"""The key of an id in JSON, or of a list of ids up to the wanted one."""


class Names:
    """What each id of a trace's records is called in its note.

    Headings of prompts are read as ids, and may be sentences. So an id with white space, of more than 64 characters
    or in which the rules find something becomes `(passage N)`, unless its sender gave it as an id: then it stays on
    its span, too.
    """

    def __init__(
        self,
        records: Iterable[RagTrace],
        spans: Iterable[Span],
        redaction: Redaction,
        settled: Collection[str] = (),
    ) -> None:
        """Names that are `settled` were noted before, and stay."""
        self._redaction = redaction
        spans = list(spans)
        ids = dict.fromkeys(ids_of(records))
        taken = [int(match[1]) for one in ids if (match := _NUMBERED.fullmatch(one))]
        number = max(taken, default=0)
        self._called: dict[str, str] = {}
        for one in ids:
            if one not in settled and not is_key(one, redaction.cut) and not _given(one, spans):
                number += 1
                self._called[one] = f"(passage {number})"

    def record(self, record: RagTrace) -> RagTrace:
        """The record with its passages and people called so, and without a label that may be a text."""
        told = record.error_message
        labels: dict[str, Any] = {name: self._label(getattr(record, name), told) for name in LABELS}
        people: dict[str, Any] = {name: self._person(getattr(record, name)) for name in PEOPLE}
        return replace(
            record,
            **labels,
            **people,
            documents=tuple(replace(one, id=self._name(one.id)) for one in record.documents),
            retrievals=tuple(replace(one, ids=tuple(map(self._name, one.ids))) for one in record.retrievals),
            cited=record.cited
            and replace(record.cited, ids=tuple(self._called.get(one, one) for one in record.cited.ids)),
        )

    def _person(self, name: str | None) -> str | None:
        return None if name is None else self._redaction.person(name)

    def _label(self, text: str | None, message: str | None) -> str | None:
        """A model, a reason to stop, a version, the type of an error or the step that failed (`search tool`)."""
        if text is None or (message is not None and message.startswith(text)):
            return None
        return text if is_key(text.removesuffix(" tool"), self._redaction.cut) else None

    def _name(self, one: str | None) -> str | None:
        return one if one is None else self._called.get(one, one)


def is_key(name: str, cut: Callable[[str], str]) -> bool:
    """Whether a name is written as keys are, and holds nothing that the rules find.

    >>> is_key("leave.pdf#3", str), is_key("Ann Smith was fired.pdf", str), is_key("a@b.example", lambda _: "<EMAIL>")
    (True, False, False)
    """
    return _KEY_LIKE.fullmatch(name) is not None and cut(name) == name


def ids_of(records: Iterable[RagTrace]) -> Iterator[str]:
    """Every id of a passage in these."""
    for record in records:
        ids = [document.id for document in record.documents]
        ids += [one for retrieval in record.retrievals for one in retrieval.ids]
        yield from (one for one in ids if one is not None)


def _given(name: str, spans: Sequence[Span]) -> bool:
    """Whether it stands as an id in an attribute that keeps ids, or in one that is JSON: what JSON quotes does not."""
    written = {re.escape(json.dumps(name, ensure_ascii=plain)) for plain in (True, False)}
    pattern = re.compile(f"{_ID}(?:{'|'.join(sorted(written))})")
    return any(
        _holds(value, name, pattern, meaning_of(key))
        for span in spans
        for each in (span.attributes, *(event.attributes for event in span.events))
        for key, value in each.items()
    )


def _holds(value: object, name: str, pattern: re.Pattern[str], meaning: Meaning) -> bool:
    text = value if isinstance(value, str) else ""
    if isinstance(value, (list, tuple, dict)):
        text = json.dumps(value, default=str)
    if text[:1] in ("{", "[") and pattern.search(text):
        return True
    if meaning not in (Meaning.DOCUMENT_ID, Meaning.PASSAGES):
        return False
    return text == name or (isinstance(value, (list, tuple)) and name in value)
