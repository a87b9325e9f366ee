"""A test set that can no longer change without being noticed: its rows under their hashes, its corpus pinned."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.testset.corpus import Corpus
from ragvigil.scorer.testset.read import Header, Pinned, Testset
from ragvigil.scorer.testset.row import Row


def digest_of(hashes: Iterable[str]) -> str:
    """SHA-256 over the hashes of rows, whose order plays no part.

    >>> digest_of(["b", "a"]) == digest_of(["a", "b"]) != digest_of(["a"])
    True
    """
    return hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()


def frozen(testset: Testset, corpus: Corpus | None, *, label: str = "", now: float | None = None) -> str:
    """The text of the frozen set: a header, then the rows in canonical form, by query_id."""
    rows = sorted(testset.rows, key=lambda row: row.query_id)
    hashes = {row.query_id: row.sha256 for row in rows}
    header = Header(
        ragvigil_testset=1,
        digest=digest_of(hashes.values()),
        frozen_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        version=version("ragvigil"),
        label=label,
        rows=hashes,
        corpus=None if corpus is None else _pinned(rows, corpus),
    )
    return "\n".join([header.model_dump_json(), *(row.canonical for row in rows), ""])


def _pinned(rows: list[Row], corpus: Corpus) -> Pinned:
    golden = sorted({name for row in rows for name in row.golden_context_ids})
    return Pinned(
        digest=corpus.digest,
        documents=len(corpus.hashes),
        golden={name: corpus.hash(name) for name in golden},
    )


def write(path: Path, text: str) -> None:
    """Write it. InputError names the file and why it cannot be."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(str(path), error.strerror or "cannot be written") from None


@dataclass(frozen=True, slots=True)
class Verified:
    """What a frozen set is, beside what it was."""

    digest: str
    """Of the rows as they are."""
    frozen_at: str
    differences: tuple[str, ...]
    """A sentence for each; () when it is what it was."""
    corpus_seen: bool
    """Whether the pinned corpus was looked at."""


def verify(testset: Testset, corpus: Corpus | None, *, digest: str = "") -> Verified:
    """Whether rows and corpus are as they were frozen; `digest` is the one that is known from elsewhere.

    Whoever changes a row can change its hash in the header as well: only a digest that is kept elsewhere sees that.
    Raises InputError for a set that is not frozen.
    """
    header = testset.header
    if header is None:
        raise InputError(str(testset.path), "is not frozen; run ragvigil testset freeze first")
    now = {row.query_id: row.sha256 for row in testset.rows}
    have = digest_of(now.values())
    found = [*_rows(header.rows, now)]
    if not found and have != header.digest:
        found.append(f"the header's digest {header.digest[:12]}… is not that of its rows, {have[:12]}…")
    if digest and have != digest:
        found.append(f"the set is {have}, and {digest} is wanted")
    if corpus is not None:
        found += _corpus(testset, header.corpus, corpus)
    return Verified(have, header.frozen_at, tuple(found), corpus is not None and header.corpus is not None)


def _rows(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(before.keys() | now.keys()):
        if name not in now:
            yield f"row {name} is gone"
        elif name not in before:
            yield f"row {name} was added"
        elif before[name] != now[name]:
            yield f"row {name} was changed"


def _corpus(testset: Testset, before: Pinned | None, now: Corpus) -> Iterator[str]:
    if before is None:
        yield "the set was frozen without a corpus: freeze it anew with --corpus"
        return
    for name, had in before.golden.items():
        have = now.hash(name)
        if have != had:
            rows = ", ".join(row.query_id for row in testset.rows if name in row.golden_context_ids)
            what = (
                "is gone from the corpus" if have is None else "was added" if had is None else "was changed"
            )
            yield f"golden passage {name} of row {rows} {what}"
    if now.digest != before.digest:
        yield (
            f"the corpus changed since {before.documents:,} documents were pinned: {len(now.hashes):,} now, "
            f"{now.digest[:12]}… instead of {before.digest[:12]}…"
        )
