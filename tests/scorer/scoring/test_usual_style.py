"""Drift from the style in which a service usually cites, which nobody has configured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ragvigil.scorer.config import Citing, load
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.scoring.usual_style import ENOUGH, LATEST, UsualStyles
from ragvigil.scorer.store.port import LedgerEntry, RawTrace, ScoredRecord, ScoredTrace
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult

USUAL, OTHER = "It opens at nine [doc-1].", "It opens at nine (source 1)."


def record(number: int, answer: str, service: str = "shop") -> RagTrace:
    """One answer of a service."""
    documents = (Document("doc-1", "It opens at nine.", rank=1), Document("doc-2", "It is old.", rank=2))
    return RagTrace(
        f"{number:032x}", "1" * 16, service, number * 10**9, query="Why?", answer=answer, documents=documents
    )


def drift(results: tuple[CheckResult, ...]) -> CheckResult:
    """What citation_format says."""
    return next(one for one in results if one.check == "citation_format")


def answers(*runs: tuple[str, int]) -> list[RagTrace]:
    """So many answers of each kind, one after the other."""
    texts = [text for text, count in runs for _ in range(count)]
    return [record(number, text) for number, text in enumerate(texts)]


def test_one_answer_that_cites_otherwise_has_drifted() -> None:
    """After enough that cite alike; of another service nothing is known, and a tag tells it."""
    checking = Checking(usual=UsualStyles())
    *before, last = checking.run_all(answers((USUAL, ENOUGH), (OTHER, 1)))
    assert {drift(one).value for one in before} == {1.0}
    assert (drift(last).value, drift(last).reason) == (0.0, "cites as parenthesis, usually as id")
    tags = next(one for one in last if one.check == "failure_tags")
    assert "FORMAT_DRIFT" in repr(tags.details)
    assert drift(checking.run(record(99, OTHER, "bank"))).value == 1.0
    assert drift(Checking().run(record(99, OTHER))).value == 1.0


def test_few_answers_and_mixed_ones_have_no_usual_style() -> None:
    """Then each is held against itself."""
    few = Checking(usual=UsualStyles()).run_all(answers((USUAL, ENOUGH - 1), (OTHER, 1)))
    mixed = Checking(usual=UsualStyles()).run_all(answers((OTHER, ENOUGH // 4), (USUAL, ENOUGH), (OTHER, 1)))
    assert {drift(one).value for one in [*few, *mixed]} == {1.0}


def test_what_the_settings_call_usual_wins() -> None:
    """However the service cited before."""
    checking = Checking({"shop": Citing(usual="parenthesis")}, usual=UsualStyles())
    found = [drift(one).value for one in checking.run_all(answers((USUAL, ENOUGH), (OTHER, 1)))]
    assert found == [0.0] * ENOUGH + [1.0]


def dead(results: tuple[CheckResult, ...]) -> float | None:
    """What citations_dead says."""
    return next(one.value for one in results if one.check == "citations_dead")


def test_a_mark_that_may_be_a_code_is_read_as_the_service_cites() -> None:
    """Of one that has always cited by id it is an id that was not retrieved, unless a passage speaks of that thing."""
    code, thing = "It opens at nine [K12].", "It has a dock [SKU-9912]."
    checking = Checking(usual=UsualStyles())
    dock = replace(record(9, thing), documents=(Document("doc-1", "The dock is SKU-9912.", rank=1),))
    assert dead(checking.run(record(0, code))) is None
    checking.run_all(answers((USUAL, ENOUGH)))
    assert dead(checking.run(record(1, code))) == 1.0
    assert dead(checking.run(dock)) is None
    assert dead(Checking({"shop": Citing(usual="id")}).run(record(1, code))) == 1.0
    assert dead(Checking({"shop": Citing(usual="ordinal")}).run(record(1, code))) is None


def test_what_an_answer_before_made_usual_counts_for_the_next_of_the_same_step() -> None:
    """As if they had come one by one."""
    *_, last = Checking(usual=UsualStyles()).run_all(
        [*answers((USUAL, ENOUGH)), record(99, "It is old [K12].")]
    )
    assert dead(last) == 1.0


def test_a_service_that_changes_for_good_has_a_new_usual_style() -> None:
    """At first every answer drifts, in the end none; memory is bounded."""
    usual = UsualStyles()
    usual.saw("shop", {"id": LATEST})
    drifted = 0
    while usual.of("shop") != "tool":
        drifted += usual.of("shop") == "id"
        usual.saw("shop", {"tool": 1})
    assert drifted == pytest.approx(LATEST / 9, abs=1)


def test_the_same_answers_drift_however_they_are_taken_together() -> None:
    """One by one, or many at a step: a replay has the same values."""
    every = answers((USUAL, 60), (OTHER, 3), (USUAL, 5), (OTHER, 4))
    alone, together = Checking(usual=UsualStyles()), Checking(usual=UsualStyles())
    assert [alone.run(one) for one in every] == together.run_all(every)


def test_a_scorer_that_starts_again_knows_what_was_usual(tmp_path: Path) -> None:
    """From its store."""
    settings = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'a.db'}"}})
    checking, usual = Checking(), UsualStyles()
    ledger = LedgerEntry("checked_only", 0.1)
    scored = [
        ScoredTrace(
            one.trace_id,
            RawTrace(b"", b""),
            timed_out=False,
            records=(ScoredRecord(one, checking.run(one), ledger),),
        )
        for one in answers((USUAL, ENOUGH + 5), (OTHER, 5))
    ]
    with SqliteStore(settings) as store:
        store.records.commit(scored, None, 1)
        usual.recall((one.service, one.style, one.share, one.markers) for one in store.citation_styles())
    assert usual.of("shop") == "id"
    assert drift(Checking(usual=usual).run(record(999, OTHER))).value == 0.0


def test_who_answers_all_the_time_is_not_forgotten_for_who_came_once() -> None:
    """The thousandth preview pushed production out, for production had come first."""
    usual = UsualStyles()
    for _ in range(ENOUGH):
        usual.saw("shop", {"id": 1})
    for number in range(1_020):
        usual.saw(f"preview {number}", {"id": ENOUGH})
        usual.saw("shop", {"id": 1})
    assert usual.of("shop") == "id"
    assert usual.of("preview 0") is None
    assert usual.of("preview 1019") == "id"
