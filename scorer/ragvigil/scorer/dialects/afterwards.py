"""Calls of a model after the answer: a verdict on it, a title, what to ask next; or the answer once more, but better.

The last call gave the answer, as a rule. It did not where what it was told to do and what it replied agree that it
was about an earlier answer; where only its order says so, nobody knows which reply the user got.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from functools import cached_property
from typing import NamedTuple

from ragvigil.scorer.dialects.about_answers import (
    ADDING,
    AGAIN,
    JUDGING,
    WRITING,
    is_brief,
    is_label,
    is_negative,
    is_verdict,
    only_asks,
)
from ragvigil.scorer.dialects.batches import alike, alone, shows
from ragvigil.scorer.dialects.frames import asks
from ragvigil.scorer.dialects.labels import ANSWERED, ASKED, COLON, CONTEXT, HEAD
from ragvigil.scorer.dialects.messages import last_message
from ragvigil.scorer.dialects.parts import asked_in, shown_in
from ragvigil.scorer.dialects.react import answer_after_thoughts
from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.values import mapping_of

_LAST = 10
"""Answers of which the last are looked at, and those before each."""
_LONGEST_ORDER = 2_000
"""Characters of an order, at either end of what a model was told."""
_LEAST = 12
"""Bytes of the letters and digits of an answer that stands in another text by no chance."""
_MARKS = re.compile(r"<[^<>\n]{1,80}>|\[\d{1,3}\]")
_BLANKS = re.compile(r"[\W_]+")
"""All that is no letter and no digit; marks are tags and citations. Code adds both to replies, or takes them out."""
_DRAFT = re.compile(
    rf"\b(?:{ANSWERED}|assistant|ai|response|reply|generation)[^\n:\uff1a]{{0,12}}{COLON}[ \t]*\S",
    re.IGNORECASE,
)
"""An answer that is shown below its label, and not only asked for."""

_SHOWING = re.compile(
    rf"\s*(?:\Z|[\[{{<\"]|{HEAD}(?:{ASKED}|{ANSWERED}|{CONTEXT}|human|assistant|ai|input|history|chat|conversation)"
    rf"[^\n:\uff1a]{{0,20}}{COLON})",
    re.IGNORECASE,
)
"""How a message begins that shows something, and gives no order."""


class Last(NamedTuple):
    """The calls that may have answered the user, and whether it is known that the last of them did."""

    answers: list[Step]
    known: bool = True


def without_afterwards(
    answers: list[Step],
    found: Iterable[str],
    asked: Iterable[str],
    returned: str,
    told: Set[Step] = frozenset(),
) -> Last:
    """The answers, by end, without those that came after one and were about it.

    `found` is what searches did, `asked` what was asked and searched for; `returned` is what the root says that it
    answered, if anything; `told` are calls that were told what a tool found.
    """
    texts, questions, root = {*found}, {*asked}, _bare(returned)
    calls, doubted = [_Call(step, texts, told=step in told) for step in answers], False
    for _ in range(_LAST):
        about = len(calls) > 1 and _is_about(calls[-1], calls[-1 - _LAST : -1], questions, root)
        if not about:
            known = about is not None and (not doubted or _agree(_bare(calls[-1].said), root))
            return Last(answers[: len(calls)], known)
        dropped = calls.pop()
        doubted = doubted or is_negative(dropped.said)
    return Last(answers[: len(calls)])


def informed(answers: list[Step], told: Set[Step] = frozenset()) -> list[Step]:
    """Those up to the last that was shown passages, or what one before it said; all where none was shown any.

    A title of the conversation knows neither. `told` are calls that were told what a tool found.
    """
    for place in range(len(answers) - 1, max(0, len(answers) - _LAST), -1):
        if answers[place] in told or shows(answers[place], bare=True):
            return answers[: place + 1]
        said = [(step.reading.answer or "").strip() for step in answers[max(0, place - _LAST) : place]]
        shown = [message.text or "" for message in answers[place].reading.messages]
        if any(answer in text for answer in said if answer for text in shown):
            return answers[: place + 1]
    first = 1 < len(answers) <= _LAST and (answers[0] in told or shows(answers[0], bare=True))
    return answers[:1] if first else answers


def is_same(text: str, returned: str) -> bool:
    """Whether what a root returned is this text, or a part of it, or holds it, but for marks."""
    return _agree(_bare(text), _bare(returned))


class _Call:
    """One of the answers, and what is looked up in its prompt once, however often it is compared."""

    def __init__(self, step: Step, found: set[str], *, told: bool) -> None:
        self._step, self.found, self._told = step, found, told
        self.said = answer_after_thoughts(step.reading.answer or "").strip()
        self.prompts = [message.text or "" for message in step.reading.messages]

    @cached_property
    def is_informed(self) -> bool:
        """Whether its model was shown passages, or told what a tool found."""
        if self._told or shows(self._step, bare=True):
            return True
        return any(text in prompt for prompt in self.prompts for text in self.found)

    @cached_property
    def asked(self) -> str | None:
        """What a user asked last; None where no message is a user's."""
        said = last_message(self._step.reading.messages, "user")
        return asked_in(said).strip() if said is not None else None

    @property
    def is_of_user(self) -> bool:
        """Whether its last message is a user's, and not what a tool found."""
        return bool(self.prompts) and self._step.reading.messages[-1].role == "user"

    def ends_with(self, answers: Set[str]) -> bool:
        """Whether its last message is one of these answers, as the assistant's: a system's message gives the order."""
        return _is_said(self._step.reading.messages[-1:], answers)

    def follows(self, answers: Set[str]) -> bool:
        """Whether the message before its last one is one of these answers: that is about it."""
        return _is_said(self._step.reading.messages[-2:-1], answers)

    @property
    def shows_a_draft(self) -> bool:
        """Whether one of its messages says that a draft follows."""
        return any(_DRAFT.search(_without(each, self.found)) for each in self.prompts)

    @cached_property
    def bare(self) -> str:
        """All that it was told, bare."""
        return _bare("\n".join(self.prompts))

    def told(self, role: str, shared: set[str]) -> str:
        """The last message of a role without its context, "" where an earlier call was told the same."""
        message = last_message(self._step.reading.messages, role)
        return "" if message is None or message.text in shared else _without_context(message)

    def is_told(self, answers: Iterable[str]) -> bool:
        """Whether it was shown one of these answers, decoded or not; a short one by itself."""
        if any(len(each) >= _LEAST and each in text for each in answers for text in self.prompts):
            return True  # as nearly always
        if _drafts(answers, self.bare):
            return True
        return any(
            alone(alike(each)).search(alike(text)) for each in answers if each for text in self.prompts
        )


