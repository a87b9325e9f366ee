"""Questions of a batch that no search tells apart: one that failed before its answer, one whose passages were pasted.

Where nothing but models has a span, as of a provider's client in a script, each call that shows passages is looked at.

Pipelines look alike: a model rewrites a question, sums passages up, or judges an answer, each in a chain of its own.
So a chain counts only where it asks what no earlier prompt says; a later one may say it with its answer, as the turn
before in a conversation, when it shows other passages than that turn had. Below one span, the same question twice is a
second try; asked twice by spans below none, it is two.
"""

from __future__ import annotations

import html
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from ragvigil.scorer.dialects.about_answers import is_order_about
from ragvigil.scorer.dialects.messages import last_message
from ragvigil.scorer.dialects.parts import asked_in, shown_in
from ragvigil.scorer.dialects.reading import Message, Reading, Role
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.tool_turns import turns_of, words_of
from ragvigil.scorer.dialects.values import mapping_of, sequence_of

_ASKING = frozenset[Role]({"chain", "retriever", "reranker"})
_TELLING = _ASKING | {"generator"}
_MOST = 100
"""Questions compared with each other."""
_ESCAPED = re.compile(r"\\(?:u(?P<code>[0-9a-fA-F]{4})|[\"\\/nrt])")
_ROLES = ("system", "user", "assistant", "tool")
_SIGNS = re.compile(r"[\W_]+")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
LEAST_ANSWER = 20
"""Characters of an answer that stands in another prompt by no chance."""
_LEAST_QUESTION = 16
"""Bytes of a question that stands in another one by no chance."""


def with_others(top: Step | None, level: Sequence[Step], whole: Sequence[Step]) -> list[Step]:
    """The questions of the level below `top`: `whole`, which search and answer, and those beside them that are some."""
    certain = set(whole)
    others = [step for step in level if step not in certain and step.role in ("chain", "other", "generator")]
    others = [step for step in others if not step.roles_within.isdisjoint(_TELLING)]
    if len(others) + len(whole) < 2:
        return [*whole]  # as nearly always: nobody reads a prompt for it
    bare = _is_bare(top, level)
    others = [step for step in others if _has_failed(step) or shows(step, bare=bare)]
    if not others or len(others) + len(whole) > _MOST:
        return [*whole]
    either = certain.union(others)
    every = [(step, Asked(step, bare=bare)) for step in level if step in either]
    apart = {
        step
        for step, asked in every
        if step not in certain
        and all(asked.is_apart_from(other) for rival, other in every if rival is not step)
    }
    if bare and _is_concluded([step for step in level if step not in apart], dict(every), apart):
        return [*whole]
    return [step for step, _ in every if step in certain or step in apart]


def _is_concluded(rest: Sequence[Step], every: Mapping[Step, Asked], apart: Set[Step]) -> bool:
    """Whether one of the rest was shown what two of those apart answered: they are parts of its question."""
    models = [step for step in rest if "generator" in step.roles_within] if len(apart) > 1 else []
    told = (Asked(step, bare=True) for step in models[:_MOST])
    return any(sum(one.saw_answer_of(every[step]) for step in apart) > 1 for one in told)


def _is_bare(top: Step | None, level: Sequence[Step]) -> bool:
    """Whether no search and no chain tells what was asked: only the models' prompts do."""
    if top is not None and (top.reading.query or top.reading.answer or top.reading.redacted):
        return False
    return all(step.roles_within.isdisjoint(_ASKING) for step in level)


