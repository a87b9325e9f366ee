"""Questions: what they are about, and which kind of answer they ask for."""

from __future__ import annotations

import re
from typing import Any, Literal, get_args

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.patterns import tells
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, offsets, stems_of, words
from ragvigil.scorer.data import read_data

AnswerType = Literal["short_fact", "instruction", "multi_step", "comparison", "definition", "no_answer"]
"""What answer a question asks for; `answer_structure` says what each demands."""
ANSWER_TYPES: dict[str, AnswerType] = {name: name for name in get_args(AnswerType)}
"""By the name under which a trace gives one."""
_LOOKED_AT = 600
_MOST_KEY_TERMS = 60
_FEWEST_WORDS_OF_A_PART = 3
_FEWEST_LETTERS = 4
_END = re.compile("[?\uff1f؟]")

_DATA: dict[str, Any] = read_data("questions.json")


_TYPES: dict[AnswerType, re.Pattern[str]] = {
    ANSWER_TYPES[name]: tells(patterns, re.IGNORECASE) for name, patterns in _DATA["types"].items()
}
_LOWER_TYPES: dict[AnswerType, re.Pattern[str]] = {
    ANSWER_TYPES[name]: tells(patterns, re.NOFLAG) for name, patterns in _DATA["types"].items()
}
"""The same for a text in ASCII and lower case, in half the time."""
_PAIRS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _DATA["pairs"])
_AND_ASKS = re.compile(rf"(?<=\w|,)\s(?:{'|'.join(_DATA['and_asks'])})", re.IGNORECASE)
_LANGUAGE_NAMES = tuple(_DATA["languages"])
CONFLICT = re.compile(rf"\b(?:{'|'.join(_DATA['conflict'])})\b")
"""By which an answer in small letters says that its sources differ."""
CONTRAST = re.compile(rf"\b(?:{'|'.join(_DATA['contrast'])})\b")
"""By which it sets one thing against another; whether its sources differ, only those things tell."""
DIFFERENCE = re.compile(rf"\b(?:{'|'.join(_DATA['difference'])})\b")
"""By which it says that two things differ."""
LIKENESS = re.compile(rf"\b(?:{'|'.join(_DATA['likeness'])})\b")
"""By which it says that they are alike."""
NEXT_STEP = re.compile(rf"\W*(?:{'|'.join(_DATA['next_step'])})\b", re.IGNORECASE)
"""With which a sentence begins that says whom to ask instead of an answer."""
POINTS_BACK = re.compile(rf"\W*(?:{'|'.join(_DATA['points_back'])})\b", re.IGNORECASE)
"""With which an answer begins that says what the subject of the question is: it is a."""
OF_ITSELF = re.compile(rf"\W*(?:{'|'.join(_DATA['of_itself'])})\b", re.IGNORECASE)
"""With which a statement begins that tells what the assistant is or does."""
GOES_ON = re.compile(
    rf"[,:;(\u2013\u2014]|\s-\s|\b(?:{'|'.join(_DATA['goes_on'])})\b|\b(?:and|but|und|et|y|e)\b(?!(?:\W+\w+){{1,2}}\W*\Z)",
    re.IGNORECASE,
)
"""By which it goes on to something else; an "and" before the last one or two words does not."""
COMPOSITION = re.compile(rf"\b(?:{'|'.join(_DATA['composition'])})\b")
"""By which it says what its parts come to."""
ASKS_LIKENESS = re.compile(rf"\b(?:{'|'.join(_DATA['asks_likeness'])})\b", re.IGNORECASE)
ASKS_COMPOSITION = re.compile(rf"\b(?:{'|'.join(_DATA['asks_composition'])})\b", re.IGNORECASE)
ASKS_QUANTITY = re.compile(rf"\b(?:{'|'.join(_DATA['asks_quantity'])})\b", re.IGNORECASE)
"""By which a question asks for that, or for a number or time."""
ORDER = re.compile(
    "|".join([rf"(?<!\w)(?:{'|'.join(map(re.escape, _DATA['order']))})(?!\w)", *_DATA["order_unspaced"]])
)
"""By which an answer in small letters orders steps."""
_SPACED = tells([rf"\b{re.escape(one)}(?!\w)" for one in _DATA["order"]])


