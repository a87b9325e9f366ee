"""docs/checks.md is made from the checks; ``python tests/test_checks_docs.py`` renews it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

from ragvigil.scorer import checks, failure_tags, grounded_answer
from ragvigil.scorer.checks import CHECKS, Check

PAGE = Path(__file__).parent.parent / "docs" / "checks.md"
INTRODUCTION = """# Checks

Every one runs on every record, in this order, without a model, a key or a network. A value is in [0, 1], or missing
with a reason: missing is never zero. `scores` keeps each with its version, reason and details. The citation and
retrieval series are made of `citation_correctness` and `empty_retrieval`, the cheap score of `supported_claims`; no
other check can page.

`better` is the good end of the range. `reads` is what a check reads that grows: nothing beyond the record's figures,
the answer, the question's words in the passages, or every claim on the passages. Each is read once for all checks, so
that the second check of a kind costs next to nothing; memory is bounded by the sizes of what is read.

This page is made from the code; a test holds it.
"""

SUMS = """# What sums them up

Two more results of each record are made of the others; a record whose answer was judged gets both from the verdict too
where `ragvigil score` shows it.
"""


def modules() -> dict[str, str]:
    """The docstring of each file that holds a check, by the check's id."""
    found: dict[str, str] = {}
    for one in pkgutil.iter_modules(checks.__path__, "ragvigil.scorer.checks."):
        module = importlib.import_module(one.name)
        if isinstance(getattr(module, "CHECK", None), Check):
            found[module.CHECK.id] = inspect.getdoc(module) or ""
    return found


def page() -> str:
    """The whole page."""
    texts = modules()
    rows = [
        f"| [`{check.id}`](#{check.id}) | {_definition(texts[check.id])} | {check.range} | {check.better} "
        f"| {check.cost} | {check.version} |"
        for check in CHECKS
    ]
    table = "\n".join(
        ["| id | what | range | better | reads | version |", "|---|---|---|---|---|---|", *rows]
    )
    parts = [f"## {check.id}\n\n{_whole(texts[check.id])}\n" for check in CHECKS]
    sums = [
        f"## {name}\n\n{inspect.getdoc(module)}\n"
        for name, module in (("failure_tags", failure_tags), ("grounded_answer", grounded_answer))
    ]
    return "\n".join([INTRODUCTION, f"{table}\n", *parts, SUMS, *sums])


def _definition(text: str) -> str:
    return _whole(text).partition("\n")[0].rstrip(".")


def _whole(text: str) -> str:
    told = text.partition(": ")[2]
    return told[:1].upper() + told[1:]


def test_every_check_has_one_file_named_after_it() -> None:
    """And every file is in the table that runs them."""
    texts = modules()
    assert sorted(texts) == sorted(check.id for check in CHECKS)
    assert all(text.startswith(f"{name}: ") for name, text in texts.items())


def test_every_docstring_says_its_range() -> None:
    """A reader must know what a value means, and when there is none."""
    told = modules()
    assert [one.id for one in CHECKS if f"Range {one.range}" not in told[one.id]] == []
    assert [one.id for one in CHECKS if "None" not in told[one.id] and one.id not in _ALWAYS] == []


_ALWAYS = {"abstention", "citation_correctness"}
"""Their docstrings tell in other words when there is no value."""


def test_the_page_says_what_the_code_does() -> None:
    """A check that nobody can look up is a number without a meaning."""
    assert PAGE.read_text() == page()


if __name__ == "__main__":
    PAGE.write_text(page())
