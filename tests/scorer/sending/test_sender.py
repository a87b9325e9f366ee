"""From the store's queue to a tool: nothing lost, nothing twice under two ids, nobody delayed."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from itertools import repeat
from pathlib import Path
from typing import Any, cast

import pytest
from tests.scorer.metrics.filled import NOW, VERDICT, fill, record, scored, settings_in

from ragvigil.exporters import ScoredAnswer, Sent
from ragvigil.scorer.config import Settings
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.sending import Sender, sinks_of
from ragvigil.scorer.sending.queue import StoreQueue
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.store.reading_scores import Choice, waiting
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.verdict import Measured

CHOICE = Choice(("faithfulness", "support", "citation_correctness"))


@dataclass
class Tool:
    """Takes what it is sent, or answers as it is told to."""

    answers: Iterator[Sent] = field(default_factory=lambda: iter(()))
    got: list[ScoredAnswer] = field(default_factory=list[ScoredAnswer])
    poison: str = ""
    fails: frozenset[str] = frozenset()
    met: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, answers: Sequence[ScoredAnswer]) -> Sent:
        """The next answer; taken when there is none left."""
        self.met.set()
        answer = next(self.answers, Sent(delivered=True))
        if any(one.trace_id == self.poison for one in answers):
            answer = Sent(delivered=False, reason="http_400")
        if any(one.trace_id in self.fails for one in answers):
            answer = Sent(delivered=False, retry=True, reason="http_500")
        self.got += answers if answer.delivered else []
        return answer


@dataclass
class Thread:
    """Stands for the scoring thread: runs what it is given at once, and counts it."""

    store: SqliteStore
    calls: int = 0

    def call(self, work: Callable[[], Any]) -> Future[Any]:
        """Run it."""
        self.calls += 1
        done: Future[Any] = Future()
        done.set_result(work())
        return done


@dataclass
class Bench:
    """One sender over a real store."""

    sender: Sender
    tool: Tool
    thread: Thread
    seconds: list[float]

    async def steps(self, number: int) -> list[float]:
        """So many steps; their pauses."""
        return [await self.sender.step() for _ in range(number)]


def settings_of(folder: Path, **export: object) -> Settings:
    """With Phoenix as a tool."""
    return settings_in(folder, export={"phoenix": {"url": "http://127.0.0.1:1"}, **export})


def bench(store: SqliteStore, settings: Settings, tool: Tool | None = None) -> Bench:
    """A sender named phoenix."""
    tool, thread, seconds = tool or Tool(), Thread(store), [0.0]
    queue = StoreQueue(cast("Any", thread), settings.store.path, "phoenix", CHOICE)
    clock = lambda: seconds[0]  # noqa: E731
    return Bench(Sender("phoenix", tool, queue, clock=clock, jitter=random.Random(1)), tool, thread, seconds)


@contextmanager
def opened(settings: Settings) -> Generator[SqliteStore]:
    """The store as the score process has it: with the tools of the settings."""
    with SqliteStore(settings) as store:
        store.outgoing.begin(settings.export.sinks)
        yield store


def held(settings: Settings) -> tuple[int, int]:
    """(changes that wait, changes dropped)."""
    with closing(open_for_reading(settings.store.path)) as connection:
        return waiting(connection)["phoenix"]


async def test_every_score_arrives_once_and_the_queue_is_empty(tmp_path: Path) -> None:
    """Checks when they are made, the verdict when it comes."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        (job,) = store.records.commit([scored(record(1), 0.5)], None, NOW)
        one = bench(store, settings)
        await one.steps(1)
        assert [(score.name, score.value) for answer in one.tool.got for score in answer.scores] == [
            ("citation_correctness", 0.5)
        ]
        store.records.record_judgements([Judgement(job, VERDICT)], NOW + 5)
        await one.steps(2)
        (_, judged) = one.tool.got
        assert [(score.name, score.value, score.label) for score in judged.scores] == [
            ("faithfulness", 0.93, "supported"),
            ("support", 1.0, "supported"),
        ]
        assert (judged.trace_id, judged.span_id, judged.service) == (
            record(1).trace_id,
            record(1).span_id,
            "docs",
        )
        assert judged.scores[0].instrument == f"builtin 4 {'d' * 12}"
        assert held(settings) == (0, 0)
        with closing(open_for_reading(settings.store.path)) as connection:
            assert connection.execute("SELECT count(*) FROM outgoing").fetchone()[0] == 0
    assert one.sender.counts == {"attempts.delivered": 2, "scores.delivered": 3}


TONE = Measured("criteria.tone", "openai m", "1", "e" * 64, 0.0, "Too cold.")
RELEVANT = Measured("judge.answer_relevance", "openai m", "1", "f" * 64, None, "asks nothing")


