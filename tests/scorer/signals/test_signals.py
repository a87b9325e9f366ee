"""What users do after an answer, and which of it tells an unfaithful one."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.sample import stratum_of
from ragvigil.scorer.signals.arriving import Arriving
from ragvigil.scorer.signals.telling import Telling, telling
from ragvigil.scorer.signals.turns import SOON, Signals, Turn, signals_of
from ragvigil.scorer.trace import RagTrace


def test_thumbs_rephrasings_follow_ups_and_length_are_read_from_conversations() -> None:
    """Whatever the order in which the turns come."""
    up, down = {"name": "thumbs", "label": "up"}, {"name": "thumbs", "score": 0}
    turns = [
        Turn("c", 30, "And what about returns?", [up]),
        Turn("c", 10, "How do I reset the router?", [down]),
        Turn("c", 20, "router reset, how?"),
        Turn("c", 40 + SOON, "Something much later"),
        Turn(None, 5, "Alone"),
    ]
    found = signals_of(turns)
    assert found[1] == Signals(True, False, True, False, 4)
    assert found[2] == Signals(None, None, False, True, 4)
    assert found[0] == Signals(False, True, False, False, 4), "the next question came too late"
    assert found[3] == Signals(None, None, False, False, 4)
    assert found[4] == Signals(None, None, None, None, None)


def test_what_follows_the_last_turn_is_unknown_before_its_half_hour_is_over() -> None:
    """An answer of a minute ago has not yet been followed by nothing."""
    turns = [Turn("c", 10, "How do I reset the router?"), Turn("d", 10 + SOON, "What does it cost?")]
    assert [one.rephrased for one in signals_of(turns, until=10 + SOON)] == [False, None]
    assert [one.followed_up for one in signals_of(turns, until=10 + SOON)] == [False, None]
    assert signals_of(turns, until=10 + 2 * SOON)[1].rephrased is False


def by_name(found: tuple[Telling, ...]) -> dict[str, Telling]:
    """The entries."""
    return {one.signal: one for one in found}


def test_a_signal_that_goes_with_unfaithful_answers_tells_and_the_others_do_not() -> None:
    """The odds ratio that was planted lies in its interval."""
    random = np.random.default_rng(1)
    size = 3_000
    bad = random.random(size) < 0.1
    again = random.random(size) < np.where(bad, 0.4, 0.1)
    signals = [
        Signals(None, None, bool(one), bool(random.random() < 0.3), int(random.integers(1, 6)))
        for one in again
    ]
    found = by_name(telling(signals, bad.astype(float), np.full(size, 10.0), np.arange(size) // 2))
    planted = (0.4 / 0.6) / (0.1 / 0.9)
    one = found["rephrased"]
    assert one.tells
    assert one.lower is not None
    assert one.upper is not None
    assert one.lower < planted < one.upper
    assert not found["followed_up"].tells
    assert not found["session_length"].tells
    assert found["thumbs_down"].value is None, "nobody gave thumbs"


def test_no_signal_tells_in_noise_though_four_are_tried() -> None:
    """Multiplicity: at most five in a hundred services should hear of any."""
    random = np.random.default_rng(7)
    false = 0
    for _ in range(200):
        bad = (random.random(400) < 0.2).astype(float)
        flags = random.random((400, 3)) < 0.3
        lengths = random.integers(1, 8, 400)
        signals = [
            Signals(bool(a), not a, bool(b), bool(c), int(length))
            for (a, b, c), length in zip(flags, lengths, strict=True)
        ]
        false += any(
            one.p is not None and one.p < 0.05 for one in telling(signals, bad, np.ones(400), np.arange(400))
        )
    assert false <= 18


def test_conversations_widen_the_interval() -> None:
    """Ten turns of one conversation are not ten users."""
    random = np.random.default_rng(2)
    conversation = np.repeat(np.arange(100), 10)
    bad = np.repeat((random.random(100) < 0.3).astype(float), 10)
    signals = [Signals(None, None, bool(one), False, 10) for one in np.repeat(random.random(100) < 0.3, 10)]
    together = by_name(telling(signals, bad, np.ones(1000), conversation))["rephrased"]
    alone = by_name(telling(signals, bad, np.ones(1000), np.arange(1000)))["rephrased"]
    assert together.lower is not None
    assert alone.lower is not None
    assert together.upper is not None
    assert alone.upper is not None
    assert np.log(together.upper / together.lower) > 2 * np.log(alone.upper / alone.lower)


def test_a_wanted_signal_is_a_stratum_of_its_own() -> None:
    """Known when the answer arrives, and only within the same conversation and soon."""
    arriving = Arriving(["thumbs_down", "follow_up"])

    def record(number: int, query: str, at: int, **more: object) -> RagTrace:
        return RagTrace(f"{number:032x}", "1" * 16, "shop", at, query=query, conversation_id="c", **more)  # type: ignore[arg-type]  # keywords by name

    assert arriving.of(record(1, "How do I reset it?", 1)) is None
    assert arriving.of(record(2, "What does it cost?", 2)) == "follow_up"
    assert arriving.of(record(3, "cost of it, what does?", 3)) is None, "a rephrasing is not wanted"
    assert arriving.of(record(4, "And returns?", 4 + 2 * SOON)) is None
    assert arriving.of(record(5, "So?", 9, feedback=({"score": 0},))) == "thumbs_down"
    assert Arriving(()).of(record(6, "x", 1)) is None
    assert stratum_of(record(7, "x", 1)) == "shop|-"
