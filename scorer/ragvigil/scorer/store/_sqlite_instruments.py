"""What measured: the ids of checks and judges, each with its versions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from ragvigil.scorer.verdict import CheckResult, Measured, Verdict

_COLUMNS = "(name, check_version, judge_version, prompt_digest)"


class SqliteInstruments:
    """Looks up ids, and writes an instrument when it is first met, within the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[str, str, str, str], int] = {}
        self._checks: dict[tuple[str, str], int] = {}

    def check(self, name: str, version: str) -> int:
        """The id of a check of this version."""
        return self._id((name, version, "", ""))

    def checks(self, results: Sequence[CheckResult]) -> list[int]:
        """The ids of the checks that gave these results: dozens a record, and nearly always the same."""
        known = self._checks
        try:
            return [known[one.check, one.version] for one in results]
        except KeyError:
            known.update({(one.check, one.version): self.check(one.check, one.version) for one in results})
            return [known[one.check, one.version] for one in results]

    def judge(self, verdict: Verdict) -> int:
        """The id of the judge that gave this verdict, with its prompt."""
        return self._id(
            ("faithfulness", "", f"{verdict.judge} {verdict.judge_version}", verdict.prompt_digest)
        )

    def measured(self, measured: Measured) -> int:
        """The id of the judge that measured this, with its prompt."""
        return self._id(
            (measured.name, "", f"{measured.judge} {measured.judge_version}", measured.prompt_digest)
        )

    def summed_up(self, name: str, version: str, verdict: Verdict) -> int:
        """The id of what sums up checks and this judge's verdicts, with its own version."""
        return self._id((name, version, f"{verdict.judge} {verdict.judge_version}", verdict.prompt_digest))

    def forget(self) -> None:
        """A transaction was rolled back: nothing that it wrote is known any more."""
        self._known.clear()
        self._checks.clear()

    def _id(self, key: tuple[str, str, str, str]) -> int:
        known = self._known.get(key)
        if known is None:
            self._connection.execute(f"INSERT OR IGNORE INTO instruments {_COLUMNS} VALUES (?, ?, ?, ?)", key)
            query = f"SELECT id FROM instruments WHERE {_COLUMNS} = (?, ?, ?, ?)"
            known = self._known[key] = int(self._connection.execute(query, key).fetchone()[0])
        return known
