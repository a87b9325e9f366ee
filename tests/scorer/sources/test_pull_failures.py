"""Pulls from backends that refuse, hang up, lead elsewhere or are not there: said soon, and with what to do."""

from __future__ import annotations

import base64
import io
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tests.scorer.sources.pull_server import WANTED, Backend, pulled, recorded
from tests.scorer.sources.test_pull import OBSERVATIONS

from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.offline.read import as_json, read_files
from ragvigil.scorer.sources.pull.convert import convert_to_file
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import Wanted
from ragvigil.scorer.sources.pull.otlp import mapping, objects
from ragvigil.scorer.sources.pull.run import client_of, history_of, pull, pull_to_file


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
    [
        "ftp://host",
        "host:80",
        "http://user:secret@host",
        "http://host?key=secret",
        "http://host/#secret",
        "http://[::1",
        "http://host:port",
        "http://host:99999",
        "http://ho\x01st",
    ],
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
    ("variable", "told"),
    [
        ("SOME_OTHER", "; keys come from the environment: PHOENIX_API_KEY"),
        ("PHOENIX_APIKEY", "; PHOENIX_APIKEY is set; did you mean PHOENIX_API_KEY?"),
    ],
)
def test_a_backend_that_lets_nobody_in_names_the_variable_of_the_key(
    backend: Backend, variable: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`answered 401` says neither where a key would come from, nor that its variable is misspelt."""
    monkeypatch.setenv(variable, "k")
    backend.refusals = [(401, {})]
    history = history_of("phoenix")
    with client_of(history, backend.url) as client, pytest.raises(InputError) as caught:
        Fetch(client, keys=history.keys).get("v1/x")
    assert str(caught.value).endswith(told)


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
    backend.fails_at = ["8"]
    with pytest.raises(InputError, match="answered 403"):
        pulled(backend, "phoenix", path)
    assert path.stat().st_size


SPANS = "/v1/projects/default/spans/otlpv1"


@pytest.mark.parametrize("answer", [[1], "hello", {}, {"data": None}, {"data": {}}])
def test_another_servers_json_is_no_week_without_traffic(
    backend: Backend, tmp_path: Path, answer: object
) -> None:
    """A wrong address that answers JSON brought "0 spans pulled", and exit code 0."""
    backend.answers["/v1/x"] = [answer]
    with (
        client_of(history_of("phoenix"), backend.url) as client,
        pytest.raises(InputError, match=r"without a list 'data'; .*server's root"),
    ):
        Fetch(client).get("v1/x", holds="data")
    backend.answers["/api/2.0/mlflow/experiments/search"] = [["no object"]]
    with pytest.raises(InputError, match="answered JSON without an object"):
        pulled(backend, "mlflow", tmp_path / "out.jsonl")


def test_a_body_that_is_not_what_its_encoding_says_is_said(tmp_path: Path) -> None:
    """A proxy that lies about gzip ended the command with a traceback."""
    transport = httpx.MockTransport(
        lambda _: httpx.Response(
            200, headers={"content-encoding": "gzip"}, stream=httpx.ByteStream(b"not gzip")
        )
    )
    slept = list[float]()
    with (
        httpx.Client(base_url="http://phoenix.example", transport=transport) as client,
        pytest.raises(InputError, match=r"does not answer .*decompressing"),
    ):
        Fetch(client, sleep=slept.append).get("v1/x")


@pytest.mark.parametrize(
    ("variable", "source"),
    [
        ("PHOENIX_API_KEY", "phoenix"),
        ("LANGFUSE_PUBLIC_KEY", "langfuse"),
        ("MLFLOW_TRACKING_TOKEN", "mlflow"),
        ("MLFLOW_TRACKING_USERNAME", "mlflow"),
    ],
)
def test_a_key_is_one_line_that_a_header_can_hold(
    monkeypatch: pytest.MonkeyPatch, variable: str, source: str
) -> None:
    """A line end from the file it came out of is no part of it; what no header holds is named, not shown."""
    monkeypatch.setenv(variable, "k-1\n")
    (sent,) = history_of(source).headers().values()
    assert sent in ("Bearer k-1", f"Basic {base64.b64encode(b'k-1:').decode()}")
    monkeypatch.setenv(variable, "secr\u00e9t")
    with pytest.raises(ConfigError, match=variable) as caught:
        history_of(source).headers()
    assert "secr" not in str(caught.value)


def test_a_page_that_leads_to_itself_is_not_pulled_for_ever(backend: Backend, tmp_path: Path) -> None:
    """It filled the disk."""
    out = tmp_path / "out.jsonl"
    backend.answers["/api/public/v2/observations"] = {"data": [], "meta": {"cursor": "same"}}
    with pytest.raises(InputError, match="from the page 'same' to the same page"):
        pulled(backend, "langfuse", out)


@pytest.mark.parametrize(("before", "circle"), [(0, 1), (5, 1), (3, 4)])
def test_pages_that_come_round_under_new_cursors_end(before: int, circle: int) -> None:
    """Where a proxy dropped the query, the first page came for ever: 26 MB in twelve seconds."""
    spans = objects(mapping(recorded("phoenix_spans_otlpv1.json"))["data"])
    asked = list[int]()

    def page(_: httpx.Request) -> httpx.Response:
        number = len(asked)
        asked.append(number)
        assert number <= 3 * (before + circle), "comes round without an end"
        place = number if number < before else before + (number - before) % circle
        return httpx.Response(200, json={"data": [spans[place]], "next_cursor": str(number)})

    with (
        httpx.Client(base_url="http://phoenix.example", transport=httpx.MockTransport(page)) as client,
        pytest.raises(InputError, match="the same spans again under new cursors"),
    ):
        pull(history_of("phoenix"), Fetch(client), WANTED, io.BytesIO())


def test_an_empty_page_of_phoenix_is_the_last_of_its_round() -> None:
    """Whatever cursor it names."""
    asked = list[httpx.Request]()

    def page(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        assert len(asked) < 3, "is asked without an end"
        return httpx.Response(200, json={"data": [], "next_cursor": str(len(asked))})

    transport = httpx.MockTransport(page)
    with httpx.Client(base_url="http://phoenix.example", transport=transport) as client:
        assert pull(history_of("phoenix"), Fetch(client), WANTED, io.BytesIO()).spans == 0


def test_a_file_is_written_by_one_pull_at_a_time(backend: Backend, tmp_path: Path) -> None:
    """Two calls wrote into it in turns: 12,200 spans of 9,000, and both said that all was well."""
    backend.answers[SPANS] = recorded("phoenix_spans_otlpv1.json")
    whole, out = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    pulled(backend, "phoenix", whole)
    told = list[str]()

    def pull_as_well(_: int) -> None:
        backend.meanwhile = lambda _: None
        with pytest.raises(InputError, match="is being written by another pull") as caught:
            pulled(backend, "phoenix", out)
        told.append(str(caught.value))

    backend.meanwhile = pull_as_well
    pulled(backend, "phoenix", out)
    assert len(told) == 1
    assert out.read_bytes() == whole.read_bytes()


def test_a_file_that_was_deleted_or_cut_since_is_not_gone_on_with(backend: Backend, tmp_path: Path) -> None:
    """What was missing was filled up with NULs, and the pull told of no error."""
    out = tmp_path / "out.jsonl"
    backend.answers[SPANS] = recorded("phoenix_spans_otlpv1.json")
    backend.fails_at = ["5"]
    with pytest.raises(InputError, match="answered 403"):
        pulled(backend, "phoenix", out)
    backend.fails_at = None
    out.unlink()
    with pytest.raises(InputError, match=r"has lost .*delete it and out\.jsonl\.pull to begin again"):
        pulled(backend, "phoenix", out)


def test_a_404_between_two_pages_of_observations_does_not_begin_anew(
    backend: Backend, tmp_path: Path
) -> None:
    """A load balancer's, during a deploy: the older API then brought everything for a second time."""
    out = tmp_path / "out.jsonl"
    first = {"data": OBSERVATIONS[:2], "meta": {"cursor": "next"}}
    backend.answers["/api/public/v2/observations"] = [first, None]
    backend.answers["/api/public/traces"] = {"data": [], "meta": {}}
    with pytest.raises(InputError, match="v2/observations: answered 404"):
        pulled(backend, "langfuse", out)
    backend.answers["/api/public/v2/observations"] = [{"data": OBSERVATIONS[2:], "meta": {}}]
    assert pulled(backend, "langfuse", out).spans == len(OBSERVATIONS)


def test_odd_numbers_cost_their_attribute_and_not_a_page(tmp_path: Path) -> None:
    """One NaN made the line of a whole page unreadable, and a whole number in words ended the pull."""
    spans = objects(mapping(recorded("phoenix_spans_otlpv1.json"))["data"])
    whole, odd = tmp_path / "whole.jsonl", tmp_path / "odd.jsonl"
    for out, extra in (
        (whole, []),
        (
            odd,
            [{"int_value": "many"}, {"int_value": "9" * 5000}, {"double_value": 1e999}, {"int_value": 1e999}],
        ),
    ):
        changed = [
            {
                **one,
                "status": {"code": "STATUS_CODE_OK"},
                "attributes": [
                    *objects(one["attributes"]),
                    *({"key": f"odd.{n}", "value": each} for n, each in enumerate(extra)),
                ],
                "trace_state": extra and float("nan"),
            }
            for one in spans
        ]
        export = tmp_path / "export.json"
        export.write_text(json.dumps({"data": changed}))
        convert_to_file(history_of("phoenix"), [export], WANTED, out)
    told = [as_json(one) for one in read_files([odd])]
    assert told == [as_json(one) for one in read_files([whole])] != []


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("source", "export"),
    [
        ("langfuse", {"traceId": "ab" * 16, "id": "o", "metadata": {"resourceAttributes": DEEP}}),
        ("mlflow", {"spans": [{"trace_id": "ab" * 16, "span_id": "cd" * 8, "attributes": {"x": DEEP}}]}),
    ],
)
def test_json_inside_a_text_may_be_too_deep_to_read(
    source: str, export: dict[str, object], tmp_path: Path
) -> None:
    """It stays the text that it is."""
    path, out = tmp_path / "export.json", tmp_path / "out.jsonl"
    path.write_text(json.dumps(export))
    assert convert_to_file(history_of(source), [path], WANTED, out).spans == 1


def test_where_it_is_written_may_be_a_pipe_and_may_be_full(backend: Backend, tmp_path: Path) -> None:
    """A device cannot be cut to a length: every pull into one ended with a traceback."""
    backend.answers[SPANS] = recorded("phoenix_spans_otlpv1.json")
    whole, pipe = tmp_path / "whole.jsonl", tmp_path / "pipe"
    pulled(backend, "phoenix", whole)
    os.mkfifo(pipe)
    read = list[bytes]()
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    pulled(backend, "phoenix", pipe)
    reader.join(30)
    assert read == [whole.read_bytes()]
    with pytest.raises(InputError, match="is a folder; name a file in it"):
        pulled(backend, "phoenix", tmp_path)
    if Path("/dev/full").exists():
        with pytest.raises(InputError, match=r"/dev/full: cannot be written: no space left"):
            pulled(backend, "phoenix", Path("/dev/full"))
    assert sorted(tmp_path.iterdir()) == [pipe, whole]
