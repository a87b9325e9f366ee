"""A judge that cannot be asked: one page that says why, nothing lost, and no key anywhere."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from tests.command_line import ragvigil
from tests.conftest import Serve, eventually
from tests.scorer.test_serve import export, spans

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.testing import Script, ScriptedJudge

KEY = "sk-a-key-that-nobody-may-see"
RECORDS = 12
COMPILER = shutil.which("cc")


def notes(store: Path) -> list[tuple[str, bool]]:
    """What was told of the judge's health, and whether it is over."""
    try:
        opened = open_for_reading(store)
    except StoreError:
        return []  # the scorer has not made it yet
    with closing(opened) as connection:
        rows = connection.execute(
            "SELECT note, resolved_at IS NOT NULL FROM incidents WHERE series = 'scorer_judge'"
        )
        return [(row[0], bool(row[1])) for row in rows]


def verdicts(store: Path) -> tuple[int, int]:
    """How many there are, and of how many records."""
    with closing(open_for_reading(store)) as connection:
        row = connection.execute("SELECT count(*), count(DISTINCT record_id) FROM verdicts").fetchone()
    return int(row[0]), int(row[1])


def judging_by(address: str, **more: str) -> dict[str, str]:
    """The environment of a scorer that asks a model there, and soon says when it does not answer."""
    return {
        "RAGVIGIL_SAMPLE__RATE": "1",
        "RAGVIGIL_JUDGE__KIND": "openai",
        "OPENAI_BASE_URL": address,
        "OPENAI_API_KEY": KEY,
        "OPENAI_MODEL": "scripted-1",
        "RAGVIGIL_MONITOR__TICK_SECONDS": "0.3",
        "RAGVIGIL_HEALTH__EVERY_SECONDS": "0.2",
        "RAGVIGIL_HEALTH__JUDGE_SECONDS": "0.5",
        "RAGVIGIL_HEALTH__RESOLVE_SECONDS": "1",
        **more,
    }


