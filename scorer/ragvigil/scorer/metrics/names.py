"""Every metric: its name, kind, labels and meaning, once. docs/scores-out.md is made from this table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["gauge", "counter", "histogram"]


@dataclass(frozen=True, slots=True)
class Definition:
    """One metric family, under the name that it has in a query."""

    name: str
    kind: Kind
    help: str
    labels: tuple[str, ...] = ()


_PLACE = ("service", "environment")
_SERIES = ("series", *_PLACE, "segment", "instrument")


def _gauge(name: str, text: str, *labels: str) -> Definition:
    return Definition(f"ragvigil_{name}", "gauge", text, labels)


def _counter(name: str, text: str, *labels: str) -> Definition:
    return Definition(f"ragvigil_{name}_total", "counter", text, labels)


_ALL = (
    _gauge(
        "series_ratio",
        "Level of a series in its latest window (in an incident: since the fall); absent without enough answers.",
        *_SERIES,
    ),
    _gauge("series_lower_ratio", "Lower end of the 95 % interval of ragvigil_series_ratio.", *_SERIES),
    _gauge("series_upper_ratio", "Upper end of the 95 % interval of ragvigil_series_ratio.", *_SERIES),
    _gauge("series_observations", "Scored answers behind ragvigil_series_ratio (n).", *_SERIES),
    _gauge("series_represented_answers", "Answers that those stand for, by their weights.", *_SERIES),
    _gauge("series_baseline_ratio", "Level of the series before its latest window.", *_SERIES),
    _gauge(
        "series_state", "1 for the state that the series is in, 0 for the others.", "series", *_PLACE, "state"
    ),
    Definition(
        "ragvigil_answer_score_ratio",
        "histogram",
        "Scores given to answers; exemplars name a trace. An answer that late spans change counts again.",
        ("score", *_PLACE, "instrument"),
    ),
    _gauge("incidents_open", "Incidents that are not resolved.", "series", *_PLACE),
    _counter("incidents", "Incidents ever opened.", "series", *_PLACE),
    _counter(
        "records",
        "Records that entered a state that `ragvigil ledger` tells; one may enter several. The reason says why.",
        "state",
        "reason",
    ),
    _gauge(
        "ledger_records",
        "Records that stand in a state of the ledger now, as `ragvigil ledger` tells it: not_scoreable is what "
        "nobody could judge.",
        "state",
    ),
    _counter("verdicts", "Answers of the judge by outcome: the verdict's state, or failed.", "outcome"),
    _counter("judge_failures", "Verdicts that failed, by reason.", "reason"),
    _counter(
        "misdated_traces",
        "Traces whose spans began when they cannot have; the unit says in which the moment would be right.",
        "unit",
    ),
    _counter("dialect_failures", "Times that a dialect of your own could not read a span.", "dialect"),
    _counter("judge_tokens", "Tokens that the judge says it read and wrote.", "direction"),
    _counter("judge_cost_usd", "US dollars that judging has cost by judge.prices."),
    _gauge(
        "sample_limit_used_ratio",
        "Share of a limit of [sample] that is spent, or will be by what waits for the judge.",
        "limit",
    ),
    _gauge(
        "sample_factor_ratio",
        "What those limits leave of the share of answers that is judged; 1 when they hold nothing down.",
    ),
    _counter("deliveries", "Alerts to channels by outcome.", "channel", "outcome"),
    _counter("delivery_attempts", "Tries to hand an alert to a channel.", "channel"),
    _gauge("deliveries_waiting", "Alerts that wait for a channel.", "channel"),
    _gauge(
        "coverage_ratio",
        "Share of what was to be looked at that was: scored, complete, with texts, asked, delivered.",
        "coverage",
        *_PLACE,
    ),
    _gauge(
        "backlog_seconds",
        "How long ago that arrived which is read from the inbox now, or waits to be stored; 0 when caught up.",
    ),
    _gauge("open_traces", "Traces that are not complete yet."),
    _gauge("judge_waiting_records", "Records that wait for their verdict."),
    _gauge("inbox_bytes", "Bytes of the inbox on disk."),
    _gauge("inbox_oldest_seconds", "Age of the oldest content in the inbox."),
    _gauge("store_bytes", "Size of the store file."),
    _gauge("store_used_bytes", "Bytes of the store file that hold something."),
    _gauge("store_log_bytes", "Size of the write-ahead log beside the store."),
    _gauge("disk_free_bytes", "Bytes free on the disk of the store or the inbox.", "disk"),
    _counter("export_scores", "Scores handed to another tool, by outcome.", "sink", "outcome"),
    _counter("export_attempts", "Requests to another tool, by outcome.", "sink", "outcome"),
    _counter("export_dropped_changes", "Records whose scores went at export.max_waiting, unsent.", "sink"),
    _gauge("export_waiting_changes", "Records whose scores wait to be sent.", "sink"),
    _counter("received_spans", "Spans committed to the inbox."),
    _counter("received_log_records", "Log records committed to the inbox."),
    _counter("received_bytes", "Bytes of request bodies, decompressed."),
    _counter("received_requests", "Requests by protocol and signal.", "request"),
    _counter("rejected_items", "Spans and log records that can never be accepted, by reason.", "reason"),
    _counter("refused_requests", "Whole requests that were not accepted, by reason.", "reason"),
    _counter(
        "forwarded_requests", "Requests to forward backends by what became of them.", "backend", "outcome"
    ),
    _gauge("scorer_up", "Whether the score process has told of itself lately."),
    _gauge("scorer_told_timestamp_seconds", "When the score process last told of itself."),
    _gauge("scorer_evaluated_timestamp_seconds", "When the series were last evaluated without a failure."),
    _gauge(
        "label_values_folded",
        "Label values beyond the bounds of [metrics], told together as other.",
        "label",
    ),
    _gauge("build_info", "1; the labels say what runs.", "version", "python"),
)

DEFINITIONS: dict[str, Definition] = {one.name: one for one in _ALL}
"""By name, in the order in which they are told."""
