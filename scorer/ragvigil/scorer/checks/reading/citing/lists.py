"""Word lists for citations, read once from data."""

from __future__ import annotations

from ragvigil.scorer.data import read_data

_DATA: dict[str, list[str]] = read_data("citations.json")
POINTERS = frozenset(_DATA["pointers"])
"""Words that a number may follow to name one passage by its rank."""
INFLECTED_POINTERS = tuple(_DATA["inflected_pointers"])
"""How such words begin that have many endings."""
CODE_NAMES = frozenset(_DATA["code_names"])
"""Names before a bracket that make it an index."""
UNITS = frozenset(_DATA["units"])
"""Units before a superscript that make it a power."""
NUMBERING = {
    name: frozenset(_DATA[name])
    for name in (
        "key_verbs",
        "before_key_verbs",
        "opening_key_verbs",
        "of",
        "lines",
        "before_lines",
        "bounding",
        "quantities",
        "lies",
        "chessmen",
        "vitamins",
        "counted_things",
        "before_counted_things",
        "articles",
        "cjk_counted_things",
        "before_menus",
        "before_links",
    )
}
"""Words by which a number in brackets is told to be a key, a step, a line or a bound (`numbering.py`)."""
MEASURES = frozenset(_DATA["measures"])
"""Words that make the number before them an amount."""
COPULAS = frozenset(_DATA["copulas"])
"""Words behind which stands what a thing is."""
BEFORE_CODES = frozenset(_DATA["before_codes"])
"""Verbs behind which stands a code that somebody is to write: "please quote [REF-0001]"."""
CODED_THINGS = frozenset(_DATA["coded_things"])
"""Things with a code, which may be any number: "exit code [137]"."""
DEMONSTRATIVES = frozenset(_DATA["demonstratives"])
"""Words that point at a thing already, so that a number behind it counts what follows."""
NUMBERED_THINGS = frozenset(_DATA["numbered_things"])
"""Things with a number of their own, as in "issue (#2)"."""
BEFORE_YEARS = frozenset(_DATA["before_years"])
"""Words before a year."""
ASIDES = frozenset(_DATA["remarks"]) | frozenset(_DATA["placeholders"])
"""Words in brackets that are no ids: remarks, and what is to be filled in."""
OWNERS = frozenset(_DATA["before_placeholders"])
"""What a placeholder begins with that is to be filled in, as in `your-name`."""
_BEGINNINGS = tuple(f"{word}{joint}" for word in OWNERS for joint in "-_")
_FILLED_IN = ("-name", "_name", "-here", "_here", "-number", "_number")
"""How a placeholder ends that is to be filled in."""
FIELDS = frozenset(_DATA["placeholders"])
"""What is to be filled in, be it of anything: `ORDER_ID`."""
GREETINGS = frozenset(_DATA["greetings"])
"""Words before a name that is to be filled in."""


def is_aside(text: str) -> bool:
    """Whether one word in brackets is a remark, something to fill in, or what redaction leaves.

    >>> [is_aside(text) for text in ("sic", "Optional", "your-name", "EMAIL_2", "sick-pay", "doc-3")]
    [True, True, True, True, False, False]
    """
    folded = text.casefold()
    bare = folded.rstrip("0123456789").rstrip("_-") if text.isupper() else folded
    return bare in ASIDES or bare.startswith(_BEGINNINGS) or bare.endswith(_FILLED_IN)


def is_field(text: str) -> bool:
    """Whether capitals end in what is to be filled in; an id may where ids are written so.

    >>> [is_field(text) for text in ("ORDER_ID", "order_id", "ORDER", "RETURNS_POLICY")]
    [True, False, False, False]
    """
    return text.isupper() and "_" in text and text.casefold().rpartition("_")[2] in FIELDS
