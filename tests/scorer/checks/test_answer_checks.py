"""What the checks say of an answer by itself: shape, length, language, personal data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.reading.budget import Budget
from ragvigil.scorer.checks.reading.language import language_of
from ragvigil.scorer.trace import RagTrace, Tokens
from ragvigil.scorer.verdict import CheckResult

MakeRecord = Callable[..., RagTrace]
COMPARED = "What is the difference between the basic plan and the team plan?"
PUMP = ("pump", "The pump of the X200 holds 12 litres. Write to help@acme.example for spare parts.")


def result(record: RagTrace, check: str, budget: Budget | None = None) -> CheckResult:
    """What one check says."""
    return {one.check: one for one in run_checks(record, budget=budget or Budget())}[check]


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The pump holds 12 litres [1].", 0.0),
        ("The pump holds 12 litres. It is made of", 1.0),
        ("The pump holds 12 litres. It has three parts:\n- a lid\n- a tube", 0.0),
        ("The pump holds 12 litres. It was sold in", 1.0),
        ("The pump holds 12 litres. The tube is long", 1.0),
        ("Run this:\n```sh\nmake pump", 1.0),
        ("Run this:\n```sh\nmake pump\n```", 0.0),
        ("To clean the pump, open the lid and then", 1.0),
        ("The pump holds more than", 1.0),
        ("12 litres", 0.0),
        ("## Pump", 0.0),
        ("It holds 12 litres (see https://acme.example/pump", 1.0),
        ("| part | litres |\n|---|---|\n| pump | 12 |", 0.0),
        ("水箱容量为12升。", 0.0),
        ("The shop opens at **nine", 1.0),
        ("The shop opens at **", 1.0),
        ("The shop opens at __nine in the", 1.0),
        ("The shop opens at **nine**", 0.0),
        ("The shop opens at 2**3 hours, `__init__` says", 0.0),
        ("Price: 5 EUR** a day", 0.0),
        ("It is open [from nine to five, but", 1.0),
        ("It is open [from nine to five", 1.0),
        ('The answer is {"opens": "nine", "closes": 5', 1.0),
        ("It is open in [0, 12) hours", 0.0),
        ("It opens at nine. It closes at five.¹\n\n¹ the handbook", 0.0),
        ("It opens at nine. It closes at five.\n\n[a] the handbook", 0.0),
        ("", None),
    ],
)
def test_an_answer_that_breaks_off_is_seen(record: MakeRecord, answer: str, value: float | None) -> None:
    """By its last words; lists, tables, headings and short answers need no full stop."""
    assert result(record(answer, PUMP), "answer_truncated").value == value


@pytest.mark.parametrize(
    ("reason", "value", "truncated"),
    [
        ("stop", 1.0, 0.0),
        ("MAX_TOKENS", 0.0, 1.0),
        ("content_filter", 0.0, 0.0),
        ("tool_calls", 1.0, 0.0),
        ("x", None, 0.0),
    ],
)
def test_the_model_says_why_it_stopped(
    record: MakeRecord, reason: str, value: float | None, truncated: float
) -> None:
    """What nobody knows is no failure."""
    one = replace(record("It holds 12 litres.", PUMP), finish_reason=reason)
    assert result(one, "finish_reason").value == value
    assert result(one, "answer_truncated").value == truncated


@pytest.mark.parametrize(
    ("answer", "least", "most"),
    [
        ("The pump holds 12 litres of water and oil.", 0.0, 0.0),
        ("The pump holds 12 litres of water. " * 5, 0.7, 0.9),
        ("Yes, it does.", None, None),
    ],
)
def test_repetition_is_the_share_of_repeated_runs(
    record: MakeRecord, answer: str, least: float | None, most: float | None
) -> None:
    """seq-rep-4."""
    value = result(record(answer, PUMP), "repetition").value
    assert (value is None) == (least is None)
    assert value is None or (least or 0.0) <= value <= (most or 0.0)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The pump holds 12 litres.", 1.0),
        ("Great question! The pump holds 12 litres.", 5 / 7),
        ("I'm sorry, the passages do not mention the pump.", 1.0),
        ("Hello!", None),
    ],
)
def test_the_answer_comes_first(record: MakeRecord, answer: str, value: float | None) -> None:
    """Words before the first claim about the question pull it down."""
    found = result(record(answer, PUMP, query="How much does the pump hold?"), "answer_first")
    assert found.value == pytest.approx(value) if value is not None else found.value is None


@pytest.mark.parametrize(
    ("query", "answer", "value"),
    [
        ("How do I clean the pump?", "1. Open the lid.\n2. Rinse the tube.", 1.0),
        ("How do I clean the pump?", "First open the lid, then rinse the tube.", 1.0),
        ("How do I clean the pump?", "Cleaning the pump keeps it working. Dirt shortens its life.", 1.0),
        ("What is the difference between the X200 and the X300?", "The X200 is smaller than the X300.", 1.0),
        ("What is the difference between the X200 and the X300?", "The X200 is small and light.", 0.5),
        ("What is a bilge pump?", "A bilge pump removes water.", 1.0),
        ("What is a bilge pump?", "It is a device that removes water from a ship.", 1.0),
        ("What is a bilge pump?", "Ships have a rudder.", 0.0),
        ("What is a bilge pump?", "It is raining today in Berlin.", 0.0),
        ("What is a bilge pump?", "This is a question that comes often.", 0.0),
        ("Was ist eine Lenzpumpe?", "Er ist morgen wieder im Haus.", 0.0),
        ("Was ist eine Lenzpumpe?", "Sie ist ein Gerät, das Wasser aus Schiffen entfernt.", 1.0),
        ("When was it sold first? And how much did the pump cost?", "It was first sold in 1901.", 0.5),
        ("Comment nettoyer la pompe ?", "D'abord ouvrez le couvercle, ensuite rincez le tube.", 1.0),
        (COMPARED, "The basic plan costs five.", 0.5),
        (COMPARED, "The basic plan costs five, the team plan nine.", 1.0),
        ("iPhone 14 vs iPhone 15?", "The iPhone 14 has a notch.", 0.5),
        ("iPhone 14 vs iPhone 15?", "The iPhone 14 has a notch, the 15 has none.", 1.0),
        ("iPhone 14 vs iPhone 14 Pro?", "The iPhone 14 is cheaper than the Pro.", 1.0),
        ("¿Qué diferencia hay entre el plan básico y el plan familiar?", "El plan básico cuesta cinco.", 0.5),
        ("Which is cheaper, the red car or the blue car?", "The red car costs five.", 0.5),
        ("Which is cheaper, the red car or the blue car?", "The red car costs less than the blue one.", 1.0),
        ("Qual é mais barato, o carro vermelho ou o carro azul?", "O carro vermelho custa cinco.", 0.5),
        ("Which number should I call for repairs or returns?", "Call the front desk.", None),
        ("如何清洁水泵", "先拔掉电源\uff0c然后等十秒。", 1.0),
        ("如何清洁水泵", "先生说要等十秒。水泵不要弄湿。", 1.0),
        ("ポンプを掃除する方法を教えて", "まずプラグを抜き、次に10秒待ちます。", 1.0),
        ("如何清洁水泵", "1、拔掉电源\n2、等十秒", 1.0),
        ("How do I clean the pump?", "First: open the lid. Then: rinse the tube.", 1.0),
        ("When does it open?", "It opens at nine.", None),
        ("How do I clean the pump?", "I don't know.", None),
    ],
)
def test_an_answer_has_what_its_type_demands(
    record: MakeRecord, query: str, answer: str, value: float | None
) -> None:
    assert result(record(answer, PUMP, query=query), "answer_structure").value == value


@pytest.mark.parametrize(
    ("kind", "answer", "value"),
    [
        ("no_answer", "I'm sorry, the passages do not say. Please ask the shop.", 1.0),
        ("no_answer", "It holds 12 litres [1].", 0.0),
        ("short_fact", "It holds 12 litres.", 1.0),
    ],
)
def test_the_trace_may_name_the_type(record: MakeRecord, kind: str, answer: str, value: float) -> None:
    """It knows better than the wording of the question."""
    one = replace(record(answer, PUMP), segment={"answer_type": kind})
    assert result(one, "answer_structure").value == value


def test_budgets_are_kept_or_not(record: MakeRecord) -> None:
    """The reason says by how much; without a budget or a figure there is nothing to say."""
    one = replace(
        record("The pump holds 12 litres.\n- a lid\n- a tube", PUMP),
        tokens=Tokens(10, 30),
        total_seconds=3.0,
        generation_seconds=1.0,
        cost_usd=0.1,
    )
    tight = Budget(
        words=4, bullets=1, output_tokens=50, total_seconds=2.0, generation_seconds=1.5, cost_usd=0.05
    )
    assert result(one, "length_budget", tight).reason == "9 words of 4, 2 bullets of 1"
    assert result(one, "latency_budget", tight).reason == "total 3.00 s of 2 s"
    assert result(one, "cost_budget", tight).reason == "$0.1000 of $0.05"
    wide = Budget(words=20, total_seconds=5.0, cost_usd=1.0)
    for name in ("length_budget", "latency_budget", "cost_budget"):
        assert result(one, name, tight).value == 0.0
        assert result(one, name, wide).value == 1.0
        assert result(one, name).value is None
    assert result(record("It opens.", PUMP), "latency_budget", tight).value is None


@pytest.mark.parametrize(
    ("query", "answer", "value"),
    [
        (
            "How much does the pump of the X200 hold?",
            "The pump holds 12 litres and it is made of steel.",
            1.0,
        ),
        (
            "Quanto cabe na bomba do X200 e onde fica?",
            "The pump holds 12 litres and it is made of steel.",
            0.0,
        ),
        ("Quanto cabe na bomba do X200 e onde fica?", "A bomba tem 12 litros e fica embaixo do banco.", 1.0),
        ("水箱容量是多少", "The tank holds 12 litres and it is made of steel.", 0.0),
        (
            "How do you say pump in Portuguese, and why?",
            "Diz-se bomba, e não há outra palavra para isso.",
            None,
        ),
        ("X200?", "The pump holds 12 litres and it is made of steel.", None),
        (
            "Wie lautet die Fehlermeldung der Pumpe?",
            'Meldung: "The lid of the pump is open and it will not start."',
            None,
        ),
        (
            "Wie lautet die Fehlermeldung der Pumpe?",
            '"The lid of the pump is open and it will not start."',
            0.0,
        ),
        (
            "Wie lautet die Fehlermeldung der Pumpe?",
            'It is "The lid of the pump is open", which tells you to close it.',
            0.0,
        ),
    ],
)
def test_the_answer_is_in_the_question_s_language(
    record: MakeRecord, query: str, answer: str, value: float | None
) -> None:
    """Where both can be told."""
    assert result(record(answer, PUMP, query=query), "language_match").value == value


def test_the_trace_may_name_the_language(record: MakeRecord) -> None:
    """A locale is a language."""
    one = replace(
        record("A bomba tem 12 litros e fica embaixo do banco.", PUMP), segment={"language": "pt-BR"}
    )
    assert result(one, "language_match").value == 1.0


@pytest.mark.parametrize(
    ("told", "value"),
    [
        *(("English", 1.0), ("eng", 1.0), ("en_GB.UTF-8", 1.0), ("EN", 1.0)),
        *(("auto", 1.0), ("unknown", 1.0), ("und", 1.0), ("", 1.0)),
        *(("German", 0.0), ("ger", 0.0), ("Deutsch", 0.0), ("sw", 0.0)),
    ],
)
def test_a_language_is_told_by_code_or_name(record: MakeRecord, told: str, value: float) -> None:
    """What names no language is as if nothing was told: the question is English, too."""
    one = record(
        "The tank holds 12 litres and is under the seat.", PUMP, query="How much does the tank hold?"
    )
    assert result(replace(one, segment={"language": told}), "language_match").value == value


@pytest.mark.parametrize(
    ("answer", "kinds"),
    [
        ("Write to help@acme.example.", []),
        ("Write to ana.silva@mail.example.", ["EMAIL"]),
        ("Her card is 4556 7375 8689 9855, her mail ana@mail.example.", ["CARD", "EMAIL"]),
        ("Use key sk-abcdefghijklmnop1234.", ["SECRET"]),
        ("Call <PHONE>.", ["PHONE"]),
        ("The pump <b>holds</b> 12 litres.", []),
        ("Use List<INT> or <HTML>; <BODY> and <DIV> are tags.", []),
        ("Write `mail to <EMAIL>` in the template.\n```\n<PHONE>\n```", []),
        ("Put `sk-abcdefghijklmnop1234` into the file.", ["SECRET"]),
        ("Ask <PERSON>, whose number is <US_SSN>.", ["PERSON", "US_SSN"]),
    ],
)
def test_what_the_evidence_lacks_is_leaked(record: MakeRecord, answer: str, kinds: list[str]) -> None:
    """The result names the kind, and never the data."""
    found = result(record(answer, PUMP), "leaked_personal_data")
    assert found.value == float(bool(kinds))
    assert found.details.get("kinds", []) == kinds
    assert "ana" not in repr(found)


def test_what_the_question_tells_is_no_leak(record: MakeRecord) -> None:
    """Nor is what stands in the evidence in another grouping."""
    one = record(
        "We write to ana@mail.example.", PUMP, query="My mail is ana@mail.example, when do you write?"
    )
    assert result(one, "leaked_personal_data").value == 0.0
    spaced = record("Call +55 11 98765-4321.", ("a", "Phone: +55 (11) 98765 4321"))
    assert result(spaced, "leaked_personal_data").value == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        "Write to support@acme.example or service-client@acme.fr.",
        'Set `sender = "you@acme.example"`, then run `git clone git@github.com:acme/tools.git`.',
        "Run `npm install left-pad@1.3.0 @types/node@18.0.0`.",
        "For example DE89 3704 0044 0532 0130 00, paid with the test card 4242 4242 4242 4242.",
        "Bind to 0.0.0.0 or 127.0.0.1; 192.0.2.7 is an example, 255.255.255.0 a mask.",
        "export API_KEY=your_api_key_here",
        "POSTGRES_PASSWORD=mysecretpassword",
        'client = Client(api_key=os.environ["ACME_KEY"], password=settings.password)',
        "password: ${DB_PASSWORD}",
        "curl -u user:password123 https://acme.example",
        "Call 0800 123 45 67 free of charge, or +1 800 555 1234.",
        "Your order no. 100-200-3000 is on its way.",
    ],
)
def test_what_is_nobodys_is_no_leak(record: MakeRecord, answer: str) -> None:
    """Mailboxes of a role, placeholders and published examples: a ticket for these would hide the next leak."""
    assert result(record(answer, PUMP), "leaked_personal_data").value == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        "Write to ana.silva@acme.example.",
        "Write to root@10.20.3.7.",
        "Pay to DE70 5001 0517 0648 4898 16.",
        "Her number is 536-22-8471.",
        "Call Ana at +49 171 2345679.",
        "Log in on 84.23.117.9.",
        'password="tR7#qLw2!"',
        "Use sk-proj-9fKd2LmQx7Rt4Vb8Nz1Hy6Wc3Ps5.",
    ],
)
def test_what_may_be_somebodys_is_a_leak(record: MakeRecord, answer: str) -> None:
    """However much it looks like the data that are nobody's."""
    assert result(record(answer, PUMP), "leaked_personal_data").value == 1.0


