"""Calls of a model after the answer: a verdict on it, a title, what to ask next; or the answer once more, but better.

Such a call was shown the answer. What it was told to do, and what it replied, say which of the two it is; where
neither does, nobody knows which reply the user got.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ragvigil.scorer.dialects.batches import Asked, shows
from ragvigil.scorer.dialects.frames import asks
from ragvigil.scorer.dialects.messages import last_message
from ragvigil.scorer.dialects.parts import shown_in
from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.step import Step
from ragvigil.scorer.dialects.words import longest_first, words_of

_DATA = words_of("asides")


def _stems(kind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![a-z])(?:{longest_first(_DATA[kind])})")


_JUDGING, _ADDING, _AGAIN = _stems("judging"), _stems("adding"), _stems("again")
_VERDICTS = frozenset(_DATA["verdicts"])
_LAST = 10
"""Answers of which the last are looked at, and those before each."""
_LONGEST_ORDER = 2_000
"""Characters of an order, at either end of what a model was told."""
_ITEM = re.compile(r"\s*(?:[-*\u2022]|\d{1,2}[.)\u3001])\s*")
_LEAST = 20
"""Characters of an answer that stands in another text by no chance."""


class Last(NamedTuple):
    """The calls that may have answered the user, and whether it is known that the last of them did."""

    answers: list[Step]
    known: bool = True


def without_afterwards(answers: list[Step], found: Sequence[str], returned: str) -> Last:
    """The answers, by end, without those that came after one and were about it; `found` is what searches did.

    `returned` is what the root says that it answered, if anything.
    """
    kept = answers
    while 1 < len(kept) <= _LAST:
        about = _is_about(kept[-1], kept[:-1], found, returned)
        if not about:
            return Last(kept, known=about is not None)
        kept = kept[:-1]
    return Last(kept)


def informed(answers: list[Step]) -> list[Step]:
    """Those up to the last that was shown passages, or what one before it said; all where none was shown any.

    A title of the conversation knows neither.
    """
    for place in range(len(answers) - 1, max(0, len(answers) - _LAST), -1):
        if shows(answers[place], bare=True):
            return answers[: place + 1]
        said = [(step.reading.answer or "").strip() for step in answers[max(0, place - _LAST) : place]]
        shown = [message.text or "" for message in answers[place].reading.messages]
        if any(answer in text for answer in said if answer for text in shown):
            return answers[: place + 1]
    return answers[:1] if 1 < len(answers) <= _LAST and shows(answers[0], bare=True) else answers


def _is_about(step: Step, before: Sequence[Step], found: Sequence[str], returned: str) -> bool | None:
    """Whether a call was about an answer of one before it; None where nobody can tell."""
    answered = [each for each in before if _is_informed(each, found)]
    reply = (step.reading.answer or "").strip()
    said = last_message(step.reading.messages, "user")
    if not answered or said is None or step.reading.messages[-1].role != "user":
        return False
    if _only_asks(reply) and not any(_only_asks(each.reading.answer or "") for each in answered):
        return True
    own = Asked(step, bare=True)
    told = [asked for each in answered if own.saw_answer_of(asked := Asked(each, bare=True))]
    if not told or any(_goes_on(said, each) for each in answered):
        return False
    answers = {answer for asked in told for answer in asked.said}
    if reply not in returned and any(len(each) >= _LEAST and each in returned for each in answers):
        return True
    if _is_verdict(reply) and not all(map(_is_verdict, answers)):
        return True
    order = _order(step, [*answers, *found])
    same = len(told) > 1 or (own.question is not None and own.question == told[0].question)
    again, judging = _AGAIN.search(order) is not None, _JUDGING.search(order) is not None
    adding = _ADDING.search(order) is not None
    if same and (again or not (judging or adding)):
        return False  # as where answers from parts of the passages are put together
    if same and (judging or shows(step, bare=True)):
        return None
    return None if again == (judging or adding) else not again


def _is_informed(step: Step, found: Sequence[str]) -> bool:
    """Whether its model was shown passages."""
    if shows(step, bare=True):
        return True
    prompts = [message.text for message in step.reading.messages if message.text]
    return any(text in prompt for prompt in prompts for text in found)


def _goes_on(said: Message, before: Step) -> bool:
    """Whether its prompt is the earlier one and more, as an agent's with its notes."""
    other = last_message(before.reading.messages, "user")
    start = (other.text or "") if other is not None else ""
    return bool(start) and (said.text or "").startswith(start)


def _order(step: Step, texts: Sequence[str]) -> str:
    """What the model was told to do, in lower case, without the texts that it was given."""
    told = [last_message(step.reading.messages, role) for role in ("system", "user")]
    words = "\n".join(_without_context(message) for message in told if message is not None)
    for text in texts:
        words = words.replace(text, " ") if text else words
    if len(words) > 2 * _LONGEST_ORDER:
        words = f"{words[:_LONGEST_ORDER]}\n{words[-_LONGEST_ORDER:]}"
    return words.lower()


def _without_context(message: Message) -> str:
    text, context = message.text or "", shown_in(message)
    return f"{text[: context.start]}\n{text[context.end :]}" if context is not None else text


def _is_verdict(reply: str) -> bool:
    return reply.strip(" \t\n.!*\"'`\u3002").lower() in _VERDICTS


def _only_asks(reply: str) -> bool:
    """Whether a reply is several questions, below a line that says so or not.

    >>> _only_asks("You may ask:\\n1. Why?\\n2. Where?"), _only_asks("Which one?"), _only_asks("So.\\nWhy?\\nWho?")
    (True, False, False)
    """
    lines = [line for line in reply.split("\n") if line.strip()]
    if len(lines) > 1 and lines[0].rstrip(" *").endswith((":", "\uff1a")):
        lines = lines[1:]
    return len(lines) > 1 and all(asks(_ITEM.sub("", line, count=1)) for line in lines)
