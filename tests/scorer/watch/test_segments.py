"""Segments are found in what the records carry; what has a million values is none."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ragvigil.scorer.watch.segments import Book

DAY = 86_400 * 10**9


def segments(items: Iterable[dict[str, str]]) -> list[str]:
    """As records carry them."""
    return [json.dumps(item) for item in items]


def test_the_dimension_that_divides_best_is_chosen_once() -> None:
    """Tenants are four, languages two, requests as many as there are questions."""
    book = Book(most=12)
    book.learn(
        segments(
            {"language": "de" if place % 2 else "en", "tenant": f"t{place % 4}", "request": f"r{place}"}
            for place in range(2_000)
        ),
        at=DAY,
    )
    assert (book.dimension, sorted(book.codes)) == ("tenant", ["t0", "t1", "t2", "t3"])
    assert [book.code(json.dumps({"tenant": name})) for name in ("t0", "new", "")] == [
        book.codes["t0"],
        -1,
        -1,
    ]
    book.learn(segments({"language": f"l{place % 9}"} for place in range(2_000)), at=2 * DAY)
    assert book.dimension == "tenant"


def test_a_value_that_becomes_common_gets_a_code_and_old_codes_stay() -> None:
    """A new tenant next week."""
    book = Book(most=3)
    book.learn(segments({"tenant": f"t{place % 2}"} for place in range(1_000)), at=DAY)
    before = dict(book.codes)
    book.learn(segments({"tenant": f"t{place % 8}"} for place in range(1_000)), at=2 * DAY)
    assert len(book.codes) == 3
    assert before.items() <= book.codes.items()
    assert book.name(before["t0"]) == "tenant=t0"
    assert (book.name(3), book.name(None)) == ("other", None)


def test_a_dimension_with_a_million_values_takes_little_memory_and_no_code() -> None:
    """Someone sends a request id as a segment."""
    book = Book(most=12)
    for day in range(5):
        book.learn(segments({"request": f"r{day}-{place}"} for place in range(900)), at=DAY + day)
        assert sum(len(counts) for counts in book.tallies.values()) <= 400
    assert (book.dimension, book.codes) == (None, {})


def test_a_dimension_that_was_named_is_taken_whatever_else_there_is() -> None:
    """detect.segment_by."""
    book = Book(most=12, dimension="model")
    book.learn(segments({"model": "m1", "tenant": f"t{place % 4}"} for place in range(1_000)), at=DAY)
    assert (book.dimension, list(book.codes)) == ("model", ["m1"])


def test_a_small_service_waits_for_a_day_not_for_a_thousand_records() -> None:
    """60 questions a day are enough by then."""
    book = Book(most=12)
    few = segments({"language": "de" if place % 2 else "en"} for place in range(60))
    book.learn(few, at=0)
    assert book.dimension is None
    book.learn(few, at=DAY)
    assert book.dimension == "language"
