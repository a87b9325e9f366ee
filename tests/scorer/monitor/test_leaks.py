"""Personal data in an answer: a ticket at once, one for as long as it goes on, and never the data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from tests.scorer.erasure.kept_bytes import asked
from tests.scorer.scoring.bench import Bench, span

from ragvigil.exporters import Alert, as_text, to_json
from ragvigil.scorer.config import Content, load
from ragvigil.scorer.inbox import Arrival
from ragvigil.scorer.monitor.leaks import LeakWatch

PAGE = Path(__file__).parents[3] / "docs" / "incidents.md"
DAY = 86_400 * 10**9
NOW = 1_772_334_000 * 10**9
ADDRESS = "maria.huber@example.org"


def leaking(trace: int, data: str) -> list[Arrival]:
    """An answer that holds what neither question nor passage does."""
    retrieval = {"openinference__span__kind": "RETRIEVER", "retrieval__documents__0__document__id": "p1"}
    retrieval["retrieval__documents__0__document__content"] = "The lamp weighs 3 kg."
    root = {"openinference__span__kind": "CHAIN", "input__value": "What does the lamp weigh?"}
    root["output__value"] = f"It weighs 3 kg [p1]. Ask {data}."
    return [
        span(trace, "search", parent=True, **retrieval),
        span(trace, "root", parent=False, **root),
    ]


class Desk:
    """A bench with the watch beside its store."""

    def __init__(self, folder: Path, content: Content | None = None) -> None:
        self.bench = Bench(folder, rate=0.0, content=content)
        channel = {"type": "webhook", "url": "https://example.com", "secret": "whsec_" + "c2VjcmV0" * 4}
        self.settings = load(
            overrides={
                "store": {"url": self.bench.settings.store.url},
                "channels": {"tickets": channel},
                "links": {"trace_url_template": "https://tempo.example.com/trace/{trace_id}"},
            }
        )
        self.watch = LeakWatch(self.bench.store.leaks, self.settings)

    def receive(self, *arrivals: Arrival, at: int = NOW) -> list[Alert]:
        """These arrive and are read; what is told."""
        self.bench.receive(list(arrivals))
        self.bench.settle()
        return self.watch.tick(at)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """With one channel."""
    made = Desk(tmp_path)
    yield made
    made.bench.close()


def test_an_address_in_an_answer_is_a_ticket_at_once(desk: Desk) -> None:
    """It names the kind and leads to the trace, and holds neither the data nor the answer."""
    (ticket,) = desk.receive(*leaking(1, ADDRESS), *asked(2, "ana", secret="copper lamp"))
    assert (ticket.action, ticket.severity, ticket.series) == ("trigger", "warning", "leak")
    assert "EMAIL" in ticket.title
    assert ticket.examples[0].url == f"https://tempo.example.com/trace/{ticket.examples[0].trace_id}"
    for text in (as_text(ticket), to_json(ticket)):
        assert "huber" not in text
        assert "weighs" not in text
    assert len(desk.bench.store.outbox.due(2**62, 10)) == 1


def test_more_of_the_same_is_no_second_ticket(desk: Desk) -> None:
    """A hundred answers with an address are one ticket; another kind is told on it."""
    (first,) = desk.receive(*leaking(1, ADDRESS))
    for trace in range(2, 12):
        assert desk.receive(*leaking(trace, ADDRESS), at=NOW + trace) == []
    (update,) = desk.receive(*leaking(20, "DE70 5001 0517 0648 4898 16"), at=NOW + 20)
    assert (update.action, update.dedup_key) == ("update", first.dedup_key)
    assert update.summary.startswith("12 answers so far")
    assert "EMAIL" in update.title
    assert "IBAN" in update.title


def test_a_ticket_survives_restarts_and_ends_after_a_quiet_day(desk: Desk) -> None:
    """The next leak after that is another ticket."""
    (first,) = desk.receive(*leaking(1, ADDRESS))
    desk.watch = LeakWatch(desk.bench.store.leaks, desk.settings)
    assert desk.receive(*leaking(2, ADDRESS), at=NOW + DAY // 2) == []
    assert desk.watch.tick(NOW + DAY) == []
    (end,) = desk.watch.tick(NOW + 2 * DAY)
    assert (end.action, end.dedup_key) == ("resolve", first.dedup_key)
    (second,) = desk.receive(*leaking(3, ADDRESS), at=NOW + 3 * DAY)
    assert (second.action, second.dedup_key != first.dedup_key) == ("trigger", True)


def test_a_crash_between_reading_and_telling_loses_no_ticket(desk: Desk) -> None:
    """What was found waits in the store, in the transaction of its scores."""
    desk.bench.receive(leaking(1, ADDRESS))
    desk.bench.settle()
    desk.bench.crash()
    desk.bench.start()
    (ticket,) = LeakWatch(desk.bench.store.leaks, desk.settings).tick(NOW)
    assert ticket.action == "trigger"


def test_what_the_evidence_holds_is_no_leak(desk: Desk) -> None:
    """An address that a passage gives may be said."""
    assert desk.receive(*asked(1, "ana", secret=f"lamp of {ADDRESS}")) == []


@pytest.mark.parametrize(
    ("mode", "other"),
    [
        *((mode, other) for mode in ("redacted", "full") for other in (ADDRESS, "jo.support@example.org")),
        ("redacted", "support@example.org.example.com"),  # in full it is seen to be a mailbox of a role
    ],
)
def test_what_the_service_may_say_of_itself_is_no_leak(
    tmp_path: Path, mode: Literal["redacted", "full"], other: str
) -> None:
    """Its support's address stands in its instructions, not in a passage; any other address is a leak as before."""
    (documented,) = re.findall(r"```toml\n(\[content\].*?)```", PAGE.read_text(), re.DOTALL)
    content = Content(mode=mode, keep=tomllib.loads(documented)["content"]["keep"])
    desk = Desk(tmp_path, content)
    try:
        assert desk.receive(*leaking(1, "support@example.org or +1 555 010 0000")) == []
        (ticket,) = desk.receive(*leaking(2, f"support@example.org or {other}"), at=NOW + 1)
        assert ticket.summary.startswith("1 answer so far")
        assert "content.keep" in ticket.summary
    finally:
        desk.bench.close()
