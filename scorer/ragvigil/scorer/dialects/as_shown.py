"""What a service's own code did between its searches and the prompt: passages left out, put in another order, or beside
others that no span tells of. Only a prompt that parts its passages beyond doubt, by numbers or tags, says so."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.dialects.values import one_line
from ragvigil.scorer.trace import Document

_LEAST = 12
"""Characters of a text that stands within another one by no chance."""
_LONGEST_LABEL = 80
"""Characters of what stands between two passages, and tells nothing: a number, a title, a tag."""
_NUMBER = re.compile(r"(?<!\d)(?P<number>\d{1,3})[\]\u3011).:]?\s*\Z")
"""The number of the passage that follows."""
_ON = re.compile(r"[ \t]*\w")
"""What stands behind a passage whose line goes on."""
_ANOTHER = re.compile(r"\s*(?:[\[\u3010(]?\d{1,3}[\]\u3011).:]|</?\w{1,20}>\s*<\w{1,20}[ >])")
"""What stands behind a passage that another one follows."""
_PIECE, _PIECES = 24, 8
"""Characters, and places of a passage, by which it is found again where it is shown cut or marked up."""
_MOST_PAIRS = 250_000
"""Passages found, times passages shown, that are compared."""


def is_shown_otherwise(documents: Sequence[Document], messages: Sequence[Message]) -> bool:
    """Whether messages show passages, and none all in turn, or one that does shows more, by its looks: around them.

    >>> found = [Document("a", "Snow fell."), Document("b", "Coal burns.")]
    >>> is_shown_otherwise(found, [Message("user", "[1] Snow fell.\\n[2] Coal burns.\\n\\nWhy?")])
    False
    >>> is_shown_otherwise(found, [Message("user", "[1] Snow fell.\\n[2] Coal burns.\\n[3] Rain fell.\\n\\nWhy?")])
    True
    """
    texts = [(document.text or "").strip() for document in documents]
    shown = [each.text for each in messages if each.role != "assistant" and each.text]
    if not all(texts):
        return False
    found = [(message, places) for message in shown if (places := _in_turn(texts, message))]
    if found:
        return any(_shows_others(texts, *each) for each in found)
    lines = [*map(one_line, shown)]
    words, starts = "\n".join(lines), [one_line(text[:_PIECE]) for text in texts]
    if not [start for start in starts if start in words]:
        return False  # as where a span shows the question only
    texts = [*map(one_line, texts)]
    return not any(_in_turn(texts, line) for line in lines)


def as_shown(
    documents: Sequence[Document],
    shown: Sequence[Document],
    messages: Sequence[Message],
    asked: Iterable[str],
) -> list[Document]:
    """The passages of `documents` as a prompt shows them, `shown` being those that it parts, in their order.

    Nothing is changed unless they all stand in the last of the `messages` that holds one which was found. Passages
    are left out, and put in another order, where each one of `shown` was found, word for word. Those left out have
    left no trace, and one of the questions that are `asked` stands behind the passages: a limit cut nothing off.
    Where all that were found are among them, or stand in one each, the others count as well, and what goes on in
    the line of a passage. In any other case nothing is changed.
    """
    whole = [*documents]
    if not shown or len(shown) * len(whole) > _MOST_PAIRS:
        return whole
    texts, told = ([one_line(one.text or "") for one in group] for group in (whole, shown))
    lines = [(each.role, one_line(each.text or "")) for each in messages]
    said = [words for role, words in lines if role != "assistant"]
    last = next((words for words in reversed(said) if any(text in words for text in texts)), "")
    if not all(text in last for text in told):
        return whole
    left: dict[str, deque[int]] = {}
    for number, text in enumerate(texts):
        left.setdefault(text, deque()).append(number)
    same = [left[text].popleft() if left.get(text) else None for text in told]
    if None in same:
        return _beside_others(whole, shown, texts, told)
    lacking = [texts[number] for numbers in left.values() for number in numbers]
    if lacking:
        rest = _without("\n".join(words for _, words in lines), told)
        if not _asks_behind(said, told[-1], asked) or any(_leaves_a_trace(text, rest) for text in lacking):
            return whole
    return [whole[number] for number in same if number is not None]


def stands_for_none(reply: str | None, asked: Container[str | None]) -> bool:
    """Whether what a model said before stands for no passage in a prompt: a grade, or what was `asked` of a search."""
    if reply is None or len(reply.strip()) <= _LEAST:
        return reply is not None
    return reply in asked or any(line.strip() in asked for line in reply.splitlines() if line.strip())


def widened(documents: list[Document], messages: Sequence[Message]) -> list[Document]:
    """The passages as the model was shown them: LlamaIndex finds a sentence, and shows what its metadata has around."""
    if not messages or not any(document.metadata for document in documents):
        return documents
    around = [_around(document) for document in documents]
    if not any(around):
        return documents  # as nearly always
    words = "\n".join(message.text or "" for message in messages)
    pairs = zip(documents, around, strict=True)
    return [replace(each, text=text) if text and text in words else each for each, text in pairs]


def _around(document: Document) -> str | None:
    """The text in a passage's metadata that holds the passage, and more; None without one."""
    text = document.text
    if not text or not document.metadata or len(text) <= _LEAST:
        return None
    held = (value.strip() for value in document.metadata.values() if isinstance(value, str))
    return next((value for value in held if len(value) > len(text) and text.strip() in value), None)


