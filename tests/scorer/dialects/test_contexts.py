"""Passages that stand in the prompt alone: the shapes that are taken, and what only looks like one of them."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.prompt import documents_in, passages_in, question_in
from ragvigil.scorer.trace import RagTrace

from .conftest import ANSWER, as_json, only, span

SNOW, COAL = "Snow is white.", "Coal is black: mostly."
QUESTION = "What is white?"


def read(*messages: tuple[str, str]) -> RagTrace:
    """The record of one model call with these messages, and nothing else."""
    sent = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in messages]
    said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
    call: dict[str, object] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": as_json(sent),
        "gen_ai.output.messages": as_json(said),
    }
    return only([span("a1", call, start=1, end=9)])


def texts(record: RagTrace) -> list[str | None]:
    """The passages of the record."""
    return [document.text for document in record.documents]


@pytest.mark.parametrize(
    "context",
    [
        "<document>\n{0}\n</document>\n<document>\n{1}\n</document>",
        (
            "<documents>\n<document index='1'>\n<source>a</source>\n<document_content>\n{0}\n</document_content>"
            "</document>\n<document index='2'>\n<document_content>{1}</document_content>\n</document>\n</documents>"
        ),
        '<context>\n<doc id="1">{0}</doc>\n<doc id="2">{1}</doc>\n</context>',
        "<search_results><result>{0}</result><result>{1}</result></search_results>",
        "Document 1:\n{0}\n\nDocument 2:\n{1}",
        "Document [1](Title: Snow) {0}\nDocument [2](Title: Coal) {1}",
        "[Document 1] \n{0}\n[Document 2]\n{1}",
        "### Source 1\n{0}\n\n### Source 2\n{1}",
        "**Passage #1:** {0}\n**Passage #2:** {1}",
        "Chunk 0 - {0}\nChunk 1 - {1}",
        "Retrieved documents:\n1. {0}\n2. {1}",
        "Context:\n\n(1) {0}\n(2) {1}",
        "## Context\n1) {0}\n2) {1}",
        "Context:\n{0}\n---\n{1}",
        "Context:\n=====\n{0}\n=====\n{1}\n=====",
        "<context>\n{0}\n\n---\n\n{1}\n</context>",
        "Sources:\nSource: a.txt\n{0}\n\nSource: b.txt\n{1}",
        "<context>\nContent: {0}\nSource: 28-pl\n\nContent: {1}\nSource: 30-pl\n</context>",
    ],
)
@pytest.mark.parametrize("frame", ["Use it alone.\n\n{0}\n\nQuestion: {1}", "Question: {1}\n\n{0}"])
def test_a_context_of_which_the_shape_is_plain_is_taken_apart(context: str, frame: str) -> None:
    """With the question before it or behind it."""
    prompt = frame.format(context.format(SNOW, COAL), QUESTION)
    record = read(("user", prompt))
    found = [
        (text or "").removeprefix("(Title: Snow) ").removeprefix("(Title: Coal) ") for text in texts(record)
    ]
    assert (found, record.query, record.completeness) == ([SNOW, COAL], QUESTION, "complete")


OPEN_WEBUI = (
    "### Task:\nCite in the format [id] **only when the <source> tag has an id** (e.g., <source id=1>).\n"
    '\n<context>\n<source id="1" name="a.pdf">{0}</source>\n<source id="2" name="b.pdf">{1}</source>\n</context>\n\n'
    "<user_query>\n{2}\n</user_query>"
)
BEDROCK = (
    "Here are the search results in numbered order:\n<search_results>\n<search_result>\n<content>\n{0}\n</content>\n"
    "<source>\n1\n</source>\n</search_result>\n<search_result>\n<content>\n{1}\n</content>\n<source>\n2\n</source>\n"
    "</search_result>\n</search_results>\n\n{2}"
)
LLAMA_INDEX_CITATIONS = (
    "Cite the sources by their numbers. For example:\nSource 1:\nThe sky is red.\nSource 2:\nWater is wet.\n"
    "Query: When is water wet?\nAnswer: When the sky is red [2].\nNow it's your turn. Below are several sources:\n"
    "------\nSource 1:\n{0}\n\nSource 2:\n{1}\n------\nQuery: {2}\nAnswer: "
)
LLAMA_INDEX = (
    "Context information is below.\n---------------------\n{0}\n\n{1}\n---------------------\n"
    "Given the context information, answer the query.\nQuery: {2}\nAnswer: "
)
LANGCHAIN = "Use the retrieved context to answer.\nQuestion: {2} \nContext: {0}\n\n{1} \nAnswer:"


@pytest.mark.parametrize("prompt", [OPEN_WEBUI, BEDROCK, LLAMA_INDEX_CITATIONS])
def test_prompts_of_known_products_are_taken_apart(prompt: str) -> None:
    """With mentions of their own tags, and an example before the passages."""
    record = read(("user", prompt.format(SNOW, COAL, QUESTION)))
    assert (texts(record), record.query) == ([SNOW, COAL], QUESTION)


@pytest.mark.parametrize("prompt", [LLAMA_INDEX, LANGCHAIN])
def test_prompts_of_which_the_passages_run_into_each_other_are_marked(prompt: str) -> None:
    """A blank line may stand between two passages, or within one."""
    record = read(("user", prompt.format(SNOW, COAL, QUESTION)))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")


@pytest.mark.parametrize("items", ["1. {0}\n2. {1}", "{0}\n---\n{1}", "Source: a\n{0}\nSource: b\n{1}"])
def test_an_instruction_after_the_passages_is_none_of_them(items: str) -> None:
    """Between the last one and the question's label, behind a blank line."""
    context = items.format(SNOW, COAL)
    assert passages_in(f"Context:\n{context}\n\nUse it alone.\n\nQuestion: {QUESTION}") == (SNOW, COAL)


