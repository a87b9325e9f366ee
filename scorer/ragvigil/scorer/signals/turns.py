"""Signals of one answer, read from its conversation: thumbs, a rephrased question, a follow-up, how long it goes on."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ragvigil.scorer.moments import MINUTE

SOON = 30 * MINUTE
"""Nanoseconds within which the next question counts as said about the answer."""
ALIKE = 0.5
"""Jaccard similarity of their words from which on two questions ask the same."""
_WORD = re.compile(r"\w+")
_SHORT = 3
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Thai, Lao, Khmer, Japanese, Chinese."""


class Turn(NamedTuple):
    """One question and its answer."""

    conversation: str | None
    started_at: int
    """Unix time, nanoseconds."""
    query: str | None
    feedback: Sequence[Mapping[str, object]] = ()


class Signals(NamedTuple):
    """What followed; None where it cannot be known."""

    thumbs_down: bool | None
    """Of answers that somebody judged."""
    thumbs_up: bool | None
    rephrased: bool | None
    """The next question of the conversation asks the same in other words: the answer was wrong."""
    followed_up: bool | None
    """The next question asks something else: the answer was incomplete, or led on."""
    session_length: int | None
    """Questions in the conversation."""


def signals_of(turns: Sequence[Turn], *, until: int | None = None) -> list[Signals]:
    """The signals of each turn, in the order given, as known at `until` (Unix nanoseconds; None: long after).

    What follows the last turn of a conversation is not known before its half hour is over.

    >>> asked = [Turn("c", 1, "How do I reset it?"), Turn("c", 2, "reset it how?"), Turn(None, 3, "Price?")]
    >>> [one.rephrased for one in signals_of(asked)]
    [True, False, None]
    """
    conversations: dict[str, list[int]] = {}
    for place in sorted(range(len(turns)), key=lambda place: turns[place].started_at):
        name = turns[place].conversation
        if name is not None:
            conversations.setdefault(name, []).append(place)
    following = {
        place: places[number + 1] if number + 1 < len(places) else None
        for places in conversations.values()
        for number, place in enumerate(places)
    }
    found = [_signals(turn, following, place, turns, conversations) for place, turn in enumerate(turns)]
    return [
        one._replace(rephrased=None, followed_up=None)
        if until is not None and following.get(place) is None and turns[place].started_at + SOON > until
        else one
        for place, one in enumerate(found)
    ]


def asks_again(question: str, other: str) -> bool:
    """Whether half of all words of two questions are in both: the same words, asked anew.

    What asks another thing of the same subject shares less, and so does what says the same in wholly other words.

    >>> asks_again("What does the M3 cost?", "price of the M3, what does it cost"), asks_again("Hi", "Bye")
    (True, False)
    >>> asks_again("How do I reset my password?", "How do I change my password?")
    False
    >>> asks_again("最終のフェリーは何時ですか", "フェリーの最終は何時ですか")
    True
    """
    one, two = _words(question), _words(other)
    return bool(one and two) and len(one & two) >= ALIKE * len(one | two)


def disliked(feedback: Sequence[Mapping[str, object]]) -> bool | None:
    """Whether anybody disliked the answer; None when nobody said anything that can be read."""
    known = [one for one in map(_liking, feedback) if one is not None]
    return None if not known else min(known) <= 0.0


def _signals(
    turn: Turn,
    following: Mapping[int, int | None],
    place: int,
    turns: Sequence[Turn],
    conversations: Mapping[str, Sequence[int]],
) -> Signals:
    down = disliked(turn.feedback)
    up = None if down is None else not down
    if turn.conversation is None:
        return Signals(down, up, None, None, None)
    length = len(conversations[turn.conversation])
    after = following[place]
    if after is None:
        return Signals(down, up, False, False, length)
    nearby = turns[after].started_at - turn.started_at <= SOON
    if turn.query is None or turns[after].query is None:
        return Signals(down, up, None, None, length)
    again = nearby and asks_again(turn.query, turns[after].query or "")
    return Signals(down, up, again, nearby and not again, length)


def _liking(opinion: Mapping[str, object]) -> float | None:
    score, label = opinion.get("score"), opinion.get("label")
    if isinstance(score, int | float) and not isinstance(score, bool):
        return float(score)
    return {"up": 1.0, "down": 0.0}.get(str(label).lower()) if label is not None else None


def _words(question: str) -> set[str]:
    """Words with more than three letters or a digit, pairs of characters where words are not set apart; else all."""
    found = _WORD.findall(question.lower())
    told: set[str] = set()
    for word in found:
        if _WITHOUT_SPACES.search(word):
            told.update(word[place : place + 2] for place in range(max(1, len(word) - 1)))
        elif len(word) > _SHORT or any(letter.isdigit() for letter in word):
            told.add(word)
    return told or set(found)
