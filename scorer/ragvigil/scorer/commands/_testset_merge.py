"""``ragvigil testset merge``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.listed import some_lines

if TYPE_CHECKING:
    from ragvigil.scorer.testset.merge import Agreement, Merged

_SHOWN = 20


def merge(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES", help="The set as each annotator wrote it: three are usual, two the fewest."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FILE", help="Where the rows go, JSONL.")],
    adjudicated: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rows as somebody else decided them: they stand as they are."),
    ] = None,
    disputed: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where rows without a majority go, for who decides them."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Merge what several annotators wrote about the same questions, field by field, and say how far they agree.

    What most of them say stands; a row on which there is no majority is left out until an adjudicator decides it.
    Exit code 1 while there are such rows.
    """
    from ragvigil.scorer.offline.writing import refuse_what_is_read, write
    from ragvigil.scorer.testset.freeze import unchanged
    from ragvigil.scorer.testset.merge import merged

    if len(files) < 2:
        raise InputError("FILES", "is one set; name the set of each annotator, two at least")
    for written in (out, disputed):
        refuse_what_is_read(written, (*files, adjudicated))
    found = merged([unchanged(one) for one in files], None if adjudicated is None else unchanged(adjudicated))
    write(out, "".join(f"{row.canonical}\n" for row in found.rows))
    if disputed is not None:
        write(disputed, "".join(f"{row.canonical}\n" for row in found.drafts))
    if as_json:
        told = {"rows": len(found.rows), "settled": found.settled, "disputed": [*map(asdict, found.disputed)]}
        agreement = [asdict(one) for one in found.agreement]
        typer.echo(json.dumps({**told, "agreement": agreement}, ensure_ascii=False))
    else:
        say("\n".join(_lines(found, len(files), out)))
    return int(bool(found.disputed))


def _lines(found: Merged, annotators: int, out: Path) -> Iterator[str]:
    from ragvigil.exporters import clean

    yield (
        f"{len(found.rows):,} rows of {annotators} annotators written to {out}, {found.settled:,} as the adjudicator "
        "decided"
    )
    yield from map(_agreed, found.agreement)
    if found.disputed:
        yield f"{len(found.disputed):,} rows are left out until somebody decides them (--adjudicated):"
    yield from some_lines([f"  {clean(one.query_id, limit=60)}: {one.why}" for one in found.disputed], _SHOWN)


def _agreed(one: Agreement) -> str:
    from ragvigil.scorer.estimate import Estimate, Refusal

    told = one.found
    place = f"agreement on {one.field} ({one.method})"
    if isinstance(told, Refusal):
        return f"{place}: {told.detail}"
    n = told.n_judged if isinstance(told, Estimate) else told.n
    if told.value is None or told.lower is None or told.upper is None:
        return f"{place}: not enough data, n={n:,}"
    return f"{place}: {told.value:.2f} [{told.lower:.2f}, {told.upper:.2f}] n={n:,}"
