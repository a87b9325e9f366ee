"""Patterns sorted by their first letters are found in the same texts as those that are not."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

import ragvigil.scorer.checks.reading.patterns
from ragvigil.scorer.checks.reading.patterns import any_of, choices, tells

CORPUS = Path(__file__).parent / "corpus"


def shipped() -> Iterator[list[str]]:
    """Every list of patterns that is looked for so."""
    data = files("ragvigil.scorer.data")
    refusals = json.loads(data.joinpath("abstention.json").read_text("utf-8"))
    questions = json.loads(data.joinpath("questions.json").read_text("utf-8"))
    yield refusals["advice"]
    yield from questions["types"].values()


RECORDED = """
import importlib.util, json, pkgutil, sys
spec = importlib.util.spec_from_file_location("ragvigil.scorer.checks.reading.patterns", sys.argv[1])
sys.modules[spec.name] = patterns = importlib.util.module_from_spec(spec)
spec.loader.exec_module(patterns)
given = []
for name in ("any_of", "tells"):
    def recording(entries, *more, joined=getattr(patterns, name)):
        given.extend(entries)
        return joined(entries, *more)
    setattr(patterns, name, recording)
import ragvigil.scorer.checks as checks
for module in pkgutil.walk_packages(checks.__path__, checks.__name__ + "."):
    importlib.import_module(module.name)
from ragvigil.scorer.checks.reading.refusal import WORDINGS
made_when_needed = [wording.things for wording in WORDINGS]
json.dump(given, sys.stdout)
"""


def test_a_choice_begins_with_a_words_edge_in_each_of_its_parts_or_in_none() -> None:
    """Else `any_of` would look for that edge before those parts, too, which have none: all it is given anywhere."""
    done = subprocess.run(
        [sys.executable, "-c", RECORDED, ragvigil.scorer.checks.reading.patterns.__file__],
        check=True,
        capture_output=True,
        text=True,
    )
    given: list[str] = json.loads(done.stdout)
    assert len(given) > 300
    at_words = [one for one in given if one.startswith(r"\b")]
    assert [one for one in at_words if not all(part.startswith(r"\b") for part in choices(one))] == []


def test_the_shipped_patterns_are_found_where_they_were() -> None:
    """In real sentences, and in any of a pattern's words in their order, most of which nearly match."""
    source = Random(3)
    known = [
        line.rpartition("\t")[2].lower()
        for name in ("refusals.txt", "refusals_unseen.txt", "refusals_provoked.txt", "sentences.txt")
        for line in (CORPUS / name).read_text("utf-8").splitlines()
    ]
    hits = 0
    for patterns in shipped():
        plain, quick = any_of(patterns), tells(patterns)
        texts = list(known)
        for _ in range(600):
            parts = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", source.choice(patterns).replace("\\b", " "))
            texts.append(" ".join(part for part in parts if source.random() < 0.3)[:200])
        found = [plain.search(text) is not None for text in texts]
        assert found == [quick.search(text) is not None for text in texts]
        hits += sum(found)
    assert hits > 300


@given(
    st.lists(
        st.sampled_from(
            (
                r"\bno\b",
                r"\b(?:is|are|was)(?: not|n't) (?:so|it)\b",
                r"\b(?:(?:not|im)possible|un|)able",
                r"\b(?:the )?end",
                r"\bsee|\bso",
                r"\b(?:a|b)?c",
                r"\b[ab](?:c|[)|(])",
                r"\b(?:a\||b\))c",
                r"\bn?o",
                "it",
            )
        ),
        min_size=1,
        max_size=5,
    ),
    st.lists(
        st.sampled_from(
            (
                *("no", "not", "is", "are", "isn't", "so", "it", "possible", "impossible", "unable", "able"),
                *"abcno()| ",
            )
        ),
        max_size=12,
    ),
    st.sampled_from(("", " ")),
)
def test_groups_are_sorted_by_their_first_letters(patterns: list[str], said: list[str], between: str) -> None:
    """Nested ones, such as may be left out, escapes, classes and choices outside of groups, too."""
    text = between.join(said)
    assert (any_of(patterns).search(text) is None) == (tells(patterns).search(text) is None)
