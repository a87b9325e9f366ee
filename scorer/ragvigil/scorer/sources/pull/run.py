"""A pull from its first page to its last, over interruptions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO

import httpx

from ragvigil.scorer.errors import ConfigError, InputError, meant, set_instead
from ragvigil.scorer.lock import take
from ragvigil.scorer.sources import address
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import History, Page, Wanted
from ragvigil.scorer.sources.pull.langfuse import Langfuse
from ragvigil.scorer.sources.pull.lines import Pulled, is_stream, refuse_to_overwrite, write, written_to
from ragvigil.scorer.sources.pull.mlflow import MLflow
from ragvigil.scorer.sources.pull.otlp import mapping
from ragvigil.scorer.sources.pull.phoenix import Phoenix

HISTORIES: Mapping[str, Callable[[], History]] = {
    "phoenix": Phoenix,
    "langfuse": Langfuse,
    "mlflow": MLflow,
}
"""Where history can be pulled from."""

_TIMEOUT = httpx.Timeout(120.0, connect=10.0)


def history_of(name: str) -> History:
    """The backend called `name`. Raises ConfigError that names the known ones."""
    if name not in HISTORIES:
        raise ConfigError("source", f"no backend {name!r}", meant(name, list(HISTORIES)))
    return HISTORIES[name]()


def client_of(history: History, url: str | None) -> httpx.Client:
    """A client for the backend: keys from the environment only. Raises ConfigError for an address with one in it."""
    option = "--url" if url else history.url_variable
    found = (url or os.environ.get(history.url_variable, "")).strip()
    if not found:
        hint = set_instead(history.url_variable, os.environ) or f"say it, or set {history.url_variable}"
        raise ConfigError("--url", "is not set", hint)
    return address.client_of(option, found, history.headers(), _TIMEOUT)


def pull(history: History, fetch: Fetch, wanted: Wanted, out: IO[bytes]) -> Pulled:
    """Write every page as OTLP/JSON lines. Raises InputError."""
    pulled = Pulled()
    for page in _pages(history, fetch, wanted, None):
        write(page.requests, out, pulled)
        pulled.without_spans += page.without_spans
    return pulled


def pull_to_file(history: History, fetch: Fetch, wanted: Wanted, path: Path) -> Pulled:
    """Likewise into a file; after an interruption the same call goes on where the last one ended.

    What is done stands in FILE.pull until all is; the window is then that of the first call, and what a torn page
    left in FILE is cut off. A pipe or device cannot be cut: there it begins anew. Raises InputError when FILE belongs
    to another pull, or one is writing it.
    """
    if is_stream(path):
        with written_to(path), path.open("wb") as stream:
            return pull(history, fetch, wanted, stream)
    note = _Note(path.with_name(f"{path.name}.pull"))
    with written_to(path), _alone(path, note.path) as out:
        done = _begun(history, fetch, wanted, path, note)
        wanted = replace(wanted, since=done.since, until=done.until)
        out.truncate(done.size)
        for page in _pages(history, fetch, wanted, done.cursor):
            write(page.requests, out, done.pulled)
            done.pulled.without_spans += page.without_spans
            out.flush()
            os.fsync(out.fileno())
            done.cursor, done.size = page.cursor, out.tell()
            note.write(done)
        note.path.unlink(missing_ok=True)
    return done.pulled


def _begun(history: History, fetch: Fetch, wanted: Wanted, path: Path, note: _Note) -> _Done:
    """How far the same call came before. Raises InputError when the file belongs to another one."""
    question: dict[str, object] = {"source": history.name, "url": fetch.address, **asdict(wanted)}
    del question["until"], question["since"]
    done = note.read()
    if done is None:
        refuse_to_overwrite(path)
        return _Done(question, wanted.since, wanted.until)
    if done.question != question:
        raise InputError(
            str(path), "was begun by another pull; name another file, or delete it and " + note.path.name
        )
    if path.stat().st_size < done.size:
        raise InputError(
            str(path), f"has lost what was pulled into it; delete it and {note.path.name} to begin again"
        )
    return done


def _pages(history: History, fetch: Fetch, wanted: Wanted, cursor: str | None) -> Iterator[Page]:
    """Its pages. Raises InputError where they come round to one that was there already, for that has no end.

    One page is kept to compare with, the first, second, fourth, eighth and so on: any circle comes back to one of
    them (Brent 1980).
    """
    kept: tuple[dict[str, object], ...] = ()
    for number, page in enumerate(history.pages(fetch, wanted, cursor), start=1):
        if cursor is not None and page.cursor == cursor:
            raise InputError(
                fetch.address, f"leads from the page {cursor[:80]!r} to the same page; try again later"
            )
        if page.requests and page.requests == kept:
            raise InputError(
                fetch.address,
                "gives the same spans again under new cursors, without an end; does a proxy drop the query?",
            )
        yield page
        cursor = page.cursor
        if number.bit_count() == 1:
            kept = page.requests


@contextmanager
def _alone(path: Path, note: Path) -> Generator[IO[bytes]]:
    """The file, to write at its end, while no other pull does. Raises InputError.

    One that is made here and of which nothing is noted when it fails goes again.
    """
    new = not path.exists()
    with path.open("ab") as out:
        if (
            not take(out) or not os.fstat(out.fileno()).st_nlink
        ):  # the latter: it went again since it was opened
            raise InputError(
                str(path), "is being written by another pull; wait until that ends, or name another file"
            )
        try:
            yield out
        except BaseException:
            if new and not note.exists():
                path.unlink(missing_ok=True)
            raise


@dataclass(slots=True)
class _Done:
    """How far a pull has come."""

    question: dict[str, object]
    since: int
    until: int
    cursor: str | None = None
    size: int = 0
    """Bytes of the file that are whole pages."""
    pulled: Pulled = field(default_factory=Pulled)


class _Note:
    """What is kept beside the file until the pull is done."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> _Done | None:
        """How far it came; None when nothing was begun. Raises InputError."""
        try:
            found = mapping(json.loads(self.path.read_bytes()))
            counted = mapping(found["pulled"])
            since, until, size = (_whole(found[name]) for name in ("since", "until", "size"))
            requests, spans, without = (
                _whole(counted[name]) for name in ("requests", "spans", "without_spans")
            )
            pulled = Pulled(requests, spans, (since, until), without)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, RecursionError) as error:
            raise InputError(
                str(self.path), f"cannot be read ({error}); delete it and the file beside it to begin again"
            ) from None
        return _Done(mapping(found.get("question")), since, until, _text(found.get("cursor")), size, pulled)

    def write(self, done: _Done) -> None:
        """Keep it, whole or not at all."""
        draft = self.path.with_name(f"{self.path.name}.new")
        draft.write_text(json.dumps(asdict(done)), encoding="utf-8")
        draft.replace(self.path)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is no whole number")
    return value
