"""Rows of an evaluation file as records: (id, query, evidence, answer) or (question, contexts, answer)."""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeGuard, cast

from ragvigil.scorer.errors import InputError, nearest
from ragvigil.scorer.trace import Document, RagTrace, Retrieval

_QUERY = ("query", "question", "user_input")
_ANSWER = ("answer", "response")
EVIDENCE = ("evidence", "contexts", "retrieved_contexts", "documents")
_TEXT = ("text", "content", "page_content")
_SPENT = ("total_seconds", "retrieval_seconds", "generation_seconds", "cost_usd")
"""What the answer took; the budgets are held against it."""
_READ = ("id", *_QUERY, *_ANSWER, *EVIDENCE, *_SPENT, "conversation_id", "segment")
"""Keys that are read; a row may hold anything under others."""
_KNOWN = frozenset(
    {
        *_READ,
        *("ground_truth", "reference", "golden_answer", "required_facts", "forbidden_claims", "sources"),
        *("query_id", "intent", "golden_context_ids", "expected_refusal", "answer_type", "language", "tags"),
    }
)
"""Keys of a test set, read here or elsewhere."""
_MISSPELT = 0.82
"""So alike is a key to the one that is meant ("anwser", "contxts"), and "answer_id" to "answer" is not."""
NAMELESS = "line-"
"""How the id of a row without one begins."""
_LARGEST_SCORE = 10**300
_SERVICE = "offline"
_GZIP = b"\x1f\x8b"
_NO_UTF8 = re.compile("[\udc80-\udcff]")
"""What a byte that is no UTF-8 becomes where a file is read line by line (errors="surrogateescape")."""


