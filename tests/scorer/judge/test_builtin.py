"""The built-in judge: states, offsets, carriers, and the same verdict every time."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragvigil import prompts
from ragvigil.scorer import config
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.alignment.model import Model
from ragvigil.scorer.checks.alignment.recent import RECENT, TOLD
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge import JUDGES, Builtin, build_judge
from ragvigil.scorer.trace import Completeness, Document, RagTrace, Retrieval
from ragvigil.scorer.verdict import State

RUBRIC = prompts.load("faithfulness")
PASSAGES = (
    Document("json#1", "json.dumps serialises an object to a JSON formatted string.", rank=1),
    Document("queue#2", "The queue module implements queues for many producers and many consumers.", rank=2),
)
CARRIED = "The queue module implements queues for many producers [queue#2]."
INVENTED = "It needs Redis 7 and encrypts every message with AES-256."


def record(
    answer: str | None,
    documents: tuple[Document, ...] = PASSAGES,
    *,
    completeness: Completeness = "complete",
    error: str | None = None,
    retrieved: bool = True,
    found: tuple[str | None, ...] = (),
) -> RagTrace:
    """A record of one answer."""
    return RagTrace(
        trace_id="0" * 32,
        span_id="1" * 16,
        service="docs",
        started_at=0,
        query="What is it for?",
        answer=answer,
        documents=documents,
        retrievals=(Retrieval("retrieve", None, found, (None,) * len(found)),) if retrieved else (),
        completeness=completeness,
        error=error,
    )


async def test_a_carried_answer_passes_and_names_its_passage() -> None:
    """With offsets into the answer, the version and the rubric's digest."""
    verdict = await Builtin().judge(record(CARRIED), RUBRIC)
    (claim,) = verdict.claims
    assert (verdict.state, verdict.support, verdict.passed) == ("supported", 1.0, True)
    assert (claim.supported_by, claim.verdict, CARRIED[claim.start : claim.end]) == (
        ("queue#2",),
        "supported",
        claim.text,
    )
    assert (verdict.judge, verdict.judge_version) == ("builtin", "39+lexical-1")
    assert verdict.prompt_digest == RUBRIC.digest


def test_an_invented_claim_fails_the_answer() -> None:
    """One of two is enough."""
    verdict = Builtin().judge_now(record(f"{CARRIED} {INVENTED}"), RUBRIC)
    assert (verdict.state, verdict.support, verdict.passed) == ("unsupported", 0.5, False)
    assert verdict.claims[1].supported_by == ()


def test_a_contradicted_claim_is_named_so() -> None:
    """A nearly identical sentence says the opposite."""
    answer = "The queue module does not implement queues for many producers and many consumers."
    verdict = Builtin().judge_now(record(answer), RUBRIC)
    assert (verdict.state, verdict.claims[0].verdict, verdict.passed) == (
        "contradicted",
        "contradicted",
        False,
    )


TEXTLESS = (Document("a", "Some text that is long enough."), Document("b", None, rank=2))
FOREIGN = Document("a", "The museum was not built before 1900, and it is open to all who come on foot.")


@pytest.mark.parametrize(
    ("one", "state", "reason"),
    [
        (record(None), "not_scoreable", "there is no answer"),
        (record("  "), "not_scoreable", "there is no answer"),
        (record(None, error="timeout"), "not_scoreable", "the request failed without an answer"),
        (record("It is so.", completeness="content_off"), "not_scoreable", "content capture is off"),
        (record("It is a fact.", (), found=("a",)), "not_scoreable", "what was retrieved is not known"),
        (record("It is a fact.", (), completeness="content_off"), "not_scoreable", "content capture is off"),
        (record("Die Kasse ist nicht vor zehn Uhr besetzt.", (FOREIGN,)), "not_scoreable", "cross-lingual"),
        (record("I don't know.", ()), "no_claims", "the answer refuses"),
        (record("It is a fact.", (), retrieved=False), "not_scoreable", "no retrieval was seen"),
        (record("It is a fact.", TEXTLESS), "partial_evidence", "texts of retrieved passages are missing"),
        (
            record(CARRIED, completeness="partial_evidence"),
            "partial_evidence",
            "spans, attributes or ends of texts are missing that may hold more passages",
        ),
        (
            record("It is a fact.", (), retrieved=False, completeness="partial_evidence"),
            "partial_evidence",
            "spans are missing that may have retrieved something",
        ),
        (
            replace(
                record("It is a fact.", (), retrieved=False, completeness="partial_evidence"), query=None
            ),
            "partial_evidence",
            "the question is missing, and spans are missing that may have retrieved something",
        ),
        (
            replace(record(CARRIED, completeness="partial_evidence"), query=None),
            "partial_evidence",
            "the question is missing",
        ),
        (record("I'm sorry, the passages do not mention this."), "no_claims", "the answer refuses"),
        (record("Hello! How can I help you?"), "no_claims", "the answer makes no claim"),
    ],
)
def test_what_cannot_be_judged_is_never_a_zero(one: RagTrace, state: State, reason: str) -> None:
    """Each such state has a rate of its own."""
    verdict = Builtin().judge_now(one, RUBRIC)
    assert (verdict.state, verdict.reason) == (state, reason)
    assert (verdict.faithfulness, verdict.support, verdict.passed) == (None, None, None)


def test_an_empty_passage_beside_others_hides_nothing() -> None:
    """An index may hold such: every answer that found one went unjudged."""
    empty = Document("empty", "", rank=2)
    verdict = Builtin().judge_now(record(CARRIED, (*record(CARRIED).documents, empty)), RUBRIC)
    assert (verdict.state, verdict.support) == ("supported", 1.0)


