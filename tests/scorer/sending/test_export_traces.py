"""``ragvigil export --traces``: what the store keeps, as OTLP lines that every reader here takes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from tests.command_line import ragvigil
from tests.scorer.replay.conftest import MORNING, SECOND, day
from tests.scorer.replay.test_replay import EVERYTHING, replayed, settings_of
from tests.scorer.sources.conftest import otlp_json

from ragvigil.scorer.commands._moments import utc
from ragvigil.scorer.offline.explain import explain_files
from ragvigil.scorer.offline.read import rows_in
from ragvigil.scorer.sending import traces_to_file
from ragvigil.scorer.store import reading_traces
from ragvigil.scorer.store.sqlite import SqliteStore

QUESTIONS = 60
SINCE = ("--since", "2026-09-01T00:00Z", "--until", "2026-10-01T00:00Z")


def recorded(folder: Path, *, seconds: float = 60.0) -> Path:
    """Questions: one with an address in it, a person who asks, a link and feedback; one trace without a question."""
    path = folder / "recorded.jsonl"
    messages = list(day(QUESTIONS, seconds=seconds, wrong_from=QUESTIONS - 9))
    root = messages[3].resource_spans[0].scope_spans[0].spans[0]
    root.attributes.add(key="user.id").value.string_value = "ana"
    root.attributes[1].value.string_value += " Write to ana@example.org."
    root.links.add(trace_id=b"\x01" * 16, span_id=b"\x02" * 8)
    root.attributes.add(key="odd").value.double_value = float("nan")
    for span in messages[5].resource_spans[0].scope_spans[0].spans:
        del span.attributes[:]
    path.write_bytes(b"".join(line + b"\n" for line in [*map(otlp_json, messages), otlp_json(_told(root))]))
    return path


def _told(root: Any) -> LogsData:
    """Feedback on that answer."""
    data = LogsData()
    entry = data.resource_logs.add()
    entry.resource.attributes.add(key="service.name").value.string_value = "shop"
    record = entry.scope_logs.add().log_records.add(
        trace_id=root.trace_id,
        span_id=root.span_id,
        time_unix_nano=root.end_time_unix_nano + SECOND,
        event_name="gen_ai.evaluation.result",
    )
    record.attributes.add(key="gen_ai.evaluation.name").value.string_value = "helpful"
    record.attributes.add(key="gen_ai.evaluation.score.value").value.double_value = 1.0
    return data


def dump(store: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row that says anything, and what is kept of traces."""
    with closing(sqlite3.connect(store)) as connection:
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr)
            for table in (*EVERYTHING, "traces")
        }


def exported(store: Path, out: Path, *arguments: str) -> dict[str, Any]:
    """What the command tells of the file it wrote."""
    done = ragvigil(
        "export", "--traces", "--json", "--out", str(out), "--store", str(store), *SINCE, *arguments
    )
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    return shown


@pytest.mark.parametrize("name", ["week.jsonl", "week.jsonl.gz", "week.jsonl.zst"])
def test_a_replayed_export_gives_the_same_records_and_scores_bit_for_bit(tmp_path: Path, name: str) -> None:
    """Spans and log events as they were kept, redacted; pseudonyms stay what they are."""
    first, second, out = tmp_path / "1.db", tmp_path / "2.db", tmp_path / name
    replayed([recorded(tmp_path)], settings_of(first))
    shown = exported(first, out)
    assert shown == {
        "traces": QUESTIONS,
        "spans": 3 * QUESTIONS,
        "log_events": 1,
        "without_content": 0,
        "file": str(out),
    }
    assert not list(tmp_path.glob("*.part"))
    replayed([out], settings_of(second))
    assert dump(first) == dump(second)
    assert len(dump(first)["records"]) == QUESTIONS - 1
    with closing(sqlite3.connect(second)) as connection:
        ((person, feedback),) = connection.execute(
            "SELECT user_id, evaluations FROM records WHERE user_id IS NOT NULL"
        )
    assert person.startswith("hmac:")
    assert "helpful" in feedback


