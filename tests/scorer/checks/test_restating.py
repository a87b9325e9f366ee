"""What is said in other units, or as another form of a date or time, is said all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from ragvigil.scorer.checks import no_hallucinated_entities, run_checks
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading import converted, rounding
from ragvigil.scorer.checks.reading import expressions as read
from ragvigil.scorer.checks.reading.clock import Time, clock_times
from ragvigil.scorer.checks.reading.expressions import expressions
from ragvigil.scorer.checks.reading.words import offsets
from ragvigil.scorer.trace import Document, RagTrace

SAME = (
    ("The road is 5 km long.", "The road is 5000 m long."),
    ("The road is 5000m long.", "The road is 5 kilometres long."),
    ("The film lasts 90 minutes.", "The film lasts 1.5 h."),
    ("The film lasts 90 minutes.", "The film lasts 1 hour and 30 minutes."),
    ("The parcel weighs 2 kg.", "The parcel weighs 2000 g."),
    ("The bottle holds 0,5 l.", "The bottle holds 500 ml."),
    ("The plan includes 2 GB of storage.", "The plan includes 2048 MB of storage."),
    ("The plan includes 2 GB of storage.", "The plan includes 2000 MB of storage."),
    ("The warranty lasts two years.", "The warranty lasts 24 months."),
    ("The company earned $5 million.", "The company earned $5m."),
    ("The company earned £100K.", "The company earned £100,000."),
    ("The company earned €2.5bn.", "The company earned 2,500 million euros."),
    ("Of the users 3/4 renew their plan.", "Of the users 75% renew their plan."),
    ("The contract was signed on 2024-03-05.", "The contract was signed on 5 March 2024."),
    ("The contract was signed on 5 March 2024.", "The contract was signed on March 5th, 2024."),
    ("The contract was signed on March 5, 2024.", "The contract was signed on 05.03.2024."),
    ("The contract was signed on 5 March 2024.", "The contract was signed on 05/03/2024."),
    ("The contract was signed on 3 May 2024.", "The contract was signed on 05/03/2024."),
    ("O contrato foi assinado em 5 de março de 2024.", "O contrato foi assinado em 05/03/2024."),
    ("Der Vertrag wurde am 5. März 2024 geschlossen.", "Der Vertrag wurde am 2024-03-05 geschlossen."),
    ("Il contratto scade il 2024-03-05.", "Il contratto scade il 5 marzo 2024."),
    ("Umowa wygasa dnia 2024-03-05.", "Umowa wygasa dnia 5 marca 2024."),
    ("Next update expected 2025-03-07.", "The next update is expected on 7 March."),
    ("The update is expected on 7 March.", "The update is expected on March 7th."),
    ("The last bus to the harbour leaves at 22:30.", "The last bus to the harbour leaves at 10:30 PM."),
    ("The last bus to the harbour leaves at 11:59 PM.", "The last bus to the harbour leaves at 23:59."),
    ("Der letzte Bus zum Hafen fährt um 22:30.", "Der letzte Bus zum Hafen fährt um 22.30 Uhr."),
    ("Het loket is open van 8.00 tot 16.30 uur.", "Het loket is open van 8:00 tot 16:30."),
    ("Le guichet ouvre à 9 h et ferme à 18 h 30.", "Le guichet ouvre à 9h et ferme à 18h30."),
    ("The fee for each share is $0.42.", "The fee for each share is 42 cents."),
    ("Night rate of the plan: £0.139 per unit.", "Night rate of the plan: 13.9p per unit."),
    ("The company earned $875,400 in spring.", "The company earned about $875,000 in spring."),
    ("The company earned $1,002,900 in spring.", "The company earned roughly $1.0 million in spring."),
    ("Der Verein zählt 19.870 Mitglieder.", "Der Verein zählt rund 20.000 Mitglieder."),
    ("A empresa tem 1 987 funcionários.", "A empresa tem quase 2.000 funcionários."),
    (
        "The margin of the company rose from 38.2% to 40.1%.",
        "The margin of the company rose by 1.9, from 38.2% to 40.1%.",
    ),
    ("The fee is $250 per cat.", "The fee is $250 per cat, so $500 for two."),
)
OTHER = (
    ("The road is 5 km long.", "The road is 5200 m long."),
    ("The film lasts 90 minutes.", "The film lasts 1.6 h."),
    ("The parcel weighs 2 kg.", "The parcel weighs 2000 mg."),
    ("The company earned $5 million.", "The company earned €5000000000."),
    ("The contract was signed on March 5, 2024.", "The contract was signed on 06.03.2024."),
    ("The contract was signed on 2024-03-05.", "The contract was signed on 5 April 2024."),
    ("The update is expected on 2025-03-07.", "The update is expected on 8 March."),
    ("The update is expected on 2025-03-07.", "The update is expected on 7 March 2024."),
    ("The last bus to the harbour leaves at 22:30.", "The last bus to the harbour leaves at 11:30 PM."),
    ("The fee for each share is $0.42.", "The fee for each share is 24 cents."),
    ("The company earned $875,400 in spring.", "The company earned about $785,000 in spring."),
    ("The company earned $875,400 in spring.", "The company earned $875,000 in spring."),
    ("The company earned $1,602,900 in spring.", "The company earned about $2 million in spring."),
    (
        "The margin of the company rose from 38.2% to 40.1%.",
        "The margin of the company rose by 2.9, from 38.2% to 40.1%.",
    ),
    ("The fee is $250 per cat.", "The fee is $250 per cat, so $600 for two."),
    ("The fee was raised by 10, from 50 to 60 euros.", "The fee was raised by 25, from 40 to 65 euros."),
)


def answered(answer: str, passage: str) -> RagTrace:
    """An answer from one passage."""
    return RagTrace(
        trace_id="0" * 32,
        span_id="1" * 16,
        service="s",
        started_at=0,
        query="What?",
        answer=answer,
        documents=(Document("a", passage, rank=1),),
    )


def checked(passage: str, answer: str) -> tuple[float | None, float | None]:
    """Supported claims, and names and numbers that are founded."""
    found = {one.check: one.value for one in run_checks(answered(answer, passage))}
    return found["supported_claims"], found["no_hallucinated_entities"]


@pytest.mark.parametrize(("passage", "answer"), SAME)
def test_the_same_in_another_unit_or_form_is_supported(passage: str, answer: str) -> None:
    """Within one dimension, for days in any order that may be meant."""
    assert checked(passage, answer) == (1.0, 1.0)


@pytest.mark.parametrize(("passage", "answer"), OTHER)
def test_another_amount_or_day_is_not(passage: str, answer: str) -> None:
    """However it is written."""
    supported, _ = checked(passage, answer)
    assert supported is not None
    assert supported < 1.0


@pytest.mark.parametrize(
    "text",
    [
        "5 apples",
        "room 5",
        "in 2024",
        "31/02/2024",
        "1.2.3.4",
        "version 3.5",
        "the 5th floor",
        "a may 5",
        "it may 5",
        "set 5",
        "le lot 100 s'élève à",
        "en 2023 l'entreprise",
    ],
)
def test_what_measures_nothing_is_no_expression(text: str) -> None:
    """Counts, rooms, years, days that do not exist, versions."""
    assert expressions(text) == []


def test_a_turkish_ending_leaves_a_unit_what_it_is() -> None:
    """It stands behind an apostrophe, as what French puts before a vowel stands before one."""
    assert expressions("5 l'lik bidon")


def test_passages_are_read_for_measures_once_for_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many of its statements tell a measure in another unit."""
    passage = "The road is 12 miles long."
    read: list[str] = []
    keyed = converted._keyed  # pyright: ignore[reportPrivateUsage]

    def noting(text: str) -> Iterator[object]:
        read.append(text)
        return keyed(text)

    monkeypatch.setattr(converted, "_keyed", noting)
    answer = " ".join(f"Road {number} is {number} km long." for number in range(15, 30))
    assert Prepared(answered(answer, passage)).told
    assert read == [passage]


