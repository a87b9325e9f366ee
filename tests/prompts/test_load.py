"""Rubrics are files whose versions are never edited."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

from ragvigil.prompts import UnknownPromptError, load, load_file

DIGESTS = {
    ("adversarial", "1"): "92409a489955e68e921325582c4c3d54ab42f765d06fe94a1752e0795b9a94e6",
    ("answer_relevance", "1"): "caeb23054ec50748ce28ba5b00fc14bede7d59eda222d5c213ad33978c1339f9",
    ("claim_support", "1"): "4de3122275b520061bd294ee56db1ecc18a4d0b1a083509de1675728abd39100",
    ("claims", "1"): "d1c60a5407ef9406efade05d5f9fedfc09b5b92f9dc5e839063f10cdbed0b560",
    ("context_relevance", "1"): "0628e1856cac8b2cfcc9544c9bf2e423c4784a3a7ba895ac6ec0fe4930344f16",
    ("correctness", "1"): "79396fe81fbe7424b9d44ff0c5666c2aedbe46327f137028f4d076fb4d3e9ea2",
    ("criterion", "1"): "c8f13f38700ea87589556d3137e494efbf6325b59ae95c6f6c6f9e9e7f8dbf14",
    ("faithfulness", "1"): "a7244b073b8eff2766314a0bf3d5b894b0166b59408d7ef67c51850609cf546e",
    ("generator", "1"): "ccbda3bd0fd3a6e2854d65989d21eed097c1a16dda64a0f0f40078e38d468656",
    ("preference", "1"): "5a602a8079ce0dd7844780dcb53849944f52f5430b0c26322a2f3d0928fe42f7",
    ("realism", "1"): "1013e12dde6f94c01974227162054488fe6d1dd130127920a32938803d77bb3f",
    ("rubric", "1"): "5d4abfcd4dbea619f8f9778cdde0d7fd26ca687826817e6828a0ef91208691e8",
    ("rubric", "2"): "992b1482d4d5539540448a84473053ea82136c9d02155aff1328c1f7d7b85a07",
    ("six_axes", "1"): "569c54525c1833684b1b8ef05ddbfe3b94644ab219b6642bc5f021c4932ff1fc",
    ("synthetic", "1"): "6b853a6f9d1ce187b8b4eb69422e1adba9fd73867de4adf32b4551bdb668f848",
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
    with pytest.raises(UnknownPromptError, match=r"no prompt 'truth'; known: adversarial, .*, synthetic"):
        load("truth")
    with pytest.raises(UnknownPromptError, match="no prompt 'faithfulness/99'; known: faithfulness/1"):
        load("faithfulness", "99")
    with pytest.raises(UnknownPromptError):
        load("../../secrets")


def test_a_file_of_ones_own_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    """As an editor of Windows writes it: it was said to have no front matter."""
    path = tmp_path / "tone.md"
    path.write_text('\ufeff+++\nid = "tone"\nversion = "1"\n+++\nBe kind.\n', encoding="utf-8")
    assert load_file(path).text == "Be kind."
