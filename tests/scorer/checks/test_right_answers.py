"""Right answers as services give them: that they pass, and that what one word makes wrong in them does not."""

from __future__ import annotations

import pytest
from tests.scorer.checks.judged import judged
from tests.scorer.checks.one_check import MakeRecord, result
from tests.scorer.checks.right_answers import RIGHT, counted, read_cases
from tests.scorer.checks.test_days import claim_of


def test_the_corpus_is_what_it_says() -> None:
    """213 pairs, 125 of them in English, about half kept aside."""
    right = [case for case in read_cases() if case.kind == RIGHT]
    english = sum(case.name.endswith(" en") for case in right)
    assert [len(right), english, sum(case.aside for case in right)] == [213, 125, 103]


@pytest.mark.parametrize(
    ("aside", "pairs", "failed", "minded", "found"), [(False, 110, 15, 35, 83), (True, 103, 24, 41, 74)]
)
def test_right_answers_fail_less_often_and_twins_as_before(
    aside: bool, pairs: int, failed: int, minded: int, found: int
) -> None:
    """36 and 28 failed before; of the twins 88 and 75 were found, five of them for what is right in them.

    One of the 15 passed only as long as 9,000 was read as 9, too, an hour of its evidence; one of the 35 is minded by
    `answer_first`: "Only if …" is answered before what "is not covered".
    """
    now = counted(aside=aside)
    assert now.pairs == pairs
    assert (now.failed <= failed, now.minded <= minded, now.found >= found) == (True, True, True)


SAME = (
    ("The airport is about 19 km from the centre.", "The airport is 12 miles from the centre."),
    ("The cutter weighs about 40 kg.", "The cutter weighs 88 pounds."),
    ("The area is 61 \u00d7 30 cm.", "The area is 24 x 12 inches."),
    ("It may be run at 5 to 35 °C.", "It may be run at 41 to 95 degrees Fahrenheit."),
    ("The top speed is 103 mph.", "The top speed is 165 km/h."),
    ("It draws up to 1,500 watts.", "It draws up to 1.5 kW."),
    ("The plan includes 50k calls a day.", "The plan includes 50,000 calls a day."),
    ("Rotation is possible since v2.4.", "Rotation is possible since version 2.4."),
    ("The waiting period is three months.", "The waiting period is 90 days."),
    ("The kettle has a warranty of 3 years.", '{"name": "kettle", "warranty_months": 36}'),
    ("ログの保存期間は2週間です。", "ログは14日間保存されます。"),
    (
        "Wir sind Mo\u2013Fr von 8 bis 18 Uhr erreichbar.",
        "Wir sind montags bis freitags von 8 bis 18 Uhr erreichbar.",
    ),
    (
        "Die AU ist ab dem 4. Kalendertag nötig.",
        "Eine Bescheinigung (AU) ist ab dem vierten Kalendertag nötig.",
    ),
    ("A certificate is needed from day four.", "A certificate is needed from the fourth day."),
)
OTHER = (
    ("The airport is about 22 km from the centre.", "The airport is 12 miles from the centre."),
    ("The cutter weighs about 50 kg.", "The cutter weighs 88 pounds."),
    ("It may be run at 5 to 45 °C.", "It may be run at 41 to 95 degrees Fahrenheit."),
    ("It draws up to 2,500 watts.", "It draws up to 1.5 kW."),
    ("The plan includes 60k calls a day.", "The plan includes 50,000 calls a day."),
    ("Rotation is possible since v2.6.", "Rotation is possible since version 2.4."),
    ("The waiting period is four months.", "The waiting period is 90 days."),
    ("The kettle has a warranty of 4 years.", '{"name": "kettle", "warranty_months": 36}'),
    ("ログの保存期間は3週間です。", "ログは14日間保存されます。"),
    (
        "Die AU ist ab dem 5. Kalendertag nötig.",
        "Eine Bescheinigung (AU) ist ab dem vierten Kalendertag nötig.",
    ),
    ("A certificate is needed from day five.", "A certificate is needed from the fourth day."),
)


@pytest.mark.parametrize(("answer", "passage"), SAME)
def test_the_same_in_other_units_or_in_short_is_supported(answer: str, passage: str) -> None:
    """Miles, pounds and degrees, thousands and versions, keys of a record, days of the week and ordinals."""
    assert claim_of(answer, passage).verdict == "supported"


