"""A retriever of somebody's own may print, end itself, or answer with anything: none of it is a success."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.scorer.retrieval.test_retrieval_command import asked, lines

from ragvigil.scorer.dialects.custom import dialects_of
from ragvigil.scorer.errors import ConfigError

SEARCHING = "class Mine:\n    def search(self, corpus, queries, top_k):\n        "


@pytest.fixture
def arguments(tmp_path: Path) -> list[object]:
    """A question, its passage, and a retriever in mine.py."""
    rows = [{"query_id": "a", "query": "A?", "golden_context_ids": ["p"]}]
    corpus = lines(tmp_path / "corpus.jsonl", [{"_id": "p", "text": "x"}])
    queries = lines(tmp_path / "q.jsonl", rows)
    return [queries, "--passages", corpus, "--retriever", f"{tmp_path / 'mine.py'}:Mine"]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import sys\nsys.exit(0)", r"cannot be imported: .* exit code 0 \(mine.py, line 2\)"),
        (
            "class Mine:\n    def __init__(self):\n        raise SystemExit('no index')",
            r"cannot be made without arguments: .* exit code 'no index' \(mine.py, line 3\)",
        ),
        (SEARCHING + "raise SystemExit", r"search failed: .* exit code None \(mine.py, line 3\)"),
    ],
)
def test_a_retriever_that_ends_itself_is_an_error(
    code: str, problem: str, arguments: list[object], tmp_path: Path
) -> None:
    """The command ended with exit code 0 and without a word, as if all had been measured."""
    (tmp_path / "mine.py").write_text(code)
    found = asked(*arguments)
    assert found.exit_code != 0
    assert re.search(problem, str(found.exception)), found.exception


def test_what_a_retriever_prints_stays_out_of_the_report(arguments: list[object], tmp_path: Path) -> None:
    """Progress bars and greetings are common, and `--json` is read by programs."""
    code = f"print('importing')\n{SEARCHING}print('searching')\n        return {{'a': {{'p': 1.0}}}}\n"
    code += "    def __init__(self):\n        print('making')\n"
    (tmp_path / "mine.py").write_text(code)
    found = asked(*arguments, "--json")
    assert json.loads(found.stdout)["runs"][0]["each"][0]["mrr@1"] == 1.0
    assert found.stderr.split() == ["importing", "making", "searching"]


def test_a_score_that_no_float_can_be_is_refused(arguments: list[object], tmp_path: Path) -> None:
    """A product of many likelihoods in whole numbers ended in a traceback."""
    (tmp_path / "mine.py").write_text(SEARCHING + "return {'a': {'p': 10**400}}")
    assert "search must return scores below 1e308" in str(asked(*arguments).exception)


def test_a_dialect_that_ends_itself_is_an_error_of_the_setting(tmp_path: Path) -> None:
    """Any command that reads traces would end in silence."""
    (tmp_path / "mine.py").write_text("raise SystemExit")
    with pytest.raises(ConfigError, match="cannot be imported: EndedError"):
        dialects_of([str(tmp_path / "mine.py")])
