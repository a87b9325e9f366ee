"""What an erasure takes out of a request that waits, and that all else stays as it came."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from typing import Any

import pytest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from ragvigil.scorer.erasure.forgetting import tombstone
from ragvigil.scorer.receive.forward.cutting import Cut
from ragvigil.scorer.receive.forward.item import Item, Signal
from ragvigil.scorer.receive.forward.unwanted import Unwanted
from ragvigil.scorer.receive.limits import Limits
from ragvigil.scorer.redact import Pseudonyms

WANDA = Unwanted(before=0.0, names=["wanda"], key="", tombstones=[])


def traces(**users: str | None) -> TracesData:
    """One span a keyword: ``t1="wanda"`` is one of trace 1 that names her."""
    data = TracesData()
    spans = data.resource_spans.add().scope_spans.add().spans
    for name, user in users.items():
        span = spans.add(trace_id=int(name[1:].partition("_")[0]).to_bytes(16, "big"), name=name)
        if user:
            span.attributes.add(key="user.id").value.string_value = user
    return data


def item(data: Any, signal: Signal = "traces") -> Item:
    """The request as it waits."""
    return Item(signal, data.SerializeToString(), "protobuf", gzipped=False, headers={})


def names(found: Item | None) -> list[str]:
    """Of the spans that are left."""
    assert found is not None
    body = gzip.decompress(found.body) if found.gzipped else found.body
    data = TracesData.FromString(body)
    return [span.name for entry in data.resource_spans for scope in entry.scope_spans for span in scope.spans]


def test_a_trace_goes_whole_whichever_of_its_requests_names_the_person() -> None:
    """The batches of a trace may wait side by side."""
    cut = Cut(WANDA, Limits())
    first, second = item(traces(t1_a=None, t2=None)), item(traces(t1_b="wanda", t3="eva"))
    for one in (first, second):
        cut.learn(one)
    assert (names(cut.cut(first)), names(cut.cut(second))) == (["t2"], ["t3"])


def test_what_names_nobody_unwanted_stays_bit_for_bit() -> None:
    """Unknown fields and all."""
    untouched = item(traces(t2="eva"))
    cut = Cut(WANDA, Limits())
    cut.learn(untouched)
    assert cut.cut(untouched) is untouched


def test_traces_that_the_store_forgot_go_without_a_name() -> None:
    """Those that only the scorer could know the person of."""
    gone = Unwanted(0.0, [], "", [tombstone((1).to_bytes(16, "big").hex()).hex()])
    assert names(Cut(gone, Limits()).cut(item(traces(t1="wanda", t2="wanda")))) == ["t2"]


def test_a_pseudonym_finds_the_id() -> None:
    """Whoever asks may know no more."""
    hashed = Pseudonyms("key").of("wanda")
    cut = Cut(Unwanted(0.0, [hashed], "key", []), Limits())
    request = item(traces(t1="wanda", t2="eva"))
    cut.learn(request)
    assert names(cut.cut(request)) == ["t2"]


def test_nothing_is_left_of_a_request_of_one_person() -> None:
    """Nor of one whose resource names the person, nor of one that cannot be read."""
    alone = item(traces(t1="wanda"))
    cut = Cut(WANDA, Limits())
    cut.learn(alone)
    assert cut.cut(alone) is None
    device = traces(t1=None)
    device.resource_spans[0].resource.attributes.add(key="enduser.id").value.string_value = "wanda"
    assert cut.cut(item(device)) is None
    for broken in (Item("traces", b"\xff", "protobuf", False, {}), Item("traces", b"{", "json", False, {})):
        cut.learn(broken)
        assert cut.cut(broken) is None


def test_what_cannot_be_read_costs_nobody_else_anything() -> None:
    """A text that is not UTF-8 in one span, and one span that is too large to be looked at."""
    data = traces(t1="wanda", t2=None, t3="eva", t4=None)
    data.resource_spans[0].scope_spans[0].spans[3].attributes.extend(KeyValue() for _ in range(2_000))
    broken = item(data)
    broken = replace(broken, body=broken.body.replace(b"eva", b"\xffva"))
    cut = Cut(WANDA, Limits(max_span_bytes=2_000))
    cut.learn(broken)
    assert names(cut.cut(broken)) == ["t2"]


@pytest.mark.parametrize("gzipped", [False, True])
def test_json_and_gzip_are_cut_too(gzipped: bool) -> None:
    """What came as JSON goes on in protobuf; what came compressed, compressed. What nobody can read is not left."""
    wanda = {"key": "user.id", "value": {"stringValue": "wanda"}}
    spans = [
        {"traceId": "0" * 31 + "1", "spanId": "1" * 16, "name": "t1", "attributes": [wanda]},
        {"traceId": "0" * 31 + "2", "spanId": "1" * 16, "name": "t2"},
    ]
    cut = Cut(WANDA, Limits())
    for sent, left_of_it in ((spans, ["t2"]), ([spans[1], {"traceId": 7, "name": "t3"}], ["t2"])):
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": sent}]}]}).encode()
        came = Item("traces", gzip.compress(body) if gzipped else body, "json", gzipped, {})
        cut.learn(came)
        left = cut.cut(came)
        assert names(left) == left_of_it
        assert left is not None
        assert (left.encoding, left.gzipped) == ("protobuf", gzipped)


def test_feedback_of_the_person_goes_and_that_of_others_stays() -> None:
    """On whoever's answer."""
    data = LogsData()
    records = data.resource_logs.add().scope_logs.add().log_records
    for user in ("wanda", "eva"):
        record = records.add(trace_id=b"\7" * 16)
        record.attributes.add(key="user.id").value.string_value = user
    left = Cut(WANDA, Limits()).cut(item(data, "logs"))
    assert left is not None
    (kept,) = LogsData.FromString(left.body).resource_logs[0].scope_logs[0].log_records
    assert kept.attributes[0].value.string_value == "eva"


def test_a_metric_loses_the_points_and_examples_of_the_person() -> None:
    """Metrics are forwarded as well, and their examples name traces."""
    data = MetricsData()
    metrics = data.resource_metrics.add().scope_metrics.add().metrics
    for name in ("both", "hers"):
        points = metrics.add(name=name).sum.data_points
        points.add().attributes.add(key="user.id").value.string_value = "wanda"
    points = metrics[0].sum.data_points
    points.add().exemplars.add(trace_id=(1).to_bytes(16, "big"))
    metrics.add(name="empty")
    metrics.add(name="silent").gauge.SetInParent()
    assert Cut(WANDA, Limits()).cut(item(MetricsData(), "metrics")) is not None
    gone = Unwanted(0.0, ["wanda"], "", [tombstone((1).to_bytes(16, "big").hex()).hex()])
    left = Cut(gone, Limits()).cut(item(data, "metrics"))
    assert left is not None
    kept = MetricsData.FromString(left.body).resource_metrics[0].scope_metrics[0].metrics
    assert [metric.name for metric in kept] == ["both", "empty", "silent"]
    assert [len(point.exemplars) for point in kept[0].sum.data_points] == [0]
