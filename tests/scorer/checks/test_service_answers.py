"""How many right answers of services are doubted, and how many faults planted in them."""

from __future__ import annotations

import pytest
from tests.scorer.checks.service_answers import FAULTS, Found, counted, read_cases


def test_the_corpus_is_what_it_says() -> None:
    """Eighty faults in four classes, each beside the right answer, and further right answers."""
    kinds = [case.kind for case in read_cases()]
    assert [kinds.count(kind) for kind in (*FAULTS, "right")] == [20, 20, 20, 20, 148]


@pytest.fixture(scope="module")
def found() -> dict[str, Found]:
    """Of each kind how many there are, how many are doubted, and how many fail."""
    return counted()


@pytest.mark.parametrize(("kind", "seen"), [("roles", 14), ("other", 17), ("dropped", 15), ("turned", 13)])
def test_faults_are_seen(found: dict[str, Found], kind: str, seen: int) -> None:
    """At least as many as when this was written."""
    assert found[kind].doubted >= seen


def test_right_answers_pass(found: dict[str, Found]) -> None:
    """All but those that docs/accuracy.md tells of."""
    assert found["right"].failed <= 10
