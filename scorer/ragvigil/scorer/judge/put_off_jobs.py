"""Jobs whose question keeps failing: they wait apart, longer each time, while others are asked."""

from __future__ import annotations

from dataclasses import dataclass

from ragvigil.scorer.judge.endpoint import LaterError
from ragvigil.scorer.store.port import Job

_LONGEST_SECONDS = 300.0
_MOST = 10
"""Times that a job may be put off, while others are answered, before it is at fault."""
_ANSWERED = 2
"""Answers for each other job that is put off for the first time, from which the endpoint is not what fails."""


@dataclass(slots=True)
class _History:
    answered: int
    """Questions that the endpoint had answered when the job was put off last."""
    others: int
    """Jobs that had been put off at all."""
    at_fault: int = 0
    """Times that it was put off while others were answered."""


class PutOff:
    """Tells a question that no server takes from a server that takes few questions, or none."""

    def __init__(self, *, first_seconds: float = 1.0, most: int = _MOST) -> None:
        """A job at fault rests `first_seconds` at first, and is given up when it was at fault `most` times."""
        self._first = first_seconds
        self._most = most
        self._histories: dict[int, _History] = {}
        self._others = 0

    def rest(self, job: Job, error: LaterError) -> float | None:
        """Seconds that the job waits before it may be asked again; None: it is at fault, and given up.

        Where nobody is answered nobody is at fault, and the next one may go at once: the endpoint has its own pauses.
        """
        history = self._histories.get(id(job))
        if history is None:
            self._others += 1
            self._histories[id(job)] = _History(error.answered, self._others)
            return 0.0
        answered, others = error.answered - history.answered, self._others - history.others
        history.answered, history.others = error.answered, self._others
        if answered > 0 and answered >= _ANSWERED * others:
            history.at_fault += 1
        if history.at_fault >= self._most:
            return None
        return min(self._first * 2.0**history.at_fault, _LONGEST_SECONDS) if history.at_fault else 0.0

    def forget(self, job: Job) -> None:
        """The job is done."""
        self._histories.pop(id(job), None)
