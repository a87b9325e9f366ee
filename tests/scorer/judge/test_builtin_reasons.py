"""What the built-in judge points at: the words at fault, why, and the place in a passage that comes closest."""

from __future__ import annotations

import pytest

from ragvigil import prompts
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import Claim

PROSE = (
    "The Zeppelin museum in Friedrichshafen opened in 1998 beside the harbour. Its largest hall shows a model of "
    "the Hindenburg. The restaurant of the museum is closed on Mondays."
)
RECORD = (
    '{"name": "Taffy", "hours": {"Monday": "9:0-17:0", "Tuesday": "9:0-17:0"}, '
    '"attributes": {"OutdoorSeating": false, "WiFi": "free", "BikeParking": true}}'
)


def judged(answer: str, passage: str) -> Claim:
    """The one claim of an answer on one passage."""
    record = RagTrace(
        trace_id="0" * 32,
        span_id="1" * 16,
        service="shop",
        started_at=0,
        query="What about it?",
        answer=answer,
        documents=(Document("doc", passage, rank=1),),
    )
    (claim,) = Builtin().judge_now(record, prompts.load("faithfulness")).claims
    return claim


def test_support_is_pointed_at_in_the_passage() -> None:
    """By offsets of the sentence; there is no reason against it and no word at fault."""
    claim = judged("The museum's largest hall shows a model of the Hindenburg.", PROSE)
    assert (claim.verdict, claim.reason, claim.unsupported_spans) == ("supported", None, ())
    assert claim.nearest is not None
    assert PROSE[claim.nearest.start : claim.nearest.end].startswith("Its largest hall")


@pytest.mark.parametrize(
    ("answer", "passage", "reason"),
    [
        ("The Zeppelin museum opened in 2003.", PROSE, "number_mismatch"),
        ("The restaurant of the museum is not closed on Mondays.", PROSE, "contradicted"),
        ("Penguins waddle across Antarctic glaciers hunting krill.", PROSE, "nothing_similar"),
        ("The place offers outdoor seating to everyone.", RECORD, "contradicted"),
        ("The place is open seven days a week from 9 AM to 5 PM.", RECORD, "number_mismatch"),
    ],
)
def test_a_claim_that_is_not_supported_says_why(answer: str, passage: str, reason: str) -> None:
    """Numbers, negations, records, hours, or nothing of the kind."""
    claim = judged(answer, passage)
    assert (claim.verdict != "supported", claim.reason) == (True, reason)


def test_the_words_at_fault_are_pointed_at_in_the_answer() -> None:
    """By offsets."""
    answer = "The museum beside the harbour breeds purple dragons and invisible unicorns."
    claim = judged(answer, PROSE)
    said = " ".join(answer[start:end] for start, end in claim.unsupported_spans)
    assert "purple dragons" in said
    assert "harbour" not in said


def test_a_claim_of_which_the_evidence_carries_next_to_nothing_is_pointed_at_as_a_whole() -> None:
    """With the words between those at fault and its end: people mark such a sentence, not its words one by one."""
    answer = "It was there that a flock of penguins came to waddle over the glaciers."
    assert judged(answer, PROSE).unsupported_spans == ((0, len(answer)),)


def test_a_value_of_a_record_is_pointed_at_with_its_name() -> None:
    """As it stands in the JSON."""
    claim = judged("There is bike parking.", RECORD)
    assert claim.nearest is not None
    assert RECORD[claim.nearest.start : claim.nearest.end] == '"BikeParking": true'
