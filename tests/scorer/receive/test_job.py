"""What `ragvigil serve` says when it is ready."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from ragvigil.scorer.config import load
from ragvigil.scorer.receive import job
from ragvigil.scorer.receive.serve import Bound
from ragvigil.scorer.receive.settings import receiving

Banner = Callable[[dict[str, object]], list[str]]


@pytest.fixture
def banner(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Banner:
    """The lines for some settings, of a receiver that is ready and ends."""

    def ready_at_once(*_: object, ready: Callable[[Bound], None], **options: Any) -> int:
        ready(Bound("127.0.0.1:1", "127.0.0.1:2"))
        return 0

    def lines(settings: dict[str, object]) -> list[str]:
        receiver = receiving(load(overrides=settings))
        job.run(job.Job(receiver, (), False, "sqlite:///x.db", "1.0", "oncall", False, logging.WARNING))
        return capfd.readouterr().out.splitlines()

    monkeypatch.setattr(job, "run_receive", ready_at_once)
    return lines


def test_the_banner_names_what_is_followed_and_who_gets_a_copy(banner: Banner) -> None:
    """It named neither: a path with a typo looked as one that is read."""
    said = banner(
        {
            "sources": {"files": ["/logs/traces*.json", "/other"], "stdin": True},
            "forward": {"tempo": {"url": "http://tempo:4318"}, "far": {"url": "grpc://far:4317"}},
        }
    )
    assert said[3:5] == [
        "  reads      /logs/traces*.json, /other, standard input",
        "  forwards   tempo (http://tempo:4318), far (grpc://far:4317)",
    ]


def test_the_banner_is_short_where_nothing_is_followed_or_forwarded(banner: Banner) -> None:
    """Addresses, store and pages."""
    assert [line.split()[0] for line in banner({})] == ["ragvigil", "OTLP", "OTLP", "store", "pages"]
