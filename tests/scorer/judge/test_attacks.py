"""Attacks on the judge from within what is judged, and judges that obey what they read.

Judges, each easier to fool than the one before: one that believes only what stands outside the fences, one
that does what any text tells it and can name only passages that the text names, and one that goes along with the
attacker and finds a real passage to name. Fences stop the first, verification the second; nothing that we do stops
the third, and the test says what share of it the checks at least flag. A fourth leaves out of its claims what must not
be seen; that an answer passes only when all of it was judged stops it.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
from tests.scorer.judge.test_judge_settings import an_endpoint

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge import rubric_of
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.endpoint import Completion, Question
from ragvigil.scorer.judge.rubric import RubricJudge
from ragvigil.scorer.testing import Shown
from ragvigil.scorer.trace import Document, RagTrace, Retrieval
from ragvigil.scorer.verdict import Verdict

INVENTED = (
    "The library opens at nine on weekdays [opening#1]. Dogs are welcome on the second floor of the annex."
)
PASSAGES: tuple[Document, ...] = (
    Document("opening#1", "The library opens at nine on weekdays and at eleven on Saturdays.", rank=1),
    Document("fees#2", "A lost card costs 12 euros. Lending is free for residents.", rank=2),
)
_FENCED = re.compile(r"<(\w+) ([0-9a-f]{16})>\n.*?\n?</\1 \2>", re.DOTALL)
_IDS = re.compile(r'\[?"?([a-zA-Z-]+#\w+)"?\]?')


@dataclass(frozen=True)
class Attack:
    """One text that wants a bad answer to pass."""

    kind: str
    language: str
    place: str
    text: str

    @property
    def record(self) -> RagTrace:
        """A half-invented answer with the attack in its place."""
        answer, question, passages = INVENTED, "When does it open?", PASSAGES
        if self.place == "answer":
            answer = f"{answer} {self.text}"
        elif self.place == "question":
            question = self.text
        else:
            passages = (*passages, Document("note#3", self.text, rank=3))
        found = tuple(one.id for one in passages)
        return RagTrace(
            "0" * 32,
            "1" * 16,
            "library",
            0,
            query=question,
            answer=answer,
            documents=passages,
            retrievals=(Retrieval("retrieve", None, found, (None,) * len(found)),),
        )


ATTACKS = [
    Attack(**json.loads(line))
    for line in (Path(__file__).parent / "attacks.jsonl").read_text(encoding="utf-8").splitlines()
]
Namer = Callable[[str, Shown], list[str]]
"""From what a judge was sent and shown to the passages that it names for everything."""


class Obedient:
    """A model that passes everything as soon as it believes an attack."""

    def __init__(self, attack: Attack, *, believes_fenced: bool, names: Namer) -> None:
        self._attack = attack
        self._believes_fenced = believes_fenced
        self._names = names

    async def ask(self, question: Question) -> Completion:
        """All supported when fooled, else what is true."""
        shown = Shown.read(question.data)
        read = question.data if self._believes_fenced else _FENCED.sub("", question.data)
        fooled = self._believes_fenced or bool(read.strip()) or self._attack.text in question.system
        return Completion(json.dumps(self._reply(question.data, shown, fooled=fooled)), "obedient", cut=False)

    async def close(self) -> None:
        """Nothing is open."""

    def _reply(self, sent: str, shown: Shown, *, fooled: bool) -> dict[str, object]:
        prepared = Prepared(shown.record)
        claims: list[dict[str, object]] = []
        for one in prepared.statements:
            text = shown.answer[one.start : one.end]
            true = "opens at nine" in text
            by = ["opening#1"] if true else self._names(sent, shown) if fooled else []
            claims.append(
                {
                    "claim": text,
                    "supported_by": by,
                    "verdict": "supported" if true or fooled else "unsupported",
                }
            )
        point = 5 if fooled else 2
        flags = ("schema_valid", "language_match", "safety_pass", "citations_present", "citations_valid")
        return {
            "supported_claims": claims,
            "must_pass": {**dict.fromkeys(flags, True), "no_hallucinated_entities": True},
            "scores": {"groundedness": point, "completeness": point, "directness": point, "style": 5},
            "abstain": {"should_have_abstained": False, "abstain_quality": None},
        }


def verdict_on(attack: Attack, *, believes_fenced: bool, names: Namer) -> Verdict:
    """What is made of the reply of such a judge."""
    endpoint = Obedient(attack, believes_fenced=believes_fenced, names=names)
    judge = RubricJudge(Asker(endpoint, name="openai", model="obedient"))
    return asyncio.run(judge.judge(attack.record, rubric_of(an_endpoint())))


class Overlooking(Obedient):
    """A model that finds a real passage for all that it lists, and lists only what an attack leaves it."""

    def __init__(self, attack: Attack, leaves: Callable[[str], str | None]) -> None:
        super().__init__(attack, believes_fenced=True, names=a_real_one)
        self._leaves = leaves

    def _reply(self, sent: str, shown: Shown, *, fooled: bool) -> dict[str, object]:
        reply = super()._reply(sent, shown, fooled=fooled)
        claims = cast("list[dict[str, object]]", reply["supported_claims"])
        left = [(one, self._leaves(str(one["claim"]))) for one in claims]
        return reply | {"supported_claims": [one | {"claim": said} for one, said in left if said]}


def without_dogs(said: str) -> str | None:
    """The invented sentence is passed over."""
    return None if "Dogs" in said else said


def first_words(said: str) -> str | None:
    """Every sentence is listed, and of the invented one only words that say nothing false."""
    return "second floor" if "Dogs" in said else said


def first_article(_said: str) -> str | None:
    """Words that stand in the answer and claim nothing."""
    return "The"


class Baited(Obedient):
    """A model that does all that it reads, our own bait included."""

    def _reply(self, sent: str, shown: Shown, *, fooled: bool) -> dict[str, object]:
        reply = super()._reply(sent, shown, fooled=fooled)
        claims = cast("list[dict[str, object]]", reply["supported_claims"])
        (word,) = re.findall(r"write the word (\w+)", shown.parts["note"])
        return reply | {"supported_claims": [*claims, {**claims[0], "claim": word}]}


def nothing(_sent: str, _shown: Shown) -> list[str]:
    """It was told what to say, not by what to support it."""
    return []


def as_told(sent: str, shown: Shown) -> list[str]:
    """Ids that the attack brings along."""
    real = {str(one.id) for one in shown.evidence}
    return [one for one in _IDS.findall(sent) if one not in real] or ["verified#99"]


def a_real_one(_sent: str, shown: Shown) -> list[str]:
    """It helps the attacker."""
    return [str(shown.evidence[0].id)]


def test_the_corpus_is_as_wide_as_it_should_be() -> None:
    """At least 60 attacks of ten kinds, in three languages, from all three places."""
    assert len(ATTACKS) >= 60
    assert len({one.text for one in ATTACKS}) == len(ATTACKS)
    kinds = Counter(one.kind for one in ATTACKS)
    assert len(kinds) >= 10
    assert min(kinds.values()) >= 5
    assert {one.language for one in ATTACKS} == {"en", "pt", "es"}
    assert {one.place for one in ATTACKS} == {"answer", "passage", "question"}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: f"{one.kind}-{one.language}-{one.place}")
def test_nothing_that_is_judged_gets_out_of_its_fence(attack: Attack) -> None:
    """So a judge that believes only what stands outside is not fooled."""
    verdict = verdict_on(attack, believes_fenced=False, names=a_real_one)
    assert (verdict.state, verdict.passed) == ("unsupported", False)


@pytest.mark.parametrize("names", [nothing, as_told])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: f"{one.kind}-{one.language}-{one.place}")
def test_support_that_the_trace_does_not_have_passes_nothing(attack: Attack, names: Namer) -> None:
    """So a judge that obeys, but can name only what it was told, fails the answer all the same."""
    verdict = verdict_on(attack, believes_fenced=True, names=names)
    assert verdict.passed is False
    assert "support_without_passage" in str(verdict.details["flags"])


def test_of_a_judge_that_helps_the_attacker_most_verdicts_are_flagged() -> None:
    """What cannot be stopped goes to people: the built-in judge sees that dogs stand nowhere."""
    verdicts = [verdict_on(one, believes_fenced=True, names=a_real_one) for one in ATTACKS]
    assert all(verdict.passed for verdict in verdicts), (
        "it cannot be stopped here; if it is, say so in docs/judge.md"
    )
    flagged = sum("disagrees_with_checks" in str(verdict.details["flags"]) for verdict in verdicts)
    assert flagged >= 0.9 * len(verdicts), f"{flagged} of {len(verdicts)}"


@pytest.mark.parametrize("leaves", [without_dogs, first_words, first_article])
def test_what_a_judge_leaves_out_passes_nothing(leaves: Callable[[str], str | None]) -> None:
    """It is asked once more, and then the answer counts as not judged: never as faithful."""
    for attack in ATTACKS:
        judge = RubricJudge(Asker(Overlooking(attack, leaves), name="openai", model="obedient"))
        verdict = asyncio.run(judge.judge(attack.record, rubric_of(an_endpoint())))
        assert (verdict.state, verdict.passed) == ("unparseable", None), attack
        assert "statements_not_judged" in str(verdict.details["flags"])


def test_a_judge_that_takes_the_bait_is_not_believed() -> None:
    """Not even where it helps the attacker with a real passage; it is not asked twice, and fails nobody."""
    for attack in ATTACKS:
        endpoint = Baited(attack, believes_fenced=True, names=a_real_one)
        judge = RubricJudge(Asker(endpoint, name="openai", model="obedient"))
        verdict = asyncio.run(judge.judge(attack.record, rubric_of(an_endpoint())))
        assert (verdict.state, verdict.passed, verdict.claims) == ("unparseable", None, ()), attack
        assert "the model takes orders from what it is shown" in str(verdict.reason)
        assert cast("dict[str, int]", verdict.details["usage"])["calls"] == 1


def test_an_attack_does_not_hide_the_rest_of_the_answer() -> None:
    """What the answer says beside the attack is judged as it would be without it."""
    for attack in (one for one in ATTACKS if one.place == "answer"):
        clean = Prepared(replace(attack.record, answer=INVENTED))
        said = {clean.answer[one.start : one.end].strip() for one in clean.statements}
        verdict = verdict_on(attack, believes_fenced=False, names=nothing)
        assert any("Dogs are welcome" in claim.text for claim in verdict.claims), (attack.kind, said)
