"""Yearly: what a claim says that something costs in a year, worked out beside the price for a month.

"€4.90 a month (€58.80 a year)" or "€58.80 a year (12 x €4.90)". Nothing shows so much about a wrong claim as a number
that stands nowhere, so this one is let pass only where a plain sentence tells that price alone, in the claim's words,
and no second sentence tells the same sum.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isclose

from ragvigil.scorer.checks.alignment.reckoning import DATA, one_of
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.expressions import CURRENCIES, Expression, expressions
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.segments import Segment
from ragvigil.scorer.checks.reading.words import Word, stems_of, words
from ragvigil.scorer.choices import longest_first

_SUM = "sum"
_MONTHS = 12
_MOST_SENTENCES = 50
"""With a number of the claim, that are looked through."""
_NAME = rf"(?:\s?(?:{longest_first(CURRENCIES)}))?"
"""Of a currency, behind its number."""
_PER = rf"{_NAME}\s?(?:/\s?|(?:an?|per|each|every|im|pro|je|por|al|ao|cada|par|ogni|na|za|w)\s)"
_A_MONTH = re.compile(rf"{_PER}(?:month|monat|mes|mês|mois|mese|maand|miesiąc)\b", re.IGNORECASE)
_A_YEAR = re.compile(rf"{_PER}(?:year|jahr|año|ano|an|anno|jaar|rok)\b", re.IGNORECASE)
_OPENS = re.compile(rf"(?:\s?[(]\s?|,?\s{one_of('that_is')},?\s)(?:R(?=\$))?")
_TIMES = re.compile(r"\s?[(]\s?12\s?[\u00d7x*\u00b7]\s?(?:R(?=\$))?", re.IGNORECASE)
_CLOSES = re.compile(rf"{_NAME}\s?[)]", re.IGNORECASE)
_JOINED = re.compile(
    r"[,;:(\u2013\u2014]\s|\s(?:and|or|but|while|if|und|oder|aber|wenn|y|o|pero|si|e|ou|mas|se|et|mais|ma|en|of|maar|i|lub|ale)\s",
    re.IGNORECASE,
)
"""What joins a second statement, of which the price may be."""
COSTING = frozenset(
    word.stem
    for word in words(
        "cost costs pay pays price fee month monthly year yearly kostet kosten zahlen monat jahr cuesta cuestan mes "
        "año custa custam mês ano coûte coûtent mois an costa costano mese anno kost kosten maand jaar kosztuje "
        "miesiąc rok euro euros dollar dollars pounds reais r a an per each every im pro je por al ao cada "
        "par ogni na za w x"
    )
)
"""Words that a claim may say of any price."""
_JOINING = stems_of(DATA["that_is"])


def yearly_prices(claim: Sequence[Word], text: str, evidence: Evidence) -> Iterator[Span]:
    """Where `text`, whose words are `claim`, tells a year's price that is worked out, and how often the month's.

    >>> from ragvigil.scorer.trace import Document
    >>> account = Evidence([Document("a", "Basic costs €4.90 a month.")])
    >>> texts = ("Basic costs €4.90 a month (€58.80 a year).", "Plus costs €4.90 a month (€58.80 a year).")
    >>> [list(yearly_prices(words(text), text, account)) for text in texts]
    [[(27, 33)], []]
    """
    if not _A_YEAR.search(text):
        return  # as nearly always
    sums = [one for one in expressions(text, (_SUM,)) if _amounts(one)]
    if len(sums) != 2 or denies(claim):
        return
    for monthly, yearly, spans in _worked_out(text, *sums):
        if _is_twelve_times(monthly, yearly) and _tells_it(claim, monthly, evidence):
            yield from spans


def _worked_out(
    text: str, one: Expression, other: Expression
) -> Iterator[tuple[Expression, Expression, tuple[Span, ...]]]:
    """The price for a month, that for a year, and where what is worked out stands."""
    month = _A_MONTH.match(text, one.end)
    opened = _OPENS.match(text, month.end()) if month else None
    told = _A_YEAR.match(text, other.end)
    if opened and opened.end() == other.start and told and _ends(text, told.end(), opened):
        yield one, other, ((other.start, other.end),)
    year = _A_YEAR.match(text, one.end)
    times = _TIMES.match(text, year.end()) if year else None
    if times and times.end() == other.start and _CLOSES.match(text, other.end):
        yield other, one, ((one.start, one.end), times.span())


def _ends(text: str, end: int, opened: re.Match[str]) -> bool:
    """Whether what was `opened` ends at `end`: a parenthesis, or the whole claim."""
    return text.startswith(")", end) if "(" in opened[0] else not text[end:].strip(" .!")


def _amounts(told: Expression) -> dict[str, float]:
    return {
        kind: amount for kind, amount in told.meanings if kind.startswith(_SUM) and isinstance(amount, float)
    }


def _is_twelve_times(monthly: Expression, yearly: Expression) -> bool:
    one, other = _amounts(monthly), _amounts(yearly)
    return one.keys() == other.keys() and all(
        isclose(_MONTHS * amount, other[kind], rel_tol=1e-9) for kind, amount in one.items()
    )


def _tells_it(claim: Sequence[Word], monthly: Expression, evidence: Evidence) -> bool:
    """Whether one sentence alone tells `monthly`, and says nothing but that, of what `claim` speaks of."""
    numbers = {value for word in claim for value in word.numbers}
    places = {place for number in numbers for place in evidence.places.get(number, ())}
    if len(places) > _MOST_SENTENCES:
        return False
    told = [evidence.segments[place] for place in sorted(places)]
    having = [one for one in told if any(_amounts(sum_) == _amounts(monthly) for sum_ in _sums(one))]
    return len(having) == 1 and _is_plain(having[0]) and _is_said_by(having[0], claim)


def _sums(segment: Segment) -> list[Expression]:
    return [one for one in expressions(segment.sentence, (_SUM,)) if _amounts(one)]


def _is_plain(segment: Segment) -> bool:
    """Whether the sentence tells one price, that of a month, and ends with it: not so for the first half year."""
    said, sums = segment.sentence, _sums(segment)
    month = _A_MONTH.match(said, sums[0].end) if len(sums) == 1 else None
    if month is None or segment.negated:
        return False
    return not said[month.end() :].strip(" .!") and not _JOINED.search(said)


def _is_said_by(segment: Segment, claim: Sequence[Word]) -> bool:
    """Whether sentence and claim have the same words, but for those of any price: "up to" and "members" count."""
    mine, theirs = _telling(claim), _telling(segment.words)
    return bool(mine) and mine == theirs


def _telling(sequence: Sequence[Word]) -> set[str]:
    return {word.stem for word in sequence if not word.numbers and word.stem not in COSTING | _JOINING}
