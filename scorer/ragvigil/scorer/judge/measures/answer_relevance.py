"""Answer relevance: the questions that the answer would answer, held against the one that was asked (Es et al., 2024).

The value is the mean similarity of three such questions with the query, in [0, 1]: cosine of embeddings where an
embedding model is configured, else of weighted words, and `details.method` says which. Above 0.7 is the target for
embeddings. A refusal has no value: whether it should have refused is measured elsewhere.
"""

from __future__ import annotations

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.language import language_of as language_of_text
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.endpoint import EndpointError, LaterError, UnavailableError
from ragvigil.scorer.judge.measures.measure import Finding
from ragvigil.scorer.judge.replies import QuestionsReply, usable
from ragvigil.scorer.judge.similarity import Similarity

NAME = "judge.answer_relevance"
_MOST_QUESTIONS = 5


class AnswerRelevance:
    """Asks for the questions, and compares."""

    version = "1"
    names: tuple[str, ...] = (NAME,)

    def __init__(self, similarity: Similarity, *, share: float = 1.0) -> None:
        self.prompt: Prompt = usable("answer_relevance", "questions", ("answer",))
        self.share = share
        self._similarity = similarity

    def concerns(self, service: str) -> bool:
        """All answers."""
        del service
        return True

    async def close(self) -> None:
        """Let go of the embedding endpoint."""
        await self._similarity.close()

    async def take(self, prepared: Prepared, asker: Asker) -> Finding:
        """The mean similarity with its questions; none for a refusal, without a question, without embeddings."""
        record = prepared.record
        if not (record.query or "").strip():
            return Finding({NAME: None}, "the question is not known", {"state": "not_scoreable"})
        if prepared.refuses and not prepared.bears_claims:
            return Finding({NAME: None}, "the answer refuses", {"state": "noncommittal"})
        values = {"answer": asker.digest(record)["answer"]}
        asked = await asker.ask(
            self.prompt,
            values,
            QuestionsReply,
            language=language_of(prepared),
            objection=_without_questions,
            of=record.trace_id,
        )
        completions = tuple(asked.completions)
        if asked.reply is None:
            reason = f"the reply could not be read: {asked.problem}"
            return Finding({NAME: None}, reason, {"state": "unparseable"}, completions)
        questions = [one for one in asked.reply.questions if one.strip()][:_MOST_QUESTIONS]
        if asked.reply.noncommittal:
            return Finding({NAME: None}, "the answer is noncommittal", {"state": "noncommittal"}, completions)
        query = record.query or ""
        if not self._similarity.across_languages and _another_language(query, questions):
            reason = "question and answer are in two languages, which needs judge.embedding_model"
            return Finding({NAME: None}, reason, {"state": "not_scoreable"}, completions)
        try:
            near, paid = await self._similarity.of(query, questions)
        except EndpointError as error:
            asker.count(error.paid)
            if isinstance(error, UnavailableError) and not isinstance(error, LaterError):
                reason = f"the embedding model does not answer: {error}"
                return Finding({NAME: None}, reason, {"state": "failed"}, (*completions, *error.paid))
            asker.owe((*completions, *error.paid))
            raise
        asker.count(paid)
        details: dict[str, object] = {
            "state": "measured",
            "method": self._similarity.method,
            "questions": questions,
            "similarities": [round(one, 4) for one in near],
        }
        worst = questions[near.index(min(near))]
        mean = sum(near) / len(near)
        return Finding({NAME: mean}, f"it would answer: {worst}", details, (*completions, *paid))


def _without_questions(reply: QuestionsReply) -> str | None:
    return None if any(one.strip() for one in reply.questions) else "questions is empty; write three"


def _another_language(query: str, questions: list[str]) -> bool:
    asked, found = language_of_text(query), language_of_text(" ".join(questions))
    return asked is not None and found is not None and asked != found