def _in_turn(texts: Sequence[str], message: str) -> list[int]:
    """Where the texts stand one behind another, as nearly always; none where they do not."""
    places, end = list[int](), 0
    for text in texts:
        start = message.find(text, end)
        if start < 0:
            return []
        places.append(start)
        end = start + len(text)
    return places


def _shows_others(texts: Sequence[str], message: str, places: Sequence[int]) -> bool:
    before = _NUMBER.search(message, max(0, places[0] - _LONGEST_LABEL), places[0])
    ends = [place + len(text) for place, text in zip(places, texts, strict=True)]
    return (
        (before is not None and int(before["number"]) > 1)
        or any(place - end > _LONGEST_LABEL for end, place in zip(ends, places[1:], strict=False))
        or any(_ON.match(message, end) for end in ends)
        or _ANOTHER.match(message, ends[-1]) is not None
    )


def _beside_others(
    documents: list[Document], shown: Sequence[Document], texts: Sequence[str], told: Sequence[str]
) -> list[Document]:
    found: dict[int, Document] = {}
    for document, text in zip(documents, texts, strict=True):
        places = [place for place, each in enumerate(told) if text in each]
        if len(places) != 1 or places[0] in found:
            return documents
        whole, own = shown[places[0]].text or "", (document.text or "").strip()
        goes_on = own in whole and _ON.match(whole, whole.find(own) + len(own))
        found[places[0]] = replace(document, text=whole) if goes_on else document
    return [found.get(place, each) for place, each in enumerate(shown)]


def _asks_behind(said: Sequence[str], last: str, asked: Iterable[str]) -> bool:
    """Whether a question stands behind the last passage that is shown, in its message or a later one."""
    questions = [*map(one_line, asked)]
    for words in reversed(said):
        place = words.rfind(last)
        behind = words[place + len(last) :] if place >= 0 else words
        if place >= 0 or any(question in behind for question in questions):
            return any(question in behind for question in questions)
    return False


def _without(words: str, texts: Sequence[str]) -> str:
    """What is said beside these texts; one may hold another."""
    for text in sorted({*texts}, key=len, reverse=True):
        words = words.replace(text, "\n") if text else words
    return words


def _leaves_a_trace(text: str, words: str) -> bool:
    """Whether a piece of a passage stands there: it is shown, cut or marked up, or in an older turn."""
    last = max(0, len(text) - _PIECE)
    starts = {last * number // (_PIECES - 1) for number in range(_PIECES)}
    return any(text[start : start + _PIECE] in words for start in starts)
