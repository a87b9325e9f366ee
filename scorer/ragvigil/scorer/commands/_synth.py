"""``ragvigil synth``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ragvigil.scorer.commands._bill import bill
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._say import say


def synth(
    chunks: Annotated[Path, typer.Argument(metavar="CHUNKS", help="JSONL: {id, text}, one chunk a line.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the questions go, JSONL.")],
    each: Annotated[int, typer.Option(min=0, max=20, help="Questions wanted of a chunk.")] = 2,
    adversarial: Annotated[
        int, typer.Option(min=0, max=20, help="Hard ones, from chunks that look alike.")
    ] = 0,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Make test questions from your own documents, and keep those that a user could have asked.

    Each has the fact that answers it and the chunk that holds it. Left out is what the chunk does not carry, what a
    look-alike answers too, what is there already, and what has a realism below 4 of 5. Synthetic questions are no
    production traffic: check some against real ones. Exit code 1 when none was kept.
    """
    from ragvigil.scorer.offline.synth import chunks_of, synthesise
    from ragvigil.scorer.offline.writing import write

    found = synthesise(chunks_of(chunks), settings_of(config), each=each, adversarial=adversarial)
    rows = (json.dumps(one.as_row(number), ensure_ascii=False) for number, one in enumerate(found.made, 1))
    write(out, "".join(f"{row}\n" for row in rows))
    told = {"kept": len(found.made), "left_out": dict(found.left_out), "usage": dict(found.usage)}
    if as_json:
        typer.echo(json.dumps(told))
    else:
        left = ", ".join(f"{name} {count}" for name, count in found.left_out.most_common()) or "nothing"
        say(f"{len(found.made)} questions written to {out}; left out: {left}")
        say(bill(found.usage))
    return 0 if found.made else 1
