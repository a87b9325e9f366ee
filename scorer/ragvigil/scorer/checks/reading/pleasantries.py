"""Pleasantries: whole sentences with which an answer begins or ends, "No problem!" and "Enjoy your meal!".

Unlike a courtesy, which is known by how it opens, one of these must be all that its sentence says, or it may carry a
fact: "No problem with dogs." So must advice, at the end, to ask a doctor or another professional, `consulting`. They
are `first_sentences` and `last_sentences` of `data/courtesies.json`, beside what only says that a refusal is one,
`behind_a_refusal`: "so I can't confirm it."
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Any

from ragvigil.scorer.data import read_data

_DATA: Any = read_data("courtesies.json")
_LONGEST = 80
_WORD = re.compile(r"[^\W_]+(?:[\u0900-\u0dff]+[^\W_]*)*")
"""Signs of vowels that stand above or below a letter, as in Hindi, belong to its word."""
_LONGEST_ADVICE = 160
_CONDITION, _ASKING, _WHOM, _LAST_WORDS = (
    "|".join(_DATA["consulting"][name]) for name in ("conditions", "asking", "professionals", "ends")
)
_A = (
    r"(?:(?:your|his|her|their|a|an|the|ihre[nm]?|eine[nmr]?|den|die|das|o|su|tu|un|una|seu|sua|um|uma|votre|le|uw|een|"
    r"suo|il\ssuo|al)\s){0,2}"
)
_ADVICE = re.compile(
    rf"(?:(?:{_CONDITION}),\s)?(?:please,?\s|bitte\s|por\sfavor,?\s|veuillez\s)?"
    rf"(?:check[^.!?;:,\d]{{0,40}}\sor\s)?(?:{_ASKING})\s{_A}(?:{_WHOM})(?:\s(?:or|oder|o|ou|of)\s{_A}(?:{_WHOM}))?"
    rf"(?:\s(?:{_LAST_WORDS}))?\s?[.!]?",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?\u3002\uff01\uff1f\u0964\u061f\u2026][^\w,;:]*\Z")
"""A clause of a longer sentence ends in no such mark."""


def _said(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORD.findall(text))


_FIRST, _LAST, _BEHIND_A_REFUSAL = (
    frozenset(map(_said, chain.from_iterable(_DATA[name].values())))
    for name in ("first_sentences", "last_sentences", "behind_a_refusal")
)

_APOLOGIES = frozenset(map(_said, _DATA["apologies"]))


def only_apologises(text: str) -> bool:
    """Whether a statement is nothing but an apology.

    >>> only_apologises("I'm sorry."), only_apologises("I'm sorry, it is closed.")
    (True, False)
    """
    return _is_one_of(text, _APOLOGIES)


def begins_politely(text: str) -> bool:
    """Whether a statement is nothing but a sentence of those with which answers begin, and asks nothing.

    >>> texts = ("No problem!", "No problem with dogs.", "No problem, but it costs 5.", "No problem?", "No problem")
    >>> [begins_politely(text) for text in texts]
    [True, False, False, False, False]
    """
    return "?" not in text and _is_one_of(text, _FIRST)


def ends_politely(text: str) -> bool:
    """Whether a statement is nothing but a sentence of those with which answers end.

    >>> ends_politely("**Buon appetito!** 😊"), ends_politely("Enjoy the discount!")
    (True, False)
    """
    return _is_one_of(text, _LAST)


def advises_to_ask(text: str) -> bool:
    """Whether a statement is nothing but advice to ask a professional.

    >>> doctor = "If any of these apply, please talk to your doctor."
    >>> [advises_to_ask(text) for text in (doctor, "Ask your doctor for a dose of 5 mg.", "Ask Ana.")]
    [True, False, False]
    """
    return (
        len(text) <= _LONGEST_ADVICE
        and _ADVICE.fullmatch(text.strip(" *_").replace("\u2019", "'")) is not None
    )


def confirms_nothing(text: str) -> bool:
    """Whether a clause says no more than that a refusal is one.

    >>> [confirms_nothing(text) for text in ("so I can't confirm it.", "so I can't confirm it is open.")]
    [True, False]
    """
    return _is_one_of(text, _BEHIND_A_REFUSAL)


def _is_one_of(text: str, known: frozenset[tuple[str, ...]]) -> bool:
    return (
        len(text) <= _LONGEST
        and not text[-1:].isalnum()
        and _ENDS.search(text) is not None
        and _said(text) in known
    )
