"""What the hash of a row and of a set does not depend on, and what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.scorer.testset.sets import documents, row, written

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.testset.corpus import read_corpus
from ragvigil.scorer.testset.freeze import digest_of, frozen, verify
from ragvigil.scorer.testset.read import read_testset
from ragvigil.scorer.testset.row import Row

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda text: bool(text.strip())
)
ROWS = st.fixed_dictionaries(
    {"query_id": TEXT, "query": TEXT},
    optional={
        "golden_answer": TEXT,
        "tags": st.lists(TEXT, max_size=3),
        "required_facts": st.lists(TEXT, max_size=3),
        "intent": TEXT,
        "expected_refusal": st.booleans(),
    },
)


@given(ROWS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_keys_plays_no_part(told: dict[str, Any], random: Any) -> None:
    """Another program writes them in another order."""
    keys = list(told)
    random.shuffle(keys)
    assert Row.model_validate(told).sha256 == Row.model_validate({key: told[key] for key in keys}).sha256


@given(ROWS, st.data())
@settings(deadline=None)
def test_any_changed_character_is_another_hash(told: dict[str, Any], data: Any) -> None:
    """Of any text, anywhere in it: no white space or case is folded."""
    key = data.draw(st.sampled_from([name for name, value in told.items() if isinstance(value, str)]))
    place = data.draw(st.integers(0, len(told[key]) - 1))
    letter = data.draw(st.characters(exclude_categories=["Cs"]))
    text = told[key][:place] + letter + told[key][place + 1 :]
    assume(text != told[key] and text.strip())
    assert Row.model_validate(told | {key: text}).sha256 != Row.model_validate(told).sha256


@given(st.lists(ROWS, min_size=2, max_size=6), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_plays_no_part_and_every_row_does(told: list[dict[str, Any]], random: Any) -> None:
    """A sorted file is the same set; one with a row less is not."""
    hashes = [Row.model_validate(one).sha256 for one in told]
    other = list(hashes)
    random.shuffle(other)
    assert digest_of(hashes) == digest_of(other) != digest_of(other[1:])


def test_defaults_that_are_written_out_are_the_same_row() -> None:
    """A fact as a text or as an object, an empty list or none."""
    short = {"query_id": "a", "query": "When?", "required_facts": ["nine"]}
    long = short | {"tags": [], "required_facts": [{"fact": "nine", "importance": "required"}]}
    assert Row.model_validate(short) == Row.model_validate(long)
    nice = short | {"required_facts": [{"fact": "nine", "importance": "nice_to_have"}]}
    assert Row.model_validate(nice).sha256 != Row.model_validate(short).sha256


def test_a_frozen_set_is_read_back_and_names_what_changed(tmp_path: Path) -> None:
    """Rows that were changed, added and taken away, each by name; and a header that was made to fit by hand."""
    plain = written(tmp_path / "set.jsonl", [row(n) for n in range(6)])
    text = frozen(read_testset(plain), None, now=0.0).text
    locked = tmp_path / "locked.jsonl"
    locked.write_text(text, encoding="utf-8")
    found = verify(read_testset(locked), None)
    assert (found.differences, found.frozen_at) == ((), "1970-01-01T00:00:00Z")
    assert verify(read_testset(locked), None, digest=found.digest).differences == ()

    header, *rows = text.splitlines()
    changed = [rows[0].replace("office 0?", "office 0 ?"), *rows[2:], json.dumps(row(9))]
    locked.write_text("\n".join([header, *changed]), encoding="utf-8")
    assert verify(read_testset(locked), None).differences == (
        "row q0 was changed",
        "row q1 is gone",
        "row q9 was added",
    )

    other = frozen(read_testset(written(plain, [row(n) for n in range(5)])), None).text
    locked.write_text(other, encoding="utf-8")
    (said,) = verify(read_testset(locked), None, digest=found.digest).differences
    assert said.endswith(f"and {found.digest} is wanted")

    forged = json.loads(header) | {"digest": "0" * 64}
    locked.write_text("\n".join([json.dumps(forged), *rows]), encoding="utf-8")
    assert (
        "the header's digest 000000000000… is not that of its rows and corpus"
        in verify(read_testset(locked), None).differences[0]
    )


def test_a_changed_corpus_is_told_by_passage_and_row(tmp_path: Path) -> None:
    """And a change beside the golden passages too."""
    plain = written(tmp_path / "set.jsonl", [row(n) for n in range(4)])
    before = read_corpus(written(tmp_path / "corpus.jsonl", documents(5)))
    locked = tmp_path / "locked.jsonl"
    locked.write_text(frozen(read_testset(plain), before).text, encoding="utf-8")
    testset = read_testset(locked)
    assert verify(testset, before).differences == ()
    turned = read_corpus(written(tmp_path / "turned.jsonl", documents(5)[::-1]))
    assert verify(testset, turned).differences == ()

    after = documents(4)[1:]
    after[0]["text"] += " "
    one, two, three = verify(testset, read_corpus(written(tmp_path / "after.jsonl", after))).differences
    assert one == "golden passage d0 of row q0 is gone from the corpus"
    assert two == "golden passage d1 of row q1 was changed"
    assert three.startswith("the corpus changed since 5 documents were pinned: 3 now")
    (aside,) = verify(testset, read_corpus(written(tmp_path / "aside.jsonl", documents(6)))).differences
    assert aside.startswith("the corpus changed since")


def test_a_folder_is_a_corpus(tmp_path: Path) -> None:
    """Texts by their path, passages of JSON lines by id, what is no text by its bytes, hidden files not at all."""
    folder = tmp_path / "docs"
    (folder / "fees").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("x", encoding="utf-8")
    (folder / "fees" / "2026.md").write_text("It costs ten euros.", encoding="utf-8")
    (folder / "plan.pdf").write_bytes(b"\xff\xfe")
    written(folder / "more.jsonl", documents(1))
    corpus = read_corpus(folder)
    assert dict(corpus.texts) == {
        "d0": "The fee of office 0 is 10 euros.",
        "fees/2026.md": "It costs ten euros.",
        "plan.pdf": None,
    }
    before = corpus.digest
    (folder / "plan.pdf").write_bytes(b"\xff\xff")
    assert read_corpus(folder).digest != before
    written(folder / "again.jsonl", documents(1))
    with pytest.raises(InputError, match="holds 'd0', which another file"):
        read_corpus(folder)
