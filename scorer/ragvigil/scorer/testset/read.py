"""A test set from its file: plain rows, or frozen ones under a header."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from ragvigil.scorer.config.faults import faults_of
from ragvigil.scorer.config.fields import Section
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.offline.rows import refuse_half_characters, rows_in
from ragvigil.scorer.testset.row import Row, problems_of

HEADER = "ragvigil_testset"
"""Key by which the first line of a frozen set is known; its value is the version of the format."""


class Pinned(Section):
    """The corpus that a set was frozen with."""

    digest: str = Field(description="SHA-256 over all documents")
    documents: int
    golden: dict[str, str | None] = Field(
        description="SHA-256 of each golden passage; null: it was not there"
    )


class Header(Section):
    """What a set was when it was frozen."""

    ragvigil_testset: Literal[1]
    digest: str = Field(description="SHA-256 over the rows, in whatever order, and the digest of the corpus")
    frozen_at: str = Field(description="moment, UTC")
    version: str = Field(description="of ragvigil")
    label: str = ""
    rows: dict[str, str] = Field(description="SHA-256 of each row, by query_id")
    corpus: Pinned | None = None


@dataclass(frozen=True, slots=True)
class Testset:
    """A file's rows, in its order."""

    __test__ = False

    path: Path
    rows: tuple[Row, ...]
    lines: Mapping[str, int]
    """The line of each row, by query_id."""
    header: Header | None = None
    """None: the set is not frozen."""


Problem = Callable[[InputError], None]


def _raised(error: InputError) -> None:
    raise error


def read_testset(path: Path, problem: Problem = _raised) -> Testset:
    """The set. `problem` hears of each row that cannot be read, with line, field and fix; by default it ends there.

    Raises InputError for a file that cannot be read, a header that is none, and a set without rows.
    """
    rows: list[Row] = []
    lines: dict[str, int] = {}
    header: Header | None = None
    seen = 0
    for number, told in rows_in(path):
        if HEADER in told and not seen and header is None:
            header = _header(told, f"{path}, line {number}")
            continue
        seen += 1
        for row in _row(told, f"{path}, line {number}", problem):
            if row.query_id in lines:
                name = f"{row.query_id[:60]!r} is also on line {lines[row.query_id]}; give each row an id of its own"
                problem(InputError(f"{path}, line {number}, query_id", name))
            else:
                rows.append(row)
                lines[row.query_id] = number
    if not seen:
        raise InputError(str(path), "holds no row; put one JSON object with query_id and query on each line")
    return Testset(path, tuple(rows), lines, header)


def _row(told: Mapping[str, object], place: str, problem: Problem) -> tuple[Row, ...]:
    try:
        refuse_half_characters(told, place)
        return (Row.model_validate(told),)
    except InputError as error:
        problem(error)
    except ValidationError as error:
        for one in problems_of(error, place):
            problem(one)
    return ()


def _header(told: Mapping[str, object], place: str) -> Header:
    try:
        return Header.model_validate(told)
    except ValidationError as error:
        fault = faults_of(error, Header)[0]
        problem = f"{fault.problem}; freeze the set anew with this version"
        raise InputError(f"{place}, {fault.key}", problem) from None