def test_the_judge_and_the_checks_share_what_an_answer_tells_in_the_words_of_the_passages() -> None:
    """Each read the passages for it."""
    record = answered("The canal is 19 km long.", "The canal is 12 miles long.")
    assert Prepared(record).told is Prepared(replace(record, trace_id="1" * 32)).told


def test_a_measure_with_a_no_break_space_stands_as_with_a_plain_one() -> None:
    """Typographers and many models write it so."""
    known = converted.Measures(["It weighs 45 kg."])
    assert known.stands("45\u00a0kg")
    assert not known.stands("46\u00a0kg")


def test_words_keep_their_number_and_places() -> None:
    """So that what is at fault is still found in the answer; and what needs nothing stays as it is."""
    passage = "It is 5 km long. It opened on 5 March 2024."
    answer = "It is 5000 m long. It opened on 05.03.2024. It is red."
    prepared = Prepared(answered(answer, passage))
    assert [len(one.words) for one in prepared.told] == [len(one.words) for one in prepared.statements]
    assert [one.text for one in prepared.told] == [one.text for one in prepared.statements]
    assert prepared.told[2] is prepared.statements[2]
    plain = Prepared(answered("It is red.", passage))
    assert plain.told is plain.statements


def test_only_what_is_asked_for_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long passages are searched for days alone where the answer tells a day alone, and so on."""
    text = "Due on 5 March 2024 at 10:30 pm, in 5 km, half an hour away."
    days, times, measures = (expressions(text, (kind,)) for kind in ("day", "clock", "length"))
    assert sorted([*days, *times, *measures]) == expressions(text)
    assert [len(one) for one in (days, times, measures, expressions(text, ()))] == [1, 1, 2, 0]
    asked: list[str] = []

    def counting(text: str) -> Iterator[Time]:
        asked.append(text)
        return clock_times(text)

    monkeypatch.setattr(read, "clock_times", counting)
    told = Prepared(answered("It is 5000 m long.", "It is 5 km long and opens at 9 am.")).told
    assert [word.stem for word in told[0].words] == ["it", "is", "5", "km", "long"]
    assert asked == ["It is 5000 m long."]


@pytest.mark.parametrize(
    "passage",
    [
        "The area is 5 km \u00b2 in all.",
        "It opens on 5 Augu\u017ft or 3 Apr\u0131l 2024.",
        "Open FR\u0130DAY-SUNDAY 9:00-17:00, FR\u0130-Sat 10:00-14:00 and on 7 August.",
        "A TH\u0130RD of the 6 shops is open on FR\u0130DAYS, \u0130n one unit.",
    ],
)
def test_letters_that_look_like_digits_or_others_fail_no_check(passage: str) -> None:
    """A superscript is no digit to count with, and the long s of old prints no s of a table."""
    others = (
        "The area is 6 km on 7 August 2024.",
        "Open on Friday, in 1 shop; 33% close at 5 pm on Fri 10:00.",
    )
    for answer in (passage, *others):
        found = run_checks(answered(answer, passage))
        assert not [one for one in found if "failed" in (one.reason or "")]


def test_the_words_of_a_long_statement_are_placed_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many names, degrees and rounded numbers it has: each time takes as long as the statement."""
    asked: list[int] = []

    def counting(text: str) -> object:
        asked.append(len(text))
        return offsets(text)

    monkeypatch.setattr(no_hallucinated_entities, "offsets", counting)
    monkeypatch.setattr(rounding, "offsets", counting)
    names = " ".join(
        f"Foo{number} of Bar{number} had 25 \u00b0C, about 7{number}00" for number in range(10, 90)
    )
    passage = " ".join(f"71{number}" for number in range(10, 90))
    run_checks(answered(f"It says {names}.", passage))
    assert 0 < len(asked) <= 10
