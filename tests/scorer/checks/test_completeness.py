"""Completeness by the type of answer, and misread context."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.scorer.checks.conftest import MakeRecord

from ragvigil.scorer.checks import claims_misread, conditions_kept, run_checks
from ragvigil.scorer.failure_tags import failures_of
from ragvigil.scorer.grounded_answer import grounded_answer
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult

RULES = {
    "en": (
        "What is the return period for shoes?",
        "The return period for shoes is 30 days{}. Refunds are paid by bank transfer.",
        ", except for discounted items from the outlet",
        "The return period for shoes is 30 days{}.",
        ", but not for discounted items",
    ),
    "en_behind": (
        "What is the return period for shoes?",
        "The return period for shoes is 30 days.{} Refunds are paid by bank transfer.",
        " This does not apply to discounted items from the outlet.",
        "The return period for shoes is 30 days.{}",
        " Discounted items cannot be sent back.",
    ),
    "de": (
        "Wie lange ist die Rückgabefrist für Schuhe?",
        "Die Rückgabefrist für Schuhe beträgt 30 Tage{}. Das Geld wird überwiesen.",
        ", ausgenommen sind reduzierte Artikel aus dem Lagerverkauf",
        "Die Rückgabefrist für Schuhe beträgt 30 Tage{}.",
        ", aber nicht für reduzierte Artikel",
    ),
    "es": (
        "¿Cuál es el plazo de devolución de los zapatos?",
        "El plazo de devolución de los zapatos es de 30 días{}. El dinero se transfiere.",
        ", salvo los artículos rebajados de la tienda",
        "El plazo de devolución de los zapatos es de 30 días{}.",
        ", pero no para artículos rebajados",
    ),
    "fr": (
        "Quel est le délai de retour des chaussures ?",
        "Le délai de retour des chaussures est de 30 jours{}. L'argent est remboursé par virement.",
        ", sauf pour les articles soldés du dépôt",
        "Le délai de retour des chaussures est de 30 jours{}.",
        ", mais pas pour les articles soldés",
    ),
    "pt": (
        "Qual é o prazo de devolução dos sapatos?",
        "O prazo de devolução dos sapatos é de 30 dias{}. O dinheiro é transferido.",
        ", exceto para artigos rebaixados da loja",
        "O prazo de devolução dos sapatos é de 30 dias{}.",
        ", mas não para artigos rebaixados",
    ),
}


def _result(record: RagTrace, name: str) -> CheckResult:
    return next(one for one in run_checks(record) if one.check == name)


def _typed(record: RagTrace, kind: str) -> RagTrace:
    return replace(record, segment={"answer_type": kind})


@pytest.mark.parametrize("case", list(RULES))
def test_an_exception_beside_the_fact_is_told_or_missed(record: MakeRecord, case: str) -> None:
    """A rule without its exception is half an answer; one without exceptions lacks nothing."""
    query, rule, exception, answer, telling = RULES[case]
    passage, other = ("a", rule.format(exception)), ("b", "The shop is old. La boutique. Der Laden.")

    def kept(text: str, *passages: tuple[str, str]) -> CheckResult:
        return _result(_typed(record(text, *passages, query=query), "short_fact"), "conditions_kept")

    missed = kept(answer.format(""), passage, other)
    assert missed.value == 0.0
    assert missed.reason is not None
    assert missed.reason.startswith("leaves out the exception: ")
    assert kept(answer.format(telling), passage, other).value == 1.0
    assert kept(answer.format(""), ("a", rule.format("")), other).value is None


def test_an_exception_of_another_passage_or_another_fact(record: MakeRecord) -> None:
    """Chunks part a rule from its exception; the exception of another rule is none of this one."""
    query, answer = "What is the return period for shoes?", "The return period for shoes is 30 days."
    rule = ("a", answer)
    split = ("b", "The return period of 30 days for shoes does not apply to discounted items.")
    assert _result(record(answer, rule, split, query=query), "conditions_kept").value == 0.0
    unlike = ("b", "The parking garage is open daily, except on Sundays.")
    assert _result(record(answer, rule, unlike, query=query), "conditions_kept").value is None
    behind = ("a", f"{answer} Parking in the garage is free, except on Sundays.")
    assert _result(record(answer, behind, query=query), "conditions_kept").value is None


PROVISOS = (
    ("Is parking free?", "Parking is free only for guests of the hotel.", "Parking is free."),
    (
        "Can I cancel the course?",
        "You can cancel the course provided that a form is handed in.",
        "You can cancel the course.",
    ),
    (
        "Who may open the hatch?",
        "If the lamp is green, trained staff may open the hatch.",
        "Trained staff may open the hatch.",
    ),
    (
        "Wann ist der Eintritt frei?",
        "Der Eintritt ist frei, sofern eine Jahreskarte vorliegt.",
        "Der Eintritt ist frei.",
    ),
    (
        "¿Es gratis el envío?",
        "El envío es gratis siempre que el pedido supere 50 euros.",
        "El envío es gratis.",
    ),
    (
        "Le dépôt est-il remboursé ?",
        "Le dépôt est remboursé à condition que la clé soit rendue.",
        "Le dépôt est remboursé.",
    ),
    ("Is the pool free?", "The pool is free for guests who book a massage.", "The pool is free."),
    ("Is the pool open?", "The pool is open when the outside lamp is green.", "The pool is open."),
    (
        "Wann kommt die Ware an?",
        "Die Ware kommt an nach Eingang der Anzahlung.",
        "Die Ware kommt an.",
    ),
    ("Is my seat confirmed?", "Your seat is confirmed if the deposit arrives.", "Your seat is confirmed."),
    ("¿Se envía el libro?", "El libro se envía tras el pago completo.", "El libro se envía."),
)
NONE_LEFT_OUT = (
    (
        "Is parking free?",
        "Parking is free only for guests of the hotel.",
        "Parking is free if you are a hotel guest.",
    ),
    (
        "Is parking free?",
        "Parking is free only for guests of the hotel.",
        "Yes, when you stay with us parking is free.",
    ),
    (
        "When did it open?",
        "The hotel opened in 1901 after a fire had destroyed the inn.",
        "The hotel opened in 1901.",
    ),
    (
        "Is parking free?",
        "Parking is free. The pool is free only for guests of the hotel.",
        "Parking is free.",
    ),
    ("Is parking free for guests?", "Parking is free only for guests of the hotel.", "Parking is free."),
    (
        "When was the firm founded?",
        "The firm was founded in 1990 by Jane Miller who later sold it.",
        "The firm was founded in 1990.",
    ),
    (
        "When was the firm sold?",
        "The firm was sold in 1990 to investors who closed it.",
        "The firm was sold in 1990.",
    ),
    (
        "When was the bridge built?",
        "The bridge was built in 1950 after the war and is closed to lorries.",
        "The bridge was built in 1950.",
    ),
    (
        "When does the shop open?",
        "The shop opens at nine, as you can see when you have a look at the door.",
        "The shop opens at nine.",
    ),
    (
        "What does the lamp show?",
        "The green lamp of the pump shows if the tank is empty.",
        "The green lamp of the pump shows.",
    ),
    (
        "Is the pool open in winter?",
        "The pool is open in winter even if the ice is thick.",
        "The pool is open in winter.",
    ),
    (
        "¿Cuándo fue construido el museo?",
        "El museo fue construido en 1950 tras la guerra.",
        "El museo fue construido en 1950.",
    ),
    (
        "Quand le musée a-t-il été construit ?",
        "Le musée a été construit en 1950 après la guerre.",
        "Le musée a été construit en 1950.",
    ),
    (
        "Quando foi construído o museu?",
        "O museu foi construído em 1950 após a revolução.",
        "O museu foi construído em 1950.",
    ),
    (
        "Quando è stato costruito il museo?",
        "Il museo è stato costruito nel 1950 dopo la guerra.",
        "Il museo è stato costruito nel 1950.",
    ),
    (
        "Wie lange gilt der Gutschein?",
        "Der Gutschein gilt drei Jahre nach dem neuen Gesetz.",
        "Der Gutschein gilt drei Jahre.",
    ),
)


@pytest.mark.parametrize(("query", "passage", "answer"), PROVISOS)
def test_what_a_fact_holds_for_only_is_left_out(
    record: MakeRecord, query: str, passage: str, answer: str
) -> None:
    """The claim has the words of the rest of the sentence."""
    found = _result(record(answer, ("a", passage), query=query), "conditions_kept")
    assert found.value == 0.0
    assert found.reason is not None
    assert found.reason.startswith("leaves out the proviso: ")


@pytest.mark.parametrize(("query", "passage", "answer"), NONE_LEFT_OUT)
def test_no_proviso_is_left_out(record: MakeRecord, query: str, passage: str, answer: str) -> None:
    """It is told in other words, asked for, of something else, or only says when something happened."""
    found = _result(record(answer, ("a", passage), query=query), "conditions_kept")
    assert found.value in (None, 1.0)


def test_a_claim_of_something_else_hides_no_proviso_from_the_next_one(record: MakeRecord) -> None:
    """Both stand on one sentence, and what is none of the first one's is of the second one."""
    passage = ("a", "The garage of the hotel offers parking that is free only for guests of the spa.")
    for aside in ("", "Parking exists in the garage. ", "The hotel has parking. "):
        said = record(f"{aside}Parking is free.", passage, query="Is parking free in the garage?")
        assert _result(said, "conditions_kept").value == 0.0, aside


