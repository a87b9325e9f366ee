"""The report: panels with intervals and n, bands, refusals, and hostile text."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tests.scorer.diagnose.test_store import FALL, MINUTE, lived

from ragvigil.scorer.commands._app import run
from ragvigil.scorer.config import Settings, load
from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.reporting.bands import banded, overall, red_flags
from ragvigil.scorer.reporting.figure import Figure, mean
from ragvigil.scorer.reporting.forms import markdown, terminal
from ragvigil.scorer.reporting.report import NAMES, Report, report_of
from ragvigil.scorer.reporting.sections import sections
from ragvigil.scorer.sample import fraction
from ragvigil.scorer.store import reading, reading_report
from ragvigil.scorer.store.port import Judgement, LedgerEntry, RawTrace, ScoredRecord, ScoredTrace, Taken
from ragvigil.scorer.store.reading_report import Answer, Read, Score
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Claim, Verdict
from ragvigil.scorer.watch.gold import Labels
from ragvigil.scorer.watch.port import Place

DAY = 86_400 * 10**9
START = 20_000 * DAY
TRUTH = np.repeat([1, 0], [140, 60])
LABELLED = Labels(
    GoldSet(TRUTH, np.concatenate([np.arange(140) < 119, np.arange(60) < 5]), np.full(200, 0.5)), "file"
)
"""A judge of sensitivity .85 and specificity .917."""
UNLABELLED = Labels(LABELLED.gold, "none")


def answer(number: int, *, judge: str = "builtin 1", day: int = 0) -> Answer:
    """One in ten is judged, one in five of these fails."""
    judged = number % 10 == 0
    passed = 0.0 if number % 50 == 0 else 1.0
    return Answer(
        number,
        f"{number:032x}",
        START + day * DAY + number,
        f"<script>alert(1)</script> | [x](https://evil.example) {number}",
        f"c{number // 3}",
        ({"name": "thumbs", "score": 0},) if number % 100 == 0 else (),
        {"language": "de" if number % 4 == 0 else "en"},
        0.002,
        1.0 + number % 10 / 10.0,
        0.1,
        0.8,
        120,
        0.1,
        1.0,
        passed if judged else None,
        10.0 if judged else None,
        judge if judged else None,
        (0.05 if not passed else 0.95) if judged else None,
        "not in the passages: x" if judged and not passed else None,
    )


def scored(answers: list[Answer]) -> dict[str, dict[int, Score]]:
    """Every check has a value."""
    found: dict[str, dict[int, Score]] = {name: {} for name in NAMES}
    for one in answers:
        for name in NAMES:
            details: Mapping[str, object] = {}
            if name == "failure_tags" and one.id % 5 == 0:
                details = {"HALLUCINATION_FACT": "supported_claims"}
            if name == "grounded_answer":
                details = {"axes": {"factuality": 4.0, "attribution": None, "coverage": 2.0}}
            value = {"judge.answer_relevance": None}.get(name, 0.85)
            found[name][one.id] = Score(value, details)
    return found


def made(answers: list[Answer], *, total: int | None = None, labels: Labels = UNLABELLED) -> Report:
    """The report on them."""
    read = Read(answers, len(answers) if total is None else total)
    return report_of(
        ("help desk", "production"),
        read,
        scored(answers),
        since=START,
        until=START + 7 * DAY,
        people_read=0,
        labels=labels,
    )


def test_every_number_has_its_interval_and_n() -> None:
    """No bare mean, anywhere."""
    report = made([answer(number) for number in range(1, 2_001)])
    figures = [one for panel in report.panels.values() for one in panel]
    assert {"generation quality", "retrieval", "attribution", "abstention", "cost and latency"} <= set(
        report.panels
    )
    for one in figures:
        if one.value is None:
            assert one.n < 20 or one.name == "faithful answers"
        else:
            assert one.lower is not None
            assert one.upper is not None
            assert one.lower <= one.value <= one.upper
            assert one.n >= 20
    faithfulness = report.panels["generation quality"][0]
    assert faithfulness.n == 200
    assert faithfulness.value == pytest.approx(0.8)
    assert report.worst[0].faithfulness < 0.1
    assert report.best[0].faithfulness > 0.9
    assert [row.name for row in report.trend.rows][:2] == ["factuality", "attribution"]
    assert report.trend.rows[0].cells[0].value == 1.0
    assert report.trend.rows[1].cells[0].value is None
    assert report.tags_by_segment.columns == ("language=en", "language=de")
    assert report.tags_by_day.rows[0].cells[0].value == pytest.approx(0.2)
    assert "more than 5 % of the answers carry HALLUCINATION_FACT" in report.red_flags


def test_a_judged_measure_is_weighted_by_how_likely_its_answers_were_judged() -> None:
    """Doubtful answers are judged ten times as often; the level is that of all answers, not of the judged ones."""
    sure = [answer(number)._replace(inclusion=0.1) for number in range(1, 201)]
    doubtful = [answer(number)._replace(inclusion=1.0) for number in range(201, 401)]
    found = scored([*sure, *doubtful])
    found["judge.answer_relevance"] = {
        **{one.id: Score(1.0, {}) for one in sure[::10]},
        **{one.id: Score(0.2, {}) for one in doubtful},
    }
    report = report_of(
        ("help desk", None),
        Read([*sure, *doubtful], 400),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=UNLABELLED,
    )
    relevance = next(one for one in report.panels["generation quality"] if one.name == "answer relevance")
    assert relevance.value == pytest.approx(0.6)
    assert next(one for one in report.bands if one.name == "answer relevance").figure == relevance


def test_gaps_two_judges_and_samples_are_said() -> None:
    """Verdicts of two judges are never put together."""
    first = [answer(number, judge="builtin 1") for number in range(1, 1_001)]
    second = [replace_judge(answer(number, day=3)) for number in range(1_001, 2_001)]
    report = made([*first, *second], total=50_000)
    said = "\n".join(report.warnings)
    assert "2 judge versions" in said
    assert "2 days without an answer (2024-10-05, 2024-10-06)" in said
    assert "2,000 of 50,000 answers were read" in said
    assert "Nobody has read a trace" in said
    assert report.panels["generation quality"][0].n == 100, "the newest judge's alone"


def test_the_busiest_segments_and_the_last_days_are_shown_and_what_is_left_out_is_said() -> None:
    """Ten tenants: the two smallest go, not the two that most answers are of."""
    answers = [
        answer(number, day=number % 10)._replace(segment={"tenant": f"t{min(number % 13, 9)}"})
        for number in range(1_300)
    ]
    answers += [answer(1_300 + n)._replace(segment={"tenant": f"rare{n % 4}"}) for n in range(80)]
    found = {one.title: one for one in sections(made(answers))}
    by_segment, by_day = found["Failure tags by segment"], found["Failure tags by day"]
    assert by_segment.columns[1] == "tenant=t9"
    assert len(by_segment.columns) == 9
    assert not any("rare" in column for column in by_segment.columns)
    assert "Left out here: 6 values with fewer answers." in by_segment.lines
    assert by_day.columns[-1] == "2024-10-13"
    assert "Left out here: 2 earlier days." in by_day.lines


def test_tags_of_answers_whose_content_is_gone_are_not_counted() -> None:
    """Retention takes the details; what failed then must not be shown as well."""
    answers = [answer(number)._replace(whole=number > 1_000) for number in range(1, 2_001)]
    found = scored(answers)
    for one in answers[:1_000]:
        found["failure_tags"][one.id] = Score(float(one.id % 5 == 0), {})
    report = report_of(
        ("help desk", None),
        Read(answers, 2_000),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=UNLABELLED,
    )
    cell = report.tags_by_day.rows[0].cells[0]
    assert cell.value == pytest.approx(0.2)
    assert cell.n == 1_000
    assert any("content of 1,000 answers is gone" in one for one in report.warnings)


def test_a_sample_is_of_whole_conversations_and_expired_content_is_seen(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows an answer is read from its conversation, and half a conversation says something else."""
    place = Place("shop", "production")
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        whole = reading_report.answers(connection, place, 0, 2**62)
        monkeypatch.setattr(reading_report, "MOST_ANSWERS", whole.total // 4)
        part = reading_report.answers(connection, place, 0, 2**62)
    assert whole.total / 6 < len(part.answers) < whole.total / 3
    size = Counter(one.conversation for one in whole.answers)
    assert max(size.values()) > 1
    for conversation, read in Counter(one.conversation for one in part.answers).items():
        assert read == size[conversation]
    assert all(one.whole for one in whole.answers)


def test_relevance_as_the_only_verdict_is_warned_of() -> None:
    """D5: likeness to the question says nothing of truth."""
    answers = [answer(number) for number in range(1, 1_001)]
    unjudged = [one._replace(passed=None, weight=None, judge=None, faithfulness=None) for one in answers]
    for read, warned in ((answers, False), (unjudged, True)):
        found = scored(read)
        found["judge.answer_relevance"] = {one.id: Score(0.9, {}) for one in read}
        report = report_of(
            ("help desk", None),
            Read(read, 1_000),
            found,
            since=START,
            until=START + DAY,
            people_read=1,
            labels=UNLABELLED,
        )
        assert any("only held against their questions" in one for one in report.warnings) is warned


def test_synthetic_questions_and_answers_without_context_are_said() -> None:
    """D5: neither tells of the traffic as a whole."""
    answers = [answer(number) for number in range(1, 101)]
    assert not any("synthetic" in one or "No retrieval" in one for one in made(answers).warnings)
    mixed = [
        one._replace(segment={"origin": "synthetic"}) if number < 30 else one
        for number, one in enumerate(answers)
    ]
    assert any(one.startswith("30 of 100 answers are to synthetic") for one in made(mixed).warnings)
    alone = made([one._replace(segment={"origin": "synthetic"}) for one in answers])
    assert any(one.startswith("All 100 answers are to synthetic") for one in alone.warnings)
    found = scored(answers)
    found["empty_retrieval"] |= {one.id: Score(None, {}) for one in answers[:40]}
    report = report_of(
        ("help desk", None),
        Read(answers, 100),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=UNLABELLED,
    )
    assert any(one.startswith("No retrieval was seen of 40 of 100 answers") for one in report.warnings)


def replace_judge(one: Answer) -> Answer:
    """The same, judged by another version."""
    return one._replace(judge="builtin 2" if one.judge else None)


def test_labels_correct_the_pass_rate_and_only_the_corrected_level_raises_a_flag() -> None:
    """80 % of verdicts pass where 93.5 % are faithful: an excellent service, and no reason for alarm."""
    answers = [answer(number) for number in range(1, 4_001)]
    report = made(answers, labels=LABELLED)
    raw, level = report.panels["generation quality"][:2]
    assert raw.value == pytest.approx(0.8)
    assert level.value == pytest.approx((0.8 + 55 / 60 - 1) / (0.85 + 55 / 60 - 1))
    assert level.n == raw.n
    assert report.bands[0].figure == level
    assert report.bands[0].band == "excellent"
    assert not [one for one in report.warnings if "uncorrected" in one]
    bad = [one._replace(passed=None if one.passed is None else 0.0) for one in answers]
    assert any("faithful" in one for one in made(bad, labels=LABELLED).red_flags)
    assert not any("faithful" in one for one in made(bad).red_flags)
    assert any("uncorrected" in one for one in made(bad).warnings)


def test_verdicts_that_never_came_widen_pass_rate_and_level_to_both_fates() -> None:
    """Twenty of 400 sampled answers were shed: they may all have failed, and a reader is told what that would be."""
    answers = [answer(number) for number in range(1, 4_001)]
    lost = [_without_verdict(one) if one.id % 200 == 10 else one for one in answers]
    whole, report = made(answers, labels=LABELLED), made(lost, labels=LABELLED)
    for before, now in zip(
        whole.panels["generation quality"][:2], report.panels["generation quality"][:2], strict=True
    ):
        assert before.bounds is None
        assert now.n == 380
        assert now.bounds is not None
        assert now.value is not None
        assert now.lower is not None
        assert now.upper is not None
        assert before.upper is not None
        least, most = now.bounds
        assert now.lower < least < now.value < most < now.upper
        assert now.upper >= before.upper, "all passed, as they had"
    raw = report.panels["generation quality"][0]
    assert raw.bounds == pytest.approx((300 / 400, 320 / 400))
    said = markdown(sections(report))
    assert "20 of 400 verdicts never came; the interval holds them failed and passed" in said
    assert "with all of them failed faithfulness would be 75.0%, with all passed 80.0%" in said
    assert "with all of them failed faithful answers would be 87." in said


def _without_verdict(one: Answer) -> Answer:
    """The same, had its verdict never come."""
    return one._replace(passed=None, weight=None, judge=None, faithfulness=None, awaited="lost")


def test_what_waits_or_makes_no_claim_is_not_lost_and_what_is_lost_is_its_own_judges() -> None:
    """Ten answers of the old judge's days, ten without claims and ten in the queue leave the new judge's rate alone."""
    old = [answer(number) for number in range(1, 1_001)]
    old = [_without_verdict(one) if one.id % 100 == 10 else one for one in old]
    new = [replace_judge(answer(number)) for number in range(1_001, 2_001)]
    mute = [one for one in new if one.id % 100 == 11]
    new = [
        one._replace(awaited="lost" if one.id % 100 == 11 else "waits") if one.id % 100 in (11, 12) else one
        for one in new
    ]
    found = scored([*old, *new])
    found["supported_claims"] |= {one.id: Score(None, {}) for one in mute}
    report = report_of(
        ("help desk", None),
        Read([*old, *new], 2_000),
        found,
        since=START,
        until=START + DAY,
        people_read=1,
        labels=LABELLED,
    )
    assert [one.bounds for one in report.panels["generation quality"][:2]] == [None, None]
    assert any(one.startswith("10 answers still wait for their verdict") for one in report.warnings)
    assert not any("never came" in one for one in report.warnings)


def asked(number: int, at: int, entry: LedgerEntry) -> ScoredTrace:
    """A trace with one question, as it is stored."""
    record = RagTrace(f"{number:032x}", "1" * 16, "shop", at, query="?")
    return ScoredTrace(record.trace_id, RawTrace(b"", b""), False, (ScoredRecord(record, (), entry),))


def test_the_store_says_which_verdicts_never_came(tmp_path: Path) -> None:
    """Shed, failed, read as nothing, expired with its place in the sample, waiting too long: lost. No claim: not."""
    settings, now = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}}), 40 * DAY
    chosen = sorted(range(200), key=lambda number: fraction(f"{number:032x}"))
    first, last = chosen[:9], chosen[-1]
    entries: list[tuple[int, LedgerEntry, str]] = [
        (first[0], LedgerEntry("shed", 0.5, "judge_queue_full"), "lost"),
        (first[1], LedgerEntry("failed", 0.5, "judge: ValueError"), "lost"),
        (first[2], LedgerEntry("judged", 0.5, "unparseable"), "lost"),
        (first[3], LedgerEntry("judged", 0.5, "failed"), "lost"),
        (first[4], LedgerEntry("expired", 0.5, "content_expired"), "lost"),
        (first[5], LedgerEntry("pending", 0.5), "lost"),
        (first[6], LedgerEntry("judged", 0.5, "no_claims"), "nothing"),
        (first[7], LedgerEntry("checked_only", 0.5, "sampled_out"), "nothing"),
        (last, LedgerEntry("expired", 0.5, "judge_backlog"), "nothing"),
    ]
    made = [asked(number, now, entry) for number, entry, _ in entries]
    with SqliteStore(settings, durable=False) as store:
        store.records.commit(made, None, now, Taken())
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        place = Place("shop", None)
        late = reading_report.answers(connection, place, 0, 2**62, now + 1).answers
        fresh = reading_report.answers(connection, place, 0, 2**62, now).answers
    wanted = {f"{number:032x}": awaited for number, _, awaited in entries}
    assert {one.trace_id: one.awaited for one in late} == wanted
    wanted[f"{first[5]:032x}"] = "waits"
    assert {one.trace_id: one.awaited for one in fresh} == wanted


