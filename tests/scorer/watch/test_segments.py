"""Segments are found in what the records carry; what has a million values is none."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from pydantic import TypeAdapter

from ragvigil.scorer.watch.segments import Book

DAY = 86_400 * 10**9
BOOKS = TypeAdapter(Book)


class Churn:
    """A year of a service whose tenants come and go: a new one every twelve days, each stays for a hundred."""

    def __init__(self, *, restarts: bool = False) -> None:
        self.book, self.restarts = Book(most=12), restarts
        self.names, self.void = dict[int, str](), dict[int, list[int]]()

    def live(self, days: int = 365) -> Churn:
        """Day by day, 240 questions each."""
        for day in range(days):
            there = [number for number in range(-8, 31) if 12 * number <= day < 12 * number + 100]
            tenants = [{"tenant": f"t{there[place % len(there)]}"} for place in range(240)]
            void = self.book.learn(segments(tenants), at=(day + 1) * DAY)
            if void:
                self.void[day] = sorted(void)
            for value, code in self.book.codes.items():
                assert self.names.setdefault(code, value) == value
            if self.restarts:
                self.book = BOOKS.validate_json(BOOKS.dump_json(self.book))
        return self


def segments(items: Iterable[dict[str, str]]) -> list[str]:
    """As records carry them."""
    return [json.dumps(item) for item in items]


def test_the_dimension_that_divides_best_is_chosen_and_stays_for_now() -> None:
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


def test_a_year_of_tenants_that_come_and_go_keeps_the_big_ones_in_view() -> None:
    """The twelve of the first week are long gone by then, and no code was ever another tenant's."""
    year = Churn().live()
    there = {f"t{number}" for number in range(-8, 31) if 12 * number <= 364 < 12 * number + 100}
    since_five_weeks = {f"t{number}" for number in range(-8, 28)} & there
    assert since_five_weeks <= year.book.codes.keys()
    assert len(year.book.codes) <= 12
    assert len({year.book.place(code) for code in year.book.codes.values()}) == len(year.book.codes)
    assert all(year.book.code_at(year.book.place(code)) == code for code in year.book.codes.values())
    assert year.names[0] not in there
    given_again = [place for places in year.void.values() for place in places]
    assert len(given_again) == len(year.names) - 12


def test_a_year_is_the_same_whatever_restarts() -> None:
    """All that decides is in what is saved, and nothing but the records' time counts."""
    assert Churn(restarts=True).live().book == Churn().live().book


def weeks(
    book: Book, *tenants: str, count: int = 5, since: int = 0, busy: Iterable[int] = ()
) -> list[list[int]]:
    """So many weeks of seven days in which these tenants ask by turns; what is to be forgotten after each."""
    found: list[list[int]] = []
    for day in range(7 * since, 7 * (since + count)):
        asked = segments({"tenant": tenants[place % len(tenants)]} for place in range(120))
        found.append(sorted(book.learn(asked, at=(day + 1) * DAY, busy=set(busy))))
    return [void for void in found if void]


def test_a_value_keeps_its_room_while_nobody_needs_it_or_something_is_wrong_with_it() -> None:
    """Four weeks of absence make room for another; an alarm that is not over holds that up."""
    book = Book(most=3)
    weeks(book, "a", "b", "c")
    assert weeks(book, "a", "b", count=9, since=5) == []
    assert weeks(book, "a", "b", "new", count=2, since=14, busy=[book.codes["c"]]) == []
    assert "new" not in book.codes
    assert weeks(book, "a", "b", "new", count=2, since=16) == [[2]]
    assert book.codes == {"a": 0, "b": 1, "new": 5}
    assert (book.place(5), book.code_at(2), book.name(5), book.name(2)) == (2, 5, "tenant=new", "other")
    assert weeks(book, "a", "b", "c", count=9, since=18) == [[2]]
    assert book.codes["c"] == 8


def test_a_newcomer_has_the_room_of_one_that_is_not_half_as_common_for_four_weeks() -> None:
    """All three are common enough; as long as two are nearly as common they do not take turns."""
    book = Book(most=2)
    weeks(book, "a", "b")
    assert weeks(book, *["a"] * 4, *["b"] * 3, *["new"] * 5, count=9, since=5) == []
    assert weeks(book, *["a"] * 6, *["b"] * 1, *["new"] * 5, count=3, since=14) == []
    assert weeks(book, *["a"] * 6, *["b"] * 1, *["new"] * 5, count=2, since=17) == [[1]]
    assert list(book.codes) == ["a", "new"]


