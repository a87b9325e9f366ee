"""Numbers that passages tell, but of other things than a claim does."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.judged import judged
from tests.scorer.checks.test_restating import answered

from ragvigil.scorer.checks.prepared import Prepared

PLAN = (
    "The Team plan comes with 64 GB of storage and supports up to 32 users.",
    "The Business plan comes with 256 GB of storage and supports up to 100 users.",
    "Storage can be bought in blocks of 10 GB.",
)
LEAVE = (
    "Employees receive 28 days of annual leave. Up to 5 days may be carried over to the next year.",
    "Leave must be asked for at least 14 days in advance.",
    "Employees get 3 days' notice before any change of shifts.",
    "Time off for parents: 10 days.",
)
MEDICINE = (
    "Children over 40 kg take 500 mg three times a day.",
    "Put 1 drop into the affected eye 4 times a day, for 14 days at most.",
    "Contact lenses may be put back after 15 minutes. Throw the bottle away 28 days after opening.",
)
MAIL = (
    "Attachments may be up to 25 MB each. A message can have 10 attachments at most.",
    "Larger files are shared by a link that is valid for 30 days.",
    "Messages in the trash are deleted after 21 days. The mailbox holds 50 GB.",
)
PARTS = (
    "The hotel gives 2 free breakfasts to each guest. Guests may stay for 3 nights.",
    "Adults pay 12 euros, children 6 euros. Parking costs 5 euros.",
    "Die Garantie gilt 24 Monate. Der Akku hält 18 Stunden.",
    "The exam lasts 120 minutes. Candidates get 25% more time where they need it.",
)
BACKUPS = (
    "Backups are made every 6 hours and kept for 30 days.",
    "Accounts lock for 15 minutes after 5 failed attempts.",
)
ELSEWHERE = (
    (PLAN, "The Team plan supports up to 64 users."),
    (PLAN, "The Team plan supports up to 64 users and has 64 GB of storage."),
    (MEDICINE, "Put 1 drop into the affected eye 14 times a day."),
    (MEDICINE, "Contact lenses may be put back after 14 minutes."),
    (MAIL, "A message can have at most 25 attachments."),
    (MAIL, "Messages in the trash are deleted after 30 days."),
    (PARTS, "The exam lasts 25 minutes."),
    (BACKUPS, "Backups are made every 30 hours and kept for 30 days."),
    (BACKUPS, "Accounts lock for 5 minutes after 5 failed attempts."),
)
ROWS = (
    "The Basic plan supports 32 users.",
    "| Plan | Users | Support |\n|---|---|---|\n| Team | 64 | Phone |",
)
AS_TOLD = (
    (PLAN, "The Team plan supports up to 32 users and has 64 GB of storage."),
    (PLAN, "With the Business plan, 100 users can work."),
    (LEAVE, "Employees get 10 days of time off as parents."),
    (LEAVE, "To carry leave over, ask for it 14 days in advance."),
    (MEDICINE, "A child heavier than 40 kg takes 500 mg three times a day."),
    (MEDICINE, "Throw the bottle away 28 days after it was opened."),
    (MAIL, "At most 10 attachments of up to 25 MB each can be in one message."),
    (MAIL, "Messages in the trash are kept for 21 days, and links for 30 days."),
    (PARTS, "Guests may stay for 3 nights and get 2 free breakfasts each."),
    (PARTS, "Die Garantie gilt zwei Jahre."),
    (PARTS, "Two adults and a child pay 30 euros in total."),
    (PARTS, "The exam lasts 150 minutes with 25% more time."),
    (ROWS, "The Team plan supports 64 users."),
    (
        ("Basic supports 32 users.", "Business supports up to 100 seats."),
        "Business supports up to 100 users.",
    ),
    (("The Basic plan supports 32 users.", "Business plan: 100 seats."), "The plan supports 100 users."),
    (("Adults pay 12 euros for entry.", "Family entry EUR 30 flat."), "Families pay 30 euros for entry."),
    (
        ("Die Fahrt nach Ulm dauert 2 Stunden.", "Nach Kiel: 6 Std. im ICE."),
        "Die Fahrt nach Kiel dauert 6 Stunden.",
    ),
    (
        ("Error 503 means too many jobs.", "Error 429 indicates too many requests."),
        "Error 429 means too many requests.",
    ),
    (
        ("Delivery takes 3 days.", "Where to?\nEU.\nRest of world.\nUsually 12 days."),
        "Delivery worldwide takes 12 days.",
    ),
    ((LEAVE[0], "Managers have more freedom. Their limit is 14 days."), "Up to 14 days can be carried over."),
)


@pytest.mark.parametrize(("passages", "answer"), ELSEWHERE)
def test_a_number_of_another_thing_is_a_contradiction(passages: tuple[str, ...], answer: str) -> None:
    """The words stand in one sentence, and the number there or in others with another unit."""
    assert judged("What are the rules?", answer, *passages) == "contradicted"


@pytest.mark.parametrize(("passages", "answer"), AS_TOLD)
def test_a_number_that_may_be_of_the_same_thing_is_none(passages: tuple[str, ...], answer: str) -> None:
    """Told in other words, in another unit, or worked out."""
    assert judged("What are the rules?", answer, *passages) != "contradicted"


def test_many_numbers_are_looked_for_in_time() -> None:
    """Of all claims and all sentences."""
    passage = " ".join(f"Item {one} weighs {one} kg and holds {one + 300} cups." for one in range(1, 290))
    answer = " ".join(f"Item {one} holds {one} cups." for one in range(1, 100))
    start = time.process_time()
    assert Prepared(answered(answer, passage)).assessment.claims
    assert time.process_time() - start < 8
