"""``ragvigil backtest``."""

from __future__ import annotations

import json
import sqlite3
import tempfile
import time
import tomllib
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ragvigil.scorer.commands._moments import open_stretch, utc
from ragvigil.scorer.commands._options import WHEN, ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError
from ragvigil.scorer.moments import dated

if TYPE_CHECKING:
    from ragvigil.scorer.backtest.backtest import Compared, Outcome
    from ragvigil.scorer.backtest.paged import Paged
    from ragvigil.scorer.config import Settings

_RULES = ("monitor", "detect")
_MOST_SHOWN = 50


def backtest(
    rule: Annotated[
        list[str],
        typer.Option(
            "--rule",
            metavar="KEY=VALUE|FILE",
            help="What is to be other: monitor.faithfulness.min_drop=0.03, or a TOML file; may be given again.",
        ),
    ],
    history: Annotated[
        list[Path] | None,
        typer.Option(
            "--history", metavar="FILE", help="A store, or recorded OTLP; default: the configured store."
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar=WHEN, help="How far back: 90m, 24h, 7d, 2w, or a moment; default: all."),
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar=WHEN, help="Up to when, likewise; default: the end.")
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say how often another rule would have paged in your own history, when, and on which evidence.

    The present rules go over the same history beside it. Only what is stored counts; nothing is judged again and
    nobody is told.
    """
    from ragvigil.scorer.backtest.backtest import backtest as run

    present = settings_of(config, store)
    other = _other(config, store, rule)
    begin, end = open_stretch(since, until, now=time.time_ns())
    with _history(present, history or []) as connection:
        found = run(connection, present, other, since=begin, until=end)
    if found is None:
        raise ConfigError("--history", "holds no records")
    say(json.dumps(dated(_object(found))) if as_json else "\n".join(_lines(found, rule)), whole=as_json)
    return 0


@contextmanager
def _history(settings: Settings, files: Sequence[Path]) -> Generator[sqlite3.Connection]:
    """A connection to the store, or to a scratch store into which recordings were replayed."""
    from ragvigil.scorer.store import reading

    if not files:
        with closing(reading.open_for_reading(settings.store.path)) as connection:
            yield connection
        return
    if len(files) == 1 and _is_store(files[0]):
        with closing(reading.open_for_reading(files[0])) as connection:
            yield connection
        return
    if any(_is_store(file) for file in files):
        raise ConfigError("--history", "can be one store, or recordings", "run once for each store")
    from ragvigil.scorer.replay.into_store import replay_into
    from ragvigil.scorer.replay.load import load
    from ragvigil.scorer.replay.recording import Recording

    with tempfile.TemporaryDirectory(prefix="ragvigil-backtest-") as scratch, Recording() as recording:
        loaded = load(files, recording)
        if loaded.unreadable:
            say(f"{loaded.unreadable:,} lines could not be read and are left out", err=True)
        path = Path(scratch) / "history.db"
        into = settings.model_copy(
            update={"store": settings.store.model_copy(update={"url": f"sqlite:///{path}"})}
        )
        replay_into(recording, into, speed=None, page=False)
        with closing(reading.open_for_reading(path)) as connection:
            yield connection


def _is_store(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(16) == b"SQLite format 3\x00"
    except OSError as error:
        raise ConfigError("--history", f"{path} cannot be read ({type(error).__name__})") from None


def _other(config: Path | None, store: str | None, rules: Sequence[str]) -> Settings:
    """The present settings with the rules on top; raises ConfigError for what is no rule."""
    from ragvigil.scorer.config import Rule, load

    overrides: dict[str, object] = {}
    if store is not None:
        overrides["store"] = {"url": store if "://" in store else f"sqlite:///{store}"}
    for rule in rules:
        for keys, value in _flat(_tree(rule)):
            if keys[0] not in _RULES or len(keys) < 2:
                name = ".".join(keys)
                field = name.rpartition(".")[2]
                hint = "monitor.* and detect.* are: docs/configuration.md"
                if field in Rule.model_fields:
                    hint = f"say monitor.faithfulness.{field} or monitor.citation.{field}"
                raise ConfigError("--rule", f"{name} is no rule of detection", hint)
            _put(overrides, keys, value)
    return load(config, overrides)


def _tree(rule: str) -> Mapping[str, object]:
    try:
        if "=" in rule:
            return tomllib.loads(rule)
        return tomllib.loads(Path(rule).read_text(encoding="utf-8-sig"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            "--rule", f"{rule!r} is no TOML: {error}", "say monitor.faithfulness.min_drop=0.03"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            "--rule", f"{rule} cannot be read ({type(error).__name__})", "say KEY=VALUE or name a TOML file"
        ) from None


def _flat(
    tree: Mapping[str, object], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], object]]:
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from _flat(cast("dict[str, object]", value), (*above, key))
        else:
            yield (*above, key), value


def _put(tree: dict[str, object], keys: tuple[str, ...], value: object) -> None:
    inner = tree
    for key in keys[:-1]:
        inner = cast("dict[str, object]", inner.setdefault(key, {}))
    inner[keys[-1]] = value


def _object(found: Compared) -> dict[str, object]:
    sides = {
        name: {**asdict(one), **_per_30_days(one)}
        for name, one in (("present", found.present), ("other", found.other))
    }
    return {"since": found.since, "until": found.until, **sides, "notes": list(found.notes)}


def _per_30_days(outcome: Outcome) -> dict[str, float | None]:
    value, lower, upper = outcome.per_30_days or (None, None, None)
    return {"per_30_days": value, "per_30_days_lower": lower, "per_30_days_upper": upper}


def _lines(found: Compared, rules: Sequence[str]) -> Iterator[str]:
    yield f"{utc(found.since)} to {utc(found.until)}, {found.present.days:,.1f} days"
    yield from _side("present rules", found.present)
    yield from _side(" ".join(rules), found.other)
    yield from (f"note: {note}" for note in found.notes)


def _side(name: str, outcome: Outcome) -> Iterator[str]:
    pages = f"{len(outcome.pages)} page{'' if len(outcome.pages) == 1 else 's'}"
    if outcome.per_30_days is None:
        yield f"{name}: {pages}; less than a day of history says nothing of 30 days"
    else:
        value, lower, upper = outcome.per_30_days
        yield f"{name}: {pages}, {value:.1f} (95 % interval {lower:.1f} to {upper:.1f}) in 30 days"
    yield from (f"  {_page(one)}" for one in outcome.pages[:_MOST_SHOWN])
    if len(outcome.pages) > _MOST_SHOWN:
        yield f"  and {len(outcome.pages) - _MOST_SHOWN} more (--json shows all)"


def _page(one: Paged) -> str:
    from ragvigil.exporters import clean, shown

    where = clean(one.service, limit=40) + (f", {clean(one.segment, limit=40)}" if one.segment else "")
    said = f"{utc(one.at)}  {one.detector:<10}  {one.series} of {where}"
    if one.before is not None and one.worst is not None:
        said += f": {shown(one.before)} to {shown(one.worst)} of {one.worst.n:,}"
        return said + (f", over {utc(one.resolved_at)}" if one.resolved_at else ", not over")
    evidence = ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {clean(str(value), limit=60)}"
        for name, value in one.evidence.items()
    )
    return f"{said}: {evidence}"
