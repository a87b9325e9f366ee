"""What people say about incidents: who has one in hand, and what must not be told for a while."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Protocol

from pydantic import Field, TypeAdapter

from ragvigil.scorer.errors import OrderError
from ragvigil.scorer.monitoring import AnyName, SeriesKey
from ragvigil.scorer.request_files import Answering, RequestFiles

LONGEST_SILENCE_SECONDS = 31 * 86_400
"""A silence that never ends is an alert that nobody decided to delete."""

_LOOK_SECONDS = 0.2


Service = Literal["pagerduty", "slack"]
"""What acknowledgements come back from."""


@dataclass(frozen=True, slots=True)
class Acknowledge:
    """Somebody has an open incident in hand."""

    incident: str
    """Its id, the beginning of it that no other open incident shares, or its dedup key."""
    by: str
    note: str = ""
    via: Service | None = None
    """Where it was said, if not here."""
    automatic: bool = False
    """Whether no person said it there: it may be our own, so it takes nobody's place."""
    kind: Literal["acknowledge"] = "acknowledge"


@dataclass(frozen=True, slots=True)
class Unacknowledge:
    """Whoever had an open incident in hand has not any more."""

    incident: str
    """As for Acknowledge."""
    by: str
    via: Service | None = None
    """As for Acknowledge."""
    kind: Literal["unacknowledge"] = "unacknowledge"


@dataclass(frozen=True, slots=True)
class Silence:
    """Nothing is told of matching incidents from `starts_at` until `ends_at`; what is None matches all."""

    id: str
    starts_at: int
    """Unix time, nanoseconds."""
    ends_at: int
    comment: str
    by: str
    series: AnyName | None = None
    service: str | None = None
    environment: str | None = None
    """Empty: a service that names none."""
    segment: str | None = None
    """Such as ``language=de``: incidents at whose fault that segment is."""
    kind: Literal["silence"] = "silence"

    def matches(self, key: SeriesKey, segment: str | None = None) -> bool:
        """Whether it is about incidents of that series and segment.

        >>> Silence("s", 0, 1, "", "", service="shop").matches(SeriesKey("citation", "shop", None))
        True
        """
        wanted = (self.series, self.service, self.environment, self.segment)
        found = (key.name, key.service, key.environment or "", segment or "")
        return all(want is None or want == have for want, have in zip(wanted, found, strict=True))


@dataclass(frozen=True, slots=True)
class Unsilence:
    """A silence ends now."""

    silence: str
    kind: Literal["unsilence"] = "unsilence"


Order = Annotated[Acknowledge | Unacknowledge | Silence | Unsilence, Field(discriminator="kind")]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an order."""

    id: str
    """Of the incident or silence that it was about; empty when it was refused."""
    problem: str | None = None
    """Why it was refused."""


class OncallStore(Protocol):
    """What is needed of the store, on its one writing thread. Each raises OrderError for what it does not know."""

    def acknowledge(self, wanted: Acknowledge, at: int) -> str:
        """Note who has it in hand; the incident's id. The latest counts."""
        ...

    def unacknowledge(self, wanted: Unacknowledge, at: int) -> str:
        """Nobody has it in hand; the incident's id."""
        ...

    def silence(self, wanted: Silence, at: int) -> str:
        """Keep it; its id. The same one twice is one."""
        ...

    def unsilence(self, wanted: Unsilence, at: int) -> str:
        """End it now; its id."""
        ...


def order_requests(inbox: Path) -> RequestFiles[Order, Answer]:
    """The folder of orders in an inbox."""
    order: TypeAdapter[Order] = TypeAdapter(Order)
    return RequestFiles(inbox / "orders", order, TypeAdapter(Answer))


class OrderDesk(Answering[Order, Answer]):
    """Carries out the orders that wait."""

    def __init__(
        self,
        requests: RequestFiles[Order, Answer],
        store: OncallStore,
        *,
        now: Callable[[], int] = time.time_ns,
    ) -> None:
        super().__init__(requests, self._carry_out, look_seconds=_LOOK_SECONDS)
        self._store = store
        self._now = now

    def _carry_out(self, order: Order) -> Answer:
        now = self._now()
        try:
            match order:
                case Acknowledge():
                    return Answer(self._store.acknowledge(order, now))
                case Unacknowledge():
                    return Answer(self._store.unacknowledge(order, now))
                case Silence():
                    return Answer(self._store.silence(order, now))
                case Unsilence():
                    return Answer(self._store.unsilence(order, now))
        except OrderError as error:
            return Answer("", str(error))
