"""From records to a cause: what is named, what is not, and how much is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ragvigil.scorer.changes import Change
from ragvigil.scorer.commands._bench_diagnosis import holds
from ragvigil.scorer.config import Links
from ragvigil.scorer.diagnose.case import Case
from ragvigil.scorer.diagnose.diagnosis import Diagnosis, diagnose
from ragvigil.scorer.diagnose.evidence import MOST_VALUES, evidence_of
from ragvigil.scorer.diagnose.onset import onset_of
from ragvigil.scorer.diagnose.views import views_of
from ragvigil.scorer.diagnose.words import full_lines
from ragvigil.scorer.simulate.localisation import Tally, measure_diagnosis
from ragvigil.scorer.simulate.planted import CAUSES, Planted, planted

DAY, HOUR = 86_400.0, 3_600.0
ONSET = 2 * DAY
Attributes = dict[str, str]


def case_of(
    rate: Callable[[float, Attributes], float],
    draw: Callable[[np.random.Generator, float], Attributes],
    *,
    records: int = 9_000,
    hours: float = 6.0,
    seed: int = 1,
) -> Case:
    """Records of two days and some hours, each measured, faithful at the rate that its time and attributes have."""
    random = np.random.default_rng(seed)
    times = np.sort(random.uniform(0.0, ONSET + hours * HOUR, records))
    attributes = [draw(random, at) for at in times]
    outcome = [float(random.random() < rate(at, one)) for at, one in zip(times, attributes, strict=True)]
    evidence = evidence_of(time=times, outcome=outcome, attributes=attributes)
    return Case("faithfulness", ONSET + 600.0, evidence, np.arange(records), {}, {})


def one_of(random: np.random.Generator, *values: str) -> str:
    """Any of them."""
    return values[int(random.integers(len(values)))]


@pytest.mark.parametrize("cause", CAUSES)
def test_a_planted_cause_is_named_first(cause: str) -> None:
    """A few of what `ragvigil bench diagnosis` does by the hundred."""
    tally = next(iter(measure_diagnosis([cause], 2, 77_000)))
    assert tally.incidents == 2
    assert tally.first >= 1
    assert tally.among_three == 2


def test_every_kind_has_worlds_of_its_own() -> None:
    """The same world under another name is no second incident."""
    worlds = [planted(cause, 77_000) for cause in CAUSES]
    assert len({world.onset for world in worlds}) == len(CAUSES)
    assert planted(None, 77_000).onset != planted(None, 77_000, falls=False).onset


@pytest.mark.parametrize("kind", ["everywhere", "nothing"])
def test_nothing_is_named_where_nothing_is_at_fault(kind: str) -> None:
    """A wrong name sends somebody to the wrong place at night."""
    assert next(iter(measure_diagnosis([kind], 2, 77_000))).unnamed == 2


@pytest.mark.parametrize("seed", [500_010, 500_027, 500_031])
def test_a_false_page_names_no_value_that_is_low_by_chance(seed: int) -> None:
    """Among sixty values and thirty moments something always looks low: these gained 9 to 13 nats."""
    assert not diagnosed(planted(None, seed, falls=False)).sure


def diagnosed(one: Planted) -> Diagnosis:
    """What the bench does."""
    return diagnose(
        Case("faithfulness", one.since, one.evidence, np.arange(one.evidence.size), signals={}, tags={})
    )


def test_each_kind_without_a_cause_must_hold_by_itself() -> None:
    """Pooled, the easy one of the two hides the other."""
    tallies = [Tally("everywhere", 100, 0, 0, 100, 0, 0), Tally("nothing", 100, 0, 0, 93, 0, 0)]
    assert list(holds(tallies).values()) == [True, False]


def test_a_segment_is_named_with_its_share_its_levels_and_its_onset() -> None:
    """What a page says of it."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "en", "de"), "tenant": one_of(random, "a", "b", "c")}

    def rate(at: float, one: Attributes) -> float:
        return 0.5 if at >= ONSET and one["language"] == "de" else 0.95

    found = diagnose(case_of(rate, draw))
    assert found.kind == "segment"
    assert found.cause is not None
    assert found.cause.values == (("language", "de"),)
    assert found.cause.share.lower > 0.7
    assert found.cause.before is not None
    assert found.cause.now is not None
    assert found.cause.before.value > 0.93
    assert found.cause.now.lower < 0.5 < found.cause.now.upper
    assert found.onset.lower <= ONSET <= found.onset.upper
    assert found.onset.upper - found.onset.lower < HOUR
    assert found.playbook == ("groundedness-low", "one-segment")


