"""language_match where a short text may be in two languages."""

# ruff: noqa: RUF001

from __future__ import annotations

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.trace import Document, RagTrace


def matched(question: str, answer: str, **segment: str) -> float | None:
    """What language_match says."""
    record = RagTrace(
        *("0" * 32, "1" * 16, "shop", 0),
        query=question,
        answer=answer,
        documents=(Document("d1", "商品到着後8日以内。", rank=1),),
        segment=segment,
    )
    return {one.check: one.value for one in run_checks(record)}["language_match"]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("返品期限", "商品到着後8日以内であれば返品できます。"),
        ("何日以内？", "到着後8日以内です。"),
        ("営業時間", "営業時間は10時から19時までです。"),
        ("年会費", "無料です。"),
        ("入会金 月額料金", "入会金は無料、月額料金は980円です。"),
        ("価格は？", "1,500円"),
        ("担当部署は？", "総務部人事課"),
        ("開催場所は？", "東京国際会議場"),
        ("定休日は？", "水曜日"),
        ("代表取締役", "佐藤健一"),
        ("申請方法", "窓口でお申し込みください。"),
        ("保証期間は？", "購入後一年間"),
        ("Як повернути товар?", "Товар можна повернути протягом 14 днів після отримання."),
        ("Де оплатити?", "Оплатити можна в касі або на сайті."),
        ("Скільки коштує оренда?", "Сто гривень за годину."),
        ("¿Qué plan tengo?", "Business Standard with Copilot for Microsoft 365"),
        ("¿Qué plan tengo?", "Tienes Business Standard with Copilot for Microsoft 365."),
        ("Welche Lizenz habe ich?", "Visual Studio Enterprise with MSDN for Teams"),
        (
            "Microsoft 365 with Copilot for Business",
            "Der Preis beträgt 30 Euro, und die Laufzeit ist ein Jahr.",
        ),
    ],
)
def test_a_short_text_that_may_be_in_both_tells_nothing_wrong(question: str, answer: str) -> None:
    """All-kanji Japanese was told as Chinese, Ukrainian as Russian, a product as English."""
    assert matched(question, answer) != 0.0


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("返品できますか？", "收到商品后八天内可以退货。"),
        ("返品できますか？", "請問您的姓名"),
        ("营业时间", "営業時間は10時から19時までです。"),
        ("退款需要多久？", "返金は七日以内に行われます。"),
        ("返品期限", "You can return the goods within eight days of the delivery."),
        ("Скільки коштує оренда?", "Это стоит сто гривен в час, если вы платите сразу."),
        (
            "Где оформить возврат и сколько это стоит?",
            "Повернення можна оформити в магазині, це безкоштовно.",
        ),
        ("¿Qué plan tengo?", "You have the Business Standard plan with Copilot."),
        ("¿Qué plan tengo?", "It is the plan that you pay for and that comes with Copilot for Teams."),
    ],
)
def test_another_language_is_seen_all_the_same(question: str, answer: str) -> None:
    """By characters, letters or words that only one of them has."""
    assert matched(question, answer) == 0.0


def test_a_language_that_the_trace_names_leaves_nothing_to_guess() -> None:
    """The question may be in either."""
    assert matched("返品期限", "到着後8日以内です。", language="zh") == 0.0
