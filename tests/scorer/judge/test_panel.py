"""A second judge of the same answers, and a judge of the generator's own family."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.scorer.judge.test_rubric import FAITHFUL, INVENTED, PERFECT, record

from ragvigil.scorer import config
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge import paid_of, rubric_of
from ragvigil.scorer.judge.families import family, judges_itself
from ragvigil.scorer.judge.judges import judges_of
from ragvigil.scorer.testing import Script, ScriptedJudge
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

PAGE = (Path(__file__).parents[3] / "docs" / "judge.md").read_text()
BLIND = Script(sensitivity=1.0, truth=lambda _: True)


@pytest.fixture(autouse=True)
def _no_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_URL", "API_KEY", "MODEL"):
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)


def settings_of(tmp_path: Path, judge: Mapping[str, object]) -> config.Settings:
    """Settings with that judge."""
    return config.load(
        overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}, "judge": dict(judge)}
    )


def at(url: str, model: str = "scripted-1") -> dict[str, object]:
    """A judge at that address."""
    return {"kind": "openai", "model": model, "base_url": url}


async def judged(settings: config.Settings, one: RagTrace) -> Verdict:
    """By the judge that serve would use."""
    judge = judges_of(settings, None).judge
    assert judge is not None
    try:
        return await judge.judge(one, rubric_of(settings.judge))
    finally:
        await judge.close()


async def test_two_judges_that_differ_by_more_than_a_point_are_flagged_and_both_are_told(
    tmp_path: Path,
) -> None:
    """The first one's verdict counts, and costs are those of both."""
    with ScriptedJudge(PERFECT) as first, ScriptedJudge(BLIND) as second:
        settings = settings_of(
            tmp_path, at(first.url) | {"panel": {"second": at(second.url), "offline": {"kind": "builtin"}}}
        )
        bad = await judged(settings, record(INVENTED))
        good = await judged(settings, record(FAITHFUL))
    assert (bad.passed, bad.judge_version) == (False, "2+scripted-1")
    assert "panel_disagrees" in cast("list[str]", bad.details["flags"])
    told = {one["name"]: one for one in cast("list[dict[str, object]]", bad.details["panel"])}
    assert cast("dict[str, int]", told["second"]["scores"])["groundedness"] == 5
    assert told["offline"]["judge_version"].startswith("builtin ")  # type: ignore[attr-defined]
    assert cast("dict[str, object]", bad.details["usage"])["calls"] == 2
    assert good.passed
    assert "panel_disagrees" not in str(good.details)


@pytest.mark.parametrize("kind", ["builtin", "nli"])
async def test_a_panel_sits_beside_a_judge_that_is_no_language_model_too(tmp_path: Path, kind: str) -> None:
    """What it asks counts against the budget, as everything does."""
    with ScriptedJudge(BLIND) as second:
        own = {"kind": "nli", "base_url": second.url} if kind == "nli" else {"kind": "builtin"}
        settings = settings_of(tmp_path, own | {"panel": {"second": at(second.url)}})
        found = await judged(settings, record(INVENTED))
        paid = paid_of(settings, settings.judge)
    told = cast("list[dict[str, object]]", found.details["panel"])
    assert [(one["name"], one["state"]) for one in told] == [("second", "supported")]
    assert "panel_disagrees" in cast("list[str]", found.details["flags"])
    assert paid is not None
    paid.close()


def test_a_panel_without_a_judge_is_refused(tmp_path: Path) -> None:
    """There is no verdict beside which it could be told."""
    with pytest.raises(ConfigError, match=r"panel needs a judge .* judge\.kind is none"):
        settings_of(tmp_path, {"kind": "none", "panel": {"second": {"kind": "builtin"}}})


