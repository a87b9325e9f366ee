"""From candidates to pages: was it the judge, whose fall is it, and what is said."""

from __future__ import annotations

import numpy as np

from ragvigil.scorer.detect.sequential.batch import Alert
from ragvigil.scorer.detect.sequential.faithfulness import Candidate, Faithfulness
from ragvigil.scorer.detect.sequential.gold import Instruments
from ragvigil.scorer.detect.sequential.incidents import whose

MOST_CANARIES = 3
"""After so many replies the best guess decides."""


def settle(
    series: Faithfulness, now: float, time: float, instruments: Instruments
) -> tuple[list[Alert], float | None]:
    """Decide what is pending by the canary: (pages, None), or ([], dp) when it was the judge by dp.

    ([], None) while the canary is unsure; after three replies its best guess decides.
    """
    worst = max(series.pending, key=lambda candidate: candidate.evidence)
    least, most = _seen(series, worst, instruments)
    fall = min(worst.fall * instruments.youden, most)
    answer = series.canary.explains(fall, least)
    if answer == "unsure" and series.asked < MOST_CANARIES:
        return [], None
    if answer == "judge" or (answer == "unsure" and series.canary.likelier_the_judge(fall)):
        change = series.canary.mean
        return [], change
    return _page(series, worst, now, time), None


def _page(series: Faithfulness, worst: Candidate, now: float, time: float) -> list[Alert]:
    overall = series.incidents.fall.size - 1
    streams = np.zeros(overall + 1, np.bool_)
    by_stream = {candidate.stream: candidate for candidate in series.pending}
    streams[list(by_stream)] = True
    alerts: list[Alert] = []
    others_rose = series.tripwire.others_rose
    for stream in whose(streams, series.recent, worst.suspects, series.active(), others_rose):
        if series.incidents.open[stream]:
            continue
        candidate = by_stream.get(stream, worst)
        evidence: dict[str, float | str] = {
            "fall": round(candidate.fall, 4),
            "nats": round(candidate.evidence, 2),
            "family": "suspect verdicts" if candidate.suspects else "all verdicts",
            "canary_change": round(series.canary.mean, 4),
            "canary_n": series.canary.count,
        }
        alerts.append(Alert(time, "page", "faithfulness", None if stream == overall else stream, evidence))
        series.incidents.begin(stream, candidate.fall, now, candidate.suspects)
        restart = np.arange(overall + 1) == stream
        restart[overall] = True
        series.restart(np.ones(overall + 1, np.bool_) if stream == overall else restart)
    series.pending, series.asked = [], 0
    return alerts


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
