"""The store, or its folder, deleted under a running scorer: it begins anew, and loses nothing that it acknowledges."""

from __future__ import annotations

import shutil
from contextlib import closing
from functools import partial
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.conftest import Scorer, Serve, eventually
from tests.scorer.replay.conftest import question

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store.reading import open_for_reading


def asked(number: int) -> TracesData:
    """A question."""
    return question(number, 1_700_000_000 * 10**9, cited="p1", price=number + 2)


def takes(scorer: Scorer, number: int) -> bool:
    """Whether a question is acknowledged."""
    body = asked(number).SerializeToString()
    headers = {"content-type": "application/x-protobuf"}
    return httpx.post(f"http://{scorer.http}/v1/traces", content=body, headers=headers, timeout=30).is_success


def stored(scorer: Scorer) -> set[str]:
    """The traces of which the store has a record; none while there is no store."""
    try:
        connection = open_for_reading(scorer.store)
    except StoreError:
        return set()
    with closing(connection):
        return {row[0] for row in connection.execute("SELECT trace_id FROM records")}


@pytest.mark.parametrize("what", ["the store", "the folder"])
def test_a_scorer_whose_store_is_deleted_begins_anew_and_loses_no_later_answer(
    serve: Serve, tmp_path: Path, what: str
) -> None:
    """It wrote into a file that nobody could open, let the inbox go, and told its heartbeat that all was well."""
    scorer = serve()
    first = scorer.score_process
    assert takes(scorer, 1)
    eventually(lambda: len(stored(scorer)) == 1)
    if what == "the folder":
        for path in tmp_path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        tmp_path.rmdir()
    else:
        for path in tmp_path.glob("ragvigil.db*"):
            path.unlink()
    for number in (2, 3):
        eventually(partial(takes, scorer, number))
    later = {asked(number).resource_spans[0].scope_spans[0].spans[0].trace_id.hex() for number in (2, 3)}
    eventually(lambda: later <= stored(scorer))
    assert scorer.score_process != first
    assert scorer.ledger().balanced
