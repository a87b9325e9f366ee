"""Designed sampling: budgets, strata, bursts, restarts, and no bias whatever they do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import TypeAdapter

from ragvigil.scorer.sample import Budget, Decision, Sampler, SamplerState, Spent
from ragvigil.scorer.trace import Place

DAY = 86_400.0


def trace(number: int) -> str:
    """A trace id."""
    return f"{number:032x}"


def run(sampler: Sampler, *, per_second: float, seconds: float, start: float = 0.0) -> list[Decision]:
    """Decide evenly arriving records of one stratum."""
    count = int(per_second * seconds)
    offset = int(start * 1000)
    return [sampler.decide(trace(offset + one), "a", at=start + one / per_second) for one in range(count)]


def judged(decisions: list[Decision]) -> int:
    """How many are judged."""
    return sum(one.judged for one in decisions)


def test_a_plain_rate_is_a_plain_rate() -> None:
    """One stratum and no budget: the probability is the rate, exactly."""
    decisions = run(Sampler(0.1), per_second=50, seconds=100)
    assert {one.inclusion for one in decisions} == {0.1}
    assert 0.08 < judged(decisions) / len(decisions) < 0.12


def test_small_segments_get_more_and_the_budget_is_kept() -> None:
    """Nine large to one small: the small one is judged three times as often."""
    sampler = Sampler(0.1)
    decisions = [
        sampler.decide(trace(one), "small" if one % 10 == 0 else "large", at=one / 100)
        for one in range(20_000)
    ]
    late = decisions[10_000:]
    small, large = ({one.inclusion for one in late if one.stratum == name} for name in ("small", "large"))
    assert min(small) == pytest.approx(3 * max(large), rel=0.05)
    assert judged(late) / len(late) == pytest.approx(0.1, abs=0.012)


def test_a_small_service_is_judged_until_it_has_enough_a_day() -> None:
    """1,000 a day at 10 % would be 100 verdicts; 500 are wanted. A day later it gets about that."""
    sampler = Sampler(0.1, Budget(at_least_per_day=500))
    run(sampler, per_second=1_000 / DAY, seconds=3 * DAY)
    today = run(sampler, per_second=1_000 / DAY, seconds=2 * DAY, start=3 * DAY)
    assert 800 < judged(today) < 1_200


def test_a_limit_lowers_the_probability_and_never_stops_judging() -> None:
    """A hundred records a second at 50 %, 60 calls a minute allowed."""
    sampler = Sampler(0.5, Budget(calls_per_minute=60))
    run(sampler, per_second=100, seconds=300)
    later = run(sampler, per_second=100, seconds=600, start=300)
    assert 450 < judged(later) <= 600  # 60 a minute
    assert all(one.inclusion > 0.0 for one in later)


@pytest.mark.parametrize("calls", [3.0, 10.0])
def test_a_surge_does_not_overrun_a_limit_of_few_calls(calls: float) -> None:
    """Two hundred answers a second after a quiet hour: before, the first five seconds took all they liked."""
    sampler = Sampler(0.5, Budget(calls_per_minute=calls))
    run(sampler, per_second=0.01, seconds=3_600)
    surge = run(sampler, per_second=200, seconds=600, start=3_600)
    assert judged(surge[: 200 * 5]) <= 1.3 * calls + 2
    assert 6 * calls <= judged(surge) <= 11 * calls  # ten minutes, and what the quiet hour left


@pytest.mark.parametrize(
    ("budget", "each"),
    [
        (Budget(tokens_per_minute=10_000), Spent(tokens=1_000)),
        (Budget(usd_per_minute=0.1), Spent(usd=0.01)),
        (Budget(tokens_per_minute=10_000, tokens_per_day=10**9), Spent(tokens=1_000)),
    ],
)
@pytest.mark.parametrize("known", [True, False])
def test_a_surge_does_not_overrun_a_minutes_tokens_and_money(
    budget: Budget, each: Spent, known: bool
) -> None:
    """Ten verdicts a minute: they are paid after the surge, so that it took all before anything was spent."""
    waiting, paid = 0, list[int]()
    sampler = Sampler(1.0, budget, waiting=lambda: waiting)
    if known:
        sampler.learn(tokens=each.tokens, usd=each.usd)
    for second in range(600):  # two hundred answers and up to eight verdicts a second
        waiting += judged(run(sampler, per_second=200, seconds=1, start=second))
        paid.append(min(waiting, 8))
        for _ in range(paid[-1]):
            sampler.spend(tokens=each.tokens, usd=each.usd)
            sampler.learn(tokens=each.tokens, usd=each.usd)
        waiting -= paid[-1]
    assert sum(paid[:60]) <= 20, "the first minute takes up to twice the limit"
    assert max(sum(paid[at : at + 60]) for at in range(60, 540)) <= 12
    assert 50 <= sum(paid) <= 110


def test_what_others_spent_of_a_minute_leaves_less_of_it() -> None:
    """It comes on top of what the records of this process will cost."""
    spent = Spent()
    sampler = Sampler(1.0, Budget(tokens_per_minute=100_000), others=lambda: (spent, Spent()))
    sampler.learn(tokens=1_000)
    alone = [sampler.decide(trace(number), at=number).inclusion for number in range(10)]
    spent = Spent(calls=90, tokens=90_000)
    assert alone == [1.0] * 10
    assert 0.0 < sampler.decide(trace(10), at=20.0).inclusion < 0.5


def test_of_what_nobody_knows_the_price_of_few_are_drawn() -> None:
    """The first verdicts teach it; a thousand answers that come before them would cost more than the day may."""
    waiting = 0
    sampler = Sampler(1.0, Budget(usd_per_day=10.0), waiting=lambda: waiting)
    for number in range(1_000):
        waiting += sampler.decide(trace(number), at=number / 100).judged
    assert 20 <= waiting <= 35
    for _ in range(waiting):
        sampler.spend(usd=0.001)
        sampler.learn(usd=0.001)
    waiting = 0
    assert sampler.decide(trace(1), at=20.0).inclusion == 1.0


def test_what_finds_no_room_takes_nothing_of_the_budget() -> None:
    """A shed record is asked about never."""
    sampler = Sampler(1.0, Budget(calls_per_minute=100))
    sampler.burst("a", judged=5)
    assert all(sampler.decide(trace(one), "a", at=0.0, room=False).judged for one in range(500))
    state = sampler.state()
    assert (state.spent["calls"], state.bursts["=a"].left) == (0.0, 5)


def test_what_came_to_nothing_is_taken_back() -> None:
    """The disk was full: the same records are decided again, and count once."""
    sampler = Sampler(0.5, Budget(calls_per_minute=1_000))
    first = run(sampler, per_second=10, seconds=20)
    before = sampler.state()
    again: list[Decision] = []
    for _ in range(50):
        again = run(sampler, per_second=10, seconds=3, start=20)
        sampler.go_back_to(before)
    assert sampler.state() == before
    assert judged(first) + judged(again) < 150
    assert {one.inclusion for one in again} == {0.5}


def test_it_says_how_near_each_limit_is() -> None:
    """And at a later moment, how much of it has been forgotten."""
    sampler = Sampler(1.0, Budget(calls_per_minute=100, usd_per_day=50.0))
    run(sampler, per_second=10, seconds=6)
    sampler.spend(usd=5.0)
    now, later = ({one.limit: one.used for one in sampler.pressures(at)} for at in (6.0, 66.0))
    assert now["calls_per_minute"] == pytest.approx(55.0, abs=6.0)
    assert later["calls_per_minute"] == pytest.approx(now["calls_per_minute"] / np.e, rel=0.01)
    assert later["usd_per_day"] == pytest.approx(5.0, rel=0.01)
    assert Sampler(1.0).pressures(6.0) == ()


def test_what_verdicts_cost_counts_against_tokens_and_money() -> None:
    """Twice the day's tokens: judging falls far below the rate, and is not 0."""
    sampler = Sampler(0.5, Budget(tokens_per_day=1_000_000))
    sampler.spend(tokens=1_500_000)
    assert 0.0 < sampler.decide(trace(1), at=10.0).inclusion < 0.01


