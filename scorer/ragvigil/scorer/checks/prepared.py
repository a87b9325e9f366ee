"""A record as the checks see it: read once, lazily, and shared by all of them."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Self

from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS, Answered, Assessment, assess
from ragvigil.scorer.checks.alignment.model import Model, load
from ragvigil.scorer.checks.alignment.recent import CITED, READ, RECENT, TOLD
from ragvigil.scorer.checks.reading.attribution import attribute
from ragvigil.scorer.checks.reading.beside import beside
from ragvigil.scorer.checks.reading.budget import UNLIMITED, Budget
from ragvigil.scorer.checks.reading.citations import Citation, definitions, read_citations
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.checks.reading.claims import Statement, read_statements
from ragvigil.scorer.checks.reading.conflicts import Conflict, conflict_in
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.headings import COLONS
from ragvigil.scorer.checks.reading.instructions import TRIGGERS
from ragvigil.scorer.checks.reading.language import (
    code_of,
    in_another_script,
    language_of,
    may_be,
    same,
)
from ragvigil.scorer.checks.reading.leading_in import asks_what_is_missing, introduces
from ragvigil.scorer.checks.reading.markup import Span, blank, fenced, inline_code, plain_lines
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.question import key_stems
from ragvigil.scorer.checks.reading.refusal import prefaces, refers
from ragvigil.scorer.checks.reading.restating import restated
from ragvigil.scorer.checks.reading.short_answers import answers_so
from ragvigil.scorer.checks.reading.structured import unstructured
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, is_unparted, things_of, words
from ragvigil.scorer.lazily import made_once
from ragvigil.scorer.trace import RagTrace, input_hash

DEFAULT_MODEL = "lexical-1"
"""Coefficients that the checks on every record use."""
CROSS_LINGUAL = "not_scoreable: cross-lingual"
"""Reason where texts of two languages would have to be compared word by word."""
UNPARTED = "not_scoreable: words cannot be told apart in Thai, Lao, Khmer or Burmese text"
"""Reason where one would have to be compared, or its words counted."""
_LONGEST_QUESTION = 4000
_OPENING = 400
_MOST_OPENINGS = 20
_ENOUGH_IN_COMMON = 0.6


class Apart:
    """How long it took to read what all checks share: no check's own time. Within one reading another may begin."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """By the clock on the wall, so far."""
        self._depth = 0
        self._begun = 0.0

    def __enter__(self) -> None:
        if not self._depth:
            self._begun = time.perf_counter()
        self._depth += 1

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if not self._depth:
            self.seconds += time.perf_counter() - self._begun


