"""The one request of every measurement: a question, ten passages of 1 kB, an answer of 1 kB."""

from __future__ import annotations

QUESTION = "When does water boil at sea level, and why does altitude matter?"
ANSWER = "Water boils at 100 degrees Celsius at sea level [p0]. " * 19
PASSAGES: list[dict[str, object]] = [
    {"id": f"p{index}", "score": 0.9 - index / 20, "text": f"{index}: " + "Water boils. " * 79}
    for index in range(10)
]