@pytest.mark.parametrize(("answer", "passage"), OTHER)
def test_another_amount_in_other_units_or_in_short_is_not(answer: str, passage: str) -> None:
    """Each is one of the above with another number."""
    assert claim_of(answer, passage).verdict != "supported"


TARIFF = ("The Team plan costs 12 dollars per seat per month. Annual billing gives 20% off the Team plan.",)
SALES = ("Northwind had revenue of $4.2 billion in fiscal 2024, up from $3.5 billion in fiscal 2023.",)
LIBRARY = ("In 2023 it lent 48,000 books and 12,000 DVDs; in 2024 it lent 54,000 books and 9,000 DVDs.",)
FEE = ("The Basic plan costs 49 dollars per month.",)
WORKED_OUT = (
    ("With 20% off, the Team plan comes down from $12 to $9.60 per seat.", TARIFF, "supported"),
    ("With 20% off, the Team plan comes down from $12 to $8.60 per seat.", TARIFF, "contradicted"),
    ("Revenue of Northwind rose by 20% in fiscal 2024, from $3.5bn to $4.2bn.", SALES, "supported"),
    ("Revenue of Northwind rose by 30% in fiscal 2024, from $3.5bn to $4.2bn.", SALES, "contradicted"),
    ("In 2024 it lent 63,000 books and DVDs in total (54,000 books and 9,000 DVDs).", LIBRARY, "supported"),
    ("The Basic plan costs 49 dollars per month, that is 598 dollars a year.", FEE, "contradicted"),
)


@pytest.mark.parametrize(("answer", "passages", "state"), WORKED_OUT)
def test_what_is_worked_out_counts_where_it_is_right(
    answer: str, passages: tuple[str, ...], state: str
) -> None:
    """A year may stand between; what is shown and comes to another number is contradicted."""
    assert judged("What does it come to?", answer, *passages) == state


def test_advice_to_ask_a_professional_is_no_claim() -> None:
    """At the end, and without a fact of its own."""
    leaflet = "Do not take it if you have a stomach ulcer."
    first = "You should not take it if you have a stomach ulcer. "
    states = [
        judged("Who should not take it?", first + last, leaflet)
        for last in ("If this applies to you, please talk to your doctor.", "Ask your doctor for 5 mg a day.")
    ]
    assert states == ["supported", "unsupported"]


def test_a_no_that_answers_denies_nothing_else() -> None:
    """Behind a condition, before a colon."""
    road = "Dangerous goods are accepted on road services only."
    answers = (
        "If they are dangerous goods, then no: those are accepted on road services only.",
        "Dangerous goods are not accepted on road services.",
    )
    assert [judged("By air?", answer, road) for answer in answers] == ["supported", "contradicted"]


@pytest.mark.parametrize(
    ("check", "question", "answer", "passage", "value"),
    [
        (
            "answer_first",
            "How do I return shoes?",
            "1. Open My Orders.\n2. Choose the item.\n3. Print the return label for the shoes.",
            "To return shoes, open My Orders, choose the item and print the label.",
            1.0,
        ),
        (
            "answer_first",
            "How soon is money sent back?",
            "Refunds take 5 days. They go back to the card that you paid with.",
            "Refunds take 5 days and go to the card that was used.",
            1.0,
        ),
        (
            "qualifiers_supported",
            "How long?",
            "You may work abroad only up to 20 days a year.",
            "You may work abroad for at most 20 days a year.",
            None,
        ),
        (
            "qualifiers_supported",
            "Who?",
            "You may work abroad only for customers.",
            "You may work abroad for customers.",
            0.0,
        ),
        (
            "no_hallucinated_entities",
            "Wie lange?",
            "Sie haben zwei Wochen Zeit, um Ihrer Leitung Bescheid zu geben.",
            "Die Frist, um es der Leitung zu sagen, beträgt zwei Wochen.",
            1.0,
        ),
    ],
)
def test_right_answers_are_not_minded(
    record: MakeRecord, check: str, question: str, answer: str, passage: str, value: float | None
) -> None:
    """A list answers from its first item, a bound is no "only", and a German unit or *Ihrer* makes no name."""
    assert result(record(answer, ("a", passage), query=question), check).value == value