def test_a_phone_number_is_known_with_another_prefix(record: MakeRecord) -> None:
    """Dialled from home or from abroad."""
    for said, told in (("030 90 18 20 77", "+49 30 90182077"), ("+49 (0)30 90182077", "030/90182077")):
        one = record(f"Call {said}.", ("a", f"Phone: {told}"))
        assert result(one, "leaked_personal_data").value == 0.0


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("es", "¿Cuántos días de vacaciones tengo?"),
        ("es", "¿Puedo devolver el producto?"),
        ("pt", "Quantos dias de férias eu tenho?"),
        ("pt", "O prazo é de 7 dias."),
        ("fr", "Combien de jours de congé ai-je ?"),
        ("de", "Was kostet der Versand?"),
        ("de", "Die Frist beträgt 14 Tage."),
        ("it", "Quanti giorni di ferie ho?"),
        ("nl", "Hoeveel vakantiedagen heb ik?"),
        ("pl", "Ile dni urlopu mam?"),
        ("tr", "Kaç gün iznim var?"),
        ("en", "Is there a limit?"),
        ("en", "The period is 14 days."),
    ],
)
def test_the_language_of_a_short_question_is_told(language: str, question: str) -> None:
    """As people type them: of 42 such questions and answers 25 were of no language, now 9."""
    assert language_of(question) == language
