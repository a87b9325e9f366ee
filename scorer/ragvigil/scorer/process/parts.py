"""The parts of a scorer as its settings describe them, for a running one and for a replay alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from ragvigil.scorer import config
from ragvigil.scorer.assembly.assemble import Assembler
from ragvigil.scorer.diagnose.diagnoser import Diagnoser
from ragvigil.scorer.dialects import Dialect
from ragvigil.scorer.incidents.deliver import Channel
from ragvigil.scorer.monitoring import told_in
from ragvigil.scorer.redact.payload import Redaction
from ragvigil.scorer.sample import Budget, Spent
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.scoring.draws import SamplePlan
from ragvigil.scorer.scoring.filtering import Filters
from ragvigil.scorer.scoring.pipeline import Inbox, Pipeline
from ragvigil.scorer.scoring.usual_style import UsualStyles
from ragvigil.scorer.store.sqlite import SqliteStore
from ragvigil.scorer.watch.gold import Labels
from ragvigil.scorer.watch.watcher import Watcher


def pipeline_of(
    settings: config.Settings,
    *,
    inbox: Inbox,
    store: SqliteStore,
    redaction: Redaction,
    dialects: Sequence[Dialect],
    now: Callable[[], int] = time.time_ns,
    ticks: Callable[[], int] = time.monotonic_ns,
    spent: Callable[[], tuple[Spent, Spent]] | None = None,
) -> Pipeline:
    """From the inbox to the stored scores.

    `spent` says what everybody spent in about a minute, and in about a day, without the calls of this process; None:
    nobody but this process spends anything.
    """
    usual = UsualStyles()
    usual.recall((one.service, one.style, one.share, one.markers) for one in store.citation_styles())
    return Pipeline(
        inbox=inbox,
        assembler=Assembler(settings.assemble),
        store=store.records,
        plan=SamplePlan(
            settings.sample.rate if settings.judge.kind != "none" else 0.0,
            settings.judge.max_jobs,
            Budget(
                at_least_per_day=settings.sample.minimum_per_day,
                calls_per_minute=settings.sample.calls_per_minute,
                tokens_per_minute=settings.sample.tokens_per_minute,
                usd_per_minute=settings.sample.usd_per_minute,
                tokens_per_day=settings.sample.tokens_per_day,
                usd_per_day=settings.sample.usd_per_day,
                floor=settings.sample.floor,
                informative=settings.sample.informative,
                most_strata=settings.sample.most_strata,
            ),
            spent or (lambda: (Spent(), Spent())),
            spent is not None,
            told_in(settings.monitor.page_environments),
            store.watching.in_incident,
            settings.sample.signals,
        ),
        redaction=redaction,
        dialects=dialects,
        filters=Filters(settings.active_filters),
        checking=Checking(
            settings.citations, settings.budgets, settings.custom_checks, usual, settings.content.kept
        ),
        now=now,
        ticks=ticks,
    )


def watcher_of(
    settings: config.Settings,
    store: SqliteStore,
    pipeline: Pipeline,
    labels: Labels,
    *,
    channels: Sequence[str],
    diagnoser: Diagnoser,
    ticks: Callable[[], int] | None = None,
) -> Watcher:
    """The sequential detectors beside a pipeline; `ticks` is a clock that nobody sets, None in a replay."""
    return Watcher(
        store.watching,
        settings,
        labels,
        channels,
        sampler=pipeline.sampler,
        room=pipeline.room.left,
        diagnoser=diagnoser,
        ticks=ticks,
    )


def channels(configured: Mapping[str, config.Channel]) -> dict[str, Channel]:
    """The channels of a configuration, by name."""
    return {name: section.channel() for name, section in configured.items()}
