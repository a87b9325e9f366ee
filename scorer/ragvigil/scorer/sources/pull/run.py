"""A pull from its first page to its last, over interruptions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO
from urllib.parse import urlsplit

import httpx

from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.sources.cut import Record
from ragvigil.scorer.sources.files import OtlpFile, place_of
from ragvigil.scorer.sources.pull.fetch import Fetch
from ragvigil.scorer.sources.pull.history import History, Page, Wanted
from ragvigil.scorer.sources.pull.langfuse import Langfuse
from ragvigil.scorer.sources.pull.mlflow import MLflow
from ragvigil.scorer.sources.pull.otlp import mapping, span_count
from ragvigil.scorer.sources.pull.phoenix import Phoenix

HISTORIES: Mapping[str, Callable[[], History]] = {
    "phoenix": Phoenix,
    "langfuse": Langfuse,
    "mlflow": MLflow,
}
"""Where history can be pulled from."""

_LARGEST = 2**30
_TIMEOUT = httpx.Timeout(120.0, connect=10.0)


@dataclass(slots=True)
class Pulled:
    """What a pull brought."""

    requests: int = 0
    spans: int = 0
    resumed: bool = False


def history_of(name: str) -> History:
    """The backend called `name`. Raises ConfigError that names the known ones."""
    if name not in HISTORIES:
        raise ConfigError("source", f"no backend {name!r}", "known: " + ", ".join(HISTORIES))
    return HISTORIES[name]()


def client_of(history: History, url: str | None) -> httpx.Client:
    """A client for the backend: keys from the environment only. Raises ConfigError for an address with one in it."""
    address = url or os.environ.get(history.url_variable)
    if not address:
        raise ConfigError("--url", "is not set", f"say it, or set {history.url_variable}")
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError("--url", "must look like https://HOST")
    if parts.username or parts.password:
        raise ConfigError("--url", "holds a password", "keys come from the environment")
    if parts.query or parts.fragment:
        raise ConfigError(
            "--url", "goes on behind a ? or #", "name the server's root; keys come from the environment"
        )
    return httpx.Client(base_url=address, headers=history.headers(), timeout=_TIMEOUT)


def pull(history: History, fetch: Fetch, wanted: Wanted, out: IO[bytes]) -> Pulled:
    """Write every page as OTLP/JSON lines. Raises InputError."""
    pulled = Pulled()
    for page in history.pages(fetch, wanted, None):
        _write(page, out, pulled)
    return pulled


def pull_to_file(history: History, fetch: Fetch, wanted: Wanted, path: Path) -> Pulled:
    """Likewise into a file; after an interruption the same call goes on where the last one ended.

    What is done stands in FILE.pull until all is; the end of the window is then that of the first call, and
    what a torn page left in FILE is cut off. Raises InputError when FILE belongs to another pull.
    """
    note = path.with_name(f"{path.name}.pull")
    kept = _kept(note)
    if kept is None:
        _refuse_to_overwrite(path)
    question: dict[str, object] = {"source": history.name, **asdict(wanted)}
    del question["until"], question["since"]
    if kept is not None and kept.get("question") != question:
        raise InputError(
            str(path), "was begun by another pull; name another file, or delete it and " + note.name
        )
    cursor, size = None, 0
    pulled = Pulled(resumed=kept is not None)
    if kept is not None:
        cursor, size = _text(kept.get("cursor")), _whole(kept.get("size"))
        wanted = replace(wanted, since=_whole(kept.get("since")), until=_whole(kept.get("until")))
    with _open_or_gone(path, note) as out:
        out.truncate(size)
        for page in history.pages(fetch, wanted, cursor):
            _write(page, out, pulled)
            out.flush()
            os.fsync(out.fileno())
            state = {
                "question": question,
                "since": wanted.since,
                "until": wanted.until,
                "cursor": page.cursor,
                "size": out.tell(),
            }
            draft = note.with_name(f"{note.name}.new")
            draft.write_text(json.dumps(state), encoding="utf-8")
            draft.replace(note)
    note.unlink(missing_ok=True)
    return pulled


@contextmanager
def _open_or_gone(path: Path, note: Path) -> Generator[IO[bytes]]:
    """The file, to write at its end; one that is made here and of which nothing is noted when it fails goes again."""
    new = not path.exists()
    with path.open("ab") as out:
        try:
            yield out
        except BaseException:
            if new and not note.exists():
                path.unlink(missing_ok=True)
            raise


def convert_to_file(history: History, paths: list[Path], wanted: Wanted, out: Path) -> Pulled:
    """Write the traces of export files into a file, whole or not at all; into a pipe or device as they come.

    Raises InputError.
    """
    if out.exists() and not out.is_file():
        with out.open("wb") as lines:
            return convert(history, paths, wanted, lines)
    _refuse_to_overwrite(out)
    out = out.resolve()  # where a link leads to
    with NamedTemporaryFile(dir=out.parent, prefix=f"{out.name}.", delete=False) as made:
        draft = Path(made.name)
    try:
        with draft.open("wb") as lines:
            pulled = convert(history, paths, wanted, lines)
        draft.replace(out)
    finally:
        draft.unlink(missing_ok=True)
    return pulled


def _refuse_to_overwrite(path: Path) -> None:
    """It may be the export itself."""
    if path.exists() and path.stat().st_size:
        raise InputError(str(path), "exists already; name another file")


def convert(history: History, paths: list[Path], wanted: Wanted, out: IO[bytes]) -> Pulled:
    """Write the traces of export files as OTLP/JSON lines. Raises InputError that names file and line."""
    pulled = Pulled()
    for path in paths:
        for place, content in _values(path):
            requests = history.exported(content, wanted)
            if not requests:
                raise InputError(place, f"holds no trace; is it an export of {history.name}?")
            _write(Page(tuple(requests), None), out, pulled)
    return pulled


def _values(path: Path) -> Iterator[tuple[str, object]]:
    """Every JSON value of a file: one a line, or one over all lines, compressed or not."""
    try:
        with OtlpFile(path, max_bytes=_LARGEST) as file:
            for record in file.rest():
                place = place_of(path, record, file.place.framing if file.place else None)
                yield place, _value(place, record)
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be read") from None


def _value(place: str, record: Record) -> object:
    try:
        value: object = json.loads(record.body) if record.problem is None else None
    except (ValueError, RecursionError) as error:
        raise InputError(place, f"not JSON: {error}") from None
    if record.problem is not None:
        raise InputError(place, record.problem)
    return value


def _write(page: Page, out: IO[bytes], pulled: Pulled) -> None:
    for request in page.requests:
        out.write(json.dumps(request, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        pulled.requests += 1
        pulled.spans += span_count(request)


def _kept(note: Path) -> dict[str, object] | None:
    try:
        return mapping(json.loads(note.read_bytes()))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise InputError(str(note), f"cannot be read ({error}); delete it to begin again") from None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
