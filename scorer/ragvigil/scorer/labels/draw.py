"""Which answers people read next: a stratified draw from judged traffic, in two waves, with its probabilities."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ragvigil.scorer.estimate import next_labels, strata_of
from ragvigil.scorer.estimate.window import Integers
from ragvigil.scorer.labels.frame import window_of
from ragvigil.scorer.labels.port import Drawn, Item


@dataclass(frozen=True, slots=True)
class Reading:
    """How many people read what is drawn."""

    readers: int = 1
    overlap: float = 1.0
    """Share of the items that so many read; the rest is read by one."""


def truth_row(drawn: Drawn, truth: Mapping[int, int]) -> Integers:
    """1, 0 or -1 for each record of the frame, from what was settled by record id."""
    row = np.full(len(drawn.frame.record_id), -1, dtype=np.int64)
    for item in drawn.items:
        row[item.place] = truth.get(item.record_id, -1)
    return row


def next_wave(
    drawn: Drawn, truth: Mapping[int, int], *, gone: frozenset[int], total: int, reading: Reading
) -> Drawn:
    """The draw with the items of its next wave; itself when `total` labels are there.

    `truth` holds what was settled, by record id; `gone` are records that cannot be read, or could not be decided:
    they leave the frame. The probability of the earlier items of a stratum becomes that of the later ones, because
    both waves are one random draw from it.
    """
    data = window_of(drawn.frame)
    strata = strata_of(data)
    ids = np.asarray(drawn.frame.record_id, dtype=np.int64)
    out = np.isin(ids, np.fromiter(gone, dtype=np.int64, count=len(gone)))
    strata = replace(strata, code=np.where(out, -1, strata.code))
    seed = int.from_bytes(hashlib.sha256(drawn.id.encode()).digest()[:4])
    found = next_labels(data, strata, truth_row(drawn, truth), total=total, seed=seed)
    chance = {
        int(strata.code[place]): float(inclusion)
        for place, inclusion in zip(found.index, found.inclusion, strict=True)
    }
    kept = tuple(
        replace(item, inclusion=chance.get(int(strata.code[item.place]), item.inclusion))
        for item in drawn.items
    )
    both = round(reading.overlap * len(found.index))
    more = tuple(
        Item(
            int(ids[place]),
            int(place),
            len(kept) + number,
            float(inclusion),
            reading.readers if number < both else 1,
        )
        for number, (place, inclusion) in enumerate(zip(found.index, found.inclusion, strict=True))
    )
    return replace(drawn, items=(*kept, *more))
