"""Variables of the environment that set something wrong, or nearly something."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scorer.test_config import written

from ragvigil.scorer.config import load
from ragvigil.scorer.errors import ConfigError


def test_a_misspelt_variable_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the top level too, where the prefix is all that tells it from others'."""
    monkeypatch.setenv("RAGVIGIL_JUGDE__MODEL", "x")
    with pytest.raises(
        ConfigError, match=r"RAGVIGIL_JUGDE__MODEL: .* \(did you mean RAGVIGIL_JUDGE__MODEL\?\)"
    ):
        load()


def test_a_value_of_the_environment_is_named_with_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looks for it in the file finds nothing."""
    monkeypatch.setenv("RAGVIGIL_SAMPLE__RATE", "half")
    with pytest.raises(
        ConfigError, match=r"sample\.rate: must be a number .*; set by RAGVIGIL_SAMPLE__RATE\)"
    ):
        load()
    monkeypatch.setenv("RAGVIGIL_SAMPLE__RAET", "1")
    monkeypatch.setenv("RAGVIGIL_SAMPLE__RATE", "1")
    with pytest.raises(ConfigError, match=r"did you mean rate\?; set by RAGVIGIL_SAMPLE__RAET\)"):
        load(written(tmp_path, "[sample]\nrate = 0.5"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (
            "RAGVIGL_CHANNELS__ONCALL__ROUTING_KEY",
            r"oncall\.routing_key: is missing .* {} is set; did you mean",
        ),
        (
            "RAGVIGIL_CHANNELS__ONCAL__ROUTING_KEY",
            r"oncall\.routing_key: is missing .* {} is set; did you mean",
        ),
        ("RAGVIGIL_CHANNELS__ONCAL__ROUTING_KEY", r"channels\.oncal\.type: missing \(known: .*; set by {}\)"),
    ],
)
def test_a_value_that_is_missing_names_a_variable_that_was_probably_meant_to_set_it(
    name: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`is missing` alone sends people to the file, where nothing is wrong."""
    monkeypatch.setenv(name, "0123456789abcdef0123456789abcdef")
    with pytest.raises(ConfigError, match=told.format(name)):
        load(written(tmp_path, "[channels.oncall]\ntype = 'pagerduty'"))


def test_a_variable_of_another_channel_is_no_misspelt_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two channels have variables that are alike, and both right."""
    monkeypatch.setenv("RAGVIGIL_CHANNELS__ONCALL2__ROUTING_KEY", "0123456789abcdef0123456789abcdef")
    two = "[channels.oncall]\ntype = 'pagerduty'\n[channels.oncall2]\ntype = 'pagerduty'"
    with pytest.raises(ConfigError, match=r"routing_key: is missing \([^;]*\)$"):
        load(written(tmp_path, two))


def test_a_vendors_misspelt_variable_is_named_where_the_right_one_would_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The judge's model comes from a variable of its vendor."""
    monkeypatch.setenv("OPENAI_MODLE", "m")
    with pytest.raises(ConfigError, match=r"OPENAI_MODLE is set; did you mean OPENAI_MODEL\?"):
        load(overrides={"judge": {"kind": "openai"}})
