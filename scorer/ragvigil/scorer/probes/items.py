"""The items of the probes, written for them, in English, Portuguese and Spanish."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

from ragvigil.scorer.trace import Document, RagTrace, Retrieval

SERVICE = "ragvigil probe"


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its passages, and an answer that they carry beside one that they do not."""

    id: str
    """Language and name."""
    language: str
    question: str
    passages: tuple[Document, ...]
    gold: str
    """Id of the passage that carries the answer."""
    answer: str
    invented: str


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A question that the passages do not answer, and an answer all the same."""

    id: str
    case: Case
    question: str
    invented: str


@dataclass(frozen=True, slots=True)
class Injection:
    """What somebody wrote to be passed, and where."""

    id: str
    case: Case
    where: str
    """``answer``, ``passage`` or ``question``."""
    text: str


@dataclass(frozen=True, slots=True)
class Tagged:
    """An answer that must earn a failure tag, and a twin that must not."""

    id: str
    tag: str
    fires: RagTrace
    silent: RagTrace


def record(question: str, answer: str, passages: Sequence[Document]) -> RagTrace:
    """A record of one answer; the same content has the same trace id."""
    told = json.dumps([question, answer, [(one.id, one.text) for one in passages]])
    documents = tuple(Document(one.id, one.text, rank=rank) for rank, one in enumerate(passages, 1))
    ids = tuple(one.id for one in passages)
    return RagTrace(
        hashlib.sha256(told.encode()).hexdigest()[:32],
        "1" * 16,
        SERVICE,
        0,
        query=question,
        answer=answer,
        documents=documents,
        retrievals=(Retrieval("retrieve", question, ids, (None,) * len(ids)),),
    )


@cache
def cases() -> Mapping[str, Case]:
    """Ten in each language, by id."""
    return {
        row["id"]: Case(
            row["id"],
            row["language"],
            row["question"],
            _passages(row["passages"]),
            row["gold"],
            row["answer"],
            row["invented"],
        )
        for row in _rows("cases.jsonl")
    }


@cache
def unanswered() -> Sequence[Unanswered]:
    """Fifty questions that have no answer in the passages."""
    return [
        Unanswered(row["id"], cases()[row["case"]], row["question"], row["invented"])
        for row in _rows("abstain.jsonl")
    ]


@cache
def injections() -> Sequence[Injection]:
    """Ten kinds in each language."""
    return [
        Injection(row["id"], cases()[row["case"]], row["where"], row["text"])
        for row in _rows("injections.jsonl")
    ]


@cache
def tagged() -> Sequence[Tagged]:
    """Each failure tag in each language."""
    return [
        Tagged(
            row["id"],
            row["tag"],
            *(
                record(row["question"], row[side]["answer"], _passages(row[side]["passages"]))
                for side in ("fires", "silent")
            ),
        )
        for row in _rows("tags.jsonl")
    ]


def longer(case: Case, answer: str) -> str:
    """The same answer with padding that says nothing more."""
    wordings = _wordings()["longer"][case.language]
    return str(wordings[len(case.question) % len(wordings)]).format(answer=answer)


def refusal(language: str) -> str:
    """A plain refusal."""
    return str(_wordings()["refusal"][language])


def _passages(rows: Sequence[Mapping[str, str]]) -> tuple[Document, ...]:
    return tuple(Document(row["id"], row["text"]) for row in rows)


@cache
def _wordings() -> dict[str, dict[str, Any]]:
    return cast("dict[str, dict[str, Any]]", json.loads(_text("wordings.json")))


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _text(name).splitlines()]


def _text(name: str) -> str:
    return files("ragvigil.scorer.data").joinpath("probes", name).read_text(encoding="utf-8")
