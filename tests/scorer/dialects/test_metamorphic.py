"""What must matter to no reader: in which order a sender says things, how it spells them, what its ids and models are.

Each change of a table is made to every recording; its records stay as they were, but for what was changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from ragvigil.scorer.span import LogEvent, Span
from ragvigil.scorer.trace import Document, RagTrace, Tokens

from .rewording import Rewording
from .test_other_texts import PATHS, recording, records, reworded

Said = Mapping[str, object]
YEAR, MILLISECOND = 365 * 86_400 * 10**9, 10**6
MODEL = "eu.anthropic.claude-3-5-sonnet-20241022-v2:0"
ONE_TEXT = "Il part à neuf heures."
OTHERS = {
    "app.flags": ["a", "b"],
    "app.payload": '{"rows": [{"n": 1}]}',
    "thread.id": 7,
    "url.full": "https://a.example/?q=x",
}
OF_TOKENS = re.compile("token|usage", re.IGNORECASE)
BY_TICK = "openinference+openllmetry-langchain-requested_agent"
"""Two spans of one call overlap by less than a millisecond: by such a clock, one ends before the other begins."""


class Told(NamedTuple):
    """What came of a recording, and what its records are."""

    spans: list[Span]
    events: list[LogEvent]
    records: list[RagTrace]

    def said(self, change: Callable[[Said], Said]) -> Told:
        """With other attributes on spans and events."""
        spans = [
            replace(
                span,
                attributes=change(span.attributes),
                events=tuple(replace(event, attributes=change(event.attributes)) for event in span.events),
            )
            for span in self.spans
        ]
        events = [replace(event, attributes=change(event.attributes)) for event in self.events]
        return self._replace(spans=spans, events=events)

    def timed(self, change: Callable[[int], int]) -> Told:
        """With other times."""
        spans = [replace(span, start=change(span.start), end=change(span.end)) for span in self.spans]
        found = [replace(record, started_at=change(record.started_at)) for record in self.records]
        return self._replace(spans=spans, records=found)

    def reworded(self, table: Mapping[str, str]) -> Told:
        """With other texts; the records are left."""
        if not table:
            return self
        rewording = Rewording(table)
        return self._replace(
            spans=[rewording.span(span) for span in self.spans],
            events=[rewording.event(event) for event in self.events],
        )


def other_ids(form: str) -> Callable[[Told], Told]:
    """Each passage's id, save for numbers, which stand anywhere, in a form with its place."""

    def change(told: Told) -> Told:
        known = dict.fromkeys(each.id for record in told.records for each in record.documents)
        table = {key: form.format(place) for place, key in enumerate(known) if key and not key.isdigit()}

        def renamed(key: str | None) -> str | None:
            return table.get(key, key) if key else key

        def about(document: Document) -> dict[str, object]:
            metadata = document.metadata.items()
            return {name: renamed(fact) if isinstance(fact, str) else fact for name, fact in metadata}

        found = [
            replace(
                record,
                documents=tuple(
                    replace(each, id=renamed(each.id), metadata=about(each)) for each in record.documents
                ),
                retrievals=tuple(
                    replace(each, ids=tuple(map(renamed, each.ids))) for each in record.retrievals
                ),
            )
            for record in told.records
        ]
        return told.reworded(table)._replace(records=found)

    return change


def of_one_text(told: Told) -> Told:
    """A search that found one passage several times, under several ids."""
    table = {each.text.strip(): ONE_TEXT for record in told.records for each in record.documents if each.text}
    found = [reworded(record, Rewording(table)) if table else record for record in told.records]
    return told.reworded(table)._replace(records=found)


def of_another_model(told: Told) -> Told:
    """Of another vendor."""
    names = {name for record in told.records for name in (record.model, record.response_model) if name}
    found = [
        replace(
            record,
            model=record.model and MODEL,
            response_model=record.response_model and MODEL,
        )
        for record in told.records
    ]
    return told.reworded(dict.fromkeys(names, MODEL))._replace(records=found)


def spelled(**how: bool) -> Callable[[Told], Told]:
    """JSON as another library writes it."""

    def change(told: Told) -> Told:
        return told.said(lambda said: {key: _spelled(value, **how) for key, value in said.items()})

    return change


