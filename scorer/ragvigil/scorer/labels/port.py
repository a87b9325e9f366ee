"""What is drawn for people, what they say, and what the one writer of the store is asked to keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol

from pydantic import Field

Label = Literal["faithful", "partial", "unfaithful", "pass", "fail", "skip"]
"""Every statement is carried by the passages; some are; a decisive one is not or all are not; a criterion is met; it
is not; cannot be decided."""
KINDS: tuple[Label, ...] = ("faithful", "partial", "unfaithful")
"""Labels that say something of an answer's faithfulness."""
MET: tuple[Label, ...] = ("pass", "fail")
"""Labels that say something of a criterion."""


def labels_for(criterion: str) -> tuple[Label, ...]:
    """The labels that may be given: of a criterion of the team's own, or of faithfulness where that is empty.

    >>> labels_for("tone")
    ('pass', 'fail', 'skip')
    """
    return (*(MET if criterion else KINDS), "skip")


@dataclass(frozen=True, slots=True)
class Dimension:
    """One dimension of the segments, of every record of a frame."""

    values: tuple[str, ...]
    """The common ones, most common first."""
    codes: tuple[int, ...]
    """Index into `values`; -1 for a rare or unknown one."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The traffic that a draw was made from, as it stood then: numbers only, no content. Columns of one length."""

    record_id: tuple[int, ...]
    verdict: tuple[int, ...]
    """1 passed, 0 failed, -1 none."""
    judged: tuple[bool, ...]
    inclusion: tuple[float, ...]
    """Probability with which the record was to be judged."""
    cheap: tuple[float, ...]
    conversation: tuple[int, ...]
    dimensions: Mapping[str, Dimension]


@dataclass(frozen=True, slots=True)
class Item:
    """One answer that was drawn."""

    record_id: int
    place: int
    """Its place in the frame."""
    position: int
    """In which order people read: random, so that it says nothing of the verdict."""
    inclusion: float
    """Probability in (0, 1] with which it was drawn among the judged of its stratum."""
    readers: int = 1
    """How many people are to read it."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw for one service."""

    id: str
    service: str
    environment: str
    """Empty for a service that names none."""
    since: int
    """Unix nanoseconds."""
    until: int
    judge: str
    """Version and prompt digest of the judge whose verdicts are in the frame."""
    created_at: int
    frame: Frame
    items: tuple[Item, ...]
    criterion: str = ""
    """Id of the criterion that people decide; empty: faithfulness."""


@dataclass(frozen=True, slots=True)
class Given:
    """What one person says of one answer."""

    record_id: int
    input_hash: str
    """Hex, of what was read: an answer that changes later has not been read."""
    annotator: str
    label: Label
    note: str = ""
    final: bool = False
    """Said as adjudicator: it settles what others say."""
    source: Literal["desk", "file"] = "desk"
    criterion: str = ""


@dataclass(frozen=True, slots=True)
class KeepDraw:
    """A draw, or one that was extended."""

    drawn: Drawn
    kind: Literal["draw"] = "draw"


@dataclass(frozen=True, slots=True)
class KeepLabels:
    """Labels; of the same person and answer the latest counts."""

    given: tuple[Given, ...]
    kind: Literal["labels"] = "labels"


@dataclass(frozen=True, slots=True)
class TakeBack:
    """One person's label of one answer is no more."""

    record_id: int
    annotator: str
    criterion: str = ""
    kind: Literal["take_back"] = "take_back"


LabelOrder = Annotated[KeepDraw | KeepLabels | TakeBack, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of an order."""

    rows: int
    """Items or labels written or taken back; those of answers that are gone or have changed are not."""


class LabelStore(Protocol):
    """What is needed of the store, on its one writing thread; each is one transaction."""

    def keep_draw(self, drawn: Drawn) -> int:
        """Write the draw and its items, in place of what was kept under its id; how many items."""
        ...

    def keep_labels(self, given: Sequence[Given], at: int) -> int:
        """Write labels of answers that are still as they were read; how many."""
        ...

    def take_back(self, record_id: int, annotator: str, criterion: str) -> int:
        """Delete that label; how many there were."""
        ...
