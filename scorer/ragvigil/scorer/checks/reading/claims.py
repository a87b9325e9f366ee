"""Claims: the atomic statements of an answer, with their exact places, and which of them need evidence."""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from ragvigil.scorer.checks.reading.clauses import clauses
from ragvigil.scorer.checks.reading.courtesy import (
    CAPITALISED,
    POINTING,
    answered,
    courteous,
    greeting,
    signature,
)
from ragvigil.scorer.checks.reading.headings import (
    STEPS,
    STRESS,
    after_number,
    is_heading,
    is_stressed_sentence,
)
from ragvigil.scorer.checks.reading.lexicon import LEXICON
from ragvigil.scorer.checks.reading.markup import Span, blank, fenced, untagged
from ragvigil.scorer.checks.reading.pleasantries import (
    advises_to_ask,
    begins_politely,
    confirms_nothing,
    ends_politely,
    only_apologises,
)
from ragvigil.scorer.checks.reading.refusal import (
    Wording,
    advises,
    concludes,
    may_refuse,
    parts,
    refers,
    refuses,
    tells_of_a_work,
    tells_what_is_covered,
)
from ragvigil.scorer.checks.reading.sentences import sentences, trim
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, POINTER_STEMS, Word, known_words, words

Kind = Literal["claim", "heading", "question", "refusal", "phrase"]

_PREFIX = re.compile(
    r"(?:[-*+•▪◦‣>|]{1,3}[ \t]+|\d{1,3}[.)][ \t]+|\(?[a-z][.)][ \t]+|\||"
    rf"(?:{STEPS})[ \t]\d{{1,3}}[.:)][ \t]+)+",
    re.IGNORECASE,
)
_LIST_NUMBER = re.compile(r"[(]?(?:\d{1,2}|[a-zA-Z])[.)]")
_TABLE_RULE = re.compile(r"^[ \t]{0,8}\|?[ \t:]{0,8}-[ \t:|-]*$", re.MULTILINE)
_QUESTION = ("?", "\uff1f", "؟")
_SHORT = 4
MOST_SENTENCES = 20_000
"""Of one answer, that are read: those of a megabyte of prose; lists of numbers have more, and nobody's claims."""
_FEWEST_BESIDE_ONE = 2
"""Statements of an answer of which one may be a pleasantry."""
_MOST_AT_THE_BEGINNING = 4
"""Statements, polite ones all, that may stand before the answer."""
_MOST_GREETINGS = 2
"""Sentences at the beginning that may greet."""


class Statement(NamedTuple):
    """One stretch of an answer that says one thing."""

    start: int
    end: int
    kind: Kind
    text: str
    """As it stands, citations blanked out."""
    words: tuple[Word, ...]
    """Those of `text`."""

    @property
    def checkworthy(self) -> bool:
        """Whether it needs evidence; a greeting, a question, a refusal, a heading does not."""
        return self.kind == "claim"


def read_statements(answer: str, hidden: list[Span]) -> tuple[Statement, ...]:
    """The statements of `answer` in order; `hidden` (citations, definitions) and fenced code are not read.

    Nor is what follows the first `MOST_SENTENCES` sentences.

    >>> answer = "## Opening\\nThe shop opens at 9 [1], but it closes on Sundays. Anything else?"
    >>> [(answer[s.start:s.end], s.kind) for s in read_statements(answer, [(31, 34)])]  # doctest: +NORMALIZE_WHITESPACE
    [('## Opening', 'heading'), ('The shop opens at 9', 'claim'), ('but it closes on Sundays.', 'claim'),
     ('Anything else?', 'question')]
    """
    prose = untagged(blank(answer, [*hidden, *fenced(answer)]))
    wary = may_refuse(prose)
    found = _without_pleasantries(tuple(_statements(prose, wary, sorted([start for start, _ in hidden]))))
    if wary and any(one.kind == "refusal" for one in found):
        found = tuple(map(_going_on, found, [*found[1:], None]))
        if any(one.kind == "refusal" for one in found):
            return tuple(map(_only_referring, found, [None, *found[:-1]]))
    return found


def _greeted(prose: str, start: int, end: int, number: int) -> int:
    """Where a greeting ends that opens the sentence of this number, or a yes or no; its `start` where neither does."""
    greeted = greeting(prose, start, end) if number < _MOST_GREETINGS else start
    return greeted if greeted > start else answered(prose, start, end)


