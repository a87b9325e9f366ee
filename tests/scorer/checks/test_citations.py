"""Which markers of an answer are citations, and of what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.checks.reading.citations import read_citations
from ragvigil.scorer.checks.reading.citing.lists import ASIDES as REMARKS
from ragvigil.scorer.checks.reading.citing.lists import OWNERS as BEFORE
from ragvigil.scorer.checks.reading.citing.lists import POINTERS
from ragvigil.scorer.trace import Document
from ragvigil.tracer._asides import ASIDES, OWNERS
from ragvigil.tracer._citations import LABELS

DOCUMENTS = (
    Document("doc-3#1", "one", rank=1, metadata={"url": "https://shop.example/opening"}),
    Document("doc-5#2", "two", rank=2),
    Document("kb_guide", "three", rank=3),
)

CITED = {
    "It opens [doc-3#1].": ["doc-3#1"],
    "It opens [DOC-3#1].": ["doc-3#1"],
    "It opens [doc-3#1, doc-5#2].": ["doc-3#1", "doc-5#2"],
    "It opens [doc-3#1; kb_guide].": ["doc-3#1", "kb_guide"],
    "It opens [source: doc-5#2].": ["doc-5#2"],
    "It opens ['doc-5#2'].": ["doc-5#2"],
    "It opens [1].": ["doc-3#1"],
    "It opens.[1][3]": ["doc-3#1", "kb_guide"],
    "It opens [1, 3].": ["doc-3#1", "kb_guide"],
    "It opens [1-3].": ["doc-3#1", "doc-5#2", "kb_guide"],
    "It opens [1\u20133].": ["doc-3#1", "doc-5#2", "kb_guide"],
    "It opens [Passage 2].": ["doc-5#2"],
    "It opens (Passage 2).": ["doc-5#2"],
    "It opens (doc-5#2).": ["doc-5#2"],
    "It opens (source: kb_guide).": ["kb_guide"],
    "It opens 【3†source】.": ["kb_guide"],
    "It opens 【4:0†opening.pdf】.": ["doc-3#1"],
    "It opens 【kb_guide】.": ["kb_guide"],
    "It opens [^2].": ["doc-5#2"],
    "It opens [^a].\n\n[^a]: see doc-5#2, page 3": ["doc-5#2"],
    "It opens [1].\n\n[1]: https://shop.example/opening/": ["doc-3#1"],
    "It opens, as [they say](https://shop.example/opening#hours).": ["doc-3#1"],
    "It opens [[1]](https://shop.example/opening).": ["doc-3#1"],
    "It opens [2](#ref-2).": ["doc-5#2"],
    "It opens [see doc](kb_guide).": ["kb_guide"],
    "It opens at *nine* [1].": ["doc-3#1"],
    "*It opens at nine.* [1]": ["doc-3#1"],
    "It opens at *nine*[1].": ["doc-3#1"],
    "It opens at _nine_[1].": ["doc-3#1"],
    "It opens at nine[1][3].": ["doc-3#1", "kb_guide"],
    "It opens *[1]*.": ["doc-3#1"],
    "*It opens [1]*": ["doc-3#1"],
    "***It opens [2]***": ["doc-5#2"],
    "It opens at <b>nine</b> [1].": ["doc-3#1"],
    "It opens at nine<br>[1]": ["doc-3#1"],
    "<p>It opens.</p> [1] <p>[2]</p>": ["doc-3#1", "doc-5#2"],
    "See https://example.com/ [1].": ["doc-3#1"],
    "See https://example.com/?day=[1].": ["doc-3#1"],
    "See www.example.com/a/[1].": ["doc-3#1"],
    "See example.com[1].": ["doc-3#1"],
    "It is written in C++ [1] and C++[2].": ["doc-3#1", "doc-5#2"],
    "It is open to those of 18+ [1].": ["doc-3#1"],
    "It has a warranty[1](24 months).": ["doc-3#1"],
    "* [1] says so\n+ [2] too\n> [3] as well": ["doc-3#1", "doc-5#2", "kb_guide"],
    "Opening\n=======\n[1] It opens.": ["doc-3#1"],
    "Customers may file returns [1, 2].": ["doc-3#1", "doc-5#2"],
    "Several values [2, 3] were reported.": ["doc-5#2", "kb_guide"],
    "The results [1, 2] agree, and, as a result [1, 3], so do we.": [
        "doc-3#1",
        "doc-5#2",
        "doc-3#1",
        "kb_guide",
    ],
    "It opens at nine.\n\n[1, 2]": ["doc-3#1", "doc-5#2"],
    "Dear {{name}}, it opens {{cite: 2}} {{cite:kb_guide}}.": ["doc-5#2", "kb_guide"],
    "It opens[web:1][web:3].": ["doc-3#1", "kb_guide"],
    "It opens :contentReference[oaicite:1]{index=1}.": ["doc-5#2"],
    "It opens [CONTEXT 0] and shuts [CONTEXT 2].": ["doc-3#1", "kb_guide"],
    "It opens [**1**][**2**] \u30143\u3015.": ["doc-3#1", "doc-5#2", "kb_guide"],
    "It opens <co>1</co> <co>2,3</co>.": ["doc-3#1", "doc-5#2", "kb_guide"],
    '<span data-id="doc-5#2">The library opens at nine every day.</span>': ["doc-5#2"],
    "It opens [1].\n\n[^]: matches any character\n": ["doc-3#1"],
    "§ 573 sagt es [1].\n§ 573c auch [2].\n§ 568 nicht [3].": ["doc-3#1", "doc-5#2", "kb_guide"],
    "①と②です。\n\n①九時に開く[2]。\n②六時に閉まる[3]。": ["doc-5#2", "kb_guide"],
    "九时开门①。\n\n参考资料\uff1a\n① doc-5#2": ["doc-5#2"],
    "In Lucene, document 0 is the first [2]; the rest [2, 3].": ["doc-5#2", "doc-5#2", "kb_guide"],
    "So [1, 2].\n\n[1]: The handbook of the city, 2024 ed.\n[2]: The rules, vol. 3.": ["doc-3#1", "doc-5#2"],
    "It opens [^1].\n\n[1]: Handbook of the museum kb_guide.": ["kb_guide"],
    "Both Windows 11 and [1, 2] explain why.": ["doc-3#1", "doc-5#2"],
    "It may **end** or *not*[^*].\n\n[^*]: kb_guide": ["kb_guide"],
    'It opens <a href="https://shop.example/opening"><sup>4</sup></a>.': ["doc-3#1"],
    "开门时间为九点【文档1】。": ["doc-3#1"],
    "It has 2 rooms [1] and 20 seats [2], [3].": ["doc-3#1", "doc-5#2", "kb_guide"],
    "九時に開きます[資料2]。": ["doc-5#2"],
    "Mở cửa lúc chín giờ [Đoạn 2].": ["doc-5#2"],
    "It opens [1][shop].\n\n[shop]: https://shop.example/opening": ["doc-3#1"],
    "It is open 20 h[^b].\n\n[^b]: kb_guide": ["kb_guide"],
    "It costs 8 ct/kWh[1] at 230 °C[2] and $9/month[3].": ["doc-3#1", "doc-5#2", "kb_guide"],
    "Es wiegt 10.100 t² und misst 30 m².": ["doc-5#2"],
    "It opens at nine.\n\n**Sources consulted**\n\n* kb_guide": ["kb_guide"],
    "kb_guide#4によると、9時です。doc-5#2も参照。": ["doc-5#2"],
}
DEAD = {
    "It opens [doc-9#4].": ["doc-9#4"],
    "It opens [kb_other].": ["kb_other"],
    "It opens [7].": ["7"],
    "It opens [^9].": ["^9"],
    "It opens 【9†source】.": ["9"],
    "It opens (source: doc-9#4).": ["doc-9#4"],
    "It opens [here](https://elsewhere.example/).": ["https://elsewhere.example/"],
    "It opens [3f2504e0-4f89-11d3-9a0c-0305e82c3301].": ["3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
}
TRAPS = [
    "Use `rows[1]` for the first.",
    "```python\nrows[1] = [1, 2]\n```",
    "```\nunclosed [1]",
    "~~~\n[doc-3#1]\n~~~",
    "x = [1, 2]",
    "x= [1] and y =[2]",
    "The sum 2 * [1, 2] + x * [1] and 3*[2]",
    "x > [1] and x < [2]",
    "A \\ [1] and A \u222a [1]",
    ">>> [1, 2]",
    "It holds that f(x) -> [1, 2] and g(x) => [1].",
    "First callbacks[1](event, context) is called.",
    "A vector<int> [1, 2] and List<str>[1] differ.",
    "The regexes [1]+ and [1-3]* and x[1]*2 match.",
    "It prints a list:\n[1, 2]",
    "Then print it.\n[1, 2]\nThen end.",
    "The function returns [1, 2] and `f` returns [2, 3].",
    "These values [0, 1] and results [1, 9] are floats.",
    "Results: [1, 2]",
    "The sorted list [1, 2] is a set [1, 0].",
    "x^[2] and a/[1] and a+[1]",
    "Take obj.attr[1] and __init__[1].",
    "- [ ] buy *milk*\n* [x] sell bread",
    "The array [1, 2] is sorted.",
    "It returns [1, 2, 3].",
    "Call print([1, 2]) first.",
    "The pair [1, 2] is sorted.",
    "A number in [0, 1] is drawn.",
    "The matrix [[1, 2], [3, 4]] is square.",
    '{"ids": [1, 2]}',
    "He said it [sic] twice.",
    "It was [redacted] by them.",
    "He wrote [emphasis added].",
    "- [ ] buy milk\n- [x] sell bread",
    "It began [2019] and went on.",
    "At [12:30] it rang; at [00:01:30] it ended.",
    "The pattern [a-z] and [A-Za-z] match letters.",
    "It is [COVID-19] that they mean.",
    "An image ![chart](https://shop.example/opening) shows it.",
    "It costs (about 3 euros) more.",
    "It is open (see below).",
    "Brackets [] and () and 【】 are empty.",
    "Read [the manual](https://example.org/manual) first.",
    "Set the timer to [2] minutes.",
    "Your reference is [REF-2291].",
    "① Open it. ② Shut it.",
    "Name your claim [e.g. kb_2025-000-123].",
    "It holds {{name}} and {url: here}.",
    "The payload is {id: 1}.",
    "The recommendation is strong (level of evidence 2).",
    "Your reference number: 5.",
    "The query returned rows (results: 3), in counts [results: 3].",
    "请先完成步骤①\uff0c再完成步骤②。",
    '<cite data-lang="1">Hamlet</cite> <doc data-count="2">words of text</doc>',
    "Maximise 3 x[1] + 2 x[2].",
    "See annex [2], Anlage [3] and anexo [1].",
]


@pytest.mark.parametrize(("answer", "ids"), CITED.items(), ids=lambda value: str(value)[:30])
def test_every_style_of_citation_is_resolved(answer: str, ids: list[str]) -> None:
    """Ids, ordinals, ranges, tool markers, footnotes, links and parentheses name retrieved passages."""
    assert [citation.id for citation in read_citations(answer, DOCUMENTS)] == ids


def test_a_word_for_passage_without_case_is_no_id_of_letters() -> None:
    """Ids such as d1 have small letters."""
    plain = [Document("d1", "x", rank=1), Document("d2", "y", rank=2)]
    assert [one.id for one in read_citations("九時に開きます[資料2]。", plain)] == ["d2"]


@pytest.mark.parametrize(("answer", "cited"), DEAD.items(), ids=lambda value: str(value)[:30])
def test_a_citation_of_what_was_not_retrieved_is_seen(answer: str, cited: list[str]) -> None:
    """It counts as a citation without a passage."""
    found = read_citations(answer, DOCUMENTS)
    assert [(citation.cited, citation.id) for citation in found] == [(name, None) for name in cited]


@pytest.mark.parametrize("answer", TRAPS)
def test_what_only_looks_like_a_citation_is_none(answer: str) -> None:
    """Code, arrays, JSON, checkboxes, times, prose in brackets, pictures and other links."""
    without_addresses = tuple(
        Document(document.id, document.text, rank=document.rank) for document in DOCUMENTS
    )
    assert read_citations(answer, without_addresses) == ()


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("It costs 11 euros [garden-65].", ["garden-65"]),
        ("It costs 11 euros [faq-65]", ["faq-65"]),
        ("It costs 11 euros [faq-65][lamp-2].", ["faq-65", "lamp-2"]),
        ("It costs 11 euros [faq-65] and is blue.", []),
        ("It is encoded [UTF-8].", []),
        ("It costs 11 euros [K12].", []),
        ("The kettle[faq-65].", []),
        ("From page to page [3-4].", []),
    ],
)
def test_a_word_written_as_the_ids_are_that_closes_a_statement_is_an_id(text: str, cited: list[str]) -> None:
    """It was taken for part of the claim, so that an answer from its passage was failed for the number in it."""
    documents = (Document("kettle-price", "It costs 11 euros.", rank=1), Document("lamp", None, rank=2))
    found = read_citations(text, documents)
    assert [one.cited for one in found if one.id is None and one.style == "id"] == cited


def test_a_document_id_that_matches_chunks_is_valid_but_over_broad() -> None:
    """rubrics G4."""
    (citation,) = read_citations("It opens [doc-3].", DOCUMENTS)
    assert (citation.id, citation.over_broad) == ("doc-3#1", True)


def test_a_known_numeric_id_wins_over_the_ordinal() -> None:
    """Passage ids may be numbers themselves."""
    documents = (Document("7", "x", rank=1), Document("1", "y", rank=2))
    assert [citation.id for citation in read_citations("a [1] b [7]", documents)] == ["1", "7"]


def test_a_passage_without_an_id_is_cited_by_its_rank() -> None:
    """Evidence without ids is named ``#rank`` everywhere."""
    assert [
        citation.id
        for citation in read_citations("a [2]", (Document(None, "x"), Document(None, "y", rank=2)))
    ] == ["#2"]


