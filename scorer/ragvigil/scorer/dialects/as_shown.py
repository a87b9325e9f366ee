"""What a service's own code did between its searches and the prompt: passages left out, and put in another order."""

from __future__ import annotations

from bisect import bisect, insort
from collections.abc import Sequence

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
    shown = [message.text for message in messages if message.role != "assistant" and message.text]
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


def _plain(text: str) -> str:
    """A text with single spaces, however its lines were broken."""
    return " ".join(text.split())


def _in_turn(texts: Sequence[str], message: str) -> bool:
    """Whether all of the texts stand there one behind another, as nearly always."""
    end = 0
    for text in texts:
        start = message.find(text, end)
        if start < 0:
            return False
        end = start + len(text)
    return True


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
