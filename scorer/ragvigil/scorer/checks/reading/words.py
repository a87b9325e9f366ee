"""Words: what two texts have in common when case, accents, endings and number formats are set aside."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from ragvigil.scorer.checks.reading.denying import (
    MAY_DENY,
    affirmed,
    denials_in,
    denies_in_korean,
    in_formal_korean,
)
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.numerals import (
    HAN_NUMERAL,
    PARTS,
    decimal,
    han_number,
    plain_digits,
    readings,
)
from ragvigil.scorer.checks.reading.remembered import Remembered

UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts written without spaces (Thai, Lao, Burmese, Khmer, Chinese, Japanese): one character is one word."""
_UNPARTED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0971-\u0dff"
_NUMERAL = rf"\d{{1,32}}(?:[.,:/]\d{{1,32}}|['\u2019]\d{{3}}(?!\d)|'\d/\d(?!\d)){{0,6}}(?: ?[{PARTS}](?!\w))?"
_LETTER = rf"[^\W\d_{UNSPACED}]"
_TOKEN = re.compile(
    rf"{_NUMERAL}|{HAN_NUMERAL}|[{UNSPACED}]"
    rf"|(?:{_LETTER}|[{_MARKS}])(?:[^\W_{UNSPACED}]|[{_MARKS}]){{0,62}}(?:['\u2019][tT](?!{_LETTER}))?"
)
_SIGNS = (
    "\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u2000-\u2017\u201a-\u203e\u20a0-\u20bf\u2190-\u2bff\u3000-\u3004\u3008-\u303f\uff00-\uff0f\uff1a-\uff20"
)
_APART = rf"{_SIGNS}{UNSPACED}"
"""What stands apart from a number behind it: dashes, signs of money, characters that are words."""
_NO_LETTER, _NO_DIGIT = r"\x00-/:-@\[-`{-\x7f", "0-9"
RUN = re.compile(
    rf"[^{_NO_LETTER}{_NO_DIGIT}{_APART}][^{_NO_LETTER}{_APART}]{{0,62}}(?:'[tT](?![A-Za-z]))?|{_NUMERAL}|[{_APART}]{{1,63}}"
)
"""A word in ASCII, a number, or a run of characters of which some are not in ASCII."""
_HALVES = ("am", "pm")
_CYRILLIC = ("\u0400", "\u04ff")
_SHORTEST_STEM = 3
_LONGEST_CLAIM = 4096
"""Characters of a claim whose words and offsets are kept for those who ask next."""


_HANGUL = "\uac00"
_SHORTEST_DENIAL = 5
"""Letters of a Turkish verb that is denied: olmaz."""


class Word(NamedTuple):
    """One word as the checks compare it."""

    stem: str
    content: bool
    """Whether it carries meaning of its own: no stop word."""
    name: bool
    """Whether it begins with a capital letter."""
    numbers: tuple[str, ...] = ()
    """Every value it may stand for: ``1,234`` may be 1234 or 1.234."""
    negation: bool = False
    qualifier: bool = False
    """Whether it quantifies or ranks: all, never, only, largest."""
    scale: int | None = None
    """Power of ten by which it multiplies the number before it: million is 6."""


class Chunk(NamedTuple):
    """What stands between white space, or a run in other scripts: no word, one, or several."""

    words: tuple[Word, ...]
    stems: tuple[str, ...]
    """Those that are meaningful."""
    values: tuple[str, ...]
    """What its numbers may stand for, as far as the next chunk does not scale them."""
    scaling: bool
    """Whether its first word may scale a number before it, or tell the half of the day."""
    negations: tuple[str, ...]
    """Stems of those that are one."""
    numeric: bool = False
    """Whether it has `values` or is `scaling`."""


def words(text: str) -> list[Word]:
    """The words of `text` in order.

    >>> [word.stem for word in words("The cats' 1,500 caches, café!")]
    ['the', 'cat', '1500', 'cach', 'caf']
    """
    return list(chain.from_iterable(map(_words_of, map(KNOWN.__getitem__, chunked(text)))))


def known_words(text: str) -> tuple[Word, ...]:
    """The words of a claim, which are kept for those who ask next.

    >>> [word.stem for word in known_words("The cats")]
    ['the', 'cat']
    """
    return _known_words(text) if len(text) <= _LONGEST_CLAIM else tuple(words(text))


def stems_of(names: Iterable[str]) -> frozenset[str]:
    """The stems of all words in `names`.

    >>> sorted(stems_of(["fees", "next weekdays"]))
    ['fee', 'next', 'weekdai']
    """
    return frozenset(word.stem for name in names for word in words(name))


