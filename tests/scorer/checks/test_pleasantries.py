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
