"""Real clients, frameworks and instrumentations, each in its own environment, into a running scorer.

`.ci/check-clients` makes the environments and names their folder in CLIENT_ENVIRONMENTS; without it nothing here runs.
With CLIENT_FIXTURES set, what each client sent becomes a fixture of tests/scorer/dialects/test_recorded.py.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.clients import recording
from tests.clients.cases import CASES, Case
from tests.clients.running import run
from tests.conftest import Scorer, eventually, starting

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.store._rows import record_of
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.trace import RagTrace

RECORDING = "CLIENT_FIXTURES" in os.environ
ENVIRONMENTS = Path(os.environ.get("CLIENT_ENVIRONMENTS", "/nonexistent"))

pytestmark = pytest.mark.skipif(
    not ENVIRONMENTS.is_dir(),
    reason=".ci/check-clients runs these: each client needs an environment of its own",
)


@pytest.fixture(scope="module")
def scorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scorer]:
    """One for all of them, as teams have it: each case is a service of its own."""
    plain = {"RAGVIGIL_STORE__USER_IDS": "plain"} if RECORDING else {}
    with starting(tmp_path_factory.mktemp("clients")) as serve:
        yield serve(environment=plain)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_a_client_sends_is_the_record_that_its_author_knows(case: Case, scorer: Scorer) -> None:
    """Question, passages, answer, model, tokens, session, error: as the application had them, in the store."""
    if not (ENVIRONMENTS / case.environment).is_dir():
        pytest.skip(f"no environment {case.environment}: .ci/check-clients said why")
    run(case, ENVIRONMENTS, http=f"http://{scorer.http}", grpc=f"http://{scorer.grpc}")
    record = eventually(lambda: next(records(scorer.store, case.id), None))
    assert scorer.ledger().balanced
    if RECORDING:
        recording.record(scorer.store, case.id)
    case.check(
        replace(
            record,
            conversation_id=record.conversation_id and case.session,
            user_id=record.user_id and case.user,
        )
    )


def records(store: Path, service: str) -> Iterator[RagTrace]:
    """The records that the store holds of a service; ids of conversations and users are pseudonyms there."""
    try:
        connection = open_for_reading(store)
    except StoreError:  # not made yet
        return
    with closing(connection):
        query = "SELECT r.*, t.spans FROM records r JOIN traces t USING (trace_id) WHERE r.service = ?"
        rows = connection.execute(query, (service,)).fetchall()
    yield from map(record_of, rows)
