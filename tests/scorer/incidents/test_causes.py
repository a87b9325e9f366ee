"""Which incidents share a cause."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragvigil.exporters import Measurement
from ragvigil.scorer.incidents.causes import explaining
from ragvigil.scorer.monitoring import AnyName, Incident, SeriesKey

HOUR = 3_600 * 10**9
NOON = 1_788_264_000 * 10**9
GOOD, BAD = Measurement(0.95, 0.94, 0.96, 5_000), Measurement(0.5, 0.4, 0.6, 80)


def fallen(name: AnyName, *, since: int = NOON, segment: str | None = None) -> Incident:
    """An incident that everybody knows of."""
    key = SeriesKey(name, "shop", "production")
    return Incident(f"inc-{name}", key, name, since, since, GOOD, BAD, BAD, segment=segment)


def explained(effect: Incident, cause: Incident, *, now: int = NOON + HOUR) -> bool:
    """Whether that one explains this one, within an hour."""
    return explaining(effect, [cause], within=HOUR, now=now) is cause


def test_falls_of_one_hour_share_a_cause() -> None:
    """Whichever was told first; an hour and a second later it is news."""
    assert explained(fallen("citation"), fallen("retrieval"))
    assert explained(fallen("retrieval"), fallen("citation"))
    assert explained(fallen("citation", since=NOON + HOUR), fallen("retrieval"))
    assert not explained(fallen("citation", since=NOON + HOUR + 10**9), fallen("retrieval"))


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("language=de", "language=de", True),
        ("language=de", None, True),
        (None, "language=de", True),
        ("language=de", "language=fr", False),
    ],
)
def test_a_fall_of_one_segment_does_not_explain_that_of_another(
    one: str | None, other: str | None, shared: bool
) -> None:
    """All traffic is every segment's."""
    assert explained(fallen("citation", segment=one), fallen("retrieval", segment=other)) is shared


def test_what_nobody_was_told_and_what_was_withdrawn_explains_nothing() -> None:
    """Nor does what is no fall: no answers, or a level under the floor that was set."""
    for change in ({"told": False}, {"withdrawn": True}, {"before": replace(GOOD, method="floor")}):
        assert not explained(fallen("citation"), replace(fallen("retrieval"), **change))
    assert not explained(fallen("citation"), fallen("traffic"))
    assert not explained(
        replace(fallen("citation"), before=replace(GOOD, method="floor")), fallen("retrieval")
    )


def test_a_cause_that_is_over_explains_for_as_long_again() -> None:
    """What it did is seen later in a series of fewer observations."""
    over = replace(fallen("retrieval"), resolved_at=NOON + HOUR)
    assert explained(fallen("citation"), over, now=NOON + 2 * HOUR - 1)
    assert not explained(fallen("citation"), over, now=NOON + 2 * HOUR)
