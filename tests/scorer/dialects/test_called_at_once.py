"""Two searches that a model called at once, as LangChain's `create_agent` (1.5) runs them in threads, on 2026-11-28."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, chain, ids, only, span

from ragvigil.scorer.span import Span

FARES = [{"id": "fares-7", "text": 'Children pay "half".\nDogs travel free.'}]
HITS = [{"id": key, "text": text} for key, text, _ in PASSAGES]


def tool(span_id: str, name: str, found: object, start: int) -> Span:
    """A search that a tool ran."""
    said = {"openinference.span.kind": "TOOL", "tool.name": name, "output.value": as_json(found)}
    return span(
        span_id, {**said, "input.value": as_json({"query": name})}, parent="a0", start=start, end=start + 4
    )


def model(
    told: list[object], name: str = "openinference", before: Sequence[object] = ()
) -> dict[str, object]:
    """A call of a model that was sent what the tools found, as two dialects tell it."""
    if name == "genai":
        parts = [
            [{"type": "tool_call_response", "id": str(place), "response": each}]
            for place, each in enumerate(told)
        ]
        messages = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
        messages += [{"role": "tool", "parts": each} for each in parts]
        said = [{"role": "assistant", "parts": [{"type": "text", "content": ANSWER}]}]
        calls = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": as_json(messages)}
        return {**calls, "gen_ai.output.messages": as_json(said)}
    sent = [("user", "How are you?"), *(("tool", as_json(each)) for each in before)]
    sent += [("user", QUESTION), *(("tool", as_json(each)) for each in told)]
    said_before = {"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant"}
    made: dict[str, object] = {**said_before, "llm.output_messages.0.message.content": ANSWER}
    for place, (role, text) in enumerate(sent):
        made[f"llm.input_messages.{place}.message.role"] = role
        made[f"llm.input_messages.{place}.message.content"] = text
    return made


def asked(
    told: list[object], *, first: int, second: int, name: str = "openinference", before: Sequence[object] = ()
) -> list[Span]:
    """A question for which the model called `find_times`, then `find_fares`, which began at these moments.

    `before`: what tools had found for an earlier one.
    """
    return [
        span("a0", chain(), start=1, end=99),
        tool("t1", "find_times", HITS, first),
        tool("t2", "find_fares", FARES, second),
        span("m1", model(told, name, before), parent="a0", start=50, end=90),
    ]


@pytest.mark.parametrize("name", ["openinference", "genai"])
@pytest.mark.parametrize(("first", "second"), [(10, 20), (20, 10), (12, 10)])
def test_what_was_found_at_once_stands_as_the_model_was_told_it(first: int, second: int, name: str) -> None:
    """The thread that began, or ended, first made its passages the first ones."""
    record = only(asked([HITS, FARES], first=first, second=second, name=name))
    assert ids(record) == ["timetable-1", "fares-2", "fares-7"]
    assert [document.rank for document in record.documents] == [1, 2, 3]


@pytest.mark.parametrize("told", [[], [FARES], [[*HITS, *FARES]], [FARES, "three times a day"]])
def test_what_no_message_of_its_own_tells_stays_as_it_was_found(told: list[object]) -> None:
    """One message for both, or none, tells no order."""
    assert ids(only(asked(told, first=10, second=20))) == ["timetable-1", "fares-2", "fares-7"]


def test_what_an_earlier_turn_had_found_as_well_is_told_again() -> None:
    """What stands behind the last question counts."""
    record = only(asked([HITS, FARES], first=20, second=10, before=[FARES, HITS]))
    assert ids(record) == ["timetable-1", "fares-2", "fares-7"]


def test_what_only_an_earlier_turn_tells_is_no_place() -> None:
    """What was found now was cut in the message."""
    cut = as_json(FARES)[:20]
    record = only(asked([HITS, cut], first=10, second=20, before=[FARES]))
    assert ids(record) == ["timetable-1", "fares-2", "fares-7"]


@pytest.mark.parametrize("name", ["openinference", "genai"])
def test_a_page_that_was_opened_later_says_again_what_was_found(name: str) -> None:
    """It was taken for the search: the last message counted."""
    page = "Timetable. " + " ".join(str(hit["text"]) for hit in HITS)
    record = only(asked([HITS, FARES, page], first=10, second=20, name=name))
    assert ids(record) == ["timetable-1", "fares-2", "fares-7"]


def test_a_search_that_found_a_part_of_another_s_has_the_message_that_is_left() -> None:
    """The thread that began first found it again."""
    both = [*HITS, *FARES]
    spans = asked([both, FARES], first=20, second=10)
    spans[1] = tool("t1", "find_times", both, 20)
    assert ids(only(spans)) == ["timetable-1", "fares-2", "fares-7"]
