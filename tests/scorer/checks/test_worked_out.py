"""Numbers that an answer works out, rightly and wrongly."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged
from tests.scorer.checks.worked_out import failing, read_cases

RENT = (
    "A compact car costs 42 euros a day. A van costs 60 euros a day. The desk opens at 06:30 and closes at 23:00.",
)
PARK = ("Im Jahr 2022 lieferte der Windpark 480 Megawattstunden, im Jahr 2023 waren es 540 Megawattstunden.",)
TIMES = ("The job ran from 14:05:20 to 14:07:50.", "It stopped at 2026-03-02T04:12:07Z.")
TABLETS = ("Take one tablet every 8 hours. Do not take more than 3 g in 24 hours. A tablet has 500 mg.",)
LOAN = ("El contrato dura 24 meses y la cuota es de 35 euros.",)


def test_the_corpus_is_what_it_says() -> None:
    """120 pairs, half of them kept aside."""
    cases = list(read_cases())
    assert [len(cases), sum(case.aside for case in cases)] == [240, 120]


@pytest.mark.parametrize(("aside", "right", "faulty"), [(False, 13, 46), (True, 13, 41)])
def test_right_ones_fail_less_often_and_faulty_ones_more(aside: bool, right: int, faulty: int) -> None:
    """Of sixty each, 22 and 38 failed before, and 16 and 36 of those kept aside."""
    pairs, failed, found = failing(aside=aside)
    assert (pairs, failed <= right, found >= faulty) == (60, True, True)


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("A compact car costs 168 euros for 4 days (4 x 42 euros).", RENT),
        ("The desk is open from 06:30 to 23:00, which is 16.5 hours.", RENT),
        (
            "2023 lieferte der Windpark 60 Megawattstunden mehr als 2022 (540 statt 480 Megawattstunden).",
            PARK,
        ),
        ("Die Lieferung des Windparks stieg von 480 auf 540 Megawattstunden, also um 12,5 %.", PARK),
        ("The job ran from 14:05:20 to 14:07:50, that is 2 minutes and 30 seconds.", TIMES),
        ("It stopped at 04:12:07.", TIMES),
        ("Take one tablet every 8 hours, so 3 times a day.", TABLETS),
        ("El contrato dura 24 meses, es decir, dos años.", LOAN),
    ],
)
def test_what_comes_out_right_is_no_invented_number(answer: str, passages: tuple[str, ...]) -> None:
    """The numbers that it is worked out of stand in the sentence that is about it."""
    assert judged("What for 4 days?", answer, *passages) == "supported"


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("A compact car for 4 days comes to 178 euros (4 x 42 euros).", RENT),
        ("The desk is open from 06:30 to 23:00, which is 17.5 hours.", RENT),
        (
            "2023 lieferte der Windpark 80 Megawattstunden mehr als 2022 (540 statt 480 Megawattstunden).",
            PARK,
        ),
        ("Die Lieferung des Windparks stieg von 480 auf 540 Megawattstunden, also um 15,5 %.", PARK),
        ("The job ran from 14:05:20 to 14:07:50, that is 2 minutes and 10 seconds.", TIMES),
        ("Take one tablet every 8 hours, so 4 times a day.", TABLETS),
        ("El contrato dura 24 meses, es decir, tres años.", LOAN),
        ("La cuota es de 35 euros al mes, es decir, 430 euros al año.", LOAN),
    ],
)
def test_what_comes_out_wrong_is_contradicted(answer: str, passages: tuple[str, ...]) -> None:
    """It shows how it is worked out, and that comes to another number."""
    assert judged("What for 4 days?", answer, *passages) == "contradicted"


@pytest.mark.parametrize(
    ("answer", "passages"),
    [
        ("A van for 4 days comes to 168 euros (4 x 42 euros).", RENT),
        ("The truck for 4 days comes to 168 euros (4 x 42 euros).", RENT),
        ("The job ended at 14:07:30.", TIMES),
    ],
)
def test_a_number_of_something_else_stays_in_doubt(answer: str, passages: tuple[str, ...]) -> None:
    """The right factor on another row's price, or a minute with other seconds."""
    assert judged("What for 4 days?", answer, *passages) != "supported"


@pytest.mark.parametrize(
    "answer",
    [
        "The desk is open seven days a week from 06:30 to 23:00.",
        "A van costs 60 euros a day, between 42 and 60 euros in all.",
    ],
)
def test_what_is_not_worked_out_is_not_wrong(answer: str) -> None:
    """Days on which hours hold, and a range."""
    assert judged("When is it open?", answer, *RENT) != "contradicted"


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (
            "Heterogeneity was substantial (I² = 74%), and dropout was higher with CBT-I (18% vs. 11%).",
            "supported",
        ),
        ("Dropout was 9 points higher with CBT-I (18% vs. 11%).", "unsupported"),
    ],
)
def test_two_facts_in_parentheses_of_their_own_work_nothing_out(answer: str, state: str) -> None:
    """One is no difference of the other's numbers."""
    trial = "Dropout was higher with CBT-I: 18% versus 11%."
    assert judged("What are its limits?", answer, trial, "Heterogeneity was substantial (I² = 74%).") == state
