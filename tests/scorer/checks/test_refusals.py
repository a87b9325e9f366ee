"""Which answers refuse, in twenty languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragvigil.scorer.checks import Prepared
from ragvigil.scorer.trace import Document, RagTrace

CORPUS = Path(__file__).parent / "corpus"
UNSEEN = "refusals_unseen.txt"
NINE = ("pt", "es", "fr", "de", "it", "nl", "pl", "ja", "zh")
TWELVE = ("en", *NINE, "ru", "tr")
PROVOKING = (
    ("refusals_provoked.txt", 0.04, 0.9),
    ("refusals_provoked_held.txt", 0.06, 0.75),
    ("refusals_reviewed.txt", 0.07, 0.93),
    ("refusals_odd.txt", 0.04, 0.94),
    ("refusals_hebrew.txt", 0.0, 1.0),
    ("refusals_thai.txt", 0.0, 1.0),
)
"""Files of true statements that hold the words of a refusal, and refusals; see docs/reading.md."""


def cases(name: str = "refusals.txt") -> Iterator[tuple[str, bool, str]]:
    """Language, whether a person says that it refuses, and the answer."""
    for line in (CORPUS / name).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, sign, answer = line.split("\t")
            yield language, sign == "+", answer.replace("\\n", "\n")


def refuses(answer: str) -> bool:
    """What the checks say."""
    return Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=answer)).refuses


def abstains(answer: str) -> bool:
    """What `abstention` says."""
    return Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=answer)).abstains


@pytest.mark.parametrize("language", ["en", *NINE, "ru", "ko", "tr"])
def test_refusals_are_recognised(language: str) -> None:
    """Precision and recall of .90 at least."""
    seen = Counter((expected, refuses(answer)) for code, expected, answer in cases() if code == language)
    hits = seen[True, True]
    assert hits / (hits + seen[False, True]) >= 0.9
    assert hits / (hits + seen[True, False]) >= 0.9


@pytest.mark.parametrize("language", ["vi", "sv", "cs", "id", "uk", "el"])
def test_refusals_in_six_further_languages_are_recognised(language: str) -> None:
    """Of 183 two were before any wording and 182 before they were narrowed; none of the 60 look-alikes is one."""
    seen = Counter(
        (expected, refuses(answer))
        for code, expected, answer in cases("refusals_further.txt")
        if code == language
    )
    assert seen[True, True] >= 28
    assert seen[True, False] <= 2
    assert not seen[False, True]
    assert seen[False, False] >= 10


@pytest.mark.parametrize("language", ["vi", "sv", "cs", "id", "uk", "el"])
def test_a_negated_fact_in_six_further_languages_is_no_refusal(language: str) -> None:
    """Of 225 such as "the document contains no signature" 143 were; the refusals beside them are known."""
    wrong = [
        answer
        for code, expected, answer in cases("refusals_further_facts.txt")
        if code == language and refuses(answer) is not expected
    ]
    assert wrong == []


def test_refusals_in_further_languages_that_were_kept_aside() -> None:
    """When first measured 20 of 36 were seen, and one of 36 true statements was taken for one."""
    seen = Counter((expected, refuses(answer)) for _, expected, answer in cases("refusals_further_held.txt"))
    assert seen[True, True] >= 35
    assert not seen[False, True]


def test_ten_languages_have_thirty_refusals() -> None:
    """And answers that look like them."""
    counts = Counter((language, expected) for language, expected, _ in cases())
    assert all(counts[language, True] >= 30 and counts[language, False] >= 9 for language in ("en", *NINE))


def test_refusals_in_other_words_are_recognised() -> None:
    """Answers written after the wordings; what their first measurement showed is in docs/reading.md."""
    seen = Counter((expected, refuses(answer)) for _, expected, answer in cases(UNSEEN))
    hits = seen[True, True]
    assert hits / (hits + seen[False, True]) >= 0.9
    assert hits / (hits + seen[True, False]) >= 0.9


@pytest.mark.parametrize(("name", "taken", "known"), PROVOKING)
def test_true_statements_near_the_words_of_a_refusal_are_none(name: str, taken: float, known: float) -> None:
    """At most the share `taken` of them; of the refusals beside them the share `known` at least."""
    seen = Counter((expected, refuses(answer)) for _, expected, answer in cases(name))
    assert seen[False, True] / (seen[False, True] + seen[False, False]) <= taken
    assert seen[True, True] / (seen[True, True] + seen[True, False]) >= known


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        ("refusals_models.txt", 0.97, 0.98),
        ("refusals_models_held.txt", 0.98, 0.78),
        ("refusals_voices.txt", 0.99, 0.97),
        ("refusals_desks.txt", 0.98, 0.97),
        ("refusals_desks_held.txt", 0.96, 0.87),
        ("refusals_rounds.txt", 0.99, 0.99),
        ("refusals_rounds_held.txt", 0.87, 0.86),
    ],
)
def test_models_refuse_in_many_ways(name: str, precision: float, recall: float) -> None:
    """Partly, with advice, apologies and policies, and behind what the documents are about."""
    seen = Counter((expected, abstains(answer)) for _, expected, answer in cases(name))
    assert seen[True, True] / (seen[True, True] + seen[False, True]) >= precision
    assert seen[True, True] / (seen[True, True] + seen[True, False]) >= recall


@pytest.mark.parametrize("language", ["en", *NINE])
def test_each_language_refuses_in_many_voices(language: str) -> None:
    """And what only sounds like it, "no fee applies" and "the sensor does not send data", is an answer."""
    seen = Counter(
        (expected, abstains(answer))
        for code, expected, answer in cases("refusals_voices.txt")
        if code == language
    )
    hits = seen[True, True]
    assert hits / (hits + seen[False, True]) >= 0.97
    assert hits / (hits + seen[True, False]) >= 0.95


def test_a_refusal_of_the_rest_is_no_abstention() -> None:
    """Where an answer tells one thing first, what it leaves out is a caveat."""
    answers = [answer for _, _, answer in cases("refusals_caveats.txt")]
    assert [answer for answer in answers if not refuses(answer) or abstains(answer)] == []


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The documents only describe the US plan. I can't say what the EU plan costs.", True),
        ("Your question is about fees. I could not find any information on them in the sources.", True),
        ("The fee is 12 euros. The sources do not say whether children pay it.", False),
        ("The documents say that the fee is 12 euros. I can't say whether children pay it.", False),
        ("The documents cover refunds within 30 days. I can't say when it is shipped.", False),
        ("恐れ入りますが、ご注文履歴にはアクセスできません。", True),
    ],
)
def test_what_documents_are_about_is_no_answer(answer: str, expected: bool) -> None:
    """Before a refusal it only leads to it; what they say is an answer, of which a refusal is a caveat."""
    assert abstains(answer) is expected


@pytest.mark.parametrize("name", [name for name, _, _ in PROVOKING[:2]])
def test_twelve_languages_are_provoked(name: str) -> None:
    """By eight true statements each, with five refusals beside them."""
    counts = Counter((language, expected) for language, expected, _ in cases(name))
    assert all(counts[language, False] >= 8 and counts[language, True] >= 5 for language in TWELVE)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Article 5 does not mention a fine.", False),
        ("The fifth document does not mention a fine.", True),
        ("The file does not contain macros.", False),
        ("The file does not contain the answer.", True),
        ("There is no reference to a fee on the invoice.", False),
        ("There is no reference to a fee in the sources.", True),
        ("No information is stored.", False),
        ("No information is given about the fee.", True),
        ("I don't have access to your PIN.", False),
        ("I don't have access to your account balance.", True),
        ("Das Dokument darf keine Umlaute enthalten.", False),
        ("Das Dokument kann die Frage nicht beantworten.", True),
        ("I found no references.", True),
    ],
)
def test_what_is_said_of_a_thing_is_no_refusal(sentence: str, expected: bool) -> None:
    """Of a numbered one, of what a file holds, of data that are kept, of a secret, of what must be."""
    assert refuses(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The documents do not say who painted it.", True),
        ("The sources don't tell us exactly when it was built.", True),
        ("The manual does not describe how to reset it.", True),
        ("Das steht nicht in den Unterlagen.", True),
        ("In den Dokumenten steht nichts darüber.", True),
        ("In diesem Handbuch steht der Preis leider nicht.", True),
        ("Darüber sagen die Unterlagen nichts.", True),
        ("The law does not say who must pay.", False),
        ("The documents do not need to be signed.", False),
        ("In den Unterlagen steht, dass das Rauchen nicht erlaubt ist.", False),
        ("Das Auto steht nicht in der Garage.", False),
    ],
)
def test_a_refusal_may_name_what_is_not_said(sentence: str, expected: bool) -> None:
    """Of documents that are silent; what a law, a sign or a person does not say is a fact."""
    assert refuses(sentence) is expected


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The manual says that the filter is not included and must be bought separately.", False),
        ("The manual does not say whether the filter is included.", True),
        ("None of these manuals explain the filter.", True),
        ("The parser ignores fields that are not documented.", False),
        ("This field is not documented in the sources.", True),
        ("Error 404 means that the requested document was not found.", False),
        ("No matching document was found.", True),
        ("The constitution does not mention political parties.", False),
        ("The text does not mention political parties.", True),
        ("Leave the box blank if the information is not available.", False),
        ("The text does not say if the information is public.", True),
        ("It is not possible to confirm a booking by phone.", False),
        ("It is not possible to confirm that from the sources.", True),
        ("The agreement says nothing about weekends, so the 10-day period runs through them.", False),
        ("The agreement says nothing about weekends.", True),
        ("The author does not say that the war was inevitable.", False),
        ("The author does not say why the war began.", True),
        ("The search does not return results older than 90 days.", False),
        ("The search did not return any results.", True),
        ("The basic plan does not include access to the knowledge base.", False),
        ("The plan does not include information about fees.", True),
        ("Cosmetic surgery is not covered.", False),
        ("That topic is not covered.", True),
        ("The cosmetic issues of the device are not covered.", False),
        ("This point is not covered.", True),
        ("Anything of value is not covered.", False),
        ("Anything about dental insurance is not covered.", True),
        ("O ponto não está coberto.", False),
        ("Esse ponto não está coberto.", True),
        ("Ce point n'est pas couvert.", True),
        ("A cirurgia estética não está coberta.", False),
        ("Esse assunto não está coberto.", True),
        ("Le vol n'est pas couvert.", False),
        ("Ce sujet n'est pas couvert.", True),
        ("Das Gerät speichert keine persönlichen Informationen.", False),
        ("Ich habe dazu keine persönlichen Informationen gefunden.", True),
        ("Na komecie nie znaleziono wody.", False),
        ("Nie znaleziono informacji o wodzie.", True),
        ("لا يوجد حد لعدد الملفات المرفوعة.", False),
        ("لا يوجد في المستندات ذكر لعدد الملفات.", True),
        ("In de bestanden die u uploadde ben ik geen startdatum tegengekomen.", True),
    ],
)
def test_a_fact_with_a_negation_is_no_refusal(sentence: str, expected: bool) -> None:
    """What a manual states, what an error means, a part of a sentence that only says of which things, or when."""
    assert refuses(sentence) is expected


REFERRALS = (
    ("The documents do not say who painted it.", "Try asking the museum."),
    ("Los documentos no dicen quién lo pintó.", "Pregunte al museo."),
    ("Os documentos não dizem quem o pintou.", "Pergunte ao museu."),
    ("Les documents ne disent pas qui l'a peint.", "Demandez au musée."),
    ("I couldn't find that in the documents.", "I recommend contacting HR directly."),
    ("I'm sorry, but I don't have information about that.", "Please contact HR."),
    ("The context does not mention the refund policy.", "You may want to check the company's website."),
    ("I don't have enough information to answer.", "If you can provide more context, I'd be happy to help!"),
    ("Não encontrei informações sobre isso nos documentos.", "Por favor, consulte o suporte técnico."),
    (
        "Los documentos no mencionan la política.",
        "Por favor, póngase en contacto con el servicio de atención.",
    ),
    ("Je n'ai pas trouvé d'information à ce sujet.", "Veuillez contacter le service client."),
    ("Dazu habe ich leider keine Informationen gefunden.", "Bitte wenden Sie sich an die Personalabteilung."),
    ("Non ho trovato informazioni su questo argomento.", "Ti consiglio di contattare l'assistenza clienti."),
    ("Ik kan deze informatie niet vinden in de documenten.", "Neem contact op met de klantenservice."),
    ("W dokumentach nie ma informacji na ten temat.", "Proszę skontaktować się z działem HR."),
    ("Bu konuda belgelerde bilgi bulunmamaktadır.", "Lütfen insan kaynakları ile iletişime geçin."),  # noqa: RUF001 - Turkish
    ("В документах нет информации об этом.", "Рекомендую обратиться в отдел кадров."),  # noqa: RUF001 - Russian
    ("提供的文档中没有相关信息。", "建议您联系人力资源部门。"),
    ("提供された資料にはその情報が含まれていません。", "人事部にお問い合わせください。"),
    ("제공된 문서에는 해당 정보가 없습니다.", "인사팀에 문의해 주세요."),
    ("لا توجد معلومات حول ذلك في المستندات المقدمة.", "يرجى التواصل مع قسم الموارد البشرية."),
    ("אין במסמכים מידע על כך.", "מומלץ לפנות למחלקת משאבי אנוש."),
    ("दिए गए संदर्भ में इसका उल्लेख नहीं है।", "कृपया मानव संसाधन विभाग से संपर्क करें।"),
)


@pytest.mark.parametrize(("refusal", "referral"), REFERRALS)
def test_whom_to_ask_instead_is_no_claim_of_a_refusal(refusal: str, referral: str) -> None:
    """Nearly every service refuses so; without a refusal beside it the same sentence may be what was asked."""
    both = Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=f"{refusal} {referral}"))
    assert (both.abstains, both.bears_claims) == (True, False)


@pytest.mark.parametrize(
    "more",
    [
        "You can reach support at 0800 1234567.",
        "Please contact support: refunds of $500 are paid within 90 days.",
        "Please contact anna.weber@example.com.",
        "Please note that employees receive unlimited leave.",
        "It is recommended to check the battery, tyres and fluids first.",
        "You can find the form in the employee portal.",
    ],
)
def test_what_a_refusal_adds_from_nowhere_stays_a_claim(more: str) -> None:
    """A number, an address or a fact."""
    both = Prepared(
        RagTrace("0" * 32, "1" * 16, "shop", 0, answer=f"I couldn't find that in the documents. {more}")
    )
    assert both.bears_claims


def test_a_referral_without_a_refusal_is_a_claim() -> None:
    """The evidence may say whom to ask."""
    assert Prepared(
        RagTrace("0" * 32, "1" * 16, "shop", 0, answer="Please contact the front desk.")
    ).bears_claims


@pytest.mark.parametrize(
    ("referral", "owes"),
    [
        ("Please contact support at 0800 123 4567 or support@example.com.", False),
        ("Please contact support at support@example.com: refunds of $500 are paid within 90 days.", True),
    ],
)
def test_only_whom_to_ask_owes_no_citation(referral: str, owes: bool) -> None:
    """A sum or a term stands on a passage, whoever is to be asked."""
    answer = f"I couldn't find that in the documents. {referral}"
    assert Prepared(RagTrace("0" * 32, "1" * 16, "shop", 0, answer=answer)).owes_citations is owes


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The lease makes no provision for subletting, so I can't advise on that.", True),
        ("The fee is 12 euros, so I can't say whether children pay it.", False),
    ],
)
def test_the_reason_of_a_refusal_is_no_claim(answer: str, expected: bool) -> None:
    """What the papers lack leads to "so I can't"; a number before it answers something."""
    assert abstains(answer) is expected


WORKS = (
    ("The report does not name the author.", True),
    ("The report does not name the author. Please contact the press office.", True),
    ("The report does not name the author. It only says when it was printed.", True),
    ("The article does not mention the price, but it says that children pay half.", True),
    ("The context does not name the author. It was printed in 2019 by the ministry.", True),
    ("The report does not name the author. It was printed in 2019 by the ministry.", False),
    ("The page does not list the price. Children under six enter free of charge.", False),
)


@pytest.mark.parametrize(("answer", "expected"), WORKS)
def test_what_a_report_leaves_out_is_a_fact_where_the_answer_goes_on(answer: str, expected: bool) -> None:
    """A summary says such things; an answer that ends there, or turns, has nothing else to say."""
    assert refuses(answer) is expected


SHORT = (
    ("Unknown.", "What is the status of the order?", "Order 7: status unknown.", False),
    ("Not available", "Is parking available?", "Parking: not available. Lift: yes.", False),
    ("N/A", "What is the vendor's tax number?", "Vendor: Ada, tax number: N/A", False),
    ("Unknown.", "What is the status of the order?", "The painter is unknown.", True),
    ("Not available.", "Is parking available?", "The pool is not available in winter.", True),
    ("Unknown.", "What is the status of the order?", "Order 7 was shipped.", True),
    ("Unknown. I could not find it.", "What is the status?", "The status is unknown.", True),
    ("I don't know the status.", "What is the status?", "I don't know the status.", True),
    ("Unknown.", "", "The status is unknown.", True),
)


@pytest.mark.parametrize(("answer", "question", "passage", "expected"), SHORT)
def test_a_passage_may_say_that_something_is_unknown(
    answer: str, question: str, passage: str, expected: bool
) -> None:
    """Where a few words are all of the answer and its sentence is about what was asked, they are a claim."""
    record = RagTrace(
        "0" * 32, "1" * 16, "shop", 0, query=question, answer=answer, documents=(Document("d1", passage),)
    )
    prepared = Prepared(record)
    assert (prepared.abstains, prepared.bears_claims) == (expected, not expected)
