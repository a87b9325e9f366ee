"""Every rule that must hold between the tables, and between store, inbox and the receive process's counts."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ragvigil.scorer.errors import StoreError
from ragvigil.scorer.inbox import InboxReader
from ragvigil.scorer.inbox.segments import damaged
from ragvigil.scorer.listed import listed
from ragvigil.scorer.receive.counters import counters
from ragvigil.scorer.store._rows import position
from ragvigil.scorer.store.reading import open_for_reading

_ATTEMPTS = 3
_PAUSE_SECONDS = 0.5
_LOOKS = 5
"""Twice as long as a receive process takes to write its counts down, and more."""
_SHOWN = 3
_MISSING = "are missing"
_RULES: dict[str, str] = {
    "ingested_is_the_sum_of_states": "records ingested by count, but not by ledger rows",
    "ledger_counts_are_the_ledger": "states whose count is not that of their ledger rows",
    "a_record_has_one_ledger_row": "records without a ledger row",
    "a_ledger_row_has_its_record": "ledger rows without their record",
    "a_trace_has_a_ledger_row": "traces without a ledger row",
    "a_ledger_row_has_its_trace": "ledger lacking traces that no retention took out",
    "no_record_and_no_question": "traces that count both as a record and as one without a question",
    "judged_has_a_verdict": "records judged without a current verdict",
    "a_verdict_is_judged": "records with a current verdict whose state is not judged",
    "one_current_verdict": "records with several current verdicts",
    "one_current_score": "records with several current scores of one check",
    "inclusion_is_a_probability": "records sampled with an inclusion outside (0, 1]",
    "rollups_are_the_sum_of_observations": "rollups that are not the sum of their observations",
    "an_observation_has_its_record": "observations without their record",
    "a_label_has_its_record": "labels without their record",
}
"""What is wrong when the SQL file of that name finds rows; each row's first column says where."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found."""

    records: int
    received: int
    """Spans and log records that the receive process says it accepted."""
    problems: tuple[str, ...]
    """What does not hold; () when everything does."""
    notes: tuple[str, ...] = ()
    """What is no fault but should be known."""


def audit(store: Path, inbox: Path) -> Audit:
    """Hold every rule against the store, also one that is being written.

    Counts, store and inbox cannot be read in one moment, so what seems lost is looked at again.
    """
    for _ in range(_ATTEMPTS - 1):
        found = _audit(store, inbox)
        if not any(problem.endswith(_MISSING) for problem in found.problems):
            return found
        time.sleep(_PAUSE_SECONDS)
    return _audit(store, inbox)


def _audit(store: Path, inbox: Path) -> Audit:
    received = _accepted(counters(inbox))
    with closing(open_for_reading(store)) as connection:
        connection.execute("BEGIN")
        problems = [line for name in _RULES for line in _hold(connection, name)]
        records = int(connection.execute("SELECT count(*) FROM ledger").fetchone()[0])
        seen = _counted(connection, "read_items")
        watermark, counted = position(connection, "watermark"), position(connection, "counted_to")
    if watermark is not None and (counted is None or counted < watermark):
        problems.append(f"the watermark {tuple(watermark)} lies after the last row counted, {counted}")
    with closing(InboxReader(inbox)) as reader:
        try:
            waiting, last = reader.items(counted), reader.last()
        except StoreError as error:
            return Audit(records, received, (*problems, f"the inbox cannot be read: {error}"))
    if watermark is not None and last is not None and watermark > last:
        problems.append(
            f"the watermark {tuple(watermark)} lies beyond the inbox, which ends at {tuple(last)}: "
            "the inbox was emptied or replaced"
        )
    missing = received - seen - waiting
    if missing > 0:
        aside = len(damaged(inbox))
        why = f" ({aside} damaged segments were set aside)" if aside else ""
        problems.append(
            f"{received:,} spans and log records were accepted, {seen:,} were read and {waiting:,} wait: "
            f"{missing:,}{why} {_MISSING}"
        )
    if missing >= 0 or _counted_by_now(inbox, seen + waiting):
        return Audit(records, received, tuple(problems))
    note = (
        f"{-missing:,} more were read than a receive process counted: it was killed, they were replayed, "
        "or this is a copy without its inbox"
    )
    return Audit(records, received, tuple(problems), (note,))


def _counted_by_now(inbox: Path, read: int) -> bool:
    """Whether so many were accepted: a receive process at work writes its counts down a moment after it accepts."""
    for _ in range(_LOOKS):
        if _accepted(counters(inbox)) >= read:
            return True
        time.sleep(_PAUSE_SECONDS)
    return False


def _hold(connection: sqlite3.Connection, rule: str) -> list[str]:
    sql = files("ragvigil.scorer.store.audit").joinpath(f"{rule}.sql").read_text(encoding="utf-8")
    rows = [str(row[0]) for row in connection.execute(sql)]
    if not rows:
        return []
    return [f"{len(rows):,} {_RULES[rule]}: {listed(rows, _SHOWN)}"]


def _accepted(counts: dict[str, int]) -> int:
    told = sum(value for name, value in counts.items() if name.startswith("told."))
    return counts.get("spans", 0) + counts.get("logs", 0) + told


def _counted(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("SELECT value FROM counters WHERE name = ?", (name,)).fetchone()
    return 0 if row is None else int(row[0])
