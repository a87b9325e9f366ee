"""A verb that is denied in one form and said in another."""

from __future__ import annotations

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.negation import denies
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document, RagTrace


def verdict(passage: str, answer: str) -> tuple[float | None, object]:
    """Supported claims, and why those are not that are not."""
    record = RagTrace(
        trace_id="0" * 32,
        span_id="1" * 16,
        service="s",
        started_at=0,
        query="What happened?",
        answer=answer,
        documents=(Document("a", passage, rank=1),),
    )
    found = {one.check: one for one in run_checks(record)}["supported_claims"]
    return found.value, found.details.get("reasons")


DENIED = (
    ("Sales rose in March.", "Sales did not rise in March."),
    ("Sales did not rise in March.", "Sales rose in March."),
    ("Profit grew strongly in the third quarter.", "Profit did not increase strongly in the third quarter."),
    ("The team won the cup in Lisbon.", "The team did not win the cup in Lisbon."),
    ("The firm sold its plant in Ohio.", "The firm didn't sell its plant in Ohio."),
    ("O lucro subiu muito em março.", "O lucro não aumentou muito em março."),
    ("Der Umsatz stieg im März deutlich.", "Der Umsatz ist im März nicht deutlich gestiegen."),
)


@pytest.mark.parametrize(("passage", "answer"), DENIED)
def test_a_verb_denied_in_another_form_contradicts(passage: str, answer: str) -> None:
    """Rose and did not rise; also by another word of the same meaning."""
    assert verdict(passage, answer) == (0.0, {"contradicted": 1})


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        ("Sales fell in March.", "Sales did not rise in March."),
        ("The team won the cup in Lisbon.", "The team won the cup in Lisbon."),
        ("Sales did not rise in March.", "Sales did not rise in March."),
        (
            "The firm did not sell its plant, but it sold its office in Ohio.",
            "The firm sold its office in Ohio.",
        ),
    ],
)
def test_what_agrees_does_not(passage: str, answer: str) -> None:
    """A fall is no rise, winning is no denial, and each clause denies for itself."""
    assert verdict(passage, answer) == (1.0, None)


@pytest.mark.parametrize(
    ("text", "denying"),
    [
        ("You are liable for no more than 50 euros.", False),
        ("Apply no later than 5 May.", False),
        ("No se pueden llevar más de dos bultos.", True),
        ("There is no more than one pump, and no tank.", True),
        ("There are no more tickets.", True),
        ("The shop is no longer open.", True),
        ("La crèche répond le 15 mai.", False),
        ("Der Kurs beginnt am 3. Mai.", False),
        ("Il museo non chiude mai.", True),
    ],
)
def test_a_bound_and_a_month_deny_nothing(text: str, denying: bool) -> None:
    """ "No more than" tells how much; *mai* is May in French and German, and Italian says *non* beside it."""
    assert denies(words(text)) == denying
    evidence = Evidence([Document("a", text, rank=1)], {word.stem for word in words(text)})
    assert [segment.negated for segment in evidence.segments] == [denying]


FLIPPED = (
    ("The warranty covers water damage.", "The warranty does not cover water damage."),
    ("The device is waterproof.", "The device isn't waterproof."),
    ("Customers can cancel online.", "Customers cannot cancel online."),
    ("The shop always closes on Mondays.", "The shop never closes on Mondays."),
    ("The company still sells the X200.", "The company no longer sells the X200."),
    ("The plan comes with a phone.", "The plan comes without a phone."),
    ("The contract includes support and training.", "The contract includes neither support nor training."),
    ("Die Garantie deckt Wasserschäden ab.", "Die Garantie deckt keine Wasserschäden ab."),
    ("La garantie couvre les dégâts des eaux.", "La garantie ne couvre pas les dégâts des eaux."),
    ("La garantía cubre los daños por agua.", "La garantía no cubre los daños por agua."),
    ("De garantie dekt waterschade.", "De garantie dekt geen waterschade."),
)


@pytest.mark.parametrize(("one", "other"), [*FLIPPED, *(pair[::-1] for pair in FLIPPED)])
@pytest.mark.parametrize("more", ["", " for two years after purchase"])
def test_a_claim_denied_by_a_sentence_that_tells_more_is_contradicted(
    one: str, other: str, more: str
) -> None:
    """What else a sentence says takes nothing from what it denies."""
    passage = f"{one[:-1]}{more}. The office was founded in Leeds."
    assert verdict(passage, other) == (0.0, {"contradicted": 1})


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        (
            "The warranty does not cover water damage if the case was opened before.",
            "The warranty covers water damage.",
        ),
        ("Not only members can cancel online within a week.", "Members can cancel online."),
        ("Orders cannot be changed without consent of the seller.", "Orders can be changed with consent."),
        ("The firm was founded in May without Wayne, who sold his share.", "The firm was founded in May."),
        ("A equipe perdeu o jogo no estádio e eles saíram cedo.", "A equipe perdeu o jogo."),
    ],
)
def test_what_holds_in_some_cases_only_contradicts_nothing(passage: str, answer: str) -> None:
    """A condition, not only, not without, without whom, and Portuguese *no*."""
    assert "contradicted" not in (verdict(passage, answer)[1] or {})  # type: ignore[operator]


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        (
            "The warranty covers defects and does not cover misuse of the device.",
            "The warranty covers defects.",
        ),
        ("The museum opens on Sunday and does not open on Monday or Tuesday.", "The museum opens on Sunday."),
        ("Students pay no fee, teachers pay a fee of ten euros.", "Teachers pay a fee."),
        ("Members can enter the pool; guests cannot enter the pool.", "Members can enter the pool."),
    ],
)
def test_a_sentence_that_says_it_and_denies_something_else_contradicts_nothing(
    passage: str, answer: str
) -> None:
    """The verb that both have is denied of another thing."""
    _, reasons = verdict(passage, answer)
    assert "contradicted" not in str(reasons)
