"""The judge's day, for ``ragvigil status``: what it was asked and cost, and what is odd about its verdicts."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping

from ragvigil.scorer.moments import DAY

_COST = (
    "SELECT count(*) AS verdicts, "
    "coalesce(sum(json_extract(details, '$.usage.calls')), 0) AS calls, "
    "coalesce(sum(json_extract(details, '$.usage.remembered')), 0) AS remembered, "
    "coalesce(sum(json_extract(details, '$.usage.input_tokens')), 0) AS input_tokens, "
    "coalesce(sum(json_extract(details, '$.usage.output_tokens')), 0) AS output_tokens, "
    "sum(json_extract(details, '$.usage.cost_usd')) AS cost_usd "
    "FROM verdicts WHERE created_at >= ? AND json_extract(details, '$.usage') IS NOT NULL"
)
_FLAGS = (
    "SELECT flag.value AS flag, count(*) FROM verdicts, json_each(verdicts.details, '$.flags') AS flag "
    "WHERE created_at >= ? GROUP BY 1 ORDER BY 2 DESC, 1"
)
_WARNINGS: Mapping[str, str] = {
    "self_judging": "judge and generator are of one model family, and a judge favours its own: take another judge",
    "panel_disagrees": "the judges of the panel differ by more than a point; people should read these: ragvigil label",
    "disagrees_with_checks": "the judge differs from the checks; people should read these: ragvigil label",
}


def as_json(connection: sqlite3.Connection) -> dict[str, object]:
    """Verdicts of a language model in the last day, their cost, and how often each flag was given."""
    since = time.time_ns() - DAY
    cost = dict(connection.execute(_COST, (since,)).fetchone())
    return {**cost, "flags": dict(connection.execute(_FLAGS, (since,)).fetchall())}


def as_text(connection: sqlite3.Connection) -> list[str]:
    """The same for people; nothing when no language model judged."""
    since = time.time_ns() - DAY
    cost = connection.execute(_COST, (since,)).fetchone()
    if not cost["verdicts"]:
        return []
    money = "unpriced" if cost["cost_usd"] is None else f"{cost['cost_usd']:,.2f} US dollars"
    tokens = cost["input_tokens"] + cost["output_tokens"]
    flags = dict(connection.execute(_FLAGS, (since,)).fetchall())
    told = [(flags[flag], flag, words) for flag, words in _WARNINGS.items() if flag in flags]
    head = f"{cost['verdicts']:,} verdicts, {cost['calls']:,} calls, {cost['remembered']:,} remembered"
    return [
        f"judge, last day: {head}, {tokens:,} tokens, {money}",
        *(f"  WARNING: {count:,} verdicts {flag}: {words}" for count, flag, words in told),
    ]
