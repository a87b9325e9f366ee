"""Faithfulness: tripwire, bursts, bets, canary, page."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ragvigil.scorer.detect.sequential.baseline import Reference
from ragvigil.scorer.detect.sequential.batch import Alert, Booleans, Floats, Integers, sum_by
from ragvigil.scorer.detect.sequential.budget import raise_chances
from ragvigil.scorer.detect.sequential.burst import FUTILE, SIZES, Burst
from ragvigil.scorer.detect.sequential.canary import Canary
from ragvigil.scorer.detect.sequential.e_detector import EDetector
from ragvigil.scorer.detect.sequential.evidence import Suspicion, Verdicts, plain_factors, suspect_factors
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.incidents import Incidents, Recent, whose
from ragvigil.scorer.detect.sequential.settings import DAY, MonitorSettings
from ragvigil.scorer.detect.sequential.tripwire import Tripwire

SEGMENT_FALLS = np.array([0.04, 0.08, 0.15, 0.30, 0.50])
OVERALL_FALLS = np.array([0.02, 0.035, 0.06, 0.12, 0.25])
SEGMENT_TRIPS = np.array([0.08, 0.20])
OVERALL_TRIPS = np.array([0.012, 0.045])
PRIOR_NOISE = 300.0
MOST_CANARIES = 3


@dataclass(slots=True)
class Candidate:
    """A stream whose evidence deserves a page, if it is not the judge."""

    stream: int
    fall: float
    suspects: bool
    evidence: float
    """Nats."""


@dataclass(slots=True)
class Faithfulness:
    """All that is remembered about the faithfulness series. Streams are the slots, then overall."""

    tripwire: Tripwire
    plain: EDetector
    suspect: EDetector
    cooldown: Floats
    """(streams,) no burst by the cheap score before this moment."""
    quiet: Floats
    """(streams,) no burst by the judge's own evidence before this moment."""
    incidents: Incidents
    recent: Recent
    bursts: list[Burst] = field(default_factory=list[Burst])
    pending: list[Candidate] = field(default_factory=list[Candidate])
    canary: Canary = field(default_factory=Canary)
    asked: int = 0
    noise_base: float = 0.0
    noise_full: float = 0.0

    @staticmethod
    def fresh(settings: MonitorSettings) -> Faithfulness:
        """Nothing seen yet."""
        streams, slots = settings.streams, settings.slots
        return Faithfulness(
            Tripwire.fresh(streams, SEGMENT_TRIPS.size),
            EDetector.fresh(streams, SEGMENT_FALLS.size),
            EDetector.fresh(streams, SEGMENT_FALLS.size),
            np.full(streams, -1e18),
            np.full(streams, -1e18),
            Incidents.none(streams),
            Recent.fresh(slots),
        )

    def active(self) -> Booleans:
        """(slots,) what the overall series is summed over."""
        return ~self.incidents.open[:-1]

    def running(self) -> Booleans:
        """(streams,) without an open incident; overall also not while it is itself one."""
        return ~self.incidents.open

    def tripped(
        self,
        residual: Floats,
        traces: Floats,
        now: float,
        settings: MonitorSettings,
        instruments: Instruments,
        reference: Reference,
    ) -> tuple[Tripwire, Booleans]:
        """The tripwire after a batch's cheap scores, and (streams,) which streams it opens a burst on.

        `residual` (slots,) is the sum of suspicion less normal, `traces` (slots,) how many had a score.
        """
        active = self.active()
        allowance = reference.cheap_error + settings.tolerance * instruments.separation
        own = residual - traces * allowance
        total = float((residual - traces * 0.5 * settings.tolerance * instruments.separation)[active].sum())
        noise = float((reference.cheap_noise * traces)[active].sum() / max(traces[active].sum(), 1.0))
        noises = np.append(reference.cheap_noise, noise if noise > 0.0 else 1.0)
        shift = (
            np.vstack([np.tile(SEGMENT_TRIPS, (residual.size, 1)), OVERALL_TRIPS]) * instruments.separation
        )
        wire = self.tripwire.after(
            np.append(own, total), np.append(traces, traces[active].sum()), noises, shift
        )
        busy = np.zeros(residual.size + 1, np.bool_)
        for burst in self.bursts:
            busy[burst.stream] |= burst.suspects
        opens = (wire.level() > settings.trip) & ~busy & self.running() & (self.cooldown <= now)
        return wire, opens

    def wish(
        self,
        base: Floats,
        slot: Integers,
        suspicion: Suspicion,
        opens: Booleans,
        settings: MonitorSettings,
        credit: float,
    ) -> Floats:
        """Inclusion probabilities with the bursts in them, at most `credit` calls above `base`.

        A burst by the cheap score also turns half of its stream's base towards the suspects, so that it works
        when nothing is saved. All traffic is served first; the segments share at most half of what is left.
        """
        overall = settings.slots
        doubts = 6.0 * suspicion.plain / np.sqrt(suspicion.noise)
        wanted = [(b.stream, b.suspects, _cap(b.stream, settings) - b.spent) for b in self.bursts]
        wanted += [(int(stream), True, _cap(int(stream), settings)) for stream in np.flatnonzero(opens)]
        wanted.sort(key=lambda burst: (burst[0] != overall, not burst[1]))
        chance = base
        for stream, suspects, left in wanted:
            inside = self._inside(stream)[slot]
            freed = 0.0
            if suspects:
                turned = np.where(inside, np.minimum(chance, 0.5 * base), chance)
                freed, chance = float((chance - turned).sum()), turned
            calls = freed + max(0.0, min(left, credit if stream == overall else 0.5 * credit))
            raised = raise_chances(chance, np.where(inside, doubts if suspects else 1.0, 0.0), calls)
            credit -= float((raised - chance).sum()) - freed
            chance = raised
        return chance

    def _inside(self, stream: int) -> Booleans:
        """(slots,) what belongs to a stream."""
        slots = self.incidents.fall.size - 1
        return self.active() if stream == slots else np.arange(slots) == stream

    def open_bursts(self, opens: Booleans, now: float, instruments: Instruments) -> None:
        """Open a burst where the tripwire did."""
        falls = self.tripwire.mean_rise() / max(instruments.separation, 1e-3)
        for stream in np.flatnonzero(opens):
            fall = float(np.clip(falls[stream], 0.02 if stream == opens.size - 1 else 0.04, 0.40))
            self.bursts.append(Burst(int(stream), True, now, fall, np.zeros(SIZES.size)))

    def weigh(
        self,
        verdicts: Verdicts,
        days: float,
        settings: MonitorSettings,
        instruments: Instruments,
        reference: Reference,
    ) -> None:
        """Take one batch of verdicts: update every bet."""
        slots = settings.slots
        youden, signal = instruments.youden, instruments.signal
        tolerance = settings.tolerance
        overall_fall = self.incidents.fall[-1] * 1.5 + (0.05 if self.incidents.open[-1] else 0.0)
        allowed = tolerance + overall_fall
        q_own = reference.passed - allowed * youden - reference.passed_error
        q_all = reference.passed - tolerance * youden - reference.passed_error_overall
        u_own = reference.flags + allowed * signal + reference.flags_error
        u_all = reference.flags + tolerance * signal + reference.flags_error_overall
        own_falls, all_falls = np.tile(SEGMENT_FALLS, (slots, 1)), np.tile(OVERALL_FALLS, (slots, 1))
        noise, careful = self._noise(verdicts, instruments.surprise)
        active = self.active()
        own = plain_factors(verdicts, q_own, own_falls * youden, slots)
        total = plain_factors(verdicts, q_all, all_falls * youden, slots)[active].sum(axis=0)
        self.plain.update(np.vstack([own, total]), self.running())
        if instruments.cheap_informative:
            own = suspect_factors(verdicts, u_own, own_falls * signal, careful, slots)
            total = suspect_factors(verdicts, u_all, all_falls * signal, careful, slots)[active].sum(axis=0)
            self.suspect.update(np.vstack([own, total]), self.running())
        for burst in self.bursts:
            if burst.suspects:
                margin = u_all if burst.stream == slots else u_own
                self._bet(burst, verdicts, margin, noise, tolerance * signal, signal, reference)
        self.recent.update(verdicts, reference.flags, reference.passed, days)

    def _noise(self, verdicts: Verdicts, surprise: float) -> tuple[Floats, Floats]:
        """(slots, 2) `suspect_factors`' noise at this batch's probabilities; and without what this batch decided.

        The second is for bets that also run on the batch whose cheap scores opened a burst: a stake that
        depended on those scores would favour the batches in which they were high.
        """
        traces = verdicts.traces
        bursting, fresh = np.zeros(traces.size, np.bool_), np.zeros(traces.size, np.bool_)
        for burst in self.bursts:
            (fresh if burst.fresh else bursting)[self._inside(burst.stream)] = True
        quiet = ~bursting & ~fresh
        if (count := traces[quiet].sum()) > 0.0:
            share = min(0.2, count / 20_000.0) if self.noise_base else 1.0
            base, full = verdicts.noise[quiet].sum() / count, verdicts.noise_unsampled[quiet].sum() / count
            self.noise_base += share * (float(base) - self.noise_base)
            self.noise_full += share * (float(full) - self.noise_full)
        prior = np.where(bursting | fresh, self.noise_full * 1.2, self.noise_base)
        noise = np.maximum((verdicts.noise + PRIOR_NOISE * prior) / (traces + PRIOR_NOISE), 1e-4)
        careful = np.where(fresh & ~bursting, max(self.noise_base, 1e-4), noise)
        full = max(self.noise_full, 1e-5)
        return _with_surprise(noise, full, surprise), _with_surprise(careful, full, surprise)

    def _bet(
        self,
        burst: Burst,
        verdicts: Verdicts,
        margin: Floats,
        noise: Floats,
        tolerance: float,
        signal: float,
        reference: Reference,
    ) -> None:
        """One batch of a burst's own bets."""
        slots = margin.size
        inside = self._inside(burst.stream)
        shift = np.tile(np.clip(SIZES * burst.fall, 0.015, 0.6) * signal, (slots, 1))
        flags = np.full(slots, tolerance) if burst.fresh else margin
        factors = suspect_factors(verdicts, flags, shift, noise, slots, conditional=burst.fresh)
        burst.log = burst.log + factors[inside].sum(axis=0)
        if not burst.fresh:
            excess = sum_by(verdicts.slot, verdicts.excess, slots) - reference.flags * verdicts.traces
            burst.excess += float(excess[inside].sum())
            burst.noise += float(verdicts.noise[inside].sum())
            burst.traces += float(verdicts.traces[inside].sum())

    def candidates(self, settings: MonitorSettings, suppressed: Booleans) -> list[Candidate]:
        """Streams whose evidence is beyond the limit, unless a root cause has been paged for."""
        found: dict[int, Candidate] = {}
        sizes = fall_sizes(settings.slots)
        for detector, suspects in ((self.plain, False), (self.suspect, True)):
            level, likely = detector.level(), detector.size(sizes)
            for stream in np.flatnonzero((level > settings.ceiling) & self.running() & ~suppressed):
                at = int(stream)
                found[at] = Candidate(at, float(likely[at]), suspects, float(level[at]))
        limit = -float(np.log(settings.confirm))
        for burst in self.bursts:
            if burst.suspects and burst.level() > limit and not suppressed[burst.stream]:
                weight = np.exp(burst.log - burst.log.max())
                fall = burst.fall * float(SIZES @ weight) / float(weight.sum())
                found.setdefault(burst.stream, Candidate(burst.stream, fall, True, burst.level()))
        return list(found.values())

    def tend_bursts(
        self, now: float, settings: MonitorSettings, instruments: Instruments
    ) -> list[tuple[int, float]]:
        """Close the bursts that are over, open those that the judge's own evidence asks for.

        Returns (stream, change of normal suspicion) for each burst in which the judge disagreed.
        """
        disagreed: list[tuple[int, float]] = []
        kept: list[Burst] = []
        levels = np.maximum(self.plain.level(), -60.0)
        signal = instruments.signal
        for burst in self.bursts:
            burst.fresh = False
            old = now - burst.opened > settings.burst_hours * 3600.0
            if not burst.suspects:
                if (
                    not old
                    and levels[burst.stream] > settings.suspicion - 3.0
                    and burst.spent < settings.burst_cap
                ):
                    kept.append(burst)
                else:
                    self.cooldown[burst.stream] = max(self.cooldown[burst.stream], now)
                continue
            if not old and burst.level() > FUTILE:
                kept.append(burst)
                continue
            shown = float(self.tripwire.mean_rise()[burst.stream]) / max(instruments.separation, 1e-3)
            judged, error = burst.judged_fall(signal)
            unexplained = max(0.0, shown - float(np.clip(judged + error, 0.0, None)))
            disagreed.append((burst.stream, unexplained * instruments.separation))
            self.cooldown[burst.stream] = now + settings.cooldown_hours * 3600.0
            streams = np.arange(self.cooldown.size) == burst.stream
            self.tripwire.restart(streams)
        self.bursts = kept
        self._open_on_evidence(now, settings)
        return disagreed

    def _open_on_evidence(self, now: float, settings: MonitorSettings) -> None:
        """Open bursts where verdicts alone are suspicious."""
        levels, free = self.plain.level(), self.running() & (self.quiet <= now)
        watched = {burst.stream for burst in self.bursts if not burst.suspects}
        for stream in np.flatnonzero((levels > settings.suspicion) & free):
            if int(stream) not in watched:
                self.bursts.append(Burst(int(stream), False, now, 0.05, np.zeros(SIZES.size), fresh=False))
        levels = self.suspect.level()
        watched = {burst.stream for burst in self.bursts if burst.suspects}
        sizes = self.suspect.size(fall_sizes(settings.slots))
        for stream in np.flatnonzero((levels > settings.suspicion - 1.0) & free & (self.cooldown <= now)):
            if int(stream) not in watched:
                fall = float(sizes[stream])
                self.bursts.append(Burst(int(stream), True, now, fall, np.zeros(SIZES.size), fresh=False))

    def nearly(self, settings: MonitorSettings) -> bool:
        """Whether a candidate is near enough to ask the canary now, so that its answer does not cost a batch."""
        limit = -0.6 * float(np.log(settings.confirm))
        if any(burst.suspects and burst.level() > limit for burst in self.bursts):
            return True
        highest = np.maximum(self.plain.level(), self.suspect.level())[self.running()]
        return bool((highest > settings.ceiling - 2.5).any())

    def settle(self, now: float, time: float, instruments: Instruments) -> tuple[list[Alert], float | None]:
        """Decide what is pending by the canary: (pages, None), or ([], dp) when it was the judge by dp.

        ([], None) while the canary is unsure; after three replies its best guess decides.
        """
        worst = max(self.pending, key=lambda candidate: candidate.evidence)
        fall = worst.fall * instruments.youden
        if worst.suspects:
            fall = worst.fall * instruments.signal / max(instruments.weight_faithful, 1e-3)
        answer = self.canary.explains(fall)
        if answer == "unsure" and self.asked < MOST_CANARIES:
            return [], None
        if answer == "judge" or (answer == "unsure" and -self.canary.mean > 0.5 * fall):
            change = self.canary.mean
            self.restart_bets()
            return [], change
        return self._page(worst, now, time), None

    def _page(self, worst: Candidate, now: float, time: float) -> list[Alert]:
        overall = self.incidents.fall.size - 1
        streams = np.zeros(overall + 1, np.bool_)
        by_stream = {candidate.stream: candidate for candidate in self.pending}
        streams[list(by_stream)] = True
        alerts: list[Alert] = []
        for stream in whose(streams, self.recent, worst.suspects):
            if self.incidents.open[stream]:
                continue
            candidate = by_stream.get(stream, worst)
            evidence: dict[str, float | str] = {
                "fall": round(candidate.fall, 4),
                "nats": round(candidate.evidence, 2),
                "family": "suspect verdicts" if candidate.suspects else "all verdicts",
                "canary_change": round(self.canary.mean, 4),
                "canary_n": self.canary.count,
            }
            alerts.append(
                Alert(time, "page", "faithfulness", None if stream == overall else stream, evidence)
            )
            self.incidents.begin(stream, candidate.fall, now, candidate.suspects)
            restart = np.arange(overall + 1) == stream
            restart[overall] = True
            self._restart(np.ones(overall + 1, np.bool_) if stream == overall else restart)
        self.pending, self.asked = [], 0
        return alerts

    def _restart(self, streams: Booleans) -> None:
        self.plain.restart(streams)
        self.suspect.restart(streams)
        self.tripwire.restart(streams)
        self.bursts = [burst for burst in self.bursts if not streams[burst.stream]]

    def restart_bets(self) -> None:
        """Start over on every stream: the judge is another one."""
        self._restart(np.ones(self.incidents.fall.size, np.bool_))
        self.recent = Recent.fresh(self.incidents.fall.size - 1)
        self.pending, self.asked = [], 0
        self.canary.clear()

    def close_incidents(self, now: float, settings: MonitorSettings, instruments: Instruments) -> None:
        """Close what is over, and watch those streams again from nothing."""
        signal = instruments.signal
        closed = self.incidents.end(
            self.recent, now, settings.mute_hours * 3600.0 / DAY, instruments.youden, signal
        )
        if closed.any():
            closed[-1] = True
            self._restart(closed)


def _with_surprise(noise: Floats, full: float, surprise: float) -> Floats:
    """(slots, 2) noise, and what a rise of the mean by 1 adds: `surprise`, grown by 1/pi as the noise has."""
    return np.stack([noise, surprise * np.maximum(noise / full, 1.0)], axis=1)


def fall_sizes(slots: int) -> Floats:
    """(streams, k) falls of the faithful share that the always-on bets are placed on."""
    return np.vstack([np.tile(SEGMENT_FALLS, (slots, 1)), OVERALL_FALLS])


def _cap(stream: int, settings: MonitorSettings) -> float:
    """Most calls that a burst on this stream adds."""
    return settings.burst_cap * (1.0 if stream == settings.slots else 0.25)