def test_the_offsets_are_those_of_the_marker() -> None:
    """Also with characters outside the basic plane before it."""
    answer = "😀 naïve [1] and 【2†source】"
    markers = [answer[citation.start : citation.end] for citation in read_citations(answer, DOCUMENTS)]
    assert markers == ["[1]", "【2†source】"]


@given(st.text(alphabet=st.sampled_from("[]()【】†^:#`*-,; \n!123adoc😀一")))
def test_any_text_is_read_without_an_error(answer: str) -> None:
    """Offsets lie in the answer, and ids among the passages."""
    ids = {document.id for document in DOCUMENTS}
    for citation in read_citations(answer, DOCUMENTS):
        assert 0 <= citation.start < citation.end <= len(answer)
        assert citation.id is None or citation.id in ids


@pytest.mark.parametrize(
    ("ids", "answer", "expected"),
    [
        (("p10", "p12"), "Yes [p2].", [("p2", None)]),
        (("doc10", "doc12"), "Yes [doc2].", [("doc2", None)]),
        (("s10", "s12"), "Yes [s1].", [("s1", None)]),
        (("a-first", "b-second"), "Yes [Passage 2].", [("Passage 2", "b-second")]),
        (("intro", "setup"), "Yes [intro, install].", [("intro", "intro"), ("install", None)]),
        (("a", "b"), "Yes [a, c].", [("a", "a"), ("c", None)]),
        (("intro", "setup"), "Yes [see above, and more].", []),
        (("doc:1:chunk:2", "doc:1:chunk:1"), "Yes [doc:9:chunk:1].", [("doc:9:chunk:1", None)]),
        (("doc:1:chunk:2", "doc:1:chunk:1"), "Yes [doc: 2].", [("2", "doc:1:chunk:1")]),
        (("10", "11", "12"), "Yes [10-12].", [("10", "10"), ("11", "11"), ("12", "12")]),
        (("10", "12"), "Yes [10-12].", [("10", "10"), ("11", None), ("12", "12")]),
        (("a", "b"), "Yes [1-200].", [("1", "a"), ("2", "b"), ("1-200", None)]),
        (("a", "b", "c"), "Yes [3-1].", [("1", "a"), ("2", "b"), ("3", "c")]),
        (("a", "b"), "They won [3-1] on pages [100-200].", []),
        (
            ("a", "b", "c"),
            "Yes [1 to 3], [1 bis 2].",
            [("1", "a"), ("2", "b"), ("3", "c"), ("1", "a"), ("2", "b")],
        ),
        (("a", "b", "c"), "Wait [2 to 3 weeks] or [1 to many].", []),
        (
            ("chunk[1]", "b", "c"),
            "Yes chunk[1], [chunk[1]], [chunk[3]] and x[3].",
            [("chunk[1]", "chunk[1]"), ("chunk[1]", "chunk[1]"), ("chunk[3]", None)],
        ),
    ],
)
def test_an_id_that_looks_like_those_retrieved_is_an_id_and_no_rank(
    ids: tuple[str, ...], answer: str, expected: list[tuple[str, str | None]]
) -> None:
    """An id that was never retrieved must not pass because its number is a rank, or vanish beside a known one."""
    documents = tuple(Document(key, "text", rank=rank) for rank, key in enumerate(ids, 1))
    assert [(citation.cited, citation.id) for citation in read_citations(answer, documents)] == expected


