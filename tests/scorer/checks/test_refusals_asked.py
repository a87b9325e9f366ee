"""What refuses only beside its question, and what stands right behind a refusal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.trace import Document, RagTrace

CORPUS = Path(__file__).parent / "corpus"


def test_what_a_source_does_not_tell_refuses_where_that_was_asked() -> None:
    """The ticket that lacks the account number did not, and the judge failed it; a plan without a discount answers."""
    wrong: list[str] = []
    for line in (CORPUS / "refusals_asked.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            sign, question, answer = line.split("\t")
            prepared = Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, query=question, answer=answer))
            if (prepared.refuses and (sign == "-" or not prepared.bears_claims)) is not (sign == "+"):
                wrong.append(line)
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        ("refusals_beside_questions.txt", 0.97, 0.89),
        ("refusals_beside_questions_held.txt", 0.99, 0.59),
        ("refusals_beside_facts.txt", 0.6, 0.76),
    ],
)
def test_an_answer_that_adds_nothing_to_its_question_refuses(
    name: str, precision: float, recall: float
) -> None:
    """Whether a source, a value or the assistant is what has nothing: main found .61 of the first file's English."""
    seen: Counter[tuple[bool, bool]] = Counter()
    for line in (CORPUS / name).read_text("utf-8").splitlines():
        if not line.startswith("#"):
            _, sign, question, answer = line.split("\t")
            record = RagTrace(
                "0" * 32, "1" * 16, "shop", 0, query=question, answer=answer.replace("\\n", "\n")
            )
            seen[sign == "+", Prepared(record).abstains] += 1
    assert seen[True, True] / (seen[True, True] + seen[False, True]) >= precision
    assert seen[True, True] / (seen[True, True] + seen[True, False]) >= recall


@pytest.mark.parametrize(
    "fact",
    [
        "We cannot provide refunds after 30 days.",
        "We are unable to answer calls after 6 pm.",
        "We couldn't find a fault with the device.",
        "Désolé, les chiens ne sont pas admis.",
        "Lo siento, no se admiten perros.",
        "Desculpe, cães não são permitidos.",
        "Mi dispiace, i cani non sono ammessi.",
        "Sorry, honden zijn niet toegestaan.",
        "抱歉不可以带狗。",
        "すみません、プールは休業中です。",
    ],
)
def test_what_a_service_does_not_do_is_a_claim(fact: str) -> None:
    """All of these were refusals, so that nothing was held against the passages."""
    prepared = Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=fact))
    assert prepared.bears_claims
    assert not prepared.refuses


NARROW = (
    ("What about deleted accounts?", "Deleted accounts are not noted.", False),
    ("How much is a bag of ice?", "No price is reported.", False),
    ("What is the age limit for the tour?", "There is no age limit for the tour.", False),
    ("What reason did he give?", "No reason was given.", False),
    ("What is the price?", "The law does not allow us to name a price.", False),
    ("Which bus stops where?", "The guide ends before the bridge.", False),
    ("Quel est le problème ?", "Rien n'y est cassé.", False),
    ("Wie lang ist die Frist?", "Die Prüfungsordnung nennt keine Frist.", False),
    ("Is it easy to park?", "It is not easy to park because there is no information on the signs.", False),
    ("What is shown?", "The price is not shown because there is no price tag.", False),
    ("What bed linen is there?", "Bed linen is not provided.", False),
    ("Peut-on nager ?", "Désolé, on ne sait pas nager ici sans bonnet.", False),
    ("¿Abre hoy?", "Lo siento. La piscina está cerrada.", False),
    ("Is it safe?", "Purtroppo non sono sicure le scale.", False),
    ("Kan ik pinnen?", "Helaas, dat is onbekend terrein.", False),
    ("What is the price of ice?", "No price is given.", True),
    ("What is the warranty period of the chair?", "The warranty period is not provided.", True),
    ("What is it?", "I should not guess because there is no data in the context.", True),
    ("What is it?", "It is not easy to say because there is no information about the chair.", True),
    ("What is it?", "Désolé, on ne sait pas.", True),
    ("What is it?", "Purtroppo non sono sicuro.", True),
    ("What is it?", "Het spijt me, dat is onduidelijk.", True),
    ("What is it?", "抱歉没有头绪。", True),
    ("What is it?", "すみません、知りません。", True),
    ("What is the seat number?", "I am unable to find the seat number.", True),
    ("What is the price?", "The context does not allow me to name a price.", True),
    ("Which day is the fair?", "The fair isn't on the calendar I can access.", True),
    ("Quel est le prix ?", "Rien n'y est indiqué sur le prix.", True),
)