async def test_what_the_judge_measures_beside_goes_along_with_its_verdict(tmp_path: Path) -> None:
    """Criteria and measures are a model's, never code's, and a check alone sends none of them again."""
    folder = tmp_path / "criteria"
    folder.mkdir()
    (folder / "tone.md").write_text(
        '+++\nid = "tone"\nversion = "1"\nchanges = "First."\n+++\nIs the tone of the answer friendly?\n'
    )
    chosen = ["criteria.tone", "judge.answer_relevance", "citation_correctness"]
    judge = {"kind": "openai", "model": "m", "api_key": "k", "criteria": str(folder)}
    phoenix = {"url": "http://127.0.0.1:1", "scores": chosen}
    settings = settings_in(tmp_path, export={"phoenix": phoenix}, judge=judge)
    (_, choice) = sinks_of(settings)["phoenix"]
    with opened(settings) as store:
        (job,) = store.records.commit([scored(record(1), 0.5)], None, NOW)
        verdict = replace(VERDICT, measured=(TONE, RELEVANT))
        store.records.record_judgements([Judgement(job, verdict)], NOW + 5)
        tool = Tool()
        queue = StoreQueue(cast("Any", Thread(store)), settings.store.path, "phoenix", choice)
        await Sender("phoenix", tool, queue).step()
        assert [
            (score.name, score.kind, score.value, score.explanation, score.instrument)
            for answer in tool.got
            for score in answer.scores
        ] == [
            ("citation_correctness", "code", 0.5, None, "citation_correctness 3"),
            ("criteria.tone", "model", 0.0, "Too cold.", f"openai m 1 {'e' * 12}"),
            ("judge.answer_relevance", "model", None, "asks nothing", f"openai m 1 {'f' * 12}"),
        ]
        store.records.commit([scored(replace(record(1), answer="Another."), 1.0)], None, NOW + 9)
        await Sender("phoenix", tool, queue).step()
        assert [score.name for score in tool.got[-1].scores] == ["citation_correctness"]


async def test_an_outage_costs_tries_and_loses_nothing_also_over_a_restart(tmp_path: Path) -> None:
    """The queue is in the store."""
    settings = settings_of(tmp_path)
    away = Sent(delivered=False, retry=True, reason="unreachable")
    with opened(settings) as store:
        fill(store, [record(number) for number in range(1, 31)])
        one = bench(store, settings, Tool(iter([away] * 9)))
        pauses = await one.steps(9)
        assert pauses == sorted(pauses) or max(pauses) <= 60.0
        assert pauses[0] <= 1.0
        assert max(pauses) > 30.0
        assert one.thread.calls == 0
    with opened(settings) as store:
        fill(store, [record(31)])
        one = bench(store, settings)
        await one.steps(2)
        assert len({answer.trace_id for answer in one.tool.got}) == 31
        assert held(settings) == (0, 0)


