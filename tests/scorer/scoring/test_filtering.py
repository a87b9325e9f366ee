"""Load tests, evaluations and probes are not scored, and the ledger says by which rule."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.scorer.scoring.bench import Bench, question, span

from ragvigil.scorer.config import Content, ContentMode, Filter, load
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.scoring.filtering import Filters
from ragvigil.scorer.span import Span
from ragvigil.scorer.store import reading
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Verdict

RECORD = RagTrace("0" * 32, "2" * 16, "shop", 0, environment="production")
ROOT = Span("0" * 32, "1" * 16, None, "POST /ask", 1, 0, 0, {"test.run": 7, "dry": True})
CHILD = replace(ROOT, span_id="2" * 16, parent_id="1" * 16, attributes={"user.id": "probe-eu"})


def rule_of(text: dict[str, object]) -> str | None:
    """The rule, if any, that filters RECORD when it is the only one."""
    (found,) = Filters({"rule": Filter.model_validate(text)}).of([ROOT, CHILD], [RECORD])
    return found.why if found else None


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ({"environment": "prod*"}, "environment = 'production'"),
        ({"environment": ["staging", "production"]}, "environment = 'production'"),
        ({"environment": "Production"}, None),
        ({"environment": "[a-p-]r[--9n-o]duct*"}, "environment = 'production'"),
        ({"environment": "[z-a"}, None),
        ({"environment": "prod"}, None),
        ({"service": "shop", "environment": "staging"}, None),
        ({"span": {"user.id": "probe-*"}}, "span attribute user.id = 'probe-eu'"),
        ({"root": {"user.id": "probe-*"}}, None),
        ({"root": {"test.run": 7}}, "root span attribute test.run = '7'"),
        ({"root": {"dry": True}}, "root span attribute dry = 'true'"),
        ({"root": {"absent": "*"}}, None),
        ({"span": {"user.id": "*", "dry": True}}, None),
        ({"span": {"gone | user.id": "*"}}, "span attribute user.id = 'probe-eu'"),
        (
            {"service": "shop", "root": {"dry": "true"}},
            "service = 'shop', root span attribute dry = 'true'",
        ),
    ],
)
def test_all_conditions_of_a_rule_have_to_hold(rule: dict[str, object], why: str | None) -> None:
    """Exact, glob and list; on one span together; and it says what it saw."""
    assert rule_of(rule) == why


def test_a_resource_attribute_of_any_span_counts() -> None:
    """A namespace of load tests, for example."""
    spans = [ROOT, replace(CHILD, resource={"k8s.namespace.name": "load-7"})]
    (found,) = Filters({"load": Filter(resource={"k8s.namespace.name": ("load-*",)})}).of(spans, [RECORD])
    assert found is not None
    assert found.rule == "load"


@pytest.mark.parametrize(
    ("attributes", "rule"),
    [
        ({"user_agent.synthetic.type": "test"}, "synthetic"),
        ({"http.user_agent": "k6/0.49.0 (https://k6.io/)"}, "load_tests"),
        ({"user_agent.original": "kube-probe/1.29"}, "probes"),
        ({"user_agent.original": "Mozilla/5.0"}, None),
    ],
)
def test_what_marks_itself_as_synthetic_is_filtered_by_default(
    attributes: dict[str, object], rule: str | None
) -> None:
    """The rules that need no file."""
    filters = Filters(load().active_filters)
    (found,) = filters.of([replace(ROOT, attributes=attributes)], [RECORD])
    assert (found.rule if found else None) == rule


def test_langfuse_evaluations_are_filtered_by_default_and_can_be_switched_on() -> None:
    """`enabled = false` under the name of a built-in rule."""
    judged = replace(RECORD, environment="langfuse-llm-as-a-judge")
    (found,) = Filters(load().active_filters).of([ROOT], [judged])
    assert found is not None
    assert found.rule == "evaluations"
    without = load(overrides={"filters": {"evaluations": {"enabled": False}}})
    assert Filters(without.active_filters).of([ROOT], [judged]) == [None]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({}, r"filters\.mine: would filter everything; give it environment"),
        ({"environment": []}, r"filters\.mine\.environment: is empty"),
        ({"environments": "x"}, r"filters\.mine\.environments: unknown key \(did you mean environment\?\)"),
        ({"span": "x"}, r"filters\.mine\.span: is a section, not a value"),
        ({"span": {"key": [["x"]]}}, r"filters\.mine\.span\.key\.0: must be a text in quotes"),
        (
            {"environment": "load-[z-a]"},
            r"filters\.mine\.environment\.0: .*the range z-a in 'load-\[z-a\]' is the ",
        ),
        (
            {"span": {"pod": ["x", "[!a9-0]*"]}},
            r"filters\.mine\.span\.pod\.1: .*9-0 .* the wrong way round: 0-9",
        ),
        ({"span": {"a|": "x"}}, r"filters\.mine: the key 'a\|' has an empty name"),
    ],
)
def test_a_bad_rule_is_named(rule: dict[str, object], message: str) -> None:
    """With the key and the fix."""
    with pytest.raises(ConfigError, match=message):
        load(overrides={"filters": {"mine": rule}})


def test_a_rule_may_not_pass_for_another_reason() -> None:
    """Neither by its name nor with spaces in it."""
    with pytest.raises(ConfigError, match="the ledger uses this name"):
        load(overrides={"filters": {"no_question": {"environment": "x"}}})
    with pytest.raises(ConfigError, match="must begin with a small letter"):
        load(overrides={"filters": {"My rule": {"environment": "x"}}})


def states(bench: Bench) -> tuple[dict[str, int], dict[str, int], int]:
    """States, filtered by reason, and current scores."""
    with closing(reading.open_for_reading(bench.settings.store.path)) as connection:
        sums = reading.ledger(connection)
        assert sums.balanced
        scores = connection.execute(
            "SELECT (SELECT count(*) FROM scores WHERE current) + "
            "(SELECT count(*) FROM verdicts WHERE current) + (SELECT count(*) FROM observations)"
        ).fetchone()[0]
    return sums.states, sums.filtered, scores


def test_a_filtered_record_is_counted_and_never_scored(tmp_path: Path) -> None:
    """No check, no judge, no series; its neighbour is scored as ever."""
    bench = Bench(tmp_path, rate=1.0, filters=Filters({"drill": Filter(span={"drill": ("*",)})}))
    bench.receive([*question(1), *question(2), span(2, "mark", parent=True, drill="yes")])
    jobs = bench.settle()
    assert [job.record.trace_id for job in jobs] == [(1).to_bytes(16, "big").hex()]
    found, filtered, _ = states(bench)
    assert (found, filtered) == ({"pending": 1, "filtered": 1}, {"drill": 1})
    bench.close()


def test_a_late_mark_takes_scores_and_verdict_back(tmp_path: Path) -> None:
    """The span that says it was a drill comes after the verdict: the series forget it."""
    bench = Bench(tmp_path, rate=1.0, filters=Filters({"drill": Filter(span={"drill": ("*",)})}))
    bench.receive(question(1))
    (job,) = bench.settle()
    bench.pipeline.judged([Judgement(job, Verdict("test", "test/1", "digest", "supported", 1.0, 0.9))])
    bench.settle()
    assert states(bench)[0] == {"judged": 1}
    assert states(bench)[2] > 0
    bench.receive([span(1, "mark", parent=True, drill="yes")])
    assert bench.settle() == []
    assert states(bench) == ({"filtered": 1}, {"drill": 1}, 0)
    bench.close()


def test_a_record_that_a_rule_let_go_is_scored_when_read_again(tmp_path: Path) -> None:
    """A rule is removed, the process starts again, a late span reopens the trace."""
    bench = Bench(tmp_path, rate=1.0, filters=Filters({"drill": Filter(service=("*",))}))
    bench.receive(question(1))
    assert bench.settle() == []
    bench.crash()
    bench.filters = Filters({})
    bench.start()
    bench.receive([span(1, "late", parent=True, note="x")])
    assert len(bench.settle()) == 1
    assert states(bench)[0] == {"pending": 1}
    bench.close()


@pytest.mark.parametrize(
    ("key", "attribute", "value", "mode"),
    [
        ("user.id", "user__id", "probe-eu", "redacted"),
        ("enduser.id", "enduser__id", "probe-eu", "full"),
        ("http.request.header.x-drill", "http__request__header__x-drill", "probe-1", "redacted"),
        ("test.note", "test__note", "probe of the night", "ids_only"),
    ],
)
def test_a_rule_sees_what_redaction_cuts_and_holds_when_the_trace_is_read_again(
    tmp_path: Path, key: str, attribute: str, value: str, mode: ContentMode
) -> None:
    """Ids of users are stored as pseudonyms, headers not at all; a late span and a restart change nothing."""
    rules = Filters({"drill": Filter(span={key: ("probe*",)})})
    bench = Bench(tmp_path, rate=1.0, filters=rules, content=Content(mode=mode))
    bench.receive([*question(1), *question(2), span(2, "mark", parent=True, **{attribute: value})])
    assert [job.record.trace_id for job in bench.settle()] == [f"{1:032x}"]
    assert states(bench)[1] == {"drill": 1}
    bench.crash()
    bench.start()
    bench.receive([span(2, "late", parent=True, note="x")])
    assert bench.settle() == []
    assert states(bench)[1] == {"drill": 1}
    bench.close()
    assert value.encode() not in b"".join(path.read_bytes() for path in tmp_path.glob("ragvigil.db*"))
