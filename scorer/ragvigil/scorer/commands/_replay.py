"""``ragvigil replay``."""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._learned import learned
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._progress import progress
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragvigil.exporters import Alert
    from ragvigil.scorer.estimate import Estimate
    from ragvigil.scorer.monitoring import SeriesKey, Sums
    from ragvigil.scorer.replay.learning import Learning
    from ragvigil.scorer.replay.load import Loaded
    from ragvigil.scorer.replay.recording import Recording
    from ragvigil.scorer.replay.run import Replayed
    from ragvigil.scorer.store.reading import SeriesStatus

_NAMED = 3
_EVER = 2**63 - 1
_SPEED = re.compile(r"(\d+(?:\.\d+)?)x?")


def replay(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="OTLP: protobuf or JSON, gzip or zstd too; *.logs.* holds log records; - reads standard input.",
        ),
    ],
    config: ConfigOption = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="URL", help="Where the scores stay; default: nowhere, only the summary."
        ),
    ] = None,
    speed: Annotated[
        str,
        typer.Option(metavar="100x|max", help="How much faster than it happened; max: as fast as it goes."),
    ] = "max",
    to: Annotated[
        str | None,
        typer.Option(metavar="URL", help="Send to a running scorer over OTLP/HTTP instead, at --speed."),
    ] = None,
    page: Annotated[
        bool,
        typer.Option("--page", help="Send the alerts to the configured channels; without it they are shown."),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Replay recorded traces through the whole scorer on the recording's own clock, and show what it finds.

    Each series is told with its rate over all that was replayed, and the state in which the end leaves it: no_data
    where nothing came any more, cold_start where it was too short for a baseline. A recording shorter than twice the
    usual learning time is learned from for its first third, unless you set that time. The last lines say what could
    have paged in so much history, and what takes more.

    The same recording, settings and versions give the same scores bit for bit, in whatever order and files the
    spans come. A line that cannot be read is named and left out; exit code 1 when there was one, 2 when nothing is
    left.
    """
    from ragvigil.scorer.replay.load import load
    from ragvigil.scorer.replay.recording import Recording

    factor = _factor(speed)
    _check(to, config, store, page=page)
    began = time.monotonic()
    with Recording() as recording:
        with progress("reading"):
            loaded = load(files, recording)
        if not loaded.events:
            raise InputError(", ".join(map(str, files[:_NAMED])), "nothing in it can be replayed")
        shown, lines = (
            scored(recording, config, store, factor, page=page)
            if to is None
            else _sent(recording, to, factor)
        )
    say(_told(loaded, shown, lines, time.monotonic() - began, as_json=as_json), whole=as_json)
    return 1 if loaded.unreadable else 0


def _told(
    loaded: Loaded, shown: dict[str, object], lines: Sequence[str], seconds: float, *, as_json: bool
) -> str:
    """What was read and what came of it, for programs or for people."""
    if as_json:
        read = {"events": loaded.events, "unreadable": loaded.unreadable}
        return json.dumps(read | shown | {"seconds": round(seconds, 3)}, ensure_ascii=False)
    unread = f"; {loaded.unreadable:,} could not be read" if loaded.unreadable else ""
    return "\n".join([f"{loaded.events:,} spans and log records in {seconds:,.1f} s{unread}", *lines])


def _check(to: str | None, config: Path | None, store: str | None, *, page: bool) -> None:
    """Before a recording of gigabytes is read. Raises ConfigError."""
    if to is None:
        settings_of(config, store)
        return
    from ragvigil.scorer.replay.send import client_of

    given = {"--config": config, "--store": store, "--page": page or None}
    idle = ", ".join(option for option, value in given.items() if value is not None)
    if idle:
        raise ConfigError("--to", f"leaves {idle} without effect", "the scorer there has its own settings")
    client_of(to).close()


def _sent(recording: Recording, to: str, factor: float | None) -> tuple[dict[str, object], list[str]]:
    from ragvigil.scorer.replay.send import client_of, send

    with client_of(to) as client:
        sent = send(recording, client, speed=factor)
    rejected = f"; {sent.rejected:,} were rejected there" if sent.rejected else ""
    shown: dict[str, object] = {"sent": sent.events, "rejected": sent.rejected}
    return shown, [f"{sent.events:,} spans and log records sent to {to}{rejected}"]


def scored(
    recording: Recording, config: Path | None, store: str | None, factor: float | None, *, page: bool
) -> tuple[dict[str, object], list[str]]:
    """Replay a recording and sum up what was found, for programs and for people."""
    from ragvigil.scorer.replay.into_store import replay_into
    from ragvigil.scorer.replay.learning import fitted

    with tempfile.TemporaryDirectory(prefix="ragvigil-replay-") as scratch:
        learning = fitted(settings_of(config, store or f"sqlite:///{scratch}/replay.db"), recording.extent)
        with progress("replaying") as tell:
            seen = _share_of(recording, tell)
            done = replay_into(recording, learning.settings, speed=factor, page=page, seen=seen)
        return _summary(learning, done)


def _share_of(recording: Recording, tell: Callable[[float], None]) -> Callable[[int], None]:
    """Tells the share of the recording's time that is over at a moment of it."""
    began, ended = recording.extent
    return lambda moment: tell(min(1.0, (moment - began) / max(ended - began, 1)))


def _summary(learning: Learning, done: Replayed) -> tuple[dict[str, object], list[str]]:
    from ragvigil.exporters import clean
    from ragvigil.scorer.commands import _upstream
    from ragvigil.scorer.store import reading
    from ragvigil.scorer.store._sqlite_monitoring import SqliteMonitoring
    from ragvigil.scorer.store.upstream import upstream

    with closing(reading.open_for_reading(learning.settings.store.path)) as connection:
        ledger = reading.ledger(connection)
        verdicts = reading.verdicts(connection)
        held = SqliteMonitoring(connection, {})
        series = [_held(one, held.sums(one.key, 0, _EVER)) for one in reading.series(connection)]
        first = {one.key: held.first_seen(one.key) or 0 for one in series}
        sampling = upstream(connection, 0)
    ended = None if done.began is None else _moment(done.ended)
    shown: dict[str, object] = {
        "began": _moment(done.began),
        "ended": ended,
        "records": ledger.ingested,
        "states": ledger.told,
        "balanced": ledger.balanced,
        "verdicts": verdicts,
        "series": [one.shown for one in series],
        "upstream_sampling": _upstream.shown(sampling),
        "alerts": list(map(_alert, done.alerts)),
        "learned": (notes := learned(first, learning, done.ended)),
    }
    width = max([13, *(len(one.key.name) for one in series)])
    lines = [
        f"from {_moment(done.began) or '-'} to {ended or '-'}",
        f"{ledger.ingested:,} records: {_counts(ledger.told)}",
        f"verdicts: {_counts(verdicts)}",
        *(one.told(width) for one in series),
        *_upstream.told(sampling),
        *(f"{_utc(alert.at)}  {alert.action}: {clean(alert.title, limit=200)}" for alert in done.alerts),
        f"{len(done.alerts)} alerts",
        *notes,
    ]
    return shown, lines


@dataclass(frozen=True, slots=True)
class _Held:
    """A series, with its rate over all that the store holds of it; None with too few observations."""

    key: SeriesKey
    state: str
    n: int
    rate: Estimate | None

    @property
    def shown(self) -> dict[str, object]:
        """For programs."""
        name, service, environment = self.key
        found = self.rate
        rate = found and {
            "value": found.value,
            "lower": found.lower,
            "upper": found.upper,
            "n": found.n_judged,
        }
        return {
            "series": name,
            "service": service,
            "environment": environment,
            "state": self.state,
            "rate": rate,
        }

    def told(self, width: int) -> str:
        """For people; `width` is that of the column of names."""
        from ragvigil.exporters import clean, shown
        from ragvigil.scorer.incidents.life import measurement

        rate = (
            f"too few for a rate (n={self.n:,})"
            if self.rate is None
            else f"{shown(measurement(self.rate))}, n={self.n:,}"
        )
        service = clean(self.key.service, limit=40)
        return f"{self.key.name:<{width}} {service:<20} {rate}; at the end: {self.state}"


def _held(one: SeriesStatus, sums: Sums) -> _Held:
    from ragvigil.scorer.estimate import rate

    return _Held(one.key, one.state, sums.n, rate(sums))


def _alert(alert: Alert) -> dict[str, object]:
    return {
        "action": alert.action,
        "at": _utc(alert.at),
        "dedup_key": alert.dedup_key,
        "title": alert.title,
        "summary": alert.summary,
    }


def _counts(counts: Mapping[str, int]) -> str:
    ordered: Sequence[tuple[str, int]] = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {count:,}" for name, count in ordered) or "none"


def _moment(nanoseconds: int | None) -> str | None:
    if nanoseconds is None:
        return None
    return _utc(datetime.fromtimestamp(nanoseconds // 10**9, UTC))


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _factor(speed: str) -> float | None:
    """How much faster than it happened; None without a limit."""
    if speed == "max":
        return None
    found = _SPEED.fullmatch(speed)
    if found is None or float(found[1]) <= 0:
        raise ConfigError("--speed", f"cannot be {speed!r}", "say 100x, 1x or max")
    return float(found[1])
