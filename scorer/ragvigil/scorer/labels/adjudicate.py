"""From several people's labels to one: the adjudicator's, else the majority's; a tie goes back to the desk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragvigil.scorer.labels.port import KINDS, MET, Given, Label

_GOOD: tuple[Label, ...] = ("faithful", "pass")


@dataclass(frozen=True, slots=True)
class Settled:
    """What stands of one answer."""

    label: Label | None
    """None: a tie, or nobody could decide."""
    votes: int
    """Labels that say something."""
    disputed: bool
    """As many say faithful as do not: somebody else has to read it."""

    @property
    def truth(self) -> int:
        """1 faithful or pass, 0 not (a partly supported answer is not), -1 not known.

        >>> Settled("partial", 1, False).truth
        0
        """
        return -1 if self.label is None else int(self.label in _GOOD)


def settle(given: Iterable[Given]) -> Settled:
    """One label of all that was said of one answer.

    The latest of the adjudicators' labels settles it. Else the majority decides between faithful and not, and then
    between partial and unfaithful, where a tie is partial. Who skipped has no vote.

    >>> one, other = (Given(1, "", name, label) for name, label in (("ana", "faithful"), ("bo", "partial")))
    >>> settle([one]).label, settle([one, other]).disputed
    ('faithful', True)
    """
    said = list(given)
    final: list[Label] = [one.label for one in said if one.final and one.label != "skip"]
    votes = Counter(one.label for one in said if one.label in (*KINDS, *MET))
    total = sum(votes.values())
    if final:
        return Settled(final[-1], total, disputed=False)
    good = sum(votes[label] for label in _GOOD)
    if good == total - good:
        return Settled(None, total, disputed=total > 0)
    about_criterion = any(votes[label] for label in MET)
    if good > total - good:
        return Settled("pass" if about_criterion else "faithful", total, disputed=False)
    if about_criterion:
        return Settled("fail", total, disputed=False)
    label: Label = "unfaithful" if votes["unfaithful"] > votes["partial"] else "partial"
    return Settled(label, total, disputed=False)


def settled(given: Sequence[Given]) -> Mapping[int, Settled]:
    """What stands of every answer that somebody read, by record id; `given` in order of time."""
    by_record: dict[int, list[Given]] = {}
    for one in given:
        by_record.setdefault(one.record_id, []).append(one)
    return {record_id: settle(said) for record_id, said in by_record.items()}