def _told(text: str) -> list[tuple[Word, str]]:
    """Each word with how it is written, case set aside: by their stems Dutch *wat* and water are one."""
    spans = offsets(text)
    return [
        (word, text[first:last].casefold()) for word, (first, last) in zip(words(text), spans, strict=True)
    ]


_REQUESTS = frozenset(
    name
    for entry in (*_DATA["requests"], *LEXICON.asking)
    for word, written in _told(entry)
    for name in (written, word.stem)
    if name == written or len(name) >= _FEWEST_LETTERS
)
"""How words of asking are written, and their stems where these are long enough to be of no other word."""
_BY_SPELLING = stems_of((*_DATA["requests"], *LEXICON.asking)).difference(_REQUESTS)
"""Stems that words of asking share with others, so that only how a word is written tells."""


def key_stems(question: str) -> list[str]:
    """The stems that say what a question is about, each once, in order.

    >>> key_stems("What is the maximum load of the roof rack in kg?"), key_stems("Kann ich Milch trinken?")
    (['maximum', 'load', 'roof', 'rack', 'kg'], ['milch', 'trinken'])
    """
    read = words(question)
    if not _BY_SPELLING.isdisjoint([word.stem for word in read]):
        read = [word for word, written in _told(question) if written not in _REQUESTS]
    stems = [word.stem for word in read if word.content]
    found = [one for one in stems if one not in _REQUESTS and one not in FRAME_STEMS]
    return list(dict.fromkeys(found))[:_MOST_KEY_TERMS]


def answer_type_of(question: str) -> AnswerType | None:
    """Which kind of answer a question asks for, by its wording; None where that cannot be told.

    >>> [answer_type_of(one) for one in ("How do I change the tyre?", "Petrol vs diesel?", "When does it open?")]
    ['instruction', 'comparison', None]
    """
    text = question.strip()[:_LOOKED_AT]
    if len([part for part in _END.split(text) if len(part.split()) >= _FEWEST_WORDS_OF_A_PART]) > 1:
        return "multi_step"
    plain = text.isascii()
    for name, pattern in (_LOWER_TYPES if plain else _TYPES).items():
        if pattern.search(text.lower() if plain else text):
            return name
    return None


def ordered_by(text: str) -> set[str]:
    """The words by which a text in small letters orders steps, as `ORDER` finds them; in ASCII in a part of the time.

    >>> sorted(ordered_by("first open the lid, then close it"))
    ['first', 'then']
    """
    return {match[0] for match in (_SPACED if text.isascii() else ORDER).finditer(text)}


def compared(question: str) -> tuple[str, str] | None:
    """The two things that a question compares; None where it does not name them.

    >>> compared("What is the difference between the basic plan and the team plan?")
    ('the basic plan', 'the team plan')
    """
    for pattern in _PAIRS:
        match = pattern.search(question[:_LOOKED_AT])
        if match:
            return match["a"].strip(), match["b"].strip()
    return None


def parts(question: str) -> list[str]:
    """The questions of which a question consists.

    >>> parts("When does it open? And what does it cost on Sundays, and who may come in?")
    ['When does it open', ' And what does it cost on Sundays,', 'who may come in']
    """
    asked = [part for one in _END.split(question[:_LOOKED_AT]) for part in _AND_ASKS.split(one)]
    return [part for part in asked if len(part.split()) >= _FEWEST_WORDS_OF_A_PART]


def asks_for_a_language(question: str) -> bool:
    """Whether a question names a language or asks for a translation.

    >>> asks_for_a_language("How do you say thanks in Portuguese?"), asks_for_a_language("How old is it?")
    (True, False)
    """
    plain = question[:_LOOKED_AT].lower()
    for name in _LANGUAGE_NAMES:  # noqa: SIM110  # half the time of any()
        if name in plain:
            return True
    return False
