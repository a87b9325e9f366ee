"""What was spent, and how much of a limit may be spent now: a bucket that leaks evenly."""

from __future__ import annotations

from typing import NamedTuple

MINUTE, DAY = 60.0, 86_400.0
_AT_ONCE = 0.2
"""Share of a limit that may be spent at once; what is left of it is spread evenly over the minute or the day."""
_MOST_AT_ONCE = 0.5


class Spent(NamedTuple):
    """What judging took."""

    calls: float = 0.0
    tokens: float = 0.0
    usd: float = 0.0

    def __add__(self, other: object) -> Spent:  # of a tuple it would be longer
        """Both together.

        >>> (Spent(1, 10) + Spent(2)) * 0.5
        Spent(calls=1.5, tokens=5.0, usd=0.0)
        """
        return (
            Spent(*(a + b for a, b in zip(self, other, strict=True)))
            if isinstance(other, Spent)
            else NotImplemented
        )

    def __mul__(self, factor: object) -> Spent:
        """A part of it."""
        return Spent(*(a * factor for a in self)) if isinstance(factor, float) else NotImplemented


class Limit(NamedTuple):
    """One setting of ``[sample]``, as a bucket (Turner, IEEE Commun Mag 24(10):8, 1986).

    What is spent goes in, and leaks out at `per_second`; no more goes in than `at_once`. As `at_once` and what leaks
    out in the limit's minute or day are `most` together, no stretch of that length, wherever it begins, takes more.
    """

    name: str
    most: float
    """Calls, tokens or US dollars, above 0."""

    @property
    def seconds(self) -> float:
        """How long the stretch is that must not take more than `most`."""
        return DAY if self.name.endswith("_day") else MINUTE

    @property
    def at_once(self) -> float:
        """A fifth of it, and a whole call where a fifth is less; never more than half.

        >>> [Limit("calls_per_minute", most).at_once for most in (60.0, 3.0, 1.0)]
        [12.0, 1.0, 0.5]
        """
        least = 1.0 if self.name.startswith("calls") else 0.0
        return min(max(_AT_ONCE * self.most, least), _MOST_AT_ONCE * self.most)

    @property
    def evenly(self) -> float:
        """What of it is spread over its minute or day."""
        return self.most - self.at_once

    @property
    def per_second(self) -> float:
        """How fast what was spent leaks out."""
        return self.evenly / self.seconds

    def of(self, spent: Spent) -> float:
        """What of `spent` it limits."""
        return float(getattr(spent, self.name.partition("_")[0]))

    def left(self, held: float, seconds: float) -> float:
        """What is left in the bucket of `held`, so much later.

        >>> Limit("calls_per_minute", 60.0).left(12.0, 10.0)
        4.0
        """
        return max(0.0, held - self.per_second * max(0.0, seconds))

    def wait(self, held: float, cost: float) -> float:
        """Seconds until `cost` may be spent while the bucket holds `held`; 0: now.

        What is more than the bucket holds waits until it is empty, and then goes.

        >>> limit = Limit("calls_per_minute", 60.0)
        >>> limit.wait(11.0, 1.0), limit.wait(12.0, 1.0), limit.wait(8.0, 99.0)
        (0.0, 1.25, 10.0)
        """
        beyond = min(held + cost - self.at_once, held)
        return max(0.0, beyond) / self.per_second