def test_exceptions_that_a_program_raises_are_none(record: MakeRecord) -> None:
    """Found in Python's documentation: a word alone excepts nothing."""
    passage = ("a", "A task group waits for all tasks. Exceptions are then combined and raised as a group.")
    said = record("A task group waits for all tasks.", passage, query="What does a task group wait for?")
    assert _result(said, "conditions_kept").value is None
    ruled = ("a", "A task group waits for all tasks. The only exception is the main thread.")
    said = record("A task group waits for all tasks.", ruled, query="What does a task group wait for?")
    assert _result(said, "conditions_kept").value == 0.0


@pytest.mark.parametrize(
    ("query", "before", "steps", "stop"),
    [
        (
            "How do I reset the pump?",
            "Before you start, disconnect the mains cable.",
            "Press the red button. Then hold the lever for ten seconds.",
            "Stop immediately if smoke appears.",
        ),
        (
            "Wie kann ich die Pumpe zurücksetzen?",
            "Bevor Sie anfangen, ziehen Sie das Netzkabel.",
            "Drücken Sie den roten Knopf. Dann halten Sie den Hebel zehn Sekunden.",
            "Brechen Sie sofort ab, wenn Rauch austritt.",
        ),
        (
            "¿Cómo puedo reiniciar la bomba?",
            "Antes de empezar, desconecte el cable eléctrico.",
            "Pulse el botón rojo. Luego mantenga la palanca diez segundos.",
            "Detenga el proceso si aparece humo.",
        ),
        (
            "Comment puis-je réinitialiser la pompe ?",
            "Avant de commencer, débranchez le câble électrique.",
            "Appuyez sur le bouton rouge. Ensuite maintenez le levier dix secondes.",
            "Arrêtez immédiatement si de la fumée apparaît.",
        ),
        (
            "Como posso reiniciar a bomba?",
            "Antes de começar, desligue o cabo elétrico.",
            "Pressione o botão vermelho. Depois mantenha a alavanca dez segundos.",
            "Interrompa o processo se aparecer fumaça.",
        ),
    ],
)
def test_preconditions_and_ends_of_an_instruction(
    record: MakeRecord, query: str, before: str, steps: str, stop: str
) -> None:
    """Steps alone leave out when they may be taken, and when not to go on."""
    passage = ("a", f"{before} {steps} {stop}")

    def kept(answer: str) -> CheckResult:
        return _result(_typed(record(answer, passage, query=query), "instruction"), "conditions_kept")

    assert kept(f"{before} {steps} {stop}").value == 1.0
    assert kept(f"{before} {steps}").value == 0.5
    assert kept(steps).value == 0.0
    assert "stop" in (kept(f"{before} {steps}").reason or "")


