"""A recording sent to a running scorer: what it took, what it rejected, and what cannot be sent to at all."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from google.protobuf.message import Message
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from tests.command_line import ragvigil
from tests.conftest import Serve, eventually
from tests.scorer.replay.conftest import day
from tests.scorer.sources.conftest import FORMS

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.replay.load import load as load_files
from ragvigil.scorer.replay.recording import Recording
from ragvigil.scorer.replay.send import send


def test_a_recording_is_sent_to_a_running_scorer(serve: Serve, tmp_path: Path) -> None:
    """Over OTLP, as its services would."""
    scorer = serve()
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(30))))
    done = ragvigil("replay", str(path), "--to", f"http://{scorer.http}", "--speed", "10000x", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["sent"] == 90
    assert eventually(lambda: scorer.ledger().ingested == 30)


def test_an_address_that_never_answers_is_given_up_soon_and_each_try_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is probably a wrong one; a receiver that has answered is waited for longer."""
    pauses, path = list[float](), tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(1))))
    dead = httpx.Client(base_url="http://127.0.0.1:1")
    with Recording() as recording, dead:
        load_files([path], recording)
        with pytest.raises(InputError, match=r"127\.0\.0\.1:1/v1/traces"):
            send(recording, dead, speed=None, sleep=pauses.append)
    assert (len(pauses), sum(pauses) < 10) == (5, True)
    assert caplog.text.count("trying again in") == 5


def test_a_receiver_that_refuses_for_good_is_named(tmp_path: Path) -> None:
    """With its answer; one that stays away is asked again for minutes."""
    waits, path = list[float](), tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(1))))

    def answers(status: int) -> httpx.Client:
        transport = httpx.MockTransport(lambda _: httpx.Response(status, text="no"))
        return httpx.Client(base_url="http://scorer.example", transport=transport)

    with Recording() as recording:
        load_files([path], recording)
        with pytest.raises(InputError, match=r"scorer\.example/v1/traces.*answered 400: no"):
            send(recording, answers(400), speed=None, sleep=waits.append)
        assert waits == []
        with pytest.raises(InputError, match="answered 503"):
            send(recording, answers(503), speed=None, sleep=waits.append)
    assert sum(waits) > 600


def test_what_the_receiver_rejects_is_counted_and_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It was "sent", and nowhere to be found; a refusal is shown in its words, without the bytes around them."""
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(1))))
    partial = ExportTraceServiceResponse()
    partial.partial_success.rejected_spans = 2
    partial.partial_success.error_message = "span rejected: too large"
    refusal = Status(code=3, message="no\x1b[31m")

    def answers(status: int, message: Message) -> httpx.Client:
        headers = {"content-type": "application/x-protobuf"}
        answer = httpx.Response(status, headers=headers, content=message.SerializeToString())
        return httpx.Client(base_url="http://scorer.example", transport=httpx.MockTransport(lambda _: answer))

    with Recording() as recording:
        load_files([path], recording)
        sent = send(recording, answers(200, partial), speed=None)
        with pytest.raises(InputError) as caught:
            send(recording, answers(400, refusal), speed=None)
    assert (sent.events, sent.rejected) == (3, 2 * caplog.text.count("2 rejected: span rejected: too large"))
    assert str(caught.value).endswith("answered 400: no[31m")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--to", "scorer"], "--to: must look like"),
        (["--to", "http://[::1"], "--to: must look like"),
        (["--to", "http://me:secret@host"], "--to: holds a password"),
        (["--to", "http://host:4318/v1/traces/"], "leave out /v1/traces"),
        (["--to", "http://host", "--store", "a.db", "--page"], "--to: leaves --store, --page without effect"),
        (["--config", "no-such.toml"], "no-such.toml"),
    ],
)
def test_what_cannot_be_done_is_said_before_a_recording_is_read(
    arguments: list[str],
    told: str,
) -> None:
    """Reading gigabytes takes minutes, and a wrong address was asked six times."""
    done = ragvigil("replay", "no-such-file.jsonl", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "secret" not in done.stderr
