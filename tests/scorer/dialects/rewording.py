"""Recordings with other texts in them, wherever one stands: in JSON within JSON, and in what Python prints, too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragvigil.scorer.span import LogEvent, Span

_PRINTED = re.compile(r"""\b(?:page_content|content|text|query)=(["'])""")


class Rewording:
    """Each text of a table becomes another one."""

    def __init__(self, table: Mapping[str, str]) -> None:
        self._table = table
        self._texts = re.compile("|".join(map(re.escape, sorted(table, key=len, reverse=True))))

    def text(self, text: str) -> str:
        """As it stands in a record."""
        return self._texts.sub(lambda found: self._table[found.group()], text)

    def span(self, span: Span) -> Span:
        """The span, its attributes and those of its events."""
        events = tuple(replace(event, attributes=self._mapping(event.attributes)) for event in span.events)
        return replace(span, attributes=self._mapping(span.attributes), events=events)

    def event(self, event: LogEvent) -> LogEvent:
        """A log event."""
        return replace(event, attributes=self._mapping(event.attributes))

    def _mapping(self, values: Mapping[str, object]) -> dict[str, object]:
        return {key: self._value(value) for key, value in values.items()}

    def _value(self, value: object) -> object:
        if isinstance(value, str):
            return self._written(value)
        if isinstance(value, dict):
            return self._mapping(cast("dict[str, object]", value))
        if isinstance(value, list | tuple):
            return [self._value(item) for item in cast("Sequence[object]", value)]
        return value

    def _written(self, text: str) -> str:
        """As its sender would write it."""
        if text.strip()[:1] in ("{", "[", '"'):
            try:
                value: object = json.loads(text)
            except ValueError:
                value = None
            if isinstance(value, dict | list | str):
                spaced = '": ' in text or '", ' in text
                return json.dumps(
                    self._value(cast("object", value)),
                    ensure_ascii="\\u" in text,
                    separators=(", ", ": ") if spaced else (",", ":"),
                )
        if printed := _PRINTED.search(text):
            quote = printed[1]
            return self._texts.sub(lambda found: _escaped(self._table[found.group()], quote), text)
        return self.text(text)


def _escaped(text: str, quote: str) -> str:
    return text.replace("\\", "\\\\").replace(quote, f"\\{quote}").replace("\n", "\\n")
