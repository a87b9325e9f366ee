"""How texts are cut at claims, whatever the claims say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.dashboard.answer import LONGEST_ANSWER, pieces_of_answer
from ragvigil.scorer.verdict import Claim

PLACES = st.tuples(st.integers(-3, 40), st.integers(-3, 40))


@given(st.text(max_size=30), st.lists(st.tuples(PLACES, st.lists(PLACES, max_size=3)), max_size=5))
def test_the_pieces_are_the_answer(
    answer: str, told: list[tuple[tuple[int, int], list[tuple[int, int]]]]
) -> None:
    """A judge may name places that the answer does not have, in any order, one over the other."""
    claims = [
        Claim("", start, end, (), "partial", 0.5, unsupported_spans=tuple(spans))
        for (start, end), spans in told
    ]
    pieces = pieces_of_answer(answer, claims)
    assert "".join(piece.text for piece in pieces) == answer
    assert all(piece.text for piece in pieces) or not answer
    shown = {
        place
        for claim in claims
        if 0 <= claim.start < claim.end <= len(answer)
        for place in range(claim.start, claim.end)
    }
    place = 0
    for piece in pieces:
        if shown & set(range(place, place + len(piece.text))):
            assert piece.kind
        place += len(piece.text)


def test_of_a_huge_answer_the_beginning_is_shown() -> None:
    """A page of megabytes would hang the phone of who opens it."""
    claims = [Claim("", place, place + 9, (), "supported", 0.9) for place in range(0, 10**6, 10)]
    pieces = pieces_of_answer("x" * 10**6, claims)
    assert sum(len(piece.text) for piece in pieces) == LONGEST_ANSWER
