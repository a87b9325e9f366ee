"""Claims of an answer, with exact places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.scorer.checks.reading_claims import claims

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.checks.reading.claims import MOST_SENTENCES, read_statements
from ragvigil.scorer.checks.reading.refusal import refuses
from ragvigil.scorer.trace import RagTrace


def test_sentences_are_claims() -> None:
    """Abbreviations, initials and decimals end no sentence."""
    answer = "Dr. J. Smith paid 3.50 euros at 9 a.m. to Acme Inc. for it. He left."
    assert claims(answer) == ["Dr. J. Smith paid 3.50 euros at 9 a.m. to Acme Inc. for it.", "He left."]


def test_a_sentence_may_begin_with_a_name_in_lower_case() -> None:
    """Modules and commands do; an abbreviation or an ellipsis before lower case ends nothing."""
    answer = "It serialises objects. json.dumps returns text. Use e.g. indent or so... and more of it."
    assert claims(answer) == [
        "It serialises objects.",
        "json.dumps returns text.",
        "Use e.g. indent or so... and more of it.",
    ]


def test_behind_a_citation_a_sentence_begins_in_lower_case_too() -> None:
    """A short word before it is no abbreviation then; what has full stops within may be one."""
    answer = "The pump runs until the level is set. [ops-3] systemd restarts it, e.g. [ops-4] at night."
    hidden = [(place, place + len("[ops-3]")) for place in (answer.index("[ops-3]"), answer.index("[ops-4]"))]
    assert [" ".join(one.text.split()) for one in read_statements(answer, hidden)] == [
        "The pump runs until the level is set.",
        "systemd restarts it, e.g. at night.",
    ]


def test_coordinated_clauses_are_claims_of_their_own() -> None:
    """Only where both sides can stand alone."""
    assert claims(
        "The shop opens at nine, but it closes on Sundays at noon; the bar stays open all night."
    ) == [
        "The shop opens at nine",
        "but it closes on Sundays at noon",
        "the bar stays open all night.",
    ]
    assert claims("It is small, but nice.") == ["It is small, but nice."]


def test_list_items_are_claims_without_their_markers() -> None:
    """Bullets and numbers belong to the list."""
    assert claims("Steps:\n1. Open the box.\n2) Take the red pill.\n- Close it again\n* Wait a day") == [
        "Open the box.",
        "Take the red pill.",
        "Close it again",
        "Wait a day",
    ]


def test_a_hard_wrapped_sentence_is_one_claim() -> None:
    """A line that goes on in lower case is the same sentence."""
    assert claims("The module holds functions\nthat read files.\nIt is old.") == [
        "The module holds functions\nthat read files.",
        "It is old.",
    ]


def test_code_is_no_claim_and_inline_code_is_part_of_one() -> None:
    """Fenced blocks are left out with their fences."""
    answer = "Call `open()` on it.\n```py\nx = open(1). Then.\n```\nIt returns a file."
    assert claims(answer) == ["Call `open()` on it.", "It returns a file."]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("## Opening hours", "heading"),
        ("**Opening hours**", "heading"),
        ("Here is the list:", "heading"),
        ("Would you like to know more?", "question"),
        ("本当ですか\uff1f", "question"),
        ("Hello!", "phrase"),
        ("Let me know if you need anything else.", "phrase"),
        ("I'm sorry, but the passages do not mention this.", "refusal"),
        ("(passage 2)", "phrase"),
        ("Yes, you can!", "phrase"),
        ("No, that's not possible.", "phrase"),
        ("Sí, puede hacerlo.", "phrase"),
        ("For more details, see      .", "phrase"),
        ("Siehe      .", "phrase"),
        ("This is a summary and not legal advice.", "phrase"),
        ("I'm not a doctor, so please ask your pharmacist.", "phrase"),
        ("See the fee of 25 euros.", "claim"),
        ("Full | 25 |", "claim"),
        ("Sources: passages 1 and 2.", "phrase"),
        ("Would you like to know more about Paris?", "question"),
        ("Who runs the museum in Lyon?", "question"),
        ("Did you know the fee is 90 euros?", "claim"),
        ("Isn't the capital of France Berlin?", "claim"),
        ("It is 5.", "claim"),
        ("5.", "claim"),
        ("The answer is 90.", "claim"),
        ("Lyon has 500,000 inhabitants.", "claim"),
        ("里昂有五十万人口。", "claim"),
    ],
)
def test_only_statements_that_need_evidence_are_claims(answer: str, kind: str) -> None:
    """Headings, questions, courtesies, refusals and bare references do not."""
    assert [statement.kind for statement in read_statements(answer, [])] == [kind]


@pytest.mark.parametrize(
    ("answer", "stated"),
    [
        ("I don't know, but the capital of France is Berlin.", "but the capital of France is Berlin."),
        (
            "I could not find the fee, so assume it is 90 euros as the 1987 law says.",
            "so assume it is 90 euros as the 1987 law says.",
        ),
        ("The passages do not mention the fee; it is 90 euros.", "it is 90 euros."),
        ("Although the fee is 90 euros, I cannot answer that.", "Although the fee is 90 euros"),
        ("I don't know, the capital of France is Berlin.", "the capital of France is Berlin."),
        ("Não sei, mas a capital da França é Berlim.", "mas a capital da França é Berlim."),
        ("Lo siento, no tengo información sobre eso, pero abre a las 9.", "pero abre a las 9."),
        ("Je ne sais pas, mais le prix est de 90 euros.", "mais le prix est de 90 euros."),
        ("Leider weiß ich das nicht, aber die Gebühr beträgt 90 Euro.", "aber die Gebühr beträgt 90 Euro."),
        ("抱歉\uff0c文档中没有提到这一点\uff0c但法国有5个首都。", "但法国有5个首都。"),
    ],
)
def test_a_refusal_excuses_only_its_own_clause(answer: str, stated: str) -> None:
    """What the same sentence goes on to state needs evidence."""
    kinds = {one.kind for one in read_statements(answer, [])}
    assert (claims(answer), kinds) == ([stated], {"refusal", "claim"})


@pytest.mark.parametrize(
    "answer",
    [
        "While the passages discuss engines, they do not mention the fee.",
        "I cannot answer this from the passages, so please contact the dealer for help.",
        "I'm sorry, but I cannot answer that: the context does not contain the price.",
        "The context does not mention the price, the colour or the size of the Louvre.",
    ],
)
def test_a_refusal_may_speak_of_its_evidence_and_give_advice(answer: str) -> None:
    """Neither is a fact that evidence could carry."""
    assert [one.kind for one in read_statements(answer, [])] == ["refusal"]


def test_the_header_of_a_table_is_no_claim_but_its_rows_are() -> None:
    """Delimiter rows hold no words."""
    answer = "| Visitor | Fee |\n|:---|---:|\n| Adult | 12 euros |\n| Child | 5 euros |"
    assert claims(answer) == ["Adult | 12 euros |", "Child | 5 euros |"]


def test_a_line_that_leads_to_a_list_is_a_heading_in_scripts_without_spaces_too() -> None:
    """There each character is a word; a long sentence stays a claim."""
    (lead, *_) = read_statements("您可以通过以下两种方式补办医保卡：\n- 网上\n- 窗口", [])  # noqa: RUF001 - Chinese
    assert lead.kind == "heading"
    (long,) = read_statements("水箱容量为十二升" * 4 + "：", [])  # noqa: RUF001 - Chinese
    assert long.kind == "claim"


@pytest.mark.parametrize(
    "stated",
    [
        "**You can return goods within 90 days.**",
        "**Answer: 90 days**",
        "### You can return goods within 90 days",
        "The Pro plan costs 49 euros and includes:",
        "专业版每月49元，包含：",  # noqa: RUF001 - Chinese
    ],
)
def test_a_fact_in_bold_or_before_a_list_is_a_claim(stated: str) -> None:
    """Models stress the direct answer: were it a heading, a wrong one would be read by nobody."""
    assert claims(f"{stated}\n\n- It is free.") == [stated, "It is free."]


@pytest.mark.parametrize(
    "leading",
    [
        "**Overview**",
        "**The 5 best tips**",
        "**Terms of Acme Inc.**",
        "**Here is what you need to know.**",
        "**Let me explain how this works here.**",
        "**Within 30 days of the purchase:**",
        "## Vacation policy (as of 5 May 2025)",
        "**Date: 5 May 2025**",
        "**How to brew a cup of tea in 5 minutes**",
        "For orders of more than 50 euros that are sent abroad:",
        "**30日以内の場合：**",  # noqa: RUF001 - Japanese
        "## A 3-day tour of Rome",
        "### 2. Preparation",
        "To reset it, follow these 5 steps:",
        "Here is a summary in 109 words:",
        "您可以通过以下2种方式补办：",  # noqa: RUF001 - Chinese
    ],
)
def test_what_only_leads_to_the_rest_is_no_claim(leading: str) -> None:
    """Titles, courtesies and counts of what follows."""
    assert claims(f"{leading}\n\n- It is free.") == ["It is free."]


def test_the_number_of_a_stressed_item_is_no_part_of_its_claim() -> None:
    """Evidence has no third step."""
    assert claims("**3. Bake it for 40 minutes.**") == ["Bake it for 40 minutes.**"]


def test_a_stressed_sentence_is_a_claim_where_it_is_cited() -> None:
    """Else it may be polite only."""
    answer = "**Pets are allowed inside the park.**"
    assert read_statements(f"{answer} [1]", [(38, 41)])[0].kind == "claim"
    assert read_statements(answer, [])[0].kind == "heading"


def test_a_heading_that_repeats_a_measure_of_the_question_is_no_claim() -> None:
    """Evidence need not hold what the user told."""
    answer = "**Shipping of your order of 80 euros**\n\nIt is free."
    record = RagTrace(
        "0" * 32, "1" * 16, "shop", 0, query="I ordered for 80 euros. Is it free?", answer=answer
    )
    assert [one.kind for one in Prepared(record).statements] == ["heading", "claim"]


def test_a_number_that_only_labels_a_list_item_is_no_claim() -> None:
    """Alone on its line, or after "Step"."""
    assert claims("1.\nOpen the box.\nStep 2: Close the lid.") == ["Open the box.", "Close the lid."]


def test_scripts_without_spaces_are_split_too() -> None:
    """Ideographic full stops, with and without line breaks."""
    assert claims("里昂是一座城市。它很古老\uff01\n人口五十万。") == [
        "里昂是一座城市。",
        "它很古老\uff01",
        "人口五十万。",
    ]


@pytest.mark.parametrize(
    "parts",
    [
        ["تفتح المكتبة في الساعة التاسعة.", "هل تغلق يوم الجمعة؟", "رسم الدخول 12 يورو."],
        ["הספרייה נפתחת בתשע.", "דמי הכניסה הם 12 אירו."],
        ["पुस्तकालय नौ बजे खुलता है।", "शुल्क 12 यूरो है।"],
        ["図書館は九時に開きます。", "料金は12円です。"],
        ["도서관은 아홉 시에 엽니다.", "요금은 12유로입니다."],
        ["Библиотека открывается в девять.", "Вход стоит 12 евро."],
        ["Αυτό ανοίγει στις εννέα.", "Το εισιτήριο κοστίζει 12 ευρώ."],  # noqa: RUF001 - Greek
        ["Biblioteka otwiera się o dziewiątej.", "Wstęp kosztuje 12 euro."],
    ],
)
def test_every_script_is_read_in_lists_tables_and_lines(parts: list[str]) -> None:
    """In one paragraph, as a list and as a table; a question is no claim, nor is code."""
    stated = [part for part in parts if not part.endswith("؟")]
    assert claims(" ".join(parts)) == stated
    assert claims("".join(f"- {part}\n" for part in parts)) == stated
    assert claims("## 12\n```\ncode. more.\n```\n" + "\n".join(parts)) == stated
    rows = "".join(f"| {number} | {part[:-1]} |\n" for number, part in enumerate(stated, 7))
    assert len(claims(f"| n | t |\n|---|---|\n{rows}")) == len(stated)


def test_hidden_stretches_are_not_read() -> None:
    """A citation is neither a word of a claim nor its end."""
    answer = "It opens at nine [doc-7#2]. It is old."
    first, _ = read_statements(answer, [(17, 26)])
    assert answer[first.start : first.end] == "It opens at nine [doc-7#2]."
    assert "doc" not in [word.stem for word in first.words]


@given(
    st.text(alphabet=st.sampled_from("aB1 .,;!?\n-*#|`()[]。\uff1f:、日ا\u0301\x00😀'")),
    st.lists(st.integers(0, 30)),
)
def test_every_place_is_exact_and_in_order(answer: str, places: list[int]) -> None:
    """Whatever the text: spans lie in the answer, do not overlap, hold no white space at their ends."""
    hidden = [(place, min(place + 3, len(answer))) for place in places if place < len(answer)]
    end = 0
    for statement in read_statements(answer, hidden):
        assert end <= statement.start < statement.end <= len(answer)
        text = answer[statement.start : statement.end]
        if not hidden:
            assert text == text.strip()
        end = statement.end


REFUSALS = {
    "en": [
        "I'm sorry, but I cannot answer that from the given passages.",
        "I couldn't find any information about this in the documents.",
        "The context does not provide details on the warranty.",
        "There is no mention of a discount in the provided text.",
        "Unable to answer based on given passages.",
        "I don't know.",
        "This question cannot be answered with the available sources.",
    ],
    "pt": [
        "Não encontrei informações sobre isso nos documentos.",
        "Desculpe, não posso responder.",
        "Não sei.",
    ],
    "es": ["Lo siento, no tengo información sobre eso.", "El documento no menciona el precio."],
    "fr": ["Je suis désolé, je ne peux pas répondre.", "Le document ne mentionne pas le prix."],
    "de": ["Das geht aus dem Kontext nicht hervor.", "Dazu liegen mir keine Informationen vor."],
    "it": ["Mi dispiace, non posso rispondere.", "Il documento non menziona il prezzo."],
    "nl": ["De documenten bevatten geen informatie hierover."],
    "ru": ["Извините, я не могу ответить на этот вопрос."],
    "zh": ["抱歉,文档中没有提到这一点。"],
    "ja": ["申し訳ありませんが、文書に記載がありません。"],
    "ko": ["죄송합니다. 문서에 관련 정보가 없습니다."],
    "ar": ["عذراً، لا توجد معلومات حول ذلك."],
    "hi": ["क्षमा करें, दस्तावेज़ में यह जानकारी नहीं है।"],
}
STATEMENTS = [
    "The bridge is not open on Mondays.",
    "Police did not name the suspect.",
    "You cannot return opened software.",
    "No dogs are allowed in the park.",
    "There is no charge for parking.",
    "The ministry was unable to pay its staff.",
    "O museu não abre às segundas-feiras.",
    "El museo no abre los lunes.",
    "Le musée est fermé le lundi.",
    "Das Museum ist montags nicht geöffnet.",
]


@pytest.mark.parametrize(
    ("language", "sentence"), [(one, text) for one, texts in REFUSALS.items() for text in texts]
)
def test_refusals_are_recognised_in_many_languages(language: str, sentence: str) -> None:
    """The language is only a hint: related languages share wording."""
    assert refuses(sentence) is not None, language


@pytest.mark.parametrize("sentence", STATEMENTS)
def test_a_negative_statement_is_no_refusal(sentence: str) -> None:
    """What is not so in the world differs from what is not in the evidence."""
    assert refuses(sentence) is None


@pytest.mark.parametrize("piece", ["\n1. ", "1\n", "It opens. "])
def test_of_a_very_long_answer_the_first_sentences_are_read(piece: str) -> None:
    """Where they are read at all, they are those that a shorter answer has."""
    whole = read_statements(piece * 2 * MOST_SENTENCES, [])
    assert 0 < len(whole) <= MOST_SENTENCES
    assert [one.start for one in whole[:50]] == [one.start for one in read_statements(piece * 60, [])[:50]]


def test_lettered_items_are_claims_of_their_own() -> None:
    """A line that goes on in lower case goes on, unless a letter or Roman number of a list begins it."""
    answer = "a) The fee is 40 euros\nb) The deposit is 100 euros\nii. the rest is\ndue in May"
    assert claims(answer) == [
        "The fee is 40 euros",
        "The deposit is 100 euros",
        "ii. the rest is\ndue in May",
    ]


def test_a_bare_apology_is_no_claim() -> None:
    """One with a sentence behind it leaves that sentence to be checked."""
    assert claims("Sorry! The shop is closed on Mondays.") == ["The shop is closed on Mondays."]
    assert claims("Sorry, the shop is closed on Mondays.") == ["Sorry, the shop is closed on Mondays."]
