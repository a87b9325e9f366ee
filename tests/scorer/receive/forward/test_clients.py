"""The clients of the backends are there before anything is received, and are the ones that send."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ragvigil.scorer.config import load
from ragvigil.scorer.receive.forward.headers import Headers
from ragvigil.scorer.receive.forward.http_backend import HttpBackend
from ragvigil.scorer.receive.serve import Bound, receive
from ragvigil.scorer.receive.settings import ForwardTo, receiving


async def test_a_start_makes_one_client_of_each_backend_before_the_inbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each was made, closed and made again, with its certificates and header files read twice."""
    made = list[tuple[str, bool]]()
    settings = receiving(
        load(
            overrides={
                "store": {"url": f"sqlite:///{tmp_path / 'store.db'}"},
                "receive": {"grpc": "127.0.0.1:0", "http": "127.0.0.1:0"},
                "forward": {name: {"url": f"http://{name}.invalid:4318"} for name in ("a", "b")},
            }
        )
    )

    class Noted(HttpBackend):
        def __init__(self, name: str, to: ForwardTo, headers: Headers) -> None:
            made.append((name, settings.inbox.exists()))
            super().__init__(name, to, headers)

    monkeypatch.setattr("ragvigil.scorer.receive.forward.http_backend.HttpBackend", Noted)
    stop = asyncio.Event()

    def ready(bound: Bound) -> None:
        stop.set()

    await receive(settings, ready=ready, stop=stop)
    assert made == [("a", False), ("b", False)]
