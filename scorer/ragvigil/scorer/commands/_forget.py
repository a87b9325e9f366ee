"""``ragvigil forget``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.erasure.erase import Erased
    from ragvigil.scorer.erasure.forgetting import Kind, Wanted

_TRACE = re.compile(r"[0-9a-f]{32}")
_ATTRIBUTES = {"user": "user.id", "conversation": "gen_ai.conversation.id or session.id"}
"""What spans name them by."""


def forget(
    user: Annotated[
        str | None, typer.Option(metavar="ID", help="A user, as the service names it or as a pseudonym.")
    ] = None,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="A conversation or session, likewise.")
    ] = None,
    trace: Annotated[
        str | None, typer.Option(metavar="ID", help="One trace: 32 hexadecimal characters.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait until it is done.")
    ] = 120.0,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Erase what is kept of one user, conversation or trace, and say what was removed.

    Spans, texts, records, scores, verdicts, feedback, waiting judge jobs, examples in messages to channels,
    what the inbox still holds and what waits to be forwarded go; sums that name nobody stay. A late span or
    another import does not bring it back; questions asked later are new data. A running scorer carries it out;
    when none runs, the command does. Exit code 1 when something is left: it says what, and run again it looks
    again.
    """
    from ragvigil.scorer.erasure.erase import erase

    wanted = _wanted(user, conversation, trace)
    settings = settings_of(config, store)
    erased = erase(settings, wanted, seconds=seconds)
    if as_json:
        others = _other_keys(wanted.kind, settings)
        typer.echo(json.dumps({"complete": erased.complete, **asdict(erased), "other_keys": others}))
    else:
        say("\n".join(_lines(wanted.kind, erased, settings)))
    return 0 if erased.complete else 1


def _wanted(user: str | None, conversation: str | None, trace: str | None) -> Wanted:
    from ragvigil.scorer.erasure.forgetting import Wanted

    options: dict[Kind, str | None] = {"user": user, "conversation": conversation, "trace": trace}
    given = [Wanted(kind, name) for kind, name in options.items() if name is not None]
    if len(given) != 1 or not given[0].id:
        raise ConfigError("forget", "needs exactly one of --user, --conversation and --trace, with an id")
    if trace is None:
        return given[0]
    if not _TRACE.fullmatch(trace.lower()):
        raise ConfigError("--trace", f"cannot be {trace!r}", "32 hexadecimal characters")
    return Wanted("trace", trace.lower())


def _lines(kind: Kind, erased: Erased, settings: Settings) -> list[str]:
    lines = [*_gone(kind, erased, settings), *_left(erased)]
    if others := _other_keys(kind, settings):
        lines.append(
            f"NOT LOOKED FOR: ids under other keys than the present one (store.user_id_key), of which {others:,} "
            "were used; how to reach them: docs/operating.md, Change keys"
        )
    lines += [f"LEFT: {path}, set aside as damaged: delete it" for path in erased.damaged]
    return [*lines, "rollups stay; copies in other backends, exports and backups are not ragvigil's"]


def _gone(kind: Kind, erased: Erased, settings: Settings) -> Iterator[str]:
    """What is no longer here, and where else it was shown or sent."""
    gone = erased.forgotten
    yield f"forgotten: {gone.traces:,} traces with {gone.records:,} ledger rows, by the {erased.by}"
    if not (gone.traces or gone.opinions or gone.messages or gone.changes or erased.unsent or erased.sent):
        yield from _nothing(kind, settings)
    if gone.opinions:
        yield f"  feedback of that {kind} on {gone.opinions:,} traces of others"
    if gone.messages:
        yield f"  examples in {gone.messages:,} messages to channels"
    if gone.changes:
        yield f"  the id in {gone.changes:,} marks, notes and comments"
    if gone.shown:
        yield f"shown already, to be deleted there: {', '.join(gone.shown)}"
    for name, count in erased.unsent.items():
        yield f"  content in {count:,} requests that waited to be forwarded to {name}"
    for name, count in erased.sent.items():
        yield f"sent to {name} at this moment, in {count:,} requests: erase it there"


def _left(erased: Erased) -> Iterator[str]:
    """What is still here, and goes when the command is run again."""
    if not erased.forgotten.log_cleared:
        yield "LEFT: the write-ahead log, which somebody reads; run again"
    if erased.segments_left:
        yield (
            f"LEFT: {erased.segments_left:,} inbox segments with what came just before, until it is scored; "
            "run again to be sure"
        )
    if erased.metrics_left:
        yield "LEFT: the snapshot for /metrics, which may name a trace until it is written anew; run again"
    if erased.unsent_left:
        yield (
            "LEFT: what waits to be forwarded, for forward.NAME.retry_seconds at most: the receiver has not answered; "
            "run again"
        )


def _other_keys(kind: Kind, settings: Settings) -> int:
    """Under how many other keys ids may be, which the present one does not find."""
    from ragvigil.scorer.store._sqlite_keys import keys_used
    from ragvigil.scorer.store.reading import open_for_reading

    if kind == "trace" or settings.store.user_ids == "plain":
        return 0
    with closing(open_for_reading(settings.store.path)) as connection:
        return max(0, keys_used(connection) - 1)


def _nothing(kind: Kind, settings: Settings) -> list[str]:
    """That nothing was found, and why nothing could be."""
    from ragvigil.scorer.store.reading import open_for_reading
    from ragvigil.scorer.store.reading_people import nobody_named

    absent = f"  nothing of that {kind} was there: it is erased already, or the {kind} has another id here"
    if kind == "trace":
        return [absent]
    with closing(open_for_reading(settings.store.path)) as connection:
        if not nobody_named(connection, kind):
            return [absent]
    how = f"ragvigil.tracer.context({kind}_id=...), or on its spans as {_ATTRIBUTES[kind]}"
    return [absent, f"  no answer here names any {kind}: a service says it by {how}"]
