"""Pulls from backends that refuse, hang up, lead elsewhere or are not there: said soon, and with what to do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.scorer.sources.pull_server import WANTED, Backend, pulled, recorded

from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Wanted
from ragvigil.scorer.sources.pull.run import client_of, history_of, pull_to_file


@pytest.mark.parametrize(
    ("status", "tries", "problem"),
    [(401, 1, "answered 401"), (503, 8, "answered 503"), (404, 1, "answered 404")],
)
def test_a_backend_that_refuses_is_named_with_what_it_said(
    backend: Backend, tmp_path: Path, status: int, tries: int, problem: str
) -> None:
    """At once where another try is of no use."""
    backend.refusals = [(status, {})] * 100
    with pytest.raises(InputError, match=problem) as caught:
        pulled(backend, "phoenix", tmp_path / "out.jsonl")
    assert backend.url in str(caught.value)
    assert len(backend.asked) == tries


def test_an_address_where_nobody_is_fails_at_once_and_a_pause_later_on_does_not(
    backend: Backend, tmp_path: Path
) -> None:
    """Eight tries told nobody for over a minute that a port was wrong."""
    slept = list[float]()
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with client_of(history_of("phoenix"), f"http://127.0.0.1:{unused.getsockname()[1]}") as client:
            fetch = Fetch(client, sleep=slept.append)
            with pytest.raises(InputError, match=r"cannot be reached .*address right") as caught:
                pull_to_file(history_of("phoenix"), fetch, WANTED, tmp_path / "out.jsonl")
            assert (slept, str(client.base_url) in str(caught.value)) == ([], True)
            client.base_url = backend.url
            backend.answers["/"] = {}
            assert fetch.get("") == {}
            client.base_url = f"http://127.0.0.1:{unused.getsockname()[1]}"
            with pytest.raises(InputError):
                fetch.get("")
    assert len(slept) == 7


@pytest.mark.parametrize(
    "url",
    ["ftp://host", "host:80", "http://user:secret@host", "http://host?key=secret", "http://host/#secret"],
)
def test_an_address_that_cannot_be_is_refused_without_showing_a_password(url: str) -> None:
    """Keys come from the environment only."""
    with pytest.raises(ConfigError, match="--url") as caught:
        client_of(history_of("phoenix"), url)
    assert "secret" not in str(caught.value)


@pytest.fixture
def hanging_up() -> Iterator[str]:
    """The address of a server that closes every connection unanswered."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                connection.recv(65536)
                connection.close()

        thread = threading.Thread(target=hang_up, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
        thread.join(30)


def test_a_backend_that_hangs_up_before_it_ever_answered_is_asked_once_more(
    hanging_up: str, tmp_path: Path
) -> None:
    """Eight tries, over two minutes, where http was said of an https port."""
    slept = list[float]()
    with (
        client_of(history_of("phoenix"), hanging_up) as client,
        pytest.raises(InputError, match=r"does not answer .*http or https\?"),
    ):
        pull_to_file(history_of("phoenix"), Fetch(client, sleep=slept.append), WANTED, tmp_path / "out.jsonl")
    assert len(slept) == 1


@pytest.mark.parametrize(
    ("location", "told"),
    [
        (
            "https://obs.example.com/v1/x?key=secret",
            "leads to https://obs.example.com/v1/x; say --url https://obs.example.com",
        ),
        ("https://me:secret@obs.example.com/px/v1/x", "say --url https://obs.example.com/px"),
        ("/login?next=secret", "/login; does it ask to log in? Keys come from the environment"),
    ],
)
def test_a_redirect_is_named_with_where_it_leads(backend: Backend, location: str, told: str) -> None:
    """Without what may be a key; it is not followed, for the key that is sent belongs to the address that was said."""
    backend.refusals = [(302, {"location": location})]
    with client_of(history_of("phoenix"), backend.url) as client, pytest.raises(InputError) as caught:
        Fetch(client).get("v1/x")
    assert told in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(backend.asked) == 1


def test_an_unknown_experiment_is_named_beside_those_that_are(backend: Backend, tmp_path: Path) -> None:
    """MLflow says of a name that it is no id, with 400."""
    path = tmp_path / "out.jsonl"
    backend.answers["/api/2.0/mlflow/experiments/search"] = {
        "experiments": [{"experiment_id": "1", "name": "shop"}, {"experiment_id": "0", "name": "Default"}]
    }
    backend.refusals = [(404, {}), (400, {})]
    with pytest.raises(InputError, match=r"--project: .*name or id 'nope'; it has: Default, shop"):
        pulled(backend, "mlflow", path, wanted=Wanted(0, 2**62, project="nope"))
    backend.answers.clear()
    with pytest.raises(InputError, match=r"search: answered 404.*server's root"):
        pulled(backend, "mlflow", path, wanted=Wanted(0, 2**62, project="nope"))


def test_a_pull_that_brought_nothing_leaves_no_file(backend: Backend, tmp_path: Path) -> None:
    """An empty one looks like a week without traffic; one that was there, or has a page, stays."""
    path, empty = tmp_path / "out.jsonl", tmp_path / "empty.jsonl"
    empty.touch()
    for out in (path, empty):
        with pytest.raises(InputError, match="answered 404"):
            pulled(backend, "phoenix", out)
    assert list(tmp_path.iterdir()) == [empty]
    backend.answers["/v1/projects/default/spans/otlpv1"] = recorded("phoenix_spans_otlpv1.json")
    backend.fails_at = ["3"]
    with pytest.raises(InputError, match="answered 403"):
        pulled(backend, "phoenix", path)
    assert path.stat().st_size
