"""Which strata have a probability of their own where there are too many: those of services that page come first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ragvigil.scorer.monitoring import rank
from ragvigil.scorer.trace import Place


def nowhere_ill() -> Collection[Place]:
    """Places with an incident that is not resolved."""
    return ()


class Waiting:
    """Strata that page and have no probability of their own, and how often they came."""

    def __init__(
        self,
        most: int,
        *,
        told: Callable[[Place], bool],
        ill: Callable[[], Collection[Place]],
    ) -> None:
        """So many have one; `told` says of which places somebody is told, `ill` which have an open incident."""
        self._most = most
        self._told, self._ill = told, ill
        self._places: dict[str, Place] = {}
        self._counts: dict[str, float] = {}

    def has_its_own(self, stratum: str, place: Place | None) -> None:
        """A record of a stratum that has one."""
        if place is not None:
            self._places[stratum] = place
        self._counts.pop(stratum, None)

    def came(self, stratum: str, place: Place | None) -> None:
        """A record of one that has none.

        The count is bounded, and never too high (Misra and Gries 1982, Sci Comput Program 2:143).
        """
        if place is None or not self._told(place):
            return
        if stratum in self._counts or len(self._counts) < self._most:
            self._counts[stratum] = self._counts.get(stratum, 0.0) + 1.0
            self._places[stratum] = place
        else:
            self._counts = {name: count - 1.0 for name, count in self._counts.items() if count > 1.0}

    def swaps(self, own: Mapping[str, float], keep: float) -> Sequence[tuple[str, str, float]]:
        """(who gets one, who loses it, records of the first), where these have one and came so often.

        Of what was counted the share `keep` is left. Of a stratum that did not come since the start nobody knows
        whether it pages: it keeps its own.
        """
        self._counts = {name: count * keep for name, count in self._counts.items() if count * keep > 0.01}
        self._places = {name: at for name, at in self._places.items() if name in own or name in self._counts}
        if not self._counts or len(own) < self._most:
            return ()
        ill = self._ill()
        counts = {**self._counts, **own}

        def order(name: str) -> tuple[bool, bool, float, bool]:
            place = self._places.get(name)
            told = place is None or self._told(place)
            return rank(told=told, ill=place in ill, answers=counts[name], chosen=name in own)

        ranked = sorted(counts, key=order)
        losing = [name for name in ranked[len(own) :] if name in own]
        gaining = [name for name in ranked[: len(own)] if name not in own]
        return [(gains, loses, self._counts.pop(gains)) for gains, loses in zip(gaining, losing, strict=True)]