def released(random: np.random.Generator, at: float) -> Attributes:
    """A model that only the new service version uses, for everybody from the onset on."""
    new = at >= ONSET
    return {
        "service_version": "2.0" if new else "1.9",
        "model": "large-3" if new else "small-1",
        "language": one_of(random, "en", "de"),
    }


def test_what_cannot_be_told_apart_is_named_together() -> None:
    """A new model that came with a new version: no statistics can say which of them it is."""
    found = diagnose(case_of(lambda at, one: 0.6 if at >= ONSET else 0.95, released))
    assert found.kind == "new"
    assert found.cause is not None
    names = {name for name, _ in (*found.cause.values, *found.cause.same_as)}
    assert names == {"service_version", "model"}
    assert found.cause.first_seen is not None
    assert abs(found.cause.first_seen - ONSET) < 120


def test_only_both_together_are_named_where_only_both_together_fell() -> None:
    """The new version is well, except in German."""

    def rate(at: float, one: Attributes) -> float:
        return 0.3 if one["service_version"] == "2.0" and one["language"] == "de" else 0.95

    def draw(random: np.random.Generator, at: float) -> Attributes:
        new = at >= ONSET and random.random() < 0.5
        return {"service_version": "2.0" if new else "1.9", "language": one_of(random, "en", "de", "fr")}

    found = diagnose(case_of(rate, draw))
    assert found.cause is not None
    assert found.cause.values == (("language", "de"), ("service_version", "2.0"))


def test_a_release_of_yesterday_is_not_blamed_for_a_fall_of_today() -> None:
    """It was well for a day."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"model": "new" if at >= DAY else "old", "language": one_of(random, "en", "de")}

    found = diagnose(case_of(lambda at, one: 0.7 if at >= ONSET else 0.95, draw))
    assert found.kind == "everywhere"
    assert found.cause is None


def test_other_questions_are_no_worse_answers() -> None:
    """Simpson: every language is as good as before, but the hard one is asked more."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": "ja" if random.random() < (0.6 if at >= ONSET else 0.1) else "en"}

    found = diagnose(case_of(lambda at, one: 0.6 if one["language"] == "ja" else 0.97, draw))
    assert found.kind == "mix"
    assert found.mix is not None
    assert found.mix.value == ("language", "ja")
    assert found.split.mix.upper < 0.0
    assert abs(found.split.within.value) < 0.03
    assert found.cause is None


def test_ten_thousand_values_are_no_cause_and_no_burden() -> None:
    """A request id among the dimensions must not cost the tick, nor be found guilty by chance."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"request": f"r{random.integers(10_000)}", "language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.6 if at >= ONSET and one["language"] == "de" else 0.95, draw)
    assert max(len(one.values) for one in case.evidence.dimensions) == MOST_VALUES
    found = diagnose(case)
    assert found.cause is not None
    assert found.cause.values == (("language", "de"),)


def test_the_half_at_fault_the_tags_and_the_changes_are_told() -> None:
    """Retrieval got worse in German when the index was built anew."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.5 if at >= ONSET and one["language"] == "de" else 0.95, draw)
    late = case.evidence.time >= ONSET
    german = case.evidence.dimensions[0].codes == case.evidence.dimensions[0].values.index("de")
    random = np.random.default_rng(3)
    relevance = np.where(late & german, 0.3, 0.8) + random.normal(0.0, 0.05, case.evidence.size)
    tag = (case.evidence.outcome == 0.0) & (random.random(case.evidence.size) < 0.8)
    rebuilt = Change("1", round((ONSET - 300.0) * 1e9), "index", "rebuilt with 256 tokens", "shop")
    earlier = Change("2", round(DAY * 1e9), "deploy", "release 41", "shop")
    found = diagnose(
        replace(
            case,
            signals={"context_relevance": relevance},
            tags={"HALLUCINATION_FACT": tag, "FORMAT_DRIFT": random.random(case.evidence.size) < 0.1},
            changes=(rebuilt, earlier),
        )
    )
    assert found.fault.side == "retrieval"
    assert [one.tag for one in found.tags] == ["HALLUCINATION_FACT"]
    assert found.tags[0].lower > 0.1
    assert found.changes == (rebuilt,)
    assert found.playbook == ("context-relevance-low", "one-segment")
    typical = np.array(found.typical)
    assert np.all(case.evidence.outcome[typical] == 0.0)
    assert np.all((late & german)[typical])


