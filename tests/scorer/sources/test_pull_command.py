"""ragvigil pull: from exports, into files and stores, and what cannot work."""

from __future__ import annotations

import json
import os
import re
import threading
from pathlib import Path

import pytest
from tests.command_line import ragvigil
from tests.scorer.sources.pull_server import RECORDED, WANTED, Backend, recorded
from tests.scorer.sources.test_pull import LOST, ORIGINALS, mlflow, shown

from ragvigil.scorer.sources.pull.convert import convert_to_file
from ragvigil.scorer.sources.pull.otlp import mapping, objects
from ragvigil.scorer.sources.pull.run import history_of


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("phoenix", "phoenix_spans.json"),
        ("phoenix", "phoenix_spans_otlpv1.json"),
        ("mlflow", "mlflow_batch_get.json"),
    ],
)
def test_exports_are_read_from_files(source: str, name: str, tmp_path: Path) -> None:
    """The same records as over HTTP."""
    out = tmp_path / "out.jsonl"
    done = ragvigil("pull", source, "--file", str(RECORDED / name), "--out", str(out), "--json")
    assert done.returncode == 0, done.stderr
    lost = LOST if source == "phoenix" else ("started_at",)
    ids = {one["span_id"] for one in shown(*ORIGINALS)}
    assert [one for one in shown(out, without=lost) if one["span_id"] in ids] == shown(
        *ORIGINALS, without=lost
    )


def test_a_pull_goes_straight_into_a_store(backend: Backend, tmp_path: Path) -> None:
    """Last week's traces, scored, without touching the service."""
    mlflow(backend)
    store = tmp_path / "week.db"
    done = ragvigil(
        "pull",
        "mlflow",
        "--since",
        "2026-01-01",
        "--store",
        f"sqlite:///{store}",
        "--json",
        environment={"MLFLOW_TRACKING_URI": backend.url},
    )
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["records"] == 7
    assert summary["balanced"]


def test_nothing_to_pull_and_an_earlier_call_are_said(backend: Backend, tmp_path: Path) -> None:
    """A mistyped project looked like a week without traffic, and another --since went on silently with the first."""
    out = tmp_path / "out.jsonl"
    path = "/v1/projects/default/spans/otlpv1"
    backend.answers[path] = recorded("phoenix_spans_otlpv1.json")
    backend.fails_at = ["8"]
    arguments = ["pull", "phoenix", "--url", backend.url, "--out", str(out)]
    assert ragvigil(*arguments, "--since", "2026-01-02").returncode == 2
    backend.fails_at = None
    told = ragvigil(*arguments, "--since", "2026-03-04").stdout
    assert re.search(r"; the earlier call was gone on with, from 2026-01-02 00:00Z to 20", told)
    nothing = [
        "pull",
        "langfuse",
        "--url",
        backend.url,
        "--out",
        str(tmp_path / "nothing.jsonl"),
        "--project",
        "shop",
    ]
    backend.answers["/api/public/v2/observations"] = {"data": [], "meta": {}}
    assert "langfuse has none in 'shop' from " in ragvigil(*nothing).stdout


@pytest.mark.parametrize(("kept", "lost"), [(2, 3), (0, 5)])
def test_traces_that_mlflow_lists_without_their_spans_are_counted(
    backend: Backend, tmp_path: Path, kept: int, lost: int
) -> None:
    """They were left out in silence; where all were, mlflow was said to have none from then to then."""
    mlflow(backend)
    traces = objects(mapping(recorded("mlflow_batch_get.json"))["traces"])[:5]
    backend.answers["/api/3.0/mlflow/traces/search"] = {"traces": [one["trace_info"] for one in traces]}
    backend.answers["/api/3.0/mlflow/traces/batchGet"] = {"traces": traces[:kept]}
    arguments = ["pull", "mlflow", "--url", backend.url, "--out"]
    told = ragvigil(*arguments, str(tmp_path / "out.jsonl")).stdout
    assert f"; left out: {lost} traces of which mlflow gives no spans" in told
    assert "--since" not in told
    assert (
        json.loads(ragvigil(*arguments, str(tmp_path / "json.jsonl"), "--json").stdout)["without_spans"]
        == lost
    )
    assert f"left out: {lost} traces" in ragvigil(*arguments, "-").stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["grafana"],
        ["phoenix"],
        ["phoenix", "--since", "soon", "--out", "-"],
        ["phoenix", "--since", "1d", "--until", "2d", "--out", "-"],
        ["phoenix", "--url", "http://127.0.0.1:9", "--out", "no/such/folder/spans.jsonl"],
        ["phoenix", "--url", "http://127.0.0.1:9", "--out", ""],
        ["phoenix", "--url", "http://127.0.0.1:9", "--out", "-", "--store", "week.db"],
        ["phoenix", "--url", "http://127.0.0.1:9", "--config", "no-such.toml", "--store", "week.db"],
    ],
)
def test_what_cannot_work_is_one_sentence(arguments: list[str]) -> None:
    """Exit code 2."""
    done = ragvigil("pull", *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_an_export_is_never_written_over(tmp_path: Path) -> None:
    """Neither what is read nor what was written before; what fails leaves nothing behind."""
    export = tmp_path / "export.json"
    export.write_text('{"traces": 1}')
    done = ragvigil("pull", "langfuse", "--file", str(export), "--out", str(export))
    assert done.returncode == 2
    assert "exists already" in done.stderr
    done = ragvigil("pull", "langfuse", "--file", str(export), "--out", str(tmp_path / "spans.jsonl"))
    assert done.returncode == 2
    assert "holds no trace" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["export.json"]
    assert export.read_text() == '{"traces": 1}'


def test_an_export_is_written_where_it_is_to_go(tmp_path: Path) -> None:
    """What stands beside it is left alone, a link is followed, and a pipe or device is written through."""
    original = (RECORDED / "phoenix_spans.json").read_bytes()
    export = tmp_path / "spans.jsonl.new"
    export.write_bytes(original)
    out, link = tmp_path / "spans.jsonl", tmp_path / "link.jsonl"
    link.symlink_to(out)
    os.mkfifo(tmp_path / "pipe")
    read = list[bytes]()
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    convert_to_file(history_of("phoenix"), [export], WANTED, tmp_path / "pipe")
    reader.join(30)
    convert_to_file(history_of("phoenix"), [export], WANTED, link)
    assert link.is_symlink()
    assert [out.read_bytes()] == read
    assert read != [b""]
    assert export.read_bytes() == original
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "link.jsonl",
        "pipe",
        "spans.jsonl",
        "spans.jsonl.new",
    ]
