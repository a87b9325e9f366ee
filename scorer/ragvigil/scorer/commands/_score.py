"""``ragvigil score``."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO, cast

import typer

from ragvigil.scorer.commands._options import JsonOption, JudgeModelOption, settings_of
from ragvigil.scorer.commands._say import room, say
from ragvigil.scorer.errors import InputError

if TYPE_CHECKING:
    from ragvigil.scorer.config import Judge, Settings

_WIDTH = 118
_NO_VERDICT = ("failed", "unparseable")


def score(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSONL; - reads standard input.")],
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="builtin: offline; openai or anthropic: a model, from OPENAI_MODEL, OPENAI_API_KEY and "
            "OPENAI_BASE_URL or their twins; none: checks only. Default: the one of --config, else builtin.",
            show_default=False,
        ),
    ] = None,
    model: JudgeModelOption = "",
    config: Annotated[
        Path | None,
        typer.Option("--config", metavar="FILE", help="TOML file with [judge] and [custom_checks]."),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Score answers from a file with the checks and judge that production uses; no sampling, no budgets.

    A row is {id, query, evidence: [{id, text}], answer} or {question, answer, contexts: [text]}; unknown keys are
    allowed unless they misspell one of these, the query may be empty. One result per row, in order. Exit code 1 when
    a row cannot be read, or the judge gave no verdict on one (failed, unparseable), 2 when none can be read or there is
    none; what a row lacks shows in its state. A model takes the measures and criteria too that RAGVIGIL_JUDGE__MEASURES
    and RAGVIGIL_JUDGE__CRITERIA name.
    """
    from ragvigil.scorer.offline.rows import called
    from ragvigil.scorer.offline.score import score_rows

    settings = settings_of(config) if config is not None else None
    name = called(file)
    rows = unread = failed = 0
    with _opened(file) as lines:
        for result in score_rows(
            lines,
            judge=judge or (_judge(settings, model) if settings else "builtin"),
            model=model,
            own=settings.custom_checks if settings else None,
        ):
            rows, unread = rows + 1, unread + ("error" in result)
            failed += "error" in result or result["state"] in _NO_VERDICT
            say(json.dumps(result, ensure_ascii=False) if as_json else _line(result, name), whole=as_json)
    if not rows:
        raise InputError(name, "holds no row; put one JSON object on each line")
    if unread == rows:
        raise InputError(
            name, f"none of its {rows:,} rows can be read" if rows > 1 else "its row cannot be read"
        )
    return 1 if failed else 0


def _opened(file: Path) -> AbstractContextManager[TextIO]:
    from ragvigil.scorer.offline.rows import refuse_packed

    if str(file) == "-":
        return nullcontext(sys.stdin)
    try:
        if file.is_file():  # what a pipe holds is there once
            refuse_packed(file)
        return file.open(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise InputError(str(file), error.strerror or "cannot be read") from error


def _judge(settings: Settings, model: str) -> Judge:
    return settings.judge.model_copy(update={"model": model}) if model else settings.judge


def _line(result: dict[str, object], name: str) -> str:
    """One result for people; what cannot be read with file and line, as the error names it."""
    if "error" in result:
        return f"{name}, {result['error']}"
    checks = ", ".join(f"{check} {_share(value)}" for check, value in _checks(result))
    head = f"{result['id']}: {result['state'] or 'not judged'}, faithfulness {_share(result['faithfulness'])}"
    indented = textwrap.wrap(
        checks, room(_WIDTH), initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )
    return "\n".join([head, *indented])


def _checks(result: dict[str, object]) -> Iterable[tuple[str, object]]:
    named = (cast("dict[str, object]", result[kind]) for kind in ("checks", "measured"))
    return ((name, result[name]) for name in chain(*named) if result[name] is not None)


def _share(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else "-"