def _statements(prose: str, wary: tuple[Wording, ...], marked: Sequence[int]) -> Iterator[Statement]:
    """Those of `prose`; `marked` is where citations begin, ascending."""
    headers = deque(_table_headers(prose))
    spans = sentences(prose, MOST_SENTENCES)
    whole = len(prose.rstrip())
    signed = signature(prose, spans)
    for number, (start, end) in enumerate(spans):
        while headers and headers[0][1] <= start:
            headers.popleft()
        header = bool(headers) and headers[0][0] <= start
        listed = end - start <= _SHORT and _LIST_NUMBER.fullmatch(prose, start, end) and end < whole
        start = _after_prefix(prose, start, end)
        greeted = end if start >= signed else _greeted(prose, start, end, number)
        if greeted > start:
            said = prose[start:greeted]
            yield Statement(start, greeted, "phrase", said, tuple(words(said)))
            start = trim(prose, greeted, end)[0]
        if start >= end:
            continue
        if wary and refuses(prose[start:end], wary):
            yield from _refusing(prose, start, end)
            continue
        plain: Kind | None = "heading" if header else "phrase" if listed else None
        for first, last in clauses(prose, start, end):
            text = prose[first:last]
            sequence = known_words(text)
            if sequence:
                kind = plain or _kind_of_clause(text, sequence, first, marked)
                numbered = after_number(text) if kind == "claim" and text[0] in STRESS else 0
                if numbered:
                    text = text[numbered:]
                    sequence = known_words(text)
                yield Statement(first + numbered, last, kind, text, sequence)


def _kind_of_clause(text: str, sequence: tuple[Word, ...], start: int, marked: Sequence[int]) -> Kind:
    """What a clause is; one that looks like a heading is a claim where it is a sentence with a citation."""
    kind = _kind(text, sequence)
    return "claim" if kind == "heading" and _is_cited_sentence(text, sequence, start, marked) else kind


def _is_cited_sentence(text: str, sequence: Sequence[Word], start: int, marked: Sequence[int]) -> bool:
    """Whether a stressed statement is a sentence with a citation in it or right behind it."""
    if not marked or not is_stressed_sentence(text, sequence):
        return False
    place = bisect_left(marked, start)
    return place < len(marked) and marked[place] <= start + len(text) + 1


