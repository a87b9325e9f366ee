"""``ragvigil prefer``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._bill import bill
from ragvigil.scorer.commands._options import ConfigOption, JsonOption, settings_of
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.offline.prefer import Comparison


def prefer(
    a: Annotated[Path, typer.Argument(metavar="A", help="JSONL: answers of one configuration.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Answers of the other one to the same questions.")],
    config: ConfigOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say which of two sets of answers is better: pairwise, each pair asked about in both orders.

    Rows are {id, query, evidence: [{id, text}], answer} or {question, contexts, answer}; they are matched by id, else
    by question, and the passages of both are shown. A preference that follows the order is a tie. The win rate of A
    counts ties half. Exit code 1 when a reply could not be read, 2 when the endpoint does not answer.
    """
    from ragvigil.scorer.offline.prefer import compare

    found = compare(a, b, settings_of(config))
    if as_json:
        typer.echo(json.dumps({**asdict(found), "counts": dict(found.counts)}, ensure_ascii=False))
    else:
        say("\n".join(_lines(found)))
    return 1 if found.counts["unread"] else 0


def _lines(found: Comparison) -> Iterator[str]:
    from ragvigil.exporters import clean

    for one in found.pairs:
        yield f"{clean(one.id, limit=30):<32} {one.winner:<7} {clean(one.notes, limit=300)}"
    counts = found.counts
    yield (
        f"A wins {counts['a']}, B wins {counts['b']}, ties {counts['tie']}, by order only {counts['order']}"
        + (f", unread {counts['unread']}" if counts["unread"] else "")
    )
    won = found.win_rate
    if won is None:
        yield "win rate of A: not enough data, at least 20 questions are needed"
    else:
        yield f"win rate of A: {won.value:.1%} [{won.lower:.1%}, {won.upper:.1%}] n={won.n_judged}"
        if won.lower <= 1 / 2 <= won.upper:
            yield "which of them is better cannot be told: the interval holds 50 %"
    yield bill(found.usage)
