"""Rubrics are files whose versions are never edited."""

from __future__ import annotations

import hashlib
from importlib.resources import files

import pytest

from ragvigil.prompts import UnknownPromptError, load

DIGESTS = {
    ("faithfulness", "1"): "a7244b073b8eff2766314a0bf3d5b894b0166b59408d7ef67c51850609cf546e",
    ("rubric", "1"): "5d4abfcd4dbea619f8f9778cdde0d7fd26ca687826817e6828a0ef91208691e8",
}
"""A changed digest here means that a published version was edited: write a new version instead."""


def test_every_version_has_the_digest_that_was_published() -> None:
    """And every file in the folder is pinned."""
    found = {
        (folder.name, file.name.removesuffix(".md")): load(folder.name, file.name.removesuffix(".md")).digest
        for folder in files("ragvigil.prompts").iterdir()
        if folder.is_dir() and not folder.name.startswith("_")
        for file in folder.iterdir()
    }
    assert found == DIGESTS


def test_the_digest_covers_the_whole_file() -> None:
    """Front matter too."""
    source = files("ragvigil.prompts").joinpath("faithfulness/1.md").read_bytes()
    assert load("faithfulness", "1").digest == hashlib.sha256(source).hexdigest()


def test_the_newest_version_is_the_default() -> None:
    """A prompt says what it judges and what changed."""
    prompt = load("faithfulness")
    assert prompt.version == max(version for name, version in DIGESTS if name == "faithfulness")
    assert {"judges", "changes"} <= prompt.metadata.keys()
    assert prompt.text.startswith("# Faithfulness")


def test_an_unknown_prompt_or_version_names_the_known_ones() -> None:
    """So that the fix is in the message."""
    with pytest.raises(UnknownPromptError, match="no prompt 'truth'; known: faithfulness, rubric"):
        load("truth")
    with pytest.raises(UnknownPromptError, match="no prompt 'faithfulness/99'; known: faithfulness/1"):
        load("faithfulness", "99")
    with pytest.raises(UnknownPromptError):
        load("../../secrets")
