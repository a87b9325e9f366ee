"""What was asked before costs nothing, what somebody asks is not asked twice, and all of it can be forgotten."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.scorer.judge import test_rubric as cases
from tests.scorer.judge.test_rubric import FAITHFUL, INVENTED

from ragvigil.scorer import config
from ragvigil.scorer.judge import Judge, build_asker, build_judge, rubric_of
from ragvigil.scorer.judge.memory import Memory
from ragvigil.scorer.judge.paid import LEASE_SECONDS, Paid, Reply
from ragvigil.scorer.sample import Budget, Sampler, Spent
from ragvigil.scorer.testing import Script, ScriptedJudge, Shown
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict


def record(answer: str, trace: int = 0) -> RagTrace:
    """The same question, answered in one trace or another."""
    return replace(cases.record(answer), trace_id=f"{trace:032x}")


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        """Now."""
        return self.now


@pytest.fixture
def server() -> Generator[ScriptedJudge]:
    """A judge behind HTTP that is always right."""
    with ScriptedJudge(Script(sensitivity=1.0, specificity=1.0)) as running:
        yield running


def settings_of(server: ScriptedJudge, model: str = "scripted-1") -> config.Judge:
    """The judge there, with a price."""
    return config.Judge.model_validate(
        {
            "kind": "openai",
            "model": model,
            "base_url": server.url,
            "prices": {model: {"input": 1, "output": 2}},
        }
    )


async def judged(settings: config.Judge, paid: Paid, *records: RagTrace, anew: bool = False) -> list[Verdict]:
    """All at once, by a judge of its own."""
    asker = build_asker(settings, memory=Memory(paid))
    judge = build_judge(settings, asker=asker.afresh() if anew else asker)
    assert judge is not None
    try:
        return await asyncio.gather(*(_verdict(judge, settings, one) for one in records))
    finally:
        await judge.close()


async def _verdict(judge: Judge, settings: config.Judge, one: RagTrace) -> Verdict:
    return await judge.judge(one, rubric_of(settings))


@pytest.fixture
def paid(tmp_path: Path) -> Generator[Paid]:
    """The file, as one process opens it."""
    with closing(Paid(tmp_path / "judge.db", "one")) as opened:
        yield opened


async def test_the_same_content_is_asked_about_once_also_by_another_process_and_at_once(
    server: ScriptedJudge, paid: Paid, tmp_path: Path
) -> None:
    """Its verdict is the same, its hit is counted, and it costs nothing."""
    settings = settings_of(server)
    same = [record(FAITHFUL, trace=number) for number in range(6)]
    with closing(Paid(tmp_path / "judge.db", "two")) as other:
        mine, others = await asyncio.gather(
            judged(settings, paid, *same[:3]), judged(settings, other, *same[3:])
        )
    found = [*mine, *others]
    assert len(server.requests) == 1
    assert len({(one.state, one.faithfulness, one.claims, one.judge_version) for one in found}) == 1
    told = [cast("dict[str, object]", one.details["usage"]) for one in found]
    hits = [one for one in told if one.get("remembered") == 1]
    assert len(hits) == 5
    assert {one["cost_usd"] for one in hits} == {0.0}


async def test_another_answer_model_or_wish_to_ask_anew_is_another_question(
    server: ScriptedJudge, paid: Paid
) -> None:
    """What is judged again to see whether the judge has changed must not be told from memory."""
    await judged(settings_of(server), paid, record(FAITHFUL), record(INVENTED))
    await judged(settings_of(server, "scripted-2"), paid, record(FAITHFUL))
    await judged(settings_of(server), paid, record(FAITHFUL), anew=True)
    assert len(server.requests) == 4


async def test_replies_of_an_earlier_snapshot_are_not_the_models_own(paid: Paid) -> None:
    """Else a series would be measured by two judges at once."""
    for name in ("m-1", "m-2"):
        assert paid.claim(name.encode(), "t") == "yours"
        paid.keep(name.encode(), "t", "openai m", Reply("said", name))
    assert paid.claim(b"m-1", "t") == "yours"
    assert paid.claim(b"m-2", "t") == Reply("said", "m-2")


class Speechless(Script):
    """A model that says nothing."""

    def said(self, shown: Shown, number: int, wanted: str = "rubric") -> str:
        """Nothing."""
        return ""


async def test_a_spoilt_reply_is_not_remembered(paid: Paid) -> None:
    """The next one may be whole."""
    with ScriptedJudge(Speechless()) as server:
        for asked in (2, 4):
            (found,) = await judged(settings_of(server), paid, record(FAITHFUL))
            assert (found.state, len(server.requests)) == ("unparseable", asked)


def test_the_question_of_a_process_that_died_is_asked_by_another(tmp_path: Path) -> None:
    """At once after its own restart, and soon by others; a clock that was set does not hold it for ever."""
    clock = Clock()
    path = tmp_path / "judge.db"
    dead = Paid(path, "dead", now=clock)
    with closing(dead), closing(Paid(path, "other", now=clock)) as other:
        assert dead.claim(b"k", "t") == "yours"
        assert other.claim(b"k", "t") == "asked"
        dead.renew()
        clock.now += LEASE_SECONDS + 1
        assert other.claim(b"k", "t") == "yours"
        clock.now -= 3600
        assert dead.claim(b"k", "t") == "yours"
        with closing(Paid(path, "dead", now=clock)) as restarted:
            assert restarted.claim(b"k", "t") == "yours"


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a file that another writes."""
    monkeypatch.setattr("ragvigil.scorer.judge.paid._BUSY_SECONDS", 0.0)


