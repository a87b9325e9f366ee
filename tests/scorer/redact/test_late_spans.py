"""Of a trace whose texts are withheld spans may come late: they take nothing away, and add what they say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from tests.scorer.redact.test_ids_only import (
    EVERY,
    HEADED,
    SOME,
    asked,
    notes_in,
    only,
    passages,
    records,
    scored,
    texts_of,
    traces_in,
)

from ragvigil.scorer.assembly.assemble import Assembled
from ragvigil.scorer.inbox import Position
from ragvigil.scorer.span import spans_of
from ragvigil.scorer.trace import Cited


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.stem)
def test_a_span_that_comes_late_takes_no_id_away(path: Path) -> None:
    """The texts of those before it are gone by then."""
    (trace,) = traces_in(path)
    payload = trace.spans[0]
    known = [span.span_id for span in spans_of(payload)]
    (whole,) = records(scored([trace], mode="ids_only")).values()
    for late in known:
        rest = [each for each in known if each != late]
        deliveries = [replace(trace, spans=(only(payload, trace.trace_id, part),)) for part in (rest, [late])]
        found = records(scored(deliveries, mode="ids_only"))
        ids = {one.id for record in found.values() for one in record.documents}
        assert ids >= {one.id for one in whole.documents}
        assert not [text for record in found.values() for text in texts_of(record)]


def two_replies(late: str) -> tuple[Assembled, Assembled]:
    """An answer from passages and a title of it, in two deliveries: this span comes in the second."""
    shown = "\n".join(
        f"[{rank}] {text}" for rank, text in enumerate(("It leaves at nine.", "It is free."), 1)
    )
    asked, said = "When does the ferry leave?", "The ferry leaves at nine [1]."
    calls = {
        "b1": (f"Answer from the context.\n\nContext:\n{shown}\n\nQuestion: {asked}", said),
        "b2": (f"Write a title.\nUser: {asked}\nAssistant: {said}", "Ferry times"),
    }
    data = TracesData()
    resource = data.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "ferries"
    scope = resource.scope_spans.add()
    for start, name in enumerate(("a0", "b1", "b2", "z9"), 1):
        made = scope.spans.add(trace_id=b"t" * 16, span_id=name.encode() * 4, name=name, kind=1)
        made.start_time_unix_nano, made.end_time_unix_nano = (
            start * 10,
            90 if name == "a0" else start * 10 + 5,
        )
        made.parent_span_id = b"" if name == "a0" else b"a0" * 4
        if name in calls:
            prompt, reply = calls[name]
            told = {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": json.dumps([{"role": "user", "content": prompt}]),
                "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": reply}]),
            }
            for key, value in told.items():
                made.attributes.add(key=key).value.string_value = value
    payload, trace_id = data.SerializeToString(), (b"t" * 16).hex()
    names = [span.span_id for span in spans_of(payload)]
    parts = [name for name in names if name != (late.encode() * 4).hex()], [(late.encode() * 4).hex()]
    first, second = (
        Assembled(trace_id, (only(payload, trace_id, part),), (), Position(1, 1), False, 0) for part in parts
    )
    return first, second


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("late", ["z9", "b2"])
def test_a_late_span_leaves_a_record_its_span_and_what_it_cites(late: str, restarts: bool) -> None:
    """Without texts the later of two replies looks like the answer: the record moved there, without passages. Where
    that reply comes when the texts are gone from memory, too, nobody knows which of the two it was.
    """
    first, second = two_replies(late)
    (before,) = records(scored([first], mode="ids_only")).values()
    (after,) = records(scored([first, second], mode="ids_only", restarts=restarts)).values()
    assert (before.span_id, len(before.documents), before.cited) == ((b"b1" * 4).hex(), 2, Cited(("#1",), ()))
    assert (after.span_id, passages(after)[0], after.cited) == (
        before.span_id,
        passages(before)[0],
        before.cited,
    )
    unknown = restarts and late == "b2"
    completeness = "partial_evidence" if unknown else "withheld"
    assert (before.completeness, after.completeness, after.answer) == ("withheld", completeness, None)


@pytest.mark.parametrize("restarts", [False, True])
def test_a_search_that_comes_late_leaves_missing_what_was_missing(restarts: bool) -> None:
    """Where the texts are gone, nobody can tell what of it was shown to the model."""
    trace = asked("Why?", "Because [c.pdf].")
    found = json.dumps([{"id": "c.pdf", "content": "Snow.", "score": 0.5}])
    late = beside(trace, "latespan", retrieval__documents=found, openinference__span__kind="RETRIEVER")
    (whole,) = records(scored([trace, late], mode="full")).values()
    (record,) = records(scored([trace, late], mode="ids_only", restarts=restarts)).values()
    assert passages(record) == passages(whole)
    assert record.completeness == ("partial_evidence" if restarts else "withheld")


def beside(trace: Assembled, name: str, **attributes: str) -> Assembled:
    """A span of the same trace that comes later, below its first."""
    data = TracesData.FromString(trace.spans[0])
    told = TracesData()
    for part in data.resource_spans:
        first = next((scope.spans[0] for scope in part.scope_spans if scope.spans), None)
        if first is not None:
            resource = told.resource_spans.add()
            resource.resource.CopyFrom(part.resource)
            start = first.start_time_unix_nano
            late = resource.scope_spans.add().spans.add(
                trace_id=first.trace_id, span_id=name.encode(), parent_span_id=first.span_id, name="GET",
                start_time_unix_nano=start + 5, end_time_unix_nano=start + 9,
            )  # fmt: skip
            for key, value in attributes.items():
                late.attributes.add(key=key.replace("__", ".")).value.string_value = value
            break
    return replace(trace, spans=(told.SerializeToString(),), logs=())


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.name.split(".pb")[0])
def test_a_late_span_that_says_nothing_changes_nothing(path: Path) -> None:
    """However many come: what is stored of the spans tells less than was noted of them, and one note is kept."""
    for trace in traces_in(path):
        late = [beside(trace, f"latespa{number}") for number in range(3)]
        before = scored([trace], mode="ids_only")
        after = scored([trace, *late], mode="ids_only", restarts=True)
        assert list(records(after)) == list(records(before))
        assert len(notes_in(after)) == 1
        for span_id, record in records(after).items():
            noted_then = records(before)[span_id]
            assert passages(record) == passages(noted_then)
            assert (record.cited, record.completeness) == (noted_then.cited, noted_then.completeness)
            assert (record.cost_usd, record.streaming) == (noted_then.cost_usd, noted_then.streaming)


def test_what_a_late_span_brings_is_added() -> None:
    """A search of which nobody knew; what was cited and not retrieved may be in it."""
    trace = asked(HEADED, "She was [b.pdf], and [c.pdf].")
    found = json.dumps([{"id": "c.pdf", "content": "More snow.", "score": 0.5}])
    late = beside(trace, "latespan", retrieval__documents=found, openinference__span__kind="RETRIEVER")
    (record,) = records(scored([trace, late], mode="ids_only", restarts=True)).values()
    assert [one.id for one in record.documents] == ["(passage 1)", "(passage 2)", "b.pdf", "c.pdf"]
    assert [(one.ids, one.scores) for one in record.retrievals][-1] == (("c.pdf",), (0.5,))
    assert record.completeness == "partial_evidence"


def test_a_late_span_of_a_service_that_keeps_ids_only_takes_no_text_of_another() -> None:
    """A gateway before a service whose texts may be kept: in whatever order they come."""
    (trace,) = traces_in(SOME[0])
    gateway = beside(trace, "gateways")
    data = TracesData.FromString(gateway.spans[0])
    del data.resource_spans[0].resource.attributes[:]
    data.resource_spans[0].resource.attributes.add(key="service.name").value.string_value = "gateway"
    gateway = replace(gateway, spans=(data.SerializeToString(),))
    (whole,) = records(scored([trace], mode="full")).values()
    for deliveries in ([trace, gateway], [gateway, trace], [trace, gateway, gateway]):
        (found,) = records(scored(deliveries, mode="full", services={"gateway": "ids_only"})).values()
        assert found.answer == whole.answer
        assert found.documents == whole.documents


def test_what_comes_late_is_read_as_it_is_where_no_text_had_told_more() -> None:
    """The reranker's order is on its span: nothing is lost of a search whose passages are on its own."""
    (path,) = (each for each in EVERY if each.name == "haystack_rerank.pb")
    (trace,) = traces_in(path)
    whole = records(scored([trace], mode="full"))
    spans = {span.span_id: span.name for span in spans_of(trace.spans[0])}
    late = [key for key, name in spans.items() if name == "HaystackRanker.run"]
    assert late
    parts = (late, [key for key in spans if key not in late])
    deliveries = [replace(trace, spans=(only(trace.spans[0], trace.trace_id, part),)) for part in parts]
    found = records(scored(deliveries, mode="ids_only", restarts=True))
    assert [*map(passages, found.values())] == [*map(passages, whole.values())]
