"""``ragvigil bench-checks``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption, JudgeModelOption
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.offline.bench import Figure, Line


def bench_checks(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Labelled sets, .jsonl or .jsonl.gz.")],
    judge: Annotated[
        str, typer.Option(metavar="KIND", help="As in ragvigil score: builtin, openai, anthropic.")
    ] = "builtin",
    model: JudgeModelOption = "",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only the file of this name; may be given again. Default: all."),
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="Rows of each file, from its start.")] = 1_000_000,
    draws: Annotated[int, typer.Option(min=0, max=100_000, help="Draws of each interval; 0: none.")] = 500,
    as_json: JsonOption = False,
) -> int:
    """Measure a judge on answers that people labelled: AUROC, F1, balanced accuracy, calibration, answers per second.

    A row is {query, evidence, answer, label} with label 1 for fully supported, and may name dataset, task, subset,
    group (its source), split, unsupported_spans and refusal. In brackets: 95 % of the draws of whole groups. Thresholds
    come from rows of split dev, train or validation; without rows of both kinds, from the other four fifths of sources.
    """
    from ragvigil.scorer.errors import InputError
    from ragvigil.scorer.judge import build_judge, rubric_of
    from ragvigil.scorer.judge.terminal import PATIENCE_SECONDS
    from ragvigil.scorer.offline.bench import judge_all, report
    from ragvigil.scorer.offline.labelled import labelled
    from ragvigil.scorer.offline.score import judge_settings

    paths = _chosen(folder, only or ())
    settings = judge_settings(judge, model)
    made = build_judge(settings, most_claims=None, patience_seconds=PATIENCE_SECONDS)
    if made is None:
        raise InputError("--judge", "none measures nothing; name a judge")
    lines: list[Line] = []
    answers, labels, seconds = 0, 0, 0.0
    if not as_json:
        say(_HEAD)
    with asyncio.Runner() as runner:
        for path in paths:
            rows = list(islice(labelled(path), most))
            judged, took = runner.run(judge_all(rows, made, rubric_of(settings)))
            labels += sum(row.supported is not None for row in rows)
            answers, seconds = answers + sum(one.score is not None for one in judged), seconds + took
            found = report(judged, draws=draws)
            lines += found
            if not as_json:
                say("\n".join(map(_row, found)))
        runner.run(made.close())
    if not labels:
        raise InputError(
            str(folder),
            "holds no row with answer, evidence and label; label is 1 (fully supported) or 0 (not)",
        )
    told = {"judge": made.name, "version": made.version}
    say(_total(told, lines, answers / seconds if seconds else 0.0, answers, as_json=as_json), whole=as_json)
    return 0


def _total(told: dict[str, str], lines: Sequence[Line], rate: float, answers: int, *, as_json: bool) -> str:
    if not as_json:
        return f"{told['judge']} {told['version']}: {answers:,} answers, {rate:,.0f} a second"
    found = {**told, "answers_per_second": round(rate, 1), "lines": [asdict(line) for line in lines]}
    return json.dumps(found, indent=1)


def _chosen(folder: Path, only: Sequence[str]) -> list[Path]:
    from ragvigil.scorer.errors import InputError
    from ragvigil.scorer.offline.labelled import name_of, sets_in

    paths = sets_in(folder)
    names = [name_of(path) for path in paths]
    unknown = [name for name in only if name not in names]
    if unknown:
        raise InputError(f"--only {unknown[0]}", f"is not in {folder}; it holds {', '.join(names)}")
    return [path for path, name in zip(paths, names, strict=True) if not only or name in only]


_HEAD = (
    f"{'set':<36}   rows  unsup.  {'AUROC':<18} {'F1':<18} {'bal. acc.':<18} {'macro-F1':<18}   ECE  chars"
)


def _row(line: Line) -> str:
    share = "     -" if line.unsupported is None else f"{line.unsupported:6.1%}"
    figures = (line.auroc, line.f1, line.balanced_accuracy, line.macro_f1)
    error = "    -" if line.calibration_error is None else f"{line.calibration_error:5.3f}"
    parts = [f"{line.name[:36]:<36} {line.rows:>6}  {share}", *map(_figure, figures), error]
    parts.append("    -" if line.characters_f1 is None else f"{line.characters_f1[0]:5.3f}")
    if line.refusals:
        parts.append("refusals: precision {:.3f}, recall {:.3f}".format(*line.refusals))
    if line.unscored:
        parts.append("unscored: " + ", ".join(f"{count} {state}" for state, count in line.unscored.items()))
    return " ".join(parts)


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return f"{'-':<18}"
    if figure[1] is None:
        return f"{figure[0]:.3f}".ljust(18)
    return f"{figure[0]:.3f} [{figure[1]:.3f},{figure[2]:.3f}]".ljust(18)