def days_of(
    book: Book, first: int, count: int, *records: dict[str, str], busy: Iterable[int] = ()
) -> list[int]:
    """So many days with 120 questions each; on which something was to be forgotten."""
    found: list[int] = []
    for day in range(first, first + count):
        asked = segments(records[place % len(records)] for place in range(120))
        if void := book.learn(asked, at=(day + 1) * DAY, busy=set(busy)):
            assert void == frozenset(range(book.most + 1))
            found.append(day)
    return found


DIVIDED = ({"version": "1", "language": "de"}, {"version": "2", "language": "de"})
ROLLED_OUT = ({"version": "2", "language": "de"}, {"version": "2", "language": "en"})


def test_a_dimension_that_divides_nothing_any_more_gives_way_after_four_weeks() -> None:
    """It was chosen while a version was rolled out. What the core knows is of segments that are none now."""
    book = Book(most=12)
    assert days_of(book, 0, 2, *DIVIDED) == []
    assert book.dimension == "version"
    old = set(book.codes.values())
    assert days_of(book, 2, 60, *ROLLED_OUT, busy=[13]) == []
    assert len(days_of(book, 62, 7, *ROLLED_OUT)) == 1
    assert (book.dimension, sorted(book.codes)) == ("language", ["de", "en"])
    assert not old & set(book.codes.values())


def test_a_dimension_gives_way_to_one_that_is_clearly_better_for_four_weeks_and_not_before() -> None:
    """Four tenants tell far more than two languages; three do as well, but not by so much."""
    two = [{"language": "de" if place % 2 else "en"} for place in range(12)]
    three, four = (
        [{**one, "tenant": f"t{place % count}"} for place, one in enumerate(two)] for count in (2, 4)
    )
    book = Book(most=12)
    days_of(book, 0, 2, *two)
    assert days_of(book, 2, 70, *three) == []
    assert days_of(book, 72, 14, *four) + days_of(book, 86, 7, *three) + days_of(book, 93, 21, *four) == []
    assert len(days_of(book, 114, 14, *four)) == 1
    assert (book.dimension, len(book.codes)) == ("tenant", 4)


def test_a_dimension_that_the_settings_name_later_is_taken_at_once_and_kept() -> None:
    """detect.segment_by; it was never heard before."""
    book = Book(most=12)
    days_of(book, 0, 2, *DIVIDED)
    book.named = "language"
    assert days_of(book, 2, 1, *ROLLED_OUT) == [2]
    assert days_of(book, 3, 70, *DIVIDED) == []
    assert book.dimension == "language"


def test_a_week_of_hardly_any_records_says_nothing_of_what_is_common() -> None:
    """A holiday, and nobody asks but one."""
    book = Book(most=2)
    weeks(book, "a", "b")
    for day in range(35, 35 + 84):
        assert book.learn(segments([{"tenant": "new"}]), at=(day + 1) * DAY) == frozenset()
    assert list(book.codes) == ["a", "b"]


def test_a_book_that_an_earlier_version_saved_goes_on_with_its_codes() -> None:
    """The next value gets a code that none had."""
    saved = {
        "most": 3,
        "dimension": "tenant",
        "codes": {"a": 0, "b": 1, "c": 2},
        "seen": 3,
        "since": 0,
        "tallies": {"tenant": {"a": 3}},
    }
    book = BOOKS.validate_json(json.dumps(saved))
    assert (book.codes, book.given, book.seen, book.tallies) == (saved["codes"], 3, 3, saved["tallies"])
    assert [book.place(code) for code in book.codes.values()] == [0, 1, 2]
    assert weeks(book, "b", "c", "new") == [[0]]
    assert book.codes == {"b": 1, "c": 2, "new": 3}


@pytest.mark.parametrize("most", [3, 5, 12])
def test_codes_of_a_book_begun_anew_are_none_that_were_given(most: int) -> None:
    """Settings changed; records of the week before still carry the codes of then."""
    book = Book(most=most, given=7)
    weeks(book, "a", "b", count=1)
    assert all(code >= 7 for code in book.codes.values())
    assert len({book.place(code) for code in book.codes.values()}) == len(book.codes)
