"""The sampler of a pipeline: what it is told to spend, what verdicts cost it, what of it outlives the process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from pydantic import TypeAdapter, ValidationError

from ragvigil.scorer.monitoring import told_everywhere
from ragvigil.scorer.sample import Budget, Pressure, Sampler, SamplerState, Spent
from ragvigil.scorer.sample.strata import nowhere_ill
from ragvigil.scorer.signals.arriving import ArrivingSignal
from ragvigil.scorer.store.port import Judgement
from ragvigil.scorer.trace import Place

_log = logging.getLogger(__name__)

SAMPLER = "sampler"
"""Under which name the store keeps the state."""
_STATE = TypeAdapter(SamplerState)


@dataclass(frozen=True, slots=True)
class SamplePlan:
    """Who is judged."""

    rate: float
    """Share of records to judge, in [0, 1]; 0 when there is no judge."""
    max_jobs: int
    """Records that may wait for the judge; above it they are shed."""
    budget: Budget = field(default_factory=Budget)
    """How that share is spent."""
    others: Callable[[], tuple[Spent, Spent]] = lambda: (Spent(), Spent())
    """What was spent of it in about a minute, and in about a day, that this pipeline does not count itself."""
    counts_calls_only: bool = False
    """Whether `others` has the tokens and money of this process, too; its calls are counted when they are drawn."""
    told: Callable[[Place], bool] = told_everywhere
    """Whether somebody is told of a place: its strata come first where there are too many."""
    ill: Callable[[], Collection[Place]] = nowhere_ill
    """Places with an open incident: theirs come first among those."""
    signals: tuple[ArrivingSignal, ...] = ()
    """What users do that makes strata of their own."""


class Draws:
    """Decides who is judged, and counts what that costs."""

    def __init__(self, kept: str | None, plan: SamplePlan, *, waiting: Callable[[], int]) -> None:
        """`kept` is the state that the last process left; `waiting` says how many drawn records have no verdict yet."""
        self._plan = plan
        self.sampler = Sampler.restore(
            _state(kept, calls_only=plan.counts_calls_only),
            plan.rate,
            plan.budget,
            others=plan.others,
            waiting=waiting,
            told=plan.told,
            ill=plan.ill,
        )

    def text(self, at: float) -> str:
        """What the next process has to know, and how near the limits are at that moment (seconds)."""
        return _STATE.dump_json(self.sampler.state(at)).decode()

    def charge(self, judgements: Iterable[Judgement]) -> None:
        """What verdicts cost counts against the limits; a judge that does not say costs a call and no more."""
        for judgement in judgements:
            drawn = judgement.job.purpose == "score"  # its first call was counted when it was
            cost = _cost_of(judgement)
            if cost is None:
                self.sampler.spend(calls=0.0 if drawn else 1.0)
                if judgement.verdict is not None:
                    self.sampler.learn()
                continue
            if drawn:
                self.sampler.learn(tokens=cost.tokens, usd=cost.usd)
            spent = Spent(cost.calls) if self._plan.counts_calls_only else cost
            self.sampler.spend(calls=spent.calls - drawn, tokens=spent.tokens, usd=spent.usd)


def pressures_in(kept: str, now: float) -> tuple[Sequence[Pressure], float | None]:
    """How near each limit is by `now` (seconds since the epoch) when nothing was spent since that state was kept.

    And how many seconds ago that was. () and None where it says nothing.
    """
    try:
        state = _STATE.validate_json(kept)
    except ValidationError:
        return (), None
    if state.pressures_at is None:
        return state.pressures, None
    age = max(0.0, now - state.pressures_at)
    return [one.later(age) for one in state.pressures], age


def _cost_of(judgement: Judgement) -> Spent | None:
    """What a verdict says that it cost; None where it does not say."""
    usage = judgement.verdict.details.get("usage") if judgement.verdict is not None else None
    if not isinstance(usage, Mapping):
        return None

    def said(name: str) -> float:
        value: object = cast("Mapping[str, object]", usage).get(name)
        return float(value) if isinstance(value, int | float) else 0.0

    return Spent(said("calls"), said("input_tokens") + said("output_tokens"), said("cost_usd"))


def _state(kept: str | None, *, calls_only: bool) -> SamplerState:
    """What the last process left; a beginner's when it left nothing that can be read."""
    try:
        state = SamplerState() if kept is None else _STATE.validate_json(kept)
    except ValidationError:
        _log.warning("the sampler's state cannot be read; it learns the traffic anew")
        return SamplerState()
    if not calls_only:
        return state
    return replace(state, spent={name: state.spent.get(name, 0.0) for name in ("calls", "drawn", "wished")})
