"""`ragvigil try-prompt`: what a prompt says of recorded answers, before it goes live."""

from __future__ import annotations

import base64
import json
from importlib.resources import files
from pathlib import Path
from typing import cast

import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.judge.test_criteria import criterion
from tests.scorer.offline.test_prefer_and_synth import RIGHT, SURE, WRONG, answers, run

from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.testing import DAMAGES, Script, ScriptedJudge, Shown

_IDS = ("traceId", "spanId", "parentSpanId")
TRACES = Path(__file__).parents[2] / "fixtures" / "traces"


def test_a_criterion_on_rows(tmp_path: Path) -> None:
    """One line a record with the critique, a summary, and what it cost; its share does not count here."""
    folder = criterion(tmp_path / "criteria", 'id = "tone"\nversion = "1"\nshare = 0.01')
    path = answers(tmp_path / "rows.jsonl", RIGHT, WRONG, RIGHT)
    with ScriptedJudge(SURE) as server:
        result = run(server, tmp_path, "try-prompt", str(folder / "tone.md"), "--on", path)
        shown = run(
            server, tmp_path, "try-prompt", str(folder / "tone.md"), "--on", path, "--json", "--limit", "2"
        )
    lines = result.stdout.splitlines()
    assert result.return_value == 0
    assert [line.split()[1] for line in lines[:3]] == ["pass", "fail", "pass"]
    assert lines[3] == "3 of 3 records: pass 2, fail 1"
    assert lines[4].startswith("3 calls, ")
    said = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [(one["id"], one["verdict"]) for one in said] == [("0", "pass"), ("1", "fail")]
    assert said[0]["reason"] == "The answer does what is asked."


@pytest.mark.parametrize("form", ["protobuf", "json lines"])
def test_a_criterion_on_recorded_traces(form: str, tmp_path: Path) -> None:
    """As the Collector's file exporter writes them, and as `explain` reads them."""
    folder = criterion(tmp_path / "criteria")
    path = TRACES / "llama_index_rerank.pb"
    if form == "json lines":
        message = TracesData.FromString(path.read_bytes())
        path = tmp_path / "traces.jsonl"
        path.write_text(json.dumps(_with_hex_ids(MessageToDict(message))) + "\n")
    with ScriptedJudge(SURE) as server:
        result = run(
            server, tmp_path, "try-prompt", str(folder / "next_step.md"), "--on", str(path), "--json"
        )
    (said,) = [json.loads(line) for line in result.stdout.splitlines()]
    assert said["verdict"] in ("pass", "fail")
    assert len(said["id"]) == 32


def test_a_rubric_of_ones_own(tmp_path: Path) -> None:
    """A whole prompt with reply = "rubric" is tried alike, and may be judge.prompt afterwards."""
    path = tmp_path / "ours.md"
    source = files("ragvigil.prompts").joinpath("rubric/1.md").read_text("utf-8")
    path.write_text(source.replace('id = "rubric"', 'id = "ours"'))
    rows = answers(tmp_path / "rows.jsonl", RIGHT, WRONG)
    with ScriptedJudge(SURE) as server:
        result = run(server, tmp_path, "try-prompt", str(path), "--on", rows, "--json")
    said = [json.loads(line) for line in result.stdout.splitlines()]
    assert [one["verdict"] for one in said] == ["supported", "unsupported"]
    assert said[0]["details"]["scores"]["groundedness"] == 5
    path.write_text(source.replace("must_pass", "checks"))
    with ScriptedJudge(SURE) as server, pytest.raises(InputError, match="does not ask for must_pass"):
        run(server, tmp_path, "try-prompt", str(path), "--on", rows)


def test_a_reply_that_cannot_be_read_is_no_fail(tmp_path: Path) -> None:
    """And the exit code says that there was one."""

    class Spoilt(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            return DAMAGES["nothing"](self.reply(shown, wanted))

    folder = criterion(tmp_path / "criteria")
    with ScriptedJudge(Spoilt()) as server:
        result = run(
            server,
            tmp_path,
            "try-prompt",
            str(folder / "next_step.md"),
            "--on",
            answers(tmp_path / "r", RIGHT),
        )
    assert result.return_value == 1
    assert "unparseable" in result.stdout


def test_what_cannot_be_tried_is_named_with_the_fix(tmp_path: Path) -> None:
    """A file that is wrong, one that is not there, and no language model."""
    from typer.testing import CliRunner

    from ragvigil.scorer.commands._app import app

    folder = criterion(tmp_path / "criteria", 'id = "tone"\nversion = "1"\nshare = 7')
    rows = answers(tmp_path / "rows.jsonl", RIGHT)
    with ScriptedJudge(SURE) as server:
        with pytest.raises(InputError, match="share is 7; write a number above 0"):
            run(server, tmp_path, "try-prompt", str(folder / "tone.md"), "--on", rows)
        with pytest.raises(InputError, match="cannot be read"):
            run(server, tmp_path, "try-prompt", str(folder / "none.md"), "--on", rows)
        with pytest.raises(InputError, match="No such file"):
            run(server, tmp_path, "try-prompt", str(folder / "tone.md"), "--on", str(tmp_path / "none"))
    good = criterion(tmp_path / "good")
    with pytest.raises(ConfigError, match=r"judge\.kind: is builtin, and this needs a language model"):
        CliRunner().invoke(
            app,
            ["try-prompt", str(good / "next_step.md"), "--on", rows],
            catch_exceptions=False,
            standalone_mode=False,
        )


def _with_hex_ids(value: object) -> object:
    """OTLP's JSON has ids in hex where protobuf's has base64."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return {
            key: base64.b64decode(str(inner)).hex() if key in _IDS else _with_hex_ids(inner)
            for key, inner in pairs.items()
        }
    return [_with_hex_ids(one) for one in cast("list[object]", value)] if isinstance(value, list) else value
