"""Values under defined names: what one snapshot holds, and how it goes from one process to another."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from ragvigil.scorer.metrics.names import DEFINITIONS

OTHER = "other"
"""What stands for all values of a label beyond its bound."""
_LONGEST = 120
_DIGITS = 8


class Exemplar(NamedTuple):
    """One answer behind a bucket."""

    trace_id: str
    span_id: str
    value: float
    at: int
    """Unix nanoseconds."""


class Sample(NamedTuple):
    """One value of a gauge or counter; `labels` in the order of its definition."""

    name: str
    labels: tuple[str, ...]
    value: float


class Histogram(NamedTuple):
    """One histogram; each bucket is (upper edge, values at or under it, one of its own)."""

    name: str
    labels: tuple[str, ...]
    buckets: tuple[tuple[float, int, Exemplar | None], ...]
    total: float
    """Sum of the values."""


def label(value: object) -> str:
    r"""The value as a label: printable, at most 120 characters; what had to be changed ends in a digest of it.

    So two values never become one by being cleaned.

    >>> label("help desk"), label("a\nb")
    ('help desk', 'a b~7e18f737')
    >>> label("x" * 1000)[-9:]
    '~44f83544'
    """
    text = str(value)
    plain = "".join(one if one.isprintable() else " " for one in text)[:_LONGEST]
    if plain == text:
        return text
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:_DIGITS]
    return f"{plain[: _LONGEST - _DIGITS - 1]}~{digest}"


@dataclass(slots=True)
class Measures:
    """One snapshot, filled value by value."""

    at: int
    """When it was made, Unix nanoseconds."""
    samples: dict[tuple[str, tuple[str, ...]], float]
    histograms: list[Histogram]

    @classmethod
    def empty(cls, at: int) -> Self:
        """Nothing measured yet."""
        return cls(at, {}, [])

    @property
    def names_traces(self) -> bool:
        """Whether any bucket has an exemplar."""
        return any(seen is not None for one in self.histograms for _, _, seen in one.buckets)

    def put(self, name: str, value: float, *labels: object) -> None:
        """Set a value; raises KeyError for a metric that is not defined, ValueError for other labels than its own."""
        self.samples[name, self._labels(name, labels)] = float(value)

    def add(self, name: str, value: float, *labels: object) -> None:
        """Add to a value, which begins at 0."""
        key = (name, self._labels(name, labels))
        self.samples[key] = self.samples.get(key, 0.0) + float(value)

    def put_histogram(
        self,
        name: str,
        labels: Sequence[object],
        buckets: Iterable[tuple[float, int, Exemplar | None]],
        total: float,
    ) -> None:
        """Set a histogram; edges rise, counts are cumulative, the last edge is infinite."""
        self.histograms.append(Histogram(name, self._labels(name, labels), tuple(buckets), total))

    def to_json(self) -> str:
        """For `from_json`, in another process."""
        samples = [[name, labels, value] for (name, labels), value in self.samples.items()]
        return json.dumps({"at": self.at, "samples": samples, "histograms": self.histograms})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """What `to_json` was given; names that are not defined here, of another version, are left out.

        Raises ValueError when it is none.
        """
        try:
            found: dict[str, Any] = json.loads(text)
            samples = {(name, tuple(labels)): float(value) for name, labels, value in found["samples"]}
            histograms = [_histogram(row) for row in found["histograms"]]
            at = int(found["at"])
        except (KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ValueError(f"no snapshot: {type(error).__name__}: {error}") from None
        return cls(
            at,
            {key: value for key, value in samples.items() if _known(*key)},
            [one for one in histograms if _known(one.name, one.labels)],
        )

    @staticmethod
    def _labels(name: str, labels: Sequence[object]) -> tuple[str, ...]:
        known = DEFINITIONS[name].labels
        if len(labels) != len(known):
            raise ValueError(f"{name} has the labels {known}, not {len(labels)} values")
        return tuple(label(one) for one in labels)


def _known(name: str, labels: tuple[str, ...]) -> bool:
    return name in DEFINITIONS and len(DEFINITIONS[name].labels) == len(labels)


def _histogram(row: Sequence[Any]) -> Histogram:
    name, labels, buckets, total = row
    told = tuple(
        (float(edge), int(count), None if seen is None else Exemplar(*seen)) for edge, count, seen in buckets
    )
    return Histogram(name, tuple(labels), told, float(total))