class Asked:
    """What one of them asks and answers, what its models were shown, and what a user had asked them before."""

    def __init__(self, step: Step, *, bare: bool, whole: bool = False) -> None:
        """`whole`: what its models were shown is all that was sent to them, not only what they were told last."""
        self._below = below = [*step.subtree()]
        self.start = step.span.start
        self.is_bare, self.is_root = bare, step.span.parent_id is None and not bare
        self.question = _question(below, bare=bare)
        answers = (each.reading.answer for each in below if each.role in ("chain", "generator"))
        self.said = {answer.strip() for answer in answers if answer and answer.strip()}
        told = {*self.said, *(text for answer in self.said for text in _fields(answer))}
        self.answers = {answer for answer in told if len(answer) >= LEAST_ANSWER}
        self.is_answered = _is_answered(below)
        self.shown = [*map(alike, _sent(below, *_ROLES) if whole else _prompts(below))]
        self.told = [*map(alike, _sent(below, "system", "user"))] if whole else self.shown
        self.length = sum(map(len, self.shown))
        self.earlier = [*_earlier(below)]
        self.asked = [*_asked(below)]
        found = [each.text for one in below for each in one.reading.documents or ()]
        contexts = () if found else map(shown_in, _messages(below))
        self.passages = {*found} or {each.text or "" for one in contexts if one for each in one.documents}

    def is_apart_from(self, other: Asked) -> bool:
        """Whether neither is a part of the other: prepares its question, goes on with its answer, or judges that."""
        if self.question is None:
            return False
        if self.question == other.question:
            if self.is_bare and self.earlier and other.earlier and self.earlier != other.earlier:
                return True  # in another conversation
            return self._asks_again(other)
        first, then = (self, other) if self.start <= other.start else (other, self)
        if self.is_bare and then._is_about(first):
            return False
        if then.question and first._saw([then.question]):
            return False
        asked = then._saw([first.question] if first.question else [])
        if self.is_bare:
            return not (asked or then.saw_answer_of(first) or then._repeats(first))
        answered = then._saw(first.answers)
        return not (asked or answered) or (asked and answered and not then.passages <= first.passages)

    def follows(self, first: Asked) -> bool:
        """Whether it is a question of its own behind the first: of that, it was shown nothing but an earlier turn.

        And the first nothing of it: a member of a team on another host may seem to have run later.
        """
        if first.saw_answer_of(self) or first.is_told_in(self.told) or self._is_order():
            return False
        return self.is_apart_from(first)

    def goes_on_from(self, other: Asked) -> bool:
        """Whether the other's question stands earlier in its conversation: it corrects that answer, or continues it."""
        return other.question is not None and alike(other.question) in map(alike, self.earlier)

    def _is_about(self, first: Asked) -> bool:
        """Whether it was told what the first asked and answered, and then to name, rate or go on with that."""
        if not self.earlier or self.earlier[-1] not in (first.question, *first.asked):
            return False
        before = {text for each in self._below for text in _said_before(each)}
        if before.isdisjoint(first.said) or not self.passages <= first.passages:
            return False
        return self._is_order()

    def _is_order(self) -> bool:
        """Whether its question is an order to name or rate an answer, or for what may come next, and it did that."""
        return any(is_order_about(self.question or "", reply) for reply in self.said)

    def _asks_again(self, other: Asked) -> bool:
        """Whether the same was asked twice: below no span that could have tried again, by models that each answered."""
        both = (self, other)
        if not all(each.is_root and each.is_answered for each in both):
            return False
        return not self.saw_answer_of(other) and not other.saw_answer_of(self)

    def saw(self, text: str) -> bool:
        """Whether its models were shown the text, in either case, composed or not, escaped or not."""
        told = alike(text)
        return any(told in prompt for prompt in self.shown)

    def _saw(self, texts: Iterable[str]) -> bool:
        return any(map(self.saw, texts))

    def _repeats(self, first: Asked) -> bool:
        """Whether its question holds the first's, or what was answered to that; or the first's holds it: rewritten."""
        asked, before = alike(self.question or ""), alike(first.question or "")
        if asked in before and len(asked.encode()) >= _LEAST_QUESTION:
            return True
        told = (before, *map(alike, first.said))
        return any(text in asked for text in told if len(text.encode()) >= _LEAST_QUESTION)

    def saw_answer_of(self, other: Asked) -> bool:
        """Whether it was shown what the other answered; something short, that the passages may say, by itself."""
        return other.is_told_in(self.shown)

    def is_told_in(self, prompts: Sequence[str]) -> bool:
        """Whether its answer stands in one of them, which are as `alike` gives them."""
        told = [*map(alike, self.answers)]
        if any(text in prompt for prompt in prompts for text in told):
            return True
        short = [alone(alike(text)) for text in self.said - self.answers]
        return any(each.search(prompt) for prompt in prompts for each in short)


