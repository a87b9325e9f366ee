"""docs/checks.md is made from the checks; ``python tests/test_checks_docs.py`` renews it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

from ragvigil.scorer import checks, failure_tags, grounded_answer
from ragvigil.scorer.checks import CHECKS, Check
from ragvigil.scorer.custom.expression import NAMES

PAGE = Path(__file__).parent.parent / "docs" / "checks.md"
LINKED = re.compile(r"docs/([a-z-]+\.md)")
"""A page, as the code names it from the repository's root; here it is a link."""
INTRODUCTION = """# Checks

Every one runs on every record, in this order, without a model, a key or a network. A value is in [0, 1], or missing
with a reason: missing is never zero. `scores` keeps each with its version, reason and details. The citation and
retrieval series are made of `citation_correctness` and `empty_retrieval`, the cheap score of `supported_claims`; no
other check can page.

`better` is the good end of the range. `reads` is what a check reads that grows: nothing beyond the record's figures,
the answer, the passages (mostly for the question's words), or every claim on the passages. Each is read once for all
checks, so that the second check of a kind costs next to nothing; memory is bounded by the sizes of what is read.

This page is made from the code; a test holds it.
"""

SUMS = """# What sums them up

Two more results of each record are made of the others. A record whose answer was judged has both from the verdict,
too: in what `ragvigil score` shows, and in `scores` as `judge.failure_tags` and `judge.grounded_answer`, beside those
of the checks alone, so that figures over all answers do not change with how many of them are judged. An answer that
the judge fails has one tag at least.
"""

OWN = """# Checks of your own

A decorated function of the record, or an expression in the settings; the result is `custom.NAME`.

```python
from ragvigil.scorer.custom import check


@check(version="1")
def names_the_product(record):
    answer = record.answer or ""
    named = "X200" in answer or "X300" in answer
    return named, None if named else "the product is not named"
```

```toml
[custom_checks.product]
function = "checks/product.py:names_the_product"
services = ["shop"]

[custom_checks.short_and_supported]
expression = "supported_claims >= 0.9 and len(words(answer)) < 80"
```

A function answers a number in [0, 1], true or false, None, or a pair of one of these and a reason. `record` is a
`RagTrace` (`ragvigil/scorer/trace.py`). It runs in a process of its own, so that it may hang, leak or end that process
without harm to the other checks: after `seconds` it has failed, and after three such failures in a row it rests for a
minute. A process that starts anew reads the files anew; a function that then cannot be loaded has no value, and the
others go on. Paths begin beside the configuration file, or where the scorer was started.
`ragvigil check-config --config FILE` loads every one, and `ragvigil score ROWS --config FILE` tries them on answers of
a file, whichever services they are for.

An expression may use numbers, texts, `and or not`, comparisons, `in`, `+ - * /`, `a if b else c`, the functions
`min max abs len lower words known segment`, the ids of the checks, `failure_tags`, `grounded_answer`, and NAMES.
`documents` is how many passages there are, `tags` the list of failure tags, the rest of these names texts and numbers;
what never fits, such as `len(documents)` or a text for a result, is refused at the start. What has no value makes the
whole expression have none; `known(citation_support)` asks first.

Results are `custom.NAME` among the scores of an answer: in `ragvigil score`, on the answer's page of
`ragvigil dashboard`, and in `ragvigil export --score custom.NAME`. No series is watched for them, so they page nobody;
a criterion of your own for the judge does ([judge.md](judge.md)).

A check that fails has no value, and its reason says why: the kind of error with the line of your code, never its
message, which may quote a record. The log has it once for each cause.
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
    names = ", ".join(f"`{name}`" for name in NAMES)
    text = "\n".join([INTRODUCTION, f"{table}\n", *parts, SUMS, *sums, OWN.replace("NAMES", names)])
    return LINKED.sub(r"[\1](\1)", text)


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
