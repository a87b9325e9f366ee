"""Contexts that are passages without a label each: bare lists, one tag, one text, and paragraphs behind the last."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.contexts import context_in

from .conftest import ANSWER, as_json, only, span
from .test_contexts import COAL, QUESTION, SNOW, read, texts

FOUND = [SNOW, COAL]


@pytest.mark.parametrize(
    "line",
    [
        "Use this context:",
        "You are a helpful assistant. Use this context:",
        "Answer with the information below.",
        "Answer only from the context:",
        "Relevant information:",
        "# Knowledge",
        "Context follows.",
        "Answer on the basis of the context that follows:",
        "Réponds avec les documents qui suivent\u00a0:",
        "Oto kontekst:",
        "Odpowiadaj na podstawie poniższych fragmentów:",
        "Du bist ein Ratgeber. Kontext zur Frage:",
        "Baseie a resposta nestes trechos:",
        "Nutze den folgenden Kontext, um die Frage zu beantworten:",
        "Utilise ce contexte\u00a0:",
        "Responde usando el siguiente contexto:",
        "Use o contexto a seguir:",
        "Usa questo contesto:",
        "Gebruik deze context:",
        "Använd följande kontext:",
        "Użyj tego kontekstu:",
        "Используй этот контекст:",
        "Bu ba\u011flam\u0131 kullan:",
        "استخدم هذا السياق:",
        "इस संदर्भ का उपयोग करें:",
        "请根据以下上下文回答问题\uff1a",
        "次のコンテキストを使用してください\uff1a",
        "다음 문맥을 사용하세요:",
    ],
)
def test_a_bare_list_that_instructions_point_at_is_the_passages(line: str) -> None:
    """Bullets or numbers; a line without any is marked, for nobody knows how many passages it holds."""
    for items in ("- {0}\n- {1}", "\n1. {0}\n2. {1}\n\nAnswer in one sentence."):
        record = read(("system", f"{line}\n{items.format(*FOUND)}"), ("user", QUESTION))
        assert (texts(record), record.query, record.completeness) == (FOUND, QUESTION, "complete")
    record = read(("system", f"{line}\n{SNOW}\n{COAL}"), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([], "partial_evidence")
    record = read(("user", f"{line}\n- {SNOW}\n- {COAL}\n\n{QUESTION}"))
    assert (texts(record), record.query, record.completeness) == (FOUND, QUESTION, "complete")


def test_a_list_below_a_heading_that_says_context_is_the_passages() -> None:
    """With a question behind it that nothing labels, too."""
    record = read(("user", f"Context:\n- {SNOW}\n- {COAL}\n\n{QUESTION}"))
    assert (texts(record), record.query, record.completeness) == (FOUND, QUESTION, "complete")
    record = read(("user", f"Context:\n{SNOW}\n{COAL}\n\n{QUESTION}"))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")


def test_a_line_below_a_heading_of_instructions_marks_the_record() -> None:
    """It may be a passage, or say where the service runs; nobody knows."""
    record = read(("system", "Context: this is a tool for employees."), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([], "partial_evidence")
    record = read(("system", "Here is the context you should use: It snows today."), ("user", QUESTION))
    assert (texts(record), record.completeness) == (["It snows today."], "complete")


@pytest.mark.parametrize(
    "instructions",
    [
        "Follow these rules:\n- Be brief.\n- Cite your sources.",
        "When you are given context:\n- Quote it.\n- Say where it is from.",
        "Facts about the user:\n- Plan: pro\n- Name: Ann",
        "You have access to the following tools:\n- search: finds pages.\n- mail: sends a letter.",
        "Use the sources as follows:\n- Their numbers go behind a claim.\n- The newest counts.",
        "Use this context:\n- Answer briefly.\n- Cite the source.",
    ],
)
def test_instructions_in_a_list_are_no_passages(instructions: str) -> None:
    """Whatever points at them."""
    record = read(("system", instructions), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([], "complete")


@pytest.mark.parametrize(
    "instructions",
    [
        "Context:\n- This is an internal tool.\n- Users are employees.",
        "Kontext:\n- Dies ist ein internes Werkzeug.\n- Nutzer sind Mitarbeiter.",
        "Contexto:\n1. Esta es una herramienta interna.\n2. Los usuarios son empleados.",
        "السياق:\n- هذه أداة داخلية للشركة.\n- المستخدمون موظفون في الشركة.",
        "<context>\nThis is an internal tool.\n</context>",
        "Use the context:\nThis is an internal tool.",
    ],
)
def test_what_the_assistant_is_and_who_uses_it_is_no_passage(instructions: str) -> None:
    """It may be all that a search found, too: the record is marked."""
    record = read(("system", instructions), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([], "partial_evidence")
    record = read(("system", f"{instructions}\n\nContext:\n[1] {SNOW}\n[2] {COAL}"), ("user", QUESTION))
    assert texts(record) == [SNOW, COAL]


@pytest.mark.parametrize("tag", ["passage", "document", "doc", "chunk", "excerpt", "dokument"])
@pytest.mark.parametrize("text", [SNOW, f"{SNOW}\n\n{COAL}"])
def test_a_text_in_the_only_tag_is_the_passage(tag: str, text: str) -> None:
    """In the instructions, or beside the question."""
    element = f"<{tag}>\n{text}\n</{tag}>"
    for messages in (
        [("system", element), ("user", QUESTION)],
        [("system", f"Answer from it.\n\n{element}\n\nBe brief."), ("user", QUESTION)],
        [("system", f"The text stands in the <{tag}></{tag}> tags.\n\n{element}"), ("user", QUESTION)],
        [
            ("system", f"<{tag}>\n<source>a.txt</source>\n<content>{text}</content>\n</{tag}>"),
            ("user", QUESTION),
        ],
        [("user", f"{element}\n\n{QUESTION}")],
        [("user", f"Question: {QUESTION}\n\n{element}")],
    ):
        record = read(*messages)
        assert (texts(record), record.query, record.completeness) == ([text], QUESTION, "complete")


@pytest.mark.parametrize("tag", ["article", "source"])
def test_a_tag_that_any_markup_may_have_is_a_passage_beside_a_label(tag: str) -> None:
    """Or in the instructions; else it may be what is to be mended."""
    element = f"<{tag}>\n{SNOW}\n</{tag}>"
    for messages in (
        [("user", f"{element}\n\nQuestion: {QUESTION}")],
        [("system", element), ("user", QUESTION)],
    ):
        assert texts(read(*messages)) == [SNOW]
    assert texts(read(("user", f"{element}\n\nIs this right?"))) == []


def test_a_tag_that_shows_a_form_or_holds_code_is_no_passage() -> None:
    """One that holds no sentence may be either: the record is marked."""
    for shown in ("Reply so:\n<passage>What you cite.</passage>", "```html\n<doc>A page.</doc>\n```"):
        record = read(("system", shown), ("user", QUESTION))
        assert (texts(record), record.completeness) == ([], "complete")
    record = read(("system", "<passage>Open 9 to 17</passage>"), ("user", QUESTION))
    assert (texts(record), record.completeness) == ([], "partial_evidence")


@pytest.mark.parametrize(
    "prompt",
    [
        "Context:\n{0}\n\nQuestion: {1}",
        "Context: {0}\nQuestion: {1}\nAnswer:",
        "Context:\n- {0}\n\nAnswer from it alone, and cite it.\n\nQuestion: {1}",
        "Question: {1}\n\nContext:\n{0}",
        "<context>\n{0}\n</context>\n\n{1}",
    ],
)
def test_a_context_of_one_line_is_one_passage(prompt: str) -> None:
    """A sentence in which nothing could part two; what says that nothing was found is none."""
    record = read(("user", prompt.format(SNOW, QUESTION)))
    assert (texts(record), record.query, record.completeness) == ([SNOW], QUESTION, "complete")
    for other in (f"{SNOW}\n{COAL}", f"{SNOW}\n\n{COAL}", "No documents were found.", f"1. {SNOW}"):
        record = read(("user", prompt.format(other, QUESTION)))
        assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")


LISTS = [
    "[1] {0}\n[2] {1}",
    "Document 1: {0}\n\nDocument 2: {1}",
    "Context:\n1. {0}\n2. {1}",
    "Context:\n- {0}\n- {1}",
]


@pytest.mark.parametrize("items", LISTS)
@pytest.mark.parametrize(
    ("behind", "known"),
    [
        ("It is dug from the ground.", False),
        ("If it burns, it smokes.", False),
        ("It is dug.\n\nUse only the passages above.", False),
        ("Use only the passages above.", True),
        ("Antworte kurz.", True),
        ("---", True),
        ("If you do not know the answer, say so.", True),
        ("Chat history:\nHuman: Hello.\nAssistant: Hello.", True),
    ],
)
def test_what_may_be_the_last_passages_own_is_never_cut_off_in_silence(
    items: str, behind: str, known: bool
) -> None:
    """No other passage has paragraphs: unless what follows is an order, the record is marked."""
    context = f"{items.format(*FOUND)}\n\n{behind}"
    for messages in (
        [("user", f"{context}\n\nQuestion: {QUESTION}")],
        [("user", f"Question: {QUESTION}\n\n{context}")],
        [("system", context), ("user", QUESTION)],
    ):
        record = read(*messages)
        assert texts(record) == (FOUND if known else []), messages
        assert record.completeness == ("complete" if known else "partial_evidence")
        assert record.query == QUESTION


def test_references_are_a_context_like_any_other() -> None:
    """Agno's knowledge, behind the question, in tags of that name."""
    found = as_json(
        [{"name": "a", "content": SNOW, "meta_data": {"page": 1}}, {"name": "b", "content": COAL}]
    )
    prompt = f"Why?\n\nUse the following references if it helps:\n<references>\n{found}\n</references>"
    context = context_in(prompt)
    assert context is not None
    assert [each.text for each in context.documents] == [SNOW, COAL]
    bare = context_in("Use the following references:\n1. Snow is white.\n2. Coal is black.\n\nQuestion: Why?")
    assert bare is not None
    assert len(bare.documents) == 2


