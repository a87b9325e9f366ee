"""Tags and the six-axis score, from real records: for each tag a case where it fires and a twin where it must not."""

from __future__ import annotations

import pytest

from ragvigil import prompts
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.config import Citing
from ragvigil.scorer.failure_tags import TAGS, Tag, failures_of
from ragvigil.scorer.grounded_answer import grounded_answer
from ragvigil.scorer.judge import Builtin
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.trace import Document, RagTrace, Retrieval
from ragvigil.scorer.verdict import CheckResult, Verdict

TANK = ("tank", "The water tank of the X200 holds 12 litres. Fill it with clean water only.")
OVEN = ("oven", "The oven reaches 250 degrees. Preheat it before you bake bread.")
OLD = ("old", "The warranty of the X200 pump lasts 24 months.")
NEW = ("new", "The warranty of the X200 pump lasts 36 months.")
ASKED = "Does the water tank of the X200 hold 12 litres?"
WARRANTY = "How long does the warranty of the X200 pump last?"
CITED = "The water tank of the X200 holds 12 litres [tank]."


def record(query: str, answer: str, *passages: tuple[str, str]) -> RagTrace:
    """A record of one answer."""
    documents = tuple(Document(name, text, rank=rank) for rank, (name, text) in enumerate(passages, 1))
    found = Retrieval("retrieve", query, tuple(name for name, _ in passages), (None,) * len(passages))
    return RagTrace(
        "0" * 32, "1" * 16, "shop", 0, query=query, answer=answer, documents=documents, retrievals=(found,)
    )


CASES: dict[Tag, tuple[RagTrace, RagTrace]] = {
    "HALLUCINATION_FACT": (
        record(ASKED, "A dragon from Oslo guards the treasure chamber [tank].", TANK),
        record(ASKED, CITED, TANK),
    ),
    "UNSUPPORTED_QUALIFIER": (
        record(ASKED, "All water tanks of the X200 hold 12 litres [tank].", TANK),
        record(ASKED, "Fill the water tank with clean water only [tank].", TANK),
    ),
    "MISATTRIBUTION": (
        record(ASKED, "The water tank of the X200 holds 12 litres [oven].", TANK, OVEN),
        record(ASKED, CITED, TANK, OVEN),
    ),
    "OVER_BROAD_CITATION": (
        record(ASKED, "The water tank of the X200 holds 12 litres [manual].", ("manual#3", TANK[1])),
        record(ASKED, "The water tank of the X200 holds 12 litres [manual#3].", ("manual#3", TANK[1])),
    ),
    "MISSING_REFUSAL": (
        record(ASKED, "The water tank holds 9 litres [oven].", OVEN),
        record(ASKED, "I'm sorry, the passages do not mention this.", OVEN),
    ),
    "OVER_REFUSAL": (
        record(ASKED, "I'm sorry, the passages do not mention this.", TANK),
        record(ASKED, "I'm sorry, the passages do not mention this.", OVEN),
    ),
    "INCOMPLETE_ANSWER": (
        record(ASKED, f"{CITED} It is made of", TANK),
        record(ASKED, CITED, TANK),
    ),
    "CONTEXT_IGNORED": (
        record(ASKED, "Preheat the oven before you bake bread [oven].", TANK, OVEN),
        record(ASKED, CITED, TANK, OVEN),
    ),
    "CONFLICTING_SOURCES_UNRESOLVED": (
        record(WARRANTY, "The warranty of the X200 pump lasts 36 months [new].", OLD, NEW),
        record(WARRANTY, "The sources differ: 24 months [old], 36 months [new].", OLD, NEW),
    ),
    "FORMAT_DRIFT": (
        record(ASKED, "The water tank of the X200 holds 12 litres [1].", TANK),
        record(ASKED, CITED, TANK),
    ),
}


def tags(one: RagTrace) -> list[Tag]:
    """What the checks of a service that cites by id say."""
    results = Checking({"shop": Citing(usual="id")}).run(one)
    return [failure.tag for failure in failures_of(results)]


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_fires_where_it_must_and_nowhere_else(tag: Tag) -> None:
    """One case and its twin for each tag."""
    failing, fine = CASES[tag]
    assert tag in tags(failing)
    assert tag not in tags(fine)


