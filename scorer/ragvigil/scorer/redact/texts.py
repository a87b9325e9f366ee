"""Rules over one text: the built-in ones, patterns and a hook of the operator's own, and what they must not touch."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, cast

from ragvigil.scorer.config import Content
from ragvigil.scorer.dialects.streams import recut
from ragvigil.scorer.dialects.values import REDACTED
from ragvigil.scorer.redact.fields import Field, fields_in, may_hold_fields
from ragvigil.scorer.redact.hook import Hook
from ragvigil.scorer.redact.keys import Meaning, is_vector, may_list, meaning_under, opens_a_door
from ragvigil.scorer.redact.pseudonyms import Pseudonyms
from ragvigil.tracer.redaction import RULES, Rule, redact_by, rules_for

SECRET = "<SECRET>"  # noqa: S105 - the mark that replaces one
_REMOVED = "<REMOVED>"
_ESCAPE = re.compile(r"(\\+(?:u[0-9A-Fa-f]{4}|.))", re.DOTALL)
_NAMES = re.compile(
    r"user|session|conversation|thread|chat|customer|cookie|header|authorization|key|token|secret|pass(?!ag)|pwd"
    r"|credential",
    re.IGNORECASE,
)
"""Words of the keys under which JSON holds what is cut for its name."""
LONG_INTEGER = 10**10
"""Shorter ones are neither a card nor a CPF."""
_LONGEST = 10**20
_DEEPEST = 64
Place: TypeAlias = tuple[Any, str, str]
"""A message, its field that holds a text, and the text."""
_TEXTS = frozenset({"page_content", "content", "text"})
_FREE = frozenset({"metadata", "metadatas", "meta", "payload", "properties"})
"""Under these whoever wrote a passage says of it what it likes, in whatever words."""


class Texts:
    """Cuts texts, and texts inside JSON, with rules chosen once for all texts of a payload."""

    def __init__(self, settings: Content, pseudonyms: Pseudonyms) -> None:
        self._all: Sequence[Rule] = () if settings.mode == "full" else RULES
        self._patterns = [re.compile(pattern) for pattern in settings.patterns]
        self._keep = settings.kept
        self._hook = Hook(settings.hook, seconds=settings.hook_seconds) if settings.hook else None
        self._pseudonyms = pseudonyms

    def rules(self, texts: Sequence[str]) -> Sequence[Rule]:
        """The built-in rules that may find something in any of these; all where escapes or chunks hide letters."""
        if not self._all:
            return ()
        different = list(dict.fromkeys(texts))
        joined = "\n".join(different)
        if "\\" in joined:
            return self._all
        nested = [text for text in different if text[:1] in ("{", "[")]
        if any('delta"' in text or 'hunk"' in text for text in nested):
            return self._all
        streams = [text.replace('", "', "").replace('","', "") for text in nested if '["' in text]
        return self._for("\n".join([joined, *streams]))  # a stream of texts is read as one

    def _for(self, text: str) -> Sequence[Rule]:
        return rules_for(text.encode("utf-8", "surrogatepass"), self._all)

    def concerned(self, places: Iterable[Place], rules: Sequence[Rule]) -> Iterable[Place]:
        """The places of whose texts anything might be cut."""
        if rules or self._patterns or self._hook:
            return places
        return [one for one in places if may_hold_fields(one[2]) and _NAMES.search(one[2]) is not None]

    def cut(self, text: str, rules: Sequence[Rule]) -> str:
        """The text without what must not stay. A text that is JSON stays JSON."""
        value, repeats = _json(text)
        if value is None:
            return self._loose(text, rules)
        found = self._value(value, Meaning.TEXT, rules, _DEEPEST)
        return text if found == value and not repeats else json.dumps(found, ensure_ascii=False)

    def drop(self, text: str, *, passages: str | None) -> str:
        """What stays of a text when content does not: ids, labels and figures where it is JSON of passages.

        `passages` is the key under which passages stand; None where no key says that they do.
        """
        value, _ = _json(text)
        if not isinstance(value, (dict, list)):
            return REDACTED
        fields = cast("object", value)
        if passages is None and not _are_passages(fields):
            return REDACTED
        listed = passages if passages is not None and _are_figures(fields) and may_list(passages) else ""
        return json.dumps(self._value(fields, Meaning.TEXT, None, _DEEPEST, listed), ensure_ascii=False)

    def number(self, value: float) -> str | None:
        """What a whole number becomes that is one of a card or a person; None for all others."""
        if not LONG_INTEGER <= abs(value) < _LONGEST or value != int(value):
            return None
        given = str(int(value))
        found = self._plain(given, self._all)
        return None if found == given else found

    def close(self) -> None:
        """End what it started."""
        if self._hook is not None:
            self._hook.close()

    def _value(
        self, value: object, meaning: Meaning, rules: Sequence[Rule] | None, depth: int, key: str = ""
    ) -> object:
        """A value of JSON under `key` without what must not stay; without content where there are no rules."""
        if depth == 0:
            return REDACTED
        if meaning is Meaning.TOKEN:
            meaning = Meaning.SECRET if isinstance(value, str) and opens_a_door(value) else Meaning.TEXT
        if isinstance(value, dict):
            if meaning is Meaning.SECRET and self._all:
                return SECRET
            return self._fields(cast("dict[str, object]", value), rules, depth - 1, key)
        if isinstance(value, list):
            return self._items(cast("list[object]", value), meaning, rules, depth - 1, key)
        if value is None or isinstance(value, bool) or meaning is Meaning.DOCUMENT_ID or value == "":
            return value
        if meaning is Meaning.PERSON:
            return self._pseudonyms.of(str(value))
        if meaning is Meaning.SECRET and self._all:
            return SECRET
        if isinstance(value, (int, float)):
            return self.number(value) or value
        text = str(value)
        if rules is None:
            return self.cut(text, self._all) if meaning is Meaning.LABEL else REDACTED
        return self.cut(text, rules)

    def _items(
        self, items: list[object], meaning: Meaning, rules: Sequence[Rule] | None, depth: int, key: str
    ) -> list[object] | None:
        """Those of a list; None for a vector where there are no rules: a model can tell from it what the text was."""
        if rules is None and not may_list(key) and are_numbers(items):
            return None
        if rules:
            items = recut(items, lambda text: self._plain(text, self._for(text)))
        return [self._value(item, meaning, rules, depth, key) for item in items]

    def _fields(
        self, fields: dict[str, object], rules: Sequence[Rule] | None, depth: int, parent: str
    ) -> dict[str, object]:
        cleaned: dict[str, object] = {}
        for key, value in fields.items():
            meaning = meaning_under(key, parent, fields)
            if rules is None and parent in _FREE and meaning is Meaning.LABEL:
                meaning = Meaning.TEXT
            if rules is None and is_vector(key):
                cleaned[key] = None
            elif meaning is not Meaning.TRANSPORT:
                name = self._plain(key, self._all if rules is None else rules)
                cleaned[name] = self._value(value, meaning, rules, depth, key)
        return cleaned

    def _loose(self, text: str, rules: Sequence[Rule]) -> str:
        """A text that is no JSON as a whole; fields in it are cut for their names all the same."""
        if not may_hold_fields(text):
            return self._plain(text, rules)
        pieces, start = list[str](), 0
        for field in fields_in(text):
            cut = self._of_field(field)
            if cut is not None:
                pieces += [self._plain(text[start : field.start], rules), field.quote, cut, field.quote]
                start = field.end
        return "".join([*pieces, self._plain(text[start:], rules)])

    def _of_field(self, field: Field) -> str | None:
        """What becomes of a value that its name gives away; None where it stays."""
        if field.meaning is Meaning.PERSON:
            return self._pseudonyms.of(field.text)
        if field.meaning is Meaning.TRANSPORT:
            return _REMOVED
        return SECRET if self._all else None

    def _plain(self, text: str, rules: Sequence[Rule]) -> str:
        """A text without fields, but for what is to be kept."""
        if self._keep is None:
            return self._piece(text, rules)
        pieces, start = list[str](), 0
        for match in self._keep.finditer(text):
            pieces += [self._piece(text[start : match.start()], rules), match[0]]
            start = match.end()
        return "".join([*pieces, self._piece(text[start:], rules)])

    def _piece(self, text: str, rules: Sequence[Rule]) -> str:
        if not text:
            return text
        text = redact_by(rules, text)
        if "\\" in text:  # what stands between escapes, as in a printed repr, is looked at by itself, too
            text = "".join(redact_by(rules, piece) for piece in _ESCAPE.split(text))
        for pattern in self._patterns:
            text = pattern.sub(_REMOVED, text)
        if self._hook is None:
            return text
        answer = self._hook(text)
        return REDACTED if answer is None else answer


def are_numbers(items: Sequence[object]) -> bool:
    """Whether it is two numbers or more.

    >>> are_numbers([0.5, 1]), are_numbers([0.5]), are_numbers([True, False])
    (True, False, False)
    """
    return len(items) > 1 and all(
        isinstance(item, (int, float)) and not isinstance(item, bool) for item in items
    )


def _are_figures(value: object) -> bool:
    """Whether it is a list of numbers, or of such lists."""
    items = cast("list[object]", value) if isinstance(value, list) else []
    return are_numbers(items) or (bool(items) and all(map(_are_figures, items)))


def _json(text: str) -> tuple[object, bool]:
    """The value of a text that is a JSON object, array or string, None for any other; whether a key in it repeats.

    Of values under one key the last one is read: those before it are in the text all the same.
    """
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None, False
    repeats = False

    def fields(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeats
        found = dict(pairs)
        repeats = repeats or len(found) < len(pairs)
        return found

    try:
        return json.loads(text, object_pairs_hook=fields), repeats
    except (ValueError, RecursionError):
        return None, False


def _are_passages(value: object) -> bool:
    """Whether a value of JSON is of things with an id and a text, and no messages.

    Readers know more shapes of passages: what they say of ids is noted before, and the labels in them may be texts.
    """
    if isinstance(value, dict):
        return _are_passages(cast("dict[str, object]", value).get("documents"))
    if not isinstance(value, list) or not value:
        return False
    items = cast("list[object]", value)
    return all(
        isinstance(item, dict) and "id" in item and not item.keys().isdisjoint(_TEXTS) and "role" not in item
        for item in items
    )
