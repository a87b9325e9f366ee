"""Claims with a strong word beside evidence that has it about the same thing, about another one, or not at all."""

from __future__ import annotations

from collections import Counter

import pytest

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.trace import Document, RagTrace

Pairs = tuple[tuple[str, str, float], ...]

TUNED_ON: Pairs = (
    (
        "All dogs are welcome in the park.",
        "Dogs are welcome in the park. All visitors must register at the gate.",
        0.0,
    ),
    (
        "The pool is always heated.",
        "The pool is heated. The sauna is always open to guests of the pool.",
        0.0,
    ),
    (
        "Only members can book the hall.",
        "Members can book the hall. Only cash is accepted at the bar of the hall.",
        0.0,
    ),
    ("The lift never stops on Sundays.", "The lift stops on Sundays. The escalator never stops.", 0.0),
    ("Every room has a balcony.", "The hotel has rooms with a balcony. Every guest gets a towel.", 0.0),
    ("The largest tank holds 40 litres.", "The tank holds 40 litres. The largest pump weighs 3 kg.", 0.0),
    (
        "Refunds are always paid within five days.",
        "Refunds are paid within five days. Fees are always paid in advance.",
        0.0,
    ),
    ("No fee is charged for delivery.", "A fee is charged for delivery. No tax is charged on books.", 0.0),
    (
        "All employees get 30 days of leave.",
        "Employees get 30 days of leave after two years. All managers get a car.",
        0.0,
    ),
    (
        "The filter must only be washed by hand.",
        "The filter is washed by hand. The lid can only be opened with a key.",
        0.0,
    ),
    ("Todos os quartos têm varanda.", "Os quartos têm varanda. Todos os hóspedes recebem uma toalha.", 0.0),
    (
        "Alle Zimmer haben einen Balkon.",
        "Die Zimmer haben einen Balkon. Alle Gäste bekommen ein Handtuch.",
        0.0,
    ),
    ("All dogs are welcome in the park.", "All dogs are welcome in the park. Visitors must register.", 1.0),
    ("All dogs are welcome in the park.", "Dogs of every breed are welcome in the park.", 1.0),
    ("The pool is always heated.", "The pool is heated all year round. It never gets cold.", 1.0),
    ("Only members can book the hall.", "The hall is for members. Only they can book it.", 1.0),
    ("No fee is charged for delivery.", "Delivery is free: there is no fee.", 1.0),
    ("Each member gets two tickets.", "Members get tickets: two per member.", 1.0),
    ("The largest tank holds 40 litres.", "There are three tanks. The largest holds 40 litres.", 1.0),
    (
        "All rooms have a balcony and free wifi.",
        "The rooms are large. All have a balcony and free wifi.",
        1.0,
    ),
    ("Only cash is accepted at the bar.", "At the bar, pay in cash only.", 1.0),
    (
        "Children are never allowed in the sauna.",
        "The sauna: children are never allowed, adults always.",
        1.0,
    ),
)
"""Answer, passage, and 0 where the passage does not say so of what the answer says it of."""
ASIDE: Pairs = (
    ("All invoices are sent by e-mail.", "Invoices are sent by e-mail. All payments are due in May.", 0.0),
    (
        "The office is always open on Fridays.",
        "The office is open on Fridays. The canteen is always closed on Fridays.",
        0.0,
    ),
    ("Only doctors may prescribe it.", "Doctors may prescribe it. It is only sold in pharmacies.", 0.0),
    (
        "Every student must pass the test.",
        "Students take the test in June. Every teacher must read the test first.",
        0.0,
    ),
    (
        "The battery never overheats.",
        "The battery may overheat in the sun. The charger never overheats.",
        0.0,
    ),
    (
        "It is the cheapest plan with support.",
        "The plan comes with support. The cheapest plan has no support at all.",
        0.0,
    ),
    ("All trains stop at Leeds.", "Trains stop at Leeds. All buses stop at York.", 0.0),
    (
        "No pets are allowed on the beach.",
        "Pets on a lead are allowed on the beach. No fires are allowed on the beach.",
        0.0,
    ),
    ("Only adults can enter the cave.", "Adults can enter the cave. Only guides carry lamps.", 0.0),
    ("The fee is always refunded.", "The fee is refunded on request. The deposit is always refunded.", 0.0),
    (
        "Siempre se sirve el desayuno en la terraza.",
        "El desayuno se sirve en la terraza. La cena siempre se sirve dentro.",
        0.0,
    ),
    ("Tous les élèves ont un badge.", "Les élèves ont un badge. Tous les professeurs ont une clé.", 0.0),
    ("All invoices are sent by e-mail.", "We send all invoices by e-mail.", 1.0),
    ("Every student must pass the test.", "The test must be passed by every student.", 1.0),
    ("No pets are allowed on the beach.", "On the beach pets are not allowed.", 1.0),
    (
        "The battery never overheats.",
        "The battery does not overheat under any conditions. It never has.",
        1.0,
    ),
    ("Only adults can enter the cave.", "The cave is open. It can be entered by adults only.", 1.0),
    ("All staff get lunch.", "Staff get benefits. Everyone, without exception, gets lunch.", 1.0),
    ("The deposit is always refunded.", "The deposit is refunded in all cases.", 1.0),
    ("It is the oldest bridge in town.", "There are four bridges in town. This one is the oldest.", 1.0),
    ("The tickets are only sold online.", "Tickets: online only. They cost 4 euros.", 1.0),
    ("Each room has its own bath.", "There are 40 rooms, each with its own bath.", 1.0),
)
"""Written at the same time, measured after the others were looked at."""


def value_of(answer: str, passage: str) -> float | None:
    """What the check says of one answer beside one passage."""
    record = RagTrace(
        *("0" * 32, "1" * 16, "shop", 0),
        query="What?",
        answer=answer,
        documents=(Document("a", passage, rank=1),),
    )
    return {one.check: one for one in run_checks(record)}["qualifiers_supported"].value


@pytest.mark.parametrize(("pairs", "excused", "accused"), [(TUNED_ON, 2, 0), (ASIDE, 1, 1)])
def test_a_strong_word_about_something_else_excuses_little(pairs: Pairs, excused: int, accused: int) -> None:
    """At most so many overstatements pass, and so many right claims do not; what is not carried has no score."""
    wrong = Counter(
        value for answer, passage, value in pairs if value_of(answer, passage) not in (value, None)
    )
    assert wrong[0.0] <= excused
    assert wrong[1.0] <= accused
    scored = [value for answer, passage, value in pairs if value_of(answer, passage) is not None]
    assert len(scored) >= 16


@pytest.mark.parametrize(
    "answer",
    ["Not all rooms have a balcony.", "The rooms do not always have a balcony.", "Rooms have a balcony."],
)
def test_a_denied_strong_word_is_none(answer: str) -> None:
    """ "Not all" claims less than "all"."""
    assert value_of(answer, "Some rooms have a balcony, some rooms do not have a balcony.") is None
