"""The drivable core: batches in, alerts out; no store, server or clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.sequential.baseline import BINS, Baseline, Day, Reference, Sum, level_of, refer
from ragvigil.scorer.detect.sequential.batch import (
    Alert,
    Batch,
    Booleans,
    Floats,
    Metric,
    Traces,
    count_by,
    read_traces,
    sum_by,
)
from ragvigil.scorer.detect.sequential.budget import Budget
from ragvigil.scorer.detect.sequential.burst import Burst
from ragvigil.scorer.detect.sequential.canary import LARGEST, Canary
from ragvigil.scorer.detect.sequential.check_cusum import CheckCusum
from ragvigil.scorer.detect.sequential.clock import EventClock
from ragvigil.scorer.detect.sequential.e_detector import EDetector
from ragvigil.scorer.detect.sequential.evidence import Suspicion, Verdicts, expected_flags, gather, suspect
from ragvigil.scorer.detect.sequential.faithfulness import Candidate, Faithfulness
from ragvigil.scorer.detect.sequential.floor import LevelFloor
from ragvigil.scorer.detect.sequential.gold import GoldSet, learn_instruments
from ragvigil.scorer.detect.sequential.incidents import Incidents, Recent
from ragvigil.scorer.detect.sequential.settings import DAY, MonitorSettings
from ragvigil.scorer.detect.sequential.state import Json, dump, load
from ragvigil.scorer.detect.sequential.traffic_watch import TrafficWatch
from ragvigil.scorer.detect.sequential.tripwire import Tripwire

STATE_VERSION = 1
_HOUR = 3600.0


@dataclass(slots=True)
class Memory:
    """All that a monitor remembers; its JSON is the monitor's state."""

    faithfulness: Faithfulness
    budget: Budget
    citations: CheckCusum
    retrievals: CheckCusum
    clock: EventClock = field(default_factory=EventClock)
    baseline: Baseline = field(default_factory=Baseline)
    traffic: TrafficWatch = field(default_factory=TrafficWatch)
    floor: LevelFloor = field(default_factory=LevelFloor)
    muted: dict[str, float] = field(default_factory=dict[str, float])
    """Until when, by kind, metric and stream."""
    root_cause: Floats = field(default_factory=lambda: np.zeros(0))
    """(streams,) until when a page of another metric explains a fall."""
    judge_version: str | None = None
    new_version: str | None = None
    chosen: float = 0.0
    """Calls of about the last hour."""
    missing: float = 0.0
    """Those of them without a verdict."""
    canary_wanted: int = 0
    waited: int = 0


_CLASSES: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        *(MonitorSettings, GoldSet, Memory, Faithfulness, Budget, CheckCusum, EventClock, Baseline, Day),
        *(TrafficWatch, LevelFloor, Tripwire, EDetector, Incidents, Recent, Burst, Candidate, Canary),
    )
}


