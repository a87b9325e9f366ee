"""What ``ragvigil bench alerts --replay`` makes traffic of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.detect import GoldSet
    from ragvigil.scorer.simulate import Opens, Recorded, Stretch, World

BUILTIN = "builtin"
_OPTION = "--replay"
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Source:
    """Where the traffic comes from."""

    world: World
    """With what the recording says of it."""
    opens: Opens
    told: Mapping[str, object]
    """What was replayed, for programs; empty where nothing was."""
    notes: tuple[str, ...]
    """The same for people."""


def replaying(files: Sequence[str], world: World, *, told_volume: bool) -> Source:
    """The traffic that `files` stand for, in `world`; with no file, that of the world itself.

    Each is a store, a file of recorded answers, or ``builtin``; `told_volume` is whether somebody said how much
    traffic there is.

    Raises:
        ConfigError: two stores, two sets of answers, a file that cannot be read, or a volume beside a store.
        InputError: a store of which nothing can be replayed.
    """
    from ragvigil.scorer.simulate import Recorded, Replayed, Traffic, world_of

    if not files:
        return Source(world, Traffic, {}, ())
    stores = [Path(file) for file in files if _is_store(file)]
    others = [file for file in files if not _is_store(file)]
    for found, what in ((stores, "store"), (others, "set of answers")):
        if len(found) > 1:
            raise ConfigError(_OPTION, f"names more than one {what}", "run once for each")
    if stores and told_volume:
        raise ConfigError("--traces-per-day", "is the store's own when a store is replayed", "leave it out")
    answers = Recorded(_items(others[0] if others else BUILTIN))
    told = _told(others[0] if others else BUILTIN, answers)
    note = _of_answers(answers)
    if not stores:
        labelled = replace(world, gold_faithful=answers.faithful, gold_unfaithful=answers.unfaithful)
        return Source(labelled, partial(Traffic, instruments=answers), told, (note,))
    service, stretch = _stretch(stores[0])
    own = world_of(stretch, answers, batch_seconds=world.batch_seconds)
    opens = partial(Replayed, stretch=stretch, answers=answers)
    told |= {"service": service, "days": stretch.days, "records": int(stretch.time.size)}
    told |= {"judged": stretch.judged, "segments": list(stretch.names)}
    return Source(own, opens, told, (_of_stretch(service, stretch), "Planted errors: " + note))


def _is_store(file: str) -> bool:
    if file == BUILTIN:
        return False
    try:
        with Path(file).open("rb") as opened:
            return opened.read(len(_SQLITE)) == _SQLITE
    except OSError as error:
        hint = "name a store, a file of JSON lines, or builtin"
        raise ConfigError(_OPTION, f"{file} cannot be read ({type(error).__name__})", hint) from None


def _items(name: str) -> GoldSet:
    from ragvigil.scorer.checks.prepared import DEFAULT_MODEL
    from ragvigil.scorer.watch.gold import read_gold, shipped_gold

    if name != BUILTIN:
        return read_gold(Path(name), key=_OPTION)
    shipped = shipped_gold(DEFAULT_MODEL)
    assert shipped is not None, "the package ships the answers of its own model"
    return shipped


def _stretch(path: Path) -> tuple[str, Stretch]:
    from ragvigil.scorer.simulate.from_store import busiest, stretch_of
    from ragvigil.scorer.store import reading

    with closing(reading.open_for_reading(path)) as connection:
        place = busiest(connection)
        return place.service, stretch_of(connection, place)


def _told(name: str, answers: Recorded) -> dict[str, object]:
    return {
        "answers": name if name == BUILTIN else Path(name).name,
        "faithful": answers.faithful,
        "unfaithful": answers.unfaithful,
        "sensitivity": answers.sensitivity,
        "specificity": answers.specificity,
        "blind_passed": answers.blind_passed,
    }


def _of_answers(answers: Recorded) -> str:
    return (
        f"{answers.faithful} faithful answers, of which the judge passed {answers.sensitivity:.0%}, and "
        f"{answers.unfaithful} unfaithful ones, of which it failed {answers.specificity:.0%}, drawn by their truth"
    )


def _of_stretch(service: str, stretch: Stretch) -> str:
    from ragvigil.exporters import clean

    long = (
        f"{stretch.days // 7} weeks" if stretch.days % 7 == 0 else f"{stretch.days} days (less than a week)"
    )
    return (
        f"{clean(service, limit=40)}: {long} of {stretch.time.size:,} records over and over, {stretch.judged:,} "
        f"of them judged, the others as their nearest in cheap score; {stretch.segments} segments"
    )