@pytest.mark.parametrize(
    ("label", "context", "asks"),
    [
        ("Dokument", "Kontext", "Frage"),
        ("Quelle", "Quellen", "Frage"),
        ("Document", "Contexte\u00a0", "Question\u00a0"),
        ("Documento", "Contexto", "Pregunta"),
        ("Trecho", "Contexto", "Pergunta"),
        ("Fonte", "Contesto", "Domanda"),
        ("Документ", "Контекст", "Вопрос"),
        ("المستند", "السياق", "السؤال"),
        ("दस्तावेज़", "संदर्भ", "प्रश्न"),
        ("文档", "参考资料", "问题"),
        ("資料", "背景情報", "質問"),
        ("문서", "문맥", "질문"),
    ],
)
def test_labels_are_known_in_other_languages(label: str, context: str, asks: str) -> None:
    """Numbered passages by their own label, a plain list by the line before it."""
    own = f"{label} 1: {SNOW}\n{label}2\uff1a{COAL}\n\n{asks}: {QUESTION}"
    plain = f"{context}:\n1. {SNOW}\n2. {COAL}\n\n{asks}: {QUESTION}"
    for prompt in (own, plain):
        assert (passages_in(prompt), question_in(prompt)) == ((SNOW, COAL), QUESTION)


@pytest.mark.parametrize(
    "items",
    [
        "\u3010{0}\u3011{2}\n\u3010{1}\u3011{3}",
        "\uff3b{0}\uff3d{2}\n\uff3b{1}\uff3d{3}",
        "{0}\u3001{2}\n{1}\u3001{3}",
        "\uff08{0}\uff09{2}\n\uff08{1}\uff09{3}",
        "[{0}] {2}\n[{1}] {3}",
    ],
)
@pytest.mark.parametrize("numbers", ["12", "\u0661\u0662", "\u0967\u0968", "\uff11\uff12"])
def test_numbers_are_read_in_the_digits_and_brackets_of_other_scripts(items: str, numbers: str) -> None:
    """Full-width ones, Arabic and Devanagari digits, and the comma that ends a Chinese number."""
    context = items.format(*numbers, SNOW, COAL)
    assert passages_in(f"\u53c2\u8003\u8d44\u6599\uff1a\n{context}\n\n\u95ee\u9898\uff1a?") == (SNOW, COAL)


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("<doc id='a'>{0}</doc>\n<doc id='b'>{1}</doc>\n\nWhy?", ["a", "b"]),
        ("<document index='1'>{0}</document>\n<document index='2'>{1}</document>\n\nWhy?", [None, None]),
        ("<doc title='1 > 0' id='a'>{0}</doc>\n<doc id='b'>{1}</doc>\n\nWhy?", ["a", "b"]),
        ('Context: [{{"id": "a", "text": "{0}"}}, {{"id": "b", "text": "{1}"}}]\nQuestion: Why?', ["a", "b"]),
        (
            'Context: [{{"pageContent": "{0}", "id": "a"}}, {{"pageContent": "{1}", "id": "b"}}]\nQuestion: Why?',
            ["a", "b"],
        ),
        ("Context:\nSource: a.txt\n{0}\n\nSource: b.txt\n{1}\n\nQuestion: Why?", ["a.txt", "b.txt"]),
        ("Context:\nSource: a.txt\n{0}\n\nSource: a.txt\n{1}\n\nQuestion: Why?", [None, None]),
    ],
)
def test_an_id_is_taken_where_each_passage_has_one_of_its_own(prompt: str, names: list[str | None]) -> None:
    """A place is no id, and neither is the file that several came from."""
    found = documents_in(prompt.format(SNOW, COAL))
    assert ([each.id for each in found], [each.text for each in found]) == (names, [SNOW, COAL])


