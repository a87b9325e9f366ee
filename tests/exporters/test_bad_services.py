"""Services that misbehave, and alerts that are far too large: nothing is followed, a page still arrives."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.exporters.conftest import Service, serving
from tests.exporters.contracts import CONTRACTS, Channel
from tests.exporters.situations import SITUATIONS

from ragvigil.exporters import Alert, Apprise, Example, Outcome

TRIGGER = SITUATIONS["trigger"]


def built(name: str, base: str) -> Channel:
    """Every channel that speaks HTTP."""
    if name == "apprise":
        return Apprise(f"{base.replace('http', 'json')}/hush-hush")
    return CONTRACTS[name].build(base, 15.0)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("name", [*CONTRACTS, "apprise"])
async def test_a_redirect_to_a_private_address_is_not_followed(
    service: Service, name: str, status: int
) -> None:
    """Nor to any other: the page waits, and somebody can mend the address."""
    with serving() as private:
        private.status = 200
        service.status, service.headers = status, {"location": f"{private.base}/latest/meta-data"}
        outcome = await built(name, service.base).send(TRIGGER)
        assert private.received == []
    reason = "not_sent" if name == "apprise" else f"http_{status}"
    assert outcome == Outcome(delivered=False, retry=True, reason=reason)


def grown(alert: Alert) -> Alert:
    """Five megabytes of a trace's text, in every place that can hold it."""
    text = (
        "<script>alert(1)</script> @everyone <!channel> **[x](http://evil.example)** \u202e\x1b[31m" * 12_000
    )
    example = Example("ab" * 16, text, text, text, f"https://tempo.example.com/{'x' * 100_000}")
    return replace(
        alert, title=text, summary=f"{text}\n" * 6, examples=(example,) * 40, segment={text: text, "language": text},
        history=(0.5,) * 100_000,
    )  # fmt: skip


@pytest.mark.parametrize("name", CONTRACTS)
async def test_five_megabytes_of_hostile_text_become_a_small_message(service: Service, name: str) -> None:
    """Each channel sends what its service takes: at most half a megabyte, still a page."""
    contract = CONTRACTS[name]
    alert = grown(TRIGGER)
    assert len(alert.summary) > 5_000_000
    service.status, service.body = 200, contract.answer
    outcome = await contract.build(service.base, 15.0).send(alert)
    assert outcome.delivered, outcome.reason
    assert service.received
    for request in service.received:
        contract.check(request)
        assert not {"\u202e", "\x1b"} & set(request.said().decode())


@pytest.mark.parametrize(("filling", "delivered"), [(b" ", True), (b"x", False)])
async def test_an_answer_of_five_megabytes_is_not_read_to_its_end(
    service: Service, filling: bytes, *, delivered: bool
) -> None:
    """What of it is read decides; when that is no answer, the page is sent again."""
    service.status = 200
    service.body = b'{"ok": true, "channel": "C1", "ts": "1"}' + filling * 5_000_000
    outcome = await CONTRACTS["slack"].build(service.base, 15.0).send(TRIGGER)
    assert (outcome.delivered, outcome.retry) == (delivered, not delivered)
