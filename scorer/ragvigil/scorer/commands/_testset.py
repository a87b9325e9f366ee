"""``ragvigil testset``: lint, freeze, verify, smoke, draw, stale."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import (
    ConfigOption,
    JsonOption,
    OnlyServiceOption,
    StoreOption,
    settings_of,
)
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.listed import some_lines

if TYPE_CHECKING:
    from ragvigil.scorer.testset.corpus import Corpus
    from ragvigil.scorer.testset.draw import Drawn
    from ragvigil.scorer.testset.lint import Found
    from ragvigil.scorer.testset.read import Testset
    from ragvigil.scorer.testset.row import Row

_SHOWN = 20
_File = Annotated[Path, typer.Argument(metavar="FILE", help="JSONL: one question a line; plain or frozen.")]
_Corpus = Annotated[
    Path | None,
    typer.Option(
        "--corpus",
        metavar="PATH",
        help="The documents: JSONL of {id, text}, or a folder of such files and of texts.",
    ),
]
_Out = Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where the rows go, JSONL.")]


def lint(
    file: _File,
    corpus: _Corpus = None,
    gate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A gate file: whether the set has the no-answer items that it needs."
        ),
    ] = None,
    apart: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A set that may share no question with it, as a holdout; may be given again."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings fail too.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Look over a test set: what cannot be read, twins, golden passages that are not there, size and composition.

    Errors are rows that are wrong; warnings say what the set cannot show. Exit code 1 for errors, with --strict for
    warnings too.
    """
    _, found = _looked_over(file, _corpus(corpus), gate, apart or [])
    if as_json:
        typer.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
    else:
        say("\n".join(_lines(found)) or "nothing is off")
    return int(any(one.level == "error" or strict for one in found))