class Prepared:
    """One record with everything that is read from its texts."""

    def __init__(
        self,
        record: RagTrace,
        model: Model | None = None,
        *,
        most_claims: int | None = MOST_CLAIMS,
        rules: Rules = EVERYTHING,
        budget: Budget = UNLIMITED,
        own: re.Pattern[str] | None = None,
    ) -> None:
        """Of more than `most_claims` an evenly spread sample is compared; None: all of them.

        `own` is what the service may say of itself: an address in it is no leak.
        """
        self.apart = Apart()
        self.rules = rules
        self.budget = budget
        self.own = own
        self._most_claims = most_claims
        self.record = record
        self.answer = plain_lines(unstructured(record.answer or ""))
        self._model = model or load(DEFAULT_MODEL)

    @made_once
    def citations(self) -> tuple[Citation, ...]:
        """Markers of the answer, resolved against the retrieved passages."""
        with self.apart:
            return CITED.recall(
                (self._content, _about(self.record), self.rules),
                lambda: read_citations(self.answer, self.record.documents, self.rules),
            )

    @made_once
    def statements(self) -> tuple[Statement, ...]:
        """What the answer says, piece by piece, citations left out."""
        with self.apart:
            hidden = [*self._markers, *definitions(self.answer)]
            found = READ.recall((self.answer, tuple(hidden)), lambda: read_statements(self.answer, hidden))
            if len(found) == 1 and found[0].kind == "refusal" and self._answered_so(found[0].text):
                return (found[0]._replace(kind="claim"),)
            texts = [document.text for document in self.record.documents if document.text]
            pairs = zip(found, (None, *found), strict=False)
            return tuple([beside(one, before, self.asked, texts) for one, before in pairs])

    @made_once
    def _markers(self) -> tuple[Span, ...]:
        """Where the citations stand: as far as the rules decide what is a claim, they do so by that."""
        return tuple([citation.span for citation in self.citations])

    def _answered_so(self, refusal: str) -> bool:
        """Whether the few words that are all of the answer are those of a passage about what was asked."""
        texts = [document.text for document in self.record.documents if document.text]
        return answers_so(refusal, self.key_terms.keys(), texts)

    @made_once
    def stems(self) -> tuple[tuple[str, ...], ...]:
        """Of the words of each statement, in order."""
        return tuple([tuple([word.stem for word in statement.words]) for statement in self.statements])

    @made_once
    def told(self) -> Sequence[Statement]:
        """The statements, measures and dates in the words of the passages where these say the same in another way."""
        with self.apart:
            return TOLD.recall(
                (self._content, _about(self.record), self._markers),
                lambda: restated(self.statements, [one.text for one in self.record.documents if one.text]),
            )

    @made_once
    def attribution(self) -> Mapping[int, tuple[Citation, ...]]:
        """The citations of each statement, by its place in `statements`."""
        return attribute(self.answer, self.statements, self.citations)

    @made_once
    def leads(self) -> frozenset[int]:
        """The places of claims that lead to a list and owe no citation, for its first item carries one."""
        return frozenset(
            [
                place
                for place, one in enumerate(self.statements)
                if one.text.removesuffix("**").endswith(COLONS)
                and one.checkworthy
                and place not in self.attribution
                and place + 1 in self.attribution
            ]
        )

    @made_once
    def prose(self) -> str:
        """The answer without code and citations, every offset as it was."""
        hidden = [*fenced(self.answer), *inline_code(self.answer), *(one.span for one in self.citations)]
        return blank(self.answer, hidden)

    @made_once
    def bears_claims(self) -> bool:
        """Whether any statement needs evidence."""
        return any(statement.checkworthy for statement in self.statements)

    @made_once
    def refuses(self) -> bool:
        """Whether any sentence says that there is no answer."""
        return any(statement.kind == "refusal" for statement in self.statements)

    @made_once
    def abstains(self) -> bool:
        """Whether a refusal comes before any claim; one that comes after an answer only says what that leaves out."""
        if not self.refuses:
            return False
        saying = [one for one in self.statements if one.kind in ("claim", "refusal")]
        first = next(place for place, one in enumerate(saying) if one.kind == "refusal")
        refusal = saying[first].text
        if self.asked and asks_what_is_missing(self.asked, refusal):
            return False
        return all(
            prefaces(one.text) or (self.asked and introduces(one.text, refusal, self.asked))
            for one in saying[:first]
        )

    @made_once
    def owes_citations(self) -> bool:
        """Whether any claim should cite; whom to ask instead, behind a refusal, stands on no passage in particular."""
        return any(
            one.checkworthy and not (self.abstains and refers(one.text, addresses=True))
            for one in self.statements
        )

    @made_once
    def nothing_retrieved(self) -> bool:
        """Whether retrieval is known to have found nothing, so that no claim can rest on it."""
        record = self.record
        return (
            record.completeness in ("complete", "timed_out")
            and record.retrieved
            and not record.documents
            and not any(retrieval.ids for retrieval in record.retrievals)
        )

    @made_once
    def has_evidence(self) -> bool:
        """Whether any passage has a text."""
        return any(document.text for document in self.record.documents)

    @made_once
    def evidence(self) -> Evidence:
        """The passages, indexed by the words of the answer, the key terms of the question and what injects."""
        with self.apart:
            stems = {*chain.from_iterable(self.stems)}
            if self.told is not self.statements:
                stems |= {word.stem for statement in self.told for word in statement.words}
            return Evidence(self.record.documents, stems | self.key_terms.keys() | TRIGGERS)

    @property
    def asked(self) -> str:
        """The question as it was asked, of which no more is read."""
        return (self.record.query or "")[:_LONGEST_QUESTION]

    @made_once
    def question(self) -> tuple[Word, ...]:
        """The words of the question, its first 4,000 characters."""
        return tuple(words(self.asked))

    @made_once
    def key_terms(self) -> Mapping[str, float]:
        """The stems that say what the question is about, each with how telling it is."""
        weights = self._model.weights
        return {stem: weights.known.get(stem, weights.unknown) for stem in key_stems(self.asked)}

    @made_once
    def relevance(self) -> tuple[float, ...]:
        """For each passage the weighted share of the question's key terms that it holds, in [0, 1]."""
        found = [0.0] * len(self.record.documents)
        for stem, weight in self.key_terms.items():
            for passage in self.evidence.passages_of(stem):
                found[passage] += weight
        total = sum(self.key_terms.values()) or 1.0
        return tuple(one / total for one in found)

    @made_once
    def used(self) -> frozenset[str]:
        """The passages that carry a supported claim, or a part of one."""
        return frozenset(name for claim in self.assessment.claims for name in claim.supported_by)

    @made_once
    def conflict(self) -> Conflict | None:
        """Two passages that contradict each other about what was asked; None where none do."""
        return conflict_in(self.evidence, self.key_terms)

    @made_once
    def word_count(self) -> int:
        """Words of the answer, citations and code left out."""
        return sum([len(statement.words) for statement in self.statements])

    @made_once
    def names(self) -> tuple[str, ...]:
        """The name of each passage, in order."""
        return tuple(map(name_of, self.record.documents))

    @made_once
    def language(self) -> str | None:
        """Of the answer; None where it cannot be told."""
        return language_of(self.prose)

    @made_once
    def question_language(self) -> str | None:
        """The one that the record names, else that of the question; None where it cannot be told."""
        return code_of(self.record.segment.get("language") or "") or self._language_of_the_question

    @made_once
    def cross_lingual(self) -> bool:
        """Whether no passage is in the answer's language, and too few of its words stand in them all the same."""
        if "evidence" in vars(self) and self._in_common:
            return False  # as nearly always; where the evidence must be read first, a language is told sooner
        return self.language is not None and self._foreign(self.language) and not self._in_common

    @made_once
    def unparted(self) -> bool:
        """Whether the words of any claim cannot be told apart."""
        return is_unparted(self.answer, some=True) and any(
            one.checkworthy and is_unparted(one.text) for one in self.statements
        )

    @made_once
    def incomparable(self) -> str | None:
        """Why the claims cannot be compared with the passages word by word; None where they can."""
        return UNPARTED if self.unparted else CROSS_LINGUAL if self.cross_lingual else None

    @made_once
    def asked_incomparably(self) -> str | None:
        """The same of the question."""
        if is_unparted(self.asked):
            return UNPARTED
        return CROSS_LINGUAL if self.asked_in_another_language else None

    @made_once
    def _in_common(self) -> bool:
        """Whether enough of the answer's words stand in the passages, whatever its language."""
        said = things_of(chain.from_iterable(one.words for one in self.statements)) - FRAME_STEMS
        return len(said & self.evidence.places.keys()) >= _ENOUGH_IN_COMMON * len(said)

    @made_once
    def asked_in_another_language(self) -> bool:
        """Whether no passage is in the question's language."""
        language = self._language_of_the_question
        return language is not None and self._foreign(language)

    @made_once
    def _language_of_the_question(self) -> str | None:
        return language_of(self.record.query or "")

    @made_once
    def _content(self) -> str:
        return input_hash(self.record)

    @made_once
    def _openings(self) -> tuple[str, ...]:
        texts = [document.text for document in self.record.documents if document.text]
        return tuple(text[:_OPENING] for text in texts[:_MOST_OPENINGS])

    def _foreign(self, language: str) -> bool:
        """Whether a passage is surely in another language than that, and none is in it; others may be in any."""
        found = False
        for text in self._openings:
            other = None if text[:1] in "{[" else language_of(text)
            if other is not None and (same(other, language) or may_be(text, other, language)):
                return False
            found = found or other is not None or in_another_script(text, language)
        return found

    @made_once
    def assessment(self) -> Assessment:
        """Every claim on the evidence; made once for all who ask about the same content."""
        with self.apart:
            return RECENT.recall(self._asked_about, self._assess)

    @made_once
    def _asked_about(self) -> tuple[str, str, int | None, tuple[Span, ...]]:
        """Under what an assessment is kept."""
        return self._content, self._model.name, self._most_claims, self._markers

    def _assess(self) -> Assessment:
        return assess([self._answered], self._model, most_claims=self._most_claims)[0]

    @property
    def _answered(self) -> Answered:
        question = {one for word in self.question for one in (word.stem, *word.numbers[:1])}
        return Answered(self.answer, self.told, self.evidence, question)

    @classmethod
    def assess_ahead(cls, records: Sequence[Self]) -> None:
        """Assess records of one model at once, which takes less time; each finds its own assessment among what is kept.

        Those are left out that no check compares with passages, and those that say what another one says.
        """
        asked: dict[object, Self] = {}
        for one in records:
            if one.bears_claims and one.has_evidence and one._asked_about not in RECENT:
                asked.setdefault(one._asked_about, one)
        pairs = [(one, one._answered) for one in asked.values()]
        comparable = [(one, answered) for one, answered in pairs if not one.incomparable]
        if len(comparable) > 1:
            first, answers = comparable[0][0], [answered for _, answered in comparable]
            made = assess(answers, first._model, most_claims=first._most_claims)
            for (one, _), assessment in zip(comparable, made, strict=True):
                RECENT.keep(one._asked_about, assessment)


def _about(record: RagTrace) -> bytes:
    """What is known of the passages beside ids and texts, told apart by a digest; mostly it is their ranks alone."""
    if not any(document.metadata for document in record.documents):
        return repr([document.rank for document in record.documents]).encode()
    about = repr([(document.rank, document.metadata) for document in record.documents])
    return hashlib.sha256(about.encode("utf-8", "surrogatepass")).digest()
