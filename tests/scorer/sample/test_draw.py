"""Who is judged: the published hash."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.scorer.sample import decide, fraction

TRACE_IDS = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")


@pytest.mark.parametrize(
    ("trace_id", "place"),
    [
        ("0af7651916cd43dd8448eb211c80319c", 0.5325290749564734),
        ("0" * 32, 0.13607547984449064),
        ("f" * 32, 0.8906599620431727),
    ],
)
def test_the_published_values_never_change(trace_id: str, place: float) -> None:
    """Others draw the same sample from the same contract."""
    assert fraction(trace_id) == place
    assert fraction(trace_id.upper()) == place


@given(TRACE_IDS)
def test_the_hash_is_the_contract_word_for_word(trace_id: str) -> None:
    """SHA-256 of domain, zero byte and hex; the top 53 bits as a fraction."""
    digest = hashlib.sha256(b"ragvigil:sample:v1" + b"\x00" + trace_id.encode("ascii")).digest()
    bits = "".join(f"{byte:08b}" for byte in digest)[:53]
    assert fraction(trace_id) == int(bits, 2) / 2**53 < 1


@given(TRACE_IDS, st.floats(0, 1), st.floats(0, 1))
def test_lower_rates_nest_in_higher_ones(trace_id: str, one: float, other: float) -> None:
    """Whoever is in the smaller sample is in the larger one."""
    low, high = sorted((one, other))
    assert decide(trace_id, high).judged or not decide(trace_id, low).judged


def test_rates_of_zero_and_one_judge_nobody_and_everybody() -> None:
    """Exactly."""
    ids = [f"{number:032x}" for number in range(1000)]
    assert not any(decide(one, 0.0).judged for one in ids)
    assert all(decide(one, 1.0).judged for one in ids)


def test_the_sample_is_uniform_over_trace_ids() -> None:
    """Consecutive ids fall evenly into twenty bins (chi-squared with 19 degrees of freedom, far under 50)."""
    number = 20_000
    counts = [0] * 20
    for one in range(number):
        counts[int(fraction(f"{one:032x}") * 20)] += 1
    assert sum((count - number / 20) ** 2 / (number / 20) for count in counts) < 50


def test_a_decision_carries_its_probability() -> None:
    """Every estimate weights by it."""
    decision = decide("0" * 32, 0.1)
    assert (decision.judged, decision.inclusion, decision.fraction) == (False, 0.1, fraction("0" * 32))
