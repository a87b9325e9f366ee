"""What is measured of citations, on answers that show one thing each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules
from ragvigil.scorer.trace import Document, RagTrace
from ragvigil.scorer.verdict import CheckResult

MakeRecord = Callable[..., RagTrace]

OPENING = ("doc-1#1", "The shop opens at nine and closes at noon.")
HISTORY = ("doc-2#1", "It was founded in 1901 by two sisters from Lisbon.")
POOL = ("doc-3#1", "The pool is heated to 28 degrees all year.")


def result(record: RagTrace, check: str, rules: Rules | None = None) -> CheckResult:
    """What one check says."""
    found = run_checks(record, rules=rules) if rules else run_checks(record)
    return {one.check: one for one in found}[check]


PRICE, GUIDE = (
    ("a", "A ticket for the standard tour costs 12 euros."),
    ("b", "The tour has a guide in five languages."),
)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("A ticket for the tour costs 12 euros [1] and has a guide in five languages [2].", 1.0),
        ("A ticket for the tour costs 12 euros [2] and has a guide in five languages [1].", 0.0),
        (
            "According to [1] a ticket for the tour costs 12 euros and by [2] it has a guide in five languages.",
            1.0,
        ),
        ("A ticket for the tour costs 12 euros [1], see also [2].", 0.666667),
    ],
)
def test_each_of_two_citations_in_a_sentence_carries_what_stands_before_it(
    record: MakeRecord, answer: str, value: float
) -> None:
    """Exchanged they carry nothing; where they stand before what they carry nobody knows which is whose."""
    assert result(record(answer, PRICE, GUIDE), "citation_support").value == value


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The shop opens at nine [1]. It was founded in 1901 [2].", 1.0),
        ("The shop opens at nine [1]. It was founded in 1901.", 0.5),
        ("The shop opens at nine. It was founded in 1901.", 0.0),
        ("The shop opens at nine every day, but it closes at noon on all days [1].", 1.0),
        ("The shop opens at nine.\nIt was founded in 1901.\n[1][2]", 1.0),
        ("The shop opens at nine.\n\nIt was founded in 1901.\n[2]", 0.5),
        ("The shop opens at nine.\n\nIt was founded in 1901.\n\n[1][2]", 1.0),
        ("The shop opens at nine.\nIt was founded in 1901.\nSources: [1], [2]", 1.0),
        (
            "- The shop opens at nine\n- It was founded in 1901\n\n**Sources:**\n- [1] Shop\n- [2] History",
            1.0,
        ),
        ("The shop opens at nine.\n\nQuellen:\n1. Laden\n2. Gründung", 1.0),
        ("The shop opens at nine.\n\nSources:\n- doc-1#1\n- doc-2#1 (history)", 1.0),
        ("The shop opens at nine [1]. It was founded in 1901.\n\nSources:\n[1] Shop\n[2] History", 0.5),
        ("The shop opens at nine.\n\nSource: [1]\n\nIt was founded in 1901.", 0.0),
        ("The shop opens at nine.\n\nNotes:\n1. Bring a bag.\n2. Come early.", 0.0),
        ("[1] The shop opens at nine.", 1.0),
        ("A ticket for the pool costs 5 euros and includes:\n- a towel [1]\n- a drink [1]", 1.0),
        ("A ticket for the pool costs 5 euros and includes:\n- a towel\n- a drink [1]", 1 - 2 / 3),
        ("According to doc-1#1, the shop opens at nine.", 1.0),
        ("- The shop opens at nine\n- It was founded in 1901 [2]", 0.5),
        ("# Opening\nThe shop opens at nine [9].", 1.0),
        ("I'm sorry, the passages do not mention this.", None),
        ("Hello!", None),
        ("", None),
    ],
)
def test_coverage_is_the_share_of_claims_that_carry_a_citation(
    record: MakeRecord, answer: str, value: float | None
) -> None:
    """A citation covers its clause, the clauses before it of its sentence, and alone on a line the lines above."""
    found = result(record(answer, OPENING, HISTORY), "citation_coverage")
    assert found.value == value
    assert value == 1.0 or found.reason


@pytest.mark.parametrize(
    ("answer", "precision", "recall"),
    [
        ("The shop opens at nine [1]. It was founded in 1901 by two sisters [2].", 1.0, 1.0),
        ("The shop opens at nine [2]. It was founded in 1901 by two sisters [1].", 0.0, 0.0),
        ("The shop opens at nine [1][2]. It was founded in 1901 by two sisters [2].", 0.666667, 1.0),
        ("The shop opens at nine [1]. It was founded in 1901 by two sisters.", 1.0, 0.5),
        ("The shop opens at nine [7].", 0.0, 0.0),
        ("The emperor of Mars drank purple tea yesterday [1].", 0.0, 0.0),
        ("The shop opens at nine. It was founded in 1901.\n\nSources: [1], [2]", 1.0, 1.0),
        ("The shop opens at nine. It was founded in 1901.\n\nSources:\n[1] Shop\n[3] Pool", 0.5, 0.5),
    ],
)
def test_support_asks_whether_each_passage_carries_its_claim(
    record: MakeRecord, answer: str, precision: float, recall: float
) -> None:
    """Precision over pairs, recall over claims, as ALCE has them."""
    found = result(record(answer, OPENING, HISTORY, POOL), "citation_support")
    assert (found.details["precision"], found.details["recall"]) == (precision, recall)
    total = precision + recall
    assert found.value == pytest.approx(2 * precision * recall / total if total else 0.0, abs=1e-5)


def test_a_page_can_name_the_passage_that_should_have_been_cited(record: MakeRecord) -> None:
    """The claim, what it cites, and what carries it."""
    found = result(record("The shop opens at nine [2].", OPENING, HISTORY), "citation_support")
    assert found.reason == "2 does not carry: The shop opens at nine [2]."
    assert found.details["mismatched"] == [
        {"claim": "The shop opens at nine [2].", "cited": ["2"], "supported_by": ["doc-1#1"]}
    ]


@pytest.mark.parametrize(
    ("check", "answer", "value"),
    [
        ("citations_dead", "It opens at nine [1][7].", 0.5),
        ("citations_dead", "It opens at nine [1].", 0.0),
        ("citations_dead", "It opens at nine.", None),
        ("citations_over_broad", "It opens at nine [doc-1].", 1.0),
        ("citations_over_broad", "It opens at nine [doc-1#1], founded 1901 [doc-2].", 0.5),
        ("citations_over_broad", "It opens at nine [1-3].", 0.0),
        ("citations_over_broad", "It opens at nine [9].", None),
        ("citations_duplicate", "It opens at nine [1][1].", 0.5),
        ("citations_duplicate", "It opens at nine [1]. It closes at noon [1].", 0.0),
        ("citations_duplicate", "It opens at nine.", None),
        ("citation_format", "It opens at nine [1]. It closes at noon [1].", 1.0),
        ("citation_format", "It opens at nine [1]. It closes [2] at noon [doc-1#1].", 2 / 3),
        ("citation_format", "It opens at nine.", None),
        ("citation_format", "It opens at nine [1]. It closes at noon [2].\n\nSources: doc-1#1, doc-2#1", 1.0),
        ("citation_format", "It opens at nine.\n\nSources: doc-1#1, doc-2#1", 1.0),
    ],
)
def test_form_of_citations(record: MakeRecord, check: str, answer: str, value: float | None) -> None:
    """Dead, over-broad, duplicate, mixed."""
    found = result(record(answer, OPENING, HISTORY, POOL), check)
    assert found.value == (None if value is None else pytest.approx(value))


def test_a_marker_that_cites_half_of_many_passages_is_over_broad(record: MakeRecord) -> None:
    """Five at least."""
    passages = [(f"p-{place}", f"Passage {place} is about thing {place}.") for place in range(8)]
    assert result(record("All agree on it [1-6].", *passages), "citations_over_broad").value == 1.0
    assert result(record("All agree on it [1-4].", *passages), "citations_over_broad").value == 0.0


def test_the_usual_style_of_a_service_is_a_setting(record: MakeRecord) -> None:
    """An answer that consistently cites otherwise has drifted."""
    drifted = record("It opens at nine [1]. It closes at noon [1].", OPENING)
    found = result(drifted, "citation_format", Rules(usual="id"))
    assert (found.value, found.reason) == (0.0, "cites as ordinal, usually as id")


def test_styles_that_a_service_does_not_use_are_not_read(record: MakeRecord) -> None:
    """Numbers in brackets may be something else there."""
    one = record("Paragraph [1] applies [doc-1#1].", OPENING)
    found = result(one, "citations_present", Rules(styles=frozenset({"id"})))
    assert found.details["styles"] == ["id"]


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('It says "the shop opens at nine" [1].', 1.0),
        ("It says “The shop opens at nine …”.", 1.0),
        ("It says “the shop … closes at noon”.", 1.0),
        ("It says “closes at noon … the shop opens”.", 0.0),
        ("It says «the shop opens at ten and closes».", 0.0),
        ('It says "the shop opens at nine" [2].', 0.0),
        ('It says "[the] shop opens at [9]" and "was founded in 1901 by two".', 1.0),
        ('The "open door" is closed.', None),
        ('Use `print("the shop opens at ten")`.', None),
        ('You asked "what does the shop sell"; it sells pens.', None),
        ("Nothing is quoted.", None),
        ("It says \u2018the shop opens at nine\u2019.", 1.0),
        ("It says \u2018the shop doesn\u2019t open at nine\u2019.", 0.0),
        ("It says 'the shop opens at nine' [1].", 1.0),
        ("It says 'the shop opens at ten' [1].", 0.0),
        ("It says »the shop opens at nine«.", 1.0),
        ("Il dit \u2039the shop opens at ten\u203a.", 0.0),
        ('Es sagt „the shop opens at ten".', 0.0),
        ("It says \u201athe shop opens at ten\u2018.", 0.0),
        ('It says "the shop opens\nat nine and closes".', 1.0),
        ('It says "the shop opens\nat ten and closes".', 0.0),
        ("The sign says:\n> The shop opens at nine\n> and closes at noon.\n\nIt is true.", 1.0),
        ("The sign says:\n> The shop opens at ten\n> and closes at noon.", 0.0),
        ("> The shop never closes at noon.\n> — the sign at the door", 0.0),
        ("It says “hop opens at nine and closes”.", 0.0),
        ("It says “[t]he shop opens at nine” and “shop opens at nin[e]”.", 1.0),
        ("It says “the shop opens at nine and close”.", 0.0),
        ("The shops' owners open the sisters' door; it's the owners' day.", None),
        ('The 12" pipe and the 14" pipe are sold in boxes of ten.', None),
        ('The "door" of the shop that opens at ten is a "gate".', None),
        ("The «oui» of the shop that opens at ten is no «non».", None),
        ("'Tis the season for all the shops' sales, in the '90s too.", None),
        ("> **Note:** the shop opens at ten on some of the days.", None),
        ("It opens:\n> Tip: the shop opens at ten on some days.", None),
        ('- He said "yes\n- She said "no to all of it', None),
        ('Search for "the shop opens at ten" in the portal.', None),
        ('Open the portal and type "where is the shop open" there.', None),
        ('If someone asks "may I pay by card?", say yes.', None),
        ('If customers ask, "the shop opens at ten" is what the manual says.', 0.0),
        ('If a customer asks: "the shop opens at ten" [1].', 0.0),
        ('If they ask you, "the shop opens at ten".', 0.0),
        ('Ask "the shop opens at ten" [1].', 0.0),
        ('It says, ask "the shop opens at ten".', 0.0),
        ('Such "the shop opens at ten" is stated.', 0.0),
        ('Such im Portal nach "Stifte und andere Sachen".', None),
        ('Such nach "Stifte und andere Sachen".', None),
        ('Use the subject line "Request for a new pen".', None),
        ('Suchen Sie im Portal nach "Stifte und andere Sachen".', None),
        ("Recherchez «\xa0stylos de toutes les couleurs\xa0».", None),
        ('Busque "plumas de todos los colores" en el portal.', None),
        ('Search for "the shop opens at nine"; it says "the shop opens at ten".', 0.5),
        ('The sign says to enter "through the second gate only".', 0.0),
        ('They searched for "the shop that never opens again".', 0.0),
        ('The sign says: "Ask the staff for a pen".', 0.0),
        ('The text you search for "the shop opens at ten" is there.', 0.0),
    ],
)
def test_quotations_stand_in_the_evidence_word_by_word(
    record: MakeRecord, answer: str, value: float | None
) -> None:
    """In the cited passage, where one is cited; typographic quotes and ellipses are understood."""
    one = record(answer, OPENING, HISTORY, query="What does the shop sell?")
    assert result(one, "quotes_verbatim").value == value


def test_one_marker_covers_so_many_statements_and_no_more(record: MakeRecord) -> None:
    """Else thousands of markers below thousands of lines were millions of pairs; the nearest lines count."""
    answer = "The shop opens at nine.\n" * 500 + "[1] " * 300
    prepared = Prepared(record(answer, OPENING))
    assert sorted(prepared.attribution) == list(range(300, 500))
    assert {len(cited) for cited in prepared.attribution.values()} <= {1, 299, 300}


def test_markers_in_the_middle_of_a_sentence_cover_what_stands_before_them(record: MakeRecord) -> None:
    """Also many of them, with words between, white space or nothing."""
    for gap in (" and at ten ", " ", ""):
        prepared = Prepared(record(f"The shop opens at nine{gap}" + f"[1]{gap}" * 50 + ".", OPENING))
        assert {place: len(cited) for place, cited in prepared.attribution.items()} == {0: 50}


HANDBOOK = (
    Document(
        "h7",
        "The pool is heated to 28 degrees all year.",
        rank=1,
        metadata={"source": "hr/book.pdf", "page": 3},
    ),
    Document(
        "h9",
        "The shop opens at nine and closes at noon.",
        rank=2,
        metadata={"source": "hr/book.pdf", "page": 4},
    ),
)


@pytest.mark.parametrize(
    ("marker", "support", "broad"),
    [("[book.pdf]", 1.0, 1.0), ("[book.pdf, page 4]", 1.0, 0.0), ("[h7]", 0.0, 0.0)],
)
def test_a_file_carries_what_any_of_its_chunks_carries(
    record: MakeRecord, marker: str, support: float, broad: float
) -> None:
    """Services that cite files, not chunks; a page tells which."""
    one = replace(record(f"The shop opens at nine and closes at noon {marker}."), documents=HANDBOOK)
    assert result(one, "citation_support").value == support
    assert result(one, "citations_over_broad").value == broad
    assert result(one, "citation_correctness").value == 1.0


@pytest.mark.parametrize(
    ("answer", "rules", "cited"),
    [
        ("The shop opens at nine [0].", Rules(), ["doc-1#1"]),
        ("The shop opens at nine [1].", Rules(), ["doc-1#1"]),
        ("The shop opens at nine [1].", Rules(counts_from=0), ["doc-2#1"]),
        ("The shop opens at nine [0].", Rules(counts_from=1), []),
        ("The shop opens at nine [0]. It was founded in 1901 [3].", Rules(), ["doc-3#1"]),
    ],
)
def test_answers_may_count_passages_from_naught(
    record: MakeRecord, answer: str, rules: Rules, cited: list[str]
) -> None:
    """As the settings say; else where the first is cited as [0], and the last not by counting from 1."""
    one = record(answer, OPENING, HISTORY, POOL)
    assert [one.id for one in Prepared(one, rules=rules).citations if one.id] == cited


def test_a_claim_within_a_link_or_tag_stays_a_claim(record: MakeRecord) -> None:
    """Only the mark around it is the citation."""
    for answer in (
        "[The shop opens at nine](#doc-1#1).",
        '<cite id="doc-1#1">The shop opens at nine.</cite>',
    ):
        one = Prepared(record(answer, OPENING))
        assert [citation.id for citation in one.citations] == ["doc-1#1"]
        assert one.bears_claims
        assert result(record(answer, OPENING), "citation_coverage").value == 1.0


@pytest.mark.parametrize(
    ("line", "cited"),
    [
        ("Source: a friend", []),
        ("Source: b", ["b"]),
        ("Source: kb-7, p. 2", ["kb-7"]),
    ],
)
def test_a_word_behind_source_is_an_id_only_if_it_can_be_nothing_else(
    record: MakeRecord, line: str, cited: list[str]
) -> None:
    """Unless it stands alone there."""
    one = record(f"The shop opens at nine.\n\n{line}", ("a", "x"), ("b", "y"), ("3", "z"), ("kb-7", "w"))
    assert [citation.id for citation in Prepared(one).citations] == cited


@pytest.mark.parametrize(
    "line",
    [
        "Sources: kb-7, faq-returns",
        "**Sources:** kb-7, faq-returns",
        "Sources: `kb-7`, `faq-returns`",
        "Sources: kb-7 and faq-returns",
        "Sources:\n- kb-7\n- faq-returns",
        "Sources:\n- `kb-7`\n- `faq-returns`",
        "Source documents: kb-7, faq-returns",
        "Source(s): kb-7, faq-returns",
        "\U0001f4da Sources: kb-7, faq-returns",
        "Quellen: kb-7, faq-returns",
        "Fuentes: kb-7 y faq-returns",
        "Źródła: kb-7, faq-returns",
        "来源：kb-7、faq-returns",  # noqa: RUF001 - Chinese
        "المصادر: kb-7، faq-returns",
    ],
)
def test_a_list_of_sources_names_each_of_them(record: MakeRecord, line: str) -> None:
    """Also those that running text would not tell from words, and no list of sources is a claim."""
    one = record(f"The shop opens at nine.\n\n{line}", ("kb-7", "It opens at nine."), ("faq-returns", "x"))
    prepared = Prepared(one)
    assert [citation.id for citation in prepared.citations] == ["kb-7", "faq-returns"]
    assert len({citation.style for citation in prepared.citations}) == 1
    assert [statement.text for statement in prepared.statements if statement.checkworthy] == [
        "The shop opens at nine."
    ]
    assert result(one, "citation_coverage").value == 1.0


def test_what_is_told_elsewhere_leaves_a_list_of_sources_as_it_was(record: MakeRecord) -> None:
    """An id in running text is one citation, and a dead one beside a list stays dead."""
    one = record(
        "As kb-7 says, it opens at nine.\n\nSources: faq-returns", ("kb-7", "x"), ("faq-returns", "y")
    )
    assert [citation.id for citation in Prepared(one).citations] == ["kb-7"]
    dead = record("It opens at nine.\n\nSources: kb-7, kb-9", ("kb-7", "x"), ("kb-8", "y"))
    assert [(citation.cited, citation.id) for citation in Prepared(dead).citations] == [
        ("kb-7", "kb-7"),
        ("kb-9", None),
    ]


@pytest.mark.parametrize("check", ["citation_correctness", "citations_present"])
def test_whom_to_ask_behind_a_refusal_owes_no_citation(record: MakeRecord, check: str) -> None:
    """Even with a number to call; what else an answer states still does."""
    refusal = "The documents do not contain any information about rental cars."
    passage = ("a", "Call 0800 123 4567 from nine to five.")
    call = "Please contact our support team at 0800 123 4567."
    assert result(record(f"{refusal} {call}", passage), check).value is None
    asked = record(f"{refusal} {call}", passage, query="Do you rent electric cars abroad?")
    assert result(asked, "missing_refusal").value == 0.0
    assert result(record(f"{refusal} {call} The shop opens at nine.", passage), check).value == 0.0
    assert result(record(f"The shop opens at nine. {call}", passage), check).value == 0.0


LAPTOP = ("laptop", "A laptop costs at most 1,500 euros.")
MEAL = ("meal", "Meals are paid up to 30 euros a day.")


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("A laptop costs at most 1,500 euros [laptop].", 1.0),
        ("A laptop costs at most 1,500 euros [laptop] [sic].", 1.0),
        ("A laptop costs at most 1,500 euros [laptop] [policy-7].", 0.5),
        ("A laptop costs at most 1,500 euros [laptop] [remote].", 0.5),
        ("A laptop costs at most 1,500 euros [laptop][handbook-2019-842].", 0.5),
        ("A laptop costs at most 1,500 euros [remote].", 0.0),
    ],
)
def test_an_invented_citation_counts_where_ids_are_words(
    record: MakeRecord, answer: str, value: float
) -> None:
    """It passed in silence: a word in brackets could be no id."""
    assert result(record(answer, LAPTOP, MEAL), "citation_correctness").value == value


def test_an_invented_citation_in_words_is_no_part_of_its_claim(record: MakeRecord) -> None:
    """The number in it made a true claim unsupported."""
    probation = ("probation", "Probation lasts 5 months for all new hires.")
    one = Prepared(record("Probation lasts 5 months for all new hires. [handbook-2019-842]", probation))
    (statement,) = one.statements
    assert "842" not in statement.text
    assert [claim.verdict for claim in one.assessment.claims] == ["supported"]


def test_a_word_in_brackets_is_an_id_where_the_settings_say_that_ids_are_usual(record: MakeRecord) -> None:
    """Nothing else is cited in the answer, and the retrieved ids are slugs."""
    one = record("Overtime is paid twice [overtime].", ("annual-leave", "You have 28 days."))
    assert result(one, "citation_correctness").details.get("not_retrieved", []) == []
    found = result(one, "citation_correctness", Rules(usual="id"))
    assert found.details["not_retrieved"] == ["overtime"]
