"""Language: in which one a text is written, by its script, else by its function words."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ragvigil.scorer.checks.reading.patterns import LETTERS, letters_of
from ragvigil.scorer.data import read_data

_LOOKED_AT = 2000
_MOST_WORDS = 200
_LONGEST_TOKEN = 20
_TOKEN = re.compile(rf"[^\W\d_]{{1,{_LONGEST_TOKEN}}}")
_SCRIPTS = tuple(
    (language, re.compile(f"[{characters}]"))
    for language, characters in (
        ("ja", "\u3040-\u30ff"),
        ("ko", "\uac00-\ud7af\u1100-\u11ff"),
        ("zh", "\u3400-\u4dbf\u4e00-\u9fff"),
        ("th", "\u0e00-\u0e7f"),
        ("lo", "\u0e80-\u0eff"),
        ("my", "\u1000-\u109f"),
        ("km", "\u1780-\u17ff"),
        ("he", "\u0590-\u05ff"),
        ("fa", "\u067e\u0686\u0698\u06af\u06cc"),
        ("ar", "\u0600-\u06ff"),
        ("hi", "\u0900-\u097f"),
        ("bn", "\u0980-\u09ff"),
        ("ta", "\u0b80-\u0bff"),
        ("te", "\u0c00-\u0c7f"),
        ("el", "\u0370-\u03ff"),
        ("uk", "\u0456\u0457\u0454\u0491"),
        ("ru", "\u0400-\u04ff"),
    )
)
"""In this order: Japanese is written with Chinese characters too, Persian with Arabic, Ukrainian with Cyrillic ones."""
_A_SCRIPT = re.compile(
    "[\u0370-\u03ff\u0400-\u052f\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff"
    "\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\ud7af]"
)
_WIDER = {"ja": ("ja", "zh"), "fa": ("fa", "ar"), "uk": ("uk", "ru")}
_MARKERS = frozenset(_WIDER)
"""Told by a few characters that the other languages of their script lack."""
_ENOUGH_OF_SCRIPT = 0.3
_ENOUGH_OF_MARKERS = 0.02
_ENOUGH_OF_WORDS = 0.12
_FEWEST = 1.3
_FEWEST_LETTERS = 3
_LEAD = 1.5
_SHORT = 60
"""Characters of a Japanese text that may hold no kana, as headings and tables do, or of one without telling letters."""
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_CHINESE_WORDS = re.compile("可以|多久|是否|是多少|是什|[你您她哪怎]")
"""Of characters that Japanese has as well, in words that it lacks."""
_RUSSIAN = re.compile("[ыэъёЫЭЪЁ]")
"""What Ukrainian lacks."""
_CAPITALISED = r"[A-Z\d][\w.+&'-]{0,30}"
_TITLE = re.compile(
    rf"(?<!\w){_CAPITALISED}(?: {_CAPITALISED}){{0,6}}"
    rf"(?:(?: (?:with|for|of|and|in|to|by|on|at|from|or|a|an|the)){{1,2}}(?: {_CAPITALISED}){{1,6}}){{1,4}}(?!\w)"
)


def _base(language: str) -> str:
    code = language.lower().replace("_", "-").partition("-")[0]
    return "da" if code in ("da", "no", "nb", "nn") else code


def _load(words: Mapping[str, Sequence[str]]) -> dict[str, tuple[tuple[str, float], ...]]:
    """For each function word the languages that have it, each with its share of the word's vote.

    Languages that are `same` have one share together, for no word tells them apart.
    """
    languages: defaultdict[str, list[str]] = defaultdict(list)
    for language, entries in words.items():
        for entry in entries:
            languages[entry].append(language)
    return {
        word: tuple((one, 1 / len(set(map(_base, found)))) for one in found)
        for word, found in languages.items()
    }


_DATA: Any = read_data("languages.json")
_LANGUAGES = _load(_DATA["words"])
_CODES: dict[str, str] = {code: code for code in _DATA["codes"].split()} | {
    name: code for code, names in _DATA["names"].items() for name in names
}
"""ISO 639-1 codes by code and by name."""


def language_of(text: str) -> str | None:
    """The ISO 639-1 code of the language of `text`, its first 2,000 characters; None where that cannot be told.

    >>> language_of("Where is the museum of modern art?"), language_of("Onde fica o museu de arte e quando abre?")
    ('en', 'pt')
    >>> language_of("Wie setze ich den Router zurück?"), language_of("Hvordan nulstiller jeg routeren?")
    ('de', 'da')
    >>> language_of("博物馆在哪里"), language_of("museum 1901")
    ('zh', None)
    """
    return language_of_beginning(text[:_LOOKED_AT])


@lru_cache(maxsize=1 << 10)  # passages come again, and the judge asks once more for that of an answer
def language_of_beginning(text: str) -> str | None:
    """The same of a text of at most 2,000 characters; it is remembered."""
    if not text.isascii() and _A_SCRIPT.search(text):
        told = _by_script(text)
        if told is not None:
            return told
    return _by_words(_tokens(text)[:_MOST_WORDS])


def _tokens(text: str) -> list[str]:
    """The words of `text` in small letters, of longer ones the parts.

    >>> _tokens("It's 5 o'clock."), _tokens("Um café às 5")
    (['it', 's', 'o', 'clock'], ['um', 'café', 'às'])
    """
    if text.isascii():  # a third of the time that the pattern takes
        tokens = letters_of(text)
        if max(map(len, tokens), default=0) <= _LONGEST_TOKEN:
            return tokens
    return _TOKEN.findall(text.lower())


def _by_script(text: str) -> str | None:
    letters = sum(map(str.isalpha, text))
    for language, characters in _SCRIPTS:
        share = len(characters.findall(text)) / max(1, letters)
        if share >= (_ENOUGH_OF_MARKERS if language in _MARKERS else _ENOUGH_OF_SCRIPT):
            return language if language not in _MARKERS or _is_marked(text, language, letters) else None
    return None


def _is_marked(text: str, language: str, letters: int) -> bool:
    """Whether the script as a whole is that of the language: one kana in an English text is a quotation."""
    found = sum(len(characters.findall(text)) for name, characters in _SCRIPTS if name in _WIDER[language])
    return found >= _ENOUGH_OF_SCRIPT * letters


def _by_words(tokens: Sequence[str]) -> str | None:
    votes: defaultdict[str, float] = defaultdict(float)
    for languages in filter(None, map(_LANGUAGES.get, tokens)):
        for language, share in languages:
            votes[language] += share
    if not votes:
        return None
    ranked = sorted(votes, key=lambda language: (-votes[language], language))
    most = votes[ranked[0]]
    second = next((votes[other] for other in ranked[1:] if not same(other, ranked[0])), 0.0)
    enough = max(_FEWEST, _ENOUGH_OF_WORDS * len(tokens))
    return ranked[0] if most >= enough and most >= _LEAD * second else None


def code_of(told: str) -> str | None:
    """The ISO 639-1 code of a language told by code, locale or name; None where that names none.

    >>> [code_of(told) for told in ("pt-BR", "en_US.UTF-8", "eng", "Deutsch", "auto", "")]
    ['pt', 'en', 'en', 'de', None, None]
    """
    first = LETTERS.search(told.lower())
    return _CODES.get(first[0]) if first else None


def in_another_script(text: str, language: str) -> bool:
    """Whether a language has a script of its own and `text`, though it has letters, no character of it.

    >>> in_another_script("Opening hours: 9-17", "zh"), in_another_script("開館", "zh"), in_another_script("Bar", "es")
    (True, False, False)
    """
    base = _base(language)
    scripts = [characters for name, characters in _SCRIPTS if name in _WIDER.get(base, (base,))]
    if not scripts or any(characters.search(text) for characters in scripts):
        return False
    return sum(map(str.isalpha, text)) >= _FEWEST_LETTERS


def same(one: str, other: str) -> bool:
    """Whether two languages share most of their written words: ``pt-BR`` and ``pt``, Danish and Norwegian.

    >>> same("pt-BR", "pt"), same("da", "nb"), same("es", "pt")
    (True, True, False)
    """
    return _base(one) == _base(other)


def may_be(text: str, told: str, language: str) -> bool:
    """Whether a `text` that was `told` to be in one language is so short that it may be in another one all the same.

    Japanese may be written in Chinese characters alone, and Ukrainian without the letters that Russian lacks.

    >>> may_be("定休日 日曜日", "zh", "ja"), may_be("营业时间", "zh", "ja"), may_be("Closed on Sunday", "en", "ja")
    (True, False, False)
    >>> may_be("Як скасувати?", "ru", "uk"), may_be("Скільки коштує оренда?", "uk", "ru")
    (True, False)
    """
    if len(text) > _SHORT:
        return False
    if told == "zh":
        return language == "ja" and not _is_chinese(text)
    return told == "ru" and language == "uk" and not _RUSSIAN.search(text)


def _is_chinese(text: str) -> bool:
    """Whether a text in Chinese characters alone has words or characters that Japanese lacks.

    >>> _is_chinese("退款需要多久"), _is_chinese("請問您的姓名"), _is_chinese("返品期限"), _is_chinese("総務部人事課")
    (True, True, False, False)
    """
    return _CHINESE_WORDS.search(text) is not None or any(
        not _is_held(character, "shift_jis") and any(_is_held(character, code) for code in ("gb2312", "big5"))
        for character in _HAN.findall(text)
    )


def _is_held(character: str, code: str) -> bool:
    """Whether a national standard of characters has it: JIS X 0208, GB 2312 or Big5."""
    return bool(character.encode(code, "ignore"))


def without_titles(text: str) -> str:
    """`text` without runs of capitalised words that English particles join: a product keeps its name everywhere.

    >>> without_titles("Business Standard with Copilot for Microsoft 365"), without_titles("We sell it with love.")
    (' ', 'We sell it with love.')
    """
    return _TITLE.sub(" ", text)