def test_what_was_changed_after_the_fall_or_the_page_or_before_the_last_recovery_is_no_candidate() -> None:
    """What the one on call did about it was told as what had changed, and so was the cause of the fall before."""

    def draw(random: np.random.Generator, at: float) -> Attributes:
        return {"language": one_of(random, "en", "de")}

    case = case_of(lambda at, one: 0.5 if at >= ONSET and one["language"] == "de" else 0.95, draw)
    onset = diagnose(case).onset

    def found(at: float, *, told_at: float | None = None, healthy_since: float | None = None) -> bool:
        told = Change("1", round(at * 1e9), "prompt", "v8", "shop")
        known = replace(case, changes=(told,), told_at=told_at, healthy_since=healthy_since)
        return bool(diagnose(known).changes)

    assert found(onset.lower - 60.0)
    assert found(onset.upper - 1.0)
    assert found(onset.upper + 2.0), "clocks are a little off"
    assert not found(onset.upper + 23.0)
    assert not found(onset.upper - 1.0, told_at=onset.upper - 2.0)
    assert not found(onset.lower - 60.0, healthy_since=onset.lower - 30.0)


def test_what_a_service_began_with_is_no_change() -> None:
    """Its first version was not another one before; told by somebody, or seen only later, it is one."""
    random = np.random.default_rng(4)
    times = np.sort(random.uniform(0.0, HOUR, 4_000))
    outcome = [float(random.random() < (0.5 if at > HOUR / 2 else 0.95)) for at in times]
    case = Case("faithfulness", HOUR / 2, evidence_of(time=times, outcome=outcome), np.arange(4_000), {}, {})
    begin = round(float(times[0]) * 1e9)
    first = Change("1", begin, "service_version", "1.0", "shop", source="traffic")
    other = Change("2", begin, "model", "large", "shop", source="traffic", before="small")
    later = Change("3", round((HOUR / 2 - 60.0) * 1e9), "index_version", "7", "shop", source="traffic")
    told = Change("4", begin, "deploy", "release 1", "shop")
    found = diagnose(replace(case, changes=(first, other, later, told)))
    assert found.changes == (later, other, told)


def test_the_same_case_gives_the_same_diagnosis() -> None:
    """Design invariant 9, also where signs are drawn at random."""
    case = case_of(lambda at, one: 0.7 if at >= ONSET else 0.95, released)
    assert diagnose(case) == diagnose(case)


def young(share: float, seed: int = 6) -> Case:
    """A service of a minute, then a new version on that share of its answers: bad from its first answer on."""
    random = np.random.default_rng(seed)
    times = np.linspace(1_000.0, 1_180.0, 3_600)
    new = (times >= 1_060.0) & (random.random(3_600) < share)
    new[np.flatnonzero(times >= 1_060.0)[0]] |= share == 1.0
    outcome = np.where(new, 0.0, 1.0)
    evidence = evidence_of(
        time=times,
        outcome=outcome.tolist(),
        attributes=[{"service_version": "1.1" if one else "1.0"} for one in new],
    )
    signals = {"context_relevance": np.clip(random.normal(0.8, 0.1, 3_600), 0.0, 1.0)}
    return Case("faithfulness", 1_060.0, evidence, np.arange(3_600), signals, {})


@pytest.mark.parametrize("share", [1.0, 0.3])
def test_what_appeared_bad_did_not_begin_before_the_service_did(share: float) -> None:
    """Of a service of a minute it said "13:19 to 15:19", and knew of no answers before the fall."""
    found = diagnose(young(share))
    assert found.cause is not None
    assert found.cause.values == (("service_version", "1.1"),)
    assert 1_055.0 < found.onset.lower <= 1_060.0 < found.onset.upper < 1_062.0
    assert found.fault.side == "generation"
    assert found.signals[0].n_before > 1_000


def test_a_version_on_few_answers_may_have_been_there_a_while_before_its_first() -> None:
    """The rarer it is, the longer it goes unseen; the moment at which it came lies in the interval all the same."""
    lower = np.array([diagnose(young(0.1, seed)).onset.lower for seed in range(20)])
    assert np.all(lower > 1_050.0)
    assert np.count_nonzero(lower <= 1_060.0) >= 18