def content_of(text: str) -> frozenset[str]:
    """The stems of its meaningful words.

    >>> sorted(content_of("the next weekdays"))
    ['next', 'weekdai']
    """
    return frozenset(word.stem for word in words(text) if word.content)


def things_of(sequence: Iterable[Word]) -> set[str]:
    """The stems of its meaningful words that are no numbers.

    >>> sorted(things_of(words("the next 5 weekdays")))
    ['next', 'weekdai']
    """
    return {word.stem for word in sequence if word.content and not word.numbers}


def chunks(text: str) -> list[Chunk]:
    """The words of `text` as it parts them.

    >>> [chunk.stems for chunk in chunks("The dog-eared cats!")]
    [(), ('dog', 'ear'), ('cat',)]
    """
    return list(map(KNOWN.__getitem__, chunked(text)))


def chunked(text: str) -> list[str]:
    """The chunks of `text` as they stand.

    >>> chunked("The dog-eared cats!"), chunked("o cão.")
    (['The', 'dog-eared', 'cats!'], ['o', 'cão'])
    """
    text = plain_digits(text)
    return text.split() if text.isascii() else RUN.findall(text)


def is_unparted(text: str, *, some: bool = False) -> bool:
    """Whether most letters of a text, or `some`, are Thai, Lao, Khmer or Burmese ones, which are no words.

    >>> is_unparted("แมวชอบกินปลา"), is_unparted("The Thai word is แมว"), is_unparted("猫喜欢吃鱼")
    (True, False, False)
    """
    if text.isascii() or not _UNPARTED.search(text):
        return False
    found = sum(map(str.isalpha, _UNPARTED.findall(text)))
    return some or 2 * found > sum(map(str.isalpha, text))


def _chunk(text: str) -> Chunk:
    runs: list[str] = RUN.findall(text)
    read = tuple([word for run in runs for word in _words_in(run)])
    told = tuple(chain.from_iterable(values(read)))
    scaling = bool(read) and (read[0].scale is not None or read[0].stem in _HALVES)
    return Chunk(
        read,
        tuple([word.stem for word in read if word.content]),
        told,
        scaling,
        tuple([word.stem for word in read if word.negation]),
        bool(told) or scaling,
    )


def _words_in(run: str) -> list[Word]:
    if run.isascii():
        return [_word(run)]
    if MAY_DENY.isdisjoint(run) or not (denials := denials_in(run)):
        return list(map(_word, _TOKEN.findall(run)))
    found: list[Word] = []
    for token in _TOKEN.finditer(run):
        word = _word(token[0])
        denied = any(start <= token.start() < end for start, end in denials)
        found.append(word._replace(content=False, negation=True) if denied else word)
    return found


KNOWN = Remembered(_chunk, most=1 << 15)
"""The process's one memory of chunks."""
_words_of = itemgetter(Chunk._fields.index("words"))


def offsets(text: str) -> Sequence[tuple[int, int]]:
    """Where each of ``words(text)`` stands, from the first character to after the last.

    >>> offsets("The cats, café")
    ((0, 3), (4, 8), (10, 14))
    """
    return _known_offsets(text) if len(text) <= _LONGEST_CLAIM else _offsets(text)


def overlapping(places: Sequence[tuple[int, int]], start: int, end: int) -> range:
    """Which of `places`, ascending and apart as `offsets` are, have a part of what stands from `start` to `end`.

    >>> [[*overlapping(offsets("The cats, café"), *span)] for span in ((5, 11), (3, 4), (8, 10))]
    [[1, 2], [], []]
    """
    first = bisect_left(places, (start, 0))
    if first and places[first - 1][1] > start:
        first -= 1
    return range(first, bisect_left(places, (end, 0)))


@lru_cache(maxsize=1 << 9)
def _known_words(text: str) -> tuple[Word, ...]:
    return tuple(words(text))


@lru_cache(maxsize=1 << 9)  # several ask for those of one claim, while some records are held
def _known_offsets(text: str) -> Sequence[tuple[int, int]]:
    return _offsets(text)


def _offsets(text: str) -> Sequence[tuple[int, int]]:
    text = plain_digits(text)
    if text.isascii():
        return tuple([run.span() for run in RUN.finditer(text)])
    spans: list[tuple[int, int]] = []
    for run in RUN.finditer(text):
        if run[0].isascii():
            spans.append(run.span())
        else:
            spans += [
                (run.start() + token.start(), run.start() + token.end()) for token in _TOKEN.finditer(run[0])
            ]
    return tuple(spans)


