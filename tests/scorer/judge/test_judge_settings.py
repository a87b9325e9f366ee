"""The judge's settings: what is missing or wrong is said before anything starts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import ragvigil

from ragvigil.scorer import config
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.judge import rubric_of


def load(tmp_path: Path, text: str) -> config.Judge:
    """The judge of a file."""
    path = tmp_path / "ragvigil.toml"
    path.write_text(text)
    return config.load(path).judge


def an_endpoint(**more: object) -> config.Judge:
    """Settings of a judge whose endpoint is never asked."""
    return config.Judge.model_validate(
        {"kind": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1", **more}
    )


@pytest.fixture(autouse=True)
def _no_vendor(monkeypatch: pytest.MonkeyPatch) -> None:
    for vendor in ("OPENAI", "ANTHROPIC"):
        for name in ("BASE_URL", "API_KEY", "MODEL"):
            monkeypatch.delenv(f"{vendor}_{name}", raising=False)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[judge]\nkind = "openai"', "judge: no model for the openai judge: set judge.model or OPENAI_MODEL"),
        ('[judge]\nkind = "openai"\nmodel = "m"', "judge.api_key or OPENAI_API_KEY"),
        (
            '[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "localhost:11434"',
            "base_url must look like https://api.openai.com/v1",
        ),
        (
            '[judge.prices.m]\ninput = 1.0\noutput = 2.0\nunit = "per_token"',
            "judge.prices.m.unit: must be 'usd_per_million_tokens'",
        ),
        (
            "[judge.prices.m]\ninputs = 1.0\noutput = 2.0",
            r"judge.prices.m.inputs: unknown key \(did you mean input",
        ),
        ('[judge]\nkind = "opnai"', "judge.kind"),
    ],
)
def test_what_is_wrong_is_named_with_the_fix(tmp_path: Path, text: str, problem: str) -> None:
    """By check-config, or at start."""
    with pytest.raises(ConfigError, match=f"(?i){problem}"):
        load(tmp_path, text)


def test_the_vendors_own_variables_fill_what_is_not_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file's word counts more."""
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    monkeypatch.setenv("OPENAI_MODEL", "theirs")
    judge = load(tmp_path, '[judge]\nkind = "openai"\nmodel = "ours"')
    assert (judge.address, judge.model) == ("http://127.0.0.1:11434/v1", "ours")
    assert judge.api_key is not None
    assert judge.api_key.get_secret_value() == "sk-from-the-environment"
    assert "sk-from" not in judge.model_dump_json() + repr(judge)


BAD_KEYS = ["sk-\u00fcber", "sk-two\nlines", "sk-a\u2013dash", "sk-tab\tbed"]


@pytest.mark.parametrize("bad", BAD_KEYS)
@pytest.mark.parametrize("place", ["api_key", "embedding_key", "panel.second.api_key"])
def test_a_key_that_no_header_can_carry_is_named_and_not_shown(tmp_path: Path, bad: str, place: str) -> None:
    """By check-config, in a file of its own too; not by the first question."""
    (tmp_path / "key").write_text(bad)
    table = '[judge.panel.second]\nkind = "openai"\nmodel = "n"\nbase_url = "https://gw/v1"\n'
    for value in (json.dumps(bad), f"{{ file = '{tmp_path / 'key'}' }}"):
        text = '[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "https://gw/v1"\n'
        own = f"{place.rpartition('.')[2]} = {value}\n"
        text += f"{table}{own}" if place.startswith("panel") else f"{own}{table}"
        with pytest.raises(ConfigError, match=f"judge.{place}: .*copy the key again") as told:
            load(tmp_path, text)
        assert bad[3:] not in str(told.value)
        assert "sk-" not in str(told.value)


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_key_of_the_vendors_variable_must_fit_a_header_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A line break at its end is none of it."""
    variable = f"{kind.upper()}_API_KEY"
    monkeypatch.setenv(variable, "sk-\u00fcber")
    text = f'[judge]\nkind = "{kind}"\nmodel = "m"'
    with pytest.raises(ConfigError, match=r"judge\.api_key: .*printable ASCII") as told:
        load(tmp_path, text)
    assert "sk-" not in str(told.value)
    monkeypatch.setenv(variable, "sk-fine\n")
    key = load(tmp_path, text).api_key
    assert key is not None
    assert key.get_secret_value() == "sk-fine"


def test_anthropics_address_is_taken_as_its_own_clients_take_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the version at its end."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080")
    assert load(tmp_path, '[judge]\nkind = "anthropic"\nmodel = "m"').address == "http://127.0.0.1:8080/v1"


def test_the_vendors_variables_do_not_turn_the_built_in_judge_into_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing leaves the machine because a key lies around."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    monkeypatch.setenv("OPENAI_MODEL", "theirs")
    judge = load(tmp_path, "")
    assert (judge.kind, judge.model, judge.api_key) == ("builtin", "lexical-1", None)


@pytest.mark.parametrize(
    ("prompt", "problem"),
    [
        ("rubrik", "no prompt 'rubrik'; known: adversarial, .*rubric"),
        ("rubric/9", "known: rubric/1, rubric/2"),
        ("faithfulness", "data"),
        ("claims", "asks for the reply 'claims'"),
    ],
)
def test_a_prompt_that_cannot_be_used_is_found_at_start(prompt: str, problem: str) -> None:
    """With the ones that can."""
    settings = an_endpoint(prompt=prompt)
    with pytest.raises(ConfigError, match=problem):
        rubric_of(settings)


def test_secrets_in_an_address_are_shown_as_stars(tmp_path: Path) -> None:
    """Of the judge, of its panel and of what embeds; who asks has them whole."""
    judge = load(
        tmp_path,
        '[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "https://u:pw-1@gw/v1?key=sk-1"\n'
        'embedding_url = "https://:pw-2@gw/v1"\n'
        '[judge.panel.second]\nkind = "openai"\nmodel = "n"\nbase_url = "https://gw/v1?key=sk-2"',
    )
    shown = judge.model_dump_json()
    assert not [one for one in ("pw-1", "sk-1", "pw-2", "sk-2") if one in shown]
    assert "https://***@gw/v1?key=***" in shown
    assert judge.address == "https://u:pw-1@gw/v1?key=sk-1"
    assert judge.panelists["second"].address == "https://gw/v1?key=sk-2"
    assert judge.panelists["second"].embedding_url == "https://:pw-2@gw/v1"


@pytest.mark.parametrize("priced", [False, True])
def test_check_config_says_that_a_budget_in_dollars_needs_prices(tmp_path: Path, priced: bool) -> None:
    """For each model without one; it would spend without a limit."""
    config = tmp_path / "ragvigil.toml"
    text = (
        "[sample]\nusd_per_day = 5\n"
        '[judge]\nkind = "openai"\nmodel = "m"\nbase_url = "https://u:pw-1@gw/v1"\n'
        '[judge.panel.second]\nkind = "openai"\nmodel = "n-1"\nbase_url = "https://gw/v1"\n'
    )
    prices = '[judge.prices]\nm = {input = 1, output = 2}\n"n-1" = {input = 1, output = 2}\n'
    config.write_text(text + prices if priced else text)
    done = ragvigil("check-config", str(config))
    assert done.returncode == 0, done.stderr
    told = done.stdout
    notes = [line for line in told.splitlines() if "sample.usd_per_day does not hold for" in line]
    assert len(notes) == (0 if priced else 2)
    assert all('"m"' in one or '"n-1"' in one for one in notes)
    assert "pw-1" not in told
