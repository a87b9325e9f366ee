"""Threes: where three words in a row of a claim stand so in one sentence of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from ragvigil.scorer.checks.reading.prose import Reading
from ragvigil.scorer.checks.reading.vocabulary import Numbers, Vocabulary, among


def threes(
    claims: Sequence[Sequence[str]], readings: Sequence[Reading], vocabulary: Vocabulary
) -> list[list[bool]]:
    """Of each claim, the stems of all its words in order, whether each three in a row stand so in one sentence.

    >>> from ragvigil.scorer.checks.reading.prose import read
    >>> vocabulary = Vocabulary()
    >>> sea = read(["The head of the fish. Sea fish are cold."], 9, vocabulary)
    >>> threes([["the", "head", "of", "the", "sea"], ["fish", "sea", "fish"], ["cold"]], sea, vocabulary)
    [[True, True, False], [False], []]
    """
    asked = list(map(vocabulary.stem_numbers, claims))
    said, ends = _said(readings, vocabulary)
    base = len(vocabulary.stems) + 1
    """More than any number, so that three numbers make one; -1, for what nobody met, makes none of them."""
    wanted = np.zeros(base, np.bool_)
    wanted[[*chain.from_iterable(asked)]] = True
    keys = [
        [
            (one * base + two) * base + three
            for one, two, three in zip(claim, claim[1:], claim[2:], strict=False)
        ]
        for claim in asked
    ]
    there = among(keys, _keys(said, ends, wanted))
    return [[key in there for key in each] for each in keys]


def _said(readings: Sequence[Reading], vocabulary: Vocabulary) -> tuple[Numbers, NDArray[np.intp]]:
    """The stems of all words of all sentences, by number, and the place after the last one of each sentence."""
    if not readings:
        return np.zeros(0, np.int32), np.zeros(0, np.intp)
    stems, counts = vocabulary.words_of(np.concatenate([one.chunks for one in readings]))
    before = accumulate((one.chunks.size for one in readings), initial=0)
    ends = [first + end for first, one in zip(before, readings, strict=False) for end in one.ends]
    if ends and ends[0] and stems.size == counts.size:  # as mostly: each chunk is one word
        return stems, np.array(ends, np.intp)
    words = np.concatenate((np.zeros(1, np.intp), counts.cumsum(dtype=np.intp))).take(ends)
    return stems, words[words > 0]  # a record's value may have none


def _keys(said: Numbers, ends: NDArray[np.intp], wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Each three `wanted` words in a row of one sentence, as one number."""
    first = wanted.take(said)
    first[:-2] &= first[1:-1] & first[2:]
    first[ends - 1] = first[ends - 2] = False
    at = first.nonzero()[0]
    one, two, three = (said.take(at + place).astype(np.int64) for place in range(3))
    return (one * wanted.size + two) * wanted.size + three
