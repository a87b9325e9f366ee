"""Greetings, closings, signatures and offers of help are no claims."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks.reading.claims import read_statements


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Dear customer, it opens at nine. Best regards, The Acme Team", ["it opens at nine."]),
        ("Hello Bob! It opens at nine. Have a nice day, Bob!", ["It opens at nine."]),
        ("Dear Mr. Smith, it opens at nine.", ["it opens at nine."]),
        (
            "Hi, Bob Smith! It opens at nine.\n\nKind regards,\nMaria Costa\nAcme Support Team",
            ["It opens at nine."],
        ),
        ("Olá, João! A loja abre às nove.\n\nAtenciosamente,\nEquipe Acme", ["A loja abre às nove."]),
        ("Estimado cliente: abre a las nueve. Saludos cordiales.", ["abre a las nueve."]),
        (
            "Sehr geehrte Frau Weiß,\nes öffnet um neun.\n\nMit freundlichen Grüßen\nIhr Acme-Team",
            ["es öffnet um neun."],
        ),
        ("Bonjour Madame, il ouvre à neuf heures. Bonne journée !", ["il ouvre à neuf heures."]),
        ("Gentile cliente, apre alle nove. Cordiali saluti", ["apre alle nove."]),
        ("您好\uff0c商店九点开门。谢谢\uff01", ["商店九点开门。"]),
        ("Yes.", []),
        ("**Yes**, correct!", []),
        ("Sim.", []),
        ("Oui !", []),
        ("是的。", []),
        ("Yes, it opens at nine.", ["it opens at nine."]),
        ("It is old. **No**, it never opens at ten.", ["It is old.", "it never opens at ten."]),
        ("Não — a loja abre às nove.", ["a loja abre às nove."]),
        ("हाँ।", []),
        ("نعم", []),
    ],
)
def test_greetings_closings_signatures_and_a_yes_or_no_need_no_evidence(
    answer: str, claims: list[str]
) -> None:
    """They name persons and houses of which no passage knows; what stands beside them is read."""
    assert [one.text for one in read_statements(answer, []) if one.checkworthy] == claims


@pytest.mark.parametrize(
    "offer",
    [
        "Please don't hesitate to reach out if you need further assistance.",
        "Should you have any further questions, please contact us.",
        "Si tienes más preguntas, estoy aquí para ayudarte.",
        "Se precisar de mais informações, é só avisar!",
        "Si vous avez d'autres questions, n'hésitez pas !",
        "N'hésitez pas à me contacter si besoin !",
        "Spero che questo ti sia utile!",
        "Если у вас есть вопросы, напишите мне.",  # noqa: RUF001 - Russian
        "如有其他问题，请随时联系我！",  # noqa: RUF001 - Chinese
        "他にご質問がございましたら、お知らせください。",
        "더 궁금한 점이 있으시면 말씀해 주세요.",
        "إذا كان لديك أي أسئلة أخرى، فأخبرني.",
        "Falls Sie weitere Fragen haben, helfe ich Ihnen gerne weiter!",
        "Bei weiteren Fragen stehe ich Ihnen gerne zur Verfügung.",
        "Wenn Sie weitere Fragen haben, können Sie sich jederzeit an uns wenden.",
        "¡Espero que le sea de ayuda!",
        "Mocht u nog vragen hebben, laat het me gerust weten.",
        "W razie dalszych pytań chętnie pomogę!",
        "何かご質問がございましたらお申し付けください。",
        "如需进一步帮助，请联系我们。",  # noqa: RUF001 - Chinese
        "إذا كانت لديك أسئلة أخرى فلا تتردد في التواصل معنا.",
        "도움이 되셨기를 바랍니다.",
        "Unfortunately not.",
        "Leider nicht.",
        "Partly.",
    ],
)
def test_an_offer_of_more_help_is_no_claim(offer: str) -> None:
    """Most services end with one."""
    assert not [one.text for one in read_statements(offer, []) if one.checkworthy]


@pytest.mark.parametrize(
    "answer",
    [
        "If you need a medical certificate, ask your manager.",
        "Don't hesitate to call 911 in an emergency.",
        "Hello World is a program, which prints text.",
        "Hi-fi sets are sold here.",
        "Best Western opens at nine.",
        "Sincerely, the shop opens at nine.",
        "Yes, nine.",
        "No dogs, no cats at all.",
        "No. 5 is open.",
        "Paris.",
        "Have a good backup before the update.",
        "Of course: Paris Nord and Lille.",
        "The Acme Team",
        "Tenha um documento com foto.",
        "Gerne hilft Ihnen Frau Meier weiter.",
        "Bei weiteren Fragen stehen Ihnen 20 Minuten zur Verfügung.",
        "Leider ist Paris teuer.",
    ],
)
def test_what_only_begins_like_a_courtesy_is_a_claim(answer: str) -> None:
    """Names, facts, instructions."""
    assert [one.text for one in read_statements(answer, []) if one.checkworthy] == [answer]


def test_only_names_without_numbers_after_a_closing_are_a_signature() -> None:
    """A phone number is a fact; so are the entries of a list."""
    answer = "Thanks!\n- Red Plan\n- Blue Plan\n\nBest regards,\nAcme, Tel. 555 1234"
    worthy = [one.text for one in read_statements(answer, []) if one.checkworthy]
    assert worthy == ["Red Plan", "Blue Plan", "Acme, Tel. 555 1234"]


@pytest.mark.parametrize("end", ["!1", "-", ".,", "x1"])
def test_a_signature_is_read_in_one_way_only(end: str) -> None:
    """A line of many hyphens or of one long word has no more readings than a short one: this ends."""
    for line in ("A" * 150, "A-" * 70, "A. " * 50, "A_" * 70):
        assert any(
            one.checkworthy for one in read_statements(f"It opens. Best regards,\nDear {line}{end}", [])
        )
