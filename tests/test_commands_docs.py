"""Every command line that the documents show names a command and options that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from ragvigil.scorer.commands._app import app

ROOT = Path(__file__).parent.parent
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("examples/*.md"),
    *ROOT.glob("examples/*/*.md"),
]
CODE = re.compile(r"```\w*\n(.*?)```|`([^`\n]+)`", re.DOTALL)
COMMAND = re.compile(r"(?:^|[$|&]) *ragvigil ([a-z][a-z-]*)([^\n|;#&)]*)", re.MULTILINE)


def shown(page: Path) -> list[tuple[str, list[str]]]:
    """Each command in the code of a page, with the words behind it."""
    code = "\n".join(block or inline for block, inline in CODE.findall(page.read_text()))
    return [(name, words.split()) for name, words in COMMAND.findall(code.replace("\\\n", " "))]


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_every_option_that_a_page_names_is_one_of_its_command(page: Path) -> None:
    """A renamed option would leave readers with a command that ends in an error."""
    commands: Any = get_command(app)
    for name, words in shown(page):
        command = commands.commands.get(name)
        assert command is not None, name
        within = getattr(command, "commands", {})
        command = within.get(words[0] if words else "", within.get("report", command))
        known = {option for one in command.params for option in (*one.opts, *one.secondary_opts)} | {"--help"}
        assert {word for word in words if re.fullmatch("--[a-z][a-z-]*", word)} <= known, (name, words)


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    """Else the test above would look at nothing."""
    found = {name for page in PAGES for name, _ in shown(page)}
    assert {"serve", "pull", "replay", "calibrate", "silence", "test-alert"} <= found