def parse_row(line: str, number: int) -> Mapping[str, object]:
    """The JSON object on one line; InputError names the line, what is wrong, and the fix.

    >>> parse_row('["a"]', 3)
    Traceback (most recent call last):
    ragvigil.scorer.errors.InputError: line 3: holds a list; put one JSON object on each line
    >>> parse_row("no", 4)
    Traceback (most recent call last):
    ragvigil.scorer.errors.InputError: line 4: not JSON (expecting value, column 1); put one JSON object on each line
    """
    if not line.isascii() and _NO_UTF8.search(line):
        raise InputError(f"line {number}", "cannot be read as text; save it as UTF-8")
    try:
        row: object = json.loads(line.rstrip("\n"), object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        problem = "nested too deeply" if isinstance(error, RecursionError) else f"not JSON ({_why(error)})"
        raise InputError(f"line {number}", f"{problem}; put one JSON object on each line") from None
    if not isinstance(row, dict):
        raise InputError(f"line {number}", f"holds {kind_in_words(row)}; put one JSON object on each line")
    return cast("dict[str, object]", row)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object; of a key that is there twice JSON would take the last, and people may see the first."""
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for place, (key, _) in enumerate(pairs) if key in dict(pairs[:place]))
        raise ValueError(f"{twice[:60]!r} is there twice")
    return found


def _why(error: ValueError) -> str:
    """What the parser says, without the number of a line: it saw one only."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[:1].lower()}{error.msg[1:]}, column {error.colno:,}"
    return str(error)[:100]


def rows_in(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The rows of a file with their line numbers, empty lines left out. InputError names file or line, and the fix."""
    lines = text_of(path).split("\n")  # JSON may hold other line ends
    for number, line in enumerate(lines, 1):
        if line.strip():
            with naming(path):
                row = parse_row(line, number)
            yield number, row


@contextmanager
def naming(path: Path) -> Generator[None]:
    """What is wrong with a line is told with the file that holds it."""
    try:
        yield
    except InputError as error:
        if not error.place.startswith("line "):
            raise
        raise InputError(f"{called(path)}, {error.place}", error.problem) from None


def text_of(path: Path) -> str:
    """The text of a file, `-` for standard input. InputError names it and the fix."""
    piped = _is_piped(path)
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig") if piped else path.read_text("utf-8-sig")
    except OSError as error:
        raise InputError(called(path), f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        if not piped:
            refuse_packed(path)
        raise InputError(called(path), "cannot be read as text; save it as UTF-8") from None


def called(path: Path) -> str:
    """What errors call it.

    >>> called(Path("a.jsonl")), called(Path("-"))
    ('a.jsonl', 'standard input')
    """
    return "standard input" if _is_piped(path) else str(path)


def _is_piped(path: Path) -> bool:
    return str(path) == "-"


def refuse_packed(path: Path) -> None:
    """InputError for a file that gzip wrote: it is no text, and no format that is read here."""
    with path.open("rb") as file:
        if file.read(len(_GZIP)) == _GZIP:
            raise InputError(str(path), "is packed with gzip; unpack it first, as with gunzip")


def row_id(row: Mapping[str, object], number: int) -> str | int:
    """The row's id as it stands; its line number when it has none."""
    value = row.get("id")
    if value is None:
        return f"{NAMELESS}{number}"
    if not is_id(value):
        raise InputError(f"line {number}, id", f"must be text or a whole number, not {kind_in_words(value)}")
    return value


def is_id(value: object) -> TypeGuard[str | int]:
    """Whether it can be an id: text or a whole number.

    >>> is_id("a#1"), is_id(7), is_id(True), is_id(None)
    (True, True, False, False)
    """
    return isinstance(value, str | int) and not isinstance(value, bool)


def record_of(row: Mapping[str, object], number: int) -> RagTrace:
    """The record that a row describes; unknown keys are allowed, misspelt ones not. InputError names line and fix."""
    identifier, place = row_id(row, number), f"line {number}"
    _refuse_what_is_no_value({name: row[name] for name in _READ if name in row}, number)
    for names in (_QUERY, _ANSWER, EVIDENCE):
        refuse_misspelt(row, names, place)
    query = text_under(row, _QUERY, place)
    documents = _documents(row, number)
    ids = tuple(document.id for document in documents or ())
    scores = tuple(document.score for document in documents or ())
    digest = hashlib.sha256(str(identifier).encode("utf-8", "replace")).hexdigest()
    total, retrieval, generation, cost = (_spent(row, name, number) for name in _SPENT)
    return RagTrace(
        trace_id=digest[:32],
        span_id=digest[32:48],
        service=_SERVICE,
        started_at=0,
        query=query or None,
        documents=documents or (),
        answer=text_under(row, _ANSWER, place),
        retrievals=() if documents is None else (Retrieval("retrieve", query, ids, scores),),
        cost_usd=cost,
        retrieval_seconds=retrieval,
        generation_seconds=generation,
        total_seconds=total,
        conversation_id=text_under(row, ("conversation_id",), place),
        segment=_segment(row, number),
        dialect="row",
    )


def _spent(row: Mapping[str, object], name: str, number: int) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _LARGEST_SCORE:
        raise InputError(f"line {number}, {name}", "must be a number from 0; use null for an unknown one")
    return float(value)


def _segment(row: Mapping[str, object], number: int) -> Mapping[str, str]:
    value = row.get("segment")
    told = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    if value is not None and (value != told or not all(isinstance(one, str) for one in told.values())):
        raise InputError(f"line {number}, segment", 'must be an object of texts, such as {"language": "de"}')
    return {name: str(one) for name, one in told.items()}


def unread(rows: Sequence[Mapping[str, object]]) -> str | None:
    """What to say of rows without question or passages, None where all have both.

    Raises InputError for one with neither: whatever it holds is under keys that nobody reads.

    >>> unread([{"question": "When?", "contexts": ["At nine."]}])
    >>> unread([{"question": "When?", "ctx": ["At nine."]}])
    '1 of 1 items have no passages (evidence or contexts): the judge has less to go by; not read: ctx'
    """
    lacking: dict[str, int] = {"question (query or question)": 0, "passages (evidence or contexts)": 0}
    strange: dict[str, None] = {}
    for number, row in enumerate(rows, 1):
        others = [key for key in row if key not in _KNOWN]
        missing = [
            what
            for what, names in zip(lacking, (_QUERY, EVIDENCE), strict=True)
            if not any(name in row for name in names)
        ]
        if len(missing) == len(lacking):
            told = ", ".join(map(str, others)) or "nothing"
            raise InputError(
                f"line {number}",
                f"has neither question nor passages; it holds {told}: name them question and contexts",
            )
        for what in missing:
            lacking[what] += 1
            strange |= dict.fromkeys(others)
    found = [f"{count:,} of {len(rows):,} items have no {what}" for what, count in lacking.items() if count]
    if not found:
        return None
    keys = f"; not read: {', '.join(map(str, strange))}" if strange else ""
    return f"{' and '.join(found)}: the judge has less to go by{keys}"


def text_under(row: Mapping[str, object], names: Sequence[str], place: str) -> str | None:
    """The text under the first of these keys that has a value. InputError names `place`, key and fix."""
    name = next((name for name in names if row.get(name) is not None), names[0])
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{place}, {name}", f"must be text, not {kind_in_words(value)}; put it in quotes")
    return value


def _documents(row: Mapping[str, object], number: int) -> tuple[Document, ...] | None:
    """The passages in their order; None when the row does not speak of any."""
    name = next((name for name in EVIDENCE if row.get(name) is not None), None)
    if name is None:
        return None
    value = row[name]
    if not isinstance(value, list):
        problem = f"must be a list of passages, not {kind_in_words(value)}; put it in [ ]"
        raise InputError(f"line {number}, {name}", problem)
    passages = cast("list[object]", value)
    return tuple(
        _document(passage, rank, f"line {number}, {name}[{rank - 1}]")
        for rank, passage in enumerate(passages, 1)
    )


def _document(passage: object, rank: int, place: str) -> Document:
    if isinstance(passage, str):
        return Document(None, passage, rank=rank)
    if not isinstance(passage, dict):
        raise InputError(place, f"must be text or an object with id and text, not {kind_in_words(passage)}")
    fields = cast("dict[str, object]", passage)
    text, score = _passage_text(fields, place), _passage_score(fields.get("score"), place)
    rest = {key: value for key, value in fields.items() if key not in ("id", "score", *_TEXT)}
    return Document(_passage_id(fields.get("id"), place), text, score, rank, rest)


def _passage_text(fields: Mapping[str, object], place: str) -> str | None:
    text = next((fields[name] for name in _TEXT if fields.get(name) is not None), None)
    if text is None:
        refuse_misspelt(fields, _TEXT, place)
        return None
    if not isinstance(text, str):
        raise InputError(f"{place}.text", f"must be text, not {kind_in_words(text)}; put it in quotes")
    return text


def _passage_score(value: object, place: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        problem = f"must be a number, not {kind_in_words(value)}; use null for an unknown one"
        raise InputError(f"{place}.score", problem)
    if isinstance(value, int) and abs(value) > _LARGEST_SCORE:
        raise InputError(f"{place}.score", "is too large; use null for an unknown one")
    return float(value)


def _passage_id(value: object, place: str) -> str | None:
    if value is None or value == "":
        return None
    if not is_id(value):
        raise InputError(f"{place}.id", f"must be text or a whole number, not {kind_in_words(value)}")
    return str(value)


def refuse_misspelt(row: Mapping[str, object], names: tuple[str, ...], place: str) -> None:
    """Where none of `names` is there, a key that is nearly one of them: without a word nothing would be scored."""
    if any(name in row for name in names):
        return
    for key in row:
        near = nearest(key, names, cutoff=_MISSPELT) if key not in _READ else []
        if near:
            raise InputError(f"{place}, {key}", f"is not read; did you mean {near[0]}?")


def _refuse_what_is_no_value(row: Mapping[str, object], number: int) -> None:
    path = _not_finite(row)
    if path is not None:
        raise InputError(f"line {number}, {path}", "not a finite number; use null for an unknown one")
    refuse_half_characters(row, f"line {number}")


def refuse_half_characters(row: Mapping[str, object], place: str) -> None:
    """No half of a surrogate pair anywhere: nothing that holds one can be written as UTF-8."""
    if any("\ud800" <= character <= "\udfff" for character in json.dumps(row, ensure_ascii=False)):
        raise InputError(place, "holds half of a surrogate pair; write the whole character")


def _not_finite(row: Mapping[str, object]) -> str | None:
    """Path of the first NaN or infinity anywhere in a row."""
    stack: list[tuple[str, object]] = list(row.items())[::-1]
    while stack:
        path, value = stack.pop()
        if isinstance(value, float) and not math.isfinite(value):
            return path
        if isinstance(value, dict):
            members = cast("dict[str, object]", value)
            stack += [(f"{path}.{key}", member) for key, member in reversed(members.items())]
        elif isinstance(value, list):
            stack += [
                (f"{path}[{place}]", member) for place, member in enumerate(cast("list[object]", value))
            ][::-1]
    return None


def kind_in_words(value: object) -> str:
    """What a JSON value is, in words.

    >>> kind_in_words(True), kind_in_words([1])
    ('true or false', 'a list')
    """
    names: dict[type[object], str] = {
        dict: "an object",
        list: "a list",
        str: "text",
        bool: "true or false",
        type(None): "null",
    }
    return names.get(type(value), "a number")