def test_end_to_end_success_is_of_the_newest_judge_that_says_it_and_of_all_answers() -> None:
    """The built-in judge has no opinion of it; what was judged ten times as often counts a tenth."""
    assert success(made([answer(number) for number in range(1, 401)])) == Figure(
        "end-to-end success", None, None, None, 0, note="no judge says it"
    )
    old = [succeeded(answer(number), 0, "m 1") for number in range(1, 201)]
    sure = [succeeded(answer(number), 1, "m 2")._replace(inclusion=0.1) for number in range(201, 301)]
    doubtful = [succeeded(answer(number), 0, "m 2")._replace(inclusion=1.0) for number in range(301, 401)]
    found = success(made([*old, *sure, *doubtful]))
    assert found.value == pytest.approx(10 / 11)
    assert found.n == 200
    assert "end-to-end success | 90.9 %" in markdown(sections(made([*old, *sure, *doubtful])))


def succeeded(one: Answer, success: int, judge: str) -> Answer:
    """The same, with that said by this judge."""
    return one._replace(success=success, success_by=judge)


def success(report: Report) -> Figure:
    """The figure of end-to-end success."""
    return next(one for one in report.panels["generation quality"] if one.name == "end-to-end success")


def test_success_is_read_from_the_store_of_refusals_too(tmp_path: Path) -> None:
    """A right refusal is a success although it has no claims and so no faithfulness."""
    settings, now = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}}), 40 * DAY
    verdicts = (
        Verdict("m", "1", "d", "supported", 1.0, 0.9, details={"success": False}),
        Verdict("m", "1", "d", "no_claims", None, None, details={"success": True}),
        Verdict("builtin", "1", "d", "supported", 1.0, 0.9),
    )
    made = [asked(number, now, LedgerEntry("pending", 1.0)) for number in range(len(verdicts))]
    with SqliteStore(settings, durable=False) as store:
        jobs = store.records.commit(made, None, now, Taken())
        store.records.record_judgements(
            [Judgement(job, verdicts[int(job.record.trace_id, 16)]) for job in jobs], now
        )
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        read = reading_report.answers(connection, Place("shop", None), 0, 2**62).answers
    assert sorted((one.trace_id[-1], one.success, one.success_by) for one in read) == [
        ("0", 0, "m 1 d"),
        ("1", 1, "m 1 d"),
        ("2", None, "builtin 1 d"),
    ]


