"""Courtesy: greetings, wishes, closings, signatures and a bare yes or no, which state nothing that needs evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.words import UNSPACED, stems_of
from ragvigil.scorer.data import read_data

_DATA: Any = read_data("courtesies.json")
_LONGEST = 160
_MOST_SIGNING, _MOST_LINES = 8, 6
_ENDS = ",.!:;\uff0c\u3002\uff01\u3001\u060c\u0964"
_NAME = r"[^\W\d_]+(?:[-'\u2019][^\W\d_]+)*"
_TITLES = r"(?<=\b(?:Mr|Ms|Dr|Sr|Hr|Fr))|(?<=\b(?:Mrs|Sra|Dra))"


def _any_of(entries: Iterable[str]) -> str:
    """The longest first, so that none hides another; one that ends in a letter ends its word."""
    ranked = sorted(set(entries), key=lambda one: (-len(one), one))
    return "|".join(re.escape(one).replace("'", "['\u2019]?") for one in ranked)


_OPENER = re.compile(rf"(?:{_any_of(_DATA['openers'])})(?![^\W{UNSPACED}\uac00-\ud7af]|-)", re.IGNORECASE)
_WISH = re.compile(rf"(?:{_any_of(_DATA['wishes'])})\b", re.IGNORECASE)
_GREETS = rf"[*_]{{0,2}}(?:{_any_of(chain.from_iterable(_DATA['greetings'].values()))})(?![^\W\d_])"
_CALLING = re.compile(
    rf"{_GREETS}(?P<who>,[ ]{_NAME}(?:[ ]{_NAME}){{0,2}})[ ]?[!,][*_]{{0,2}}", re.IGNORECASE
)
"""A greeting with a comma before those greeted: Hello, Ana!"""
_GREETING = re.compile(
    rf"{_GREETS}(?P<who>(?:[ ,]{{1,2}}(?:{_NAME})(?:(?:{_TITLES})\.)?){{0,6}}?)"
    rf"(?:[{_ENDS}]+[*_]{{0,2}}|[ ]?\u2014|$)",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    rf"[*_]{{0,2}}(?:{_any_of(chain.from_iterable(_DATA['closings'].values()))})(?![^\W\d_])"
    rf"(?:[,.!\uff0c\u3002\uff01\u060c\u0964]+|[ ]?\u2014|\Z|(?=\n))[*_]{{0,2}}",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[-*+\u2022][ \t]")
_AROUND = f"{_ENDS} *_"
_MOST_ANSWERS = 4
_DIGIT = re.compile(r"\d")
_PART = re.compile(_NAME)
_GAP = r"[\s*_,|&\u2014]"
"""Between the names of a signature: nothing that a name may hold, or many names could be read in as many ways."""
_SIGNATURE = re.compile(
    rf"{_GAP}{{0,4}}{_NAME}\.?(?:{_GAP}{{1,4}}{_NAME}\.?){{0,{_MOST_SIGNING - 1}}}{_GAP}{{0,4}}"
)
_ADDRESSEES, _SIGNERS, _ANSWERS = (
    frozenset(map(str.casefold, _DATA[name])) for name in ("addressees", "signers", "answers")
)
_HEDGED = _ANSWERS.union(_DATA["hedges"])
_AUXILIARIES = frozenset(_DATA["auxiliaries"])
"""Words that repeat the question behind a yes or no: Yes, you can."""
POINTING = stems_of(_DATA["pointing"])
"""Stems of words that only point at a source: see, more details."""
CAPITALISED = stems_of(_DATA["capitalised"])
"""Stems of words that courtesies write with a capital letter though they name nothing: German *Sie*, *Fragen*."""
_ANSWERED = re.compile(
    rf"[*_]{{0,2}}((?>{_NAME}))[*_]{{0,2}}[ ]?(?:[,:;\uff0c]|[ ][\u2013\u2014-](?=[ ])|\u2014)[*_]{{0,2}}[ ]?"
)
_FEWEST_ANSWERED = 3
"""Words that must follow: less is a part of the answer."""
_BEGINNINGS = frozenset(
    first[0].casefold()
    for entry in chain(
        *_DATA["greetings"].values(),
        *_DATA["closings"].values(),
        *(_DATA[name] for name in ("openers", "wishes", "answers", "hedges")),
    )
    for first in [_PART.search(entry)]
    if first
)
"""The first word of everything that is looked for: few sentences begin so, and the others need not be looked at."""
_UNSPACED_BEGINNINGS = tuple(one for one in _BEGINNINGS if one >= "\u2e80")
"""Those of scripts that part no words, where it is only how one begins."""


def greeting(text: str, start: int, end: int) -> int:
    """Where `text` goes on after a greeting at `start`; `start` where there is none before `end`.

    Those greeted must be written with a capital letter or be known: customer, team.

    >>> "Dear Mr. Silva, it opens at nine."[greeting("Dear Mr. Silva, it opens at nine.", 0, 33):]
    ' it opens at nine.'
    >>> greeting("Hello World is a program, not a greeting.", 0, 40)
    0
    """
    for pattern in (_CALLING, _GREETING):
        found = pattern.match(text, start, end)
        if found and _are_names(found["who"], _ADDRESSEES):
            return found.end()
    return start


def signature(text: str, spans: Sequence[Span]) -> int:
    """Where a closing that only signatures follow begins in `text`, whose sentences are `spans`; its end if nowhere.

    >>> text = "It opens at nine. Best regards,\\nThe Acme Team"
    >>> text[signature(text, [(0, 17), (18, 31), (32, 45)]):]
    'Best regards,\\nThe Acme Team'
    """
    for start, end in reversed(spans[-_MOST_LINES:]):
        if end - start > _LONGEST:
            break
        if closes(text[start:end]):
            return start
        if _LISTED.match(text, start) or not _signs(text[start:end]):
            break
    return len(text)


def closes(sentence: str) -> bool:
    """Whether a sentence is a closing, alone or with who signs.

    >>> closes("Best regards, Ana"), closes("Sincerely, the shop opens at nine."), closes("Regards.")
    (True, False, True)
    """
    found = _CLOSING.match(sentence)
    return found is not None and (found.end() == len(sentence) or _signs(sentence[found.end() :]))


def courteous(text: str, specific: Callable[[], bool]) -> bool:
    """Whether a statement is only polite, or only answers yes or no.

    One that opens politely says more where it is `specific`, which is to say that it names or counts something.

    >>> courteous("Have a nice day, Ana!", lambda: True), courteous("Sure, Ana leads it.", lambda: True)
    (True, False)
    """
    if not may_be_courteous(text):
        return False
    if _OPENER.match(text) and not specific():
        return True
    wish = _WISH.match(text)
    if wish is not None and (not specific() or _are_names(text[wish.end() :], _ADDRESSEES)):
        return True
    return only_answers(text) or greeting(text, 0, len(text)) == len(text) or closes(text)


def may_be_courteous(text: str) -> bool:
    """Whether a statement is short and begins as a courtesy does: a quick first look.

    >>> may_be_courteous("Have a nice day!"), may_be_courteous("It opens at nine.")
    (True, False)
    """
    first = _PART.search(text) if len(text) <= _LONGEST else None
    if first is None:
        return False
    word = first[0].replace("\u2019", "'").casefold()
    return word in _BEGINNINGS or (word >= "\u2e80" and word.startswith(_UNSPACED_BEGINNINGS))


def answered(text: str, start: int, end: int) -> int:
    """Where `text` goes on after a yes or no at `start` that a sentence follows; `start` where there is none.

    >>> "No, it opens at nine."[answered("No, it opens at nine.", 0, 21):], answered("No dogs, no cats at all.", 0, 24)
    ('it opens at nine.', 0)
    """
    found = _ANSWERED.match(text, start, end)
    if found is None or found[1].casefold() not in _ANSWERS or only_answers(text[start:end]):
        return start
    return found.end() if len(_PART.findall(text, found.end(), end)) >= _FEWEST_ANSWERED else start


def only_answers(text: str) -> bool:
    """Whether there are only words that answer yes or no.

    >>> only_answers("Yes."), only_answers("是的。"), only_answers("Leider nicht."), only_answers("Yes, it opens.")
    (True, True, True, False)
    >>> only_answers("Yes, you can!"), only_answers("No, that's not possible."), only_answers("You can.")
    (True, True, False)
    """
    if text.strip(_AROUND).casefold() in _ANSWERS:
        return True
    parts, known = 0, _HEDGED
    for part in _PART.finditer(text):  # mostly the first or the second word already says more
        word = part[0].replace("\u2019", "'").casefold()
        if parts == _MOST_ANSWERS or word not in known:
            return False
        known = _HEDGED | _AUXILIARIES if not parts and word in _ANSWERS else known
        parts += 1
    return parts > 0 and not _DIGIT.search(text)


def _signs(line: str) -> bool:
    return len(line) <= _LONGEST and bool(_SIGNATURE.fullmatch(line)) and _are_names(line, _SIGNERS)


def _are_names(text: str, known: frozenset[str]) -> bool:
    """Whether there is no digit and every word begins with a capital letter, has no case, or is known."""
    return not _DIGIT.search(text) and all(
        part.casefold() in known or not part[0].islower() for part in _PART.findall(text)
    )
