"""How each service cites, as the settings say."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from ragvigil.scorer.checks.reading.citations import Style, read_citations
from ragvigil.scorer.config import CitationStyle, load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.scoring.citing import CitingRules
from ragvigil.scorer.trace import Document

DOCUMENTS = (Document("doc-1", "one", rank=1), Document("doc-2", "two", rank=2))


def rules(folder: Path, text: str) -> CitingRules:
    """What a config file says."""
    path = folder / "ragvigil.toml"
    path.write_text(text)
    return CitingRules(load(path).citations)


def test_each_service_has_rules_of_its_own(tmp_path: Path) -> None:
    """Styles, the usual one, and markers that only it uses; another service reads all."""
    told = rules(
        tmp_path,
        '[citations.shop]\nstyles = ["id"]\nusual = "id"\npatterns = ["~(\\\\w[\\\\w-]*)~"]\n',
    )
    answer = "Yes ~doc-2~ ~doc-9~, [doc-1], [2]."
    shop = read_citations(answer, DOCUMENTS, told.of("shop"))
    assert [(one.cited, one.id, one.style) for one in shop] == [
        ("doc-2", "doc-2", "custom"),
        ("doc-9", None, "custom"),
        ("doc-1", "doc-1", "id"),
    ]
    other = read_citations(answer, DOCUMENTS, told.of("other"))
    assert {one.style for one in other} >= {"id", "ordinal"}
    assert told.of("shop").usual == "id"


def test_a_default_section_is_for_all_others(tmp_path: Path) -> None:
    """A service with a section takes nothing from it."""
    told = rules(tmp_path, '[citations.default]\nusual = "ordinal"\n[citations.shop]\nstyles = ["id"]\n')
    assert (told.of("any").usual, told.of("shop").usual) == ("ordinal", None)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('patterns = ["("]', "no regular expression"),
        ('patterns = ["x"]', "put parentheses around the id"),
        ('usual = "roman"', "citations.shop.usual"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, line: str, message: str) -> None:
    """With its key and the fix."""
    with pytest.raises(ConfigError, match=message):
        rules(tmp_path, f"[citations.shop]\n{line}\n")


def test_the_settings_know_every_style() -> None:
    """All but those of the service's own patterns, which always count."""
    assert {*get_args(CitationStyle), "custom"} == set(get_args(Style))
