"""Questions of a batch that no search tells apart: one that failed before its answer, one whose passages were pasted.

Pipelines look alike: a model rewrites a question, sums passages up, or judges an answer, each in a chain of its own.
So a chain counts only where it asks what no earlier prompt says; a later one may say it with its answer, as the turn
before in a conversation, when it shows other passages than that turn had. Below one span, the same question twice is a
second try; asked twice by spans below none, it is two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ragvigil.scorer.dialects.messages import last_of
from ragvigil.scorer.dialects.prompt import context_of, passages_in
from ragvigil.scorer.dialects.reading import Role
from ragvigil.scorer.dialects.step import Step

_ASKING = frozenset[Role]({"chain", "retriever", "reranker"})
_TELLING = _ASKING | {"generator"}
_MOST = 100
"""Questions compared with each other."""
_LEAST_ANSWER = 20
"""Characters of an answer that stands in another prompt by no chance."""


def with_others(level: Sequence[Step], whole: Sequence[Step]) -> list[Step]:
    """The questions of the level: `whole`, which search and answer, and those beside them that are some as well."""
    certain = set(whole)
    others = [step for step in level if step not in certain and step.role in ("chain", "other")]
    others = [step for step in others if not step.roles_within.isdisjoint(_TELLING)]
    if len(others) + len(whole) < 2:
        return [*whole]  # as nearly always: nobody reads a prompt for it
    others = [step for step in others if _has_failed(step) or shows(step)]
    if not others or len(others) + len(whole) > _MOST:
        return [*whole]
    either = certain.union(others)
    every = [(step, _Asked(step)) for step in level if step in either]
    apart = {
        step
        for step, asked in every
        if step not in certain
        and all(asked.is_apart_from(other) for rival, other in every if rival is not step)
    }
    return [step for step, _ in every if step in certain or step in apart]


class _Asked:
    """What one of them asks and answers, and what its models were shown."""

    def __init__(self, step: Step) -> None:
        below = [*step.subtree()]
        self.start = step.span.start
        self.is_root = step.span.parent_id is None
        self.question = _question(below)
        answers = (each.reading.answer for each in below if each.role in ("chain", "generator"))
        self.said = {answer.strip() for answer in answers if answer and answer.strip()}
        self.answers = {answer for answer in self.said if len(answer) >= _LEAST_ANSWER}
        self.is_answered = _is_answered(below)
        self.shown = [*_prompts(below)]
        told = [each.text for one in below for each in one.reading.documents or ()]
        self.passages = {*told} or {text for prompt in self.shown for text in passages_in(prompt)}

    def is_apart_from(self, other: _Asked) -> bool:
        """Whether neither is a part of the other: prepares its question, goes on with its answer, or judges that."""
        if self.question is None:
            return False
        if self.question == other.question:
            return self._asks_again(other)
        first, then = (self, other) if self.start <= other.start else (other, self)
        if then.question and first._saw([then.question]):
            return False
        asked, answered = then._saw([first.question] if first.question else []), then._saw(first.answers)
        return not (asked or answered) or (asked and answered and not then.passages <= first.passages)

    def _asks_again(self, other: _Asked) -> bool:
        """Whether the same was asked twice: below no span that could have tried again, by models that each answered."""
        both = (self, other)
        if not all(each.is_root and each.is_answered for each in both):
            return False
        return not self._saw_said(other) and not other._saw_said(self)

    def _saw(self, texts: Iterable[str]) -> bool:
        return any(text in prompt for prompt in self.shown for text in texts)

    def _saw_said(self, other: _Asked) -> bool:
        """Whether it was shown what the other answered; something short, that the passages may say, by itself."""
        if self._saw(other.answers):
            return True
        alone = [_alone(text) for text in other.said - other.answers]
        return any(short.search(prompt) for prompt in self.shown for short in alone)


def _alone(answer: str) -> re.Pattern[str]:
    """A short answer that fills a line, all that is behind a colon, or quotes."""
    return re.compile(rf"(?:^|[:\uff1a\"'`>])[ \t]*{re.escape(answer)}[ \t]*(?:$|[\"'`<])", re.MULTILINE)


def _has_failed(step: Step) -> bool:
    """Whether it failed as a whole, or all that is in it did, before a model answered."""
    while step.role == "other" and not step.failed and len(step.children) == 1:
        step = step.children[0]
    if not step.failed or step.role not in ("chain", "other") or step.reading.answer is not None:
        return False
    below = [*step.subtree()]
    return _question(below) is not None and not _is_answered(below)


def shows(step: Step) -> bool:
    """Whether a model answered in it that had passages from somewhere else than a search."""
    if step.role not in ("chain", "other") or "generator" not in step.roles_within:
        return False
    below = [*step.subtree()]
    if _question(below) is None or not _is_answered(below):
        return False
    return any(each.reading.documents for each in below) or any(map(context_of, _prompts(below)))


def _question(below: Iterable[Step]) -> str | None:
    queries = (each.reading.query for each in below if each.role in _ASKING)
    return next((query.strip() for query in queries if query), None)


def _is_answered(below: Iterable[Step]) -> bool:
    return any(each.role == "generator" and each.reading.answer is not None for each in below)


def _prompts(below: Iterable[Step]) -> Iterator[str]:
    """What models were told last, and told to do."""
    for each in below:
        for role in ("system", "user"):
            if each.role == "generator" and (prompt := last_of(each.reading.messages, role)):
                yield prompt
