"""Each deterministic check on one record."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from ragvigil.scorer.checks import CHECKS, Check, Prepared, run_checks
from ragvigil.scorer.checks.check import Finding
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

MakeRecord = Callable[..., RagTrace]

OPENING = ("doc-1#1", "The shop opens at nine and closes at noon.")
HISTORY = ("doc-2#1", "It was founded in 1901 by two sisters.")


def result(record: RagTrace, check: str) -> CheckResult:
    """What one check says."""
    return {one.check: one for one in run_checks(record)}[check]


def test_the_table_names_the_checks_in_order(record: MakeRecord) -> None:
    """One result for each, every value in [0, 1] or None with a reason."""
    results = run_checks(record("The shop opens at nine [doc-1#1].", OPENING))
    assert [one.check for one in results] == [check.id for check in CHECKS]
    for one in results:
        assert one.value is not None or one.reason
        assert one.value is None or 0 <= one.value <= 1


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The shop opens at nine [doc-1#1].", 1.0),
        ("The shop opens at nine [doc-1#1][doc-1#1], founded in 1901 [doc-7#7].", 0.5),
        ("The shop opens at nine [doc-1].", 1.0),
        ("The shop opens at nine [1], founded in 1901 [2].", 1.0),
        ("The shop opens at nine [doc-7#7].", 0.0),
        ("The shop opens at nine.", 0.0),
        ("I'm sorry, the passages do not mention this.", None),
        ("Hello!", None),
        ("", None),
        (None, None),
    ],
)
def test_citation_correctness_is_the_share_of_cited_ids_that_were_retrieved(
    record: MakeRecord, answer: str | None, value: float | None
) -> None:
    """rubrics G4: none cited is 0, a refusal is no bad citation."""
    found = result(record(answer, OPENING, HISTORY), "citation_correctness")
    assert found.value == value
    assert value == 1.0 or found.reason


def test_a_page_can_quote_the_reason_of_a_bad_citation(record: MakeRecord) -> None:
    """It names the id."""
    found = result(record("It opens at nine [doc-7#7].", OPENING), "citation_correctness")
    assert found.reason == "cites doc-7#7, which was not retrieved"
    assert found.details["not_retrieved"] == ["doc-7#7"]


def test_an_over_broad_citation_is_listed(record: MakeRecord) -> None:
    """It counts as valid."""
    found = result(record("It opens at nine [doc-1].", OPENING), "citation_correctness")
    assert (found.value, found.details["over_broad"]) == (1.0, ["doc-1"])


def test_an_unknown_retrieval_scores_no_citation(record: MakeRecord) -> None:
    """No retrieval seen, or a list of passages that was cut short."""
    assert result(record("It opens [7].", retrieved=False), "citation_correctness").value is None
    partial = record("It opens [7].", OPENING, completeness="partial_evidence")
    assert result(partial, "citation_correctness").value is None


def test_citing_when_nothing_was_retrieved_is_wrong(record: MakeRecord) -> None:
    """An invented citation is worse than none."""
    assert result(record("The shop opens at nine [1]."), "citation_correctness").value == 0.0


def test_claims_where_nothing_was_retrieved_rest_on_nothing(record: MakeRecord) -> None:
    """A total outage of the retriever shows in both series, whatever the answer cites."""
    for answer in ("The shop opens at nine.", "The shop opens at nine [a].", "It opens at nine [doc#1]."):
        for check in ("citation_correctness", "supported_claims"):
            found = result(record(answer), check)
            assert (found.value, found.reason) == (0.0, "nothing was retrieved")


@pytest.mark.parametrize(
    ("answer", "value"), [("It opens [a].", 1.0), ("It opens [doc#1].", 1.0), ("It opens [sic].", 0.0)]
)
def test_a_plain_marker_is_present_although_nothing_was_retrieved(
    record: MakeRecord, answer: str, value: float
) -> None:
    """An aside in brackets is none."""
    assert result(record(answer), "citations_present").value == value


@pytest.mark.parametrize("check", ["citation_correctness", "supported_claims"])
def test_a_refusal_where_nothing_was_retrieved_is_fine(record: MakeRecord, check: str) -> None:
    """It is the right answer."""
    assert result(record("I don't know."), check).value is None


@pytest.mark.parametrize("check", ["citation_correctness", "supported_claims"])
def test_an_unknown_result_is_not_an_empty_one(record: MakeRecord, check: str) -> None:
    """Content capture is off, or attributes were lost."""
    for completeness in ("content_off", "partial_evidence"):
        assert result(record("The shop opens at nine.", completeness=completeness), check).value is None


def test_very_many_claims_are_sampled_and_the_check_says_so(record: MakeRecord) -> None:
    """Padding must not push what is invented out of sight."""
    facts = [f"Fact {number} says thing{number} is word{number}." for number in range(3000)]
    found = result(record(" ".join(facts), ("a", " ".join(facts[:500]))), "supported_claims")
    assert found.value == pytest.approx(1 / 6, abs=0.02)
    assert "500 of 3,000 claims were compared" in str(found.reason)


@pytest.mark.parametrize(
    ("answer", "value"),
    [("It opens at nine [1].", 1.0), ("The shop opens at nine.", 0.0), ("I don't know.", None), (" ", None)],
)
def test_citations_present_tells_whether_anything_is_cited(
    record: MakeRecord, answer: str, value: float | None
) -> None:
    """A refusal owes nothing."""
    assert result(record(answer, OPENING), "citations_present").value == value


def test_supported_claims_is_the_share_that_the_evidence_carries(record: MakeRecord) -> None:
    """rubrics G5."""
    carried = "The shop opens at nine and closes at noon."
    invented = "Its dragon breathes purple fire over Oslo."
    assert result(record(carried, OPENING), "supported_claims").value == 1.0
    assert result(record(f"{carried} {invented}", OPENING), "supported_claims").value == 0.5
    found = result(record(invented, OPENING), "supported_claims")
    assert (found.value, found.reason) == (0.0, f"unsupported (nothing similar): {invented}")


def test_supported_claims_needs_evidence_and_claims(record: MakeRecord) -> None:
    """Otherwise it says why not."""
    assert result(record("It opens.", ("a", None)), "supported_claims").reason == "there is no evidence text"
    assert result(record("I don't know.", OPENING), "supported_claims").reason == "the answer makes no claim"


def test_abstention_is_recognised_by_its_wording(record: MakeRecord) -> None:
    """A bare refusal is told from one that goes on."""
    bare = result(record("I'm sorry, the passages do not mention this.", OPENING), "abstention")
    wordy = result(
        record("The passages do not mention this. The shop was founded in 1901.", OPENING), "abstention"
    )
    assert (bare.value, bare.details) == (1.0, {"pure": True})
    assert (wordy.value, wordy.details) == (1.0, {"pure": False})
    assert result(record("The shop opens at nine.", OPENING), "abstention").value == 0.0


def test_empty_retrieval_needs_a_retrieval(record: MakeRecord) -> None:
    """Found nothing, found something, never looked."""
    assert result(record("x"), "empty_retrieval").value == 1.0
    assert result(record("x", OPENING), "empty_retrieval").value == 0.0
    assert result(record("x", retrieved=False), "empty_retrieval").value is None


def test_a_check_that_raises_hurts_only_itself(record: MakeRecord, caplog: pytest.LogCaptureFixture) -> None:
    """Its result says so, the others stand."""

    def broken(prepared: Prepared) -> Finding:
        raise ZeroDivisionError

    with caplog.at_level(logging.CRITICAL):
        first, *others = run_checks(record("It opens.", OPENING), (Check("broken", "1", broken), *CHECKS))
    assert (first.value, first.reason) == (None, "the check failed: ZeroDivisionError")
    assert len(others) == len(CHECKS)


HOSTILE = {
    "words": "the quick brown fox jumps ",
    "brackets": "[",
    "ordinals": "[1]",
    "ranges": "[1-9] ",
    "backticks": "`a",
    "fences": "``` \n",
    "line breaks": " \n",
    "stops": "A. ",
    "digits": "1",
    "clauses": "a b c d; ",
    "negations": "the passage does not ",
    "links": "[[a]](",
    "definitions": "[^a]:",
    "controls": "\x00\x01 a. ",
    "surrogates": "\ud800 a. ",
    "marks": "e\u0301\u0302",
    "scripts": "日本語 العربية हिन्दी ไทย 😀 ",
    "json": '{"a":',
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_a_large_hostile_text_is_only_slow_in_proportion(record: MakeRecord, piece: str) -> None:
    """As answer and as evidence. With a pattern that backtracks this would not end."""
    text = piece * (200_000 // len(piece))
    for one in (record(text, OPENING), record("The shop opens at nine [doc-1#1].", ("doc-1#1", text))):
        assert not any("failed" in (found.reason or "") for found in run_checks(one))
