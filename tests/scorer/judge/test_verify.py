"""A reply is held against the trace."""

from __future__ import annotations

from typing import Literal

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.conclude import conclude
from ragvigil.scorer.judge.reply import Abstain, MustPass, ReplyClaim, RubricReply, Scores
from ragvigil.scorer.judge.verify import verify
from ragvigil.scorer.trace import Document, RagTrace

ANSWER = "The library opens at nine [d1]. Dogs are welcome upstairs [d9]."


def prepared(answer: str = ANSWER) -> Prepared:
    """A record with one passage."""
    documents = (Document("d1", "The library opens at nine."),)
    return Prepared(RagTrace("0" * 32, "1" * 16, "s", 0, query="When?", answer=answer, documents=documents))


def claim(
    text: str, *by: str, verdict: Literal["supported", "partial", "unsupported"] = "supported"
) -> ReplyClaim:
    """One claim of a reply."""
    return ReplyClaim(claim=text, supported_by=list(by), verdict=verdict)


def reply(*claims: ReplyClaim, groundedness: Literal[1, 2, 3, 4, 5] = 5, cites: bool = True) -> RubricReply:
    """A reply that is content with everything else."""
    return RubricReply(
        supported_claims=list(claims),
        must_pass=MustPass(
            schema_valid=True,
            language_match=True,
            safety_pass=True,
            citations_present=cites,
            citations_valid=True,
            no_hallucinated_entities=True,
        ),
        scores=Scores(groundedness=groundedness, completeness=5, directness=5, style=5),
        abstain=Abstain(should_have_abstained=False, abstain_quality=None),
    )


def test_support_by_a_passage_that_does_not_exist_is_no_support() -> None:
    """Whoever talked the judge into it cannot make the passage exist."""
    found = verify([claim("Dogs are welcome upstairs", "d9")], prepared())
    assert [one.verdict for one in found.claims] == ["unsupported"]
    assert set(found.flags) == {"unknown_passage", "support_without_passage", "statements_not_judged"}


def test_a_claim_that_the_answer_does_not_make_does_not_count() -> None:
    """Neither for it nor against it."""
    found = verify(
        [claim("Cats pay twice on Sundays", "d1"), claim("The library opens at nine", "d1")], prepared()
    )
    assert [(one.text, one.supported_by) for one in found.claims] == [("The library opens at nine", ("d1",))]
    assert "claim_not_in_answer" in found.flags


def test_a_claim_in_other_words_is_found_where_it_was_made() -> None:
    """Models do not copy as they are told."""
    (found,) = verify([claim("Upstairs, dogs are welcome", "[d1]")], prepared()).claims
    assert ANSWER[found.start : found.end] == found.text == "Dogs are welcome upstairs [d9]."
    assert found.supported_by == ("d1",)


def test_a_statement_that_the_judge_passed_over_is_flagged() -> None:
    """A judge that looks away from the bad sentence has not judged the answer."""
    found = conclude(prepared(), reply(claim("The library opens at nine", "d1")), [])
    assert "statements_not_judged" in found.flags


def test_what_can_be_decided_overrides_the_judge() -> None:
    """[d9] was never retrieved, and the answer does cite."""
    both = (
        claim("The library opens at nine", "d1"),
        claim("Dogs are welcome upstairs", verdict="unsupported"),
    )
    found = conclude(prepared(), reply(*both, groundedness=2, cites=False), [])
    assert found.details["must_pass"] == {
        "schema_valid": True,
        "language_match": True,
        "safety_pass": True,
        "citations_present": True,
        "citations_valid": False,
        "no_hallucinated_entities": True,
    }
    assert {"overridden:citations_present", "overridden:citations_valid"} <= set(found.flags)


def test_scores_and_claims_that_cannot_both_be_meant_are_flagged() -> None:
    """Groundedness 5 beside an unsupported claim."""
    both = (
        claim("The library opens at nine", "d1"),
        claim("Dogs are welcome upstairs", verdict="unsupported"),
    )
    assert "contradicts_itself" in conclude(prepared(), reply(*both), []).flags
    assert "contradicts_itself" not in conclude(prepared(), reply(*both, groundedness=2), []).flags


def test_faithfulness_without_calibration_is_the_documented_rule() -> None:
    """1 if groundedness is at least 4 and no claim is unsupported, else min(support, .49)."""
    fine, partly = (
        claim("The library opens at nine", "d1"),
        claim("Dogs are welcome upstairs", "d1", verdict="partial"),
    )
    assert conclude(prepared(), reply(fine, partly, groundedness=4), []).faithfulness == 1.0
    assert conclude(prepared(), reply(fine, partly, groundedness=3), []).faithfulness == 0.49
    wrong = claim("Dogs are welcome upstairs", verdict="unsupported")
    assert conclude(prepared(), reply(wrong, groundedness=1), []).faithfulness == 0.0


def test_claims_that_survive_a_damaged_reply_decide_only_what_they_can() -> None:
    """One unsupported claim fails the answer; supported ones pass it only when nothing else is said."""
    fine = claim("The library opens at nine", "d1")
    wrong = claim("Dogs are welcome upstairs", verdict="unsupported")
    assert conclude(prepared(), None, [wrong]).faithfulness == 0.0
    assert conclude(prepared(), None, [fine]).state == "unparseable"
    assert conclude(prepared("The library opens at nine [d1]."), None, [fine]).faithfulness == 1.0
    assert conclude(prepared(), None, []).state == "unparseable"
