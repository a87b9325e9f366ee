"""Alike: times that a claim tells by words which exclude those of a sentence elsewhere, but mean the same here.

"Seven days a week" is every day though a week is no day, "spätestens nach fünf Tagen" is within five days though after
is not within. Only what says the same as one clause of the sentence is excused: the same numbers in the same order
and the same meaningful words. Else the word that differs is often all that shows a wrong claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.words import things_of, words

_SEVEN_DAYS = re.compile(
    r"\b(?:(?:seven|7)\sdays\s(?:a|per|each|every)\sweek|(?:sieben|7)\stage\s(?:die|pro|in\sder)\swoche"
    r"|(?:siete|7)\sdías\s(?:a\sla|por)\ssemana|(?:sete|7)\sdias\s(?:por|na|da)\ssemana"
    r"|(?:sept|7)\sjours\s(?:par\ssemaine|sur\s(?:sept|7))|(?:sette|7)\sgiorni\s(?:(?:al)?la\ssettimana|su\s(?:sette|7))"
    r"|(?:zeven|7)\sdagen\s(?:per|in\sde)\sweek)\b",
    re.IGNORECASE,
)
_EACH_DAY = re.compile(
    r"\b(?:(?:every|each)\sday|jede[nr]?\stag|cada\sd[ií]a|chaque\sjour|ogni\sgiorno|elke\sdag)\b",
    re.IGNORECASE,
)
_AT_THE_LATEST = re.compile(r"\b(?:spätestens|längstens)\snach\b", re.IGNORECASE)
_WITHIN = re.compile(r"\b(?:innerhalb(?:\svon)?|binnen)\b", re.IGNORECASE)
_PAIRS = ((_SEVEN_DAYS, _EACH_DAY), (_AT_THE_LATEST, _WITHIN))
_HALVES = re.compile(r"[ap]m?\Z", re.IGNORECASE)
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_CLAUSE = re.compile(r"[,;:\u2013\u2014(][ \n]")
_OPEN = frozenset(
    word.stem
    for word in words(
        "hours hour opening open opens opened day days geöffnet offen öffnungszeiten horario horarios horaires ouvert "
        "ouverte ouvre abierto abierta abre atiende aberto aberta atende orari orario aperto aperta apre geopend open"
    )
)
"""Words that say no more than that times follow."""


def mean_the_same(claim: str, sentence: str) -> bool:
    """Whether they tell the same time in two ways, and `claim` else says what one clause of `sentence` says.

    >>> sentence = "Call 555, which is open every day from 8am to 8pm."
    >>> claims = ("Hours: 8am to 8pm, seven days a week", "Open seven days a week, 9am to 8pm.", "Seven days a week.")
    >>> [mean_the_same(claim, sentence) for claim in claims]
    [True, False, False]
    >>> mean_the_same("The pool is open seven days a week, 8am to 8pm.", sentence)
    False
    """
    for one, other in _PAIRS:
        for mine, theirs in ((one, other), (other, one)):
            said, told = mine.search(claim), theirs.search(sentence)
            if said and told and not theirs.search(claim) and not mine.search(sentence):
                return _says_the_same(_without(claim, said), _clause_without(sentence, told))
    return False


def _without(text: str, found: re.Match[str]) -> str:
    return f"{text[: found.start()]} {text[found.end() :]}"


def _clause_without(text: str, found: re.Match[str]) -> str:
    """The clause of `text` that holds what was found, without that."""
    first = max((one.end() for one in _CLAUSE.finditer(text, 0, found.start())), default=0)
    after = _CLAUSE.search(text, found.end())
    return f"{text[first : found.start()]} {text[found.end() : after.start() if after else len(text)]}"


def _says_the_same(claim: str, clause: str) -> bool:
    mine, theirs = words(claim), words(clause)
    if denies(mine) or denies(theirs) or [*_numbers(claim)] != [*_numbers(clause)]:
        return False
    return things_of(mine) ^ things_of(theirs) <= _OPEN


def _numbers(text: str) -> Iterator[str]:
    """Its numbers, and the halves of the day that stand behind them, in order."""
    for found in _TOKEN.finditer(text):
        said = found[0].casefold()
        if said[0].isdigit() or _HALVES.match(said):
            yield said
        elif said in LEXICON.number_words:
            yield LEXICON.number_words[said]