@contextmanager
def another_writing(path: Path) -> Generator[None]:
    """Nothing else can be written meanwhile."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def end(memory: Memory, kept: bool) -> None:
    """A question is no longer asked, with a reply or without one."""
    if kept:
        memory.keep(b"k", "t", "m", Reply("said", "m"))
    else:
        memory.let_go(b"k")


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("kept", [True, False])
async def test_a_question_whose_end_could_not_be_written_is_the_next_ones_to_ask(
    tmp_path: Path, kept: bool
) -> None:
    """In the same process at once; else every job with the same content would wait for ever."""
    path = tmp_path / "judge.db"
    with closing(Paid(path, "one")) as paid:
        memory = Memory(paid)
        assert await memory.recall(b"k", "t") is None
        with another_writing(path):
            end(memory, kept)
        async with asyncio.timeout(20):
            assert await memory.recall(b"k", "t") is None
        paid.renew()
        assert paid.claim(b"k", "t") == "asked", "it is asked once more, and nobody else's"
        await memory.close()


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("kept", [True, False])
async def test_other_processes_hear_of_the_end_with_the_next_renewal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    """Once the file can be written again; questions that are still asked stay this process's own."""
    monkeypatch.setattr("ragvigil.scorer.judge.memory.LEASE_SECONDS", 0.03)
    path = tmp_path / "judge.db"
    with closing(Paid(path, "one")) as paid, closing(Paid(path, "two")) as other:
        memory, theirs = Memory(paid), Memory(other)
        assert await memory.recall(b"k", "t") is None
        assert await memory.recall(b"still asked", "t") is None
        with another_writing(path):
            end(memory, kept)
            await asyncio.sleep(0.05)
        async with asyncio.timeout(30):
            assert await theirs.recall(b"k", "t") is None
        assert other.claim(b"still asked", "t") == "asked"
        await memory.close()
        await theirs.close()


def test_what_is_forgotten_or_old_is_not_kept(server: ScriptedJudge, paid: Paid, tmp_path: Path) -> None:
    """Not in the file either, and not by a reply that was on its way."""
    asyncio.run(judged(settings_of(server), paid, record(FAITHFUL, trace=1), record(INVENTED, trace=2)))
    paid.forget([record(FAITHFUL, trace=1).trace_id])
    asyncio.run(judged(settings_of(server), paid, record(FAITHFUL, trace=1)))
    assert len(server.requests) == 3
    paid.forget([record(INVENTED, trace=2).trace_id])
    assert paid.expire(before=0.0) == 0
    with closing(sqlite3.connect(tmp_path / "judge.db")) as file:
        assert file.execute("SELECT count(*) FROM replies").fetchone() == (0,)
    assert paid.claim(b"x", "kept") == "yours"
    paid.keep(b"x", "kept", "m", Reply("said", "m"))
    assert paid.expire(before=2e12) == 1


async def test_a_file_that_cannot_be_used_costs_no_verdict(server: ScriptedJudge, paid: Paid) -> None:
    """Only money."""
    paid.close()
    (found,) = await judged(settings_of(server), paid, record(FAITHFUL))
    assert found.passed


def test_what_others_spend_lowers_the_probability_smoothly_and_never_to_nothing(tmp_path: Path) -> None:
    """Tokens and money, of about a minute and about a day."""
    clock = Clock()
    path = tmp_path / "judge.db"
    with closing(Paid(path, "a", now=clock)) as mine, closing(Paid(path, "b", now=clock)) as other:
        for budget, per_minute in (
            (Budget(usd_per_day=100.0), False),
            (Budget(tokens_per_minute=100.0), True),
        ):

            def chance(after: float, budget: Budget = budget) -> float:
                clock.now += after
                sampler = Sampler(0.5, budget, others=mine.spent)
                return sampler.decide("0" * 32, at=clock.now).inclusion

            assert chance(0) == 0.5
            other.spend(calls=1, tokens=90, usd=90)
            strained = chance(0)
            assert 0.0 < strained < 0.5
            other.spend(calls=1, tokens=30, usd=30)
            assert 0.0 < chance(0) < strained
            assert chance(600) == 0.5 if per_minute else chance(600) < strained
            assert chance(40 * 86_400) == 0.5
        assert mine.spent()[0] == pytest.approx(Spent(), abs=1e-9)