def test_what_waits_for_its_verdict_counts_as_what_verdicts_cost() -> None:
    """A slow judge's queue was drawn before anybody knew what it would cost: three times the day's tokens."""
    budget, waiting = Budget(tokens_per_day=1_000_000), 0
    sampler = Sampler(0.5, budget, waiting=lambda: waiting)
    later = list[Decision]()
    for second in range(600):  # ten records and one verdict a second
        later += run(sampler, per_second=10, seconds=1, start=second)
        waiting = judged(later) - min(second, judged(later))
        if second < judged(later):
            sampler.spend(tokens=1_000)
            sampler.learn(tokens=1_000)
    assert 800 < judged(later) < 1_050
    assert all(one.inclusion > 0.0 for one in later)


def test_what_waits_is_no_strain_on_the_minute() -> None:
    """A queue is paid over many minutes: while the judge was away, sampling all but ended."""
    sampler = Sampler(0.5, Budget(tokens_per_minute=100_000), waiting=lambda: 10_000)
    sampler.spend(tokens=3_000)
    assert sampler.decide(trace(1), at=10.0).inclusion == 0.5


def test_a_restart_knows_what_a_verdict_costs() -> None:
    """Else what waited would cost nothing until the first verdict, and be drawn beyond the limit once more."""
    budget = Budget(tokens_per_day=1_000_000)
    sampler = Sampler(0.5, budget)
    sampler.learn(tokens=1_000)
    states = TypeAdapter(SamplerState)
    state = states.validate_json(states.dump_json(sampler.state()))
    again = Sampler.restore(state, 0.5, budget, waiting=lambda: 1_500)
    assert again.decide(trace(1), at=10.0).inclusion < 0.01