def _is_said(messages: Sequence[Message], answers: Set[str]) -> bool:
    return any(each.role == "assistant" and (each.text or "").strip() in answers for each in messages)


def _is_about(call: _Call, before: Sequence[_Call], asked: set[str], returned: str) -> bool | None:
    """Whether a call was about an answer of one before it; None where its order says so, and its reply does not."""
    answered = [each for each in before if each.is_informed]
    answers = {each.said for each in answered}
    closing = call.ends_with(answers)
    if not answered or not (call.is_of_user or closing) or call.asked is None:
        return False
    questions = asked | {each.asked for each in answered if each.asked}
    order = _ordered(call, answered, answers, questions)
    if not (returned or order.judging or order.adding or order.judged or order.labelling):
        return False  # as nearly always
    if returned and _is_dropped(_bare(call.said), _drafts(answers, call.bare), returned):
        return True
    if order.adding and only_asks(call.said) and not any(map(only_asks, answers)):
        return True
    judged = order.judged and not all(map(is_verdict, answers))
    if not closing and call.asked in questions and not call.shows_a_draft:
        return (
            None if judged or (order.adding and asks(call.said)) else False
        )  # it answers the question itself
    return judged or _adds_or_judges(call, order, answers, closing=closing)


class _Order(NamedTuple):
    """What a call was told to do."""

    text: str
    adding: bool
    judging: bool
    judged: bool
    """Whether it replied with a verdict, which it was told to give."""
    labelling: bool


