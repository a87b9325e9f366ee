"""A member of the panel that is away, slow or back again: it holds up no more than one record."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import cast

from tests.scorer.judge.test_panel import at, settings_of
from tests.scorer.judge.test_rubric import FAITHFUL, PERFECT, record

from ragvigil.prompts import Prompt
from ragvigil.scorer import config
from ragvigil.scorer.judge import rubric_of
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.endpoint import UnavailableError
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.judge.panel import Member, Panel
from ragvigil.scorer.judge.presence import Presence
from ragvigil.scorer.testing import Script, ScriptedJudge
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

RUBRIC = rubric_of(config.Judge())


class Absent(Builtin):
    """A judge that is away; whoever asks it learns so when it is told to go on."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.asked = 0
        self.go = asyncio.Event()

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """Nothing, late, while it is away."""
        self.asked += 1
        await self.go.wait()
        if self.away:
            raise UnavailableError("nobody there")
        return await super().judge(record, rubric)


def states(verdicts: list[Verdict]) -> list[str]:
    """What the only member said of each."""
    return [cast("list[dict[str, str]]", one.details["panel"])[0]["state"] for one in verdicts]


async def judged(panel: Panel, count: int) -> list[Verdict]:
    """So many records at once."""
    async with asyncio.timeout(30.0):
        return list(await asyncio.gather(*(panel.judge(record(FAITHFUL, n), RUBRIC) for n in range(count))))


async def asked_again(member: Absent, panel: Panel) -> asyncio.Task[list[Verdict]]:
    """The record that waits for the member once that has failed another one."""
    member.go.set()
    assert states(await judged(panel, 1)) == ["failed"]
    member.go.clear()
    trying = asyncio.create_task(judged(panel, 1))
    while member.asked < 2:  # noqa: ASYNC110 - it counts, and says nothing
        await asyncio.sleep(0)
    return trying


async def test_one_record_at_a_time_waits_for_a_member_that_was_away() -> None:
    """The others go on without it, until it answers."""
    member = Absent()
    panel = Panel(Builtin(), [Member("second", member, RUBRIC, Presence())])
    trying = await asked_again(member, panel)
    assert states(await judged(panel, 5)) == ["failed"] * 5
    assert (member.asked, trying.done()) == (2, False)
    member.away = False
    member.go.set()
    assert states(await trying) == ["supported"]
    assert states(await judged(panel, 5)) == ["supported"] * 5
    await panel.close()


async def test_a_record_that_is_called_off_lets_another_one_try() -> None:
    """Where the first judge fails nobody waits for the others."""
    member = Absent()
    panel = Panel(Builtin(), [Member("second", member, RUBRIC, Presence())])
    trying = await asked_again(member, panel)
    trying.cancel()
    await asyncio.gather(trying, return_exceptions=True)
    member.away = False
    member.go.set()
    assert states(await judged(panel, 1)) == ["supported"]
    await panel.close()


async def test_waiting_for_a_members_only_seat_counts(tmp_path: Path) -> None:
    """Each record is over when its two attempts are, and none waits for those of all others."""
    with ScriptedJudge(PERFECT) as first, ScriptedJudge(Script(hangs=1.0)) as second:
        panel_of_one = {"panel": {"second": at(second.url)}}
        judge = at(first.url) | panel_of_one | {"max_in_flight": 1, "attempt_seconds": 0.5}
        settings = settings_of(tmp_path, judge)
        panel = judges_of(settings, None).judge
        assert panel is not None
        try:
            rubric = rubric_of(settings.judge)
            for begin in (0, 12):
                records = [record(FAITHFUL, begin + number) for number in range(12)]
                found = await asyncio.gather(*(panel.judge(one, rubric) for one in records))
                assert states(found) == ["failed"] * 12
        finally:
            await panel.close()
        asked = len(second.requests)
    assert 1 <= asked < 12, "as many as two records have time for"