def test_no_strain_leaves_a_probability_of_0() -> None:
    """It would have no inverse to weigh by."""
    sampler = Sampler(0.5, Budget(tokens_per_day=1_000))
    sampler.spend(tokens=1e12)
    assert sampler.decide(trace(1), at=10.0).inclusion > 0.0


def test_a_burst_judges_all_of_its_stratum_until_it_has_enough() -> None:
    """And nobody else's."""
    sampler = Sampler(0.1)
    sampler.burst("a", judged=50)
    decisions = [sampler.decide(trace(one), "ab"[one % 2], at=0.0) for one in range(200)]
    mine = [one for one in decisions if one.stratum == "a"]
    assert [one.inclusion for one in mine] == [1.0] * 50 + [0.1] * 50
    assert {one.inclusion for one in decisions if one.stratum == "b"} == {0.1}


def test_a_burst_with_many_expected_is_spread_over_them() -> None:
    """300 of 1,000."""
    sampler = Sampler(0.1)
    sampler.burst(None, judged=300, expected=1_000)
    assert sampler.decide(trace(1)).inclusion == 0.3


def test_a_restart_goes_on_where_it_was() -> None:
    """The state survives JSON, and both samplers decide alike from then on."""
    budget = Budget(at_least_per_day=500, calls_per_minute=100)
    sampler = Sampler(0.1, budget)
    run(sampler, per_second=2, seconds=2_000)
    sampler.burst("a", judged=20)
    states = TypeAdapter(SamplerState)
    again = Sampler.restore(states.validate_json(states.dump_json(sampler.state())), 0.1, budget)
    ours = run(sampler, per_second=2, seconds=500, start=2_001)
    assert ours == run(again, per_second=2, seconds=500, start=2_001)


def test_many_segments_share_one_stratum_beyond_the_limit() -> None:
    """A million tenants cost no memory."""
    sampler = Sampler(0.1, Budget(most_strata=5))
    strata = {sampler.decide(trace(one), str(one)).stratum for one in range(100)}
    assert len(strata) == 6
    assert "other" in strata


def test_who_came_first_is_judged_no_more_often_than_who_is_like_it() -> None:
    """Of 20 alike services the first five were judged many times as often as the others, told together as one large."""
    sampler = Sampler(0.1, Budget(most_strata=5))
    decisions = [sampler.decide(trace(one), str(one % 20), at=one / 100) for one in range(20_000)]
    assert {one.stratum for one in decisions} == {"0", "1", "2", "3", "4", "other"}
    assert {round(one.inclusion, 2) for one in decisions[10_000:]} == {0.1}
    assert judged(decisions) / 20_000 == pytest.approx(0.1, abs=0.01)


def test_what_is_gone_for_a_day_gives_its_place_to_what_lives() -> None:
    """Previews of one afternoon kept production without strata for twelve days."""
    sampler = Sampler(0.1, Budget(most_strata=5))
    for one in range(5_000):
        sampler.decide(trace(one), f"preview {one % 5}", at=one / 100)
    soon = {sampler.decide(trace(one), f"production {one % 2}", at=100).stratum for one in range(10)}
    assert soon == {"other"}
    later = 50 + DAY + 60.0
    strata = [
        sampler.decide(trace(one), f"production {one % 2}", at=later + one).stratum for one in range(100)
    ]
    assert set(strata) == {"production 0", "production 1"}


def test_segments_that_page_have_a_probability_of_their_own_before_previews() -> None:
    """64 previews kept it from production that came later, for as long as they lived."""
    sampler = Sampler(0.1, Budget(most_strata=5), told=in_production)
    number = 0
    for at in range(400):
        for name in range(8):
            sampler.decide(
                trace(number := number + 1), f"preview {name}", place=("shop", f"pr-{name}"), at=at
            )
        if at >= 100 and at % 7 == 0:
            for name in range(3):
                sampler.decide(trace(number := number + 1), f"shop {name}", place=PRODUCTION, at=at)
    strata = [sampler.decide(trace(1), f"shop {name}", place=PRODUCTION, at=401).stratum for name in range(4)]
    assert strata == ["shop 0", "shop 1", "shop 2", "other"]
    own = [name for name in sampler.state().traffic if name.startswith("preview")]
    assert len(own) == 2
    seen = sum(sampler.state().traffic.values())
    assert seen == pytest.approx(number + 4, rel=0.01)  # who gives its place up counts on among the others


