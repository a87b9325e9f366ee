"""What is allowed beside what is forbidden, in whatever words."""

from __future__ import annotations

import time

import pytest
from tests.scorer.checks.test_days import claim_of

from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.trace import Document, RagTrace

TURNED = (
    ("Working from outside the EU is allowed.", "Working from outside the EU is not permitted."),
    ("You may work from outside the EU.", "Working from outside the EU is not permitted."),
    ("You can take pets into the cabin.", "Pets are not allowed in the cabin."),
    ("Pets are welcome in the cabin.", "Pets are not allowed in the cabin."),
    ("You may drink alcohol on the premises.", "Alcohol is forbidden on the premises."),
    ("Sharing passwords is allowed.", "Employees must not share passwords."),
    ("You can smoke in the lobby.", "Smoking is prohibited in the lobby."),
    ("Smoking in the lobby is forbidden.", "You can smoke in the lobby."),
    ("You can get a refund after 30 days.", "Refunds are not possible after 30 days."),
    ("You may use the logo without permission.", "You may not use the logo without permission."),
    ("You may not use the logo without permission.", "You may use the logo without permission."),
    ("Restart a gateway without approval.", "Never restart a gateway without approval."),
    ("Minors can travel without a parent's consent.", "Minors cannot travel without a parent's consent."),
    (
        "Smoking is allowed in the lobby.",
        "Smoking is forbidden in the lobby. Smoking is banned in the lobby.",
    ),
    ("Das Parken im Hof ist erlaubt.", "Das Parken im Hof ist nicht gestattet."),
    ("Sie dürfen im Hof parken.", "Das Parken im Hof ist nicht gestattet."),
    ("Sie dürfen es ohne Genehmigung kopieren.", "Sie dürfen es nicht ohne Genehmigung kopieren."),
    ("Il est permis de fumer dans le hall.", "Il est interdit de fumer dans le hall."),
    (
        "Vous pouvez utiliser le logo sans autorisation.",
        "Vous ne pouvez pas utiliser le logo sans autorisation.",
    ),
    ("Se puede fumar en el vestíbulo.", "Está prohibido fumar en el vestíbulo."),
    ("Puede usar el logotipo sin permiso.", "No puede usar el logotipo sin permiso."),
    ("Pode-se fumar no saguão.", "É proibido fumar no saguão."),
)
"""Answers that turn a permission or a prohibition."""
RIGHT = (
    ("You can't smoke in the lobby.", "Smoking is prohibited in the lobby."),
    ("É permitido fumar no terraço.", "Pode fumar no terraço."),
    ("Pode fumar no terraço.", "É permitido fumar no terraço."),
    ("Smoking is allowed on the terrace.", "Smoking is prohibited in the lobby but allowed on the terrace."),
    ("You can use the logo with permission.", "You may not use the logo without permission."),
    ("Refunds are possible within 30 days.", "Refunds are not possible after 30 days."),
    ("Smoking on the balcony is allowed.", "Smoking on the balcony is not prohibited."),
    ("You can be fined for smoking in the lobby.", "Smoking is prohibited in the lobby."),
    (
        "Pets are allowed in the hold.",
        "Pets are not allowed in the cabin, but they are allowed in the hold.",
    ),
    ("No, you can cancel without giving reasons.", "You can cancel without giving reasons."),
    ("You can walk in without booking.", "No booking is needed, you can walk in without booking."),
    ("Residents may park in the yard.", "Parking in the yard is prohibited. Residents may park in the yard."),
    (
        "Smoking is allowed in the lobby.",
        "Smoking is not allowed in the lobby on weekdays. Smoking is allowed in the lobby on Sundays.",
    ),
    ("Gäste dürfen den Pool nutzen.", "Gäste dürfen den Pool nutzen, aber nicht die Sauna."),
    ("Im Hof darf man nicht parken.", "Das Parken im Hof ist nicht gestattet."),
    ("On ne peut pas fumer dans le hall.", "Il est interdit de fumer dans le hall."),
    ("No se puede fumar en el vestíbulo.", "Está prohibido fumar en el vestíbulo."),
    ("Não se pode fumar no saguão.", "É proibido fumar no saguão."),
)
"""Near them, and told by the passage."""


@pytest.mark.parametrize(("answer", "passage"), TURNED)
def test_what_is_allowed_contradicts_what_is_forbidden_in_other_words(answer: str, passage: str) -> None:
    """All of its words stand there, so that shared words alone find nothing wrong."""
    assert claim_of(answer, passage).verdict == "contradicted"


@pytest.mark.parametrize(("answer", "passage"), RIGHT)
def test_what_is_allowed_within_other_bounds_contradicts_nothing(answer: str, passage: str) -> None:
    """With what it is not allowed without, elsewhere, for others, or in the same sense."""
    assert claim_of(answer, passage).verdict == "supported"


def test_many_repeats_take_little_time() -> None:
    """Each claim looks at a few of the sentences that have its words."""
    record = RagTrace(
        *("0" * 32, "1" * 16, "shop", 0),
        query="May I smoke?",
        answer="You can smoke in the lobby. " * 2_000,
        documents=(Document("a", "Smoking is prohibited in the lobby. " * 2_000, rank=1),),
    )
    start = time.process_time()
    assert {claim.verdict for claim in Prepared(record).assessment.claims} == {"contradicted"}
    assert time.process_time() - start < 10
