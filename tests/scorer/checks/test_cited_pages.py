"""Pages and files that an answer names, beside the ids and the metadata of several frameworks."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks.reading.citations import read_citations
from ragvigil.scorer.trace import Document

Facts = dict[str, object]


def _ids(*ids: str) -> tuple[Document, ...]:
    return tuple(Document(one, "Hold it for ten seconds.", rank=rank) for rank, one in enumerate(ids, 1))


def _facts(*told: Facts, text: str = "Hold it for ten seconds.") -> tuple[Document, ...]:
    return tuple(
        Document(one, text, rank=rank, metadata=facts)
        for rank, (one, facts) in enumerate(zip("abcd", told, strict=False), 1)
    )


def _cited(answer: str, documents: tuple[Document, ...]) -> list[str | None]:
    return [one.id for one in read_citations(answer, documents)]


PAGED = (
    _ids("handbook.pdf#p12", "handbook.pdf#p13"),
    _ids("handbook.pdf_12", "handbook.pdf_13"),
    _ids("handbook.pdf:12", "handbook.pdf:13"),
    _ids("data/handbook.pdf:12:0", "data/handbook.pdf:13:2"),
    _ids("handbook.pdf#page=12", "handbook.pdf#page=13"),
    _facts({"source": "hr/handbook.pdf", "page": 12}, {"source": "hr/handbook.pdf", "page": 13}),
    _facts(
        {"file_name": "handbook.pdf", "page_label": "12"}, {"file_name": "handbook.pdf", "page_label": "13"}
    ),
    _facts(
        {"source": "/x/handbook.pdf", "loc": {"pageNumber": 12}},
        {"source": "/x/handbook.pdf", "loc": {"pageNumber": 13}},
    ),
    _facts(
        {"sourcepage": "handbook.pdf#page=12", "sourcefile": "handbook.pdf"},
        {"sourcepage": "handbook.pdf#page=13", "sourcefile": "handbook.pdf"},
    ),
    _facts(
        {"sourcepage": "handbook-12.pdf", "sourcefile": "handbook.pdf"},
        {"sourcepage": "handbook-13.pdf", "sourcefile": "handbook.pdf"},
    ),
)
NAMING_A_PAGE = (
    "Hold it (source: handbook.pdf, p. 13).",
    "Hold it. (Source: handbook.pdf, page 13)",
    "Hold it (handbook.pdf, p. 13).",
    "Hold it [handbook.pdf, p. 13].",
    "Hold it [handbook.pdf, Seite 13].",
    "Hold it [handbook.pdf p. 13].",
    "Hold it [handbook.pdf (p. 13)].",
    "Hold it [Source: handbook.pdf, Page 13].",
    "Hold it.\n\nSource: handbook.pdf, page 13",
    "Hold it.\n\n**Source:** handbook.pdf (page 13)",
    "Hold it.\n\n**Sources:**\n- handbook.pdf (p. 13)",
    "Hold it.\n\nSources:\n1. handbook.pdf, p. 13",
    "According to handbook.pdf (p. 13), hold it.",
    "According to page 13 of handbook.pdf, hold it.",
    "> Hold it.\n> \u2014 handbook.pdf, p. 13",
    "Hold it\uff08出典\uff1ahandbook.pdf、13ページ\uff09。",
)


@pytest.mark.parametrize("documents", PAGED)
@pytest.mark.parametrize("answer", NAMING_A_PAGE)
def test_a_page_of_a_file_is_the_passage_of_that_page(answer: str, documents: tuple[Document, ...]) -> None:
    """In ids as five samples write them, and in the metadata of five more."""
    assert _cited(answer, documents) == [documents[1].id]


@pytest.mark.parametrize(
    "answer", ["Hold it (handbook.pdf).", "Hold it [handbook.pdf].", "Hold it.\n\nSources: handbook.pdf"]
)
def test_a_file_alone_is_the_whole_document(answer: str) -> None:
    """Also where only its chunks have ids; with a page that is next to theirs, too."""
    for ids in (("handbook.pdf#p12", "handbook.pdf#p13"), ("handbook.pdf::chunk_0", "handbook.pdf::chunk_1")):
        (one,) = read_citations(answer, _ids(*ids, "benefits.pdf#p1"))
        assert (one.id, one.over_broad, one.others) == (ids[0], True, ids[1:])
    (near,) = read_citations("Hold it (handbook.pdf, p. 14).", PAGED[0])
    assert (near.id, near.over_broad) == ("handbook.pdf#p12", True)


def test_each_file_has_its_own_page() -> None:
    """One that is told for several is that of each that has it."""
    documents = _ids("handbook.pdf#p12", "handbook.pdf#p13", "benefits.pdf#p12", "benefits.pdf#p1")
    for left, right in ("[]", "()"):
        answer = f"Hold it {left}handbook.pdf, p. 13; benefits.pdf, p. 1{right}."
        assert _cited(answer, documents) == ["handbook.pdf#p13", "benefits.pdf#p1"]


SOURCES: tuple[Facts, ...] = (
    {"sourcefile": "garden-manual.pdf"},
    {"sourcepage": "garden-manual.pdf#page=3"},
    {"filepath": "docs/garden-manual.pdf"},
    {"source_uri": "s3://b/garden-manual.pdf"},
    {"x-amz-bedrock-kb-source-uri": "s3://b/garden-manual.pdf"},
    {"location": {"s3Location": {"uri": "s3://b/garden-manual.pdf"}}},
    {"source": {"uri": "gs://b/garden-manual.pdf"}},
    {"document_name": "garden-manual.pdf"},
    {"display_name": "garden-manual.pdf"},
)


@pytest.mark.parametrize("facts", SOURCES)
def test_the_keys_of_samples_name_a_passage(facts: Facts) -> None:
    """A key that nobody reads made every answer of such a service one that cites nothing."""
    documents = _facts(facts, {"source": "other.pdf"})
    for answer in (
        "Two years [garden-manual.pdf].",
        "Two years (garden-manual.pdf).",
        "Two years (docs/other.pdf).",
    ):
        assert _cited(answer, documents) == ([] if "other" in answer else ["a"])


def test_a_heading_is_cited_only_in_brackets_or_behind_a_label() -> None:
    """Its words are those of any aside."""
    documents = _facts({"section": "Annual leave", "heading": "Optional"})
    assert _cited("It is 25 days [Annual leave].", documents) == ["a"]
    assert _cited("It is 25 days (source: Annual leave).", documents) == ["a"]
    for answer in (
        "It is 25 days (Annual leave).",
        "It is [Optional].",
        "See Annual leave.",
        "It is [annual leave].",
    ):
        assert _cited(answer, documents) == []


@pytest.mark.parametrize("documents", [PAGED[0], *PAGED[4:9]])
def test_a_page_that_was_not_retrieved_is_dead_where_all_tell_theirs(documents: tuple[Document, ...]) -> None:
    """Not one of a section or a line, nor one next to those retrieved."""
    for answer in (
        "It is so [handbook.pdf, p. 99].",
        "It is so (handbook.pdf, p. 99).",
        "It is so.\n\nSource: handbook.pdf, p. 99",
    ):
        (dead,) = read_citations(answer, documents)
        assert (dead.cited, dead.id) == ("handbook.pdf, p. 99", None)
    for place in ("section 99", "line 99", "p. 14", "p. 11", "pp. 10-99"):
        assert None not in _cited(f"It is so [handbook.pdf, {place}].", documents)


@pytest.mark.parametrize(
    "documents",
    [
        _ids("handbook.pdf:12", "handbook.pdf:13"),
        _ids("handbook.pdf#12", "handbook.pdf#13"),
        _ids("handbook.pdf::chunk_12", "handbook.pdf::chunk_13"),
        _ids("handbook.html#p12", "handbook.html#p13"),
        _ids("handbook.pdf", "other.pdf"),
        _facts({"source": "handbook.pdf", "page": 12}, {"source": "handbook.pdf"}),
        _facts({"source": "handbook.pdf", "page": "xii"}, {"source": "handbook.pdf", "page": 13}),
        _facts({"source": "handbook.pdf", "page": 12}, text="Page 99. Hold it for ten seconds."),
        _facts({"source": "handbook.pdf", "page_start": 12, "page_end": 99}),
        _facts({"source": "handbook.pdf", "pages": [12, 99]}),
        _facts({"source": "handbook.pdf", "pages": "12-99"}),
        _facts({"source": "handbook.pdf", "pages": 120}),  # so many has the file
        _facts({"source": "handbook.pdf", "pages": "120", "chunk": 4}),
        _facts({"source": "handbook.pdf", "page_start": 20}),
        _facts({"source": "handbook.pdf", "start_page": 20}),
    ],
)
def test_a_page_is_dead_only_where_pages_are_told_for_sure(documents: tuple[Document, ...]) -> None:
    """Numbers of chunks, half of the pages, Roman ones and those in print are no proof."""
    ending = "html" if "html" in (documents[0].id or "") else "pdf"
    assert None not in _cited(f"It is so [handbook.{ending}, p. 99].", documents)


@pytest.mark.parametrize(
    "pages", ["pp. 12, 13", "pages 12 and 13", "Seiten 12, 13", "p. 12, 13", "pp. 12-13", "pp. 12 & 13"]
)
def test_several_pages_of_a_file_are_no_ranks(pages: str) -> None:
    """The second page was the rank of a passage that was not retrieved."""
    for documents in (PAGED[0], PAGED[5]):
        for answer in (
            "It is so [handbook.pdf, {}].",
            "It is so (handbook.pdf, {}).",
            "It is so (Source: handbook.pdf, {}).",
        ):
            (one,) = read_citations(answer.format(pages), documents)
            assert (one.id, one.others) == (documents[0].id, (documents[1].id,))
    assert _cited("It is so [handbook.pdf, p. 12; 1].", _ids("handbook.pdf", "b")) == ["handbook.pdf"]
    assert _cited("It is so [handbook.pdf, p. 12; 2, p. 3].", _ids("handbook.pdf", "b")) == [
        "handbook.pdf",
        "b",
    ]
    assert _cited("It is so [1, p. 12; 2].", _ids("handbook.pdf", "b")) == ["handbook.pdf", "b"]


def test_an_id_of_a_chunk_that_was_not_retrieved_is_dead_though_its_file_is_known() -> None:
    """What is written as the ids are means that chunk."""
    assert _cited("It is so [handbook.pdf:99].", PAGED[2]) == [None]
    assert _cited("It is so [leave.docx#chunk-9].", _ids("leave.docx#chunk-3", "leave.docx#chunk-4")) == [
        None
    ]


def test_an_id_of_a_part_of_a_file_is_itself() -> None:
    """A name behind the file's is one of a chunk where the ids are written so."""
    documents = _ids("faq.md#returns", "faq.md#warranty")
    assert _cited("It is so (see faq.md#returns).", documents) == ["faq.md#returns"]
    assert _cited("It is so [faq.md#warranty].", documents) == ["faq.md#warranty"]
    assert _cited("It is so [faq.md#shipping].", documents) == [None]
    assert _cited("It is so [setup.md#install].", _ids("docs/setup.md", "docs/faq.md")) == ["docs/setup.md"]


