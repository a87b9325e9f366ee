"""Criteria of a team's own: files in a folder, asked over real HTTP, with errors that say how to mend them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.scorer.judge.test_rubric import FAITHFUL, INVENTED, PERFECT, record, settings

from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge import build_asker, build_judge, build_measuring, rubric_of
from ragvigil.scorer.judge.criteria import load_criteria
from ragvigil.scorer.judge.measures.measuring import drawn
from ragvigil.scorer.testing import DAMAGES, Script, ScriptedJudge, Shown
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

QUESTION = "Does the answer name where the customer can ask next? Pass: it does. Fail: it does not."


def criterion(folder: Path, front: str = 'id = "next_step"\nversion = "1"', text: str = QUESTION) -> Path:
    """A file of one criterion; its folder."""
    folder.mkdir(exist_ok=True)
    name = front.split('"')[1].replace("/", "")
    (folder / f"{name}.md").write_text(f"+++\n{front}\n+++\n{text}\n")
    return folder


async def measured(server: ScriptedJudge, folder: Path, *records: RagTrace) -> list[Verdict]:
    """The verdicts on some records, with what was measured."""
    chosen = settings(server, criteria=str(folder))
    asker = build_asker(chosen)
    judge, measuring = build_judge(chosen, asker=asker), build_measuring(chosen, asker)
    assert judge is not None
    assert measuring is not None
    try:
        verdicts = [await judge.judge(one, rubric_of(chosen)) for one in records]
        pairs = zip(verdicts, records, strict=True)
        return list(await asyncio.gather(*(measuring.added(verdict, one) for verdict, one in pairs)))
    finally:
        await judge.close()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_a_criterion_passes_or_fails_with_a_critique(kind: str, tmp_path: Path) -> None:
    """Beside the verdict, with the digest of file and frame, and with what both cost."""
    folder = criterion(tmp_path / "criteria")
    with ScriptedJudge(PERFECT) as server:
        chosen = settings(server, kind=kind, criteria=str(folder))
        asker = build_asker(chosen)
        judge, measuring = build_judge(chosen, asker=asker), build_measuring(chosen, asker)
        assert judge is not None
        assert measuring is not None
        found: list[Verdict] = []
        for answer in (FAITHFUL, INVENTED):
            verdict = await judge.judge(record(answer), rubric_of(chosen))
            found.append(await measuring.added(verdict, record(answer)))
        await judge.close()
    good, bad = (verdict.measured[0] for verdict in found)
    assert (good.name, good.value, bad.value) == ("criteria.next_step", 1.0, 0.0)
    assert good.reason == "The answer does what is asked."
    assert (good.judge, good.judge_version) == (kind, "2+scripted-1")
    assert good.prompt_digest == load_criteria(folder)[0].prompt.digest
    assert found[0].details["usage"] == {
        "calls": 2,
        "input_tokens": found[0].details["usage"]["input_tokens"],  # type: ignore[index]
        "output_tokens": found[0].details["usage"]["output_tokens"],  # type: ignore[index]
        "cost_usd": None,
    }


async def test_the_language_of_the_answer_chooses_the_frame_and_the_part(tmp_path: Path) -> None:
    """A criterion may be written in one language, or in each."""
    text = f"+++ en\n{QUESTION}\n+++ pt\nA resposta diz onde o cliente pode perguntar depois?"
    folder = criterion(tmp_path / "criteria", text=text)
    with ScriptedJudge(PERFECT) as server:
        one = record("A biblioteca abre às nove horas nos dias de semana e às onze aos sábados.")
        await measured(server, folder, one)
        said = [str(body["messages"]) for body in server.requests]
    assert any("onde o cliente pode perguntar" in one and "Você decide" in one for one in said)


async def test_only_what_it_needs_is_shown(tmp_path: Path) -> None:
    """Tokens are money, and what is not shown cannot mislead."""
    front = 'id = "tone"\nversion = "1"\nshows = ["answer"]'
    folder = criterion(tmp_path / "criteria", front)
    with ScriptedJudge(PERFECT) as server:
        await measured(server, folder, record(FAITHFUL))
        body = str(next(one for one in server.requests if "yes-or-no" in str(one)))
    assert "<answer " in body
    assert "<evidence " not in body
    assert "A lost card costs 12 euros. Lending is free" not in body


async def test_a_refusal_is_measured_though_it_has_no_faithfulness(tmp_path: Path) -> None:
    """How an answer refuses is what many criteria are about."""
    folder = criterion(tmp_path / "criteria")
    with ScriptedJudge(PERFECT) as server:
        (verdict,) = await measured(server, folder, record("I could not find this in the documents."))
    assert verdict.state == "no_claims"
    assert verdict.measured[0].value is not None


@pytest.mark.parametrize("way", DAMAGES)
async def test_no_damage_becomes_a_silent_fail(way: str, tmp_path: Path) -> None:
    """Mended, asked for again, or without a value."""

    class Spoilt(Script):
        __slots__ = ()

        def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
            return DAMAGES[way](self.reply(shown, wanted))

    folder = criterion(tmp_path / "criteria")
    with ScriptedJudge(Spoilt(sensitivity=1.0, truth=lambda _: True)) as server:
        (verdict,) = await measured(server, folder, record(FAITHFUL))
    (found,) = verdict.measured
    assert found.value in (1.0, None)
    if found.value is None:
        assert found.details["state"] == "unparseable"
        assert "could not be read" in str(found.reason)


async def test_a_share_is_asked_and_counts_for_the_rest(tmp_path: Path) -> None:
    """Drawn by a hash of the trace and the name, so that a restart draws the same."""
    folder = criterion(tmp_path / "criteria", 'id = "tone"\nversion = "1"\nshare = 0.5')
    records = [record(FAITHFUL, number) for number in range(20)]
    with ScriptedJudge(PERFECT) as server:
        verdicts = await measured(server, folder, *records)
    asked = [bool(verdict.measured) for verdict in verdicts]
    assert asked == [drawn(one.trace_id, "criteria.tone", 0.5) for one in records]
    assert 0 < sum(asked) < 20
    assert {one.share for verdict in verdicts for one in verdict.measured} == {0.5}


async def test_a_criterion_of_another_service_is_not_asked(tmp_path: Path) -> None:
    """A team's criterion is about that team's answers."""
    folder = criterion(tmp_path / "criteria", 'id = "tone"\nversion = "1"\nservices = ["museum"]')
    with ScriptedJudge(PERFECT) as server:
        (verdict,) = await measured(server, folder, record(FAITHFUL))
    assert verdict.measured == ()


async def test_a_quotation_that_the_answer_does_not_hold_is_flagged(tmp_path: Path) -> None:
    """The critique may rest on something that was never said."""

    class Dreaming(Script):
        __slots__ = ()

        def reply(self, shown: Shown, wanted: str = "rubric") -> dict[str, object]:
            reply = super().reply(shown, wanted)
            return reply | ({"quote": "call the harbour office"} if wanted == "criterion" else {})

    folder = criterion(tmp_path / "criteria")
    with ScriptedJudge(Dreaming()) as server:
        (verdict,) = await measured(server, folder, record(FAITHFUL))
    assert verdict.measured[0].details["flags"] == ["quote_not_in_answer"]


@pytest.mark.parametrize(
    ("front", "text", "problem"),
    [
        ('id = "tone"', QUESTION, 'lacks version: write version = "…"'),
        ('id = "Tone of voice"\nversion = "1"', QUESTION, "must be lower-case letters"),
        ('id = "tone"\nversion = "1"\nshare = 2', QUESTION, "share is 2; write a number above 0"),
        ('id = "tone"\nversion = "1"\nshar = 1', QUESTION, "unknown key shar; did you mean share"),
        (
            'id = "tone"\nversion = "1"\nshows = ["answers"]',
            QUESTION,
            "shows has 'answers'; did you mean answer?",
        ),
        ('id = "tone"\nversion = "1"\nservices = "shop"', QUESTION, "services must be a list of words"),
        ('id = "tone"\nversion = "1"', "", "asks nothing; write the question"),
        ('id = "tone"\nversion = "1"', "Is {{ answer }} polite? Pass if so.", "write no places to fill"),
        (
            'id = "tone"\nversion = "1"',
            f"{QUESTION}\n+++ data\nx",
            r"leave it out: what is shown is laid out",
        ),
        ('id = "tone"\nversion = "1"', QUESTION * 60, "at most 4,000: one question a file"),
        ('id = "tone"\nversion = 1', QUESTION, "lacks version"),
    ],
)
def test_what_is_wrong_in_a_file_is_named_with_the_fix(
    front: str, text: str, problem: str, tmp_path: Path
) -> None:
    """At start, and by check-config."""
    if "+++ data" in text:
        text = f"+++ en\n{text}"
    folder = criterion(tmp_path / "criteria", front, text)
    with pytest.raises(ConfigError, match=problem) as error:
        load_criteria(folder)
    assert ".md" in str(error.value)


def test_every_file_that_is_wrong_is_named_at_once(tmp_path: Path) -> None:
    """A folder is mended in one go; two criteria of one name are one too many."""
    folder = criterion(tmp_path / "criteria", 'id = "a"\nversion = "1"\nshare = 0')
    criterion(folder, 'id = "b"\nversion = "1"', "")
    criterion(folder, 'id = "c"\nversion = "1"')
    (folder / "d.md").write_text((folder / "c.md").read_text())
    with pytest.raises(ConfigError) as error:
        load_criteria(folder)
    said = str(error.value)
    assert "a.md: share is 0" in said
    assert "b.md: part text asks nothing" in said
    assert "d.md: has the id c of c.md" in said


def test_a_folder_that_is_none_or_empty_is_named(tmp_path: Path) -> None:
    """With what to do."""
    with pytest.raises(ConfigError, match=r"there is no folder .*make it"):
        load_criteria(tmp_path / "criteria")
    with pytest.raises(ConfigError, match=r"holds no \.md file"):
        load_criteria(tmp_path)


def test_a_changed_criterion_is_another_instrument(tmp_path: Path) -> None:
    """So that its series begins anew instead of being spliced."""
    (before,) = load_criteria(criterion(tmp_path / "criteria"))
    (after,) = load_criteria(criterion(tmp_path / "criteria", text=f"{QUESTION} In doubt, fail."))
    assert before.prompt.digest != after.prompt.digest
    assert before.name == after.name
