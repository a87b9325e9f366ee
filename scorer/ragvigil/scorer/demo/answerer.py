"""The example service's answers: sentences taken from the retrieved passages, each with its citation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragvigil.scorer.demo.prose import is_readable, sentences
from ragvigil.scorer.demo.retrieval import Hit, terms

ABSTENTION = "I cannot find this in the documentation."

_ENOUGH_WORDS, _MOST_WORDS, _MOST_SENTENCES = 50, 90, 4
_RELEVANT = 0.4
"""Share of the best passage's BM25 score below which a passage has nothing to add."""
_COVERED = 0.5
"""Share of the question's terms that one passage must contain; below it the service abstains."""
_CITED = re.compile(r"(.+?)\s*\[([^\[\]\s]+)\]([.!?]?)\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of an answer."""

    text: str
    citation: str | None
    """Id of the passage that it claims to rest on."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, sentence by sentence."""

    statements: tuple[Statement, ...]

    @property
    def text(self) -> str:
        """The answer as a reader sees it, with ``[id#chunk]`` after each sentence.

        >>> Answer((Statement("len: Return the number of items.", "len#0"),)).text
        'len: Return the number of items. [len#0]'
        """
        return " ".join(
            statement.text + (f" [{statement.citation}]" if statement.citation else "")
            for statement in self.statements
        )

    @property
    def citations(self) -> tuple[str, ...]:
        """The cited ids, each once, in order of appearance."""
        return tuple(dict.fromkeys(statement.citation for statement in self.statements if statement.citation))


def compose(question: str, hits: Sequence[Hit]) -> Answer:
    """The retrieved sentences, at most four, that fit `question` best; an abstention where none does."""
    wanted = set(terms(question))
    if not _is_covered(wanted, hits):
        return Answer((Statement(ABSTENTION, None),))
    ranked = sorted(_candidates(wanted, hits), key=lambda candidate: -candidate[0])
    chosen: list[tuple[int, Statement]] = []
    words = 0
    for _, place, statement in ranked:
        length = len(statement.text.split())
        if words + length <= _MOST_WORDS and statement not in (other for _, other in chosen):
            chosen.append((place, statement))
            words += length
        if words >= _ENOUGH_WORDS or len(chosen) == _MOST_SENTENCES:
            break
    if not chosen:
        return Answer((Statement(ABSTENTION, None),))
    return Answer(tuple(statement for _, statement in sorted(chosen, key=lambda pair: pair[0])))


def read_answer(text: str) -> Answer:
    """The statements of an answer that somebody else wrote, with the citation that follows each.

    >>> read_answer("It counts. [len#0] It is quick.").statements[1]
    Statement(text='It is quick.', citation=None)
    """
    statements = [Statement(match[1].strip() + match[3], match[2]) for match in _CITED.finditer(text)]
    rest = _CITED.sub("", text).strip()
    return Answer((*statements, *([Statement(rest, None)] if rest else [])))


def _is_covered(wanted: set[str], hits: Sequence[Hit]) -> bool:
    found = [wanted.intersection(terms(hit.document.text)) for hit in hits]
    return bool(wanted) and max(map(len, found), default=0) >= _COVERED * len(wanted)


def _candidates(wanted: set[str], hits: Sequence[Hit]) -> Iterator[tuple[float, int, Statement]]:
    """Readable sentences as (fit, place, statement): fit adds up the passage's score, terms and position."""
    place = 0
    for hit in hits:
        share = hit.score / hits[0].score
        if share < _RELEVANT:
            continue
        for number, sentence in enumerate(sentences(hit.document.text)):
            place += 1
            if is_readable(sentence):
                overlap = len(wanted.intersection(terms(sentence))) / len(wanted)
                yield share + overlap + (number == 0), place, Statement(sentence, hit.document.id)
