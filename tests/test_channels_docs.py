"""Every configuration block of docs/channels.md goes through check-config, and no kind of channel is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragvigil.scorer.config import CHANNELS, load
from tests.command_line import ragvigil

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "channels.md").read_text()
BLOCKS = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: re.findall(r'type = "(\w+)"', block)[0])
def test_each_example_is_a_valid_channel(block: str, tmp_path: Path) -> None:
    """A copied configuration works."""
    path = tmp_path / "ragvigil.toml"
    path.write_text(block)
    (section,) = load(path).channels.values()
    section.channel()


def test_check_config_takes_them_together_and_shows_no_secret(tmp_path: Path) -> None:
    """What an operator sees."""
    path = tmp_path / "ragvigil.toml"
    path.write_text("\n".join(block for block in BLOCKS if "slack_webhook" not in block))
    done = ragvigil("check-config", str(path))
    assert done.returncode == 0, done.stderr
    assert "channels.discord.url" in done.stdout
    for secret in ("hush", "0123456789abcdef", "00000000-0000", "whsec_", "ntfys"):
        assert secret not in done.stdout


def test_every_kind_has_an_example_and_a_row() -> None:
    """What is not written down nobody uses."""
    assert sorted(re.findall(r'type = "(\w+)"', "".join(BLOCKS))) == sorted(CHANNELS)
    assert [kind for kind in CHANNELS if f"| `{kind}` |" not in PAGE] == []
