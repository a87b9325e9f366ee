"""What the receive process answers a scrape with: the score process's snapshot, and its own counts."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from ragvigil.scorer.metrics import file
from ragvigil.scorer.metrics.exposition import exposition
from ragvigil.scorer.metrics.measures import Measures

_PLAIN = {
    "spans": "ragvigil_received_spans_total",
    "logs": "ragvigil_received_log_records_total",
    "bytes": "ragvigil_received_bytes_total",
}
_GROUPED = {
    "requests": "ragvigil_received_requests_total",
    "rejected": "ragvigil_rejected_items_total",
    "refused": "ragvigil_refused_requests_total",
}
_GAUGES_OF_A_DEAD_SCORER = ("ragvigil_scorer_evaluated_timestamp_seconds", "ragvigil_label_values_folded")


@dataclass(frozen=True, slots=True)
class Scrape:
    """Answers scrapes over one inbox folder."""

    folder: Path
    stale_seconds: float
    """Age above which a snapshot is a dead scorer's: its gauges are left out, for they would look healthy."""
    now: Callable[[], int] = time.time_ns

    def answer(self, received: Mapping[str, int], accept: str) -> tuple[bytes, str]:
        """Body and Content-Type; `received` as `Counters.flat` has it."""
        return exposition(self.measures(received), accept)

    def measures(self, received: Mapping[str, int]) -> Measures:
        """Everything that is known now."""
        found = file.read(self.folder)
        now = self.now()
        fresh = found is not None and now - found.at <= self.stale_seconds * 1e9
        told = Measures.empty(now) if found is None else found if fresh else _remains(found)
        told.put("ragvigil_scorer_up", float(fresh))
        if found is not None:
            told.put("ragvigil_scorer_told_timestamp_seconds", found.at / 1e9)
        told.put("ragvigil_build_info", 1.0, version("ragvigil"), platform.python_version())
        for name, count in received.items():
            _count(told, name, count)
        return told


def _remains(found: Measures) -> Measures:
    """What stays true of a scorer that does not tell any more: its counts, and when it last evaluated."""
    kept = {
        key: value
        for key, value in found.samples.items()
        if key[0].endswith("_total") or key[0] in _GAUGES_OF_A_DEAD_SCORER
    }
    return Measures(found.at, kept, found.histograms)


def _count(told: Measures, name: str, count: int) -> None:
    group, _, key = name.partition(".")
    if name in _PLAIN:
        told.put(_PLAIN[name], count)
    elif group in _GROUPED:
        told.put(_GROUPED[group], count, key)
    elif group == "forwarded":
        backend, _, outcome = key.partition(".")
        told.put("ragvigil_forwarded_requests_total", count, backend, outcome)