def test_the_panel_of_the_documentation_takes_its_vendors_key_from_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As [judge] does; what a member says itself counts more."""
    (example,) = re.findall(r"```toml\n(\[judge\.panel\.second\].*?)```", PAGE, re.DOTALL)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-theirs")
    (tmp_path / "ragvigil.toml").write_text(example)
    member = config.load(tmp_path / "ragvigil.toml").judge.panelists["second"]
    assert (member.kind, member.address) == ("anthropic", "https://api.anthropic.com/v1")
    assert member.api_key is not None
    assert member.api_key.get_secret_value() == "sk-theirs"
    own = settings_of(tmp_path, {"panel": {"b": {"kind": "anthropic", "model": "m", "api_key": "sk-own"}}})
    key = own.judge.panelists["b"].api_key
    assert key is not None
    assert key.get_secret_value() == "sk-own"


async def test_a_member_that_is_away_costs_its_opinion_only(tmp_path: Path) -> None:
    """It is waited for while two attempts may take."""
    with ScriptedJudge(PERFECT) as first, ScriptedJudge(Script(hangs=1.0)) as second:
        judge = at(first.url) | {"attempt_seconds": 0.3, "panel": {"second": at(second.url)}}
        found = await judged(settings_of(tmp_path, judge), record(FAITHFUL))
    assert found.passed
    assert found.details["panel"] == [{"name": "second", "state": "failed"}]


@pytest.mark.parametrize(
    ("generator", "flagged"),
    [("openai/gpt-4o", True), ("ft:gpt-4o-mini:acme::x1", True), ("claude-sonnet-4", False), (None, False)],
)
async def test_a_judge_of_the_generators_family_is_said(
    tmp_path: Path, generator: str | None, flagged: bool
) -> None:
    """It favours what its own family wrote."""
    with ScriptedJudge(PERFECT) as server:
        settings = settings_of(tmp_path, at(server.url, "gpt-5-mini"))
        found = await judged(settings, replace(record(FAITHFUL), model=generator))
    assert ("self_judging" in cast("list[str]", found.details["flags"])) is flagged
    assert ("self_judging" in (found.reason or "")) is flagged


@pytest.mark.parametrize(("doubts", "flagged"), [((0.0, 1.0), True), ((0.0, 0.0001), False)])
async def test_a_tie_breaker_of_the_generators_family_is_said_where_it_was_asked(
    tmp_path: Path, doubts: tuple[float, float], flagged: bool
) -> None:
    """Without a doubt only the built-in judge has judged."""
    with ScriptedJudge(PERFECT) as server:
        more = {"mode": "tiebreak", "doubt_above": doubts[0], "doubt_below": doubts[1]}
        settings = settings_of(tmp_path, at(server.url, "gpt-5-mini") | more)
        found = await judged(settings, replace(record(FAITHFUL), model="gpt-4o"))
    assert found.details["asked"] == (2 if flagged else 0)
    assert ("self_judging" in cast("list[str]", found.details.get("flags", []))) is flagged


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("gpt-4.1-mini-2025-04-14", "gpt"),
        ("o3-mini", "gpt"),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude"),
        ("vertex_ai/gemini-2.5-pro", "gemini"),
        ("models/gemma-3-27b-it", "gemini"),
        ("meta.llama3-1-70b-instruct-v1:0", "llama"),
        ("accounts/fireworks/models/mixtral-8x22b-instruct", "mistral"),
        ("Qwen/Qwen2.5-72B-Instruct", "qwen"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek"),
        ("microsoft/Phi-4", "phi"),
        ("command-r-plus", "command"),
        ("our-gptlike-model", None),
        ("octopus", None),
    ],
)
def test_a_family_is_told_by_the_name_whoever_serves_it(model: str, wanted: str | None) -> None:
    """Prefixes of providers, versions, dates and fine-tunes do not hide it."""
    assert family(model) == wanted


def test_an_unknown_model_judges_itself_when_it_is_the_same() -> None:
    """A name nobody knows is still a name."""
    assert judges_itself("our-model", "our-model")
    assert not judges_itself("our-model", "their-model")


@pytest.mark.parametrize(
    ("member", "problem"),
    [
        ({"kind": "openai", "base_url": "http://127.0.0.1:1/v1"}, "no model"),
        ({"kind": "openai", "model": "m"}, "set judge.panel.second.api_key or OPENAI_API_KEY"),
        ({"kind": "openai", "model": "m", "base_url": "ftp://x"}, "base_url"),
        ({"kind": "openai", "model": "m", "modle": "x"}, "modle"),
    ],
)
def test_what_is_wrong_with_a_member_is_named(
    tmp_path: Path, member: dict[str, object], problem: str
) -> None:
    """As it is with the first judge."""
    with pytest.raises(ConfigError) as raised:
        settings_of(tmp_path, at("http://127.0.0.1:1/v1") | {"panel": {"second": member}})
    assert "judge.panel.second" in str(raised.value)
    assert problem in str(raised.value)
