"""The report says what happened; a demo that did not hold says what did not."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from ragvigil.exporters import Measurement
from ragvigil.scorer.demo.phases import EXTRACTIVE, Evidence, has_baselines, is_paged, is_recovered, script
from ragvigil.scorer.demo.play import Frame
from ragvigil.scorer.demo.report import Act, IncidentReport, Levels, Report, Told, timed
from ragvigil.scorer.demo.view import frame_of, line_of, next_steps, summary_of
from ragvigil.scorer.demo.watch import EMPTY, JudgedAnswer, Snapshot
from ragvigil.scorer.monitoring import Incident, SeriesKey, SeriesName, SeriesState
from ragvigil.scorer.store.reading import Ledger, SeriesStatus

SECOND = 1_000_000_000
GOOD, BAD = Measurement(0.99, 0.98, 0.995, 800), Measurement(0.4, 0.3, 0.5, 90)
ACTS = (
    Act("healthy", None, 0, 20 * SECOND),
    Act("citations go wrong", "citations", 20 * SECOND, 25 * SECOND),
    Act("healthy", None, 25 * SECOND, 35 * SECOND),
    Act("answers stop following the passages", "unfaithful", 35 * SECOND, 45 * SECOND),
    Act("healthy", None, 45 * SECOND, 60 * SECOND),
)


def incident(name: SeriesName, opened: int, resolved: int | None) -> Incident:
    """One incident of that series, moments in seconds."""
    key = SeriesKey(name, "stdlib-docs", "production")
    end = None if resolved is None else resolved * SECOND
    moment = opened * SECOND
    return Incident(f"inc-{name}-{opened}", key, f"key-{opened}", moment, moment, GOOD, BAD, BAD, None, end)


def report_of(
    *incidents: Incident, told: Mapping[str, Told] | None = None, acts: tuple[Act, ...] = ACTS
) -> Report:
    """A report in which all but the incidents is as it should be."""
    once = Told(pages=1, resolutions=1)
    return Report(
        acts=acts,
        traces_sent=100,
        traces_failed=0,
        traces_ingested=100,
        ledger={"judged": 10, "checked_only": 90},
        series={"citation": Levels(GOOD, BAD), "faithfulness": Levels(GOOD, None)},
        incidents=tuple(timed(one, acts, (told or {}).get(one.id, once)) for one in incidents),
        wall_seconds=61.234,
    )


CITATION, FAITHFULNESS = incident("citation", 23, 31), incident("faithfulness", 40, 52)


def test_two_faults_each_paged_once_and_resolved_hold() -> None:
    """Seconds count from the moment the fault began."""
    report = report_of(CITATION, FAITHFULNESS)
    assert report.problems == ()
    shown = report.as_json()
    assert shown["incidents"] == [
        {
            "series": "citation",
            "fault": "citations",
            "opened_after_seconds": 3.0,
            "resolved_after_seconds": 11.0,
            "channel_deliveries": 1,
        },
        {
            "series": "faithfulness",
            "fault": "unfaithful",
            "opened_after_seconds": 5.0,
            "resolved_after_seconds": 17.0,
            "channel_deliveries": 1,
        },
    ]
    assert list(shown) == [
        "traces_sent", "traces_ingested", "ledger", "judged", "series", "incidents", "wall_seconds",
    ]  # fmt: skip
    assert json.loads(json.dumps(shown))["series"]["faithfulness"] == {
        "healthy": {"value": 0.99, "lower": 0.98, "upper": 0.995, "n": 800},
        "faulty": None,
    }


def test_a_machine_that_was_too_busy_is_named_where_something_did_not_hold() -> None:
    """A page that comes late on a laptop in use is no fault of the scorer; one that came in time needs no excuse."""
    assert replace(report_of(CITATION, FAITHFULNESS), most_waiting=991).problems == ()
    assert len(replace(report_of(CITATION), most_waiting=300).problems) == 1
    busy = replace(report_of(CITATION), most_waiting=991).problems[-1]
    slow = (*ACTS[:4], Act("healthy", None, 45 * SECOND, 225 * SECOND))
    said = "a phase lasted 180 s: this machine is busy with other things; try again later"
    assert report_of(CITATION, acts=slow).problems[-1] == said
    assert busy == "991 traces waited at once: this machine is busy with other things; try again later"


@pytest.mark.parametrize(
    ("report", "problem"),
    [
        (report_of(CITATION), "the unfaithful fault opened no faithfulness incident"),
        (
            report_of(CITATION, incident("citation", 41, 50)),
            "the unfaithful fault was paged as citation",
        ),
        (
            report_of(CITATION, incident("citation", 32, 34), FAITHFULNESS),
            "the citations fault opened 2 incidents",
        ),
        (
            report_of(CITATION, FAITHFULNESS, told={CITATION.id: Told(2, 1)}),
            "the citations fault was paged 2 times",
        ),
        (
            report_of(CITATION, incident("faithfulness", 40, None)),
            "the page about the unfaithful fault did not resolve",
        ),
        (
            report_of(CITATION, FAITHFULNESS, told={FAITHFULNESS.id: Told(1, 0)}),
            "the page about the unfaithful fault did not resolve",
        ),
        (
            report_of(incident("citation", 5, 9), CITATION, FAITHFULNESS),
            "citation was paged although nothing was wrong with it",
        ),
        (
            report_of(CITATION, acts=ACTS[:1]),
            "citation was paged although nothing was wrong with it",
        ),
        (
            replace(report_of(CITATION, FAITHFULNESS), traces_ingested=99),
            "100 traces were sent but 99 ingested",
        ),
        (
            replace(
                report_of(CITATION, FAITHFULNESS), ledger={"judged": 9, "pending": 1, "checked_only": 90}
            ),
            "the ledger does not account for every trace",
        ),
        (replace(report_of(CITATION, FAITHFULNESS), traces_failed=3), "3 questions were not answered"),
    ],
)
def test_whatever_did_not_happen_is_named(report: Report, problem: str) -> None:
    """The exit code rests on these sentences."""
    assert problem in report.problems
    assert not report.holds


def test_without_faults_nobody_may_be_paged() -> None:
    """And without a fault there is nothing to count seconds from."""
    assert report_of(acts=ACTS[:1]).holds
    stray = report_of(incident("citation", 5, None), acts=ACTS[:1]).incidents[0]
    assert (stray.fault, stray.opened_after_seconds, stray.resolved_after_seconds) == (None, None, None)


def evidence(
    *incidents: Incident, state: SeriesState = "ok", began: int = 20, told: Mapping[str, Told] | None = None
) -> Evidence:
    """What is known in a phase, with both series in that state."""
    series = tuple(
        SeriesStatus(SeriesKey(name, "s", None), state, 0, GOOD, GOOD)
        for name in ("citation", "faithfulness")
    )
    snapshot = Snapshot(Ledger(0, {}, {}), series, incidents)
    return Evidence(began * SECOND, snapshot, told or {})


def test_phases_end_on_evidence_alone() -> None:
    """On what store and on-call know, never on the clock."""
    assert not has_baselines(evidence(state="cold_start"))
    assert has_baselines(evidence())
    paged = {CITATION.id: Told(1, 0)}
    assert is_paged(evidence(CITATION, told=paged))
    assert not is_paged(evidence(CITATION))
    assert not is_paged(evidence(CITATION, began=24, told=paged))
    assert not is_recovered(evidence(CITATION, told=paged))
    assert not is_recovered(evidence(incident("citation", 23, None), told={CITATION.id: Told(1, 1)}))
    assert is_recovered(evidence(CITATION, told={CITATION.id: Told(1, 1)}))


def test_without_faults_one_phase_lasts_as_long_as_it_may() -> None:
    """So that false pages have time to happen."""
    (only,) = script(EXTRACTIVE, faults=False)
    assert (only.fault, only.until(evidence()), only.longest_seconds) == (None, False, 45.0)


def rendered(*parts: object, width: int = 120) -> str:
    """What a console shows of it."""
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(*parts)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_view_shows_numbers_with_their_intervals() -> None:
    """Series, incidents and the newest answers."""
    answer = JudgedAnswer("0" * 32, "What is [bold]x[/bold]?", "x: \x1b[31mred [x#0]", "supported", True, 1.0)
    status = SeriesStatus(SeriesKey("citation", "s", None), "alert", 0, GOOD, BAD)
    frame = Frame(
        "citations go wrong",
        24.0,
        1200,
        0,
        Snapshot(Ledger(90, {"judged": 9}, {}), (status,), (CITATION,), (answer,)),
    )
    shown = rendered(frame_of(frame))
    assert "40.0 % [30.0, 50.0] n=90" in shown
    assert "What is [bold]x[/bold]?" in shown
    assert "\x1b" not in shown
    assert "resolved" in shown
    assert "1,200 sent, 90 ingested  citation alert 40.0 %" in line_of(frame)
    assert rendered(frame_of(Frame("", 0.0, 0, 0, EMPTY)), width=40)


def test_a_line_for_a_pipe_is_no_wider_than_a_terminal() -> None:
    """Two series with their intervals took 125 columns, and broke wherever the terminal did."""
    series = tuple(
        SeriesStatus(SeriesKey(name, "s", None), "cold_start", 0, None, Measurement(1.0, 0.999, 1.0, 12_412))
        for name in ("citation", "faithfulness")
    )
    lines = line_of(Frame("healthy", 240.0, 12_400, 0, Snapshot(Ledger(12_380, {}, {}), series))).splitlines()
    assert max(map(len, lines)) <= 80
    assert [line.split("cold_start")[0].split()[-1] for line in lines[1:]] == ["citation", "faithfulness"]
    assert all(line.endswith("cold_start 100.0 % [99.9, 100.0] n=12,412") for line in lines[1:])


def test_the_end_says_what_was_measured() -> None:
    """Rates with their intervals, and the sums."""
    shown = rendered(summary_of(report_of(CITATION, FAITHFULNESS)))
    assert "99.0 % [98.0, 99.5] n=800" in shown
    assert "100 traces sent, 100 ingested (checked_only 90, judged 10) in 61 s" in shown
    assert "nobody was paged" in rendered(summary_of(report_of(acts=ACTS[:1])))


def test_where_to_look_next_names_the_settings() -> None:
    """With the store alone the commands that write were refused: its grain is not the usual one."""
    assert "ragvigil incidents --all --config /d/demo.toml" in next_steps(Path("/d/demo.db"))


def test_the_next_steps_can_be_typed_where_no_path_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `make demo` the command is in .venv/bin of the checkout."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert "\n  .venv/bin/ragvigil incidents --all --config" in next_steps(Path("/d/demo.db"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert f"\n  {tmp_path}/.venv/bin/ragvigil ledger --config" in next_steps(Path("/d/demo.db"))


def test_an_incident_report_is_a_plain_value() -> None:
    """Equal when its parts are."""
    assert timed(CITATION, ACTS, Told(1, 1)) == IncidentReport(
        CITATION.id, "citation", "citations", 3.0, 11.0, Told(1, 1)
    )
