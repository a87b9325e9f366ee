"""From candidates to pages: was it the judge, whose fall is it, and what is said."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Alert
from ragvigil.scorer.detect.sequential.faithfulness import Candidate, Faithfulness
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.incidents import LATEST_DAYS, MEMORY_DAYS, whose

MOST_CANARIES = 3
"""After so many replies the best guess decides."""


def settle(
    series: Faithfulness, now: float, time: float, instruments: Instruments
) -> tuple[list[Alert], float | None]:
    """Decide what is pending by the canary: (pages, None), or ([], dp) when it was the judge by dp.

    ([], None) while the canary is unsure; after three replies its best guess decides, unless a page is open.
    """
    worst = max(series.pending, key=lambda candidate: candidate.evidence)
    least, most = _seen(series, worst, instruments)
    fall = min(worst.fall * instruments.youden, most)
    answer = series.canary.explains(fall, least)
    if answer == "unsure" and series.asked < MOST_CANARIES:
        return [], None
    if answer == "judge" or (answer == "unsure" and series.canary.likelier_the_judge(fall)):
        if series.incidents.open.any() and not series.canary.moved:
            _wait(series)
            return [], None
        return [], series.canary.mean
    return _page(series, worst, now, time, instruments), None


def _page(
    series: Faithfulness, worst: Candidate, now: float, time: float, instruments: Instruments
) -> list[Alert]:
    overall = series.incidents.fall.size - 1
    streams = np.zeros(overall + 1, np.bool_)
    by_stream = {candidate.stream: candidate for candidate in series.pending}
    streams[list(by_stream)] = True
    alerts: list[Alert] = []
    others_rose = series.tripwire.others_rose
    named = [candidate.stream for candidate in series.pending if candidate.beyond]
    for stream in named or whose(streams, series.recent, worst.suspects, series.active(), others_rose):
        if series.incidents.open[stream]:
            continue
        candidate = by_stream.get(stream, worst)
        evidence: dict[str, float | str] = {
            "fall": round(candidate.fall, 4),
            "nats": round(candidate.evidence, 2),
            "family": "suspect verdicts" if candidate.suspects else "all verdicts",
            "canary_change": round(series.canary.mean, 4),
            "canary_n": series.canary.count,
            **_lately(series, stream, candidate.suspects, instruments),
        }
        alerts.append(Alert(time, "page", "faithfulness", None if stream == overall else stream, evidence))
        series.incidents.begin(stream, candidate.fall, now, candidate.suspects)
        restart = np.arange(overall + 1) == stream
        restart[overall] = True
        series.restart(np.ones(overall + 1, np.bool_) if stream == overall else restart)
    series.pending, series.asked = [], 0
    return alerts


def _wait(series: Faithfulness) -> None:
    """Forget what is pending: its evidence has to grow again.

    While a page is open nothing is urgent, the fault itself is what the candidates see, and a few flickering verdicts
    are no reason to call it normal.
    """
    streams = np.zeros(series.incidents.fall.size, np.bool_)
    streams[[candidate.stream for candidate in series.pending]] = True
    series.restart(streams)
    series.pending, series.asked = [], 0


def _lately(
    series: Faithfulness, stream: int, suspects: bool, instruments: Instruments
) -> dict[str, float | str]:
    """The fall of the faithful share, its 95 % interval, and of how many traces or verdicts: over about two hours or
    half a day, whichever shows it more clearly.

    `fall` is the size on which the bets won; this is what the verdicts themselves show, where there are any.
    """
    inside = series.inside(stream) if stream < series.incidents.fall.size - 1 else series.active()
    found: list[tuple[float, dict[str, float | str]]] = []
    for recent, days in ((series.recent, MEMORY_DAYS), (series.latest, LATEST_DAYS)):
        shown, noise = (float(part[inside].sum()) for part in recent.blame(suspects))
        n = float((recent.traces if suspects else recent.weight)[inside].sum())
        if n < 1.0:
            continue
        scale = n * instruments.response(suspects)
        middle, half = shown / scale, 1.96 * float(np.sqrt(noise + 1.0)) / scale
        figures: dict[str, float | str] = {
            "seen": round(middle, 4),
            "lower": round(middle - half, 4),
            "upper": round(middle + half, 4),
            "n": round(n),
            "n_of": "traces" if suspects else "verdicts",
            "hours": round(24.0 * days),
        }
        found.append((middle / half, figures))
    return max(found, key=lambda one: one[0])[1] if found else {}


def _seen(series: Faithfulness, candidate: Candidate, instruments: Instruments) -> tuple[float, float]:
    """(least, most) fall of the pass rate that verdicts of about half a day show: the bets may have guessed wildly."""
    recent, overall = series.recent, series.incidents.fall.size - 1
    inside = series.inside(candidate.stream) if candidate.stream < overall else series.active()
    weight = max(float(recent.weight[inside].sum()), 1.0)
    gain, error = float(recent.gain[inside].sum()), float(np.sqrt(recent.gain_noise[inside].sum() + 1.0))
    least, most = (gain - 2.0 * error) / weight, (gain + error) / weight
    if not candidate.suspects:
        return least, most
    traces = max(float(recent.traces[inside].sum()), 1.0) * max(instruments.weight_faithful, 1e-3)
    excess, error = float(recent.excess[inside].sum()), float(np.sqrt(recent.noise[inside].sum() + 1.0))
    return max(least, (excess - 2.0 * error) / traces), max(most, (excess + error) / traces)
