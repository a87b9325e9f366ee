"""What never reached the scorer: counted, said in the log, as a metric, and on the next span that gets through."""

from __future__ import annotations

import threading

from opentelemetry import metrics

from ragvigil.tracer import attributes as names
from ragvigil.tracer._gate import Gate, sdk
from ragvigil.tracer._notices import Notices

NOT_RECORDED = "calls not recorded"
"""Why spans are missing that were never made, because they would not have arrived."""


class Losses:
    """The spans of one delivery that were lost, and how many of them the scorer has heard of."""

    def __init__(self, notices: Notices, gate: Gate) -> None:
        self._notices = notices
        self._gates = (gate, sdk.gate)
        self._dropped = 0
        self.told = 0
        """Of the dropped spans, those that the scorer has heard of."""
        self._counter = metrics.get_meter(names.SCOPE_NAME).create_counter(
            "ragvigil.tracer.dropped_spans",
            unit="{span}",
            description="RAG spans that never reached the scorer",
        )
        sdk.gate.take()  # of the time before this delivery, and nobody's to tell
        self.renew()

    def renew(self) -> None:
        """Take a fresh lock; what was lost before a fork is the parent's to tell."""
        self._lock = threading.RLock()
        self.told = self._dropped

    @property
    def total(self) -> int:
        """All spans lost so far, those included that were never made."""
        return self._dropped + sum(gate.passed_by for gate in self._gates)

    def drop(self, count: int, cause: str, reason: BaseException | str) -> None:
        """Count spans that are lost, and say so."""
        self._notices.say(cause, reason)
        self._add(count, cause)

    def collect(self) -> int:
        """Add the calls that the gates have passed by, which costs more than a call may; all losses so far."""
        passed_by = sum(gate.take() for gate in self._gates)
        if passed_by:
            self._add(passed_by, NOT_RECORDED)
        return self._dropped

    def _add(self, count: int, reason: str) -> None:
        with self._lock:
            self._dropped += count
        try:
            self._counter.add(count, {"reason": reason})
        except (Exception, SystemExit) as error:
            self._notices.say("dropped spans are no metric", error)