def test_what_this_process_spent_is_known_again_after_a_kill_and_over_a_full_disk(tmp_path: Path) -> None:
    """Tokens and money; its calls are counted by who draws the records."""
    path = tmp_path / "judge.db"
    mine = Paid(path, "a", now=Clock())
    mine.spend(calls=1, tokens=90, usd=3)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("CREATE TRIGGER full BEFORE INSERT ON spent BEGIN SELECT RAISE(ABORT, 'full'); END")
        with pytest.raises(sqlite3.Error):
            mine.spend(calls=1, tokens=10, usd=1)
        assert mine.spent() == (Spent(0, 100, 4), Spent(0, 100, 4))
        other.execute("DROP TRIGGER full")
    mine.spend(calls=1, tokens=1, usd=1)
    assert mine.spent() == (Spent(0, 101, 5), Spent(0, 101, 5))
    mine.close()
    with (
        closing(Paid(path, "a", now=Clock())) as again,
        closing(Paid(path, "b", now=Clock())) as other_process,
    ):
        assert again.spent() == (Spent(0, 101, 5), Spent(0, 101, 5))
        assert other_process.spent()[1].calls == 3


@pytest.mark.parametrize("owner", ["this", "another"])
def test_what_was_spent_is_forgotten_as_soon_also_when_the_clock_was_set_back(
    tmp_path: Path, owner: str
) -> None:
    """Until the hour was there again it lay in the future, grew no older, and nearly nothing was judged."""
    clock, path = Clock(), tmp_path / "judge.db"
    with (
        closing(Paid(path, "this", now=clock)) as mine,
        closing(Paid(path, owner, now=clock)) as spending,
    ):
        spending.spend(calls=1, tokens=20_000, usd=4)
        clock.now -= 3600
        assert mine.spent()[0].tokens == 20_000
        clock.now += 300
        minute, day = mine.spent()
        assert minute.tokens == pytest.approx(20_000 * math.exp(-5))
        assert day.usd == pytest.approx(4 * math.exp(-300 / 86_400))


@pytest.mark.usefixtures("hasty")
def test_what_could_not_be_written_is_forgotten_as_what_was(tmp_path: Path) -> None:
    """An hour of a thousand tokens a minute counted as sixty thousand in one, before and after it was written."""
    clock, path = Clock(), tmp_path / "judge.db"
    with closing(Paid(path, "one", now=clock)) as paid:
        with another_writing(path):
            for _ in range(60):
                with pytest.raises(sqlite3.Error):
                    paid.spend(calls=1, tokens=1000, usd=0)
                clock.now += 60
            minute, day = paid.spent()
        assert minute.tokens == pytest.approx(1000 / (math.e - 1), rel=0.01)
        assert 58_000 < day.tokens < 60_000
        paid.spend(calls=0, tokens=0, usd=0)
        again = paid.spent()
        assert again[0].tokens == pytest.approx(minute.tokens)
        assert again[1].tokens == pytest.approx(day.tokens)


def everything_in(folder: Path) -> bytes:
    """Of all its files."""
    return b"".join(one.read_bytes() for one in folder.iterdir())


async def test_secrets_in_the_address_are_in_no_file(server: ScriptedJudge, tmp_path: Path) -> None:
    """A user, a password and a key that a gateway wants there; the reply is known again all the same."""
    url = server.url.replace("http://", "http://someone:pass-1234@") + "?key=sk-in-the-address"
    path = tmp_path / "judge.db"
    chosen = settings_of(server).model_copy(update={"base_url": url})
    verdicts: list[Verdict] = []
    for owner in ("one", "two"):
        with closing(Paid(path, owner)) as paid:
            judge = build_judge(chosen, asker=build_asker(chosen, memory=Memory(paid)))
            assert judge is not None
            verdicts.append(await judge.judge(record(FAITHFUL), rubric_of(chosen)))
            await judge.close()
    assert [cast("dict[str, int]", one.details["usage"])["calls"] for one in verdicts] == [1, 0]
    held = everything_in(tmp_path)
    assert b"pass-1234" not in held
    assert b"sk-in-the-address" not in held


def test_secrets_that_an_earlier_version_kept_go_when_the_file_is_opened(tmp_path: Path) -> None:
    """With what was kept under them, which nobody would find again; the rest stays."""
    path, key, other = tmp_path / "judge.db", b"1" * 32, b"2" * 32
    with closing(Paid(path, "one")) as paid:
        old = "openai http://someone:pass-1234@gateway/v1?key=sk-in-the-address m"
        for one, asked in ((key, old), (other, "openai http://***@gateway/v1?key=*** m")):
            assert paid.claim(one, "a" * 32) == "yours"
            paid.keep(one, "a" * 32, asked, Reply("{}", "m-1"))
    with closing(Paid(path, "one")) as paid:
        held = everything_in(tmp_path)
        assert b"pass-1234" not in held
        assert b"sk-in-the-address" not in held
        assert paid.claim(key, "a" * 32) == "yours"
        assert paid.claim(other, "a" * 32) == Reply("{}", "m-1")
