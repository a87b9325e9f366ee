"""Word lists, read once from data."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from ragvigil.scorer.data import read_data


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What is known about single words, in every language at once, without accents."""

    stop_words: frozenset[str]
    negations: frozenset[str]
    negations_well_known: frozenset[str]
    """Those of languages in which is known, by other lists, what stands beside them."""
    negations_written: frozenset[str]
    """Those that are a name or another word where case or accents differ: Czech *nemá* and NEMA."""
    negation_adverbs: frozenset[str]
    """What only shades a denial, or what it denies: no longer, not yet, still, always."""
    undenying: tuple[str, ...]
    """Phrases with a negation that deny nothing: not only, not later than, in languages where that is always so."""
    romanian_words: frozenset[str]
    """Words beside which *nu* is Romanian."""
    having: frozenset[str]
    """Words for "with"."""
    lacking: frozenset[str]
    """Words for "without", which deny a thing, not the sentence."""
    limiting: tuple[str, ...]
    """Words by which one sentence may both say and deny a thing: unless, except."""
    qualifiers: frozenset[str]
    frame_words: frozenset[str]
    """Words by which an answer speaks about its evidence (passage, context, based); no claim rests on them."""
    pointer_words: frozenset[str]
    """Those of them that a number may follow to name one passage."""
    portuguese_words: frozenset[str]
    """Short words beside which *no* is Portuguese (in the), unless one of another language stands there too."""
    not_portuguese_words: frozenset[str]
    portuguese_nouns: frozenset[str]
    """Nouns right before which *no* is Portuguese."""
    offers: tuple[str, ...]
    """How a question begins that offers something or asks what was meant."""
    asking: tuple[str, ...]
    """How a question begins that asks for something."""
    number_words: dict[str, str]
    scales: dict[str, int]
    """Power of ten."""
    days: dict[str, int]
    """Days of the week from Monday, 0, in lower case."""
    day_signs: dict[str, dict[str, int]]
    """By language the characters that tell the days in names of one form: 星期一, 月曜, 월요일."""
    suffixes: tuple[tuple[str, str], ...]
    case_openers: tuple[str, ...]
    """How a line begins that names a case, a time or a condition."""
    case_endings: tuple[str, ...]
    """How one ends in scripts without spaces."""
    cyrillic_endings: frozenset[str]
    """Of cases, genders and numbers in Russian and Ukrainian, up to four letters."""
    clause_openers: tuple[str, ...]
    abbreviations: frozenset[str]
    """After these a full stop ends no sentence."""
    before_numbers: frozenset[str]
    """Abbreviations before a number, words or sentence ends elsewhere."""
    may_end: frozenset[str]
    """Abbreviations that end a sentence where the next word is one of `starters`."""
    starters: frozenset[str]
    """Words that seldom are capitalised but at the start of a sentence."""


def _bare(word: str) -> str:
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character))


def _bared(entries: Iterable[str]) -> frozenset[str]:
    return frozenset(_bare(entry) for entry in entries)


def _load() -> Lexicon:
    data = read_data("words.json")
    return Lexicon(
        stop_words=_bared(word for entries in data["stop_words"].values() for word in entries),
        negations=_bared((*data["negations"], *data["negations_elsewhere"])),
        negations_well_known=_bared(data["negations"]),
        negations_written=frozenset(data["negations_written"]),
        negation_adverbs=_bared(data["negation_adverbs"]),
        undenying=tuple(data["undenying"]),
        romanian_words=frozenset(data["romanian_words"]),
        having=_bared(data["with"]),
        lacking=_bared(data["without"]),
        limiting=tuple(data["limiting"]),
        qualifiers=_bared(data["qualifiers"]),
        frame_words=_bared(data["frame_words"]),
        pointer_words=_bared(data["pointer_words"]),
        portuguese_words=_bared(data["portuguese_words"]),
        not_portuguese_words=_bared(data["not_portuguese_words"]),
        portuguese_nouns=_bared(data["portuguese_nouns"]),
        offers=tuple(data["offers"]),
        asking=tuple(data["asking"]),
        number_words={_bare(word): value for word, value in data["number_words"].items()},
        scales={_bare(word): power for word, power in data["scales"].items()},
        days={name: place for names in data["days"].values() for place, name in enumerate(names)},
        day_signs={
            language: {sign: place for place, signs in enumerate(days) for sign in signs}
            for language, days in data["day_signs"].items()
        },
        case_openers=tuple(data["case_openers"]),
        case_endings=tuple(data["case_endings"]),
        cyrillic_endings=frozenset(data["cyrillic_endings"]),
        suffixes=tuple((ending, replacement) for ending, replacement in data["suffixes"]),
        clause_openers=tuple(data["clause_openers"]),
        abbreviations=frozenset(data["abbreviations"]),
        before_numbers=frozenset(data["abbreviations_before_numbers"]),
        may_end=frozenset(data["abbreviations_that_may_end"]),
        starters=frozenset(data["sentence_starters"]),
    )


LEXICON = _load()
"""The shipped lists."""
