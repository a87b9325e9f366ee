"""The same recording gives the same scores, whatever order it comes in, and what a running scorer would store."""

from __future__ import annotations

import base64
import io
import itertools
import json
import random
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.command_line import ragvigil
from tests.conftest import Serve, eventually
from tests.scorer.replay.conftest import MORNING, SECOND, day, question
from tests.scorer.sources.conftest import FORMS, otlp_json

from ragvigil.scorer.commands._progress import progress
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.demo.receiver import Receiver
from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.replay.into_store import pace_of, replay_into
from ragvigil.scorer.replay.learning import fitted
from ragvigil.scorer.replay.load import load as load_files
from ragvigil.scorer.replay.recording import Recording
from ragvigil.scorer.replay.run import Replay, Replayed
from ragvigil.scorer.store.sqlite import SqliteStore

EVERYTHING = (
    "records",
    "scores",
    "verdicts",
    "ledger",
    "observations",
    "rollups",
    "series",
    "incidents",
    "sightings",
    "detectors",
)
CHANNEL_SECRET = "whsec_" + base64.b64encode(b"a secret of thirty bytes or so.").decode()
SECRET = {"user_id_key": "held still, so that pseudonyms are, too"}


def settings_of(store: Path, **sections: dict[str, object]) -> Settings:
    """Judged all, and soon warm."""
    rule = {"warmup_seconds": 3600, "baseline_seconds": 7200, "window_seconds": 1200, "min_baseline": 50}
    return load(
        overrides={
            "store": {"url": f"sqlite:///{store}", **SECRET},
            "sample": {"rate": 0.5},
            "monitor": {"tick_seconds": 60, "citation": {**rule, "min_sample": 20}},
            **sections,
        }
    )


def replayed(paths: Sequence[Path], settings: Settings) -> Replayed:
    """Replay the files into the settings' store."""
    with Recording() as recording:
        assert load_files(paths, recording).unreadable == 0
        return replay_into(recording, settings, speed=None, page=False)


