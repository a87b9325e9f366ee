"""`ragvigil prefer`: which of two sets of answers to the same questions is better, by a language model.

Each pair is asked about twice, with the answers in both orders: what the model prefers because it came first is a tie.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ragvigil.scorer import config
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.errors import InputError
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.judge import model_at_a_terminal
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.endpoint import Completion, RefusedError
from ragvigil.scorer.judge.replies import PreferenceReply, usable
from ragvigil.scorer.judge.terminal import told_when_away
from ragvigil.scorer.monitoring import Sums
from ragvigil.scorer.offline.rows import naming, record_of, row_id, rows_in
from ragvigil.scorer.trace import Document, RagTrace

Winner = Literal["a", "b", "tie", "order", "unread"]
"""`order`: the answer in one place won both times, which counts as a tie; `unread`: a reply could not be read."""
_WORTH: Mapping[Winner, float] = {"a": 1.0, "b": 0.0, "tie": 0.5, "order": 0.5}
_FIELDS = ("query", "evidence", "first", "second")


@dataclass(frozen=True, slots=True)
class Preferred:
    """One question."""

    id: str
    winner: Winner
    notes: str
    """What the model says of A, and of B."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """All questions that both files answer."""

    pairs: tuple[Preferred, ...]
    win_rate: Estimate | None
    """Share of questions that A wins, ties half, with its 95 % interval; None with fewer than 20."""
    usage: Mapping[str, object]

    @property
    def counts(self) -> Mapping[str, int]:
        """Questions by winner."""
        return {name: sum(one.winner == name for one in self.pairs) for name in (*_WORTH, "unread")}


def rows_of(path: Path) -> dict[str, RagTrace]:
    """The answers of a file of rows {id, query, evidence, answer}, by id, else by question. Raises InputError."""
    found: dict[str, RagTrace] = {}
    for number, row in rows_in(path):
        with naming(path):
            record = record_of(row, number)
            name = str(row_id(row, number)) if row.get("id") is not None else record.query or ""
        if not name:
            raise InputError(f"{path}, line {number}", "has neither id nor question; give one of them")
        if name in found:
            raise InputError(f"{path}, line {number}", f"answers {name[:60]!r} a second time; leave one out")
        found[name] = record
    return found


def compare(a: Path, b: Path, settings: config.Settings) -> Comparison:
    """The comparison of two files, against the budget of the scorer of `settings`.

    Raises InputError where they have no question in common, or another one under the same id, and where the endpoint
    does not answer; ConfigError where no language model is configured.
    """
    first, second = rows_of(a), rows_of(b)
    shared = [name for name in first if name in second]
    if not shared:
        raise InputError(str(b), f"answers no question of {a}; rows are matched by id, else by question")
    for name in shared:
        if first[name].query != second[name].query:
            raise InputError(
                str(b), f"has another question under id {name[:60]!r}; compare answers to the same ones"
            )
    with told_when_away():
        return asyncio.run(_all([(name, first[name], second[name]) for name in shared], settings))


async def _all(pairs: Sequence[tuple[str, RagTrace, RagTrace]], settings: config.Settings) -> Comparison:
    asker = model_at_a_terminal(settings)
    try:
        found = await asyncio.gather(*(_preferred(*pair, asker) for pair in pairs))
    finally:
        await asker.close()
    values = [_WORTH[one.winner] for one, _ in found if one.winner in _WORTH]
    completions = [one for _, some in found for one in some]
    won = rate(sum(map(Sums.of, values), Sums()))
    return Comparison(tuple(one for one, _ in found), won, asker.usage(completions))


async def _preferred(name: str, a: RagTrace, b: RagTrace, asker: Asker) -> tuple[Preferred, list[Completion]]:
    prompt = usable("preference", "preference", _FIELDS)
    completions: list[Completion] = []
    said: list[PreferenceReply] = []
    problem: str | None = None
    either = together(a, b)
    shown, language = asker.digest(either), language_of(Prepared(either))
    for first, second in ((a, b), (b, a)):
        values = {
            "query": shown["query"],
            "evidence": shown["evidence"],
            "first": asker.digest(first)["answer"],
            "second": asker.digest(second)["answer"],
        }
        try:
            asked = await asker.ask(prompt, values, PreferenceReply, language=language)
        except RefusedError as error:
            return Preferred(name, "unread", f"the model refused: {error}"), completions
        completions += asked.completions
        if asked.reply is None:
            problem = asked.problem
        else:
            said.append(asked.reply)
    if len(said) < 2:
        return Preferred(name, "unread", f"a reply could not be read: {problem}"), completions
    notes = f"A: {said[0].first_notes} B: {said[0].second_notes}"
    return Preferred(name, winner_of(said[0].better, said[1].better), notes), completions


def together(a: RagTrace, b: RagTrace) -> RagTrace:
    """The passages of both, each once, under both answers: the same whichever comes first.

    What one was given and the other was not carries an answer all the same, and of passages that are too long that
    part is kept which concerns either answer.

    >>> a, b = (
    ...     RagTrace("0" * 32, "1" * 16, "s", 0, query="q", answer=text, documents=(Document(text, text),))
    ...     for text in ("x", "y")
    ... )
    >>> [(one.id, one.rank) for one in together(a, b).documents], together(a, b) == together(b, a)
    ([('x', 1), ('y', 2)], True)
    """
    ranked = sorted((*a.documents, *b.documents), key=lambda one: (one.rank, one.id or "", one.text or ""))
    passages = dict.fromkeys((one.id, one.text) for one in ranked)
    return replace(
        a,
        answer="\n\n".join(sorted({a.answer or "", b.answer or ""})),
        documents=tuple(Document(*one, rank=rank) for rank, one in enumerate(passages, 1)),
        retrievals=(),
    )


def winner_of(straight: str, swapped: str) -> Winner:
    """Who wins by two replies, the second with the answers swapped.

    >>> winner_of("first", "second"), winner_of("first", "first"), winner_of("first", "tie")
    ('a', 'order', 'tie')
    """
    if (straight, swapped) == ("first", "second"):
        return "a"
    if (straight, swapped) == ("second", "first"):
        return "b"
    return "order" if straight == swapped != "tie" else "tie"