@pytest.mark.parametrize(("question", "answer", "expected"), NARROW)
def test_what_things_do_not_have_is_no_refusal(question: str, answer: str, expected: bool) -> None:
    """Nor what they do not record, allow or reach; what a source does not give is."""
    prepared = Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, query=question, answer=answer))
    assert (prepared.refuses, prepared.bears_claims) == (expected, not expected)


@pytest.mark.parametrize(
    ("question", "answer", "passage", "refuses"),
    [
        (
            "How long is the contract?",
            "No contract duration is given.",
            "The duration of a contract is not fixed.",
            False,
        ),
        (
            "How long is the contract?",
            "No contract duration is given.",
            "The contract has a duration of a year.",
            True,
        ),
        ("C'è una scadenza?", "Il bando non dà una scadenza.", "Il bando non dà una scadenza.", False),
        ("C'è una scadenza?", "Il bando non dà una scadenza.", "Il bando ha una scadenza.", True),
        ("What is the status?", "I don't know the status.", "I don't know the status.", True),
        ("What is the fee?", "The document does not state the fee.", "There is no fee.", True),
    ],
)
def test_a_denial_that_a_passage_makes_is_no_refusal(
    question: str, answer: str, passage: str, refuses: bool
) -> None:
    """All words of meaning, but those for giving, stand in one sentence of the passage that denies something."""
    documents = (Document("a", f"Welcome. {passage} Bring a towel."),)
    record = RagTrace("0" * 32, "1" * 16, "shop", 0, query=question, answer=answer, documents=documents)
    assert Prepared(record).refuses is refuses


@pytest.mark.parametrize(
    ("question", "answer", "claims"),
    [
        ("Does the lease mention pets?", "No, the lease does not mention pets.", True),
        ("Does the lease mention pets?", "No. The lease does not mention pets.", True),
        ("Does the lease mention pets?", "Sorry, the lease does not mention pets.", False),
        ("Are pets allowed?", "No, the lease does not mention pets.", False),
        ("Does the lease mention pets?", "No, the provided context does not mention pets.", False),
    ],
)
def test_no_to_what_a_source_was_asked_to_mention_is_a_claim(
    question: str, answer: str, claims: bool
) -> None:
    """It was neither a refusal that counts nor a claim, so a wrong one passed."""
    prepared = Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, query=question, answer=answer))
    assert (prepared.bears_claims, prepared.refuses) == (claims, not claims)


BEHIND = (
    (
        "I can't answer that from the context. The context covers the technical data and the return policy.",
        False,
    ),
    ("The provided sources don't address this. They only cover specifications and returns.", False),
    (
        "The information isn't covered in the material. The manufacturer's website may have more details.",
        False,
    ),
    ("The documentation is silent on pods. It might be worth asking the manufacturer directly.", False),
    ("I looked through the data sheet and the policy, but neither says anything about pods.", False),
    ("Das Produktdatenblatt erwähnt keine Kapseln.", False),
    ("Die Dokumente enthalten dazu keine Angaben. Sie beschreiben nur die technischen Daten.", False),
    ("Hierzu finde ich nichts in der Wissensdatenbank. Unser Support-Team hilft Ihnen gerne weiter.", False),
    ("Os documentos não mencionam cápsulas. O fabricante poderá confirmar.", False),
    ("資料にはその情報は含まれていません。サポート窓口で確認できます。", False),
    ("لا تذكر المستندات شيئًا عن الكبسولات. يمكن لخدمة العملاء مساعدتك.", False),
    ("Je ne dispose pas d'informations sur ce point. La mairie pourra certainement vous renseigner.", False),
    ("The documents don't mention theft. They cover fire damage.", True),
    ("The policy is silent on theft. It only covers fire and water.", True),
    ("The documents don't say. They only cover orders above 50 euros.", True),
    ("The documents don't say. They only describe Acme and Zeta.", True),
    ("I couldn't find that. The documents describe how employees can work abroad.", True),
    ("I couldn't find that. The context covers the return policy, which allows returns.", True),
    ("The trial is free. They only cover returns and fees.", True),
    ("The sources don't say. It might be worth checking the oil level every week.", True),
    ("The sources don't say. The website may have information on 30 models.", True),
    ("Los documentos no lo indican. El cliente podrá confirmar la reserva en línea.", True),
    ("Die Dokumente enthalten dazu keine Angaben. Sie beschreiben nur den Umtausch binnen 30 Tagen.", True),
)


@pytest.mark.parametrize(("answer", "claims"), BEHIND)
def test_what_the_sources_cover_is_no_claim_right_behind_a_refusal(answer: str, claims: bool) -> None:
    """Nor whom to ask; what an insurance covers, a number, a name, a rule and what the refusal does not precede is."""
    assert Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=answer)).bears_claims is claims
