"""Changes of a test set that nobody would see, and files that say two things at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.scorer.gate.files import Files, right
from tests.scorer.testset.sets import documents, ragvigil, row, written

from ragvigil.scorer.testset.read import read_testset

Said = pytest.CaptureFixture[str]


def frozen(folder: Path, said: Said, *, count: int = 40, text: str = "euros") -> tuple[Path, str]:
    """A frozen set with a corpus in which fees are in that currency, and its digest."""
    texts = [one | {"text": one["text"].replace("euros", text)} for one in documents(count)]
    corpus = written(folder / f"{text}.jsonl", texts)
    locked = folder / f"locked-{text}.jsonl"
    plain = written(folder / "set.jsonl", map(row, range(count)))
    said.readouterr()
    assert ragvigil("testset", "freeze", plain, "--corpus", corpus, "-o", locked, "--json") == 0
    return locked, str(json.loads(said.readouterr().out)["digest"])


def changed(locked: Path) -> Path:
    """One question of it changed by hand."""
    locked.write_text(
        locked.read_text(encoding="utf-8").replace("office 7?", "office seven?"), encoding="utf-8"
    )
    return locked


def test_the_digest_is_of_the_documents_too(tmp_path: Path, capsys: Said) -> None:
    """A set that is frozen anew with other documents is another set: its golden answers may be wrong by them."""
    _, digest = frozen(tmp_path, capsys)
    other, another = frozen(tmp_path, capsys, text="dollars")
    assert digest != another
    assert ragvigil("testset", "verify", other, "--digest", digest) == 1
    assert ragvigil("testset", "verify", other, "--digest", another.upper()) == 0


@pytest.mark.parametrize("digest", ["", " ", "4f1d", "x" * 64])
def test_a_digest_that_is_none_is_refused(tmp_path: Path, capsys: Said, digest: str) -> None:
    """A job whose variable is not set would verify nothing, and pass."""
    locked, _ = frozen(tmp_path, capsys)
    assert ragvigil("testset", "verify", locked, "--digest", digest) == 2
    assert "--digest: " in capsys.readouterr().err
    files = Files(tmp_path, "limits.faithfulness.at_least = 0.8", rows=40)
    files.testset = locked
    assert files.run(right(40), "--digest", digest) == 2


def test_a_gate_holds_the_set_against_its_digest(tmp_path: Path, capsys: Said) -> None:
    """Whoever changes a row can change the header: the digest is kept elsewhere."""
    locked, digest = frozen(tmp_path, capsys)
    files = Files(tmp_path, "limits.faithfulness.at_least = 0.7", rows=40)
    plain, files.testset = files.testset, locked
    assert files.run(right(40), "--digest", digest) == 0
    assert files.run(right(40), "--digest", "0" * 64) == 2
    assert f"the set is {digest}, and {'0' * 64} is wanted" in capsys.readouterr().err
    files.testset = plain
    assert files.run(right(40), "--digest", digest) == 2
    assert "is not frozen" in capsys.readouterr().err


def test_no_command_takes_a_frozen_set_that_was_changed(tmp_path: Path, capsys: Said) -> None:
    """What is drawn from it would be under no header, and nobody would see the change any more."""
    locked, _ = frozen(tmp_path, capsys)
    changed(locked)
    out = tmp_path / "out.jsonl"
    for command, code in (
        (("smoke", locked, "-o", out), 2),
        (("stale", locked, "--corpus", tmp_path / "euros.jsonl"), 2),
        (("freeze", locked, "-o", out), 1),
        (("lint", locked), 1),
    ):
        assert ragvigil("testset", *command) == code
        said = capsys.readouterr()
        assert "row q7 was changed" in said.out + said.err
    assert not out.exists()


def test_retrieval_goes_by_no_set_that_was_changed_or_is_another(tmp_path: Path, capsys: Said) -> None:
    """Its labels say what was to be found: one that was changed makes any retriever a good one."""
    locked, digest = frozen(tmp_path, capsys)
    found = [{"query_id": f"q{n}", "ids": [f"d{n}"]} for n in range(40)]
    run = written(tmp_path / "run.jsonl", found)
    assert ragvigil("retrieval", locked, "--run", run, "--digest", digest) == 0
    assert ragvigil("retrieval", locked, "--run", run, "--digest", "0" * 64) == 2
    assert f"the set is {digest}, and {'0' * 64} is wanted" in capsys.readouterr().err
    assert ragvigil("retrieval", tmp_path / "set.jsonl", "--run", run, "--digest", digest) == 2
    assert "is not frozen" in capsys.readouterr().err
    assert ragvigil("retrieval", changed(locked), "--run", run) == 2
    assert "row q7 was changed" in capsys.readouterr().err


def test_the_smoke_part_of_a_frozen_set_is_frozen(tmp_path: Path, capsys: Said) -> None:
    """With a digest of its own, and the corpus of the whole set."""
    locked, _ = frozen(tmp_path, capsys)
    part = tmp_path / "smoke.jsonl"
    assert ragvigil("testset", "smoke", locked, "-o", part, "--size", 10, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], len(read_testset(part).rows)) == (10, 10)
    assert (
        ragvigil("testset", "verify", part, "--corpus", tmp_path / "euros.jsonl", "--digest", told["digest"])
        == 0
    )
    written(tmp_path / "euros.jsonl", documents(39))
    assert ragvigil("testset", "verify", part, "--corpus", tmp_path / "euros.jsonl") == 1


@pytest.mark.parametrize("command", ["lint", "freeze", "smoke"])
def test_half_a_character_is_named_by_file_and_line(tmp_path: Path, capsys: Said, command: str) -> None:
    """It can be hashed and written by nobody."""
    path = written(tmp_path / "set.jsonl", [row(0), row(1) | {"golden_answer": "a \ud800"}])
    out = () if command == "lint" else ("-o", tmp_path / "out")
    assert ragvigil("testset", command, path, *out) in (1, 2)
    said = capsys.readouterr()
    assert f"{path}, line 2: holds half of a surrogate pair" in said.out + said.err


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path, capsys: Said) -> None:
    """People see the first, JSON takes the last: in a test set and among answers, however deep."""
    path = tmp_path / "set.jsonl"
    path.write_text('{"query_id": "a", "query": "When?", "query": "What else?"}\n', encoding="utf-8")
    assert ragvigil("testset", "smoke", path, "-o", tmp_path / "out") == 2
    assert f"{path}, line 1: not JSON ('query' is there twice)" in capsys.readouterr().err
    answers, gate = tmp_path / "a.jsonl", tmp_path / "gate.toml"
    gate.write_text("limits.faithfulness.at_least = 0.8")
    answers.write_text('{"id": 1, "query": "?", "evidence": [{"text": "a", "text": "b"}], "answer": "b"}')
    assert ragvigil("gate", gate, "--answers", answers) == 2
    assert "line 1: not JSON ('text' is there twice)" in capsys.readouterr().err


def test_twins_are_the_same_words_and_signs(tmp_path: Path, capsys: Said) -> None:
    """However they are spaced, capitalised and ended; C++ and C# are two."""
    asked = ["What is C++?", "What is C#?", "Is -5 allowed?", "Is 5% allowed?", "what  is c++ "]
    rows = [{"query_id": f"a{n}", "query": query} for n, query in enumerate(asked)]
    assert ragvigil("testset", "lint", written(tmp_path / "set.jsonl", rows)) == 1
    errors = [line for line in capsys.readouterr().out.splitlines() if line.startswith("error")]
    assert len(errors) == 1
    assert "line 5, query: is asked on line 1 too" in errors[0]


@pytest.mark.parametrize(("limit", "said"), [(0.005, "lies over 0.5%"), (0.025, "lies over 2.5%")])
def test_a_limit_is_told_as_it_is(tmp_path: Path, capsys: Said, limit: float, said: str) -> None:
    """Not rounded to a limit that nobody set."""
    gate = tmp_path / "gate.toml"
    gate.write_text(f"limits.no_answer_false_claims.at_most = {limit}")
    ragvigil("testset", "lint", written(tmp_path / "set.jsonl", map(row, range(40))), "--gate", gate)
    assert said in capsys.readouterr().out


def test_the_row_of_the_page_is_one_that_lint_takes(tmp_path: Path) -> None:
    """Whoever copies it has a line of a test set."""
    page = (Path(__file__).parents[3] / "docs" / "testsets.md").read_text(encoding="utf-8")
    example = page.partition("```json\n")[2].partition("```")[0]
    path = tmp_path / "set.jsonl"
    path.write_text(example, encoding="utf-8")
    assert ragvigil("testset", "lint", path) == 0
    assert len(read_testset(path).rows) == 1
