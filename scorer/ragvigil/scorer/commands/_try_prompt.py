"""``ragvigil try-prompt``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._bill import bill
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.offline.try_prompt import Said

_UNANSWERED = ("unparseable", "failed")
_SUMMED = ("calls", "input_tokens", "output_tokens", "cost_usd")


def try_prompt(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help='A criterion of your own, or a rubric (reply = "rubric").')
    ],
    on: Annotated[
        Path,
        typer.Option(metavar="TRACES", help="Recorded traces (OTLP), or rows {question, contexts, answer}."),
    ],
    limit: Annotated[int, typer.Option(min=1, help="Of more records, the first so many.")] = 50,
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show what a prompt says of recorded answers before it goes live. Nothing is stored; the calls are spent.

    It asks the model of [judge], or of RAGVIGIL_JUDGE__KIND and OPENAI_BASE_URL; `ragvigil fake-judge` will do to
    see that the file works. Exit code 1 when a record got no readable reply.
    """
    from ragvigil.scorer.dialects.custom import dialects_of
    from ragvigil.scorer.offline.records import records_in
    from ragvigil.scorer.offline.try_prompt import try_prompt as tried

    settings = settings_of(config)
    records = records_in(on, dialects_of(settings.dialects))
    said = tried(file, records[:limit], settings)
    for one in said:
        say(json.dumps(one.as_json(), ensure_ascii=False) if as_json else _line(one), whole=as_json)
    if not as_json:
        say("\n".join(_summary(said, len(records))))
    return 1 if any(one.verdict in _UNANSWERED for one in said) else 0


def _line(said: Said) -> str:
    from ragvigil.exporters import clean

    reason = clean(said.reason or "", limit=300)
    return f"{clean(said.id, limit=40):<34} {said.verdict:<15} {reason}".rstrip()


def _summary(said: Sequence[Said], records: int) -> Iterator[str]:
    counts = Counter(one.verdict for one in said)
    yield f"{len(said)} of {records} records: " + ", ".join(f"{name} {n}" for name, n in counts.most_common())
    told = [one.usage for one in said if one.usage]
    unpriced = any(usage.get("cost_usd") is None for usage in told)
    sums: dict[str, object] = {name: sum(_figure(usage, name) for usage in told) for name in _SUMMED}
    yield bill(sums | ({"cost_usd": None} if unpriced else {}))


def _figure(usage: Mapping[str, object], name: str) -> float:
    value = usage.get(name)
    return float(value) if isinstance(value, int | float) else 0.0
