"""Scripts whose words cannot be told apart: Thai, Lao, Khmer and Burmese."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.prepared import UNPARTED
from ragvigil.scorer.checks.reading.budget import Budget
from ragvigil.scorer.trace import Document, RagTrace

RETURNS = (
    ("th", "ลูกค้าสามารถคืนสินค้าได้ภายใน 15 วันนับจากวันที่ได้รับสินค้า", "แมวชอบกินปลาและนอนกลางวัน"),
    ("lo", "ລູກຄ້າສາມາດສົ່ງຄືນສິນຄ້າພາຍໃນ 15 ວັນນັບຈາກວັນທີ່ໄດ້ຮັບສິນຄ້າ", "ແມວມັກກິນປາ ແລະນອນກາງເວັນ"),
    ("km", "អតិថិជនអាចប្រគល់ទំនិញវិញក្នុងរយៈពេល 15 ថ្ងៃគិតពីថ្ងៃទទួលបានទំនិញ", "ឆ្មាចូលចិត្តស៊ីត្រី"),
    ("my", "ဖောက်သည်များသည် ပစ္စည်းကို 15 ရက်အတွင်း ပြန်ပေးနိုင်သည်။", "ကြောင်သည် ငါးစားရန် ကြိုက်သည်။"),
)
"""How long goods can be returned, and what cats like."""
BY_WORDS = (
    *(
        "supported_claims",
        "claims_misread",
        "citation_support",
        "qualifiers_supported",
        "relevant_context_used",
    ),
    *("context_utilisation", "conditions_kept", "copied_share", "repetition", "answer_first"),
    *("context_relevance", "context_precision", "evidence_sufficiency", "missing_refusal"),
    "conflicting_passages",
)


def checked(question: str, answer: str, *passages: str) -> dict[str, tuple[float | None, str | None]]:
    """What each check says."""
    documents = tuple(Document(f"d{rank}", text, rank=rank) for rank, text in enumerate(passages, 1))
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query=question, answer=answer, documents=documents)
    return {one.check: (one.value, one.reason) for one in run_checks(record)}


@pytest.mark.parametrize(("language", "passage", "cats"), RETURNS)
def test_the_judge_has_no_verdict(language: str, passage: str, cats: str) -> None:
    """It said of anything that it is supported, for a letter counted as a word."""
    for answer in (passage, cats, f"{passage} [d1]\n{cats} [d1]"):
        assert judged(passage, answer, passage, passage[:20]) == "not_scoreable"


@pytest.mark.parametrize(("language", "passage", "cats"), RETURNS)
@pytest.mark.parametrize("name", BY_WORDS)
def test_no_check_by_words_scores(language: str, passage: str, cats: str, name: str) -> None:
    """And says why."""
    assert checked(passage, f"{cats} [d1]", passage, passage[:20])[name] == (None, UNPARTED)


def test_its_letters_are_no_words_of_a_budget() -> None:
    """An answer of 40 words was over 120."""
    _, passage, cats = RETURNS[0]
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query=passage, answer=f"{passage} {cats} " * 4)
    for budget, told in (
        (Budget(words=120), (None, UNPARTED)),
        (Budget(words=120, bullets=5), (1.0, None)),
        (Budget(), (None, "no budget is set")),
    ):
        found = {one.check: one for one in run_checks(record, budget=budget)}["length_budget"]
        assert (found.value, found.reason) == told


def test_citations_numbers_and_language_are_checked_all_the_same() -> None:
    """They need no words."""
    _, passage, _ = RETURNS[0]
    told = checked("คืนสินค้าได้ภายในกี่วัน", f"{passage.replace('15', '45')} [d7]", passage)
    assert told["citation_correctness"][0] == 0.0
    assert told["no_hallucinated_entities"][0] == 0.0
    assert told["language_match"][0] == 1.0


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        ("The Thai word for cat is แมว.", "The Thai word for cat is แมว."),
        ("The temple Wat Pho (วัดโพธิ์) opens at eight.", "Wat Pho (วัดโพธิ์) opens at eight."),
    ],
)
def test_a_thai_word_in_another_language_hinders_nothing(passage: str, answer: str) -> None:
    """Most of such a claim is words."""
    assert judged("What is it?", answer, passage) == "supported"


def test_one_thai_claim_among_others_is_enough() -> None:
    """No part of an answer may pass unread."""
    answer = "The shop opens at nine.\nแมวชอบกินปลาและนอนกลางวัน"
    assert judged("When?", answer, "The shop opens at nine.") == "not_scoreable"


@pytest.mark.parametrize(("language", "passage", "cats"), RETURNS)
def test_an_english_answer_beside_them_is_of_another_language(language: str, passage: str, cats: str) -> None:
    """Lao, Khmer and Burmese told no language, so that all such answers were unsupported."""
    answer = "You can return the goods to us within two weeks of the day when you got them."
    told = checked("How long can I return goods?", answer, passage)
    assert told["supported_claims"] == (None, "not_scoreable: cross-lingual")
    assert told["language_match"][0] == 1.0
