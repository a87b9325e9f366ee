"""The drivable core: batches in, alerts out; no store, server or clock."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Self

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.detect.sequential.asking import ask_quietly, canary_size, take_answer
from ragvigil.scorer.detect.sequential.baseline import Series
from ragvigil.scorer.detect.sequential.batch import Alert, Batch, Booleans, Traces, count_by, read_traces
from ragvigil.scorer.detect.sequential.bursts import open_bursts, opens, wish
from ragvigil.scorer.detect.sequential.canary import LARGEST
from ragvigil.scorer.detect.sequential.checking import check
from ragvigil.scorer.detect.sequential.clock import NEVER
from ragvigil.scorer.detect.sequential.core import Core
from ragvigil.scorer.detect.sequential.deciding import decide
from ragvigil.scorer.detect.sequential.ebh import degraded
from ragvigil.scorer.detect.sequential.evidence import Suspicion, suspect
from ragvigil.scorer.detect.sequential.gold import GoldSet
from ragvigil.scorer.detect.sequential.learning import learn
from ragvigil.scorer.detect.sequential.levels import watch_level
from ragvigil.scorer.detect.sequential.memory import CLASSES, Memory
from ragvigil.scorer.detect.sequential.reading import read_verdicts
from ragvigil.scorer.detect.sequential.reference import Reference
from ragvigil.scorer.detect.sequential.settings import DAY, MonitorSettings
from ragvigil.scorer.detect.sequential.state import Json, dump, load
from ragvigil.scorer.detect.sequential.tripwire import Tripwire, read_cheap
from ragvigil.scorer.detect.sequential.versions import adopt
from ragvigil.scorer.estimate import Estimate

STATE_VERSION = 4


class Monitor:
    """Watches one service: says whom to judge, takes the verdicts, and pages on evidence.

    For each batch: `plan` it, judge what was chosen, answer `canary_wanted` with `canary`, then `observe` it.
    The first seven days are learning: no alert.
    """

    def __init__(self, settings: MonitorSettings, gold: GoldSet) -> None:
        """A monitor that has seen nothing yet."""
        self.settings, self.gold = settings, gold
        self._core = Core(settings, gold, Memory.fresh(settings))

    @property
    def canary_wanted(self) -> int:
        """How many past traces are to be judged again now, 0 to 400; held until `canary` answers."""
        return self._core.memory.canary_wanted

    @property
    def level(self) -> Estimate | None:
        """The faithful share of the last day, corrected for the judge's errors; None without `slo` or where unknown."""
        if self.settings.slo is None or not self._core.instruments.informative:
            return None
        return self._core.memory.floor.level(self._core.calibration)

    def plan(self, batch: Batch) -> npt.NDArray[np.float64]:
        """Inclusion probability of each trace; changes nothing, so that it may be asked twice.

        Raises:
            ValueError: a malformed batch, by field.
        """
        core, settings, memory = self._core, self.settings, self._core.memory
        traces = read_traces(batch, settings.segments)
        if not len(traces):
            return np.zeros(0)
        reference = core.refer()
        shares = np.full(settings.slots, 1.0 / settings.slots) if reference is None else reference.share
        if reference is None:
            counts = count_by(traces.slot, settings.slots) + 1e-3
            shares = counts / counts.sum()
        base = memory.budget.base(traces.slot, shares)
        suspicion = suspect(traces.cheap, traces.known_cheap, core.instruments)
        credit = memory.budget.credit + settings.budget * len(traces) - float(base.sum())
        surplus = memory.budget.surplus(len(traces), credit)
        opening = np.zeros(settings.streams, np.bool_)
        if reference is not None and not core.learning():
            opening = self._trip(traces, suspicion, reference)[1]
        credit -= max(float(canary_size(core)), min(1.5 * LARGEST, 0.5 * credit))
        return wish(memory.faithfulness, base, traces.slot, suspicion, opening, settings, credit, surplus)

    def observe(self, batch: Batch) -> list[Alert]:
        """Take a batch with its verdicts; returns what it led to.

        Raises:
            ValueError: a malformed batch, by field.
        """
        core, memory = self._core, self._core.memory
        traces = read_traces(batch, self.settings.segments)
        offset = memory.clock.offset
        days = memory.clock.advance(batch.start, batch.end)
        set_back = memory.clock.offset != offset
        memory.traffic.follow(batch.start, batch.end, days, set_back=set_back)
        memory.budget.earn(len(traces), days)
        memory.traffic.count(traces.time)
        alerts: list[Alert] = []
        suspicion = suspect(traces.cheap, traces.known_cheap, core.instruments)
        reference = None if core.learning() else core.refer()
        if reference is not None:
            memory.faithfulness.tripwire, opening = self._trip(traces, suspicion, reference)
            open_bursts(memory.faithfulness, opening, memory.clock.now, core.instruments)
            alerts += check(core, traces, reference, batch.end)
            alerts += self._watch_traffic(batch.end)
        verdicts, trusted = read_verdicts(core, batch, traces, suspicion, alerts, reference)
        if reference is not None:
            as_said = reference.as_said(core.offset, core.instruments.weight_faithful)
            as_said = as_said.short_of(core.beyond, core.instruments)
            alerts += decide(core, verdicts if trusted else None, batch.end, days, as_said)
            alerts += watch_level(core, batch.end)
        learn(core, batch, traces, suspicion, verdicts if trusted else None)
        ask_quietly(core)
        return self._heard(alerts)

    def canary(
        self, old_verdicts: npt.NDArray[np.generic], new_verdicts: npt.NDArray[np.generic]
    ) -> list[Alert]:
        """Take the verdicts of past traces, as stored and as the judge gives them now; returns what it led to.

        Raises:
            ValueError: columns of different lengths.
        """
        clock = self._core.memory.clock
        alerts = take_answer(self._core, old_verdicts, new_verdicts)
        return self._heard(alerts + adopt(self._core, clock.now - clock.offset))

    def degraded(self, share: float = 0.1) -> list[int | None]:
        """Streams for the daily list, None for all traffic: open incidents, then the most evident; it wakes nobody.

        e-BH on the e-detectors with a patience of one day (Dandapanthula & Ramdas, arXiv 2501.04130): over any
        day, at most `share` of what it lists is falsely so on average.
        """
        series, slots = self._core.memory.faithfulness, self.settings.slots
        level = np.logaddexp(series.plain.level(), series.suspect.level()) - np.log(2.0)
        patience = np.log(max(1.0, DAY / self.settings.batch_seconds))
        paged = [int(stream) for stream in np.flatnonzero(series.incidents.open)]
        listed = [*paged, *(stream for stream in degraded(level - patience, share) if stream not in paged)]
        return [None if stream == slots else stream for stream in listed]

    def alarmed(self) -> set[int]:
        """Places of segments, `segments` for `other` and above it for all traffic, about which something is not over:
        an incident, a burst, a fall that waits for the canary, an outage."""
        return self._core.memory.alarmed()

    def forget(self, segments: Collection[int]) -> None:
        """Know nothing more of the segments at these places: others are there from the next batch on.

        All traffic is met anew as well where every segment is, `other` too.
        """
        if segments:
            self._core.memory.forget(segments)
            self._core.forget_reference()

    def state(self) -> Json:
        """Everything as JSON: settings, gold set and memory."""
        return {
            "version": STATE_VERSION,
            "settings": dump(self.settings),
            "gold": dump(self.gold),
            "memory": dump(self._core.memory),
        }

    @classmethod
    def restore(cls, state: Json) -> Self:
        """The monitor that gave this state, with the budget of the state's settings.

        Raises:
            ValueError: not a state, or one of another version.
        """
        if not isinstance(state, Mapping) or state.get("version") != STATE_VERSION:
            found = state.get("version") if isinstance(state, Mapping) else type(state).__name__
            raise ValueError(
                f"a monitor's state of version {found}: this ragvigil reads {STATE_VERSION}; start a new one"
            )
        settings, gold, memory = (load(state.get(part), CLASSES) for part in ("settings", "gold", "memory"))
        if not (
            isinstance(settings, MonitorSettings) and isinstance(gold, GoldSet) and isinstance(memory, Memory)
        ):
            raise ValueError("a monitor's state lacks settings, gold or memory: start a new monitor")
        streams = memory.faithfulness.incidents.fall.size
        if streams != settings.streams:
            raise ValueError(
                f"MonitorSettings.segments is {settings.segments}, the state's memory has {streams - 2}: "
                "restore it with as many, or start a new monitor"
            )
        monitor = cls(settings, gold)
        memory.budget.allow(settings.budget, settings.base_share)
        monitor._core.memory = memory
        return monitor

    def _trip(self, traces: Traces, suspicion: Suspicion, reference: Reference) -> tuple[Tripwire, Booleans]:
        """The tripwire after these cheap scores, and which streams it opens a burst on."""
        core, series = self._core, self._core.memory.faithfulness
        if not (core.instruments.cheap_informative and core.instruments.informative):
            return series.tripwire, np.zeros(self.settings.streams, np.bool_)
        news = read_cheap(traces, suspicion, series.active(), self.settings, core.instruments, reference)
        wire = series.tripwire.after(news)
        opening = opens(series, wire, core.memory.clock.now, self.settings)
        return wire, opening & reference.streams(Series.SUSPECTS)

    def _watch_traffic(self, time: float) -> list[Alert]:
        found = self._core.memory.traffic.thin_hour(self.settings.traffic_share)
        if found is None:
            return []
        return [Alert(time, "ticket", "traffic", None, {"traces": found[0], "a_week_before": found[1]})]

    def _heard(self, alerts: list[Alert]) -> list[Alert]:
        """The alerts that are not muted; none while learning."""
        return [] if self._core.learning() else [alert for alert in alerts if self._audible(alert)]

    def _audible(self, alert: Alert) -> bool:
        """Whether this alert is not muted, and mute the next of its kind."""
        if alert.metric in ("faithfulness", "citation", "retrieval"):
            return True  # where they are decided, it is known what was told
        muted, now = self._core.memory.muted, self._core.memory.clock.now
        # a judge of which nothing is known says so every hour, and must not hide that it has changed
        name = f"{alert.metric} {alert.evidence['why']}" if "why" in alert.evidence else alert.metric
        key, wider = f"{alert.kind} {name} {alert.segment}", f"{alert.kind} {name} None"
        if max(muted.get(key, NEVER), muted.get(wider, NEVER)) > now:
            return False
        muted[key] = now + self.settings.mute_hours * 3600.0
        return True