def _ordered(call: _Call, answered: Sequence[_Call], answers: set[str], questions: set[str]) -> _Order:
    """What `call` was told besides questions, passages, answers and what those that `answered` were told."""
    shared = {text for each in answered for text in each.prompts}
    given = questions.union(call.found, (text for text in answers | shared if len(text) >= _LEAST))
    system, user = (_without(call.told(role, shared), given) for role in ("system", "user"))
    order = _order(system if _SHOWING.match(user) else "", user)
    adding, judging = (pattern.search(order) is not None for pattern in (ADDING, JUDGING))
    judged = is_verdict(call.said) and JUDGING.search(_order(system, user)) is not None
    return _Order(order, adding, judging, judged, not (adding or judging) and _labels(call, order, answers))


def _adds_or_judges(call: _Call, order: _Order, answers: set[str], *, closing: bool) -> bool | None:
    """Whether a call was told to add something to an answer, or to judge it; None as of `_is_about`."""
    rest = ADDING.sub(" ", JUDGING.sub(" ", order.text))
    if AGAIN.search(rest) or not call.is_told(answers):
        return False
    behind = closing or (call.follows(answers) and not asks(order.text))
    if order.adding and (is_brief(call.said) or (behind and not _repeats(call.said, answers))):
        return True
    return None if (order.judging or order.labelling) and not WRITING.search(rest) else False


def _labels(call: _Call, order: str, answers: Iterable[str]) -> bool:
    """Whether a call that was shown no passages, as the one before was, replied with a label where that told something.

    What stands in the answer is cut out of it, and what was made of several is their sum.
    """
    if not is_label(call.said) or call.is_informed or any(map(is_label, answers)) or asks(order):
        return False
    texts = {*map(_bare, answers)}
    cut = any(_bare(call.said) in each for each in texts)
    return bool(order.strip()) and not cut and sum(each in call.bare for each in texts) < 2


def _repeats(reply: str, answers: Iterable[str]) -> bool:
    """Whether a reply holds one of the answers, with something behind it."""
    return any(_is_in(_bare(each), _bare(reply)) for each in answers)


def _is_dropped(reply: str, drafts: Iterable[str], returned: str) -> bool:
    """Whether the root returned a draft and not the reply; all are bare. A draft within the reply proves nothing."""
    return reply not in returned and any(_agree(each, returned) and each not in reply for each in drafts)


def _without_context(message: Message) -> str:
    text, context = message.text or "", shown_in(message)
    return f"{text[: context.start]}\n{text[context.end :]}" if context is not None else text


def _order(system: str, user: str) -> str:
    """What a model was told to do, in lower case, both ends of it.

    A system's message is no order where the user's gives one: it says what to do in some case, or never.
    """
    order = f"{system}\n{user}"
    return f"{order[:_LONGEST_ORDER]}\n{order[_LONGEST_ORDER:][-_LONGEST_ORDER:]}".lower()


def _without(words: str, texts: Iterable[str]) -> str:
    """The words without these texts; one may hold another, and they come in the order of no set."""
    for text in sorted(texts, key=lambda text: (-len(text), text)):
        words = words.replace(text, " ") if text else words
    return words


def _bare(text: str) -> str:
    """The letters and digits of a text: code decodes a reply, strips it, joins it, and takes its citations out.

    >>> _bare("<p>It&#x27;s **nine**  [1].</p>") == _bare("it's nine.")
    True
    """
    return _BLANKS.sub("", _MARKS.sub("", alike(text)))


def _is_in(text: str, other: str) -> bool:
    """Whether a text, bare, stands in another one by no chance."""
    return len(text.encode()) >= _LEAST and text in other


def _agree(text: str, returned: str) -> bool:
    """Whether what the root returned is a reply, or a part of it, or holds it; both are bare."""
    return _is_in(text, returned) or _is_in(returned, text) or (text == returned != "")


def _drafts(answers: Iterable[str], prompt: str) -> set[str]:
    """The answers, or texts in those that are JSON, that stand in a prompt; all of these are bare."""
    texts, values = {*answers}, [value for answer in answers for value in mapping_of(answer).values()]
    while values:
        value = values.pop()
        texts |= {value} if isinstance(value, str) else set()
        values += mapping_of(value).values()
    return {bare for bare in map(_bare, texts) if _is_in(bare, prompt)}