def test_a_page_of_a_title_is_never_dead() -> None:
    """Crawlers number every page of a site 1."""
    documents = _facts({"title": "Returns Policy", "page": 1}, {"title": "Returns Policy", "page": 2})
    assert _cited("It is so [Returns Policy, p. 2].", documents) == ["b"]
    assert _cited("It is so (Returns Policy, p. 9).", documents) == ["a"]


@pytest.mark.parametrize(
    "other", ["Staff_Rules.pdf", "staff.pdf", "invoice.pdf (your upload)", "invoice.pdf", "form.pdf", "staff"]
)
def test_a_file_in_the_list_of_sources_that_no_passage_is_called_by_is_not_dead(other: str) -> None:
    """It may be the original of what was indexed, a name in another spelling, or what the user sent."""
    documents = _facts({"source": "hr/handbook.pdf"}, {"source": "Staff Rules.pdf"}, {"source": "staff.md"})
    assert _cited(f"It is so.\n\nSource: {other}", documents) == []
    assert _cited(f"It is so.\n\nSources:\n- handbook.pdf\n- {other}", documents) == ["a"]


def test_how_many_pages_a_file_has_leaves_the_page_of_a_passage_sure() -> None:
    """The number beside it is no page."""
    documents = _facts({"source": "handbook.pdf", "page": 12, "pages": 120})
    for page, expected in ((12, "a"), (99, None), (120, None)):
        assert _cited(f"It is so [handbook.pdf, p. {page}].", documents) == [expected]