def test_one_conversation_without_end_says_by_its_answers_when_a_version_came() -> None:
    """A service with one conversation id for all had no new conversation from which to tell it."""
    times = np.linspace(1_000.0, 1_100.0, 1_000)
    evidence = evidence_of(
        time=times, outcome=[1.0] * 500 + [0.0] * 500, conversation=["the only one"] * 1_000
    )
    onset = onset_of(views_of(evidence, 1_050.0), np.arange(1_000) >= 500, evidence, 900.0)
    assert onset.lower == times[499]


def test_what_fell_with_the_first_answer_of_all_began_with_it() -> None:
    """There is nothing before it."""
    times = np.linspace(1_000.0, 1_100.0, 1_000)
    attributes = [{"version": "1" if at < 1_050.0 else "2"} for at in times]
    evidence = evidence_of(time=times, outcome=[0.0] * 500 + [1.0] * 500, attributes=attributes)
    mask = np.arange(1_000) < 500
    views = views_of(evidence, 900.0)
    assert onset_of(views, mask, evidence, 900.0).lower == 1_000.0
    assert onset_of(views, mask, evidence, 1_001.0).lower == 1_001.0, "it was there before the search began"


def test_a_value_on_all_answers_is_named_without_a_low_p_and_it_is_said_why() -> None:
    """ "p 0.470" beside a probable cause was not explained."""
    found = diagnose(young(1.0))
    assert found.cause is not None
    assert found.cause.on == 1.0
    found = replace(found, cause=replace(found.cause, p=0.47))
    said = "\n".join(full_lines(found, Links()))
    assert "Began about 1970-01-01 00:17:40 UTC (95 % interval 00:17:39 to 00:17:40 UTC)." in said
    assert "named because it appeared just when the answers fell" in said
    assert "cannot be seen: it is on 100.0 % of the answers since." in said
    assert "how often some value falls as much more than the rest where none is at fault:" in said
    assert "nats" not in said
    assert not re.search(r"[-+][0-9.]+%", said), "a difference of shares is told in points"


def test_where_nothing_shows_the_fall_no_interval_is_made_up() -> None:
    """The detector's moment is all there is, and what came before it is before."""
    case = young(1.0)
    well = replace(case.evidence, outcome=np.ones(3_600))
    found = diagnose(replace(case, evidence=well))
    assert found.kind == "unclear"
    said = "\n".join(full_lines(found, Links()))
    assert "Began about 1970-01-01 00:17 UTC, says the detector; the records do not show when." in said
    assert found.signals[0].n_before > 1_000


def test_few_or_no_records_name_nothing() -> None:
    """A page must not fail for want of evidence."""
    nothing = Case("citation", 10.0, evidence_of(time=[], outcome=[]), np.arange(0), {}, {})
    one = replace(nothing, evidence=evidence_of(time=[1.0], outcome=[0.0]), record=np.arange(1))
    assert_unsure(diagnose(nothing))
    assert_unsure(diagnose(one))


def assert_unsure(found: Diagnosis) -> None:
    """Nothing is named."""
    assert found.cause is None
    assert not found.sure


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"outcome": [1.0]}, "outcome has 1 entries, time has 2"),
        ({"outcome": [1.0, 2.0]}, "outcome must lie in"),
        ({"outcome": [1.0, 0.0], "inclusion": [0.5, 0.0]}, "inclusion must lie in"),
    ],
)
def test_columns_that_do_not_fit_are_named(columns: dict[str, list[float]], complaint: str) -> None:
    """An error that names the field."""
    with pytest.raises(ValueError, match=complaint):
        evidence_of(time=[1.0, 2.0], **columns)  # type: ignore[arg-type]  # the columns are the test


def test_a_fall_that_began_before_the_detector_believes_is_not_taken_for_normal() -> None:
    """What a new version did in the first twenty minutes must not become what is expected of it."""
    case = case_of(lambda at, one: 0.6 if at >= ONSET else 0.95, released)
    found = diagnose(replace(case, since=ONSET + 1_200.0))
    assert found.cause is not None
    assert found.split.within.value < -0.3
    assert abs(found.split.mix.value) < 0.02