@pytest.mark.parametrize(
    "prompt",
    [
        "1. Be brief.\n2. Cite your sources.\n\nQuestion: Why?",
        "I have these documents:\n1. Passport\n2. Visa\n\nMay I travel?",
        "Instructions:\n(1) Be brief.\n(2) Cite.\n\nQuestion: Why?",
        "Compare Document 1 and Document 2.\nWhy?",
        "Document 1: a.\nDocument 3: b.\n\nQuestion: Why?",
        "Cite so:\nSource 1: <name of the source>\nSource 2: <name of the source>\n\nWhy?",
        "Write it down as:\n[1] ...\n[2] ...\n\nWhy?",
        "Put the answer into <document> tags, and close with </document>.",
        "<document>Only mentioned.</document>",
        "<example>\n<doc>a.</doc>\n<doc>b.</doc>\n</example>\nWhy?",
        "<doc>a.</doc> is older than\n<doc>b.</doc>. Why?",
        "Part one.\n---\nPart two.\n\nQuestion: Why?",
        "Source: a.txt\nIs this right?\n\nSource: b.txt\nAnd this?",
        "Mend this:\n```html\n<result>a b</result>\n<result>c d</result>\n```",
        "Mend this:\n```html\n<doc>a b</doc>\n<doc>c d</doc>\n```",
        "<source>a b</source>\n<source>c d</source>\n\nIs this right?",
        "Article 1: All are born free.\nArticle 2: Everyone is entitled.\n\nWho is?",
    ],
)
def test_what_only_looks_like_passages_is_none(prompt: str) -> None:
    """Instructions, forms, enumerations in a question, and parts of which nobody says that they are evidence."""
    assert passages_in(prompt) == ()
    assert read(("user", prompt)).completeness == "complete"


@pytest.mark.parametrize(
    "context",
    [
        f"{SNOW}\n\n{COAL}",
        f"1. {SNOW}\n3. {COAL}",
        f"1. {SNOW}\n(2) {COAL}",
        "1. FC Köln is a club.",
        f"Snow\n---\n{SNOW} {COAL}",
        f"{SNOW}\n---\n{COAL}\n====\n{SNOW}",
        f"{SNOW} It is said:\n1. {COAL}\n2. {SNOW}",
        f"Title: Snow\n{SNOW}",
    ],
)
@pytest.mark.parametrize("frame", ["Context:\n{}\n\nQuestion: {}", "<context>\n{}\n</context>\n{}"])
def test_a_context_that_cannot_be_taken_apart_is_known_to_be_there(context: str, frame: str) -> None:
    """How many passages it holds would be a guess, and that there were none is wrong."""
    record = read(("user", frame.format(context, QUESTION)))
    assert (texts(record), record.query, record.completeness) == ([], QUESTION, "partial_evidence")


def test_a_context_without_a_word_in_it_hides_nothing() -> None:
    """A search that found nothing leaves the frame empty."""
    assert read(("user", f"Context:\n\nQuestion: {QUESTION}")).completeness == "complete"


def test_passages_of_several_paragraphs_are_kept_whole() -> None:
    """The last one, too: it ends where the question begins."""
    prompt = f"[1] {SNOW}\n\n{COAL}\n\n[2] {COAL}\n\n{SNOW}\n\nQuestion: {QUESTION}"
    assert passages_in(prompt) == (f"{SNOW}\n\n{COAL}", f"{COAL}\n\n{SNOW}")


