"""What a detector's core is told of the configuration."""

from __future__ import annotations

from ragvigil.scorer import config
from ragvigil.scorer.detect import MonitorSettings


def core_settings(settings: config.Settings) -> MonitorSettings:
    """What the core is told: its budget is what is drawn at arrival, and what bursts and canaries add."""
    rate, extra = settings.sample.rate, settings.detect.burst_share
    budget = min(1.0, rate + extra)
    return MonitorSettings(
        segments=settings.detect.segments,
        budget=budget,
        base_share=min(1.0, max(rate / budget, 0.01)),
        batch_seconds=settings.detect.batch_seconds,
        learning_days=settings.detect.learning_days,
        slo=settings.detect.slo,
        burn=settings.detect.burn,
    )
