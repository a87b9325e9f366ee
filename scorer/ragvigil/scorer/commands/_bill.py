"""What a command's questions cost, in words."""

from __future__ import annotations

from collections.abc import Mapping


def bill(usage: Mapping[str, object]) -> str:
    """Calls, tokens where they are known, and US dollars where the model has a price.

    >>> bill({"calls": 1200, "input_tokens": 90_000, "output_tokens": 9_000, "cost_usd": 0.0423})
    '1,200 calls, 99,000 tokens, 0.0423 US dollars'
    >>> bill({"calls": 3, "cost_usd": None})
    '3 calls, unpriced'
    """
    tokens = [usage[name] for name in ("input_tokens", "output_tokens") if name in usage]
    cost = usage.get("cost_usd")
    parts = [f"{usage.get('calls', 0):,.0f} calls"]
    parts += [f"{sum(one for one in tokens if isinstance(one, int | float)):,.0f} tokens"] if tokens else []
    return ", ".join([*parts, f"{cost:,.4f} US dollars" if isinstance(cost, int | float) else "unpriced"])