def test_a_wrong_key_is_one_page_with_the_fix_and_work_goes_on_when_it_is_right(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without a restart, over replies that are damaged and refused. The key is in no file and no line."""
    script = Script(sensitivity=1.0, damage=0.3, errors={500: 0.1, 429: 0.1}, seed=3)
    with ScriptedJudge(script, key="another") as server:
        scorer = serve(environment=judging_by(server.url))
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(RECORDS))
        (told,) = eventually(lambda: notes(scorer.store), seconds=60)
        assert "answers 401 (check judge.api_key)" in told[0]
        server.become(script, key=KEY)
        eventually(lambda: scorer.ledger().states == {"judged": RECORDS}, seconds=120)
        eventually(lambda: [over for _, over in notes(scorer.store)] == [True], seconds=60)
        assert scorer.stop() == 0
    said = capfd.readouterr()
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY not in said.out + said.err
    assert KEY.encode() not in held
    assert "answers 401" in said.err


@pytest.mark.parametrize(
    ("trouble", "key", "words"),
    [
        (Script(errors={429: 1.0}), None, "answers 429 (its limits are used up"),
        (Script(errors={500: 1.0}), None, "answers 500"),
        (Script(hangs=1.0), None, "no answer in time (see judge.attempt_seconds)"),
        (Script(cuts=1.0), None, "breaks off, RemoteProtocolError"),
        (Script(), "revoked", "answers 401 (check judge.api_key)"),
    ],
    ids=["429 storm", "500s", "hangs", "half answers", "key revoked"],
)
def test_a_judge_that_fails_in_mid_run_is_one_page_and_costs_nothing(
    serve: Serve, trouble: Script, key: str | None, words: str
) -> None:
    """What was asked before is known; the rest waits, and is judged once each when it is over, without a restart."""
    fine = Script(sensitivity=1.0)
    with ScriptedJudge(fine, key=KEY) as server:
        scorer = serve(environment=judging_by(server.url, RAGVIGIL_JUDGE__ATTEMPT_SECONDS="1"))
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(RECORDS))
        eventually(lambda: scorer.ledger().states == {"judged": RECORDS}, seconds=60)
        server.become(trouble, key=key or KEY)
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(2 * RECORDS, seed=2))
        eventually(lambda: any(words in note for note, _ in notes(scorer.store)), seconds=60)
        server.become(fine, key=KEY)
        eventually(lambda: scorer.ledger().states == {"judged": 3 * RECORDS}, seconds=120)
        eventually(lambda: [over for _, over in notes(scorer.store)] == [True], seconds=60)
        assert scorer.stop() == 0
    assert verdicts(scorer.store) == (3 * RECORDS, 3 * RECORDS)


def test_a_name_that_cannot_be_resolved_is_one_page_that_says_so(serve: Serve) -> None:
    """Nobody has that name: RFC 6761 sets it aside. What waits goes on waiting."""
    scorer = serve(environment=judging_by("http://judge.invalid/v1"))
    export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(RECORDS))
    eventually(
        lambda: any("its name cannot be resolved" in one for one, _ in notes(scorer.store)), seconds=60
    )
    assert len(notes(scorer.store)) == 1
    assert scorer.ledger().states == {"pending": RECORDS}
    assert scorer.stop() == 0


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.skipif(sys.platform != "linux", reason="names are preloaded as Linux does it")
def test_a_name_that_is_lost_in_mid_run_is_one_page_and_costs_nothing(serve: Serve, tmp_path: Path) -> None:
    """While the name service is away what is new waits; it is judged once each when the name is found again."""
    assert COMPILER is not None
    library, known = tmp_path / "one_name.so", tmp_path / "known"
    source = Path(__file__).with_name("one_name.c")
    subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    names = {"LD_PRELOAD": str(library), "ONE_NAME": "judge.internal", "ONE_NAME_WHILE": str(known)}
    known.touch()
    with ScriptedJudge(Script(sensitivity=1.0)) as server:
        port = server.port
        scorer = serve(environment=judging_by(f"http://judge.internal:{port}/v1", **names))
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(RECORDS))
        eventually(lambda: scorer.ledger().states == {"judged": RECORDS}, seconds=60)
        known.unlink()
    with ScriptedJudge(Script(sensitivity=1.0), port=port):  # another one: no connection is left to the first
        export(OTLPSpanExporter(f"http://{scorer.http}/v1/traces"), spans(2 * RECORDS, seed=2))
        (told,) = eventually(lambda: notes(scorer.store), seconds=60)
        assert "its name cannot be resolved" in told[0]
        remembered = {"judged": 2 * RECORDS, "pending": RECORDS}  # half of them were asked about before
        eventually(lambda: scorer.ledger().states == remembered, seconds=60)
        known.touch()
        eventually(lambda: scorer.ledger().states == {"judged": 3 * RECORDS}, seconds=120)
        eventually(lambda: [over for _, over in notes(scorer.store)] == [True], seconds=60)
        assert scorer.stop() == 0
    assert verdicts(scorer.store) == (3 * RECORDS, 3 * RECORDS)


@pytest.mark.parametrize(
    ("key", "path", "problem"),
    [("wrong", "/v1", "check judge.api_key"), (KEY, "/v2", "check judge.model and judge.base_url")],
)
def test_check_config_asks_when_it_is_told_to(tmp_path: Path, key: str, path: str, problem: str) -> None:
    """A wrong key, and a model or address that does not exist, with the fix and without the key."""
    with ScriptedJudge(key=KEY) as server:
        config = tmp_path / "ragvigil.toml"
        address = server.url.replace("/v1", path)
        config.write_text(
            f'[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "{address}"\napi_key = "{key}"\n'
        )
        plain = ragvigil("check-config", str(config), "--json")
        asked = ragvigil("check-config", str(config), "--json", "--ask")
    assert json.loads(plain.stdout)["ok"]
    assert asked.returncode == 2
    assert problem in asked.stderr
    assert key not in asked.stderr + asked.stdout + plain.stdout