def _spelled(value: object, **how: bool) -> object:
    if not isinstance(value, str) or value.strip()[:1] not in ("{", "["):
        return value
    try:
        decoded = json.loads(value)
    except ValueError:
        return value
    return json.dumps(decoded, **how) if isinstance(decoded, dict | list) else value  # type: ignore[arg-type]  # flags


def without_tokens(told: Told) -> Told:
    """As of a client that does not ask for them in a stream."""
    found = [replace(record, tokens=Tokens()) for record in told.records]
    return told.said(_uncounted)._replace(records=found)


def _uncounted(said: Said) -> Said:
    return {key: _without(value) for key, value in said.items() if not OF_TOKENS.search(key)}


def _without(value: object) -> object:
    if isinstance(value, dict):
        return _uncounted(cast("Said", value))
    if isinstance(value, list):
        return [_without(item) for item in cast("list[object]", value)]
    if isinstance(value, str) and value[:1] in ("{", "[") and OF_TOKENS.search(value):
        try:
            return json.dumps(_without(json.loads(value)), ensure_ascii=False)
        except ValueError:
            return value
    return value


CHANGES: dict[str, Callable[[Told], Told]] = {
    "the order of attributes": lambda told: told.said(lambda said: dict([*said.items()][::-1])),
    "other attributes": lambda told: told.said(lambda said: {**OTHERS, **said}),
    "JSON in ASCII": spelled(ensure_ascii=True),
    "JSON with sorted keys": spelled(ensure_ascii=False, sort_keys=True),
    "ids of words": other_ids("Seite {} von Föhr"),
    "ids of files": other_ids("/srv/docs/Fahrplan (alt), S. {}.pdf_part_0"),
    "ids of addresses": other_ids("https://kb.example/a?id={}&v=2#p"),
    "ids in Japanese": other_ids("文書-{}"),
    "passages of one text": of_one_text,
    "another model": of_another_model,
    "no tokens": without_tokens,
    "another year": lambda told: told.timed(lambda time: time - 9 * YEAR),
    "a clock of milliseconds": lambda told: told.timed(lambda time: time // MILLISECOND * MILLISECOND),
}


def untimed(record: RagTrace) -> RagTrace:
    """Without what a coarse clock tells otherwise."""
    return replace(record, retrieval_seconds=None, generation_seconds=None, total_seconds=None)


def told_of(path: Path) -> Told:
    """The recording and its records."""
    spans, events = recording(path)
    return Told(spans, events, records(spans, events))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_a_record_does_not_depend_on_how_it_is_told(path: Path) -> None:
    """Ids with brackets lost a rerank, and a clock of milliseconds or passages of one text told a search twice."""
    told = told_of(path)
    for name, change in CHANGES.items():
        if "clock" in name and BY_TICK in path.name:
            continue
        spans, events, expected = change(told)
        assert [*map(untimed, records(spans, events))] == [*map(untimed, expected)], name


def cut_at(longest: int) -> Callable[[Said], Said]:
    """Each text as a limit on lengths leaves it."""
    return lambda said: {
        key: value[:longest] if isinstance(value, str) else value for key, value in said.items()
    }


def texts(record: RagTrace) -> tuple[object, ...]:
    """What is judged."""
    return record.query, record.answer, [each.text for each in record.documents]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name.partition(".")[0])
def test_what_a_limit_took_away_is_never_complete(path: Path) -> None:
    """SDKs count attributes that they drop, from either end, and tell nothing of characters that they cut."""
    told = told_of(path)
    whole = [texts(record) for record in told.records]
    for longest in (100, 500):
        cut = told.said(cut_at(longest))
        left = [record for record in records(cut.spans, cut.events) if record.completeness == "complete"]
        assert all(texts(record) in whole for record in left), longest
    for most in (5, 12):
        for end in (1, -1):
            spans = [
                replace(
                    span,
                    attributes=dict([*span.attributes.items()][::end][:most]),
                    dropped_attributes=max(0, len(span.attributes) - most),
                )
                for span in told.spans
            ]
            left = [record for record in records(spans, told.events) if record.completeness == "complete"]
            assert all(texts(record) in whole for record in left), (most, end)