@pytest.mark.parametrize(
    "before",
    [
        "Click",
        "Press",
        "Then select",
        "Choose",
        "Open",
        "Tap on",
        "Go to",
        "Klicken Sie auf",
        "Cliquez sur",
        "Open [File Menu] >",
    ],
)
@pytest.mark.parametrize("key", ["section", "heading", "header"])
def test_a_button_that_is_called_like_a_heading_is_no_citation(before: str, key: str) -> None:
    """Who is to press it is not told where something stands."""
    documents = _facts({key: "Account Settings"}, {key: "File Menu"})
    assert _cited(f"{before} [Account Settings] to change it.", documents) == []
    assert _cited(f"{before} [Account Settings].", documents) == []


@pytest.mark.parametrize(
    "before", ["It is 25 days", "Click the red button for ten seconds", "They may choose either"]
)
def test_a_heading_behind_a_statement_cites(before: str) -> None:
    """Also where something is pressed in it."""
    assert _cited(f"{before} [Annual leave].", _facts({"section": "Annual leave"})) == ["a"]


@pytest.mark.parametrize(
    "answer",
    [
        "Based on handbook.pdf, hold it.",
        "See handbook.pdf.",
        "According to handbook.pdf (p. 3), hold it.",
        "As stated in Handbook.pdf, hold it.",
        "Hold it.\n\nSource: see handbook.pdf",
        "According to the Handbook, hold it.",
    ],
)
def test_a_file_with_a_title_of_the_same_name_is_cited_once(answer: str) -> None:
    """The title is no more than the beginning of the file's name there."""
    assert _cited(answer, _facts({"title": "Handbook", "source": "handbook.pdf"})) == ["a"]
    assert _cited("See Handbook.pdf.", _facts({"title": "Handbook"})) == ["a"]
    both = "According to handbook.pdf, hold it. According to the Handbook, wait."
    assert _cited(both, _facts({"title": "Handbook", "source": "handbook.pdf"})) == ["a", "a"]


@pytest.mark.parametrize(
    "answer",
    [
        "Download handbook.pdf from the portal.",
        "Save it as report.pdf (max. 5 MB).",
        "Install it (Node.js) first.",
        "Visit us (acme.com).",
        "Edit `handbook.pdf` and restart.",
        "The file is called handbook.pdf.",
        "Rename invoice.pdf to invoice_13.pdf.",
        "Attach the form (invoice.pdf, max. 2 MB).",
        "Hold it (p. 13).",
        "Turn to page 13.",
        "The manual has 13 pages (PDF).",
        "Hold it (section 13).",
        "Ask for my-handbook.pdf (p. 13).",
    ],
)
def test_a_file_that_is_only_spoken_of_cites_nothing(answer: str) -> None:
    """In running text only what says so makes the name of a chunk's file a citation."""
    assert (
        _cited(answer, (*_ids("handbook.pdf#p12", "handbook.pdf#p13", "Node.js#3", "acme.com#2"), *PAGED[5]))
        == []
    )
