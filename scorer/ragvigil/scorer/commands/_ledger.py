"""``ragvigil ledger``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._options import ConfigOption, JsonOption, StoreOption, settings_of
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.store.audit import Audit
    from ragvigil.scorer.store.reading import Ledger

_MEANING = {
    "pending": "sampled, waiting for its verdict",
    "judged": "has a verdict",
    "not_scoreable": "sampled, but not judged: content or passages are missing, or withheld by ids_only",
    "checked_only": "sampled out; the deterministic checks ran",
    "filtered": "not a question, or filtered by a rule",
    "shed": "sampled, but the judge's queue was full",
    "failed": "could not be read or judged",
    "expired": "waited too long for its verdict",
}
_REASONS = {"no_question": ": other traffic, or spans that no dialect reads (ragvigil explain FILE)"}
"""What is said of a reason why a trace is filtered."""


def ledger(
    config: ConfigOption = None,
    store: StoreOption = None,
    check: Annotated[
        bool, typer.Option("--check", help="Prove the sums from the rows up, also against what was received.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Show in which state every ingested record stands, and that the sums match.

    Exit code 1 when they do not.
    """
    from ragvigil.scorer.store import reading
    from ragvigil.scorer.store.audit import audit

    settings = settings_of(config, store)
    if check:
        return _check(audit(settings.store.path, settings.inbox_path), as_json=as_json)
    with closing(reading.open_for_reading(settings.store.path)) as connection:
        sums = reading.ledger(connection)
    if as_json:
        typer.echo(json.dumps(_shown(sums)))
    else:
        say("\n".join(_lines(sums)))
    return 0 if sums.balanced else 1


def _shown(sums: Ledger) -> dict[str, object]:
    return {
        "ingested": sums.ingested,
        "states": {state: sums.told.get(state, 0) for state in _MEANING},
        "filtered": sums.filtered,
        "without_verdict": sums.without_verdict,
        "balanced": sums.balanced,
        "dropped_spans": sums.dropped_spans,
        "lost_spans": sums.lost_spans,
        "not_finite": sums.not_finite,
        "deleted": sums.deleted,
    }


def _lines(sums: Ledger) -> Iterator[str]:
    for state, meaning in _MEANING.items():
        yield f"{sums.told.get(state, 0):>12,}  {state:<13} {meaning}"
        if state == "filtered":
            for reason, count in sorted(sums.filtered.items()):
                yield f"{'':16}{count:>12,}  {reason}{_REASONS.get(reason, '')}"
    balance = "" if sums.balanced else ": OUT OF BALANCE"
    yield f"{sum(sums.states.values()):>12,}  in all; {sums.ingested:,} ingested{balance}"
    for count, what in (
        (sums.deleted, "of these are deleted, by age, by the ceiling on disk, or forgotten"),
        (sums.dropped_spans, "spans dropped from traces over assemble.max_trace_spans or _bytes"),
        (sums.lost_spans, "spans lost in services before they were sent, as their tracers say"),
        (sums.not_finite, "figures on spans were NaN or infinite, and are taken for unknown"),
        (sums.not_kept, "late parts of stored traces could not be redacted, and were not kept"),
        (
            sums.after_content,
            "late spans or feedback came when the content of their trace was gone, and were not kept",
        ),
    ):
        if count:
            yield f"{count:>12,}  {what}"


def _check(found: Audit, *, as_json: bool) -> int:
    """Say what holds and what does not; 1 when anything does not."""
    if as_json:
        typer.echo(json.dumps({"ok": not found.problems, **asdict(found)}))
    else:
        for line in found.problems:
            say(f"WRONG  {line}")
        for line in found.notes:
            say(f"note   {line}")
        say(
            f"{found.records:,} records, {found.received:,} spans and log records received: "
            + ("the sums do not hold" if found.problems else "every sum holds")
        )
    return 1 if found.problems else 0
