"""What programs are told of moments: ISO 8601 everywhere, for many a JSON reader rounds nanoseconds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import cast

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer.config import Settings
from ragvigil.scorer.moments import dated

from .browser import Browser
from .conftest import BAD, INCIDENT


def numbers(found: object) -> Iterator[float]:
    """Every number, however deep."""
    if isinstance(found, dict):
        yield from numbers([*cast("dict[str, object]", found).values()])
    elif isinstance(found, list):
        for one in cast("list[object]", found):
            yield from numbers(one)
    elif isinstance(found, int | float):
        yield found


@pytest.mark.parametrize(
    "arguments",
    [("status",), ("incidents", "--all"), ("diagnose", INCIDENT), ("report", "--since", "2020-01-01")],
    ids=" ".join,
)
def test_no_command_tells_a_program_a_moment_as_a_number(
    pages: Browser, settings: Settings, arguments: tuple[str, ...]
) -> None:
    """`status` told nanoseconds where `incidents` told ISO 8601."""
    del pages
    shown = ragvigil(*arguments, "--json", "--store", str(settings.store.path))
    found = json.loads(shown.stdout)
    assert max(numbers(found), default=0) < 10**9, shown.stdout
    moments = [found["incidents"][0]["opened_at"]] if "status" in arguments else []
    moments += [found["onset"]["at"]] if "diagnose" in arguments else []
    assert all(datetime.fromisoformat(moment).tzinfo == UTC for moment in moments)


@pytest.mark.parametrize("address", ["", "/incidents", f"/incidents/{INCIDENT}", f"/answers/{BAD.trace_id}"])
def test_no_page_as_json_tells_a_moment_as_a_number(pages: Browser, address: str) -> None:
    """Also where a page had it as a date of its own."""
    found = pages.get(f"/api{address}")
    assert max(numbers(found.json()), default=0) < 10**9, found.text
    assert "+00:00" not in found.text


def test_a_date_and_a_place_in_a_text_stay_what_they_are() -> None:
    """Only moments are told as such."""
    at = datetime(2026, 3, 1, 3, tzinfo=UTC)
    assert dated([{"at": at, "start": 12, "used_bytes": 10**16, "at_most": 10**16}]) == [
        {"at": "2026-03-01T03:00:00.000000Z", "start": 12, "used_bytes": 10**16, "at_most": 10**16}
    ]
