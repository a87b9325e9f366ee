"""Who reads what next."""

from __future__ import annotations

from collections.abc import Sequence

from ragvigil.scorer.labels.adjudicate import settle
from ragvigil.scorer.labels.port import Drawn, Given


def waiting_for(
    annotator: str, draws: Sequence[Drawn], given: Sequence[Given], *, adjudicating: bool = False
) -> list[int]:
    """Record ids that this person is to read, in order: disputed ones first, then what lacks readers.

    An adjudicator gets the disputed ones only, also those that they read before. Nobody else reads an answer
    twice. A skipped answer counts as read by who skipped it, so that it does not come back to them.
    """
    said: dict[int, list[Given]] = {}
    for one in given:
        said.setdefault(one.record_id, []).append(one)
    disputed: list[int] = []
    rest: list[int] = []
    for drawn in draws:
        for item in drawn.items:
            those = said.get(item.record_id, [])
            mine = any(one.annotator == annotator for one in those)
            if settle(those).disputed and len(those) >= item.readers:
                if adjudicating or not mine:
                    disputed.append(item.record_id)
            elif not adjudicating and not mine and len(those) < item.readers:
                rest.append(item.record_id)
    return list(dict.fromkeys((*disputed, *rest)))


def unread(drawn: Drawn, given: Sequence[Given]) -> int:
    """How many items of a draw lack a reader, or are disputed."""
    said: dict[int, list[Given]] = {}
    for one in given:
        said.setdefault(one.record_id, []).append(one)
    return sum(
        len(those) < item.readers or settle(those).disputed
        for item in drawn.items
        for those in (said.get(item.record_id, []),)
    )