def _without_pleasantries(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """`statements`, where a pleasantry that begins or ends them is no claim; but alone "No problem!" answers yes.

    An apology is none alone, either.
    """
    if len(statements) < _FEWEST_BESIDE_ONE:
        return tuple(
            one._replace(kind="phrase") if one.kind == "claim" and only_apologises(one.text) else one
            for one in statements
        )
    last, polite = len(statements) - 1, set[int]()
    for place, one in enumerate(statements[: min(last, _MOST_AT_THE_BEGINNING)]):
        if begins_politely(one.text):
            polite.add(place)
        elif one.kind != "phrase":
            break
    if ends_politely(statements[last].text) or advises_to_ask(statements[last].text):
        polite.add(last)
    if not polite or not any(
        one.kind in ("claim", "refusal") for place, one in enumerate(statements) if place not in polite
    ):
        return statements  # as mostly
    return tuple(
        one._replace(kind="phrase") if place in polite and one.kind == "claim" else one
        for place, one in enumerate(statements)
    )


def _going_on(statement: Statement, following: Statement | None) -> Statement:
    """A statement as it is with what follows: what a report does not say is a fact where the answer goes on."""
    if (
        statement.kind == "refusal"
        and following is not None
        and following.kind == "claim"
        and statement.text.endswith(".")
        and not refers(following.text)
        and tells_of_a_work(statement.text, following.text)
    ):
        return statement._replace(kind="claim")
    return statement


def _only_referring(statement: Statement, before: Statement | None) -> Statement:
    """A statement of an answer that refuses: whom to ask instead is no claim, nor that nothing can be confirmed, nor
    what the sources are about right behind the refusal."""
    if statement.kind != "claim":
        return statement
    covers = before is not None and before.kind == "refusal" and _covers(statement, before)
    if covers or refers(statement.text) or confirms_nothing(statement.text):
        return statement._replace(kind="phrase")
    return statement


def _covers(statement: Statement, refusal: Statement) -> bool:
    """Whether it only does, and names nothing that the answer may have made up; German capitals name nothing."""
    language = tells_what_is_covered(statement.text, refusal.text)
    return language == "de" or (language is not None and not _specific(statement.words))


def _table_headers(prose: str) -> list[Span]:
    """Header rows of markdown tables: the lines above a rule."""
    if "|" not in prose or "-" not in prose:
        return []
    rules = [match.start() for match in _TABLE_RULE.finditer(prose)]
    lines = [(prose.rfind("\n", 0, max(0, rule - 1)) + 1, rule) for rule in rules]
    return [(first, last) for first, last in lines if "|" in prose[first:last]]


def _refusing(prose: str, start: int, end: int) -> Iterator[Statement]:
    """The clauses of a sentence that refuses; what a clause states beside the refusal is a claim all the same."""
    read = [(span, tuple(words(prose[span[0] : span[1]]))) for span in parts(prose, start, end)]
    refusing = [refuses(prose[first:last]) is not None for (first, last), _ in read]
    following = [
        refused and concludes(prose[first:last])
        for ((first, last), _), refused in zip(read, refusing, strict=True)
    ]
    whole = [not any(refusing) or concluded for concluded in (*following[1:], False)]
    runs = itertools.groupby(
        zip(read, refusing, whole, strict=True),
        lambda one: _refuses_too(prose, *one[0], refusing=one[1], whole=one[2]),
    )
    for part_of_refusal, run in runs:
        spans = [span for (span, _), _, _ in run]
        for first, last in [(spans[0][0], spans[-1][1])] if part_of_refusal else spans:
            sequence = tuple(words(prose[first:last]))
            if sequence:
                kind = "refusal" if part_of_refusal else _kind(prose[first:last], sequence)
                yield Statement(first, last, kind, prose[first:last], sequence)


def _refuses_too(prose: str, span: Span, sequence: tuple[Word, ...], *, refusing: bool, whole: bool) -> bool:
    """Whether a clause of a refusing sentence adds nothing to the refusal; `whole`: no clause refuses by itself, or
    the next one refuses because of this one."""
    if refusing:
        return True
    if any(word.numbers for word in sequence[1:]):
        return False
    if advises(prose[span[0] : span[1]]):
        return True
    if _specific(sequence):
        return False
    return whole or len(sequence) <= _SHORT or any(word.stem in FRAME_STEMS for word in sequence)


def _after_prefix(prose: str, start: int, end: int) -> int:
    prefix = _PREFIX.match(prose, start, end)
    return trim(prose, prefix.end(), end)[0] if prefix and prefix.end() < end else start


def _kind(text: str, sequence: tuple[Word, ...]) -> Kind:
    if text.endswith(_QUESTION):
        return "claim" if _asserts(text, _content(sequence)) else "question"
    if is_heading(text, sequence):
        return "heading"
    plain = text.strip(STRESS) if text[0] in STRESS else text
    if _says_nothing(sequence) or courteous(plain, lambda: _specific(_naming(_content(sequence)))):
        return "phrase"
    return "claim"


def _content(sequence: tuple[Word, ...]) -> list[Word]:
    return [word for word in sequence if word.content and word.stem not in FRAME_STEMS]


def _naming(content: list[Word]) -> list[Word]:
    """`content` without words that courtesies capitalise; the first word stays, which says nothing by its capital."""
    return [*content[:1], *(word for word in content[1:] if word.stem not in CAPITALISED)]


def _says_nothing(sequence: tuple[Word, ...]) -> bool:
    """Whether no word carries meaning, or only numbers of passages, as in "passages 1 and 2", or points at a source."""
    for word in sequence:
        if word.content and not word.numbers and word.stem not in _IDLE:
            return False  # as nearly always, after a word or two
    numbered = any(word.content and word.numbers for word in sequence)
    return not numbered or any(word.stem in POINTER_STEMS for word in sequence)


def _asserts(text: str, content: list[Word]) -> bool:
    """Whether a question holds a fact of its own: a number or a name, unless it offers or asks for something."""
    if _OFFER.match(text) or not _specific(content):
        return False
    return any(word.numbers for word in content) or not _ASKING.match(text)


def _specific(content: Sequence[Word]) -> bool:
    return any(word.numbers or (word.name and word.content) for word in content[1:])


def _opening(entries: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(
        rf"[¿\s]*(?:{'|'.join(re.escape(one.lstrip('¿')) for one in entries)})\b", re.IGNORECASE
    )


_IDLE = FRAME_STEMS | POINTING
_OFFER, _ASKING = _opening(LEXICON.offers), _opening(LEXICON.asking)
