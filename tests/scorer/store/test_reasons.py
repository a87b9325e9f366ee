"""What a page says is wrong with an answer that the passages contradict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.store.records import FAILED, RECORD, scored

from ragvigil.scorer.config import load
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document
from ragvigil.scorer.verdict import Claim, ClaimVerdict, Source

TEXT = "Bikes are leased. Contracts run for 36 months. " + "They end. " * 60
CLAIM = "Bike leasing contracts run for 111 months."


@pytest.fixture
def reason(tmp_path: Path) -> Callable[[ClaimVerdict, Source | None], str]:
    """What is said of one answer whose only claim has that verdict and is nearest to that stretch."""

    def said(verdict: ClaimVerdict, nearest: Source | None) -> str:
        claim = Claim(CLAIM, 0, 42, (), verdict, 0.1, nearest)
        record = replace(RECORD, documents=(Document("d1", TEXT),))
        with SqliteStore(load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})) as store:
            (job,) = store.records.commit([scored(record)], None, 5)
            store.records.record_judgements([Judgement(job, replace(FAILED, claims=(claim,)))], 6)
            return store.monitoring.reason("faithfulness", 1)

    return said


def test_a_contradicted_claim_is_shown_beside_what_the_passage_says(
    reason: Callable[[ClaimVerdict, Source | None], str],
) -> None:
    """ "not in the passages" was weaker than the verdict, and hid the 36."""
    said = reason("contradicted", Source("d1", 18, 46))
    assert said == f'the passages say "Contracts run for 36 months.", not: {CLAIM}'


def test_what_the_passage_says_is_bounded(reason: Callable[[ClaimVerdict, Source | None], str]) -> None:
    """A passage may be a page."""
    said = reason("contradicted", Source("d1", 0, len(TEXT)))
    assert len(said) < len(CLAIM) + 150
    assert '…", not: ' in said


@pytest.mark.parametrize(
    ("verdict", "nearest", "said"),
    [("unsupported", Source("d1", 18, 46), "not in the passages"), ("contradicted", None, "contradicted")],
)
def test_a_claim_that_no_known_sentence_denies_is_named_by_its_verdict(
    reason: Callable[[ClaimVerdict, Source | None], str],
    verdict: ClaimVerdict,
    nearest: Source | None,
    said: str,
) -> None:
    """What is contradicted may stand in the passages with another number: "not in the passages" said less."""
    assert reason(verdict, nearest) == f"{said}: {CLAIM}"