@pytest.mark.parametrize(
    ("ids", "answer", "expected"),
    [
        (("PMID:31415926", "b"), "Yes (PMID: 31415926).", ["PMID:31415926"]),
        (("chunk_007", "b"), "Yes [chunk-7].", ["chunk_007"]),
        (("docs/setup.md", "b"), "Yes [setup.md#L10-L20], no [docs/upgrade.md].", ["docs/setup.md", None]),
        (("doc-1", "doc-2"), "Yes [doc\u20111], `[doc-2]`.", ["doc-1", "doc-2"]),
        (("S1", "S2", "S3"), "Yes [S1-S3].", ["S1", "S2", "S3"]),
        (("0", "1", "2"), "Yes [2], no [3].", ["2", None]),
        (("a", "b", "c"), "In step [3] press it, see rows [1] and [2].", []),
        (("a", "b", "c"), "What about? [1] Billing [2] Support", []),
        (("a", "b", "c"), "What about?\n\n[1] Billing\n[2] Support", []),
        (("doc-1", "b"), "2025-02-11 12:30:45 ERROR [worker-3] reset", []),
        (("doc-1", "b"), 'Send {"ids": ["doc-1"]} by POST.', []),
        (("doc-1", "b"), "Only error [E-17] is harmless [doc-1].", ["doc-1"]),
        (("doc-1", "b"), "Write <code>[1]</code> there.", []),
        (("doc-1", "b"), "It serves [4] people [doc-1].", ["doc-1"]),
        (("a", "b"), "Nine [a], noon [1].\n\n[1] b\n", ["a", "b"]),
        (("a", "b"), "From [0, 2) to [1, 2].", []),
    ],
)
def test_ids_are_known_as_models_rewrite_them_and_data_are_told_from_them(
    ids: tuple[str, ...], answer: str, expected: list[str | None]
) -> None:
    """A wrong mark pages somebody, and so does an id that was not known again."""
    documents = tuple(Document(key, "text", rank=rank) for rank, key in enumerate(ids, 1))
    assert [citation.id for citation in read_citations(answer, documents)] == expected


