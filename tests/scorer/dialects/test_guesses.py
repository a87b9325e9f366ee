"""Lists of objects with texts that a function returned before the model was called, and that are no passages."""

from __future__ import annotations

import pytest
from tests.scorer.dialects.conftest import ANSWER, PASSAGES, QUESTION, as_json, ids, only, span

from ragvigil.scorer.span import Span

TALK = [{"id": "m1", "text": "Hi there."}, {"id": "m2", "text": "How can I help?"}]
HITS = [{"id": key, "text": text, "score": score} for key, text, score in PASSAGES]
NUMBERED = "\n".join(f"[{place}] {text}" for place, (_, text, _) in enumerate(PASSAGES, 1))
SENT = [{"role": "system", "content": f"Answer from:\n{NUMBERED}"}, {"role": "user", "content": QUESTION}]
KEYS = [key for key, *_ in PASSAGES]


def observed(kind: str, given: object, made: object) -> dict[str, object]:
    """Attributes of a function under Langfuse's decorator."""
    told: dict[str, object] = {
        "langfuse.observation.type": kind,
        "langfuse.observation.output": as_json(made),
    }
    return told if given is None else {**told, "langfuse.observation.input": as_json(given)}


def asked(sent: object, *, retrieved: bool, talk: object = TALK, name: str = "load_talk") -> list[Span]:
    """A question before which the talk so far is loaded, which a list of passages looks like."""
    search = span("a3", observed("retriever", {"query": QUESTION}, HITS), parent="a1", start=10, end=19)
    return [
        span("a1", observed("span", {"question": QUESTION}, ANSWER), end=99),
        span("a2", observed("span", {"user": "u"}, talk), parent="a1", name=name, start=1, end=9),
        *([search] if retrieved else []),
        span("a4", observed("generation", sent, ANSWER), parent="a1", start=20, end=90),
    ]


def test_a_list_that_the_prompt_does_not_show_is_no_evidence_where_it_shows_a_context() -> None:
    """The talk so far was the evidence, and the record complete."""
    record = only(asked(SENT, retrieved=False))
    assert [each.text for each in record.documents] == [text for _, text, _ in PASSAGES]
    assert record.completeness == "complete"


def test_a_list_whose_passages_the_prompt_cuts_is_the_evidence() -> None:
    """They begin alike there, in whatever case and between whatever blanks."""
    long = [{"id": "a", "text": "Snow  is white and falls in flakes from clouds. " * 9}]
    sent = [{"role": "system", "content": f"Answer from:\n[1] {long[0]['text'][:90]}"}, SENT[1]]
    assert ids(only(asked(sent, retrieved=False, talk=long))) == ["a"]


@pytest.mark.parametrize(
    ("talk", "name", "completeness"),
    [
        (TALK, "load_talk", "partial_evidence"),
        (TALK, "search_faq", "complete"),
        (HITS[:1], "cleaned", "complete"),
    ],
)
def test_a_list_beside_a_search_marks_the_record_where_no_prompt_tells_what_was_shown(
    talk: object, name: str, completeness: str
) -> None:
    """Both were the evidence of a complete record; what is called a search, or holds its passages, may be."""
    assert only(asked(None, retrieved=True, talk=talk, name=name)).completeness == completeness


def test_a_prompt_tells_which_list_was_shown() -> None:
    """As before."""
    record = only(asked(SENT, retrieved=True))
    assert (ids(record), record.completeness) == (KEYS, "complete")