@pytest.mark.parametrize(("missing", "tagged"), [(0, []), (1, []), (2, ["HALLUCINATION_FACT"])])
def test_names_that_stand_nowhere_are_tagged_from_the_second_on(missing: int, tagged: list[Tag]) -> None:
    """One may be another word for what stands there: Fahrenheit, United Kingdom."""
    check = CheckResult(
        "no_hallucinated_entities", "2", 0.5, "Anna", {"named": 4, "missing_names": missing, "missing": []}
    )
    assert [one.tag for one in failures_of([check])] == tagged


def test_a_good_answer_has_no_tag() -> None:
    """And the result says so."""
    results = {one.check: one for one in Checking().run(record(ASKED, CITED, TANK))}
    assert (results["failure_tags"].value, results["failure_tags"].reason) == (0.0, None)


def test_every_failed_verdict_has_a_tag() -> None:
    """The judge's claims come first; where it names none, what it says is the reason."""
    failing, _ = CASES["HALLUCINATION_FACT"]
    verdict = Builtin().judge_now(failing, prompts.load("faithfulness"))
    assert verdict.passed is False
    assert failures_of((), verdict)[0].check == "builtin"
    bare = Verdict("llm", "1", "d", "partial", 0.4, 0.2, reason="doubtful")
    assert [(one.tag, one.reason) for one in failures_of((), bare)] == [("HALLUCINATION_FACT", "doubtful")]
    assert failures_of((), Verdict("llm", "1", "d", "supported", 1.0, 0.9)) == ()


def axes(one: RagTrace) -> dict[str, float | None]:
    """The axes of a record."""
    return {axis.name: axis.value for axis in grounded_answer(run_checks(one)).axes}


def test_the_axes_of_a_good_answer_are_full() -> None:
    """Unscored ones are shown as such, and do not count."""
    found = grounded_answer(run_checks(record("How many litres does the X200 tank hold?", CITED, TANK)))
    assert {axis.name: axis.value for axis in found.axes} == {
        "factuality": 4.0,
        "attribution": 4.0,
        "coverage": None,
        "calibration": 4.0,
        "conciseness": 4.0,
        "format": 4.0,
    }
    assert (found.score, found.weight) == (100.0, 80)
    assert found.axes[2].why == "nothing is known of answer_structure, conditions_kept"


def test_each_failure_pulls_its_axis() -> None:
    """And the score with it."""
    assert axes(CASES["HALLUCINATION_FACT"][0])["factuality"] == 0.0
    assert axes(CASES["MISATTRIBUTION"][0])["attribution"] == 0.0
    assert axes(CASES["OVER_BROAD_CITATION"][0])["attribution"] == 3.0
    assert axes(CASES["MISSING_REFUSAL"][0])["calibration"] == 0.0
    assert axes(CASES["OVER_REFUSAL"][0])["calibration"] == 0.0
    assert axes(CASES["CONFLICTING_SOURCES_UNRESOLVED"][0])["calibration"] == 1.0
    assert axes(CASES["INCOMPLETE_ANSWER"][0])["conciseness"] == 2.0
    two = grounded_answer([CheckResult("supported_claims", "1", 0.5, None, {"verdicts": {"unsupported": 1}})])
    assert (two.axes[0].value, two.score) == (2.0, 50.0)


@pytest.mark.parametrize(("verbatim", "points"), [(1.0, 4.0), (0.5, 3.0), (0.0, 3.0), (None, 4.0)])
def test_invented_quotations_cost_attribution(verbatim: float | None, points: float) -> None:
    """Also where every one is invented."""
    checks = [CheckResult("citation_support", "1", 1.0), CheckResult("quotes_verbatim", "1", verbatim)]
    assert grounded_answer(checks).axes[1].value == points


def test_without_claims_there_is_no_score() -> None:
    """Good form makes nothing true."""
    assert grounded_answer(run_checks(record(ASKED, "Hello!", TANK))).score is None


def test_a_cited_claim_that_nothing_carries_is_invented_not_misattributed() -> None:
    """MISATTRIBUTION says that the right passage was there, and another one is cited."""
    invented = tags(record(ASKED, "A dragon from Oslo guards the treasure chamber [tank].", TANK, OVEN))
    assert "HALLUCINATION_FACT" in invented
    assert "MISATTRIBUTION" not in invented