def test_the_worst_claim_of_an_answer_stands_for_the_reason_that_the_built_in_judge_does_not_give(
    tmp_path: Path,
) -> None:
    """Of claims that are not carried the least likely one; an answer without such a claim has none."""
    settings, now = load(overrides={"store": {"url": f"sqlite:///{tmp_path / 'store.db'}"}}), 40 * DAY
    claims = (
        Claim("It opens at nine.", 0, 17, ("a",), "supported", 0.2),
        Claim("It is free.", 18, 29, (), "unsupported", 0.3),
        Claim("It is red.", 30, 40, (), "unsupported", 0.4),
    )
    made = [asked(number, now, LedgerEntry("pending", 1.0)) for number in range(2)]
    with SqliteStore(settings, durable=False) as store:
        jobs = store.records.commit(made, None, now, Taken())
        for job in jobs:
            known = claims if int(job.record.trace_id, 16) else claims[:1]
            verdict = Verdict("builtin", "1", "d", "unsupported", 0.3, 0.1, known)
            store.records.record_judgements([Judgement(job, verdict)], now)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        found = [reading_report.worst_claim(connection, f"{number:032x}") for number in range(3)]
    assert found == [None, "not in the passages: It is free.", None]


def test_bands_are_by_value_and_surely_by_the_interval() -> None:
    """C3's limits; the lowest decides."""
    figures = {
        "faithfulness": Figure("faithfulness", 0.93, 0.88, 0.96, 300),
        "context relevance": Figure("context relevance", 0.75, 0.69, 0.8, 300),
    }
    found = banded(figures)
    assert [(one.band, one.surely) for one in found[:3]] == [
        ("excellent", "good"),
        (None, None),
        ("good", "needs work"),
    ]
    whole = overall(found)
    assert (whole.band, whole.surely) == ("good", "needs work")
    assert "not measured: answer relevance, context precision, context recall" in whole.why


