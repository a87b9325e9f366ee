"""Every Python block of docs/tracer.md runs, in a process of its own, without a word on standard error."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

import ragvigil.tracer
from ragvigil.tracer import Limits, record_feedback
from ragvigil.tracer import _queue as delivery

from .conftest import Receiver, Recording
from .test_exit_and_fork import run

PAGE = (Path(__file__).parents[2] / "docs" / "tracer.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("index", range(len(BLOCKS)))
def test_a_block_runs_as_it_is_shown(receiver: Receiver, index: int) -> None:
    """Against a real receiver, where the block sends anything."""
    done = run(BLOCKS[index], OTEL_EXPORTER_OTLP_ENDPOINT=receiver.endpoint)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_page_names_every_public_function() -> None:
    """What is not on the page is not found."""
    offered = {name for name in ragvigil.tracer.__all__ if name[0].islower()}
    assert {name for name in offered if name not in PAGE} == set()


def test_the_limits_on_the_page_are_the_limits() -> None:
    """A table that nothing holds goes stale."""
    for limit in fields(Limits):
        assert f"{limit.default:,}" in PAGE, limit.name
    assert f"{delivery.MAX_QUEUED_SPANS:,} spans, {delivery.MAX_QUEUED_BYTES >> 20} MiB" in PAGE
    assert f"{delivery.MAX_BATCH_BYTES >> 20} MiB |" in PAGE


def test_the_curl_on_the_page_is_what_record_feedback_sends(recording: Recording) -> None:
    """The same trace, name and attributes, as OTLP's JSON."""
    (body,) = re.findall(r"/v1/traces .*? -d '(.*?)'$", PAGE, re.DOTALL | re.MULTILINE)
    (resource,) = json.loads(body)["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    (span,) = scope["spans"]
    assert record_feedback(span["traceId"], thumbs_up=False, comment="That is Fahrenheit.")
    sent = recording.span()
    (raw,) = recording.raw()
    assert raw.instrumentation_scope is not None
    assert (span["name"], scope["scope"]["name"]) == (sent["name"], raw.instrumentation_scope.name)
    told = {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}
    assert told == sent["attributes"]
    assert raw.context is not None
    assert int(span["traceId"], 16) == raw.context.trace_id
    assert len(span["parentSpanId"]) == len(span["spanId"]) == 16
