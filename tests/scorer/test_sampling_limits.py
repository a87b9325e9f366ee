"""Limits on what judging costs, in real processes with a real endpoint: a surge, kills, what an operator is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import httpx
from tests.command_line import ragvigil
from tests.conftest import Scorer, Serve, eventually
from tests.scorer.replay.conftest import question

from ragvigil.scorer.store.reading import open_for_reading
from ragvigil.scorer.testing import Script, ScriptedJudge

PROTOBUF = {"content-type": "application/x-protobuf"}
PRICES = '[judge.prices."scripted-1"]\ninput = 1000\noutput = 0\n'
"""About a dollar a verdict."""
KILLS, IN_FLIGHT = 3, 2


def send(scorer: Scorer, first: int, count: int) -> None:
    """Whole questions, each about something else, so that none is remembered."""
    for number in range(first, first + count):
        message = question(number, 1_790_000_000 * 10**9, cited="p1", price=number + 2)
        content = message.SerializeToString()
        httpx.post(f"http://{scorer.http}/v1/traces", content=content, headers=PROTOBUF).raise_for_status()


def settle(scorer: Scorer, records: int) -> Mapping[str, int]:
    """The states once all have arrived and none waits."""
    return eventually(
        lambda: (
            (ledger := scorer.ledger()).ingested == records
            and not ledger.states.get("pending")
            and ledger.states
        ),
        seconds=90,
    )


def paid(file: Path) -> float:
    """US dollars of the endpoint's answers, whatever became of them."""
    with closing(open_for_reading(file)) as store:
        found = store.execute("SELECT sum(json_extract(details, '$.usage.cost_usd')) FROM verdicts")
        return float(found.fetchone()[0])


def status(scorer: Scorer, config: Path, *options: str) -> str:
    """What an operator sees."""
    store = f"sqlite:///{scorer.store}"
    done = ragvigil("status", *options, "--config", str(config), "--store", store)
    assert done.returncode == 0, done.stderr
    return done.stdout


def environment(server: ScriptedJudge, **limits: str) -> dict[str, str]:
    """Every answer would be judged."""
    return {
        "RAGVIGIL_SAMPLE__RATE": "1",
        "RAGVIGIL_JUDGE__KIND": "openai",
        "RAGVIGIL_METRICS__EVERY_SECONDS": "0.2",
        "OPENAI_BASE_URL": server.url,
        "OPENAI_MODEL": "scripted-1",
        **{f"RAGVIGIL_SAMPLE__{name.upper()}": value for name, value in limits.items()},
    }


def test_kills_forget_no_money_and_a_limit_of_the_day_holds(serve: Serve, tmp_path: Path) -> None:
    """Both processes die while the judge is asked; what was answered until then still counts."""
    config = tmp_path / "ragvigil.toml"
    config.write_text(PRICES)
    with ScriptedJudge(Script(sensitivity=1.0, latency_seconds=0.05)) as server:
        told = environment(server, usd_per_day="40") | {"RAGVIGIL_JUDGE__MAX_IN_FLIGHT": str(IN_FLIGHT)}
        scorer = serve(environment=told, config=config)
        send(scorer, 1, 15)
        settle(scorer, 15)
        for number in range(KILLS):
            send(scorer, 100 * (number + 1), 60)
            scorer.kill()
            scorer = serve(environment=told, config=config)
        states = settle(scorer, 195)
        assert states["judged"] > 15
        assert states["checked_only"] > 100
        each = paid(scorer.store) / states["judged"]
        asked_in_vain = KILLS * IN_FLIGHT * each  # at most: paid for, and nobody heard the answer
        assert each * len(server.requests) < 40 * 1.05 + asked_in_vain
        found = json.loads(status(scorer, config, "--json"))["sampling"]
        (limit,) = found["limits"]
        assert (limit["limit"], limit["most"]) == ("usd_per_day", 40)
        assert 30 < limit["used"] < 45
        assert found["factor"] < 1.0
        assert scorer.stop() == 0


def test_a_surge_is_held_down_and_an_operator_is_told_why(serve: Serve, tmp_path: Path) -> None:
    """Ten calls a minute: a surge took as many as came in five seconds, and then nobody was judged for minutes."""
    config = tmp_path / "ragvigil.toml"
    config.write_text(PRICES)
    with ScriptedJudge(Script(sensitivity=1.0)) as server:
        scorer = serve(environment=environment(server, calls_per_minute="10"), config=config)
        send(scorer, 1, 1)
        settle(scorer, 1)
        assert "sampling:" not in status(scorer, config)
        send(scorer, 2, 149)
        states = settle(scorer, 150)
        assert 8 <= len(server.requests) <= 17
        assert states["judged"] == len(server.requests)
        said = status(scorer, config)
        assert "sampling: HELD DOWN to " in said
        assert "sample.calls_per_minute: " in said
        assert " of 10 spent or waited for in about a minute, " in said

        def factor() -> str | None:
            told = httpx.get(f"http://{scorer.http}/metrics").text.splitlines()
            return next((line for line in told if line.startswith("ragvigil_sample_factor_ratio 0.")), None)

        assert eventually(factor)
        assert scorer.stop() == 0