def alike(text: str) -> str:
    """A text as it is compared with others: prompts quote in JSON or HTML, and change case.

    >>> alike('Caf\\\\u00e9 &amp; \\\\"Bar\\\\"') == alike('cafe\\u0301 & "bar"')
    True
    """
    if "\\" in text:
        text = _ESCAPED.sub(_unescaped, text)
    if "&" in text:
        text = html.unescape(text)
    return unicodedata.normalize("NFC", text).casefold()


def says_same(one: str | None, other: str | None) -> bool:
    """Whether one of two texts holds the other, signs and spaces aside.

    >>> says_same("At nine [1].", '{"answer": "At nine [1]"}'), says_same("At nine.", "At ten."), says_same("?", "!")
    (True, False, False)
    """
    first, second = (_SIGNS.sub("", alike(text or "")) for text in (one, other))
    return bool(first and second) and (first in second or second in first)


def _unescaped(found: re.Match[str]) -> str:
    code = found["code"]
    return chr(int(code, 16)) if code else _ESCAPES.get(found[0][1], found[0][1])


def _fields(answer: str) -> Iterator[str]:
    """The texts in an answer that is an object or a list in JSON: another prompt may show these alone."""
    values = [*mapping_of(answer).values(), *sequence_of(answer)]
    return (value.strip() for value in values if isinstance(value, str))


def alone(answer: str) -> re.Pattern[str]:
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


def shows(step: Step, *, bare: bool = False) -> bool:
    """Whether a model answered in it that had passages from somewhere else than a search.

    What it was asked a chain or a search says; a prompt does where nothing but models is there (`bare`).
    """
    if step.role not in ("chain", "other", *(["generator"] if bare else [])):
        return False
    below = [*step.subtree()]
    if not _is_answered(below) or _question(below, bare=bare) is None:
        return False
    return any(each.reading.documents for each in below) or any(map(_has_context, _messages(below)))


def _has_context(message: Message) -> bool:
    """Whether it shows a context; of parts of which nobody can tell what they are, none may be one."""
    context = shown_in(message)
    return context is not None and bool(context.documents or not message.parts)


def _question(below: Sequence[Step], *, bare: bool = False) -> str | None:
    queries = (each.reading.query for each in below if each.role in _ASKING)
    said = (
        last_message(each.reading.messages, "user") for each in below if bare and each.role == "generator"
    )
    asked = itertools.chain(queries, (asked_in(message) for message in said if message))
    return next((query.strip() for query in asked if query), None)


def _is_answered(below: Iterable[Step]) -> bool:
    return any(each.role == "generator" and each.reading.answer is not None for each in below)


def _prompts(below: Iterable[Step]) -> Iterator[str]:
    return (message.text or "" for message in _messages(below))


def _sent(below: Iterable[Step], *roles: str) -> Iterable[str]:
    """All that was sent to models of these roles, each text once."""
    models = [each.reading for each in below if each.role == "generator"]
    sent = (message for model in models for message in model.messages if message.role in roles)
    answered = _answered(models) if "tool" in roles else ()
    return dict.fromkeys((*(message.text for message in sent if message.text), *answered))


def _answered(models: Iterable[Reading]) -> Iterator[str]:
    """What tools answered, where it is no text of a message."""
    conversations = [model.exchange[0] for model in models if model.exchange]
    turns = (turn for conversation in conversations for turn in turns_of(conversation))
    return (words_of(turn) for turn in turns if turn.kind == "answered")


def _earlier(below: Iterable[Step]) -> Iterator[str]:
    """What a user said to a model before what he said last."""
    for each in below:
        if each.role == "generator":
            asked = [message.text for message in each.reading.messages if message.role == "user"]
            yield from (text.strip() for text in asked[:-1] if text and text.strip())


def _asked(below: Iterable[Step]) -> Iterator[str]:
    """What a user said to a model last, all of it."""
    for each in below:
        if each.role == "generator" and (message := last_message(each.reading.messages, "user")):
            yield (message.text or "").strip()


def _said_before(step: Step) -> Iterator[str]:
    """What a model had said right before its last message."""
    for message in step.reading.messages[-2:-1] if step.role == "generator" else ():
        if message.role == "assistant" and message.text:
            yield message.text.strip()


def _messages(below: Iterable[Step]) -> Iterator[Message]:
    """What models were told last, and told to do."""
    for each in below:
        for role in ("system", "user"):
            if each.role == "generator" and (message := last_message(each.reading.messages, role)):
                yield message