def freeze(
    file: _File,
    out: _Out,
    corpus: _Corpus = None,
    label: Annotated[
        str, typer.Option(metavar="TEXT", help="What to call this version, such as 2026-11.")
    ] = "",
    as_json: JsonOption = False,
) -> int:
    """Fix a test set: its rows under their hashes, and with --corpus the documents that it asks about.

    The frozen set is read wherever a test set is, and only while its rows are what they were. Keep the digest that is
    printed: `ragvigil testset verify --digest` holds the set against it. Nothing is written, and the exit code is 1,
    where `lint` finds errors.
    """
    from ragvigil.scorer.offline.writing import write
    from ragvigil.scorer.testset.freeze import frozen

    documents = _corpus(corpus)
    testset, found = _looked_over(file, documents, None)
    wrong = [one for one in found if one.level == "error"]
    if wrong:
        say("\n".join(_lines(wrong)), err=True)
        return 1
    made = frozen(testset, documents, label=label)
    write(out, made.text)
    told = {
        "digest": made.header.digest,
        "rows": len(made.header.rows),
        "frozen_at": made.header.frozen_at,
        "corpus": None if made.header.corpus is None else made.header.corpus.digest,
    }
    say(
        json.dumps(told) if as_json else f"{told['rows']:,} rows frozen in {out}, digest {told['digest']}",
        whole=as_json,
    )
    return 0


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A frozen test set.")],
    corpus: _Corpus = None,
    digest: Annotated[
        str | None, typer.Option(metavar="HEX", help="What the set has to be, as `freeze` said.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Whether a frozen test set and its corpus are what they were; names the rows and passages that changed.

    Exit code 1 when something changed.
    """
    from ragvigil.scorer.testset import freeze as frozen
    from ragvigil.scorer.testset.read import read_testset

    testset = read_testset(file)
    found = frozen.verify(testset, _corpus(corpus), digest=digest)
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
    elif found.differences:
        say("\n".join(f"CHANGED {one}" for one in some_lines(found.differences, _SHOWN)))
    else:
        seen = "and its corpus are" if found.corpus_seen else "is"
        say(
            f"the set {seen} as frozen at {found.frozen_at}: {len(testset.rows):,} rows, digest {found.digest}"
        )
        if testset.header is not None and testset.header.corpus is not None and not found.corpus_seen:
            say("its corpus was not looked at: give --corpus")
    return 1 if found.differences else 0


def smoke(
    file: _File,
    out: _Out,
    size: Annotated[int, typer.Option(min=1, help="Rows wanted.")] = 50,
    as_json: JsonOption = False,
) -> int:
    """Choose a small part of a test set for every pull request: from each kind and intent, the same rows each time.

    The part of a frozen set is frozen too, with the corpus that it was frozen with and a digest of its own.
    """
    from ragvigil.scorer.offline.writing import refuse_what_is_read, write
    from ragvigil.scorer.testset.freeze import frozen, unchanged
    from ragvigil.scorer.testset.smoke import smoke as chosen

    refuse_what_is_read(out, (file,))
    testset = unchanged(file)
    rows = chosen(testset.rows, size)
    told: dict[str, object] = {"rows": len(rows), "of": len(testset.rows)}
    said = f"{len(rows):,} of {len(testset.rows):,} rows written to {out}"
    if testset.header is None:
        _write(out, rows)
    else:
        made = frozen(replace(testset, rows=tuple(rows)), testset.header.corpus, label=testset.header.label)
        write(out, made.text)
        told["digest"] = made.header.digest
        said += f", digest {told['digest']}"
    say(json.dumps(told) if as_json else said, whole=as_json)
    return 0


def draw(
    out: _Out,
    size: Annotated[
        int | None,
        typer.Option(
            min=1, help="Questions wanted, about.  [default: 300, of a quarter 50]", show_default=False
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Segment to draw evenly from, such as language; may be given again."
        ),
    ] = None,
    service: OnlyServiceOption = None,
    days: Annotated[float, typer.Option(min=0.01, help="Of the traffic up to now.")] = 30.0,
    quarter: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="A holdout: what was first asked in it, such as 2026-Q4."),
    ] = None,
    without: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A set whose questions are not drawn again; may be given again."),
    ] = None,
    config: ConfigOption = None,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> int:
    """Draw questions that people asked, as rows whose answers are still to be written.

    Each is drawn by the hash of its words, with a known probability (`inclusion`): small segments more often than large
    ones. What was asked more than once is one row, and so is what was asked in other words. With --quarter a holdout of
    50 questions that nobody asked before that quarter. What the store keeps was redacted before it was stored; read the
    rows all the same before they are shared. Exit code 1 when there was none to draw.
    """
    from ragvigil.scorer.offline.writing import refuse_what_is_read
    from ragvigil.scorer.testset.fresh import draw_from

    refuse_what_is_read(out, without or ())
    settings = settings_of(config, store)
    found = draw_from(
        settings.store.path,
        size,
        by=by or [],
        service=service,
        days=days,
        quarter=quarter,
        without=without or [],
    )
    _write(out, found.rows)
    if as_json:
        told = {"rows": len(found.rows), "of": found.asked, "repeated": found.repeated, "known": found.known}
        typer.echo(json.dumps({**told, "alike": found.alike}, ensure_ascii=False))
    else:
        say("\n".join(_drawn(found, out)))
    return 0 if found.rows else 1


def _drawn(found: Drawn, out: Path) -> Iterator[str]:
    from ragvigil.exporters import clean

    yield f"{len(found.rows):,} of {found.asked:,} questions written to {out}"
    if found.repeated:
        yield f"{found.repeated:,} were asked before in the same words: each is drawn once, `asked` says how often"
    if found.known:
        yield f"{found.known:,} different questions are left out: other sets have them, or somebody asked them earlier"
    if found.alike:
        yield f"{len(found.alike):,} ask in other words what another one asks, and are left out:"
    pairs = (f"  {clean(one, limit=70)}  =  {clean(other, limit=70)}" for one, other in found.alike)
    yield from some_lines(pairs, _SHOWN)


def stale(
    file: _File,
    corpus: Annotated[Path, typer.Option("--corpus", metavar="PATH", help="The documents as they are now.")],
    most: Annotated[
        float | None, typer.Option(min=0, max=1, help="Share over which the upper end of the interval fails.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """How many golden answers the documents no longer support, by the built-in judge, with the rows.

    With --most, exit code 1 where the interval reaches beyond it, or fewer than 20 could be looked at.
    """
    from ragvigil.scorer.testset.corpus import read_corpus
    from ragvigil.scorer.testset.freeze import unchanged
    from ragvigil.scorer.testset.stale import staleness

    found = staleness(unchanged(file), read_corpus(corpus))
    if as_json:
        typer.echo(json.dumps(asdict(found), ensure_ascii=False))
    else:
        from ragvigil.exporters import clean

        share = found.share
        said = (
            "not enough data"
            if share is None
            else f"{share.value:.1%} [{share.lower:.1%}, {share.upper:.1%}]"
        )
        say(f"golden answers that the corpus does not support: {said} n={found.checked:,}")
        told = [f"  {one.query_id}: {clean(one.reason, limit=160)}" for one in found.stale]
        for line in some_lines(told, _SHOWN):
            say(line)
        if found.unchecked:
            say(
                f"{found.unchecked:,} rows have no golden answer, or name no passage: nothing is known of them"
            )
    return int(most is not None and (found.share is None or found.share.upper > most))


def _looked_over(
    file: Path, corpus: Corpus | None, gate: Path | None, apart: Iterable[Path] = ()
) -> tuple[Testset, list[Found]]:
    """The set, of the rows that can be read, and all that is off with it."""
    from ragvigil.scorer.errors import InputError
    from ragvigil.scorer.testset.freeze import verify as compared
    from ragvigil.scorer.testset.lint import lint as looked_over
    from ragvigil.scorer.testset.read import read_testset

    unread: list[InputError] = []
    testset = read_testset(file, unread.append)
    if testset.header is not None:
        unread += [InputError(str(file), one) for one in compared(testset, None).differences]
    limit = None if gate is None else _no_answer_limit(gate)
    others = [read_testset(one) for one in apart]
    return testset, [*looked_over(testset, unread, corpus, limit, apart=others, now=time.time_ns())]


def _no_answer_limit(path: Path) -> float | None:
    """The least of what a gate allows; None where it asks nothing of no-answer items."""
    from ragvigil.scorer.gate.load import limits_of, load_gate

    asked = limits_of(load_gate(path).gate)
    return min(
        (limit.at_most for _, name, limit in asked if name == "no_answer_false_claims" and limit.at_most),
        default=None,
    )


def _corpus(path: Path | None) -> Corpus | None:
    from ragvigil.scorer.testset.corpus import read_corpus

    return None if path is None else read_corpus(path)


def _write(out: Path, rows: Iterable[Row]) -> None:
    from ragvigil.scorer.offline.writing import write

    write(out, "".join(f"{row.canonical}\n" for row in rows))


def _lines(found: Iterable[Found]) -> list[str]:
    from ragvigil.exporters import clean

    return some_lines(
        [f"{one.level}: {clean(one.place, limit=200)}: {clean(one.problem, limit=400)}" for one in found],
        _SHOWN,
    )
