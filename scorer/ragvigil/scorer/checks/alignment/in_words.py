"""Values in words: a share told as so many out of so many, and a number that the evidence spells out.

"One in five" is what 18 % comes to, and 31 countries are "thirty-one countries".
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import Word, offsets

_SMALL = (
    *(
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TEN, _TWENTY, _HUNDRED = 10, 20, 100
_DIGITS = 3
_NO_HUNDREDS = r"(?<![\w-])(?<!hundred )(?<!hundred and )"
_NUMBER_WORDS = (*_SMALL, *_TENS[2:], "hundred", "thousand", "million", "billion")
_NO_MORE = rf"(?![\w-]|\s(?:and\s)?(?:{'|'.join(_NUMBER_WORDS)})\b)"
"""Around a number of which no other one is a part."""
_OUT_OF = re.compile(
    r"(?<![\w.,])(?P<some>\d{1,2}|[^\W\d_]{2,6})\s(?:in|out\sof|of\severy|von|de\scada|em\scada|sur|su)\s(?P<all>\d{1,3}|[^\W\d_]{2,6})(?![\w%]|[.,]\d)",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"(\d{1,3}(?:[.,]\d{1,2})?)\s?(?:%|per\s?cent|Prozent|por\scien|por\scento|pour\scent)")
_ABOUT = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|over|more\sthan|some|etwa|rund|fast|knapp|casi|cerca|quase|environ|presque)"
    r"\s(?:an?\s)?\Z",
    re.IGNORECASE,
)
_ONE = frozenset(("one", "eine", "einer", "einem", "einen", "ein", "uno", "una", "um", "uma", "un", "une"))
_LONGEST_BEFORE = 16
_NEAR, _NEARLY = 1.0, 3.0
"""Points of a percentage by which a share may be off, and where it is said to be about so much."""


def values_in_words(
    claim: Sequence[Word], text: str, lacking: Collection[int], evidence: Evidence
) -> Iterator[Span]:
    """Where `text`, of the words `claim`, tells a `lacking` number that the evidence tells as a share or in words.

    >>> from ragvigil.scorer.checks.reading.words import words
    >>> from ragvigil.scorer.trace import Document
    >>> seen = Evidence([Document("a", "In thirty-one countries 18 % fly twice.")])
    >>> texts = ("Nearly one in five fly twice.", "One in three fly twice.", "It is so in 31 countries.")
    >>> [list(values_in_words(words(one), one, (1, 2, 3, 4), seen)) for one in texts]
    [[(7, 18)], [], [(12, 14)]]
    """
    shares = list(_shares(text))
    spelled = list(_spelled(claim, text, lacking))
    if not shares and not spelled:
        return
    told = evidence.in_small_letters
    percentages = list(_percentages(told, {word.stem for word in claim if word.content})) if shares else []
    for span, share, near in shares:
        if any(abs(share - one) <= near for one in percentages):
            yield span
    for span, names in spelled:
        if any(_is_told(name, told) for name in names):
            yield span


def _percentages(told: str, stems: Collection[str]) -> Iterator[float]:
    """The percentages of the lines of `told` that have one of a claim's `stems`: others are of something else."""
    for one in _PERCENT.finditer(told):
        line = told[told.rfind("\n", 0, one.start()) + 1 :].split("\n", 1)[0]
        if any(stem in line for stem in stems if not stem.isdecimal()):
            yield float(one[1].replace(",", "."))


def _is_told(name: str, told: str) -> bool:
    """Whether a spelled number stands in `told` and is no part of a greater one.

    >>> texts = ("it has thirty rooms", "thirty thousand", "one hundred and thirty", "thirty one")
    >>> [_is_told("thirty", text) for text in texts]
    [True, False, False, False]
    """
    if name.partition("[")[0] not in told:
        return False  # as mostly
    return re.search(rf"{_NO_HUNDREDS}{name}{_NO_MORE}", told) is not None


def _shares(text: str) -> Iterator[tuple[Span, float, float]]:
    """Where so many of so many are told, how many per cent that are, and how far off they may be."""
    for one in _OUT_OF.finditer(text):
        some, every = _number(one["some"]), _number(one["all"])
        if some and every and some < every:
            about = _ABOUT.search(text[max(0, one.start() - _LONGEST_BEFORE) : one.start()])
            yield one.span(), _HUNDRED * some / every, _NEARLY if about else _NEAR


def _number(said: str) -> int:
    said = said.casefold()
    number = "1" if said in _ONE else LEXICON.number_words.get(said, said)
    return int(number) if number.isdecimal() else 0


def _spelled(claim: Sequence[Word], text: str, lacking: Collection[int]) -> Iterator[tuple[Span, list[str]]]:
    """Where a number of two digits or three stands, with how it may be spelled in English."""
    said = [(place, claim[place].stem) for place in lacking]
    numbers = [(place, int(stem)) for place, stem in said if stem.isdecimal() and len(stem) <= _DIGITS]
    spelled = [(place, number) for place, number in numbers if number > _TWENTY]
    where = offsets(text) if spelled else ()  # once: a long claim's are not kept
    for place, number in spelled:
        yield where[place], spellings(number)


def spellings(number: int) -> list[str]:
    """How a number from 1 to 999 is spelled, as patterns.

    >>> spellings(31), spellings(112)
    (['thirty[- ]one'], ['one hundred twelve', 'one hundred and twelve'])
    """
    hundreds, rest = divmod(number, _HUNDRED)
    tens, ones = divmod(rest, _TEN)
    below = _SMALL[rest] if rest < _TWENTY else f"{_TENS[tens]}[- ]{_SMALL[ones]}" if ones else _TENS[tens]
    if not hundreds:
        return [below]
    whole = f"{_SMALL[hundreds]} hundred"
    return [f"{whole} {below}", f"{whole} and {below}"] if rest else [whole]