def test_a_link_cites_only_where_passages_come_from_the_web() -> None:
    """What a passage itself links to, and where the passages are files, is help, not a source."""
    answer = "Book at [our site](https://book.example/now)."
    page = Document("https://a.example/1", "Nothing.", rank=1)
    told = Document("https://a.example/1", "Book at https://book.example/now today.", rank=1)
    file = Document("c1", "Nothing.", rank=1, metadata={"source": "handbook.pdf"})
    assert [[one.id for one in read_citations(answer, [document])] for document in (page, told, file)] == [
        [None],
        [],
        [],
    ]


def test_the_tracer_knows_the_same_words_before_a_rank() -> None:
    """The tracer imports nothing of the scorer, nor the scorer this of the tracer, so each has a list of its own."""
    assert POINTERS | {"cite"} == LABELS
    assert (REMARKS, BEFORE) == (ASIDES, OWNERS)


def test_a_name_that_a_passage_itself_tells_of_is_no_dead_id() -> None:
    """Nor is a number behind an abbreviation that goes on; one written as the ids are is that closes a statement."""
    known = (Document("KB0009911", "It fails after patch KB5034441.", rank=1), Document("3301", None, rank=2))
    answers = (
        "KB0009911 is about KB5034441.",
        "KB0009911 is about KB5034442.",
        "UN [3480] applies.",
        "It applies [3480].",
    )
    assert [[one.cited for one in read_citations(answer, known)] for answer in answers] == [
        ["KB0009911"],
        ["KB0009911", "KB5034442"],
        [],
        ["3480"],
    ]


def test_the_names_of_files_with_spaces_and_parentheses_are_read_with_their_pages() -> None:
    """In brackets, in parentheses, in notes, in ranges of padded numbers, and as the targets of links."""
    rows = (
        "Retention (EU).pdf",
        "Owner's Manual.pdf",
        "src/lru.py",
        "chunk-0008",
        "chunk-0009",
        "9e21aa",
        "7f00c1",
    )
    known = [Document(one, None, rank=rank) for rank, one in enumerate(rows, 1)]
    cited = {
        "It is kept (Retention (EU).pdf, p. 7).": [rows[0]],
        "Tighten it [Owner's Manual.pdf - Page 40].": [rows[1]],
        "Tighten it [1].\n\nSources\n[1] Owner's Manual.pdf (p. 88)": [rows[1]],
        "See [`lru.py`](src/lru.py#L40).": [rows[2]],
        "Both say so [chunk-0008\u2013chunk-0009].": [rows[3], rows[4]],
        "Both say so [9e21aa][00ff12].": [rows[5], None],
    }
    assert {answer: [one.id for one in read_citations(answer, known)] for answer in cited} == cited
