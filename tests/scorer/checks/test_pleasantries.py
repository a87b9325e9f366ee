"""Whole sentences that are only polite, at the beginning and the end of an answer."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks.reading.claims import read_statements


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("No problem! It opens at nine.", ["It opens at nine."]),
        ("Kein Problem! Der Laden öffnet um neun.", ["Der Laden öffnet um neun."]),
        ("Das tut mir leid! Die Karte kostet 10 Euro.", ["Die Karte kostet 10 Euro."]),
        ("Bonne nouvelle ! Il ouvre à neuf heures.", ["Il ouvre à neuf heures."]),
        ("¡Buenas noticias! La tienda abre a las nueve.", ["La tienda abre a las nueve."]),
        ("Sem problemas! A loja abre às nove. Boa viagem!", ["A loja abre às nove."]),
        ("Scola gli spaghetti.\n\n**Buon appetito!** 😊", ["Scola gli spaghetti."]),
        ("Wat vervelend voor u! De winkel opent om negen uur.", ["De winkel opent om negen uur."]),
        (
            "Sklep jest otwarty od dziewiątej. Czy chce Pan, żebym sprawdził coś innego?",
            ["Sklep jest otwarty od dziewiątej."],
        ),
        ("W dokumentach nie ma informacji o gwarancji. Czy chce Pan, żebym sprawdził coś innego?", []),
        ("Hello Ana! No worries! It opens at nine. Good luck!", ["It opens at nine."]),
        ("I'd be glad to help! It opens at nine.", ["It opens at nine."]),
        ("Let me help you with that. It opens at nine.", ["It opens at nine."]),
        (
            "Thanks for your question. I understand how frustrating this can be. It opens at nine.",
            ["It opens at nine."],
        ),
        ("Hi Ana, I\u2019m sorry for the inconvenience. It opens at nine.", ["It opens at nine."]),
        ("I apologize for the inconvenience. I can help you with that. It opens.", ["It opens."]),
        ("Ich verstehe Ihren Ärger. Gern helfe ich Ihnen weiter. Er öffnet um neun.", ["Er öffnet um neun."]),
        ("Je comprends votre frustration. Il ouvre à neuf heures.", ["Il ouvre à neuf heures."]),
        ("Lamento las molestias. La tienda abre a las nueve.", ["La tienda abre a las nueve."]),
        ("Fico feliz em ajudar! A loja abre às nove.", ["A loja abre às nove."]),
        ("Mi scuso per il disagio. Il negozio apre alle nove.", ["Il negozio apre alle nove."]),
        ("没问题\uff01商店九点开门。祝您用餐愉快\uff01", ["商店九点开门。"]),
        ("कोई बात नहीं! दुकान नौ बजे खुलती है।", ["दुकान नौ बजे खुलती है।"]),
    ],
)
def test_a_pleasantry_around_an_answer_needs_no_evidence(answer: str, claims: list[str]) -> None:
    """No passage says "No problem!"; an answer that begins so failed however right the rest was."""
    assert [one.text for one in read_statements(answer, []) if one.checkworthy] == claims


@pytest.mark.parametrize(
    "fact",
    [
        "No problem with dogs.",
        "No problem, dogs may come in.",
        "No problem: it is free.",
        "No problem for 3 guests!",
        "Good news for members!",
        "I'm happy to report that it is free.",
        "I can help with that: the fee is waived.",
        "I understand that this can be dangerous.",
        "I understand the pump holds 12 litres.",
        "Let me help you with that form at desk 4.",
        "Sorry for the inconvenience: the pool is closed.",
        "I'm sorry that the shop is closed.",
        "We apologize for the inconvenience of the strike on Monday.",
        "Ich verstehe, dass das verboten ist.",
        "Je comprends votre contrat ainsi.",
        "Fico feliz em ajudar até às nove!",
        "Good news, the fee is gone!",
        "Enjoy the discount!",
        "Enjoy your meal voucher of 10 euros!",
        "Kein Problem bei Regen!",
        "Gute Nachrichten für Studierende!",
        "Das tut mir leid, es ist geschlossen!",
        "Pas de problème avec un chien !",
        "Bonne nouvelle pour les abonnés !",
        "¡Sin problema hasta 20 kilos!",
        "Sem problema até 20 quilos!",
        "Buon appetito con il menu da 10 euro!",
        "Nessun problema con i cani!",
        "Geen probleem voor kinderen!",
        "Nie ma problemu z psem!",
        "狗没问题\uff01",
    ],
)
@pytest.mark.parametrize(
    "answer", ["{} It opens at nine.", "It opens at nine. {}", "It opens. {} It is new."]
)
def test_a_sentence_that_says_more_than_a_pleasantry_needs_evidence(answer: str, fact: str) -> None:
    """What begins politely may be what is wrong; only a sentence that is nothing else is left out."""
    claims = " ".join(one.text for one in read_statements(answer.format(fact), []) if one.checkworthy)
    assert fact.strip("¡!").split()[-1].rstrip("!.\uff01") in claims


@pytest.mark.parametrize(
    "answer",
    [
        "No problem!",
        "Kein Problem!",
        "Good news! Good luck!",
        "It opens at nine. No problem! It is new.",
        "It opens at nine. No problem!",
        "Enjoy your meal! It opens at nine.",
        "It opens at nine. No worries? It is new.",
    ],
)
def test_a_pleasantry_is_a_claim_where_it_may_be_the_answer(answer: str) -> None:
    """Alone "No problem!" says yes; in the midst of others it says that something is no problem."""
    before = [one.text for one in read_statements(answer, []) if one.kind in ("claim", "question")]
    assert "".join(before).replace(" ", "") == answer.replace(" ", "")


NOT_THERE = "El prospecto no dice nada sobre el alcohol"


@pytest.mark.parametrize(
    "answer",
    [
        f"{NOT_THERE}, así que no puedo confirmarlo.",
        f"{NOT_THERE}, así que no puedo confirmarlo con vino.",
        "The leaflet does not mention alcohol, so I can't confirm it.",
        "Die Dokumente enthalten dazu nichts. Daher kann ich das nicht bestätigen.",
        "Les documents ne mentionnent pas l'alcool. Je ne peux donc pas le confirmer.",
        "De documenten vermelden niets over alcohol, dus ik kan dat niet bevestigen.",
    ],
)
def test_that_nothing_can_be_confirmed_is_no_claim_behind_a_refusal(answer: str) -> None:
    """It repeats the refusal; such a right answer failed for it."""
    assert not [one.text for one in read_statements(answer, []) if one.checkworthy]


@pytest.mark.parametrize(
    "more",
    [
        "así que no puede tomarlo.",
        "así que puede tomarlo sin problema con cerveza.",
        "así que el médico no puede confirmarlo.",
        "así que está permitido con las comidas.",
        "así que no puedo confirmarlo, pero 2 copas bastan.",
        "así que no lo tome con alcohol.",
        "así que el alcohol está prohibido.",
    ],
)
def test_what_else_is_concluded_from_a_refusal_needs_evidence(more: str) -> None:
    """That nothing is said of it allows nothing and forbids nothing."""
    assert [one.text for one in read_statements(f"{NOT_THERE}, {more}", []) if one.checkworthy]


@pytest.mark.parametrize(
    "answer",
    [
        "El folleto es de 2020. Así que no puedo confirmarlo.",
        "The leaflet is from 2020. So I can't confirm it.",
        "La notice date de 2020. Je ne peux donc pas le confirmer.",
        "Der Beipackzettel ist von 2020. Daher kann ich das nicht bestätigen.",
    ],
)
def test_that_nothing_can_be_confirmed_is_a_refusal_by_itself(answer: str) -> None:
    """In Spanish, too, where it was a claim; what is told beside it stays one."""
    told = [one.text for one in read_statements(answer, []) if one.checkworthy]
    assert told == [answer[: answer.index(".") + 1]]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("I'm sorry.", 0),
        ("Lo siento.", 0),
        ("Mi dispiace.", 0),
        ("抱歉。", 0),
        ("申し訳ございません。", 0),
        ("I'm sorry, it is closed.", 1),
        ("Lo siento. La piscina está cerrada.", 1),
        ("No problem!", 1),
    ],
)
def test_an_apology_alone_is_no_claim(answer: str, claims: int) -> None:
    """It says nothing, unlike "No problem!"."""
    assert sum(one.checkworthy for one in read_statements(answer, [])) == claims
