"""Shares: "above 90%" where the passages say "above 0.9", and the other way round; 75 % for "three quarters"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ragvigil.scorer.checks.reading.expressions import CURRENCIES, CURRENCY_SIGNS, SHARES
from ragvigil.scorer.checks.reading.surrounding import stems_around
from ragvigil.scorer.checks.reading.words import Word, offsets, overlapping, things_of, words
from ragvigil.scorer.choices import longest_first
from ragvigil.scorer.data import read_data
from ragvigil.scorer.lazily import made_once

_DATA: Any = read_data("measures.json")
_MEASURED = longest_first(
    [
        *(name for units in _DATA["measures"].values() for _, names in units for name in names.split()),
        *CURRENCIES,
        *_DATA["hundredths"],
        *_DATA["scales"],
    ]
)
_DECIMAL = re.compile(
    r"0(?<![\w.,:/+$€£¥₹-]0)[.,](?P<decimals>\d{1,4})(?![\w%°€$£¥₹\u00d7*/:-]|[.,]\d)"
    rf"(?!\s?(?:{_MEASURED})(?!\w)|\s(?:out\sof|of|von|de|di|sur|su|[/x\u00d7])\s?\d)",
    re.IGNORECASE,
)
_PERCENTAGE = re.compile(
    r"\d(?<![\w.,:/+-]\d)(?P<rest>\d{0,2}(?:[.,]\d{1,2})?)"
    r"[ \u00a0\u202f]?(?:%|per\s?cent\b|prozent\b|por\s(?:ciento|cento)\b|pour\scent\b|per\scento\b|procent\b)",
    re.IGNORECASE,
)
_SHARE = re.compile(
    rf"(?<![\w-])(?:{longest_first(SHARES)})(?=\s(?:of|der|des|aller|unserer|de|du|del|dos|das|do|da)\s|\sd['\u2019])"
    r"(?!\sof\san?\s(?:hour|year|day|mile|century))",
    re.IGNORECASE,
)
_MAY_BE_SHARED = re.compile(r"\d(?:\s?(?:%|per|proz|por|pour|proc)|(?<=0)(?<![\d.,]0)[.,]\d)", re.IGNORECASE)
_NO_RATIO = re.compile(
    r"(?:\b(?:version|release|ver|v|section|chapter|kapitel|abschnitt|secci[oó]n|seção|step|p)\.?|[<=>]|\u2264)\s?\Z",
    re.IGNORECASE,
)
_OF_NO_WHOLE = re.compile(
    r"\b(?:odds|hazard|risk|relative|correlat\w+|coefficients?|slope|factor|multipl\w+|effect\ssizes?|deviation|"
    r"[hor]r|s[de]|beta|cohen|korrel\w+|faktor|correla[cç]\w+|corrélation|fat[oô]r)\b[^.;:]*\Z",
    re.IGNORECASE,
)
"""Before a decimal that is no part of a whole: a hazard ratio of 0.66 is 34 % less."""
_OF_A_WHOLE = re.compile(
    r"ratio|rate\b|share|probab|likelihood|confidence|accuracy|threshold|score|recall|precision|similarity|fraction"
    r"|proportion|quote\b|anteil|wahrscheinlich|genauigkeit|schwelle|taxa|tasa|taux|probabil|umbral|limiar|seuil|precis",
    re.IGNORECASE,
)
"""Near a decimal that is a part of a whole; a dose of 0.5 is none."""
_BEFORE, _BEHIND = 60, 30
_MOST_TOLD, _MOST_ASKED, _MOST_READ = 50, 50, 500
_NEAR = 0.0051
"""How far a share in words may be off: 33 % are a third."""


class _Share(NamedTuple):
    """A part of a whole."""

    start: int
    end: int
    value: float
    form: str
    """How it is told: ``decimal``, ``percentage`` or ``words``."""


def may_tell_shares(text: str) -> bool:
    """Whether a percentage, or a decimal below one, may be told: a quick first look.

    >>> [may_tell_shares(text) for text in ("above 90%", "0.9 at least", "10.5 km", "20 percent")]
    [True, True, False, True]
    """
    return _MAY_BE_SHARED.search(text) is not None


class Shares:
    """The parts of a whole that the passages tell."""

    def __init__(self, evidence: str) -> None:
        self._evidence = evidence
        self._room = _MOST_ASKED

    def as_told(self, sequence: Sequence[Word], text: str) -> Sequence[Word]:
        """`sequence`, the words of `text`, with a share as the passages have it in another form.

        >>> text, known = "A hit ratio of 90% is fine.", Shares("Keep the hit ratio above 0.9.")
        >>> [word.stem for word in known.as_told(words(text), text)]
        ['a', 'hit', 'rati', 'of', '0.9', 'is', 'fin']
        """
        found = list(sequence)
        for one in _shares(text):
            if one.form == "words" or self._room <= 0 or text[one.start : one.end] in self._evidence:
                continue
            self._room -= 1
            other = self._same(one, things_of(sequence))
            if other is None:
                continue
            said = words(self._evidence[other.start : other.end])
            for at, place in enumerate(overlapping(offsets(text), one.start, one.end)):
                found[place] = said[min(at, len(said) - 1)]
        return found

    def _same(self, one: _Share, about: set[str]) -> _Share | None:
        """What is as much in another form, in the sentence that has most of what a claim is `about`; else None."""
        if not self._told:
            return None
        in_words = sum(other.form == "words" for other in self._told)
        same = [
            other for other in self._told if _is_same(one, other) and (other.form != "words" or in_words == 1)
        ]
        if not same or any(other.form == one.form for other in same):
            return None
        near = {other.start: len(about & stems_around(self._evidence, other.start)) for other in self._told}
        best = max(same, key=lambda other: near[other.start])
        return best if 0 < near[best.start] == max(near.values()) else None

    @made_once
    def _told(self) -> list[_Share]:
        """Empty where there are too many to tell which is meant."""
        found: list[_Share] = []
        for one in _shares(self._evidence):
            found.append(one)
            if len(found) > _MOST_TOLD:
                return []
        return found


def _is_same(one: _Share, other: _Share) -> bool:
    return abs(one.value - other.value) <= (_NEAR if "words" in (one.form, other.form) else 1e-9)


def _shares(text: str) -> Iterator[_Share]:
    for one in islice(_DECIMAL.finditer(text), _MOST_READ):
        before = text[max(0, one.start() - _BEFORE) : one.start()]
        if not _OF_A_WHOLE.search(before + text[one.start() : one.end() + _BEHIND]):
            continue
        if int(one["decimals"]) and not (
            _NO_RATIO.search(before) or _OF_NO_WHOLE.search(before) or before.rstrip()[-1:] in CURRENCY_SIGNS
        ):
            yield _Share(*one.span(), float(f"0.{one['decimals']}"), "decimal")
    for one in _PERCENTAGE.finditer(text):
        value = float((one[0][0] + one["rest"]).replace(",", "."))
        yield _Share(*one.span(), round(value / 100, 9), "percentage")
    plain = text.casefold()
    for one in _SHARE.finditer(text) if any(name in plain for name in SHARES) else ():
        share = SHARES.get(one[0].casefold())  # none where a letter is of another alphabet
        if share is not None:
            yield _Share(*one.span(), share, "words")
