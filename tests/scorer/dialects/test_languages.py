"""Questions, labels and tools in the languages that people write, and texts that look like something else."""

from __future__ import annotations

import pytest

from ragvigil.scorer.dialects.genai_messages import completion_in
from ragvigil.scorer.dialects.prompt import passages_in, question_in
from ragvigil.scorer.dialects.replies import completion_of
from ragvigil.scorer.dialects.tools import tool_reading


@pytest.mark.parametrize(
    ("context", "label", "question", "told"),
    [
        ("Kontext:", "Frage:", "Wann fährt die Fähre?", "Antwort:"),
        ("Contexte\u00a0:", "Question\u00a0:", "Quand part le bateau ?", "Réponse\u202f:"),
        ("Contesto:", "Domanda:", "Quando parte il traghetto?", "Risposta:"),
        ("Контекст:", "Вопрос:", "Когда отходит паром?", "Ответ:"),
        ("السياق:", "السؤال:", "متى تغادر العبارة؟", "الجواب:"),
        ("संदर्भ:", "प्रश्न:", "नौका कब जाती है?", "उत्तर:"),
        ("背景:", "質問:", "フェリーは何時に出ますか?", "回答:"),
        ("上下文\uff1a", "问题\uff1a", "渡轮几点开?", "答案\uff1a"),
        ("Ngữ cảnh:", "Câu hỏi:", "Khi nào phà khởi hành?", "Trả lời:"),
        ("زمینه:", "پرسش:", "کشتی کی حرکت می\u200cکند؟", "پاسخ:"),
        ("প্রসঙ্গ:", "প্রশ্ন:", "ফেরি কখন ছাড়ে?", "উত্তর:"),
        ("Muktadha:", "Swali:", "Kivuko kinaondoka lini?", "Jibu:"),
        ("சூழல்:", "கேள்வி:", "படகு எப்போது புறப்படும்?", "பதில்:"),
        ("კონტექსტი:", "კითხვა:", "როდის გადის ბორანი?", "პასუხი:"),
    ],
)
def test_the_question_is_found_behind_its_label(context: str, label: str, question: str, told: str) -> None:
    """With numbered passages or without, with a blank line before or not, with a place for the answer or not."""
    passages = f"{context}\n[1] été là.\n[2] où ça."
    for gap in ("\n\n", "\n"):
        assert question_in(f"{passages}{gap}{label} {question}") == question
        assert question_in(f"{passages}{gap}{label} {question}\n{told}") == question
        assert passages_in(f"{passages}{gap}{label} {question}") == ("été là.", "où ça.")
    assert question_in(f"{context} été là.\n{label} {question}\n{told} ") == question


@pytest.mark.parametrize(
    "prompt",
    [
        "{context}:\n{passages}\n{label}:\n{question}",
        "**{context}:**\n{passages}\n\n**{label}:** {question}",
        "## {context}\n{passages}\n\n## {label}\n{question}",
        "{label}: {question}\n\n{context}:\n{passages}",
        "Be brief.\n\n# {label}\n{question}\n\n# {context}\n{passages}",
        "<context>\n{passages}\n</context>\n<question>\n{question}\n</question>\nBe brief.",
        "<user_query>{question}</user_query>\n<search_results>\n{passages}\n</search_results>",
    ],
)
@pytest.mark.parametrize(("context", "label"), [("Context", "Question"), ("متن", "پرسش"), ("প্রসঙ্গ", "প্রশ্ন")])
def test_markdown_tags_and_a_question_that_comes_first_are_understood(
    prompt: str, context: str, label: str
) -> None:
    """The last passage ends where the prompt goes on, and the question is not the frame."""
    passages = "[1] The ferry leaves at nine.\n[2] Note: not on Sundays."
    question = "When: on Monday or Tuesday?"
    filled = prompt.format(context=context, label=label, passages=passages, question=question)
    assert question_in(filled) == question
    assert passages_in(filled) == ("The ferry leaves at nine.", "Note: not on Sundays.")


def test_labels_within_the_passages_are_theirs() -> None:
    """Frequent questions are passages with a question each; the one that was asked comes last."""
    faq = "[1] Question: Wo?\nAntwort: Dort.\n[2] Question: Wann?\nAnswer: Um neun.\n\nQuestion: Wie teuer?"
    assert question_in(faq) == "Wie teuer?"
    assert question_in("Context:\nQuestion: Where?\nAnswer: There.\n\nQuestion: When?\nAnswer:") == "When?"


@pytest.mark.parametrize("text", ["https://a.example/b?c", "12:30 or 13:00?", "Is it [2]?", "Ja\nnein?"])
def test_a_question_without_a_label_stays_as_it_is(text: str) -> None:
    """Colons alone label nothing."""
    assert question_in(text) == text
    assert question_in(f"[1] été.\n[2] là.\n\n{text}") == text


@pytest.mark.parametrize("answer", ['["a", "b"]', "[1, 2]", "42", "null", "true"])
def test_an_answer_that_looks_like_json_stays_a_text(answer: str) -> None:
    """Messages are objects; anything else was said as it stands."""
    assert completion_of(answer) == answer
    assert completion_in({"gen_ai.completion.0.content": answer}, ()) == answer


def test_a_tool_that_finds_numbered_passages_searches_whatever_it_is_called() -> None:
    """One number alone may be a footnote."""
    found = tool_reading("Fahrplan", '{"ort": "Groix"}', "[1] Um neun.\n[2] Um zehn.")
    assert (found.role, found.query) == ("retriever", "Groix")
    assert [document.text for document in found.documents or ()] == ["Um neun.", "Um zehn."]
    assert tool_reading("rechne", "{}", "[1] Siehe dort.").role == "tool"
    assert tool_reading("vereinssuche", '{"q": "Boot"}', "Der SV Groix.").role == "retriever"
