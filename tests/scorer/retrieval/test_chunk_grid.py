"""Ways to cut documents: what a chunk holds, which chunks carry a golden passage, and which cut finds most."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scorer.retrieval.test_retrieval_command import RETRIEVER, lines
from typer.testing import CliRunner, Result

from ragvigil.scorer.commands._app import app
from ragvigil.scorer.retrieval.chunking import Cut, chunks_of, told
from ragvigil.scorer.retrieval.keyword import Keyword

TEXTS = st.lists(st.sampled_from(["a", "bb", " ", "\n", "\n\n", "# ", "## T\n", "é", "\t", "word "])).map(
    "".join
)
MANUAL = """# Lamp

General words about nothing at all.

## Cleaning

Use a dry cloth and no water.

## Warranty

It lasts two years from the day of sale.
"""


def asked(*arguments: object) -> Result:
    """What the command says."""
    return CliRunner().invoke(app, ["chunks", *map(str, arguments)])


@given(TEXTS, st.integers(1, 9), st.sampled_from([None, 0.0, 0.25, 0.5, 0.9]))
def test_every_word_is_in_a_chunk_and_no_chunk_is_longer_than_wanted(
    text: str, size: int, overlap: float | None
) -> None:
    """However a document is written; chunks go on in its order, and without an overlap none has a word twice."""
    chunks = chunks_of(text, Cut(size, overlap))
    parts = [text[one.start : one.end].split() for one in chunks]
    assert all(0 < len(one) <= size for one in parts)
    assert [one.start for one in chunks] == sorted(one.start for one in chunks)
    if overlap:
        assert set(text.split()) == {word for one in parts for word in one}
    else:
        assert [word for one in parts for word in one] == text.split()


def test_chunks_by_content_end_where_a_heading_begins_and_know_what_they_stand_below() -> None:
    """A rule stays with its heading, and with the title in front a chunk says what it is about."""
    chunks = chunks_of(MANUAL, Cut(30, None))
    assert [one.headings for one in chunks] == [("Lamp",), ("Lamp", "Cleaning"), ("Lamp", "Warranty")]
    assert told(MANUAL, chunks[1], "lamp.md", headed=True) == (
        "lamp.md\nLamp\nCleaning\n## Cleaning\n\nUse a dry cloth and no water."
    )
    assert told(MANUAL, chunks[1], "lamp.md", headed=False).startswith("## Cleaning")


def test_a_heading_is_no_chunk_by_itself() -> None:
    """Neither before another one nor before a paragraph that has to be cut."""
    text = f"# Lamp\n\n## Use\n\n{'word ' * 20}\n\n## Care\n\nDry cloth."
    parts = [text[one.start : one.end].split() for one in chunks_of(text, Cut(12, None))]
    assert [one[:5] for one in parts] == [
        ["#", "Lamp", "##", "Use", "word"],
        ["word"] * 5,
        ["##", "Care", "Dry", "cloth."],
    ]


def test_bm25_has_the_value_of_its_formula() -> None:
    """By hand: two passages of two words; ln(1 + 1.5 / 1.5) * 2.2 / 2.2 for a word that one holds once."""
    corpus = {"a": {"text": "cats purr"}, "b": {"text": "dogs bark"}}
    found = Keyword().search(corpus, {"q": "cats?", "none": "birds?"}, 5)
    assert found == {"q": {"a": pytest.approx(0.6931471805599453)}, "none": {}}


def made(folder: Path, count: int = 24) -> tuple[Path, Path, Path]:
    """Questions, whole documents and golden passages: only the heading of a passage names its lamp."""
    documents = folder / "docs"
    documents.mkdir()
    rows: list[dict[str, object]] = []
    golden: list[dict[str, object]] = []
    for n in range(count):
        text = (
            f"# Lamp L{n}\n\n"
            + "Some words to fill a page with. " * 30
            + f"\n\n## Warranty\n\nIt lasts {n} years.\n"
        )
        (documents / f"l{n}.md").write_text(text, encoding="utf-8")
        golden.append({"id": f"l{n}.md#1", "text": f"It lasts  {n}\nyears."})
        rows.append(
            {"query_id": f"q{n}", "query": f"Warranty of lamp L{n}?", "golden_context_ids": [f"l{n}.md#1"]}
        )
    return lines(folder / "q.jsonl", rows), documents, lines(folder / "p.jsonl", golden)


def test_headings_in_front_find_what_only_they_name_and_the_grid_says_so(tmp_path: Path) -> None:
    """One recall and one nDCG for each size, overlap and variant, and each held against the best."""
    queries, documents, passages = made(tmp_path)
    arguments = (
        queries,
        "--documents",
        documents,
        "--passages",
        passages,
        "--sizes",
        "40",
        "--overlaps",
        "0,0.5",
    )
    found: dict[str, Any] = json.loads(asked(*arguments, "--json").stdout)
    assert (found["queries"], len(found["cells"]), found["notes"]) == (24, 6, [])
    best, *others = found["cells"]
    assert best["cut"]["headed"]
    assert (best["recall"]["value"], best["word"]) == (1.0, None)
    assert best["recall"]["lower"] > 0.8
    plain = [one for one in others if not one["cut"]["headed"]]
    assert {one["word"] for one in plain} == {"worse"}
    assert all(one["recall"]["value"] < 0.5 for one in plain)
    text = asked(*arguments).stdout.splitlines()
    assert text[0] == "24 questions; the best recall first [95 % interval by question]"
    assert text[2].startswith("  40 words, ")
    assert ", headed" in text[2]


def test_a_golden_passage_in_two_chunks_is_found_in_either_and_counted_once(tmp_path: Path) -> None:
    """Recall is of golden passages, so that overlap neither helps nor hurts by making more chunks."""
    queries, documents, passages = made(tmp_path)
    arguments = ("--documents", documents, "--passages", passages, "--sizes", "6,40,400", "--overlaps", "0.5")
    found: dict[str, Any] = json.loads(asked(queries, *arguments, "--json").stdout)
    assert {one["recall"]["n"] for one in found["cells"]} == {24}
    whole = [one for one in found["cells"] if one["cut"]["size"] == 400 and one["cut"]["overlap"]]
    assert {(one["chunks"], one["recall"]["value"]) for one in whole} == {(24, 1.0)}


def test_questions_whose_passages_are_nowhere_are_counted_and_none_at_all_is_an_error(tmp_path: Path) -> None:
    """Documents that were edited since would make every cut a bad one."""
    queries, documents, passages = made(tmp_path)
    (documents / "l3.md").write_text("# Lamp L3\n\nAll new.\n", encoding="utf-8")
    arguments = ("--documents", documents, "--passages", passages, "--sizes", "40")
    said = asked(queries, *arguments).stdout
    assert said.startswith("23 questions; ")
    assert (
        "note: 1 questions are left out, such as 'q3': a golden passage of theirs is not in its document"
        in said
    )
    other = lines(tmp_path / "other.jsonl", [{"id": f"l{n}.md#1", "text": "Elsewhere."} for n in range(24)])
    assert "no golden passage is found in the documents" in str(
        asked(queries, "--documents", documents, "--passages", other).exception
    )


@pytest.mark.parametrize(
    ("option", "value"), [("--sizes", "0"), ("--sizes", "x"), ("--overlaps", "1"), ("--overlaps", "")]
)
def test_a_grid_that_is_none_is_refused(tmp_path: Path, option: str, value: str) -> None:
    """With the option that says it."""
    queries, documents, passages = made(tmp_path, 1)
    found = asked(queries, "--documents", documents, "--passages", passages, option, value)
    assert f"{option}: cannot be {value!r}" in str(found.exception)


def test_a_retriever_of_ones_own_is_tried_too(tmp_path: Path) -> None:
    """The one that production has is the one that counts."""
    queries, documents, passages = made(tmp_path)
    mine = tmp_path / "mine.py"
    mine.write_text(RETRIEVER, encoding="utf-8")
    arguments = ("--documents", documents, "--passages", passages, "--sizes", "400", "--json")
    found: dict[str, Any] = json.loads(asked(queries, *arguments, "--retriever", f"{mine}:Mine").stdout)
    assert all(one["recall"]["value"] < 1.0 for one in found["cells"])