@pytest.mark.parametrize(
    "passage", ["Snow.\n\nIt is white.", "Snow\n---\nIt is white.", "Note:\nQuestion: Snow?\nAnswer: White."]
)
@pytest.mark.parametrize("mark", ["[{}] ", "Document {}: "])
def test_what_other_passages_have_within_them_does_not_end_the_last_one(passage: str, mark: str) -> None:
    """With the question labelled, not labelled, or in a message of its own; a tool gives nothing but passages."""
    items = f"{mark.format(1)}{passage}\n{mark.format(2)}{passage}"
    ends = [f"\n\nQuestion: {QUESTION}"] + ([] if "Answer" in passage else [f"\n\n{QUESTION}"])
    for end in ends:
        record = read(("user", f"{items}{end}"))
        assert (texts(record), record.query) == ([passage] * 2, QUESTION)
    record = read(("system", f"Be brief.\n\n{items}"), ("user", QUESTION))
    assert (texts(record), record.query) == ([passage] * 2, QUESTION)
    found = documents_in(f"{mark.format(1)}{SNOW}\n{mark.format(2)}{passage}", alone=True)
    assert [each.text for each in found] == [SNOW, passage]


@pytest.mark.parametrize("fence", ['"""', "'" * 3, "```", "```text"])
@pytest.mark.parametrize(
    "items",
    ["[1] {0}\n[2] {1}", "Document 1 (source: a.md):\n{0}\nDocument 2 (source: b.md):\n{1}", "{0}\n---\n{1}"],
)
def test_quotes_or_a_fence_around_a_context_are_none_of_its_passages(items: str, fence: str) -> None:
    """Where code is fenced within a passage, too."""
    coal = f"{COAL}\n```\nburn(coal)\n```\nIt burns."
    context = f"{fence}\n{items.format(SNOW, coal)}\n{fence[:3]}"
    record = read(("user", f"Be brief.\n\nContext:\n{context}\n\nUse it alone.\n\nQuestion: {QUESTION}"))
    assert (texts(record), record.query, record.completeness) == ([SNOW, coal], QUESTION, "complete")


def test_a_fence_that_is_never_closed_ends_nothing() -> None:
    """Nor is one far above the first passage one around it."""
    for opened in ("```\n", f"```\ncode()\n```\n{'So it is. ' * 9}\n"):
        prompt = f"{opened}[1] {SNOW}\n[2] {COAL}\n\nQuestion: {QUESTION}"
        assert (passages_in(prompt), question_in(prompt)) == ((SNOW, COAL), QUESTION)


@pytest.mark.parametrize(
    "sentence",
    [
        "Use the following pieces of context.",
        "Given the following documents, answer the question.",
        "Answer the question with the following retrieved passages",
    ],
)
def test_a_sentence_that_says_that_a_context_follows_announces_it(sentence: str) -> None:
    """No colon ends it; without a word between it and the question nothing followed."""
    asked = f"Question: {QUESTION}\nHelpful Answer:"
    listed = read(("user", f"{sentence}\n\n1. {SNOW}\n2. {COAL}\n\n{asked}"))
    assert (texts(listed), listed.query, listed.completeness) == ([SNOW, COAL], QUESTION, "complete")
    whole = read(("user", f"{sentence}\nDo not guess.\n\n{SNOW}\n\n{COAL}\n\n{asked}"))
    assert (texts(whole), whole.query, whole.completeness) == ([], QUESTION, "partial_evidence")
    assert read(("user", f"{sentence}\n\n{asked}")).completeness == "complete"


def test_a_passage_that_is_an_object_is_no_form_of_one() -> None:
    """Rows of a table, each numbered."""
    rows = ('{"city": "Kiruna", "snow": "120 cm"}', '{"city": "Bergen", "snow": "2 cm"}')
    record = read(("user", f"[1] {rows[0]}\n[2] {rows[1]}\n\nQuestion: {QUESTION}"))
    assert (texts(record), record.query) == ([*rows], QUESTION)


