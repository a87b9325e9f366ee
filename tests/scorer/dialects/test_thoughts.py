"""What a model thinks before it answers is no answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from .conftest import ANSWER, chain, generation, only, span, trace


@pytest.mark.parametrize(
    "reply",
    [
        f"<think>At ten? No.</think>\n\n{ANSWER}",
        f"\n<thinking>\nAt ten?\n</thinking>\n<answer>{ANSWER}</answer>",
        f"At ten? No.\n</think>\n\n{ANSWER}",
    ],
)
@pytest.mark.parametrize("returned", [None, ANSWER])
def test_what_a_model_thinks_is_no_answer(reply: str, returned: str | None) -> None:
    """Between tags, of which a server may have put the first into the prompt."""
    root, above, search, _ = trace()
    above = replace(above, attributes=chain(answer=returned))
    title = span("a4", generation("Ferry times"), parent="a1", start=10, end=12)
    model = span("a3", generation(reply), parent="a1", start=21, end=80)
    record = only([root, above, search, title, model])
    assert (record.answer, record.span_id) == (ANSWER, "a3")


def test_a_reply_in_dspys_fields_is_its_one_answer() -> None:
    """Its root returned the answer alone; several fields are left as they are."""
    reply = f"[[ ## reasoning ## ]]\nIt says so.\n\n[[ ## answer ## ]]\n{ANSWER}\n\n[[ ## completed ## ]]"
    root, above, search, _ = trace()
    assert (
        only([root, above, search, span("a3", generation(reply), parent="a1", start=21, end=80)]).answer
        == ANSWER
    )
    assert only([search, span("a3", generation(reply), start=21, end=80)]).answer == ANSWER
    several = "[[ ## answer ## ]]\nAt nine.\n\n[[ ## price ## ]]\nFour crowns."
    assert only([search, span("a3", generation(several), start=21, end=80)]).answer == several


def test_thoughts_that_were_cut_off_are_no_answer() -> None:
    """Whatever it would have said."""
    root, above, search, _ = trace()
    above = replace(above, attributes=chain(answer=None))
    model = span("a3", generation("<think>Is it at ten? May"), parent="a1", start=21, end=80)
    record = only([root, above, search, model])
    assert (record.answer, record.completeness) == (None, "complete")
