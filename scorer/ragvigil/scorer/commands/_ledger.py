"""``ragvigil ledger``."""

from __future__ import annotations

import json
from contextlib import closing

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.store import reading

_MEANING = {
    "pending": "sampled, waiting for its verdict",
    "judged": "has a verdict",
    "checked_only": "sampled out; the deterministic checks ran",
    "filtered": "not a question, or filtered by a rule",
    "shed": "sampled, but the judge's queue was full",
    "failed": "could not be read or judged",
    "expired": "waited too long for its verdict",
}


def ledger(config: ConfigOption = None, store: StoreOption = None, as_json: JsonOption = False) -> int:
    """Show in which state every ingested record stands, and that the sums match.

    Exit code 1 when they do not.
    """
    with closing(reading.open_for_reading(settings_of(config, store).store.path)) as connection:
        sums = reading.ledger(connection)
    if as_json:
        typer.echo(
            json.dumps(
                {
                    "ingested": sums.ingested,
                    "states": {state: sums.states.get(state, 0) for state in _MEANING},
                    "filtered": sums.filtered,
                    "balanced": sums.balanced,
                    "dropped_spans": sums.dropped_spans,
                    "lost_spans": sums.lost_spans,
                    "not_finite": sums.not_finite,
                }
            )
        )
        return 0 if sums.balanced else 1
    for state, meaning in _MEANING.items():
        typer.echo(f"{sums.states.get(state, 0):>12,}  {state:<13} {meaning}")
    typer.echo(
        f"{sum(sums.states.values()):>12,}  in all; {sums.ingested:,} ingested"
        + ("" if sums.balanced else ": OUT OF BALANCE")
    )
    if sums.dropped_spans:
        typer.echo(
            f"{sums.dropped_spans:>12,}  spans dropped from traces over assemble.max_trace_spans or _bytes"
        )
    if sums.lost_spans:
        typer.echo(
            f"{sums.lost_spans:>12,}  spans lost in services before they were sent, as their tracers say"
        )
    if sums.not_finite:
        typer.echo(
            f"{sums.not_finite:>12,}  figures on spans were NaN or infinite, and are taken for unknown"
        )
    return 0 if sums.balanced else 1