class Monitor:
    """Watches one service: says whom to judge, takes the verdicts, and pages on evidence.

    For each batch: `plan` it, judge what was chosen, answer `canary_wanted` with `canary`, then `observe` it.
    The first seven days are learning: no alert.
    """

    def __init__(self, settings: MonitorSettings, gold: GoldSet) -> None:
        """A monitor that has seen nothing yet."""
        self.settings, self.gold = settings, gold
        self._instruments = learn_instruments(gold)
        self._memory = Memory(
            Faithfulness.fresh(settings),
            Budget(settings.budget, settings.base_share),
            CheckCusum.fresh(settings.slots),
            CheckCusum.fresh(settings.slots),
            root_cause=np.full(settings.streams, -1e18),
        )
        self._reference: Reference | None = None
        self._reference_day = -1

    @property
    def canary_wanted(self) -> int:
        """How many past traces are to be judged again now, 0 to 400; held until `canary` answers."""
        return self._memory.canary_wanted

    def plan(self, batch: Batch) -> npt.NDArray[np.float64]:
        """Inclusion probability of each trace; changes nothing, so that it may be asked twice.

        Raises:
            ValueError: a malformed batch, by field.
        """
        settings, memory = self.settings, self._memory
        traces = read_traces(batch, settings.segments)
        if not len(traces):
            return np.zeros(0)
        reference = self._refer()
        shares = np.full(settings.slots, 1.0 / settings.slots) if reference is None else reference.share
        if reference is None:
            counts = count_by(traces.slot, settings.slots) + 1e-3
            shares = counts / counts.sum()
        base = memory.budget.base(traces.slot, shares)
        if self._learning() or reference is None:
            return base
        suspicion = suspect(traces.cheap, traces.known_cheap, self._instruments)
        _, opens = self._trip(traces, suspicion, reference)
        credit = memory.budget.credit + settings.budget * len(traces) - float(base.sum())
        credit -= max(float(self._canary_size()), min(1.5 * LARGEST, 0.5 * credit))
        return memory.faithfulness.wish(base, traces.slot, suspicion, opens, settings, credit)

    def observe(self, batch: Batch) -> list[Alert]:
        """Take a batch with its verdicts; returns what it led to.

        Raises:
            ValueError: a malformed batch, by field.
        """
        settings, memory = self.settings, self._memory
        traces = read_traces(batch, settings.segments)
        days = memory.clock.advance(batch.start, batch.end)
        memory.budget.earn(len(traces), days)
        memory.traffic.count(traces.time)
        alerts: list[Alert] = []
        suspicion = suspect(traces.cheap, traces.known_cheap, self._instruments)
        reference = None if self._learning() else self._refer()
        if reference is not None:
            wire, opens = self._trip(traces, suspicion, reference)
            memory.faithfulness.tripwire = wire
            memory.faithfulness.open_bursts(opens, memory.clock.now, self._instruments)
            alerts += self._check(traces, reference, batch.end)
            alerts += self._watch_traffic(batch.end)
        verdicts, trusted = self._read_verdicts(batch, traces, suspicion, alerts, reference)
        if reference is not None:
            alerts += self._decide(verdicts if trusted else None, batch.end, days, reference)
            alerts += self._watch_level(batch.end)
        self._learn(batch, traces, suspicion, verdicts if trusted else None)
        if self._learning():
            return []
        return [alert for alert in alerts if self._audible(alert)]

    def canary(
        self, old_verdicts: npt.NDArray[np.generic], new_verdicts: npt.NDArray[np.generic]
    ) -> list[Alert]:
        """Take the verdicts of past traces, as stored and as the judge gives them now; returns what it led to.

        Raises:
            ValueError: columns of different lengths.
        """
        memory = self._memory
        faithfulness, canary, now = memory.faithfulness, memory.faithfulness.canary, memory.clock.now
        canary.add(old_verdicts, new_verdicts, now, 6 * _HOUR)
        memory.canary_wanted = memory.waited = 0
        memory.budget.spend(int(np.size(new_verdicts)))
        time = now - memory.clock.offset
        alerts: list[Alert] = []
        if memory.new_version is not None:
            if canary.count and abs(canary.mean) > 2.0 * canary.error:
                alerts.append(self._judge_moved(canary.mean, time, memory.new_version))
            memory.judge_version, memory.new_version = memory.new_version, None
        elif faithfulness.pending:
            faithfulness.asked += 1
            alerts += self._settle(time)
        return [] if self._learning() else [alert for alert in alerts if self._audible(alert)]

    def state(self) -> Json:
        """Everything as JSON: settings, gold set and memory."""
        return {
            "version": STATE_VERSION,
            "settings": dump(self.settings),
            "gold": dump(self.gold),
            "memory": dump(self._memory),
        }

    @staticmethod
    def restore(state: Json) -> Monitor:
        """The monitor that gave this state.

        Raises:
            ValueError: not a state, or one of another version.
        """
        if not isinstance(state, Mapping) or state.get("version") != STATE_VERSION:
            found = state.get("version") if isinstance(state, Mapping) else type(state).__name__
            raise ValueError(
                f"a monitor's state of version {found}: this ragvigil reads {STATE_VERSION}; start a new one"
            )
        settings, gold = load(state["settings"], _CLASSES), load(state["gold"], _CLASSES)
        memory = load(state["memory"], _CLASSES)
        if not (
            isinstance(settings, MonitorSettings) and isinstance(gold, GoldSet) and isinstance(memory, Memory)
        ):
            raise ValueError("a monitor's state lacks settings, gold or memory: start a new monitor")
        monitor = Monitor(settings, gold)
        monitor._memory = memory
        return monitor

    def _learning(self) -> bool:
        return self._memory.clock.days <= self.settings.learning_days + 1e-9

    def _today(self) -> int:
        return int(self._memory.clock.now // DAY)

    def _refer(self) -> Reference | None:
        """The reference of today; None before anything was learned."""
        memory = self._memory
        if not memory.baseline.days or memory.clock.first is None:
            return None
        if self._reference is None or self._reference_day != self._today() or self._learning():
            first = int(memory.clock.first // DAY)
            sums, flags = memory.baseline.total(first, self._today(), self.settings)
            self._reference = refer(sums, flags, self._instruments)
            self._reference_day = self._today()
        return self._reference

    def _trip(self, traces: Traces, suspicion: Suspicion, reference: Reference) -> tuple[Tripwire, Booleans]:
        """The tripwire after these cheap scores, and which streams it opens a burst on."""
        faithfulness, slots = self._memory.faithfulness, self.settings.slots
        if not (self._instruments.cheap_informative and self._instruments.informative):
            return faithfulness.tripwire, np.zeros(self.settings.streams, np.bool_)
        beyond = np.where(traces.known_cheap, suspicion.plain - reference.cheap[traces.slot], 0.0)
        residual = sum_by(traces.slot, beyond, slots)
        known = sum_by(traces.slot, traces.known_cheap, slots)
        return faithfulness.tripped(
            residual, known, self._memory.clock.now, self.settings, self._instruments, reference
        )

    def _check(self, traces: Traces, reference: Reference, time: float) -> list[Alert]:
        """Citations and empty retrievals; each also explains a fall of faithfulness for an hour."""
        memory, settings = self._memory, self.settings
        alerts: list[Alert] = []
        checks: tuple[tuple[Metric, CheckCusum, Floats, Floats], ...] = (
            ("citation", memory.citations, traces.citation_bad, reference.bad_citations),
            ("retrieval", memory.retrievals, traces.empty, reference.empty),
        )
        for metric, cusum, bad, normal in checks:
            known = np.isfinite(bad)
            n = sum_by(traces.slot, known, settings.slots)
            cusum.update(
                sum_by(traces.slot, np.where(known, bad, 0.0), settings.slots),
                n,
                normal,
                settings.check_threshold,
            )
            alarms = cusum.alarms(settings.check_threshold)
            if not alarms.any():
                continue
            memory.root_cause = np.where(alarms | alarms[-1], memory.clock.now + _HOUR, memory.root_cause)
            step = cusum.slot_step
            leader = int(np.argmax(step))
            rest = step[np.arange(step.size) != leader].sum()
            named = [int(s) for s in np.flatnonzero(alarms[:-1])]
            if alarms[-1]:
                named = [leader] if rest <= 0.0 and alarms[leader] else [settings.slots]
            elif len(named) > settings.slots // 2:
                named = [settings.slots]
            for stream in named:
                evidence: dict[str, float | str] = {
                    "nats": round(float(cusum.log[stream]), 1),
                    "bad": float(np.nansum(bad)),
                    "n": float(n.sum()),
                }
                alerts.append(
                    Alert(time, "page", metric, None if stream == settings.slots else stream, evidence)
                )
        return alerts

    def _watch_traffic(self, time: float) -> list[Alert]:
        found = self._memory.traffic.thin_hour(time, self.settings.traffic_share)
        if found is None:
            return []
        return [Alert(time, "ticket", "traffic", None, {"traces": found[0], "a_week_before": found[1]})]

    def _watch_level(self, time: float) -> list[Alert]:
        if self.settings.slo is None or not self._instruments.informative:
            return []
        found = self._memory.floor.breached(self.settings.slo, self._memory.clock.now, self._instruments)
        if found is None:
            return []
        evidence: dict[str, float | str] = {"level": found[0], "upper": found[1], "slo": self.settings.slo}
        return [Alert(time, "page", "faithfulness", None, evidence)]

    def _read_verdicts(
        self,
        batch: Batch,
        traces: Traces,
        suspicion: Suspicion,
        alerts: list[Alert],
        reference: Reference | None,
    ) -> tuple[Verdicts | None, bool]:
        """(the batch's verdicts, whether they may be learned from); says so when too many are missing."""
        memory, settings = self._memory, self.settings
        if batch.judged is None or batch.verdict is None or batch.inclusion_probability is None:
            return None, False
        judged = np.asarray(batch.judged, dtype=np.bool_)
        verdict = np.nan_to_num(np.asarray(batch.verdict, dtype=np.float64), nan=-1.0)
        chance = np.nan_to_num(np.asarray(batch.inclusion_probability, dtype=np.float64), nan=0.0)
        chance = np.clip(chance, 0.0, 1.0)
        answered = judged & (verdict >= 0.0) & (chance > 0.0)
        memory.budget.spend(int(judged.sum()))
        keep = float(np.exp(-settings.batch_seconds / _HOUR))
        memory.chosen = keep * memory.chosen + float(max(judged.sum(), chance.sum()))
        shortfall = max(0.0, float(chance.sum() - judged.sum()) - 4.0 * float(np.sqrt(chance.sum() + 1.0)))
        memory.missing = keep * memory.missing + float((judged & ~answered).sum()) + shortfall
        trusted = memory.chosen < 20.0 or memory.missing <= settings.missing_share * memory.chosen
        if not trusted:
            evidence: dict[str, float | str] = {"missing": memory.missing, "calls": memory.chosen}
            alerts.append(
                Alert(batch.end, "ticket", "judge", None, {**evidence, "why": "verdicts are missing"})
            )
        if not self._known_version(batch.judge_version, answered) or not len(traces):
            return None, False
        expected = np.full(len(traces), 1.0 - self._instruments.sensitivity)
        reference = reference or self._refer()
        if reference is not None:
            expected = expected_flags(
                suspicion.plain, traces.cheap, traces.slot, self._instruments, reference
            )
        verdicts = gather(
            traces.slot,
            traces.conversation,
            suspicion,
            chance,
            answered,
            verdict,
            expected,
            self._instruments,
            settings.slots,
        )
        if not self._learning():
            weight = 1.0 / np.maximum(chance[answered], 1e-3)
            memory.floor.update(
                float(weight.sum()),
                float((weight**2).sum()),
                float(weight @ verdict[answered]),
                settings.batch_seconds / DAY,
            )
        return verdicts, trusted

    def _known_version(self, version: str, answered: Booleans) -> bool:
        """Whether verdicts of this judge may be mixed with those before; asks for a canary when it is a new one."""
        memory = self._memory
        if not answered.any() or version == memory.judge_version:
            if version == memory.judge_version and memory.new_version is not None:
                memory.new_version, memory.canary_wanted = None, 0
            return True
        if memory.judge_version is None:
            memory.judge_version = version
            return True
        memory.new_version, memory.canary_wanted = version, LARGEST
        return False

    def _decide(
        self, verdicts: Verdicts | None, time: float, days: float, reference: Reference
    ) -> list[Alert]:
        """Weigh the verdicts, look for candidates, ask the canary or use its fresh answer."""
        memory, settings, faithfulness = self._memory, self.settings, self._memory.faithfulness
        now = memory.clock.now
        if not self._instruments.informative:
            evidence: dict[str, float | str] = {
                "why": "the judge is not informative",
                "s_plus_t_minus_1": self._instruments.youden,
            }
            return [Alert(time, "ticket", "judge", None, evidence)]
        alerts: list[Alert] = []
        if verdicts is not None:
            self._charge(verdicts)
            faithfulness.weigh(verdicts, days, settings, self._instruments, reference)
            suppressed = memory.root_cause > now
            suppressed = suppressed | suppressed[-1]
            found = faithfulness.candidates(settings, suppressed)
            if found and memory.new_version is None:
                faithfulness.pending = found
                alerts += self._ask_or_settle(time)
            elif not found:
                faithfulness.pending, faithfulness.asked = [], 0
                if (
                    faithfulness.nearly(settings)
                    and not self._canary_fresh()
                    and memory.budget.credit > 2.0 * LARGEST
                ):
                    memory.canary_wanted = memory.canary_wanted or self._canary_size()
        disagreed = faithfulness.tend_bursts(now, settings, self._instruments)
        for stream, change in disagreed:
            overall = stream == settings.slots
            slots = np.ones(settings.slots, np.bool_) if overall else np.arange(settings.slots) == stream
            memory.baseline.move_cheap(slots, change)
            self._reference = None
            alerts.append(
                Alert(
                    time,
                    "ticket",
                    "cheap",
                    None if overall else stream,
                    {"why": "the cheap score fell, the judge disagrees"},
                )
            )
        faithfulness.close_incidents(now, settings, self._instruments)
        return alerts

    def _charge(self, verdicts: Verdicts) -> None:
        """Note on each burst what it has spent beyond the base, roughly: all verdicts of its stream at base noise."""
        budget = self._memory.budget
        count = count_by(verdicts.slot, self.settings.slots)
        usual = verdicts.traces * budget.share * budget.base_share
        for burst in self._memory.faithfulness.bursts:
            extra = count - usual
            burst.spent += max(
                0.0, float(extra.sum() if burst.stream == self.settings.slots else extra[burst.stream])
            )

    def _ask_or_settle(self, time: float) -> list[Alert]:
        memory = self._memory
        faithfulness = memory.faithfulness
        fresh = (
            memory.clock.now - faithfulness.canary.answered_at <= 6 * _HOUR and faithfulness.canary.count > 0
        )
        if fresh:
            return self._settle(time)
        memory.waited += 1 if memory.canary_wanted else 0
        memory.canary_wanted = self._canary_size()
        if memory.waited > 4:
            faithfulness.canary.clear()
            faithfulness.asked = 99
            return self._settle(time)
        return []

    def _canary_fresh(self) -> bool:
        canary = self._memory.faithfulness.canary
        return canary.count > 0 and self._memory.clock.now - canary.answered_at <= 6 * _HOUR

    def _settle(self, time: float) -> list[Alert]:
        memory = self._memory
        faithfulness = memory.faithfulness
        alerts, moved = faithfulness.settle(memory.clock.now, time, self._instruments)
        if moved is not None:
            return [self._judge_moved(moved, time, memory.judge_version or "")]
        if faithfulness.pending:
            memory.canary_wanted = self._canary_size()
        elif alerts:
            self._freeze()
        return alerts

    def _canary_size(self) -> int:
        """200 to 400: a tenth of a day's traffic."""
        return int(min(float(LARGEST), max(200.0, 0.1 * self._memory.budget.traces_per_day)))

    def _judge_moved(self, change: float, time: float, version: str) -> Alert:
        """The judge changed by `change`: move what is normal, start the bets over, ask for a new calibration."""
        memory = self._memory
        memory.baseline.move_passed(change, self._instruments.weight_faithful)
        memory.baseline.freeze(self._today() - 1, np.ones(self.settings.slots, np.bool_))
        error = memory.faithfulness.canary.error
        memory.faithfulness.restart_bets()
        self._reference = None
        evidence: dict[str, float | str] = {
            "why": "the judge changed: calibrate it again",
            "change": change,
            "error": error,
            "version": version,
        }
        return Alert(time, "ticket", "judge", None, evidence)

    def _freeze(self) -> None:
        """Nothing is learned from streams with an open incident, nor from the day before it."""
        open_ = self._memory.faithfulness.incidents.open
        self._memory.baseline.freeze(self._today() - 1, open_[:-1] | open_[-1])

    def _learn(self, batch: Batch, traces: Traces, suspicion: Suspicion, verdicts: Verdicts | None) -> None:
        """Add the batch to its day's sums."""
        if not len(traces):
            return
        memory, slots = self._memory, self.settings.slots
        sums = np.zeros((len(Sum), slots))
        flags = np.zeros((2, BINS))

        def per_slot(values: npt.NDArray[np.float64] | npt.NDArray[np.bool_]) -> Floats:
            return sum_by(traces.slot, values, slots)

        sums[Sum.TRACES] = count_by(traces.slot, slots)
        sums[Sum.CHEAP_COUNT] = per_slot(traces.known_cheap)
        sums[Sum.CHEAP] = per_slot(np.where(traces.known_cheap, suspicion.plain, 0.0))
        reference = self._refer()
        middle = suspicion.plain.mean() if reference is None else reference.cheap[traces.slot]
        key = traces.conversation * slots + traces.slot
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
        together = sum_by(group, np.where(traces.known_cheap, suspicion.plain - middle, 0.0), first.size)
        sums[Sum.CHEAP_CLUSTERED] = sum_by(traces.slot[first], together**2, slots)
        for bad, n_row, bad_row in (
            (traces.citation_bad, Sum.CITATIONS, Sum.BAD_CITATIONS),
            (traces.empty, Sum.RETRIEVALS, Sum.EMPTY),
        ):
            known = np.isfinite(bad)
            sums[n_row], sums[bad_row] = per_slot(known), per_slot(np.where(known, bad, 0.0))
        if verdicts is not None and batch.inclusion_probability is not None and batch.verdict is not None:
            sums[Sum.FLAG_TRACES] = verdicts.traces
            sums[Sum.FLAGS] = sum_by(verdicts.slot, verdicts.excess, slots)
            sums[Sum.FLAGS_SQUARED] = sum_by(verdicts.slot, verdicts.excess**2, slots)
            sums[Sum.WEIGHT] = sum_by(verdicts.slot, verdicts.weight, slots)
            sums[Sum.PASSED] = sum_by(verdicts.slot, verdicts.passed, slots)
            sums[Sum.JUDGED] = sums[Sum.WEIGHT]
            flags = self._flags(batch, traces, suspicion)
        open_ = memory.faithfulness.incidents.open
        day = int(np.median(traces.time + memory.clock.offset) // DAY)
        memory.baseline.add(min(day, self._today()), sums, flags, open_[:-1] | open_[-1])

    def _flags(self, batch: Batch, traces: Traces, suspicion: Suspicion) -> Floats:
        """(2, BINS) weight, and flags beyond the uncorrected model's, at each level of suspicion."""
        verdict = np.nan_to_num(np.asarray(batch.verdict, dtype=np.float64), nan=-1.0)
        rows = np.flatnonzero(np.asarray(batch.judged, dtype=np.bool_) & (verdict >= 0.0))
        reference = self._refer()
        if reference is None or not rows.size:
            return np.zeros((2, BINS))
        own = self._instruments.suspicion(traces.cheap[rows], reference.unfaithful[traces.slot[rows]])
        model = (
            self._instruments.false_flag
            + (self._instruments.specificity - self._instruments.false_flag) * own
        )
        level = level_of(suspicion.plain[rows])
        beyond = (1.0 - verdict[rows]) - model
        return np.stack([count_by(level, BINS), sum_by(level, beyond, BINS)])

    def _audible(self, alert: Alert) -> bool:
        """Whether this alert is not muted, and mute the next of its kind."""
        if alert.metric == "faithfulness" and "slo" not in alert.evidence:
            return True
        key, now = f"{alert.kind} {alert.metric} {alert.segment}", self._memory.clock.now
        wider = f"{alert.kind} {alert.metric} None"
        if max(self._memory.muted.get(key, -1e18), self._memory.muted.get(wider, -1e18)) > now:
            return False
        self._memory.muted[key] = now + self.settings.mute_hours * _HOUR
        return True
