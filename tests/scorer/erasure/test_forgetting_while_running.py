"""``ragvigil forget`` beside a scorer that runs, what waits to be forwarded, and without a scorer."""

from __future__ import annotations

import gzip
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import httpx
from tests.command_line import ragvigil
from tests.conftest import Scorer, Serve, eventually
from tests.scorer.erasure.kept_bytes import asked, files

from ragvigil.scorer.receive.counters import counters, waiting_for


def exported(trace: int, user: str, secret: str) -> bytes:
    """One request of OTLP."""
    return b"".join(arrival.payload for arrival in asked(trace, user, secret=secret))


def send(scorer: Scorer, body: bytes) -> None:
    """And insist on the ack."""
    url = f"http://{scorer.http}/v1/traces"
    httpx.post(url, content=body, headers={"Content-Type": "application/x-protobuf"}).raise_for_status()


def test_a_running_scorer_forgets_and_goes_on(serve: Serve, tmp_path: Path) -> None:
    """Store, log and inbox hold nothing of it when the command says so, and what comes next is scored."""
    scorer = serve(environment={"RAGVIGIL_METRICS__EVERY_SECONDS": "1"})
    inbox = tmp_path / "ragvigil-inbox"
    send(scorer, exported(1, "user-wanda", "copper lamp"))
    snapshot = inbox / "metrics.json"
    eventually(lambda: snapshot.exists() and b"%032x" % 1 in snapshot.read_bytes())
    send(scorer, exported(2, "user-eva", "marble table"))
    eventually(lambda: scorer.ledger().ingested == 2)
    send(scorer, exported(3, "user-wanda", "velvet chair"))  # on its way
    assert b"copper" in files(scorer.store, inbox)
    done = ragvigil("forget", "--user", "user-wanda", "--json", "--store", str(scorer.store))
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert (said["complete"], said["by"]) == (True, "scorer")
    left = files(scorer.store, inbox)
    for word in (b"copper", b"velvet", b"user-wanda", b"%032x" % 1):
        assert word not in left
    assert b"marble" in left
    send(scorer, exported(4, "user-eva", "golden spoon"))
    eventually(lambda: b"golden spoon" in files(scorer.store, inbox))
    eventually(lambda: scorer.ledger().states.get("pending", 0) == 0)
    checked = ragvigil("ledger", "--check", "--store", str(scorer.store))
    assert checked.returncode == 0, checked.stdout


def test_what_waits_to_be_forwarded_is_forgotten_too(serve: Serve, tmp_path: Path) -> None:
    """It is in memory, as it arrived, and a backend that comes back gets what others asked, and no more."""
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        port = dead.getsockname()[1]
        inbox = tmp_path / "ragvigil-inbox"
        settings = {"RAGVIGIL_FORWARD__TEMPO__URL": f"http://127.0.0.1:{port}"}
        scorer = serve(environment={**settings, "RAGVIGIL_METRICS__ENABLED": "false"})
        send(scorer, exported(1, "user-wanda", "copper lamp"))
        send(scorer, exported(1, "user-wanda", "copper lamp") + exported(2, "user-eva", "marble table"))
        eventually(lambda: waiting_for("tempo", counters(inbox)) == 2 and scorer.store.exists())
        done = ragvigil("forget", "--user", "user-wanda", "--json", "--store", str(scorer.store))
    assert done.returncode == 0, done.stdout + done.stderr
    said = json.loads(done.stdout)
    assert (said["unsent"], said["sent"], said["unsent_left"]) == ({"tempo": 2}, {}, False)
    assert not list((inbox / "forget-unsent").iterdir())
    bodies = list[bytes]()

    class Tempo(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            packed = self.headers.get("content-encoding") == "gzip"
            bodies.append(gzip.decompress(body) if packed else body)
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the library
            """Say nothing."""

    with HTTPServer(("127.0.0.1", port), Tempo) as tempo:
        threading.Thread(target=tempo.serve_forever).start()
        try:
            eventually(lambda: bool(bodies))
        finally:
            tempo.shutdown()
    assert b"marble" in bodies[0]
    assert not any(word in bodies[0] for word in (b"copper", b"user-wanda"))
    eventually(lambda: counters(inbox).get("forwarded.tempo.dropped.forgotten") == 1)
    eventually(lambda: counters(inbox).get("forwarded.tempo.delivered") == 1)


def test_what_waits_to_be_forwarded_goes_whatever_holds_the_inbox(serve: Serve, tmp_path: Path) -> None:
    """Of a trace that is open for long; once the inbox had taken all the time the receiver was not even asked."""
    with socket.socket() as dead:
        dead.bind(("127.0.0.1", 0))
        inbox = tmp_path / "ragvigil-inbox"
        settings = {
            "RAGVIGIL_FORWARD__TEMPO__URL": f"http://127.0.0.1:{dead.getsockname()[1]}",
            "RAGVIGIL_METRICS__ENABLED": "false",
            "RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "60",
        }
        scorer = serve(environment=settings)
        send(scorer, exported(2, "user-eva", "marble table"))
        send(scorer, exported(1, "user-wanda", "copper lamp"))
        eventually(lambda: waiting_for("tempo", counters(inbox)) == 2 and scorer.store.exists())
        done = ragvigil(
            "forget", "--user", "user-wanda", "--json", "--wait", "2", "--store", str(scorer.store)
        )
    said = json.loads(done.stdout)
    assert (said["unsent"], said["unsent_left"]) == ({"tempo": 1}, False)
    assert (done.returncode, said["segments_left"]) == (1, 1), (
        "the inbox holds it until its trace is complete"
    )


def test_without_a_scorer_the_command_does_it_in_store_and_inbox(serve: Serve, tmp_path: Path) -> None:
    """Also what was acknowledged and never scored; the next scorer reads the rest."""
    scorer = serve()
    inbox = tmp_path / "ragvigil-inbox"
    send(scorer, exported(1, "user-wanda", "copper lamp"))
    eventually(lambda: scorer.ledger().ingested == 1)
    scorer.kill()
    scorer = serve(environment={"RAGVIGIL_ASSEMBLE__QUIET_SECONDS": "60"})
    send(scorer, exported(2, "user-wanda", "velvet chair"))
    send(scorer, exported(3, "user-eva", "marble table"))
    scorer.kill()
    assert b"velvet" in files(scorer.store, inbox)
    done = ragvigil("forget", "--user", "user-wanda", "--store", str(scorer.store))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forgotten: 1 traces with 1 ledger rows, by the command" in done.stdout
    left = files(scorer.store, inbox)
    for word in (b"copper", b"velvet", b"user-wanda"):
        assert word not in left
    scorer = serve()
    eventually(lambda: b"marble" in files(scorer.store, inbox) and scorer.ledger().ingested == 2)
    assert scorer.ledger().states.keys() <= {"judged", "checked_only"}
    assert b"velvet" not in files(scorer.store, inbox)
