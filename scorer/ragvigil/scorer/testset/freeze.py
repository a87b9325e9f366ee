"""A test set that can no longer change without being noticed: its rows under their hashes, its corpus pinned."""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from ragvigil.scorer.errors import InputError
from ragvigil.scorer.testset.corpus import Corpus
from ragvigil.scorer.testset.read import Header, Pinned, Testset, read_testset
from ragvigil.scorer.testset.row import Row

_DIGEST = re.compile(r"[0-9a-fA-F]{64}")


def digest_of(hashes: Iterable[str], corpus: Pinned | None = None) -> str:
    """SHA-256 over the hashes of rows, whose order plays no part, and over the digest of the corpus.

    >>> digest_of(["b", "a"]) == digest_of(["a", "b"]) != digest_of(["a"])
    True
    """
    pinned = () if corpus is None else (f"corpus {corpus.digest}",)
    return hashlib.sha256("\n".join((*sorted(hashes), *pinned)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Frozen:
    """A set that was frozen."""

    header: Header
    text: str
    """The header, then the rows in canonical form, by query_id, one a line."""


def frozen(
    testset: Testset, corpus: Corpus | Pinned | None, *, label: str = "", now: float | None = None
) -> Frozen:
    """The set with the hashes of its rows, and pinned to its corpus.

    A corpus that is pinned already is that of a larger set with these rows.
    """
    rows = sorted(testset.rows, key=lambda row: row.query_id)
    hashes = {row.query_id: row.sha256 for row in rows}
    pinned = None if corpus is None else _pinned(rows, corpus)
    header = Header(
        ragvigil_testset=1,
        digest=digest_of(hashes.values(), pinned),
        frozen_at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now)),
        version=version("ragvigil"),
        label=label,
        rows=hashes,
        corpus=pinned,
    )
    return Frozen(header, "\n".join([header.model_dump_json(), *(row.canonical for row in rows), ""]))


def _pinned(rows: list[Row], corpus: Corpus | Pinned) -> Pinned:
    golden = sorted({name for row in rows for name in row.golden_context_ids})
    if isinstance(corpus, Pinned):
        return corpus.model_copy(update={"golden": {name: corpus.golden.get(name) for name in golden}})
    return Pinned(
        digest=corpus.digest,
        documents=len(corpus.hashes),
        golden={name: corpus.hash(name) for name in golden},
    )


@dataclass(frozen=True, slots=True)
class Verified:
    """What a frozen set is, beside what it was."""

    digest: str
    """Of the rows as they are, and of the corpus that is pinned."""
    frozen_at: str
    differences: tuple[str, ...]
    """A sentence for each; () when it is what it was."""
    corpus_seen: bool
    """Whether the pinned corpus was looked at."""


def unchanged(path: Path, digest: str | None = None) -> Testset:
    """The test set of a file; of a frozen one also that its rows, and the `digest` if any, are what they were.

    Raises InputError.
    """
    testset = read_testset(path)
    if testset.header is not None or digest is not None:
        changed = verify(testset, None, digest=digest).differences
        if changed:
            fix = "ragvigil testset verify says all; if it is meant, take the header away and freeze the set anew"
            raise InputError(str(path), f"{changed[0]}; {fix}")
    return testset


def verify(testset: Testset, corpus: Corpus | None, *, digest: str | None = None) -> Verified:
    """Whether rows and corpus are as they were frozen; `digest` is the one that is known from elsewhere.

    Whoever changes a row can change its hash in the header as well: only a digest that is kept elsewhere sees that.
    Raises InputError for a set that is not frozen, and a digest that is none.
    """
    wanted = None if digest is None else _digest(digest)
    header = testset.header
    if header is None:
        raise InputError(str(testset.path), "is not frozen; run ragvigil testset freeze first")
    now = {row.query_id: row.sha256 for row in testset.rows}
    have = digest_of(now.values(), header.corpus)
    found = [*_rows(header.rows, now)]
    if not found and have != header.digest:
        found.append(
            f"the header's digest {header.digest[:12]}… is not that of its rows and corpus, {have[:12]}…"
        )
    if wanted is not None and have != wanted:
        found.append(f"the set is {have}, and {wanted} is wanted")
    if corpus is not None:
        found += _corpus(testset, header.corpus, corpus)
    return Verified(have, header.frozen_at, tuple(found), corpus is not None and header.corpus is not None)


def _digest(told: str) -> str:
    """A digest that may be a set's: an empty one, of a variable that is not set, would be compared with nothing."""
    if not _DIGEST.fullmatch(told):
        raise InputError(
            "--digest", f"{told[:80]!r} is none; give the 64 hexadecimal digits that freeze printed"
        )
    return told.lower()


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