def dump(store: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row that says anything, bit for bit."""
    with closing(sqlite3.connect(store)) as connection:
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in EVERYTHING}


def scores(store: Path) -> list[tuple[object, ...]]:
    """What was found, without when and in which order it was."""
    query = """
        SELECT r.trace_id, r.span_id, hex(r.input_hash), i.name, i.check_version, i.judge_version, i.prompt_digest,
               s.value, s.reason, s.details, NULL, NULL, NULL
        FROM scores s JOIN records r ON r.id = s.record_id JOIN instruments i ON i.id = s.instrument_id WHERE s.current
        UNION ALL
        SELECT r.trace_id, r.span_id, hex(r.input_hash), i.name, i.check_version, i.judge_version, i.prompt_digest,
               v.faithfulness, v.reason, v.claims, v.state, v.support, v.passed
        FROM verdicts v JOIN records r ON r.id = v.record_id
        JOIN instruments i ON i.id = v.instrument_id WHERE v.current
        UNION ALL
        SELECT l.trace_id, l.span_id, l.state, l.reason, '', '', '', l.inclusion, NULL, NULL, NULL, NULL, NULL
        FROM ledger l
        ORDER BY 1, 2, 4, 5, 6
    """
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute(query).fetchall()


def pieces(message: TracesData) -> list[TracesData]:
    """The message as one message a span."""
    found: list[TracesData] = []
    for place in range(len(message.resource_spans[0].scope_spans[0].spans)):
        part = TracesData()
        part.CopyFrom(message)
        spans = part.resource_spans[0].scope_spans[0].spans
        one = list(spans)[place]
        del spans[:]
        spans.append(one)
        found.append(part)
    return found


def test_two_replays_and_a_shuffled_split_doubled_one_are_the_same_bit_for_bit(tmp_path: Path) -> None:
    """Rows, ids and moments: invariant 9."""
    messages = list(day(200, wrong_from=150))
    whole, again = tmp_path / "day.jsonl", [tmp_path / "a.bin", tmp_path / "b.bin.zst"]
    whole.write_bytes(FORMS["json lines"](messages))
    parts = [part for message in messages for part in pieces(message)]
    parts += parts[:90]
    random.Random(4).shuffle(parts)
    again[0].write_bytes(FORMS["protobuf with lengths"](parts[:311]))
    again[1].write_bytes(FORMS["json lines, zstd"](parts[311:]))
    first = replayed([whole], settings_of(tmp_path / "1.db"))
    second = replayed([whole], settings_of(tmp_path / "2.db"))
    third = replayed(again, settings_of(tmp_path / "3.db"))
    assert first == second == third
    assert dump(tmp_path / "1.db") == dump(tmp_path / "2.db") == dump(tmp_path / "3.db")
    assert len(dump(tmp_path / "1.db")["records"]) == 200


def test_the_monitor_runs_on_the_recordings_clock(tmp_path: Path) -> None:
    """It pages when it would have paged, not now, and nothing is put on its way."""
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(240, wrong_from=180))))
    done = replayed([path], settings_of(tmp_path / "out.db"))
    alert = done.alerts[0]
    fell_at = MORNING + 180 * 60 * SECOND
    assert [one.action for one in done.alerts] == ["trigger", "update"]
    assert 0 < alert.at.timestamp() * 1e9 - fell_at < 1800 * SECOND
    assert done.ended is not None
    assert done.ended < MORNING + 241 * 60 * SECOND + 60 * SECOND
    with closing(sqlite3.connect(tmp_path / "out.db")) as connection:
        assert connection.execute("SELECT count(*) FROM outbox").fetchone()[0] == 0
        (created,) = connection.execute("SELECT max(created_at) FROM scores").fetchone()
    assert created <= done.ended


@pytest.mark.parametrize("tick_seconds", [1, 2, 15])
def test_the_last_verdicts_are_written_whenever_the_series_are_looked_at(
    tick_seconds: float, tmp_path: Path
) -> None:
    """Verdicts are written by the turn after the one they are of: with short ticks that one was not taken."""
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(3))))
    monitor: dict[str, object] = {"tick_seconds": tick_seconds}
    replayed([path], settings_of(tmp_path / "out.db", monitor=monitor, sample={"rate": 1.0}))
    with closing(sqlite3.connect(tmp_path / "out.db")) as connection:
        states = connection.execute("SELECT state, count(*) FROM ledger GROUP BY state").fetchall()
    assert states == [("judged", 3)]


@pytest.mark.parametrize("series", ["faithfulness", "citation", "measures"])
def test_a_silence_is_watched_for_as_long_as_any_rule_looks_back(tmp_path: Path, series: str) -> None:
    """An incident may resolve in it, of a criterion as well."""
    path = tmp_path / "two.jsonl"
    later = MORNING + 8 * 3600 * SECOND
    messages = [question(1, MORNING, cited="p1", price=3), question(2, later, cited="p1", price=4)]
    path.write_bytes(FORMS["json lines"](messages))
    rules = {
        name: {"window_seconds": 60.0, "resolve_seconds": 60.0}
        for name in ("faithfulness", "citation", "measures")
    }
    rules[series] = {"window_seconds": 6 * 3600.0}
    monitor: dict[str, object] = {"tick_seconds": 600, **rules}
    settings = settings_of(tmp_path / "out.db", monitor=monitor)
    moments: list[int] = []
    with Recording() as recording, SqliteStore(settings) as store:
        load_files([path], recording)
        Replay(recording, store, settings, pace=moments.append).run()
    steps = [after - before for before, after in itertools.pairwise(moments)]
    assert max(steps) <= 600 * SECOND


def test_the_log_of_a_long_replay_is_copied_on_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 44 MB with nine days it grew to 3.5 GB before the end."""
    logs: list[int] = []
    copy = SqliteStore.checkpoint

    def copied(store: SqliteStore) -> None:
        logs.append((tmp_path / "long.db-wal").stat().st_size)
        copy(store)

    monkeypatch.setattr(SqliteStore, "checkpoint", copied)
    path = tmp_path / "long.pb"
    path.write_bytes(b"".join(one.SerializeToString() for one in day(60, seconds=120.0)))
    replayed([path], settings_of(tmp_path / "long.db"))
    assert len(logs) > 1  # the last is at the end
    assert max(logs) < 20_000_000


def test_a_replay_finds_what_a_running_scorer_stored(serve: Serve, tmp_path: Path) -> None:
    """The same traces over HTTP, in pieces."""
    messages = list(day(40, seconds=1))
    scorer = serve(environment={"RAGVIGIL_SAMPLE__RATE": "0.5"})
    parts = [part for message in messages for part in pieces(message)]
    random.Random(7).shuffle(parts)
    for part in parts:
        content, headers = part.SerializeToString(), {"content-type": "application/x-protobuf"}
        assert httpx.post(f"http://{scorer.http}/v1/traces", content=content, headers=headers).is_success

    def all_scored() -> bool:
        ledger = scorer.ledger()
        settled = ledger.ingested == 40 and not ledger.states.get("pending")
        return settled and {row[7] for row in scores(scorer.store) if row[3] == "citation_correctness"} == {
            1.0
        }

    eventually(all_scored)
    path = tmp_path / "day.pb"
    path.write_bytes(FORMS["protobuf with lengths"](messages))
    replayed([path], settings_of(tmp_path / "out.db"))
    eventually(lambda: scores(scorer.store) == scores(tmp_path / "out.db"), seconds=10)


def test_the_command_shows_what_it_found_and_names_what_it_could_not_read(tmp_path: Path) -> None:
    """A bad line costs itself, and the exit code."""
    lines = [otlp_json(message) for message in day(5)]
    store = tmp_path / "out.db"
    done = ragvigil(
        "replay", "-", "--json", "--store", f"sqlite:///{store}", text=b"\n".join([*lines, b"{broken", b""])
    )
    assert done.returncode == 1
    assert "- line 6: not JSON" in done.stderr
    shown = json.loads(done.stdout)
    assert (shown["events"], shown["unreadable"], shown["records"], shown["balanced"]) == (15, 1, 5, True)
    assert shown["began"] == "2026-09-21T14:13:22Z"
    unknown = "upstream sampling unknown, assumed none: its senders do not say (tracestate ot=th)"
    assert [one["caveat"] for one in shown["upstream_sampling"]] == [unknown]
    assert ragvigil("ledger", "--store", str(store)).returncode == 0
    again = ragvigil("replay", "-", "--store", f"sqlite:///{store}", text=b"\n".join(lines))
    assert again.returncode == 0
    assert "5 records" in again.stdout
    assert f"shop: {unknown}" in again.stdout


def test_a_recording_that_is_over_still_tells_its_rates() -> None:
    """Every series said "no_data" or "cold_start" alone, of a recording in which a third of the citations was wrong."""
    text = b"\n".join(otlp_json(message) for message in day(60, seconds=1.0, wrong_from=40))
    shown = json.loads(ragvigil("replay", "-", "--json", text=text).stdout)
    (citation,) = (one for one in shown["series"] if one["series"] == "citation")
    assert citation["state"] in ("no_data", "cold_start")
    assert citation["rate"]["n"] == 60
    assert citation["rate"]["value"] == pytest.approx(40 / 60)
    assert citation["rate"]["lower"] < 40 / 60 < citation["rate"]["upper"]
    said = ragvigil("replay", "-", text=text).stdout
    assert "66.7 % (95 % interval " in said
    assert f", n=60; at the end: {citation['state']}" in said
    few = ragvigil("replay", "-", text=b"\n".join(text.splitlines()[:3])).stdout
    assert "too few for a rate (n=3); at the end: " in few


def test_a_first_replay_says_what_could_page_and_what_takes_more_history() -> None:
    """Two hours of a bad service ended with `0 alerts`, and nothing said that no page had been possible."""
    text = b"\n".join(otlp_json(message) for message in day(12, seconds=600.0))
    done = ragvigil("replay", "-", text=text)
    said = done.stdout
    assert "shop: 110 min of history; could page: citation from 2026-09-21 15:13Z on; not yet: " in said
    assert "faithfulness (needs 7 days: monitor.faithfulness.warmup_seconds)" in said
    assert "slow and local falls (need 7 days: detect.learning_days)" in said
    assert said.splitlines()[-1].endswith('docs/detection.md, "A page today"')
    assert done.stderr == ""


def test_a_fall_late_in_a_recorded_week_pages_without_any_setting_of_time(tmp_path: Path) -> None:
    """The documented trial, `--since 7d`, could never page faithfulness: seven days are what it learns by default."""
    week, config = tmp_path / "week.jsonl", tmp_path / "ragvigil.toml"
    answers = [
        question(n + 1, MORNING + n * 862 * SECOND, cited="p1", price=n + 3 if n < 540 else 99)
        for n in range(700)
    ]
    week.write_bytes(b"\n".join(map(otlp_json, answers)))
    config.write_text("sample.rate = 1\nmonitor.tick_seconds = 600\n")
    found = json.loads(ragvigil("replay", str(week), "--config", str(config), "--json").stdout)
    assert any(alert["title"].startswith("Faithfulness of shop fell") for alert in found["alerts"])
    which = "monitor.faithfulness.warmup_seconds, monitor.measures.warmup_seconds, detect.learning_days"
    said = f"learned from the first 2.3 days of so short a recording; to change it, set {which}"
    assert said in found["learned"]


def test_a_learning_time_that_somebody_set_stays_also_for_a_short_recording() -> None:
    """Seven days said are seven days."""
    settings = load(overrides={"monitor": {"faithfulness": {"warmup_seconds": 604_800}}})
    fit = fitted(settings, (MORNING, MORNING + 7 * 86_400 * SECOND))
    assert fit.settings.monitor.faithfulness.warmup_seconds == 604_800
    assert fit.settings.detect.learning_days == pytest.approx(7 / 3)
    assert "monitor.faithfulness.warmup_seconds" not in fit.shortened


@pytest.mark.parametrize(
    ("days", "learned"),
    [(1 / 24, None), (2.0, 1.0), (6.0, 2.0), (13.9, 13.9 / 3), (14.0, None), (400.0, None)],
)
def test_a_recording_is_learned_from_for_a_third_where_twice_the_usual_time_is_longer(
    days: float, learned: float | None
) -> None:
    """What is long enough for the usual time, or too short for any, keeps it; a day is the least for the detectors."""
    fit = fitted(load(), (MORNING, MORNING + round(days * 86_400) * SECOND))
    assert fit.settings.detect.learning_days == pytest.approx(learned or 7.0, abs=1e-4)


def test_an_environment_that_never_pages_is_named_at_the_end_of_a_replay(tmp_path: Path) -> None:
    """Its falls are in no list of alerts, however long the recording."""
    messages = [*day(3)]
    for message in messages:
        made = message.resource_spans[0].resource.attributes.add(key="deployment.environment.name")
        made.value.string_value = "staging"
    done = ragvigil("replay", "-", text=b"\n".join(map(otlp_json, messages)))
    said = "shop, staging: nothing pages there: monitor.page_environments does not name it"
    assert done.stdout.splitlines()[-1] == said


def test_a_terminal_is_shown_how_far_a_replay_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A week takes minutes, and looked as if it hung."""
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    with progress("replaying") as tell:
        tell(0.25)
    assert "replaying" in screen.getvalue()
    assert "25%" in screen.getvalue()


@pytest.mark.parametrize("text", [b"", b'{"resourceSpans": ['])
def test_a_recording_without_a_span_is_no_day_without_questions(text: bytes, tmp_path: Path) -> None:
    """It says so instead of a summary of nothing, and makes no store."""
    done = ragvigil("replay", "-", "--store", f"sqlite:///{tmp_path}/out.db", text=text)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing in it can be replayed" in done.stderr
    assert not (tmp_path / "out.db").exists()


@pytest.mark.parametrize("arguments", [["gone.jsonl"], ["-", "--speed", "fast"], ["-", "--speed", "0x"]])
def test_what_cannot_work_is_one_sentence(arguments: list[str]) -> None:
    """Exit code 2."""
    done = ragvigil("replay", *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 5_000.0
        self.slept = list[float]()

    def monotonic(self) -> float:
        """Seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let them pass."""
        self.slept.append(round(seconds, 6))
        self.now += seconds


def test_at_100x_an_hour_takes_36_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Moments that are late already are not waited for, and what was late does not move what follows."""
    clock = Clock()
    monkeypatch.setattr("ragvigil.scorer.replay.into_store.time", clock)
    pace = pace_of(100.0)
    assert pace is not None
    for second in (0, 60, 120):
        pace(MORNING + second * SECOND)
    clock.now += 2.0  # what the scorer itself took
    for second in (180, 600, 3_600):
        pace(MORNING + second * SECOND)
    assert clock.slept == [0.0, 0.6, 0.6, 0.0, 2.8, 30.0]
    assert clock.now == pytest.approx(5_036.0)
    assert pace_of(None) is None


def test_the_pace_changes_nothing_that_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit what a replay at full speed writes."""
    clock = Clock()
    monkeypatch.setattr("ragvigil.scorer.replay.into_store.time", clock)
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(20))))
    for name, speed in (("1.db", None), ("2.db", 100.0)):
        with Recording() as recording:
            load_files([path], recording)
            replay_into(recording, settings_of(tmp_path / name), speed=speed, page=False)
    assert dump(tmp_path / "1.db") == dump(tmp_path / "2.db")
    assert sum(clock.slept) > 10


def test_pages_leave_only_where_they_are_asked_for(tmp_path: Path) -> None:
    """Rightly signed, one message for each incident, as it ended; the same scores as without."""
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(240, wrong_from=180))))
    with Receiver(CHANNEL_SECRET) as receiver:
        channel = {"type": "webhook", "url": receiver.url, "secret": CHANNEL_SECRET}
        for name, page in (("dry.db", False), ("paged.db", True)):
            settings = settings_of(tmp_path / name, channels={"oncall": channel})
            with Recording() as recording:
                load_files([path], recording)
                done = replay_into(recording, settings, speed=None, page=page)
            told = [receiver.pages.get(timeout=30)] if page else []
            assert receiver.pages.empty()
        assert [str(one.payload["data"]["action"]) for one in told] == ["trigger"]
        assert len(done.alerts) == 2
    with closing(sqlite3.connect(tmp_path / "paged.db")) as connection:
        rows = connection.execute(
            "SELECT delivered_at IS NOT NULL, refused_at IS NULL FROM outbox"
        ).fetchall()
    assert rows == [(0, 0), (1, 1)]
    assert scores(tmp_path / "dry.db") == scores(tmp_path / "paged.db")


def test_what_a_storm_speaks_for_leaves_a_replay_in_its_message(tmp_path: Path) -> None:
    """Pages of many services were kept aside for a storm that nobody told."""
    path = tmp_path / "day.jsonl"
    path.write_bytes(FORMS["json lines"](list(day(240, wrong_from=180))))
    with Receiver(CHANNEL_SECRET) as receiver:
        channel = {"type": "webhook", "url": receiver.url, "secret": CHANNEL_SECRET}
        monitor = {"tick_seconds": 60, "group_after": 1}
        settings = settings_of(tmp_path / "paged.db", channels={"oncall": channel})
        settings = settings.model_copy(update={"monitor": settings.monitor.model_copy(update=monitor)})
        with Recording() as recording:
            load_files([path], recording)
            replay_into(recording, settings, speed=None, page=True)
        told = receiver.pages.get(timeout=30).payload["data"]
        assert receiver.pages.empty()
    assert (told["action"], told["series"]) == ("trigger", "storm")
    assert "shop" in str(told["summary"])
    with closing(sqlite3.connect(tmp_path / "paged.db")) as connection:
        (untold,) = connection.execute(
            "SELECT count(*) FROM outbox WHERE reason LIKE 'grouped:%' AND attempts = 0"
        ).fetchone()
    assert untold == 0


def test_a_live_scorers_store_is_not_replayed_into(tmp_path: Path) -> None:
    """Its series live on another clock."""
    path, settings = tmp_path / "day.jsonl", settings_of(tmp_path / "live.db")
    path.write_bytes(FORMS["json lines"](list(day(1))))
    with SqliteStore(settings) as store:
        store.records.commit([], Position(1, 5), 0)
    with pytest.raises(StoreError, match="name another"):
        replayed([path], settings)