def test_the_lines_are_otlp_and_explained_as_files_are(tmp_path: Path) -> None:
    """Ids in hex, as the Collector's file exporter writes them; no address that the store had cut."""
    replayed([recorded(tmp_path)], settings_of(tmp_path / "1.db"))
    out = tmp_path / "week.jsonl"
    exported(tmp_path / "1.db", out)
    text = out.read_text("utf-8")
    assert "ana@example.org" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [set(line) for line in lines].count({"resourceLogs"}) == 1
    spans = [span for line in lines if "resourceSpans" in line for span in _spans(line)]
    root = next(span for span in spans if "links" in span)
    assert (root["links"][0]["traceId"], root["links"][0]["spanId"]) == ("01" * 16, "02" * 8)
    assert {len(span["traceId"]) for span in spans} == {32}
    accounts = {one.trace_id: one for one in explain_files([out])}
    before = {one.trace_id: one for one in explain_files([tmp_path / "recorded.jsonl"])}
    assert accounts.keys() == before.keys()
    whole = before.keys() - {root["traceId"]}
    assert {key: accounts[key] for key in whole} == {key: before[key] for key in whole}


def _spans(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for part in line["resourceSpans"]:
        for scope in part["scopeSpans"]:
            yield from scope["spans"]


def test_a_large_trace_takes_several_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No reader has to hold all of it at once; it is the same trace."""
    replayed([recorded(tmp_path)], settings_of(tmp_path / "1.db"))
    exported(tmp_path / "1.db", tmp_path / "whole.jsonl")
    monkeypatch.setattr(traces_to_file, "_LINE_BYTES", 300)
    monkeypatch.setattr(reading_traces, "_PAGE", 7)
    settings = settings_of(tmp_path / "1.db")
    wanted = reading_traces.Wanted(0, 2**62)
    with (tmp_path / "parts.jsonl").open("wb") as file, SqliteStore(settings):
        opened = lambda: closing(_rows(tmp_path / "1.db"))  # noqa: E731 - as the command has it
        done = traces_to_file.write_traces(reading_traces.kept_traces(opened, wanted), file)
    assert (done.traces, done.spans) == (QUESTIONS, 3 * QUESTIONS)
    parts, whole = tmp_path / "parts.jsonl", tmp_path / "whole.jsonl"
    assert len(parts.read_bytes().splitlines()) > len(whole.read_bytes().splitlines())
    assert explain_files([parts]) == explain_files([whole])


def _rows(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


def test_only_what_began_then_and_of_that_service(tmp_path: Path) -> None:
    """The beginning of a trace decides, not when it was stored."""
    store = tmp_path / "1.db"
    replayed([recorded(tmp_path)], settings_of(store))
    middle = utc(MORNING + 30 * 60 * SECOND).replace(" ", "T")
    halves = [exported(store, tmp_path / f"{which}.jsonl", which, middle) for which in ("--since", "--until")]
    assert sum(half["traces"] for half in halves) == QUESTIONS
    assert all(half["traces"] > QUESTIONS // 3 for half in halves)
    trace_ids = [
        {row.trace_id for row in rows_in(tmp_path / f"{which}.jsonl", _never)}
        for which in ("--since", "--until")
    ]
    assert not trace_ids[0] & trace_ids[1]
    assert exported(store, tmp_path / "own.jsonl", "--service", "shop")["traces"] == QUESTIONS
    assert exported(store, tmp_path / "other.jsonl", "--service", "other")["traces"] == 0


def _never(problem: Exception) -> None:
    raise problem


def test_what_retention_took_out_is_counted_and_left_out(tmp_path: Path) -> None:
    """The file would otherwise look like all there was."""
    store, settings = tmp_path / "1.db", settings_of(tmp_path / "1.db")
    replayed([recorded(tmp_path)], settings)
    with SqliteStore(settings) as opened:
        assert len(opened.retention.expire(None, 5, counter="content_expired")) == 5
    done = ragvigil("export", "--traces", "--store", str(store), *SINCE, "--out", str(tmp_path / "a.jsonl"))
    assert "left out: 5 traces of that time whose content is gone after retention.content_days" in done.stderr
    assert done.stdout.startswith(f"{QUESTIONS - 5} traces ({3 * QUESTIONS - 15} spans, ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--score", "faithfulness"], "--traces: leaves --score without effect"),
        (["--explanations", "--history"], "leaves --history, --explanations without effect"),
        (["--out", "a.parquet"], "--out: traces do not go to Parquet"),
    ],
)
def test_options_about_scores_are_refused(tmp_path: Path, arguments: list[str], said: str) -> None:
    """Before a file is begun."""
    with SqliteStore(settings_of(tmp_path / "1.db")):
        pass
    done = ragvigil("export", "--traces", "--store", str(tmp_path / "1.db"), *arguments)
    assert done.returncode == 2
    assert said in done.stderr
