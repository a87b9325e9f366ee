"""The alert as JSON, and the room without its optional client."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil import exporters
from ragvigil.exporters import Acknowledgement, Alert, Example, as_text, clean, from_json, to_json


def test_an_alert_survives_the_outbox(alert: Alert) -> None:
    """Every field, optional ones with and without a value."""
    bare = replace(alert, environment=None, link=None, segment={}, examples=())
    assert from_json(to_json(alert)) == alert
    assert from_json(to_json(bare)) == bare


def test_what_may_be_missing_survives_when_it_is_there(alert: Alert) -> None:
    """An outbox that an older version filled has none of it."""
    said = Acknowledgement("ana", alert.at, "rolling back")
    told = replace(
        alert, history_from=alert.since, history_until=alert.at, acknowledged=said, cause={"tenant": "acme"}
    )
    assert from_json(to_json(told)) == told
    older = json.loads(to_json(told))
    for name in ("history_from", "history_until", "acknowledged", "cause"):
        del older[name]
    assert from_json(json.dumps(older)) == alert


@given(text=st.text())
def test_any_text_survives_the_outbox(text: str) -> None:
    """Also what no terminal should see: cleaning is the renderers' matter."""
    alert = _with_text(text)
    assert from_json(to_json(alert)) == alert


@given(text=st.text())
def test_any_text_is_printable_in_a_page(text: str) -> None:
    """Whatever a trace held."""
    for line in as_text(_with_text(text)).split("\n"):
        assert not any(ord(character) < 32 or 0x7F <= ord(character) < 0xA0 for character in line)
        assert not any(character in line for character in "\u202a\u202e\u2066\u2028\ufeff")
        line.encode()


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "null", "{}", '{"since": 3}', "[" * 100_000])
def test_what_is_no_alert_is_a_value_error(text: str) -> None:
    """Damage in the outbox is one error, not a dozen kinds."""
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the parser's
        from_json(text)


def test_unknown_fields_are_left_out(alert: Alert) -> None:
    """An outbox written by a newer version is still delivered."""
    newer = json.dumps({**json.loads(to_json(alert)), "chart": "▁▂▃"})
    assert from_json(newer) == alert


def test_long_text_is_cut_with_a_sign() -> None:
    """And never looked at as a whole."""
    assert clean("x" * 10_000_000, limit=10) == "xxxxxxxxx…"


def test_the_room_imports_without_httpx() -> None:
    """A service that installs the base alone can import it; a channel names the command to run."""
    program = (
        "import sys; sys.modules['httpx'] = None\n"
        "from ragvigil.exporters import PagerDuty, as_text\n"
        "try: PagerDuty('0' * 32)\n"
        "except ImportError as error: sys.stdout.write(str(error))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "httpx is not installed; run: pip install 'ragvigil[scorer]'"


def test_all_names_what_the_room_offers() -> None:
    """Constants first, each kind sorted, and nothing missing."""
    offered = {name for name in vars(exporters) if not name.startswith("_")}
    assert set(exporters.__all__) == offered
    assert list(exporters.__all__) == sorted(exporters.__all__, key=lambda name: (not name.isupper(), name))


def _with_text(text: str) -> Alert:
    measurement = exporters.Measurement(0.5, 0.4, 0.6, 80)
    moment = exporters.from_json(_EMPTY).at
    example = Example(text, text, text, text, text)
    return Alert(
        text, text, "update", "info", text, text, text, text, text, measurement, measurement,
        since=moment, at=moment, segment={text: text}, examples=(example,), link=text,
    )  # fmt: skip


_EMPTY = json.dumps(
    {
        **dict.fromkeys(("incident_id", "dedup_key", "series", "service", "title", "summary"), ""),
        "action": "trigger",
        "severity": "info",
        "environment": None,
        "link": None,
        "before": {"value": 0.5, "lower": 0.4, "upper": 0.6, "n": 80},
        "now": {"value": 0.5, "lower": 0.4, "upper": 0.6, "n": 80},
        "since": "2026-03-01T03:00:00Z",
        "at": "2026-03-01T03:00:00Z",
        "segment": {},
        "examples": [],
    }
)
