"""Refusal wording: sentences that say the evidence has no answer, in the languages of the pattern file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from ragvigil.scorer.checks.reading.clauses import cut
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.needs import Needs
from ragvigil.scorer.checks.reading.patterns import any_of, tells
from ragvigil.scorer.checks.reading.remembered import Remembered
from ragvigil.scorer.data import read_data

_LONGEST_SENTENCE = 400
_CONTACT = re.compile(
    r"\S{1,64}@\S{1,100}|https?://\S{1,200}|www\.\S{1,200}|\+?\(?\d[\d\s()/.\u2011\u2013-]{4,20}\d"
)
"""An address, or a number to call."""
_ADDRESS = re.compile(r"[\d@/]|\w\.\w")

Cue = tuple[int, str]
"""Place of a wording, and what shows that a text may refuse in it."""


@dataclass(frozen=True, slots=True)
class Wording:
    """How one language refuses."""

    language: str
    cues: tuple[str, ...]
    marks: tuple[tuple[Callable[[str, str], bool], str], ...]
    """For each cue what one word of a text shows that holds it."""

    @property
    def things(self) -> re.Pattern[str]:
        """What has the words of a refusal and tells of a thing: Article 5, a file that contains no macros."""
        return _things(self.language)

    def refuses(self, plain: str) -> bool:
        """Whether `plain`, a text in lower case, holds a cue and refuses."""
        if not any(
            cue in plain and (cue not in _WHOLE_WORDS or _has_the_word(plain, cue.rstrip()))
            for cue in self.cues
        ):
            return False
        met = _needs(self.language).met(plain, plain.split())
        able = [_refusing(self.language, place) for place in met]
        return any(pattern.search(plain) for pattern in able) and self._refuses_itself(plain, able)

    def may_refuse(self, plain: str, tokens: Iterable[str]) -> bool:
        """Whether a sentence of `plain`, whose words are `tokens` and which has all the cues, can refuse."""
        return _needs(self.language).any_met(plain, tokens)

    def _refuses_itself(self, plain: str, able: Sequence[re.Pattern[str]]) -> bool:
        """Whether `plain` refuses in its own words, and not only in the condition that it begins with.

        `able` are the patterns that can be found in it.
        """
        own = _QUOTED.sub('""', plain)
        if len(own.split()) < _FEW_WORDS and len(_UNSPACED.findall(own)) < _FEW_CHARACTERS:
            own = plain
        own = self.things.sub(_APART, own)
        condition = _CONDITION.match(own)
        begins = condition.end() if condition else 0
        return any(_ends_behind(pattern, own, begins) for pattern in able)


def _ends_behind(pattern: re.Pattern[str], text: str, place: int) -> bool:
    """Whether what `pattern` finds in `text` ends behind a place, at once or when looked for from there."""
    found = pattern.search(text)
    return found is not None and (found.end() > place or pattern.search(text, place) is not None)


def _load(data: Mapping[str, Any]) -> tuple[Wording, ...]:
    return tuple(
        Wording(
            language,
            tuple(one["cues"]),
            tuple(map(_mark, one["cues"])),
        )
        for language, one in data["languages"].items()
    )


@cache
def _refusing(language: str, place: int) -> re.Pattern[str]:
    """A pattern, in lower case, made when a text first looks like it.

    All of English take half a second and several MB, and few are needed.
    """
    return re.compile(_spelt_out(_DATA["languages"][language]["patterns"][place]))


@cache
def _needs(language: str) -> Needs:
    needs = read_data(f"needs/{language}.json")
    return Needs(needs["sets"], needs["patterns"])


@cache
def _things(language: str) -> re.Pattern[str]:
    return any_of(
        [
            _spelt_out(pattern)
            for pattern in (*_DATA["languages"][language].get("things", ()), _DATA["numbered"])
        ]
    )


def _spelt_out(pattern: str) -> str:
    """`pattern` with the choices that the names in angle brackets stand for."""
    return _NAMED.sub(lambda name: _spelt_out(_DATA["words"][name[1]]), pattern)


def _mark(cue: str) -> tuple[Callable[[str, str], bool], str]:
    """What a word must show so that `cue` may be where it stands: a part of the cue, and where in the word it is."""
    parts = cue.split(" ")
    if cue in _WHOLE_WORDS:
        return _has_the_word, parts[0]
    place = max(range(len(parts)), key=lambda one: len(parts[one]))
    looks = (str.__contains__, str.endswith, str.startswith)
    return looks[0 if len(parts) == 1 else 1 if place == 0 else 2], parts[place]


def _has_the_word(text: str, word: str) -> bool:
    """Whether `word` stands in `text` and is no part of a longer one.

    >>> [_has_the_word(text, "ne") for text in ("ne", "(ne,", "engine")], _has_the_word("n'est", "n'")
    ([True, True, False], True)
    """
    return _word(word).search(text) is not None


@cache
def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}(?:(?<!\w)|(?!\w))")


_DATA = read_data("abstention.json")
_WHOLE_WORDS = frozenset(_DATA["whole_words"])
"""Cues that show nothing within a word: French *ne* and *rien* stand in engine and friends."""
_NAMED = re.compile("<([a-z_]+)>")
_CONDITION = re.compile(_DATA["conditions"])
_QUOTED = re.compile(r'"[^"]{1,200}"|“[^”]{1,200}”|«[^»]{1,200}»|„[^“”]{1,200}[“”]|「[^」]{1,200}」')
_APART = " \N{HORIZONTAL ELLIPSIS} "
"""Stands where a thing was named, so that what stood on either side of it does not meet."""
_FEW_WORDS = 3
"""Beside a quotation, that are no sentence of their own: what is quoted is what the text says."""
_UNSPACED = re.compile("[\u3040-\u9fff]")
_FEW_CHARACTERS = 6
"""Likewise where words are not parted."""
WORDINGS = _load(_DATA)
_JOINT = re.compile("|".join(_DATA["joints"]), re.IGNORECASE)
_SUBORDINATE = re.compile(
    rf"(?:{'|'.join(map(re.escape, _DATA['subordinators']))})\s[^,\uff0c]{{1,300}}([,\uff0c]\s*)",
    re.IGNORECASE,
)
_WORKS = any_of([_spelt_out(pattern) for pattern in _DATA["works"]])
_TURNS = re.compile(rf"\W*(?:{'|'.join(_DATA['turns'])})\b")
_CONCLUSION = re.compile(_DATA["conclusions"])
_ADVICE = tells(_DATA["advice"])
_REFERRAL = tells(_DATA["referrals"])


def may_refuse(text: str) -> tuple[Wording, ...]:
    """The wordings of which a cue occurs, with these cues alone: a cheap first look at a whole answer.

    None when nothing can refuse.
    """
    plain = _plain(text)
    tokens = set(plain.split())
    found = {*chain.from_iterable(map(_CUED.__getitem__, tokens))}
    if not found:
        return ()
    cued: dict[int, list[str]] = {}
    for place, cue in sorted(found):
        if cue in plain:
            cued.setdefault(place, []).append(cue)
    able = [_with(place, tuple(cues)) for place, cues in cued.items()]
    return tuple([wording for wording in able if wording.may_refuse(plain, tokens)])


@lru_cache(maxsize=1 << 10)
def _with(place: int, cues: tuple[str, ...]) -> Wording:
    """A wording that is looked for by these cues alone."""
    return replace(WORDINGS[place], cues=cues)


def _by_start() -> dict[str, list[tuple[Cue, Callable[[str, str], bool], str]]]:
    """What to look for in a word, by the first two letters of it, or its only one."""
    found: dict[str, list[tuple[Cue, Callable[[str, str], bool], str]]] = {}
    for place, wording in enumerate(WORDINGS):
        for cue, (look, part) in zip(wording.cues, wording.marks, strict=True):
            found.setdefault(part[:2], []).append(((place, cue), look, part))
    return found


_BY_START = _by_start()


def _cues_in(word: str) -> tuple[Cue, ...]:
    """The cues that may be where a word is.

    >>> sorted(cue for _, cue in _cues_in("cannot")), [cue for _, cue in _cues_in("piano")]
    (['cannot', 'not', 'not one'], ['no ', 'no '])
    """
    begun = {word[at : at + size] for at in range(len(word)) for size in (1, 2)}
    near = [entry for start in begun for entry in _BY_START.get(start, ())]
    return tuple({cue for cue, look, part in near if look(word, part)})


_CUED = Remembered(_cues_in)


def refuses(sentence: str, among: Sequence[Wording] | None = None) -> str | None:
    """The language in which `sentence` refuses to answer, None when it does not; `among`: the wordings to try.

    >>> refuses("I'm sorry, but the context does not mention this."), refuses("Não encontrei informações sobre isso.")
    ('en', 'pt')
    >>> refuses("The bridge is not open on Mondays.")
    """
    plain = _plain(sentence[:_LONGEST_SENTENCE])
    for wording in WORDINGS if among is None else among:
        if wording.refuses(plain):
            return wording.language
    return None


def tells_of_a_work(refusal: str, following: str) -> bool:
    """Whether a refusal only says what a report or article leaves out, and the next statement goes on without a turn.

    >>> silent = "The report does not name its author."
    >>> tells_of_a_work(silent, "It was printed in 2019."), tells_of_a_work(silent, "It only gives a date.")
    (True, False)
    """
    plain = _plain(refusal[:_LONGEST_SENTENCE])
    rest = _WORKS.sub(_APART, plain)
    return rest != plain and not _TURNS.match(_plain(following)) and refuses(rest) is None


def parts(prose: str, start: int, end: int) -> list[Span]:
    """The clauses of a refusing sentence: what stands beside a refusal may be a claim.

    >>> text = "I don't know, but the capital of France is Berlin."
    >>> [text[start:end] for start, end in parts(text, 0, len(text))]
    ["I don't know", 'but the capital of France is Berlin.']
    """
    cuts = {start, *(match.end() for match in _JOINT.finditer(prose, start, end) if start < match.start())}
    subordinate = _SUBORDINATE.match(prose, start, end)
    if subordinate:
        cuts.add(subordinate.end())
    return cut(prose, sorted(cuts - {end}), end)


def concludes(clause: str) -> bool:
    """Whether a clause says what follows from the one before it.

    >>> concludes("so I can't tell what it costs."), concludes("but I can't tell what it costs.")
    (True, False)
    """
    return _CONCLUSION.match(_plain(clause)) is not None


def advises(clause: str) -> bool:
    """Whether a clause only says what to do about a missing answer.

    >>> advises("so please contact the dealer."), advises("so it costs 90 euros.")
    (True, False)
    """
    return _ADVICE.search(_plain(clause)) is not None


def refers(statement: str, *, addresses: bool = False) -> bool:
    """Whether a statement only says whom to ask instead, or offers more help, as many do behind a refusal.

    One that holds an address or a number says more, for somebody may have made it up; `addresses` and numbers to
    call alone do not, where that is asked.

    >>> refers("I recommend contacting HR directly."), refers("You can reach support at 0800 55 44.")
    (True, False)
    """
    plain = _plain(statement[:_LONGEST_SENTENCE])
    rest = _CONTACT.sub(" ", plain) if addresses else plain
    return _ADDRESS.search(rest) is None and _REFERRAL.search(plain) is not None


def prefaces(statement: str) -> bool:
    """Whether a statement only says what was asked, looked through or is spoken of there, as many do before a refusal.

    >>> prefaces("The documents only describe the US plan."), prefaces("The documents say that it costs 90 euros.")
    (True, False)
    """
    return _prefacing().search(_plain(statement[:_LONGEST_SENTENCE])) is not None


def tells_what_is_covered(statement: str, refusal: str) -> str | None:
    """The language in which a statement right behind `refusal` only says what the sources are about instead.

    An insurance covers other things.

    >>> only = ("They only cover returns and fees.", "They cover returns.", "They only cover returns within 30 days.")
    >>> [tells_what_is_covered(one, "The sources don't say.") for one in only]
    ['en', None, None]
    >>> tells_what_is_covered("It only covers fire.", "The policy doesn't mention theft.")
    """
    plain = _plain(statement[:_LONGEST_SENTENCE])
    for language in ("en", "de"):
        if _covering(language).fullmatch(plain):
            return None if _covering("subjects").search(_plain(refusal)) else language
    return None


@cache
def _covering(name: str) -> re.Pattern[str]:
    """Made when an answer first states something behind a refusal."""
    return re.compile(_spelt_out(_DATA["behind"][name]))


@cache
def _prefacing() -> re.Pattern[str]:
    """Made when an answer first refuses behind another statement."""
    return any_of([_spelt_out(pattern) for pattern in _DATA["prefaces"]])


def _plain(text: str) -> str:
    return text.replace("\u2019", "'").lower()