@pytest.mark.parametrize(
    ("kind", "query", "answer", "lacking"),
    [
        ("no_answer", "Who?", "The passages do not mention this. Please contact the help desk.", []),
        ("no_answer", "¿Quién?", "No encontré información sobre eso. Pregunte a su gerente.", []),
        ("no_answer", "Qui ?", "Je n'ai pas trouvé cette information. Demandez à votre responsable.", []),
        ("no_answer", "Quem?", "Não encontrei informações sobre isso. Pergunte ao seu gerente.", []),
        (
            "no_answer",
            "Wer?",
            "Dazu habe ich keine Informationen gefunden. Fragen Sie die Personalabteilung.",
            [],
        ),
        (
            "no_answer",
            "Who?",
            "The passages do not mention this. It was Ada Lovelace.",
            ["suggests a next step", "invents nothing"],
        ),
        ("no_answer", "Who?", "The passages do not mention this.", ["suggests a next step"]),
        ("no_answer", "Wer?", "Dazu habe ich keine Informationen gefunden.", ["suggests a next step"]),
        (
            "comparison",
            "Compare the basic plan and the team plan",
            "We have a basic plan and a team plan.",
            ["how they differ"],
        ),
        (
            "comparison",
            "Compare the basic plan and the team plan",
            "The basic plan costs 5 euros. The team plan costs 9 euros.",
            [],
        ),
        (
            "comparison",
            "Was ist der Unterschied zwischen dem Basistarif und dem Teamtarif?",
            "Es gibt den Basistarif und den Teamtarif.",
            ["how they differ"],
        ),
        (
            "comparison",
            "Quelle est la différence entre le tarif simple et le tarif équipe ?",
            "Le tarif équipe coûte plus cher que le tarif simple.",
            [],
        ),
        (
            "comparison",
            "What do the basic plan and the team plan have in common?",
            "The basic plan costs 5 euros. The team plan costs 9 euros.",
            ["what they have in common"],
        ),
        (
            "comparison",
            "What do the basic plan and the team plan have in common?",
            "Both the basic and the team plan include storage.",
            [],
        ),
        (
            "multi_step",
            "What does the ticket cost, and what does the bus cost? How much is it in total?",
            "The ticket costs 12 euros. The bus costs 8 euros.",
            ["what the parts come to"],
        ),
        (
            "multi_step",
            "What does the ticket cost, and what does the bus cost? How much is it in total?",
            "The ticket costs 12 euros. The bus costs 8 euros. You pay 20 euros.",
            [],
        ),
        (
            "multi_step",
            "¿Cuánto cuesta la entrada y cuánto cuesta el autobús? ¿Cuánto es en total?",
            "La entrada cuesta 12 euros. El autobús cuesta 8 euros.",
            ["what the parts come to"],
        ),
        (
            "comparison",
            "Compare the basic plan and the team plan",
            "The basic plan costs five, the team plan nine.",
            [],
        ),
        ("multi_step", "When does it open and who may enter?", "From 9 to 17.", ["who may enter"]),
    ],
)
def test_each_type_lacks_by_name_what_its_answer_leaves_out(
    record: MakeRecord, kind: str, query: str, answer: str, lacking: list[str]
) -> None:
    found = _result(
        _typed(record(answer, ("a", "Plans and tickets."), query=query), kind), "answer_structure"
    )
    assert found.details["lacking"] == lacking


