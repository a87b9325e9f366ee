"""What a service's own code did between its searches and the prompt: passages left out, put in another order, or beside
others that no span tells of."""

from __future__ import annotations

import re
from bisect import bisect, insort
from collections.abc import Sequence
from dataclasses import replace

from ragvigil.scorer.dialects.reading import Message
from ragvigil.scorer.trace import Document

_PIECE = 24
"""Characters that no two texts share by chance, and that stand in a prompt which shows a passage in another form."""
_PIECES = 8
"""Places of a passage at which such a piece is taken."""
_LOOKS = 20
"""Times that a text is looked for behind a place within another passage."""
_MOST = 500_000_000
"""Characters of a prompt, times passages, that are looked through; beyond, all stays as it was found."""
_LONGEST_LABEL = 80
"""Characters of what stands between two passages, and tells nothing: a number, a title, a tag."""
_NUMBER = re.compile(r"(?<!\d)(?P<number>\d{1,3})[\]\u3011).:]?\s*\Z")
"""The number of the passage that follows."""
_ON = re.compile(r"[ \t]*\w")
"""What stands behind a passage whose line goes on."""
_ANOTHER = re.compile(r"\s*(?:[\[\u3010(]?\d{1,3}[\]\u3011).:]|</?\w{1,20}>\s*<\w{1,20}[ >])")
"""What stands behind a passage that another one follows."""
_LEAST = 12
"""Characters of a text that stands within another one by no chance."""
_MOST_PAIRS = 250_000
"""Passages found, times passages shown, that are compared."""
_ESCAPED = "\\u"
"""What JSON writes for letters that are not ASCII's: a passage of these is shown, and cannot be found."""


def as_shown(
    documents: Sequence[Document], messages: Sequence[Message], made: Sequence[str | None] = ()
) -> list[Document]:
    """The passages that `messages` to a model show, in their order there, of those that searches found.

    Nothing is left out, and nothing moved, unless each passage stands there word for word or has left no trace; nor is
    anything left out where it shows what another model `made`, which may stand for passages, or that is not known.

    >>> found = [Document("a", "Snow fell."), Document("b", "Coal burns."), Document("c", "Rain fell.")]
    >>> [one.id for one in as_shown(found, (Message("user", "[1] Rain fell. [2] Snow fell. When did it rain?"),))]
    ['c', 'a']
    """
    whole = [*documents]
    texts = [(document.text or "").strip() for document in documents]
    shown = _shown(messages)
    if len(texts) < 2 or not all(texts) or any(_in_turn(texts, message) for message in shown):
        return whole
    if len(texts) * sum(map(len, shown)) > _MOST:
        return whole
    words = "\n".join(map(_plain, shown))
    texts = [*map(_plain, texts)]
    places = _places(texts, words)
    standing = [(place, text) for text, place in zip(texts, places, strict=True) if place >= 0]
    lacking = {*texts}.difference(text for _, text in standing)
    if not standing:
        return whole
    if lacking:
        rest = _without(words, standing)
        said = "\n".join([rest, *(_plain(each.text or "") for each in messages if each.role == "assistant")])
        if any(one is None or _plain(one) in said for one in made):
            return whole
        if any(_leaves_a_trace(text, rest) for text in lacking):
            return whole
    pairs = sorted(zip(places, range(len(whole)), strict=True))
    return [whole[number] for place, number in pairs if place >= 0]


def shows_others(documents: Sequence[Document], messages: Sequence[Message]) -> bool:
    """Whether a message shows all passages in turn, and by its looks more than these: before, between or behind them.

    >>> found = [Document("a", "Snow fell."), Document("b", "Coal burns.")]
    >>> shows_others(found, [Message("user", "[1] Snow fell.\\n[2] Coal burns.\\n\\nWhy?")])
    False
    >>> shows_others(found, [Message("user", "[1] Snow fell.\\n[2] Coal burns.\\n[3] Rain fell.\\n\\nWhy?")])
    True
    """
    texts = [(document.text or "").strip() for document in documents]
    return all(texts) and any(_shows_others(texts, message) for message in _shown(messages))


def _shows_others(texts: Sequence[str], message: str) -> bool:
    places = _in_turn(texts, message)
    if not places:
        return False
    before = _NUMBER.search(message, max(0, places[0] - _LONGEST_LABEL), places[0])
    ends = [place + len(text) for place, text in zip(places, texts, strict=True)]
    return (
        (before is not None and int(before["number"]) > 1)
        or any(place - end > _LONGEST_LABEL for end, place in zip(ends, places[1:], strict=False))
        or any(_ON.match(message, end) for end in ends)
        or _ANOTHER.match(message, ends[-1]) is not None
    )


def beside_others(documents: Sequence[Document], shown: Sequence[Document]) -> list[Document]:
    """The passages as a prompt shows them, `shown`, of which each of `documents` is one, or stands in one.

    Those are kept as they were found, with what goes on in their line. Nothing is changed where one stands in none, in
    several, or in one with another.
    """
    told = [(one.text or "").strip() for one in shown]
    if len(told) * len(documents) > _MOST_PAIRS:
        return [*documents]
    found: dict[int, Document] = {}
    for document in documents:
        text = (document.text or "").strip()
        places = [place for place, each in enumerate(told) if text in each]
        if len(places) != 1 or places[0] in found:
            return [*documents]
        whole = told[places[0]]
        goes_on = whole[whole.find(text) + len(text) :][:1] not in ("", "\n")
        found[places[0]] = replace(document, text=whole) if goes_on else document
    return [found.get(place, each) for place, each in enumerate(shown)]


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


def _plain(text: str) -> str:
    """A text with single spaces, however its lines were broken."""
    return " ".join(text.split())


def _shown(messages: Sequence[Message]) -> list[str]:
    """What the model was told, and did not say itself."""
    return [message.text for message in messages if message.role != "assistant" and message.text]


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


def _places(texts: Sequence[str], words: str) -> list[int]:
    """Where each text stands: by itself, if it can, and not within a longer one; -1 where it does not, or not again."""
    places = [-1] * len(texts)
    taken: list[tuple[int, int]] = []
    for number in sorted(range(len(texts)), key=lambda number: (-len(texts[number]), number)):
        text = texts[number]
        place = first = words.find(text)
        for _ in range(_LOOKS):
            if place < 0 or (end := _end_of_other(taken, place)) is None:
                break
            place = words.find(text, end)
        if place >= 0:
            insort(taken, (place, place + len(text)))
        elif (first, first + len(text)) not in taken:
            place = first
        places[number] = place
    return places


def _end_of_other(taken: Sequence[tuple[int, int]], place: int) -> int | None:
    """Where the passage ends that stands at a place already; None where none does."""
    number = bisect(taken, (place + 1,))
    return taken[number - 1][1] if number and taken[number - 1][1] > place else None


def _without(words: str, passages: list[tuple[int, str]]) -> str:
    """What a prompt says beside the passages that stand in it."""
    rest: list[str] = []
    end = 0
    for start, text in sorted(passages):
        rest.append(words[end:start])
        end = max(end, start + len(text))
    return "\n".join([*rest, words[end:]])


def _leaves_a_trace(text: str, words: str) -> bool:
    """Whether a piece of a passage stands there, of which the whole does not: it is shown, cut or marked up."""
    if _ESCAPED in words and not text.isascii():
        return True
    last = max(0, len(text) - _PIECE)
    starts = {last * number // (_PIECES - 1) for number in range(_PIECES)}
    return any(text[start : start + _PIECE] in words for start in starts)
