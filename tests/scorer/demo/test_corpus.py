"""The corpus: large, unambiguous, the same every time, and made without running anything."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragvigil.scorer.demo.corpus import Passage, load_corpus
from ragvigil.scorer.demo.prose import is_readable, paragraphs, sentences
from ragvigil.scorer.errors import InputError


def test_there_are_thousands_of_passages_with_unique_ids(corpus: tuple[Passage, ...]) -> None:
    """Any machine that runs Python has them."""
    assert len(corpus) > 3000
    assert max(Counter(passage.id for passage in corpus).values()) == 1


def test_well_known_names_are_documented(corpus: tuple[Passage, ...]) -> None:
    """From Python sources, from C modules, and from the builtins."""
    names = {passage.name for passage in corpus}
    assert {
        "textwrap.dedent",
        "json.dumps",
        "itertools.chain",
        "collections.deque",
        "len",
        "str.split",
    } <= names


def test_every_passage_begins_with_its_name_and_holds_prose(corpus: tuple[Passage, ...]) -> None:
    """So that a passage says by itself what it is about."""
    for passage in corpus:
        assert passage.text.startswith(f"{passage.name}: ")
        assert passage.id.rpartition("#")[0] == passage.name
        assert any(map(is_readable, sentences(passage.text.removeprefix(f"{passage.name}: "))))


def test_it_is_the_same_on_every_call(corpus: tuple[Passage, ...]) -> None:
    """Ids mean the same in the service and in whoever asks it."""
    assert load_corpus() == corpus


def test_private_names_tests_and_foreign_packages_are_left_out(corpus: tuple[Passage, ...]) -> None:
    """Only what people would look up."""
    for passage in corpus:
        parts = passage.name.split(".")
        assert not any(part.startswith("_") for part in parts)
        assert not {"test", "tests", "idlelib", "lib2to3", "site-packages"}.intersection(parts[:1])


def test_a_broken_source_file_costs_only_itself(tmp_path: Path) -> None:
    """Somebody's half-written module must not end the demo; nothing of it is executed."""
    (tmp_path / "broken.py").write_text("def (", encoding="utf-8")
    (tmp_path / "nul.py").write_bytes(b"x = '\0'")
    (tmp_path / "good.py").write_text(
        '"""Counts the words of a text."""\nraise SystemExit\n', encoding="utf-8"
    )
    assert [passage.text for passage in load_corpus(tmp_path)] == ["good: Counts the words of a text."]


def test_a_python_without_sources_is_named(tmp_path: Path) -> None:
    """Some embedded builds ship no .py files."""
    with pytest.raises(InputError, match=r"holds no Python sources"):
        load_corpus(tmp_path)


def test_long_documentation_is_chunked_by_paragraph(tmp_path: Path) -> None:
    """Chunks are numbered in order and none loses its name."""
    paragraph = "This sentence has exactly seven words here. " * 12
    (tmp_path / "long.py").write_text(f'"""{paragraph}\n\n{paragraph}\n\n{paragraph}"""', encoding="utf-8")
    assert [passage.id for passage in load_corpus(tmp_path)] == ["long#0", "long#1", "long#2"]


def test_code_lists_and_signatures_are_no_prose() -> None:
    """Only sentences can be quoted as an answer."""
    text = "f(x) -> int\nAdd one to x.\n\n    >>> f(1)\n    2\n\n- a list\n\nArgs:\n  x: a number"
    assert paragraphs(text) == ["Add one to x."]
