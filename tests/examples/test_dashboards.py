"""The Grafana dashboard and the Prometheus rules, held against what /metrics really tells."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families as families
from tests.scorer.metrics.filled import exposed

from ragvigil.scorer.metrics.names import DEFINITIONS

EXAMPLES = Path(__file__).parents[2] / "examples"
RULES = EXAMPLES / "prometheus" / "ragvigil.rules.yml"
DASHBOARD: dict[str, Any] = json.loads((EXAMPLES / "grafana" / "ragvigil.json").read_text())
PROMTOOL = shutil.which("promtool")
METRIC = re.compile(r"\bragvigil_[a-z_]+")
MATCHERS = re.compile(r"\b(ragvigil_[a-z_]+)\{([^}]*)\}")
needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool is not installed (Debian: prometheus)")


def expressions() -> Iterator[str]:
    """Every query of the dashboard, with Grafana's variables filled in."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", []):
            yield (
                target["expr"]
                .replace("$service", ".*")
                .replace("$environment", ".*")
                .replace("$__rate_interval", "5m")
            )


def asked(text: str) -> set[str]:
    """Names of metrics in it."""
    return {name for name in METRIC.findall(text) if name != "ragvigil_"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, set[str]]:
    """Every sample name that a scorer in use exposes, with its labels."""
    found: dict[str, set[str]] = {}
    for family in families(exposed(tmp_path_factory.mktemp("scorer")).decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def test_every_defined_metric_is_told(told: Mapping[str, set[str]]) -> None:
    """A name in the table that nothing sets would be a promise."""
    plain = {name.removesuffix("_bucket").removesuffix("_sum").removesuffix("_count") for name in told}
    assert plain == DEFINITIONS.keys()


@pytest.mark.parametrize("text", [*expressions(), RULES.read_text()])
def test_every_metric_and_label_that_is_asked_for_is_told(text: str, told: Mapping[str, set[str]]) -> None:
    """A renamed metric breaks a dashboard silently: panels are just empty."""
    assert asked(text), "asks for nothing"
    assert asked(text) <= told.keys()
    for name, matchers in MATCHERS.findall(text):
        assert set(re.findall(r"(\w+)\s*(?:=|!)", matchers)) <= told[name], name


def test_variables_and_data_source_are_the_dashboards_own() -> None:
    """Nothing of somebody's own Grafana in it: it can be imported anywhere."""
    variables = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
    assert list(variables) == ["datasource", "service", "environment"]
    assert variables["datasource"]["type"] == "datasource"
    sources = re.findall(r'"uid": "([^"]*)"', json.dumps(DASHBOARD))
    assert set(sources) == {"${datasource}", "ragvigil"}
    used = set(re.findall(r"\$(\w+)", json.dumps(DASHBOARD["panels"])))
    assert used - {"__rate_interval", "__all"} <= variables.keys()


@pytest.mark.parametrize("name", ["service", "environment"])
def test_all_takes_in_what_has_no_such_label(name: str, told: Mapping[str, set[str]]) -> None:
    """Without a value of its own, All is the list of names: a service without environment, and `other`, fall out."""
    (variable,) = (one for one in DASHBOARD["templating"]["list"] if one["name"] == name)
    assert variable["allValue"] == ".*"
    (query, _) = variable["definition"].removeprefix("label_values(").rsplit(", ", 1)
    names = re.fullmatch(r'\{__name__=~"(.+)"\}', query)
    assert names is not None
    listed = {metric for metric in told if re.fullmatch(names[1], metric)}
    assert listed == {"ragvigil_series_state", "ragvigil_series_observations"}, "other has no state"


def test_panels_have_names_and_do_not_overlap() -> None:
    """As the grid of 24 columns wants it."""
    taken: dict[tuple[int, int], str] = {}
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(ids) == len(set(ids))
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        assert panel["title"]
        assert place["x"] + place["w"] <= 24
        cells = [
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        ]
        assert [taken[cell] for cell in cells if cell in taken] == []
        taken.update((cell, str(panel["title"])) for cell in cells)


@needs_promtool
def test_promtool_takes_the_rules_and_every_query(tmp_path: Path) -> None:
    """Each query of the dashboard as a recording rule."""
    rules = [{"record": f"dashboard:{number}", "expr": expr} for number, expr in enumerate(expressions())]
    (tmp_path / "queries.yml").write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    for path in (RULES, tmp_path / "queries.yml"):
        done = subprocess.run(
            [str(PROMTOOL), "check", "rules", path], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


CITATION = '{series="citation", service="docs", environment="production", segment="", instrument="c 3", job="ragvigil"}'
GERMAN = CITATION.replace('segment=""', 'segment="language=de"')
SERIES = {
    f"ragvigil_series_baseline_ratio{CITATION}": "0.97x60",
    f"ragvigil_series_upper_ratio{CITATION}": "0.98x10 0.80x50",
    f"ragvigil_series_lower_ratio{CITATION}": "0.90x60",
    f"ragvigil_series_upper_ratio{GERMAN}": "0.7x60",
    'ragvigil_scorer_up{job="ragvigil"}': "1x40 0x20",
    'ragvigil_export_waiting_changes{sink="phoenix"}': "5x60",
    'ragvigil_export_waiting_changes{sink="otlp"}': "5x60",
    'ragvigil_export_scores_total{sink="otlp", outcome="delivered"}': "0+10x60",
}
FIRING = [
    ("RagvigilLevelFell", "15m", False),
    ("RagvigilLevelFell", "25m", True),
    ("RagvigilSegmentFell", "35m", True),
    ("RagvigilDown", "30m", False),
    ("RagvigilDown", "50m", True),
    ("RagvigilExportStuck", "45m", True),
]


@needs_promtool
def test_the_rules_fire_when_they_should(tmp_path: Path) -> None:
    """Prometheus' own unit test of rules, over an hour with a fall, a dead scorer and a stuck tool."""
    series = [{"series": name, "values": values} for name, values in SERIES.items()]
    samples = [
        {
            "expr": f'count(ALERTS{{alertname="{alert}", alertstate="firing"}}) or vector(0)',
            "eval_time": at,
            "exp_samples": [{"labels": "{}", "value": float(fires)}],
        }
        for alert, at, fires in FIRING
    ]
    test = {"interval": "1m", "input_series": series, "promql_expr_test": samples}
    (tmp_path / "test.yml").write_text(
        json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [test]})
    )
    done = subprocess.run(
        [str(PROMTOOL), "test", "rules", tmp_path / "test.yml"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
