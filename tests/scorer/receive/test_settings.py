"""The receiving role's settings on their way from the process that read them to the one that receives."""

from __future__ import annotations

from pathlib import Path

from ragvigil.scorer.config import load
from ragvigil.scorer.receive.settings import from_json, receiving, to_json


def test_settings_arrive_as_they_were_sent(tmp_path: Path) -> None:
    """Every field, with paths, tuples and secrets, also of backends."""
    backend = {
        "url": "https://traces.example.com/otel",
        "signals": ["traces"],
        "headers": {"authorization": "Bearer abc"},
        "header_files": {"x-key": str(tmp_path / "key")},
        "pass_headers": ["x-tenant"],
        "compression": "none",
        "ca_file": str(tmp_path / "ca.pem"),
        "retry_seconds": 60,
    }
    settings = receiving(
        load(
            overrides={
                "receive": {"token": "a-long-enough-token", "max_span_bytes": 1_000},
                "inbox": {"path": tmp_path / "inbox", "commit_seconds": 0.25},
                "sources": {"files": ["/var/log/otel/*.jsonl"], "stdin": True, "poll_seconds": 2},
                "inbound": {"slack_signing_secret": "hush"},
                "forward": {"first": backend, "second": {"url": "grpc://127.0.0.1:4999"}},
            }
        )
    )
    assert settings.token == "a-long-enough-token"
    assert settings.forward["first"].headers == {"authorization": "Bearer abc"}
    assert settings.forward["first"].ca_file == tmp_path / "ca.pem"
    assert (settings.max_span_bytes, settings.commit_seconds, settings.poll_seconds) == (1_000, 0.25, 2)
    assert from_json(to_json(settings)) == settings


def test_secrets_are_not_shown() -> None:
    """Neither the token nor the headers of a backend stand in a log of the settings."""
    settings = receiving(
        load(
            overrides={
                "receive": {"token": "hidden-token"},
                "inbound": {"pagerduty_secret": "hidden-secret"},
                "forward": {"one": {"url": "http://10.0.0.1:4318", "headers": {"x-key": "hidden-key"}}},
            }
        )
    )
    assert "hidden" not in repr(settings)
