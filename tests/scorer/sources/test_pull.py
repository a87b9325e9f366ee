"""Pulls over real HTTP from a server that answers as Phoenix, MLflow and Langfuse do.

Phoenix's and MLflow's answers were recorded by tests/real/real_pull.py; Langfuse's are written to its published API.
"""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import pytest
from tests.scorer.sources.conftest import TRACES
from tests.scorer.sources.pull_server import Backend, pulled, recorded

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.read import as_json, read_files
from ragvigil.scorer.sources.pull.history import Wanted
from ragvigil.scorer.sources.pull.otlp import mapping, objects


def shown(*paths: Path, without: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """The records of the files, by span, without these keys."""
    found = [as_json(one) for one in read_files(paths)]
    return sorted(
        ({key: one for key, one in record.items() if key not in without} for record in found),
        key=lambda record: str(record["span_id"]),
    )


ORIGINALS = (TRACES / "langchain_session.pb", TRACES / "haystack_error.pb")
LOST = ("service", "service_version", "started_at")
"""What Phoenix does not keep, and times, which it rounds."""


def test_phoenix_gives_the_records_that_were_sent_to_it(backend: Backend, tmp_path: Path) -> None:
    """Over several pages; the service is the project."""
    backend.answers["/v1/projects/my%20shop/spans/otlpv1"] = recorded("phoenix_spans_otlpv1.json")
    path = tmp_path / "out.jsonl"
    pulled(backend, "phoenix", path, wanted=Wanted(10**18, 2 * 10**18, project="my shop"))
    assert shown(path, without=LOST) == shown(*ORIGINALS, without=LOST)
    assert {record["service"] for record in shown(path)} == {"my shop"}
    assert len(backend.asked) == 5, "four pages, and a look at the top for what came meanwhile"
    assert backend.asked[0][1]["start_time"] == ["2001-09-09T01:46:40.000000Z"]


def mlflow(backend: Backend) -> None:
    """Answer as MLflow."""
    backend.answers["/api/2.0/mlflow/experiments/search"] = {
        "experiments": [{"experiment_id": "1", "name": "native"}]
    }
    backend.answers["/api/3.0/mlflow/traces/search"] = recorded("mlflow_search.json")
    backend.answers["/api/3.0/mlflow/traces/batchGet"] = recorded("mlflow_batch_get.json")


def test_mlflow_gives_the_records_that_were_sent_to_it_and_those_of_its_own_sdk(
    backend: Backend, tmp_path: Path
) -> None:
    """Its SDK's session and user are on the trace only."""
    mlflow(backend)
    path = tmp_path / "out.jsonl"
    pulled(backend, "mlflow", path)
    records = shown(path)
    sent = shown(*ORIGINALS)
    assert [one for one in records if one["service"] == "bibliothek"] == sent
    own = [one for one in records if one["service"] == "native"]
    assert {one["answer"] for one in own} == {"Part 7 costs 10 euros [p7].", "42", None}
    first = next(one for one in own if one["conversation_id"])
    assert (first["query"], first["conversation_id"], first["user_id"], first["model"], first["tokens"]) == (
        "What does part 7 cost?",
        "session-9",
        "reader-4",
        "tiny-chat-1",
        {"input": 61, "output": 17},
    )
    assert first["documents"] == [
        {"id": "p7", "text": "Part 7 costs 10 euros.", "score": 0.9, "rank": 1},
        {"id": "p8", "text": "Part 8 costs 11 euros.", "score": None, "rank": 2},
    ]
    (failed,) = [one for one in own if one["error"]]
    assert failed["error"] == {"where": "root", "type": "TimeoutError", "message": "index did not answer"}


def test_mlflow_traces_whose_spans_are_in_an_artifact_come_too(backend: Backend, tmp_path: Path) -> None:
    """An older server put them there; the newer one then gives the trace without spans, or not at all."""
    mlflow(backend)
    whole, path = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    pulled(backend, "mlflow", whole)
    traces = objects(mapping(recorded("mlflow_batch_get.json"))["traces"])
    ids = [mapping(one["trace_info"])["trace_id"] for one in traces]
    backend.answers["/api/3.0/mlflow/traces/search"] = {"traces": [one["trace_info"] for one in traces]}
    backend.answers["/api/3.0/mlflow/traces/batchGet"] = {"traces": [{**traces[0], "spans": []}, *traces[2:]]}
    backend.answers["/ajax-api/2.0/mlflow/get-trace-artifact"] = [
        {"spans": traces[n]["spans"]} for n in (0, 1)
    ]
    pulled(backend, "mlflow", path)
    assert [asked["request_id"] for _, asked in backend.asked if "request_id" in asked] == [
        [ids[0]],
        [ids[1]],
    ]
    assert shown(path) == shown(whole)


def test_traces_without_spans_are_counted_over_an_interruption(backend: Backend, tmp_path: Path) -> None:
    """Those of the pages before it, too."""
    mlflow(backend)
    (info, *_) = objects(mapping(recorded("mlflow_search.json"))["traces"])
    search = "/api/3.0/mlflow/traces/search"
    backend.answers["/api/3.0/mlflow/traces/batchGet"] = {"traces": []}
    backend.answers[search] = [{"traces": [info], "next_page_token": "more"}, None]
    with pytest.raises(InputError, match="answered 404"):
        pulled(backend, "mlflow", tmp_path / "out.jsonl")
    backend.answers[search] = {"traces": [info, info]}
    assert pulled(backend, "mlflow", tmp_path / "out.jsonl").without_spans == 3


def test_more_experiments_than_fit_a_page_are_all_asked_for(backend: Backend, tmp_path: Path) -> None:
    """Traces of the thousand-and-first were left out in silence."""
    mlflow(backend)
    backend.answers["/api/2.0/mlflow/experiments/search"] = [
        {"experiments": [{"experiment_id": "0", "name": "Default"}], "next_page_token": "more"},
        {"experiments": [{"experiment_id": "1", "name": "native"}]},
    ]
    pulled(backend, "mlflow", tmp_path / "out.jsonl")
    assert [path for path, _ in backend.asked].count("/api/2.0/mlflow/experiments/search") == 2
    assert "native" in {one["service"] for one in shown(tmp_path / "out.jsonl")}


def observation(number: int, kind: str, **fields: object) -> dict[str, object]:
    """As `/api/public/v2/observations` documents it."""
    return {
        "id": f"{number:016x}",
        "traceId": "ab" * 16,
        "type": kind,
        "name": kind.lower(),
        "startTime": f"2026-11-20T10:00:0{number}.000Z",
        "endTime": f"2026-11-20T10:00:0{number}.500Z",
        "parentObservationId": None if number == 1 else f"{1:016x}",
        "level": "DEFAULT",
        "environment": "production",
        "sessionId": "s-1",
        "userId": "u-1",
        "metadata": {"resourceAttributes": {"service.name": "shop"}},
        **fields,
    }


OBSERVATIONS = [
    observation(1, "SPAN", input="What does part 7 cost?", output="Ten euros [p7]."),
    observation(
        2,
        "RETRIEVER",
        input="part 7",
        output=json.dumps([{"id": "p7", "page_content": "Part 7 costs 10 euros."}]),
    ),
    observation(
        3,
        "GENERATION",
        input=json.dumps([{"role": "user", "content": "What does part 7 cost?"}]),
        output="Ten euros [p7].",
        providedModelName="tiny-chat-1",
        usageDetails={"input": 61, "output": 17, "total": 78},
        promptName="answer",
        promptVersion=3,
    ),
]
LANGFUSE = {
    "service": "shop",
    "environment": "production",
    "query": "What does part 7 cost?",
    "documents": [{"id": "p7", "text": "Part 7 costs 10 euros.", "score": None, "rank": 1}],
    "answer": "Ten euros [p7].",
    "model": "tiny-chat-1",
    "prompt_version": "answer@3",
    "tokens": {"input": 61, "output": 17},
    "conversation_id": "s-1",
    "user_id": "u-1",
    "dialect": "langfuse",
    "completeness": "complete",
}


def test_langfuse_observations_become_records(
    backend: Backend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, with its keys as user and password."""
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")
    backend.answers["/api/public/v2/observations"] = [
        {"data": OBSERVATIONS[:2], "meta": {"cursor": "next"}},
        {"data": OBSERVATIONS[2:], "meta": {}},
    ]
    path = tmp_path / "out.jsonl"
    pulled(backend, "langfuse", path)
    (record,) = shown(path)
    assert {key: record[key] for key in LANGFUSE} == LANGFUSE
    assert backend.asked[1][1]["cursor"] == ["next"]
    assert backend.authorization == "Basic " + base64.b64encode(b"pk:sk").decode()


def test_an_older_langfuse_is_asked_for_its_traces(backend: Backend, tmp_path: Path) -> None:
    """Where input and output may stand on the trace only, and inputs are parsed already."""
    older = [
        {key: value for key, value in one.items() if key not in ("sessionId", "userId", "environment")}
        for one in OBSERVATIONS[1:]
    ]
    older[0]["output"] = json.loads(str(older[0]["output"]))
    for one in older:
        one["parentObservationId"] = None
    trace = {
        "id": "ab" * 16,
        "timestamp": "2026-11-20T10:00:01.000Z",
        "name": "rag",
        "input": {"query": "What does part 7 cost?"},
        "output": "Ten euros [p7].",
        "sessionId": "s-1",
        "userId": "u-1",
        "environment": "production",
        "observations": older,
    }
    backend.answers["/api/public/traces"] = {
        "data": [{"id": "ab" * 16}, {"id": "deleted since"}],
        "meta": {"page": 1, "totalPages": 1},
    }
    backend.answers[f"/api/public/traces/{'ab' * 16}"] = trace
    path = tmp_path / "out.jsonl"
    pulled(backend, "langfuse", path)
    (record,) = shown(path)
    assert {key: record[key] for key in LANGFUSE if key != "service"} == {
        key: value for key, value in LANGFUSE.items() if key != "service"
    }
    assert record["service"] == "shop"


def test_a_full_backend_is_asked_again_when_it_says(backend: Backend, tmp_path: Path) -> None:
    """429 with Retry-After, and failures without it."""
    backend.answers["/v1/projects/default/spans/otlpv1"] = recorded("phoenix_spans_otlpv1.json")
    backend.refusals = [(429, {"retry-after": "17"}), (503, {}), (500, {})]
    slept: list[float] = []
    pulled(backend, "phoenix", tmp_path / "out.jsonl", slept)
    assert len(slept) == 3
    assert slept[0] == 17.0
    assert 0 < slept[1] <= 2.0 < 4.1


@pytest.mark.parametrize("fails_at", [None, ["3"]])
def test_what_phoenix_stores_while_it_is_pulled_from_comes_along(
    backend: Backend, tmp_path: Path, fails_at: list[str] | None
) -> None:
    """Roots of answers under way came above the first page: their records had passages and no answer.

    Also over an interruption, and where the newest span that was known is deleted meanwhile.
    """
    spans = objects(mapping(recorded("phoenix_spans_otlpv1.json"))["data"])
    later, stored = spans[:6], spans[6:]
    backend.answers["/v1/projects/default/spans/otlpv1"] = {"data": stored}

    def store(request: int) -> None:
        if request <= 4:
            stored.insert(0, later.pop())
        if request == 3:
            stored.remove(spans[5])

    backend.meanwhile = store
    path = tmp_path / "out.jsonl"
    backend.fails_at = fails_at
    if fails_at:
        with pytest.raises(InputError, match="answered 403"):
            pulled(backend, "phoenix", path)
        backend.fails_at = None
    pulled(backend, "phoenix", path)
    found = re.findall(r'"spanId": "(\w+)"', path.read_text())
    assert sorted(found) == sorted(str(one["span_id"]) for one in spans[2:])


def test_an_interrupted_pull_goes_on_without_loss_or_double(backend: Backend, tmp_path: Path) -> None:
    """Even when the last page was torn; another question is not mixed in."""
    backend.answers["/v1/projects/default/spans/otlpv1"] = recorded("phoenix_spans_otlpv1.json")
    whole, path = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    all_of_it = pulled(backend, "phoenix", whole)
    spent = len(backend.asked)

    backend.fails_at = ["5"]
    with pytest.raises(InputError, match="answered 403"):
        pulled(backend, "phoenix", path)
    backend.fails_at = None
    with path.open("ab") as torn:
        torn.write(b'{"resourceSpans": [')
    with pytest.raises(InputError, match="another pull"):
        pulled(backend, "phoenix", path, wanted=Wanted(0, 2**62, service="other"))
    with Backend() as elsewhere, pytest.raises(InputError, match="another pull"):
        pulled(elsewhere, "phoenix", path)
    went_on = pulled(backend, "phoenix", path, wanted=Wanted(5, 2**61))
    assert (went_on.window, went_on.spans, went_on.requests) == (
        (0, 2**62),
        all_of_it.spans,
        all_of_it.requests,
    )
    assert path.read_bytes() == whole.read_bytes()
    assert len(backend.asked) < 3 * spent
    assert [one.name for one in tmp_path.iterdir() if "pull" in one.name] == []
    with pytest.raises(InputError, match="exists already"):
        pulled(backend, "phoenix", path)