def test_among_segments_that_page_the_ill_keep_theirs_and_then_those_that_answer_most() -> None:
    """One that answers little more takes nobody's place, and no crowd of one record each does."""
    sampler = Sampler(0.1, Budget(most_strata=3), told=in_production, ill=lambda: [("quiet", "production")])
    times = {"quiet": 1, "small": 4, "usual": 9, "busier": 10, "busy": 60}
    number = 0
    for at in range(60):
        for name, count in times.items():
            for _ in range(count):
                place = (name, "production")
                sampler.decide(trace(number := number + 1), name, place=place, at=at)
        for _ in range(20):
            number += 1
            sampler.decide(trace(number), f"tenant {number}", place=PRODUCTION, at=at)
    own = [
        name
        for name in times
        if sampler.decide(trace(1), name, place=(name, "production"), at=60).stratum == name
    ]
    assert own == ["quiet", "usual", "busy"]


PRODUCTION = ("shop", "production")


def in_production(place: Place) -> bool:
    """The previews page nobody."""
    return place[1] == "production"


def test_a_restart_knows_who_has_a_place_of_its_own() -> None:
    """And since when nothing came of them; a state of before says it of none, and none is let go of soon."""
    budget = Budget(most_strata=2)
    sampler = Sampler(0.1, budget)
    for at, name in ((0.0, "a"), (0.0, "b"), (80_000.0, "a")):
        sampler.decide(trace(1), name, at=at)
    states = TypeAdapter(SamplerState)
    again = Sampler.restore(states.validate_json(states.dump_json(sampler.state())), 0.1, budget)
    old = Sampler.restore(replace(sampler.state(), last={}), 0.1, budget)
    ours, theirs, olds = (
        [one.decide(trace(place), name, at=90_000.0) for place, name in enumerate("cdab")]
        for one in (sampler, again, old)
    )
    assert [one.stratum for one in ours] == ["c", "other", "a", "other"]
    assert ours == theirs
    assert [one.stratum for one in olds] == ["other", "other", "a", "b"]
    roomy = Sampler(0.1)
    for at, name in ((0.0, "a"), (30 * DAY, "b")):
        roomy.decide(trace(1), name, at=at)
    assert Sampler.restore(roomy.state(), 0.1).state() == roomy.state()


@pytest.mark.parametrize("back", [10.0, 1_000_000.0])
def test_a_clock_that_jumps_back_changes_little(back: float) -> None:
    """Judging goes on near the rate, and time goes on from there."""
    sampler = Sampler(0.1, Budget(at_least_per_day=500))
    run(sampler, per_second=10, seconds=3_600, start=2_000_000)
    later = run(sampler, per_second=10, seconds=600, start=2_003_600 - back)
    assert judged(later) / len(later) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize(
    "budget",
    [
        Budget(),
        Budget(calls_per_minute=40),
        Budget(informative=4.0),
        Budget(floor=0.05, informative=2.0),
        Budget(informative=4.0, most_strata=1),
    ],
    ids=["strata", "limit", "informative", "both", "folded"],
)
def test_the_weighted_mean_is_unbiased_under_every_mode(budget: Budget) -> None:
    """Design invariant 10, over 60 days of segments of unlike quality, a burst, and failures sampled more often."""
    random = np.random.default_rng(20_260_301)
    errors: list[float] = []
    number = 0
    for _ in range(60):
        sampler = Sampler(0.15, budget)
        small = random.random(1_500) < 0.2
        passed = random.random(1_500) < np.where(small, 0.7, 0.95)
        looks_bad = random.random(1_500) < np.where(passed, 0.1, 0.7)
        weights = total = 0.0
        for place in range(1_500):
            if place == 700:
                sampler.burst("small", judged=30)
            number += 1
            name = "small" if small[place] else "large"
            decision = sampler.decide(trace(number), name, at=place / 10, informative=bool(looks_bad[place]))
            if decision.judged:
                total += float(passed[place]) / decision.inclusion
                weights += 1.0 / decision.inclusion
        errors.append(total / weights - float(passed.mean()))
    assert abs(float(np.mean(errors))) < 3.0 * float(np.std(errors)) / np.sqrt(len(errors)) + 0.002
    assert abs(float(np.mean(errors))) < 0.012