def test_nothing_is_excellent_beside_a_red_flag() -> None:
    """Citations have no band, and a report called them excellent while it raised a flag about them."""
    figures = {
        "faithfulness": Figure("faithfulness", 0.95, 0.93, 0.97, 300),
        "context relevance": Figure("context relevance", 0.9, 0.85, 0.94, 300),
    }
    assert overall(banded(figures)).band == "excellent"
    whole = overall(banded(figures), ("citation correctness is below 0.9",))
    assert (whole.band, whole.surely) == ("needs work", "needs work")
    assert whole.why.startswith("for a red flag stands; excellent would be the lowest of 2 measures")


def test_one_end_to_end_number_is_refused() -> None:
    """D5: without retrieval apart from generation nobody knows what to mend."""
    whole = overall(banded({"faithfulness": Figure("faithfulness", 0.93, 0.9, 0.96, 300)}))
    assert whole.band is None
    assert whole.why.startswith("REFUSED: nothing measures retrieval")


def test_a_red_flag_needs_the_whole_interval() -> None:
    """Noise raises none."""
    assert red_flags({"faithful answers": Figure("faithful answers", 0.78, 0.7, 0.85, 60)}) == ()
    assert red_flags({"faithful answers": Figure("faithful answers", 0.4, 0.3, 0.49, 60)}) == (
        "less than half of the answers are faithful: a serious incident",
    )


