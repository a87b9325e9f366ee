"""What stands in brackets beside citations: codes, scales and what is to be filled in; and rarer ways to cite."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks.reading.citations import read_citations
from ragvigil.scorer.trace import Document
from ragvigil.tracer import _asides

DOCUMENTS = tuple(Document(f"doc{rank}", "It lasts two years.", rank=rank) for rank in (1, 2, 3))


def _cited(answer: str, documents: tuple[Document, ...] = DOCUMENTS) -> list[str | None]:
    return [one.id for one in read_citations(answer, documents)]


@pytest.mark.parametrize("mark", ["[doc2]", "[2]"])
@pytest.mark.parametrize(
    "tail",
    [
        "Choose a number [1-10].",
        "Give a rating [1\u20135].",
        "Enter a value [0-9] there.",
        "Dear [CUSTOMER_NAME], your [ORDER_ID] is ready.",
        "It is due on [INVOICE_DATE].",
        "The template is: Hello [name_1]!",
        "Please quote [REF-0001] when you write.",
        "Exit code [137] means out of memory.",
        "It answers HTTP [404].",
        "It listens on port [8080].",
    ],
)
def test_codes_scales_and_what_is_to_be_filled_in_cite_nothing(tail: str, mark: str) -> None:
    """Each of them was a dead citation beside a right one, and pulled the series that pages down."""
    assert _cited(f"It lasts two years {mark}. {tail}") == ["doc2"]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("It raises the score [1-3].", ["doc1", "doc2", "doc3"]),  # all were retrieved
        ("It raises the score [2-4].", ["doc2", "doc3", None]),  # no scale begins so
        ("It raises the rating [1-4].", ["doc1", "doc2", "doc3", None]),  # nor ends so
        ("It lasts two years [1-5].", ["doc1", "doc2", "doc3", None, None]),
        ("It lasts two years [2], or three [7].", ["doc2", None]),
        ("It lasts two years [2] by code [1].", ["doc2", "doc1"]),
        ("It lasts two years [2], not three [137].", ["doc2", None]),
        ("It lasts two years [doc2] [doc9].", ["doc2", None]),
        ("It lasts two years [REF-0001].", [None]),
    ],
)
def test_dead_citations_are_still_seen(answer: str, expected: list[str | None]) -> None:
    """Only the word before the brackets tells them from codes and scales."""
    assert _cited(answer) == expected


def test_an_id_like_those_retrieved_is_dead_also_behind_a_verb() -> None:
    """Who is to quote what is written as the ids are is shown an id."""
    known = (Document("REF-0007", None, rank=1), Document("KB_ORDER_ID", None, rank=2))
    assert _cited("Please quote [REF-0001].", known) == [None]
    assert _cited("It is so [KB_ORDER_ID].", known) == ["KB_ORDER_ID"]


@pytest.mark.parametrize("name", ["SHIPPING_ADDRESS", "TAX_ID", "PRICE_TOTAL", "REFUND_AMOUNT"])
def test_an_id_in_capitals_that_ends_as_a_field_is_dead_where_ids_are_written_so(name: str) -> None:
    """Elsewhere it is to be filled in."""
    known = (Document("SHIPPING_POLICY", None, rank=1), Document("RETURNS_POLICY", None, rank=2))
    assert _cited(f"It lasts two years [{name}].", known) == [None]
    assert _cited(f"It lasts two years [2]. Your number is [{name}].") == ["doc2"]


@pytest.mark.parametrize(
    "answer",
    [
        "It lasts two years.\n\n_Source: Document 2_",
        "According to `doc2`, it lasts two years.",
        "It lasts two years. [Search result 2]",
        "It lasts two years (search result 2).",
        "It lasts two years [result 2].",
        "It lasts two years [ID 2].",
        "It lasts two years. ([Document 2](#))",
        "It lasts two years. [[Doc 2]](#doc-2)",
        "It lasts two years [doc2:12-15].",
        "It lasts two years [doc_2].",
        "<thinking>Not [doc9].</thinking>It lasts two years [doc2].",
    ],
)
def test_rarer_ways_to_cite_are_read(answer: str) -> None:
    """Each of them cited nothing, or something that was not retrieved."""
    assert _cited(answer) == ["doc2"]


def test_an_address_without_its_scheme_and_a_numbered_id_cite_in_parentheses() -> None:
    """Where that address or that id was retrieved."""
    page = (Document("https://help.acme.example.com/reset", None, rank=1), Document("1043", None, rank=2))
    assert _cited("Hold it (help.acme.example.com/reset).", page) == [page[0].id]
    assert _cited("Hold it (help.acme.example.com/other).", page) == []
    assert _cited("Hold it (ID 1043).", page) == ["1043"]
    assert _cited("Your customer (ID 1044) knows.", page) == []


@pytest.mark.parametrize(
    "answer",
    [
        "Set `doc2` in the file.",
        "Use `[1]` to index.",
        "Choose [result 2] from the menu.",
        "Use [item 2].",
        "Enter [ID 2] there.",
        "It gave no result (2 people).",
        "See `settings.json`.",
        "Write document_2_final.",
        "Read on in [Section 2](#).",
        "Read on in [Table 2](#table-2).",
        "Set it to 12:15 [am].",
    ],
)
def test_what_is_near_them_cites_nothing(answer: str) -> None:
    """Code that nothing calls a source, choices, and links to a section."""
    assert _cited(answer) == []


def test_the_tracer_fills_in_alike() -> None:
    """An answer that is not sent has the same figures."""
    names = ("ORDER_ID", "INVOICE_DATE", "REFUND_POLICY", "order_id", "KB-ID", "EMAIL_2")
    assert [_asides.is_aside(one) for one in names] == [True, True, False, False, False, True]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Choose [1] Sales, [2] Support or [3] Billing.", []),
        ("Press [1] for sales or [2] for support.", []),
        ("Select [1] English [2] French.", []),
        ('Type "[1]" to continue.', []),
        ("Open Settings, select [1] the network and confirm [2] with OK.", ["doc2"]),
        ("Please enter [1] the code and [3] the date.", ["doc1", "doc3"]),
        ('The lid is marked "[2]".', ["doc2"]),
        ('The guide shows "[1]" there.', ["doc1"]),
    ],
)
def test_marks_to_choose_from_or_to_type_cite_nothing(answer: str, expected: list[str]) -> None:
    """Each further one stands behind a comma or "or", or all begin with capitals; what is selected itself is a key."""
    assert _cited(answer) == expected
