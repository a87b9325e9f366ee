"""How often something is so, which a claim may tell otherwise than the sentence that is all but the same."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged

QUESTION = "How often?"


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        ("The pool is cleaned seven days a week.", "The pool is cleaned once a week."),
        ("Bins are emptied twice a week.", "Bins are emptied once a week."),
        ("Bins are emptied once a week.", "Bins are emptied twice a week."),
        ("The shuttle runs daily.", "The shuttle runs once a week."),
        ("The shuttle runs daily.", "The shuttle runs weekly."),
        ("Backups are made weekly.", "Backups are made monthly."),
        ("Salaries are paid monthly.", "Salaries are paid weekly."),
        ("Filters are changed once a month.", "Filters are changed twice a month."),
        ("Take it twice daily with food.", "Take it once daily with food."),
        ("Reports are due quarterly.", "Reports are due monthly."),
        ("The fee is charged yearly.", "The fee is charged monthly."),
        ("Rooms are cleaned every day.", "Rooms are cleaned every week."),
        ("Staff are paid twice a month.", "Staff are paid twice a week."),
        ("The board meets annually in May.", "The board meets monthly in May."),
        ("You may change the plan once a year.", "You may change the plan twice a year."),
        ("Die Tonnen werden zweimal pro Woche geleert.", "Die Tonnen werden einmal pro Woche geleert."),
        ("Der Bericht erscheint wöchentlich.", "Der Bericht erscheint monatlich."),
        ("Le rapport paraît chaque semaine.", "Le rapport paraît chaque mois."),
        ("Los cubos se vacían dos veces por semana.", "Los cubos se vacían una vez por semana."),
        ("Os relatórios saem semanalmente.", "Os relatórios saem mensalmente."),
    ],
)
def test_another_frequency_is_a_contradiction(passage: str, answer: str) -> None:
    """All of these passed, for every other word is the same."""
    assert judged(QUESTION, answer, passage) == "contradicted"


@pytest.mark.parametrize(
    ("passage", "answer"),
    [
        ("Backups are made weekly; logs are rotated daily.", "Logs are rotated daily."),
        ("Interest is calculated daily and paid monthly.", "Interest is paid monthly."),
        ("The plan costs 10 euros monthly or 100 euros yearly.", "The yearly plan costs 100 euros."),
        ("Bins are emptied weekly.", "Bins are emptied once a week."),
        ("Reports appear each month.", "Reports appear monthly."),
        ("Water the plant daily in summer and weekly in winter.", "Water the plant weekly in winter."),
        ("Die Tonnen werden einmal pro Woche geleert.", "Die Tonnen werden wöchentlich geleert."),
        ("It was painted twice, once in 1990 and once in 2005.", "It was painted twice."),
        ("Once the order ships, you get an e-mail.", "You get an e-mail once the order ships."),
    ],
)
def test_the_same_frequency_in_other_words_is_none(passage: str, answer: str) -> None:
    """Nor one of two that the passage tells."""
    assert judged(QUESTION, answer, passage) != "contradicted"
