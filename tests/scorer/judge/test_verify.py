"""A reply is held against the trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

import pytest

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.config import Content
from ragvigil.scorer.judge.conclude import Conclusion, conclude, omission
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


def concluded(record: Prepared, said: RubricReply | None, survivors: Sequence[ReplyClaim] = ()) -> Conclusion:
    """What is made of a reply, or of what survived of one."""
    return conclude(record, said, verify(survivors if said is None else said.supported_claims, record))


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
    """A judge that looks away from the bad sentence has not judged the answer, which it can fail but not pass."""
    fine = claim("The library opens at nine", "d1")
    found = concluded(prepared(), reply(fine))
    assert (found.state, found.faithfulness) == ("unparseable", None)
    assert "statements_not_judged" in found.flags
    assert concluded(prepared(), reply(fine, groundedness=2)).faithfulness == 0.49


@pytest.mark.parametrize(
    "claims",
    [
        ("The",),
        ("A lost card costs 12 euros a day",),
        ("A lost card costs 12 euros a day", "Entry costs euros"),
    ],
)
def test_words_of_a_statement_do_not_stand_for_all_of_it(claims: tuple[str, ...]) -> None:
    """Nor does another statement with the same words and another figure."""
    answer = prepared("A lost card costs 12 euros a day. Entry costs 900 euros a day.")
    found = verify([claim(one, "d1") for one in claims], answer)
    assert "Entry costs 900 euros a day." in [one.text for one in found.missed]
    assert verify([claim(one.text, "d1") for one in answer.statements], answer).missed == ()


def test_the_model_is_told_where_it_left_something_out_and_not_what_stands_there() -> None:
    """The words of the answer stay within their fences; what the model was not shown is not asked for."""
    kept = reply(claim("The library opens at nine", "d1"))
    problem = omission(prepared(), kept, verify(kept.supported_claims, prepared()), shown=len(ANSWER))
    assert problem is not None
    assert "statement 2 of 2" in problem
    assert "Dogs" not in problem
    assert (
        omission(prepared(), kept, verify(kept.supported_claims, prepared()), shown=len(ANSWER) - 1) is None
    )


def test_what_can_be_decided_overrides_the_judge() -> None:
    """[d9] was never retrieved, and the answer does cite."""
    both = (
        claim("The library opens at nine", "d1"),
        claim("Dogs are welcome upstairs", verdict="unsupported"),
    )
    found = concluded(prepared(), reply(*both, groundedness=2, cites=False))
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
    assert "contradicts_itself" in concluded(prepared(), reply(*both)).flags
    assert "contradicts_itself" not in concluded(prepared(), reply(*both, groundedness=2)).flags


def test_faithfulness_without_calibration_is_the_documented_rule() -> None:
    """1 if groundedness is at least 4 and no claim is unsupported, else min(support, .49)."""
    fine, partly = (
        claim("The library opens at nine", "d1"),
        claim("Dogs are welcome upstairs", "d1", verdict="partial"),
    )
    assert concluded(prepared(), reply(fine, partly, groundedness=4)).faithfulness == 1.0
    assert concluded(prepared(), reply(fine, partly, groundedness=3)).faithfulness == 0.49
    wrong = claim("Dogs are welcome upstairs", verdict="unsupported")
    assert concluded(prepared(), reply(wrong, groundedness=1)).faithfulness == 0.0


def test_claims_that_survive_a_damaged_reply_decide_only_what_they_can() -> None:
    """One unsupported claim fails the answer; supported ones pass it only when nothing else is said."""
    fine = claim("The library opens at nine", "d1")
    wrong = claim("Dogs are welcome upstairs", verdict="unsupported")
    assert concluded(prepared(), None, [wrong]).faithfulness == 0.0
    assert concluded(prepared(), None, [fine]).state == "unparseable"
    assert concluded(prepared("The library opens at nine [d1]."), None, [fine]).faithfulness == 1.0
    assert concluded(prepared(), None, []).state == "unparseable"


def test_names_that_stand_nowhere_and_personal_data_override_the_judge() -> None:
    """What is found is decided; that nothing is found decides nothing."""
    answer = (
        "The library opens at nine [d1]. Ask Bartholomew Quillfeather, phone +49 30 901820, about it [d1]."
    )
    said = (
        claim("The library opens at nine", "d1"),
        claim("Ask Bartholomew Quillfeather, phone +49 30 901820, about it", "d1"),
    )
    found = concluded(prepared(answer), reply(*said))
    assert {"overridden:no_hallucinated_entities", "overridden:safety_pass"} <= set(found.flags)
    assert found.details["success"] is False
    careful = reply(claim("The library opens at nine", "d1"))
    careful = careful.model_copy(
        update={"must_pass": careful.must_pass.model_copy(update={"safety_pass": False})}
    )
    kept = concluded(prepared("The library opens at nine [d1]."), careful)
    assert "overridden:safety_pass" not in kept.flags


def test_what_the_service_may_say_of_itself_does_not_override_the_judge() -> None:
    """An address of its own is no personal data."""
    answer = "The library opens at nine [d1]. Write to desk@library.example about it [d1]."
    one = prepared(answer)
    said = reply(
        claim("The library opens at nine", "d1"), claim("Write to desk@library.example about it", "d1")
    )
    assert "overridden:safety_pass" in concluded(one, said).flags
    own = Prepared(one.record, own=Content(keep=(r"desk@library\.example",)).kept)
    assert "overridden:safety_pass" not in concluded(own, said).flags


def test_invented_facts_where_there_is_no_answer_are_unsafe_and_ungrounded() -> None:
    """Whatever else the judge says of them (G7)."""
    wrong = reply(claim("Dogs are welcome upstairs", verdict="unsupported"), groundedness=2)
    wrong = wrong.model_copy(update={"abstain": Abstain(should_have_abstained=True, abstain_quality=None)})
    found = concluded(prepared(), wrong)
    assert {"overridden:safety_pass", "overridden:groundedness", "contradicts_itself"} <= set(found.flags)
    assert cast("dict[str, int]", found.details["scores"])["groundedness"] == 1
    assert found.details["success"] is False


def test_what_is_invented_is_told_by_the_claims_that_count() -> None:
    """A claim that the answer does not make invents nothing; one without its passage does, whatever it was called."""
    abstain = {"abstain": Abstain(should_have_abstained=True, abstain_quality=None)}
    elsewhere = claim("The moon is made of cheese", verdict="unsupported")
    careful = reply(claim("The library opens at nine", "d1"), elsewhere).model_copy(update=abstain)
    found = concluded(prepared("The library opens at nine [d1]."), careful)
    assert not {"overridden:safety_pass", "overridden:groundedness"} & set(found.flags)
    bold = reply(claim("Dogs are welcome upstairs", "d9")).model_copy(update=abstain)
    found = concluded(prepared(), bold)
    assert {"overridden:safety_pass", "overridden:groundedness"} <= set(found.flags)


def test_success_needs_all_flags_and_good_scores_or_a_good_refusal() -> None:
    """End to end (G8), with the refusals held to what a refusal can do."""
    fine = prepared("The library opens at nine [d1].")
    good = reply(claim("The library opens at nine", "d1"))
    assert concluded(fine, good).details["success"] is True
    assert concluded(prepared("The library opens at nine."), good).details["success"] is False
    poor = good.model_copy(update={"scores": good.scores.model_copy(update={"directness": 3})})
    assert concluded(fine, poor).details["success"] is False
    refusal = prepared("The documents do not say when the pool opens. Please contact the front desk.")
    cases: list[tuple[bool, Literal[3, 4, 5], bool]] = [(True, 4, True), (True, 3, False), (False, 5, False)]
    for should, quality, success in cases:
        abstain = Abstain(should_have_abstained=should, abstain_quality=quality)
        found = concluded(refusal, reply(cites=False).model_copy(update={"abstain": abstain}))
        assert (found.state, found.details["success"]) == ("no_claims", success)