@lru_cache(maxsize=1 << 16)
def _word(token: str) -> Word:
    if token[0].isdigit():
        if token[-1] not in PARTS:
            token = unicodedata.normalize("NFKC", token)
        numbers = readings(token)
        return Word(numbers[0], True, False, numbers)
    han = han_number(token)
    if han is not None:
        return Word(han, True, False, (han,))
    plain = _plain(token)
    if (inflected := _inflected(token)) is not None:
        return inflected
    negation = plain in LEXICON.negations or token in LEXICON.negations_written or plain.endswith("n't")
    number = LEXICON.number_words.get(plain)
    return Word(
        stem(plain),
        not negation and plain not in LEXICON.stop_words,
        token[0].isupper(),
        (number,) if number else (),
        negation,
        plain in LEXICON.qualifiers,
        LEXICON.scales.get(plain),
    )


def _inflected(token: str) -> Word | None:
    """A Turkish verb that is denied by its ending, or a Korean one that denies or is denied; None: neither."""
    if token >= _HANGUL:
        formal = in_formal_korean(token)
        if formal == token and not denies_in_korean(token):
            return None
        return Word(stem(_plain(formal)), formal != token, False, negation=formal == token)
    said = affirmed(token.lower()) if "m" in token and len(token) >= _SHORTEST_DENIAL else None
    return (
        None if said is None or token[0].isupper() else Word(stem(_plain(said)), True, False, negation=True)
    )


def _plain(token: str) -> str:
    """Case, width and accents set aside.

    >>> _plain("São"), _plain("ÉTÉ")
    ('sao', 'ete')
    """
    if token.isascii():
        return token.lower()
    decomposed = unicodedata.normalize("NFKD", token.replace("\u2019", "'").casefold())
    return "".join(character for character in decomposed if not unicodedata.combining(character)) or token


@lru_cache(maxsize=1 << 12)  # most are asked for once, by a word that is kept itself
def stem(word: str) -> str:
    """`word` without its usual English, Portuguese, Spanish, Russian or Ukrainian ending; the same rules on both sides.

    >>> stem("cities"), stem("city"), stem("running"), stem("run")
    ('citi', 'citi', 'run', 'run')
    >>> stem("соколовои"), stem("соколова"), stem("анна")
    ('соколов', 'соколов', 'анн')
    """
    if len(word) < 4:
        return word
    word = _caseless(word) if _CYRILLIC[0] <= word[0] <= _CYRILLIC[1] else _singular(word)
    for ending, replacement in LEXICON.suffixes:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + replacement
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiou":
        word = word[:-1]
    return word


def _caseless(word: str) -> str:
    """A Russian or Ukrainian word without the ending of its case (after Savoy's light stemmer, CLEF 2009)."""
    for size in (4, 3, 2, 1):
        if len(word) - size >= _SHORTEST_STEM and word[-size:] in LEXICON.cyrillic_endings:
            return word[:-size]
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) or not word.endswith("s") else word[:-1]


FRAME_STEMS = frozenset(stem(word) for word in LEXICON.frame_words)
"""Stems of the words by which an answer speaks about its evidence; no claim rests on them."""

NEGATION_ADVERBS = frozenset(stem(_plain(word)) for word in LEXICON.negation_adverbs)
"""Stems of the words that only shade a denial or what it denies: no longer, still, always."""

POINTER_STEMS = frozenset(stem(word) for word in LEXICON.pointer_words)
"""Stems of the words that point at a passage, as in "passage 2"."""


def values(sequence: Sequence[Word]) -> list[tuple[str, ...]]:
    """Every number of a text, each as the values it may stand for, scales and clock halves applied.

    >>> values(words("5 million at 7 pm"))
    [('5', '5000000'), ('7', '19', '19:00', '7:00')]
    """
    found: list[tuple[str, ...]] = []
    for place, word in enumerate(sequence):
        if not word.numbers:
            continue
        following = sequence[place + 1] if place + 1 < len(sequence) else None
        found.append((*word.numbers, *_scaled(word.numbers[0], following)) if following else word.numbers)
    return found


def _scaled(value: str, following: Word) -> tuple[str, ...]:
    if following.scale is not None and value.replace(".", "").isdigit():
        whole, _, fraction = value.partition(".")
        shifted = fraction.ljust(following.scale, "0")
        return (decimal(f"{whole}{shifted[: following.scale]}.{shifted[following.scale :]}"),)
    if following.stem in _HALVES:
        return _on_the_clock(value, following.stem)
    return ()


def _on_the_clock(value: str, half: str) -> tuple[str, ...]:
    hour, _, minute = value.partition(":")
    if not hour.isdigit() or not 1 <= int(hour[:3]) <= 12:
        return ()
    full, minute = int(hour) % 12 + (12 if half == "pm" else 0), minute or "00"
    return (*((str(full),) if minute == "00" else ()), f"{full}:{minute}", f"{hour}:{minute}")
