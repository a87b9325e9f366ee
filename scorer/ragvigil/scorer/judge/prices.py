"""What a judgement costs, where the operator says what tokens cost."""

from __future__ import annotations

from typing import NamedTuple


class Price(NamedTuple):
    """US dollars per million tokens."""

    input: float
    output: float


def cost_of(price: Price | None, input_tokens: int, output_tokens: int) -> float | None:
    """US dollars; None where the model has no price.

    >>> cost_of(Price(0.15, 0.60), 2_000_000, 1_000_000)
    0.9
    """
    if price is None:
        return None
    return (input_tokens * price.input + output_tokens * price.output) / 1e6