def test_claims_where_nothing_was_retrieved_are_unsupported() -> None:
    """A retriever that is down beside a model that invents must show."""
    verdict = Builtin().judge_now(record("It needs Redis 7.", ()), RUBRIC)
    assert (verdict.state, verdict.support, verdict.passed) == ("unsupported", 0.0, False)
    assert (verdict.faithfulness, verdict.reason) == (0.0, "nothing was retrieved")


def test_an_answer_that_fails_though_each_claim_is_supported_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is shown it looks for the claim at fault, and there is none."""

    def doubtful(*_: object, **__: object) -> float:
        return 0.23

    monkeypatch.setattr(Model, "faithfulness", doubtful)
    both = f"{CARRIED} The queue module implements queues for many consumers [queue#2]."
    verdict = Builtin().judge_now(record(both), RUBRIC)
    assert (verdict.state, verdict.support, verdict.passed) == ("supported", 1.0, False)
    least = min(claim.probability for claim in verdict.claims)
    assert verdict.reason == (
        f"no claim is at fault by itself (the least sure: {least:.0%}); that all 2 hold together is 23% probable"
    )


@pytest.mark.parametrize("answer", [CARRIED, INVENTED, f"{CARRIED} {INVENTED}"])
def test_of_an_answer_that_passes_or_has_a_claim_at_fault_nothing_is_said(answer: str) -> None:
    """There the claims say what there is to say."""
    assert Builtin().judge_now(record(answer), RUBRIC).reason is None


def test_padding_does_not_hide_what_is_invented() -> None:
    """Of very many claims a sample over the whole answer is compared, and the verdict says so."""
    facts = [f"Fact {number} says thing{number} is word{number}." for number in range(2400)]
    one = record(" ".join(facts), (Document("a", " ".join(facts[:400]), rank=1),))
    sampled, whole = Builtin().judge_now(one, RUBRIC), Builtin(most_claims=None).judge_now(one, RUBRIC)
    assert sampled == Builtin().judge_now(one, RUBRIC)
    assert sampled.reason == "500 of 2,400 claims were compared, evenly spread"
    assert sampled.support == pytest.approx(1 / 6, abs=0.02)
    assert sampled.passed is False
    assert (len(whole.claims), whole.reason) == (2400, None)


ANSWERS = st.lists(
    st.sampled_from(
        [
            "The queue module implements queues for many producers and many consumers.",
            "The queue module implements queues for 7 consumers.",
            "It does not implement queues.",
            "json.dumps serialises an object to a string, but Redis encrypts it.",
            "Berlin has 90 bridges.",
            "12 producers.",
            "It serialises queues.",
        ]
    ),
    min_size=1,
    max_size=12,
)


@given(ANSWERS)
def test_an_answer_with_an_unsupported_claim_never_passes(sentences: list[str]) -> None:
    """`state` and `passed` agree: faithfulness is the probability that no claim is unsupported."""
    verdict = Builtin().judge_now(record(" ".join(sentences)), RUBRIC)
    assert verdict.faithfulness is not None
    assert verdict.faithfulness <= min(claim.probability for claim in verdict.claims)
    if verdict.state in ("unsupported", "contradicted"):
        assert verdict.passed is False


def test_a_timed_out_trace_is_judged_and_says_so() -> None:
    """Its evidence may be missing."""
    assert Builtin().judge_now(record(CARRIED, completeness="timed_out"), RUBRIC).reason is not None


def test_two_processes_give_the_same_verdict_bit_for_bit() -> None:
    """Also with another hash seed."""
    program = (
        "from ragvigil import prompts; from ragvigil.scorer.judge import Builtin;"
        "from ragvigil.scorer.trace import Document, RagTrace;"
        f"record = RagTrace('0'*32, '1'*16, 's', 0, query='q', answer={CARRIED + ' ' + INVENTED!r},"
        f"documents=({', '.join(f'Document({one.id!r}, {one.text!r}, rank={one.rank})' for one in PASSAGES)},));"
        "print(Builtin().judge_now(record, prompts.load('faithfulness')))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@example("0\ra", ["0"])
@example("It leaves at\r\nnine.\r\nA ticket costs four crowns.", ["It leaves at nine."])
@given(st.text(max_size=300), st.lists(st.text(max_size=200), min_size=1, max_size=4))
def test_any_texts_give_a_verdict_whose_offsets_are_exact(answer: str, texts: list[str]) -> None:
    """And probabilities in [0, 1]."""
    documents = tuple(Document(f"d{rank}", text, rank=rank) for rank, text in enumerate(texts, 1))
    verdict = Builtin().judge_now(record(answer, documents), RUBRIC)
    for claim in verdict.claims:
        assert answer[claim.start : claim.end] == claim.text
        assert 0 <= claim.probability <= 1
    assert verdict.faithfulness is None or 0 <= verdict.faithfulness <= 1


def test_the_table_builds_what_the_settings_name() -> None:
    """None when judging is off, a ConfigError for an unknown model."""
    assert list(JUDGES) == ["builtin", "openai", "anthropic", "nli"]
    assert build_judge(config.Judge(kind="none")) is None
    with pytest.raises(ConfigError, match="known: lexical-1"):
        build_judge(config.Judge.model_construct(kind="builtin", model="lexical-9"))


def test_what_the_checks_laid_out_is_not_laid_out_again_for_the_judge() -> None:
    """Though they know by then in which style the service usually cites, and the judge does not."""
    cited = record(f"{CARRIED} Threads share them.")
    run_checks(cited, rules=replace(EVERYTHING, usual="id"))
    known = len(RECENT), len(TOLD)
    assert Builtin().judge_now(cited, RUBRIC).claims
    assert (len(RECENT), len(TOLD)) == known
