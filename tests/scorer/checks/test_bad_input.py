"""Every check on what nobody would send on purpose: empty, huge, many, mixed. Each has a value or says why not."""

from __future__ import annotations

import json
from functools import cache

import pytest

from ragvigil.scorer.checks import CHECKS, run_checks
from ragvigil.scorer.checks.reading.budget import Budget
from ragvigil.scorer.failure_tags import tagged
from ragvigil.scorer.grounded_answer import as_result
from ragvigil.scorer.trace import Document, RagTrace, Retrieval, Tokens
from ragvigil.scorer.verdict import CheckResult

WORDS = "The pump of model X200 holds 12 litres [doc-1] and Anna Weber sold it in 1901. "
FACT = Document("doc-1", "The pump of model X200 holds 12 litres.", 0.9, 1)
NAN = float("nan")
BUDGET = Budget(120, 5, 500, 2.0, 0.2, 1.5, 0.05)


def record(
    answer: str | None, *documents: Document, query: str | None = "What does the pump hold?"
) -> RagTrace:
    """One answer beside these passages."""
    ids = tuple(document.id for document in documents)
    scores = tuple(document.score for document in documents)
    found = Retrieval("retrieve", query, ids, scores)
    return RagTrace(
        "0" * 32, "1" * 16, "shop", 0, query=query, answer=answer, documents=documents, retrievals=(found,),
        tokens=Tokens(2**62, 2**62), cost_usd=1e300, total_seconds=1e300,
    )  # fmt: skip


def many(count: int, size: int) -> tuple[Document, ...]:
    """Passages of `size` characters."""
    text = (WORDS * (size // len(WORDS) + 1))[:size]
    return tuple(Document(f"doc-{rank}", f"{rank} {text}", 1 / rank, rank) for rank in range(1, count + 1))


CASES = {
    "nothing": lambda: record(None, query=None),
    "empty answer": lambda: record("", FACT),
    "blank answer": lambda: record(" \n\t\u3000", FACT),
    "empty question": lambda: record(WORDS, FACT, query=""),
    "no passage": lambda: record(WORDS),
    "passages without text": lambda: record(WORDS, Document(None, None), Document("", "", None, 2)),
    "answer of 1 MB": lambda: record(WORDS * (2**20 // len(WORDS)), FACT),
    "answer of 1 MB without a space": lambda: record("x" * 2**20, FACT),
    "1 MB of tags without a space": lambda: record("<source_id>" * (2**20 // 11), FACT),
    "1 MB of addresses": lambda: record("".join(f"a{n}@b.c " for n in range(2**15)), *many(2, 2**19)),
    "quotation beside 1 MB of dashes": lambda: record(
        'It says "the pump holds twelve litres" there.', Document("d", "-" * 2**20 + "a")
    ),
    "source with 1 MB of spaces": lambda: record(
        "It holds 12 litres.\nSource:" + " " * 2**20 + "doc-1", FACT
    ),
    "500 passages": lambda: record(WORDS, *many(500, 400)),
    "passage of 2 MB": lambda: record(WORDS, *many(1, 2 * 2**20)),
    "record of 2 MB": lambda: record(
        WORDS, Document("r", json.dumps({f"k{n}": WORDS for n in range(25_000)}))
    ),
    "question of 1 MB": lambda: record(WORDS, FACT, query="What does the pump hold? " * 40_000),
    "emoji": lambda: record("😀👩‍👩‍👧‍👦🇧🇷 12 litres 🚰! " * 50, Document("e", "🚰 12 litres 👍🏽 " * 50)),
    "control characters": lambda: record("\x00\x01\x1b[31m12\x7f litres\x85\u2028\ufeff", FACT),
    "lone surrogates": lambda: record(
        "\ud800 holds \udfff 12 litres.", Document("\ud800", "\udc00 12 litres.")
    ),
    "mixed scripts": lambda: record("The насос 水泵 πομπή holds המשאבה مضخة ปั๊ม 12 литров。", FACT),
    "right to left": lambda: record("\u202eالمضخة تحمل 12 لترا.\u202c", FACT),  # noqa: RUF001
    "another language": lambda: record("Die Pumpe fasst nicht mehr als zwölf Liter und ist aus Stahl.", FACT),
    "digits only": lambda: record("1" * 5000 + ".", Document("d", "1 " * 5000)),
    "same id": lambda: record(WORDS, FACT, FACT, FACT),
    "scores that are none": lambda: record(WORDS, Document("a", "x", NAN), Document("b", "y", -NAN, 2)),
    "deep JSON": lambda: record(
        WORDS, Document("j", "[" * 50_000), Document("k", '{"a":' * 900 + "1" + "}" * 900)
    ),
}


@cache
def results(name: str) -> dict[str, CheckResult]:
    """What every check says of one case, computed once."""
    return {one.check: one for one in run_checks(CASES[name](), budget=BUDGET)}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("check", [check.id for check in CHECKS])
def test_every_check_copes(check: str, name: str) -> None:
    """In [0, 1], or nothing with a reason; never a failure, and its details can be stored."""
    found = results(name)[check]
    assert "failed" not in (found.reason or "")
    assert found.reason if found.value is None else 0.0 <= found.value <= 1.0
    assert len(json.dumps(dict(found.details))) < 50_000
    assert len(found.reason or "") < 1500


@pytest.mark.parametrize("name", CASES)
def test_what_sums_them_up_copes(name: str) -> None:
    """Tags and the score too."""
    found = [*results(name).values()]
    assert tagged(found).value is not None
    score = as_result(found)
    assert score.reason if score.value is None else 0.0 <= score.value <= 1.0