async def test_a_dead_tool_asks_nothing_of_the_thread_that_scores(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """In counts: no call, a counter, and one line a minute however often it is tried."""
    caplog.set_level(logging.WARNING)
    settings = settings_of(tmp_path)
    away = Sent(delivered=False, retry=True, reason="not_phoenix")
    with opened(settings) as store:
        fill(store, [record(1)])
        one = bench(store, settings, Tool(iter([away] * 100)))
        for second in range(100):
            one.seconds[0] = second * 2.0
            await one.steps(1)
    assert one.thread.calls == 0
    assert one.sender.counts == {"attempts.not_phoenix": 100}
    assert len(caplog.records) == 4
    assert "export to phoenix failed (not_phoenix)" in caplog.text


async def test_one_answer_that_is_refused_does_not_hold_up_the_others(tmp_path: Path) -> None:
    """It is found by halves, counted, and left."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        fill(store, [record(number) for number in range(1, 101)])
        one = bench(store, settings, Tool(poison=record(37).trace_id))
        await one.steps(80)
    assert len({answer.trace_id for answer in one.tool.got}) == 99
    assert one.sender.counts["scores.refused"] == 3
    assert one.sender.counts["scores.delivered"] == 297


async def test_a_score_that_a_tool_always_fails_at_does_not_hold_up_the_others_for_ever(
    tmp_path: Path,
) -> None:
    """Ten tries in which the rest was taken are no outage; tries in which nothing was taken never count."""
    settings = settings_of(tmp_path)
    alone = Sent(delivered=False, retry=True, reason="http_500")
    stuck = replace(alone, stuck=frozenset({"x"}))
    both = replace(alone, stuck=frozenset({"x", "y"}))
    with opened(settings) as store:
        fill(store, [record(1), record(2)])
        one = bench(store, settings, Tool(repeat(alone)))
        await one.steps(50)
        assert held(settings) == (4, 0)
        tries = [*[stuck] * 9, both, alone, *[stuck] * 9, alone]
        one.tool.answers = iter(tries)
        await one.steps(len(tries))
        assert held(settings) == (4, 0)
        one.tool.answers = iter([stuck] * 10)
        await one.steps(9)
        assert held(settings) == (4, 0)
        await one.steps(3)
        assert held(settings) == (0, 0)
    assert one.sender.counts["scores.refused"] == 1
    assert one.sender.counts["scores.delivered"] == 5


@pytest.mark.parametrize("bad", [{1}, {37}, {50, 51}, {99}], ids=str)
async def test_an_answer_at_which_a_tool_fails_as_a_whole_holds_up_the_others_for_a_while_only(
    tmp_path: Path, bad: set[int]
) -> None:
    """A 500 for all of a batch because of one: it is found by halves, and left when others are taken beside it."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        fill(store, [record(number) for number in range(1, 101)])
        fails = frozenset(record(number).trace_id for number in bad)
        one = bench(store, settings, Tool(fails=fails))
        pauses = await one.steps(250)
        assert held(settings) == (0, 0)
    assert len({answer.trace_id for answer in one.tool.got}) == 100 - len(bad)
    assert one.sender.counts["scores.refused"] == 3 * len(bad)
    assert one.sender.counts["scores.delivered"] == 300 - 3 * len(bad)
    assert sum(pauses) < 3600.0


async def test_an_answer_that_waits_alone_is_not_given_up_before_another_was_taken(tmp_path: Path) -> None:
    """Until then nobody can tell it from an outage."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        fill(store, [record(1)])
        one = bench(store, settings, Tool(fails=frozenset({record(1).trace_id})))
        await one.steps(50)
        assert held(settings) == (2, 0)
        fill(store, [record(2)])
        await one.steps(25)
        assert held(settings) == (0, 0)
    assert one.sender.counts["scores.refused"] == 3


async def test_in_an_outage_however_long_nothing_is_given_up(tmp_path: Path) -> None:
    """A tool that takes no answer at all is away, whatever it says."""
    settings = settings_of(tmp_path)
    away = Sent(delivered=False, retry=True, reason="http_503")
    with opened(settings) as store:
        fill(store, [record(number) for number in range(1, 31)])
        one = bench(store, settings, Tool(repeat(away)))
        pauses = await one.steps(100)
        assert held(settings) == (60, 0)
        assert min(pauses[10:]) >= 30.0
        one.tool.answers = iter(())
        await one.steps(10)
        assert held(settings) == (0, 0)
    assert one.sender.counts["scores.delivered"] == 90


async def test_what_was_taken_before_a_crash_is_sent_again_under_the_same_ids(tmp_path: Path) -> None:
    """At least once, and the tool overwrites."""
    settings = settings_of(tmp_path)
    with opened(settings) as store:
        fill(store, [record(1)])
        one, two = bench(store, settings), bench(store, settings)
        found = await StoreQueue(cast("Any", one.thread), settings.store.path, "phoenix", CHOICE).read(10)
        assert found is not None
        await one.tool.send(found[1])
        await two.steps(1)
    ids = [
        {answer.score_id(score) for answer in tool.got for score in answer.scores}
        for tool in (one.tool, two.tool)
    ]
    assert ids[0] == ids[1]


async def test_a_sender_ends_when_told_to(tmp_path: Path) -> None:
    """Also in the middle of a pause."""
    settings = settings_of(tmp_path)
    away = Sent(delivered=False, retry=True, reason="unreachable", retry_after=3600.0)
    with opened(settings) as store:
        fill(store, [record(1)])
        one, stop = bench(store, settings, Tool(iter([away]))), asyncio.Event()
        running = asyncio.create_task(one.sender.run(stop))
        await asyncio.wait_for(one.tool.met.wait(), 10)
        stop.set()
        await asyncio.wait_for(running, 10)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"phoenix": {"url": "http://a", "scores": ["faithfullness"]}}, "did you mean faithfulness"),
        ({"otlp": {"url": "http://a", "scores": ["custom.mine"]}}, "no score is called 'custom.mine'"),
        ({"otlp": {"url": "http://a", "scores": ["criteria.tone"]}}, "no score is called 'criteria.tone'"),
        ({"otlp": {"url": "http://a", "scores": ["judge.six_axe"]}}, "did you mean judge.six_axes"),
        ({"otlp": {"url": "http://localhost:4318"}}, "this scorer's own address"),
        ({"otlp": {"url": "grpc://localhost:4317"}}, "this scorer's own address"),
    ],
)
def test_a_score_that_nothing_gives_is_named(tmp_path: Path, section: dict[str, object], said: str) -> None:
    """Before anything is started."""
    with pytest.raises(ConfigError, match=said):
        sinks_of(settings_in(tmp_path, export=section))


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"langfuse": {"url": "http://a"}}, "public_key and secret_key are missing"),
        ({"otlp": {"url": "collector:4318"}}, "must look like"),
        ({"otlp": {"url": "grpc://collector"}}, "a gRPC address has a port and no path"),
        (
            {"otlp": {"url": "http://a", "headers": {"grpc-timeout": "1"}}},
            "set by ragvigil or by gRPC itself",
        ),
        ({"phoenix": {"link": "http://a"}}, "unknown key"),
        ({"otlp": {"url": "http://a", "headers": {"a\nb": "c"}}}, "export.otlp.headers"),
    ],
)
def test_unusable_settings_are_said(tmp_path: Path, section: dict[str, object], said: str) -> None:
    """By their key, and without the secret."""
    with pytest.raises(ConfigError, match=said):
        settings_in(tmp_path, export=section)
