"""Words of an answer's own: how usual it is that answers use a word which their evidence lacks, and what it tells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tests.bench.fitting.learn import Array, Places
from tests.bench.fitting.rows import Answers, Claims, Words

LEAST = 3
"""Source groups in which answers must lack the evidence for a word before anything is known of it."""
SHY = 5.0
"""How many words of the usual kind are added to those that were seen, so that few tell little."""

Chosen = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Counts:
    """For each row: source groups, words, and unfounded words; of missing ones that have the same stem."""

    groups: Array
    words: Array
    unfounded: Array
    usual: float
    """Share of all missing words that is unfounded."""

    @property
    def figures(self) -> Array:
        """(rows, 2): how usual the word is, and the log-odds that it is unfounded beside those of any other."""
        share = (self.unfounded + SHY * self.usual) / (self.words + SHY)
        odds = np.log(share / (1 - share)) - np.log(self.usual / (1 - self.usual))
        known = (self.groups >= LEAST)[:, None]
        return np.where(known, np.column_stack([np.log1p(self.groups), odds]), 0.0)


def own_words(words: Words, claims: Claims, answers: Answers, chosen: Chosen) -> Array:
    """What the labelled words of the `chosen` answers tell of each word by those of other source groups; 0 if found."""
    _, numbers = np.unique(np.array(answers.group), return_inverse=True)
    group = numbers[claims.answer[words.claim]]
    seen = _seen(words, claims, chosen)
    cell = words.stem * (int(group.max()) + 1) + group
    _, place = np.unique(cell, return_inverse=True)
    here = np.bincount(place, seen).astype(float)
    amiss = np.bincount(place, seen * (words.unfounded == 1)).astype(float)
    total = _totals(words, group, seen)
    figures = Counts(
        total.groups[words.stem] - (here > 0)[place],
        total.words[words.stem] - here[place],
        total.unfounded[words.stem] - amiss[place],
        total.usual,
    ).figures
    return np.where(words.missing[:, None], figures, 0.0)


def table(words: Words, claims: Claims, answers: Answers, chosen: Chosen, weights: Array) -> dict[str, float]:
    """For each stem of which something is known: what it adds to the log-odds where it is missing."""
    _, numbers = np.unique(np.array(answers.group), return_inverse=True)
    total = _totals(words, numbers[claims.answer[words.claim]], _seen(words, claims, chosen))
    added = total.figures @ weights
    known = np.flatnonzero(total.groups >= LEAST).tolist()
    return dict(sorted((words.stems[one], round(float(added[one]), 2)) for one in known))


def _seen(words: Words, claims: Claims, chosen: Chosen) -> Array:
    seen: Array = ((words.unfounded >= 0) & words.missing & chosen[claims.answer[words.claim]]).astype(float)
    return seen


def _totals(words: Words, group: Places, seen: Array) -> Counts:
    """Of each stem."""
    size, most = len(words.stems), int(group.max()) + 1
    cells = np.unique((words.stem * most + group)[seen > 0])
    unfounded = np.bincount(words.stem, seen * (words.unfounded == 1), size).astype(float)
    return Counts(
        np.bincount(cells // most, minlength=size).astype(float),
        np.bincount(words.stem, seen, size).astype(float),
        unfounded,
        float(unfounded.sum() / seen.sum()),
    )
