"""``ragvigil mark``."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragvigil.scorer.commands._known_services import others_than, unknown
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import InputError, StoreError, located

if TYPE_CHECKING:
    from ragvigil.scorer.config import Settings
    from ragvigil.scorer.receive.told import Change

_PATIENCE_SECONDS = 10.0
_ANYWHERE = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]", "": "127.0.0.1"}  # noqa: S104 - what serve may listen on


def mark(
    text: Annotated[
        str,
        typer.Argument(metavar="TEXT", help='What was changed, for example "index rebuilt from 2026-11-20".'),
    ],
    service: Annotated[
        str | None, typer.Option(metavar="NAME", help="service.name it concerns; none: all services.")
    ] = None,
    environment: Annotated[
        str | None, typer.Option(metavar="NAME", help="Environment it concerns; none: all environments.")
    ] = None,
    kind: Annotated[
        Literal["deploy", "index", "prompt", "model", "config", "other"], typer.Option(help="What it was.")
    ] = "other",
    at: Annotated[
        str | None, typer.Option(metavar="MOMENT", help="ISO 8601, UTC if it names no zone; none: now.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="Marked twice under one id, it is one change.")
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    http: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where the scorer listens, if not as configured.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Note a deploy, an index build or a prompt edit, so that a page can say what changed just before.

    A running scorer takes it over HTTP, as POST /v1/changes; when none runs, it waits in the inbox for the next.
    """
    settings = settings_of(config, store, http=http)
    given = {"text": text, "kind": kind, "service": service, "environment": environment, "at": at, "id": name}
    change = _checked({key: value for key, value in given.items() if value is not None})
    named = config is not None or store is not None
    taken_by = "scorer" if _post(settings, change) else _leave(settings, change, named=named)
    waits = "" if taken_by == "scorer" else f"; it waits in {settings.inbox_path} for the next scorer"
    others = [] if service is None else others_than(settings, service)
    if as_json:
        known = {"known_services": others} if others else {}
        typer.echo(json.dumps({"accepted": 1, "taken_by": taken_by, **known}))
        return 0
    say(f"marked, by the {taken_by}: {change.kind}: {change.text}{waits}")
    if service is not None and others:
        say(f"{unknown(settings, service, others)} The mark is kept.", err=True)
    return 0


def _checked(given: dict[str, str]) -> Change:
    from ragvigil.scorer.receive.refusal import Refusal
    from ragvigil.scorer.receive.told import Change, items_in

    try:
        return items_in(json.dumps(given).encode(), Change)[0]
    except Refusal as refusal:
        raise InputError("mark", str(refusal)) from None


def _post(settings: Settings, change: Change) -> bool:
    """Whether a running scorer took it; False when nobody listens there."""
    import httpx

    host, _, port = settings.receive.http.rpartition(":")
    token = settings.receive.token
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token.get_secret_value()}"
    url = f"http://{_ANYWHERE.get(host, host)}:{port}/v1/changes"
    try:
        answer = httpx.post(
            url, content=change.model_dump_json(), headers=headers, timeout=_PATIENCE_SECONDS, trust_env=False
        )
    except (httpx.ConnectError, httpx.InvalidURL):
        return False
    except httpx.RemoteProtocolError:
        raise StoreError(
            f"{url}: what answers there speaks no HTTP, as on gRPC's port 4317; "
            "name the port for OTLP over HTTP, 4318 unless changed"
        ) from None
    except httpx.HTTPError as error:
        raise StoreError(f"{url} did not answer ({type(error).__name__}); try again") from None
    if not answer.is_success:
        raise StoreError(f"{url} refused it with {answer.status_code}: {_message(answer.text)}")
    return True


def _leave(settings: Settings, change: Change, *, named: bool) -> str:
    """Put it into the inbox, whose one writer we are while no scorer runs; one that nobody named has to be there."""
    from ragvigil.scorer.inbox import InboxWriter
    from ragvigil.scorer.receive.counters import Counters, CountersFile

    folder = settings.inbox_path
    if not folder.parent.is_dir():
        raise StoreError(
            f"nobody listens on {settings.receive.http}, and there is no folder {located(folder.parent)}; "
            "name the scorer's store with --store, or the running scorer with --http"
        )
    if not (named or folder.is_dir() or settings.store.path.is_file()):
        raise StoreError(
            f"nobody listens on {settings.receive.http}, and {located(settings.store.path)} is no scorer's store; "
            "name it with --config or --store, or the running scorer with --http"
        )
    try:
        with closing(InboxWriter(folder, max_bytes=settings.inbox.max_bytes)) as inbox:
            inbox.append([change.arrival(time.time_ns())]).result(_PATIENCE_SECONDS)
            counted = Counters.loaded(folder)
            file = CountersFile(folder, counted)
            counted.told["changes"] += 1
            file.save(counted.flat())
    except StoreError as error:
        raise StoreError(
            f"nobody listens on {settings.receive.http}, and {error}; name the running scorer with --http"
        ) from None
    return "inbox"


def _message(text: str) -> str:
    try:
        return str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        return text[:200]