def test_references_within_a_passage_are_no_passages() -> None:
    """Whatever stands in tags of its own is one."""
    article = f"{SNOW} [1]\n[1] A book of snow.\n[2] A book of coal."
    assert passages_in(f"<doc id='1'>{article}</doc>\n<doc id='2'>{COAL}</doc>\nWhy?") == (article, COAL)


def test_the_context_is_the_one_of_the_last_question() -> None:
    """What was shown for an earlier one is longer, and what the model listed itself is none."""
    earlier = f"Context:\n[1] {COAL}\n[2] {COAL}\n[3] {SNOW}\n\nQuestion: What is black?"
    now = f"Context:\n[1] {SNOW}\n[2] {COAL}\n\nQuestion: {QUESTION}"
    listed = "Coal [1].\n\n[1] A book of coal.\n[2] A book of snow.\n[3] Another."
    record = read(("user", earlier), ("assistant", listed), ("user", now))
    assert (texts(record), record.query) == ([SNOW, COAL], QUESTION)
    record = read(("system", f"[1] {SNOW}\n[2] {COAL}"), ("assistant", listed), ("user", QUESTION))
    assert (texts(record), record.query) == ([SNOW, COAL], QUESTION)


@pytest.mark.parametrize(
    "prompt",
    [
        "Context:\n[1] {0}\n\nQuestion: {1}\n\nAnswer:",
        "Document 1:\n{0}\n\nQuestion: {1}\n\nAnswer:",
        "Context:\n\n### Source 1\n{0}\n\nQuestion: {1}",
        "Question: {1}\n\nContext:\n[1] {0}",
    ],
)
def test_a_lone_passage_keeps_its_paragraphs(prompt: str) -> None:
    """No other one shows that they are its own: what is cut off would count as invented."""
    both = f"{SNOW}\n\n{COAL}"
    record = read(("user", prompt.format(both, QUESTION)))
    assert (texts(record), record.query) == ([both], QUESTION)


def test_the_last_passage_keeps_its_paragraphs_below_the_question() -> None:
    """Where the others have such, and nothing behind it asks."""
    both = f"{SNOW}\n\n{COAL}"
    record = read(("user", f"Question: {QUESTION}\n\nContext:\n[1] {both}\n\n[2] {both}"))
    assert (texts(record), record.query) == ([both, both], QUESTION)


def test_an_unlabelled_question_behind_a_lone_passage_is_no_part_of_it() -> None:
    """With turns of a conversation above it, too."""
    prompt = f"User: Hello?\nAssistant: Hello.\n\nContext:\n[1] {SNOW}\n\n{COAL}\n\n{QUESTION}"
    assert texts(read(("user", prompt))) == [f"{SNOW}\n\n{COAL}"]


@pytest.mark.parametrize(
    "order",
    [
        "Answer in one sentence.",
        "Ignore anything not in the context. You are a helpful assistant.",
        "Given the context information and not prior knowledge, answer the query.",
        "Beantworte die Frage nur aus dem Kontext.",
    ],
)
@pytest.mark.parametrize("frame", ["{0}\n\n{1}\n\nQuestion: {2}", "Question: {2}\n\n{0}\n\n{1}"])
def test_an_order_behind_a_lone_passage_is_no_part_of_it(order: str, frame: str) -> None:
    """It would count as an instruction that somebody hid in what was retrieved."""
    both = f"{SNOW}\n\n{COAL}"
    record = read(("user", frame.format(f"Context:\n[1] {both}", order, QUESTION)))
    assert (texts(record), record.query) == ([both], QUESTION)


@pytest.mark.parametrize(
    ("snow", "coal"), [("snow.pdf", "coal.pdf"), ("https://a.org/snow.html", "https://a.org/coal.html")]
)
@pytest.mark.parametrize("blank", ["\n", "\n\n"])
def test_a_numbered_passage_may_have_the_name_of_its_file_above_it(snow: str, coal: str, blank: str) -> None:
    """Names alone are a list of where passages elsewhere are from."""
    prompt = f"[1] {snow}\nSnow is white.{blank}[2] {coal}\nCoal is black.\n\nQuestion: Why?"
    assert [(each.text or "").rpartition("\n")[2] for each in documents_in(prompt)] == [
        "Snow is white.",
        "Coal is black.",
    ]
    assert documents_in(f"[1] {snow}\n[2] {coal}\n\nQuestion: Why?") == ()
