"""OTLP files as the records that the scorer would read."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from google.protobuf import json_format
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, LogsData, ResourceLogs, ScopeLogs
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.command_line import ragvigil

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.read import as_json, read_files

TRACES = Path(__file__).parents[2] / "fixtures" / "traces"
SESSION, ERROR = TRACES / "langchain_session.pb", TRACES / "langchain_error.pb"


def otlp_json(path: Path) -> str:
    """The file as OTLP-JSON: one line, ids in hex where protobuf's own JSON has base64."""
    text = json_format.MessageToJson(
        TracesData.FromString(path.read_bytes()), use_integers_for_enums=True, indent=None
    )
    return re.sub(
        r'"(traceId|spanId|parentSpanId)": "([^"]*)"',
        lambda found: f'"{found[1]}": "{base64.b64decode(found[2]).hex()}"',
        text,
    )


def shown(*paths: Path) -> list[dict[str, object]]:
    """What `ragvigil read` prints for the files."""
    return [as_json(record) for record in read_files(paths)]


def test_a_record_is_shown_with_all_its_keys() -> None:
    """Ids as on the wire, unknown as null."""
    (record,) = shown(SESSION)
    times = {key: record.pop(key) for key in ("trace_id", "span_id", "started_at")}
    assert (len(str(times["trace_id"])), len(str(times["span_id"]))) == (32, 16)
    assert record == {
        "service": "bibliothek",
        "environment": None,
        "service_version": "3",
        "query": "Wann ist die Bibliothek am Samstag geöffnet?",
        "documents": [
            {"id": "haus-7", "text": "Die Bibliothek liegt hinter dem Rathaus.", "score": 0.83, "rank": 1},
            {
                "id": "zeiten-2",
                "text": "Samstags öffnet die Bibliothek von 10 bis 16 Uhr.",
                "score": 0.79,
                "rank": 2,
            },
            {"id": "gebuehr-5", "text": "Ein Ausweis kostet zwölf Euro im Jahr.", "score": 0.31, "rank": 3},
        ],
        "answer": "Am Samstag ist sie von 10 bis 16 Uhr geöffnet [2].",
        "model": "tiny-chat-1",
        "response_model": None,
        "finish_reason": None,
        "prompt_version": None,
        "conversation_id": "sitzung-9",
        "user_id": "leserin-4",
        "tokens": {"input": 61, "output": 17},
        "error": None,
        "streaming": None,
        "feedback": [],
        "evaluations": [],
        "segment": {},
        "completeness": "complete",
        "dialect": "openinference",
        "upstream_probability": None,
        "upstream_sampler": None,
    }


def test_an_error_says_where_what_and_why() -> None:
    """As one object."""
    (record,) = shown(ERROR)
    assert record["error"] == {
        "where": "retriever",
        "type": "TimeoutError",
        "message": "index did not answer",
    }


def test_json_and_protobuf_read_alike(tmp_path: Path) -> None:
    """One request a file, or one a line."""
    whole, lines = tmp_path / "one.otlp.json", tmp_path / "many.jsonl"
    whole.write_text(otlp_json(SESSION))
    lines.write_text(otlp_json(SESSION) + "\n\n" + otlp_json(ERROR) + "\n")
    assert shown(whole) == shown(SESSION)
    assert shown(lines) == shown(SESSION, ERROR)


def test_the_files_of_one_call_are_joined_by_trace(tmp_path: Path) -> None:
    """A split export is one record, in whichever order."""
    whole = TracesData.FromString(SESSION.read_bytes())
    parts = [TracesData(), TracesData()]
    spans = whole.resource_spans[0].scope_spans[0].spans
    for number, part in enumerate(parts):
        part.CopyFrom(whole)
        kept = list(spans)[number::2]
        del part.resource_spans[0].scope_spans[0].spans[:]
        part.resource_spans[0].scope_spans[0].spans.extend(kept)
        (tmp_path / f"{number}.pb").write_bytes(part.SerializeToString())
    assert shown(tmp_path / "1.pb", tmp_path / "0.pb") == shown(SESSION)


def test_log_records_find_their_trace(tmp_path: Path) -> None:
    """`.logs.` in the name says what the file holds."""
    (record,) = read_files([SESSION])
    evaluation = LogRecord(
        trace_id=bytes.fromhex(record.trace_id),
        span_id=bytes.fromhex(record.span_id),
        event_name="gen_ai.evaluation.result",
        attributes=[KeyValue(key="gen_ai.evaluation.name", value=AnyValue(string_value="helpful"))],
    )
    logs = tmp_path / "evaluation.logs.pb"
    data = LogsData(resource_logs=[ResourceLogs(scope_logs=[ScopeLogs(log_records=[evaluation])])])
    logs.write_bytes(data.SerializeToString())
    assert shown(logs, SESSION)[0]["evaluations"] == [{"name": "helpful"}]
    assert shown(logs) == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "holds no span"),
        (b"{}", "holds no span"),
        (b'{"resourceSpans": 5}', "resourceSpans"),
        (b"{broken", "JSON"),
        (b"\xff\xff\xff\xff", ""),
        (b"plain text", ""),
    ],
)
def test_an_unreadable_file_is_named_with_its_problem(tmp_path: Path, content: bytes, problem: str) -> None:
    """One line, no traceback."""
    path = tmp_path / "export.pb"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(str(path))) as caught:
        read_files([path])
    assert problem in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """A folder is no file either."""
    with pytest.raises(InputError, match="No such file"):
        read_files([tmp_path / "gone.pb"])
    with pytest.raises(InputError, match="directory"):
        read_files([tmp_path])


def test_a_broken_line_is_named_by_number(tmp_path: Path) -> None:
    """Long files are common."""
    path = tmp_path / "day.jsonl"
    path.write_text(otlp_json(SESSION) + "\n{broken\n")
    with pytest.raises(InputError, match=r"day\.jsonl line 2: "):
        read_files([path])


@pytest.mark.parametrize("command", ["read", "explain"])
def test_a_bad_line_costs_itself_and_is_named(tmp_path: Path, command: str) -> None:
    """A torn last line is what the Collector leaves behind; an empty export is none."""
    path, empty = tmp_path / "day.jsonl", '{"resourceLogs": []}\n{"resourceSpans": []}\n'
    path.write_text(f"{otlp_json(SESSION)}\n{{broken\n{empty}" + otlp_json(SESSION)[:200])
    done = ragvigil(command, str(path))
    assert (done.returncode, "day.jsonl line 2" in done.stderr) == (1, True)
    assert done.stderr.count("not read: ") == 2
    assert done.stdout == ragvigil(command, str(SESSION)).stdout
    path.write_text("{broken\n")
    assert ragvigil(command, str(path)).returncode == 2
    path.write_text(empty)
    assert ragvigil(command, str(path)).returncode == 0


def test_a_record_is_one_line_of_json() -> None:
    """Whatever was on the wire."""
    for path in sorted(TRACES.glob("*.pb")):
        for record in shown(path):
            assert json.loads(json.dumps(record, ensure_ascii=False, allow_nan=False)) == record


def test_a_rejected_span_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The others are read; whoever looks for the missing one is told where it went."""
    path = tmp_path / "half.json"
    spans = [
        {"traceId": "zz", "spanId": "1" * 16, "name": "bad"},
        {"traceId": "a" * 32, "spanId": "2" * 16, "name": "ok"},
    ]
    path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    read_files([path])
    assert "1 span" in caplog.text
    assert "half.json" in caplog.text