def completeness(system: str) -> str:
    """Of a record whose instructions are these."""
    sent = [
        {"role": role, "parts": [{"type": "text", "content": text}]}
        for role, text in (("system", system), ("user", QUESTION))
    ]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    told = {"gen_ai.input.messages": as_json(sent), "gen_ai.output.messages": as_json(said)}
    return only([span("a1", {"gen_ai.operation.name": "chat", **told}, start=1, end=9)]).completeness


@pytest.mark.parametrize(
    "order",
    [
        "Answer from the text:",
        "You are a helper. Answer only from this information:",
        "Answer the question using the text below:",
        "Réponds à partir du texte suivant :",
        "Antworte anhand der Informationen:",
        "Responda com base no texto:",
        "Responde a partir del texto:",
        "Rispondi in base al testo:",
    ],
)
def test_an_order_that_names_what_to_answer_from_points_at_a_context(order: str) -> None:
    """Such a record was complete, and had no passage. How to answer is none."""
    assert completeness(f"{order}\n{SNOW}\n\n{COAL}") == "partial_evidence"
    assert completeness(f"{order}\nAnswer in French.\n\nIf you do not know, say so.") == "complete"


@pytest.mark.parametrize(
    "rules",
    [
        "Respond based on the following:\n1. Greet the customer warmly.\n2. Collect the booking number.",
        "Respond based on the following:\n- The customer is a premium member.\n- The tone is warm.",
        "Answer only from the following:\nNever speak of prices. Ferries are called boats here.",
        "Answer based on the following:\n- Tone: friendly\n- Length: two sentences",
        'Reply using the following:\n{"type": "object", "properties": {"answer": {"type": "string"}}}',
        "Reply with one of these. Answer only from these:\n- billing\n- timetable",
        "Respond based on this:\n\nThe assistant is called Ann and works at the ferry desk.",
        "Antworte anhand von folgendem:\n1. Der Kunde wird gesiezt.\n2. Preise werden nie genannt.",
        "Respond using plain text:\nNever speak of prices. Ferries are called boats here.",
        "Respond with:\nSnow is white.\n\nCoal is black.",
    ],
)
def test_rules_below_an_order_that_names_no_context_are_no_passages(rules: str) -> None:
    """How, as whom, in which form: none of it is evidence, and none is missing."""
    assert completeness(f"You are the ferry desk. {rules}") == "complete"


def test_an_order_of_the_user_is_a_part_of_what_was_asked() -> None:
    """Who writes it may well mean a text of their own."""
    asked = (
        "I run a small shop.\n\nHow should I reply? Please answer from the text:\n\nDear Ann, where is it?"
    )
    assert context_in(asked) is None