def test_questions_make_no_markup() -> None:
    """They come from strangers."""
    report = made([answer(number) for number in range(1, 501)])
    text = markdown(sections(report))
    assert "<script>" not in text
    assert "[x](" not in text.replace("\\[x\\](", "")
    assert "https://" not in text
    out = io.StringIO()
    terminal(sections(replace(report, service="a\x1b[31mb")), Console(file=out, width=200))
    assert "\x1b[31mb" not in out.getvalue()


def test_a_mean_over_conversations_is_wider_than_one_over_answers() -> None:
    """S: the unit is the conversation."""
    values = np.repeat(np.tile([1.0, 0.0], 20), 10)
    alone = mean("x", values, np.arange(400))
    together = mean("x", values, np.arange(400) // 10)
    assert alone.upper is not None
    assert together.upper is not None
    assert together.upper - 0.5 > 2.5 * (alone.upper - 0.5)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A real store."""
    return lived(tmp_path_factory.mktemp("report"))


@pytest.mark.parametrize("form", ["terminal", "markdown", "json"])
def test_the_command_reports_on_a_store(
    settings: Settings, capsys: pytest.CaptureFixture[str], form: str
) -> None:
    """As somebody would type it."""
    since, until = "2026-08-31T00:00Z", "2026-09-03T00:00Z"
    assert FALL // MINUTE
    arguments = [
        "report",
        "--since",
        since,
        "--until",
        until,
        *(("--json",) if form == "json" else ("--format", form)),
        "--store",
        str(settings.store.path),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["ragvigil", *arguments])
        assert run() == 0
    said = capsys.readouterr().out
    if form == "json":
        (found,) = json.loads(said)
        assert found["answers"] == 1_100
        assert found["panels"]["attribution"][0]["n"] == 1_100
    else:
        assert "citation correctness" in said
        assert "MISATTRIBUTION" in said


def test_json_is_asked_for_as_everywhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """--json, and somebody who tries --format json is told so."""
    monkeypatch.setattr(
        "sys.argv", ["ragvigil", "report", "--format", "json", "--store", str(tmp_path / "a.db")]
    )
    assert run() == 2
    assert "for JSON say --json" in capsys.readouterr().err