def test_prose_is_enough_where_no_passage_has_steps(record: MakeRecord) -> None:
    """A third of RAGTruth's good answers to "how" were called incomplete; most were advice, in no order."""
    answer = "Seal the holes with steel wool. Keep food in tins. Remove the nests."
    query = "How do I get rid of mice?"
    advice = ("a", "Seal the holes with steel wool. Keep food in tins. Remove the nests.")
    ordered = ("a", "1. Seal the holes with steel wool.\n2. Keep food in tins.\n3. Remove the nests.")
    assert _result(record(answer, advice, query=query), "answer_structure").value == 1.0
    assert _result(record(answer, ordered, query=query), "answer_structure").value == 0.0
    said = record(
        "先生说要等十秒。水泵不要弄湿。", ("a", "首先关闭电源。然后打开盖子。"), query="如何清洁水泵"
    )
    assert _result(said, "answer_structure").value == 0.0


def test_a_missing_condition_is_a_tag_and_costs_coverage(record: MakeRecord) -> None:
    """The reader of a page learns which one."""
    query, rule, exception, answer, _ = RULES["en"]
    results = run_checks(record(answer.format(""), ("a", rule.format(exception)), query=query))
    tags = {one.tag: one for one in failures_of(results)}
    assert tags["INCOMPLETE_ANSWER"].check == "conditions_kept"
    assert "discounted items" in tags["INCOMPLETE_ANSWER"].reason
    axes = {axis.name: axis.value for axis in grounded_answer(results).axes}
    assert axes["coverage"] == 0.0


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("The warranty of the pump lasts 24 months.", 0.0),
        ("The warranty of the pump lasts 36 months.", 1.0),
        ("The moon landing was filmed in Nevada by Kubrick.", 0.0),
    ],
)
def test_a_misread_passage_is_told_from_an_invention(record: MakeRecord, answer: str, value: float) -> None:
    """Rubric G12: what a passage says otherwise, not what none speaks of."""
    passage = ("a", "The warranty of the pump lasts 24 months.")
    found = _result(record(answer, passage, query="How long is the warranty?"), "claims_misread")
    assert found.value == value


def test_what_cannot_be_told_has_no_value(record: MakeRecord) -> None:
    """Nothing retrieved, no text, no claim, another language."""
    only = (conditions_kept.CHECK, claims_misread.CHECK)
    german = ("a", "Die Rückgabefrist für Schuhe beträgt dreißig Tage, außer im Lagerverkauf in der Stadt.")
    answers = [
        record("It is 30 days."),
        record("It is 30 days.", ("a", None)),
        record("", ("a", "It is 30 days.")),
        record("The customers may send back shoes within a month of buying them.", german, query="How long?"),
    ]
    assert [[one.value for one in run_checks(each, only)] for each in answers] == [[None, None]] * len(
        answers
    )
