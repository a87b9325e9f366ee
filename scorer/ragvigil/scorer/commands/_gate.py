"""``ragvigil gate``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import InputError


def gate(
    file: Annotated[Path, typer.Argument(metavar="GATE", help="TOML: what has to hold.")],
    answers: Annotated[
        Path,
        typer.Option(
            metavar="FILE", help="JSONL: {id, query, evidence, answer} a line; - reads standard input."
        ),
    ],
    testset: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The questions, plain or frozen; the id of an answer is a query_id."
        ),
    ] = None,
    digest: Annotated[
        str | None,
        typer.Option(metavar="HEX", help="What the frozen test set has to be, as `testset freeze` said."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Answers of another version to the same questions, for [baseline]."
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write JUnit XML, for the pages of a CI.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write Markdown, for a pull request.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Hold answers to limits on the ends of intervals: is this version good enough to ship?

    A limit `at_least` is held by the lower end of the 95 % interval, `at_most` by the upper end, so that too few
    answers never pass. Exit code 0 when everything holds, 1 when something does not or has too few answers, 2 when a
    file cannot be read. docs/ci.md has the gate file.
    """
    from ragvigil.scorer.gate.answers import read_answers
    from ragvigil.scorer.gate.junit import as_junit
    from ragvigil.scorer.gate.load import load_gate
    from ragvigil.scorer.gate.run import run_gate
    from ragvigil.scorer.gate.told import as_markdown, as_text
    from ragvigil.scorer.offline.writing import refuse_what_is_read, write
    from ragvigil.scorer.testset.freeze import unchanged

    if digest is not None and testset is None:
        raise InputError("--digest", "is that of a frozen test set; give --testset too")
    for out in (junit, markdown):
        refuse_what_is_read(out, (file, answers, testset, baseline))
    loaded = load_gate(file)
    asked = None if testset is None else unchanged(testset, digest)
    before = None if baseline is None else read_answers(baseline, asked)
    held = run_gate(loaded, read_answers(answers, asked), before, baseline or file)
    if junit is not None:
        write(junit, as_junit(held))
    if markdown is not None:
        write(markdown, as_markdown(held))
    if as_json:
        typer.echo(json.dumps({"holds": held.holds, **asdict(held)}, ensure_ascii=False))
    else:
        say("\n".join(as_text(held)))
    return 0 if held.holds else 1
