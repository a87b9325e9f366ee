"""A record as the checks see it: read once, lazily, and shared by all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS, Assessment, assess
from ragvigil.scorer.checks.alignment.model import Model, load
from ragvigil.scorer.checks.alignment.recent import RECENT
from ragvigil.scorer.checks.reading.attribution import attribute
from ragvigil.scorer.checks.reading.citations import Citation, definitions, read_citations
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.checks.reading.claims import Statement, read_statements
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.markup import blank, fenced, inline_code
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import RagTrace, input_hash

DEFAULT_MODEL = "lexical-1"
"""Coefficients that the checks on every record use."""


class Prepared:
    """One record with everything that is read from its texts."""

    def __init__(
        self,
        record: RagTrace,
        model: Model | None = None,
        *,
        most_claims: int | None = MOST_CLAIMS,
        rules: Rules = EVERYTHING,
    ) -> None:
        """Of more than `most_claims` an evenly spread sample is compared; None: all of them."""
        self.rules = rules
        self._most_claims = most_claims
        self.record = record
        self.answer = record.answer or ""
        self._model = model or load(DEFAULT_MODEL)

    @cached_property
    def citations(self) -> tuple[Citation, ...]:
        """Markers of the answer, resolved against the retrieved passages."""
        return read_citations(self.answer, self.record.documents, self.rules)

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """What the answer says, piece by piece, citations left out."""
        markers = [(citation.start, citation.end) for citation in self.citations]
        return read_statements(self.answer, [*markers, *definitions(self.answer)])

    @cached_property
    def attribution(self) -> Mapping[int, tuple[Citation, ...]]:
        """The citations of each statement, by its place in `statements`."""
        return attribute(self.answer, self.statements, self.citations)

    @cached_property
    def prose(self) -> str:
        """The answer without code and citations, every offset as it was."""
        hidden = [*fenced(self.answer), *inline_code(self.answer), *(one.span for one in self.citations)]
        return blank(self.answer, hidden)

    @cached_property
    def bears_claims(self) -> bool:
        """Whether any statement needs evidence."""
        return any(statement.checkworthy for statement in self.statements)

    @cached_property
    def refuses(self) -> bool:
        """Whether any sentence says that there is no answer."""
        return any(statement.kind == "refusal" for statement in self.statements)

    @cached_property
    def nothing_retrieved(self) -> bool:
        """Whether retrieval is known to have found nothing, so that no claim can rest on it."""
        record = self.record
        return (
            record.completeness in ("complete", "timed_out")
            and record.retrieved
            and not record.documents
            and not any(retrieval.ids for retrieval in record.retrievals)
        )

    @cached_property
    def has_evidence(self) -> bool:
        """Whether any passage has a text."""
        return any(document.text for document in self.record.documents)

    @cached_property
    def evidence(self) -> Evidence:
        """The passages, indexed by the words of the answer."""
        stems = {word.stem for statement in self.statements for word in statement.words}
        return Evidence(self.record.documents, stems)

    @cached_property
    def assessment(self) -> Assessment:
        """Every claim on the evidence; made once for all who ask about the same content."""
        return RECENT.recall(
            (input_hash(self.record), self._model.name, self._most_claims, self.rules), self._assess
        )

    def _assess(self) -> Assessment:
        question = {word.stem for word in words(self.record.query or "")}
        return assess(
            self.answer, self.statements, self.evidence, question, self._model, most_claims=self._most_claims
        )
