"""Asks a language model by a prompt, once more when its reply makes no sense, and counts what that cost."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Generic

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citations import Citation
from ragvigil.scorer.checks.reading.language import code_of
from ragvigil.scorer.judge.digest import digest
from ragvigil.scorer.judge.endpoint import Completion, Endpoint, EndpointError, Question, RefusedError
from ragvigil.scorer.judge.endpoint.trouble import cut_to
from ragvigil.scorer.judge.fill import Filled, fill
from ragvigil.scorer.judge.memory import Memory, key_of
from ragvigil.scorer.judge.paid import Reply
from ragvigil.scorer.judge.prices import Price, cost_of
from ragvigil.scorer.judge.reply import Part, R, ReplyError, read, schema
from ragvigil.scorer.trace import RagTrace

_MOST_ASKED = 2
"""How often one thing is asked before the reply counts as unparseable."""
_COMPLAINT = (
    "Your reply does not follow the schema: {problem}. Reply again with one JSON object that has {fields}, "
    "and nothing else."
)
_LONGEST_QUOTED = 4_000
_LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Budget:
    """How much of a record a model is shown, and how much it may say."""

    most_evidence: int = 24_000
    """Characters of the passages."""
    most_answer: int = 16_000
    """Characters of the answer."""
    most_tokens: int = 4_000
    """Tokens of the reply."""


@dataclass(slots=True)
class Asked(Generic[R]):
    """What asking has brought."""

    reply: R | None = None
    """None: no reply could be read, and `problem` says why."""
    problem: str | None = None
    damaged: list[object] = field(default_factory=list[object])
    """The JSON of replies that did not follow the schema, or that were objected to."""
    completions: list[Completion] = field(default_factory=list[Completion])


class Asker:
    """One model with the limits and prices that hold for it."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        model: str,
        budget: Budget | None = None,
        prices: Mapping[str, Price] | None = None,
        address: str = "",
        memory: Memory | None = None,
    ) -> None:
        """`name` is the kind of endpoint, such as ``openai``; `memory` what was asked at `address` (shown) before."""
        self.name = name
        self.model = model
        self._endpoint = endpoint
        self._budget = budget or Budget()
        self._prices = prices or {}
        self._address = address
        self._memory = memory
        self._recalls = memory is not None
        self._language: str | None = None
        self._owed: list[Completion] = []
        """Paid for by questions that got no usable end: the next one that gets one bears it."""
        self._schemas: dict[type[object], Mapping[str, object]] = {}

    def digest(self, record: RagTrace, citations: Iterable[Citation] = ()) -> dict[str, object]:
        """What of a record fits the budget, as values for a prompt; the metadata says what its `citations` mean."""
        budget = self._budget
        return digest(
            record, most_evidence=budget.most_evidence, most_answer=budget.most_answer, citations=citations
        )

    def afresh(self) -> Asker:
        """The same model at the same endpoint, asked anew whatever it said before."""
        other = copy(self)
        other._recalls = False
        return other

    def instructing_in(self, language: str) -> Asker:
        """The same, instructing the model in that language whatever that of the answer is."""
        other = copy(self)
        other._language = language
        return other

    async def ask(
        self,
        prompt: Prompt,
        values: Mapping[str, object],
        reply: type[R],
        *,
        language: str | None = None,
        objection: Callable[[R], str | None] = lambda _: None,
        of: str | None = None,
    ) -> Asked[R]:
        """The reply to a prompt filled with `values`; `objection` says what is wrong with one that can be read.

        `of` is the trace whose content the values are: what was replied to the same values before is taken from the
        memory, where there is one; None: it is not remembered. Raises UnavailableError and RefusedError, as the
        endpoint does.
        """
        language = self._language or language
        if self._memory is None or of is None or not self._recalls:
            return await self._asked(prompt, values, reply, language, objection)
        place = f"{self.name} {self._address} {self.model}"
        key = key_of(place, prompt.digest, language, values, self._schema(reply), self._budget.most_tokens)
        known = await self._memory.recall(key, of)
        if known is not None:
            said = Completion(known.text, known.answered_as, cut=False, remembered=True)
            return Asked(reply=read(reply, known.text), completions=[said])
        try:
            asked = await self._asked(prompt, values, reply, language, objection)
        except BaseException:
            self._memory.let_go(key)
            raise
        if asked.reply is None:
            self._memory.let_go(key)
        else:
            told = Reply(asked.completions[-1].text, self.answered_as(asked.completions))
            self._memory.keep(key, of, place, told)
        return asked

    async def _asked(
        self,
        prompt: Prompt,
        values: Mapping[str, object],
        reply: type[R],
        language: str | None,
        objection: Callable[[R], str | None],
    ) -> Asked[R]:
        asked: Asked[R] = Asked()
        try:
            await self._ask(asked, prompt, values, reply, language, objection)
        except BaseException as error:
            if isinstance(error, EndpointError):
                asked.completions += error.paid
            self.owe(asked.completions)
            raise
        finally:
            self.count(asked.completions)
        asked.completions[:0] = self._owed
        self._owed.clear()
        return asked

    def owe(self, completions: Iterable[Completion]) -> None:
        """What was paid for and is in no verdict: the next thing that is asked has it on its bill."""
        self._owed += (one for one in completions if not one.remembered)

    async def _ask(
        self,
        asked: Asked[R],
        prompt: Prompt,
        values: Mapping[str, object],
        reply: type[R],
        language: str | None,
        objection: Callable[[R], str | None],
    ) -> None:
        """Ask until a reply can be read, or often enough."""
        filled = fill(prompt, values, language=language)
        wanted = self._schema(reply)
        said: tuple[tuple[str, str], ...] = ()
        for _ in range(_MOST_ASKED):
            question = Question(filled.system, filled.data, wanted, self._budget.most_tokens, said)
            completion = await self._endpoint.ask(question)
            asked.completions.append(completion)
            if completion.refusal:
                raise RefusedError(f"it declines: {' '.join(completion.refusal.split())[:_LONGEST_REASON]}")
            if completion.cut_to is not None:
                raise RefusedError(f"it {cut_to(completion.cut_to)}")
            try:
                found = read(reply, completion.text)
            except ReplyError as error:
                if _obeys(filled, completion.text, error.found):
                    break
                asked.problem = "the reply was cut off" if completion.cut else str(error)
                asked.damaged.append(error.found)
            else:
                if _obeys(filled, completion.text, found):
                    break
                asked.problem = objection(found)
                if asked.problem is None:
                    asked.reply = found
                    return
                asked.damaged.append(found.model_dump())
            complaint = _COMPLAINT.format(problem=asked.problem, fields=", ".join(reply.model_fields))
            said = (*said, (completion.text[:_LONGEST_QUOTED], complaint))
        else:
            return
        asked.problem = "the model takes orders from what it is shown"
        asked.damaged.clear()  # nothing that it says is believed

    def _schema(self, reply: type[Part]) -> Mapping[str, object]:
        if reply not in self._schemas:
            self._schemas[reply] = schema(reply)
        return self._schemas[reply]

    def count(self, completions: Iterable[Completion]) -> None:
        """Tell the other processes what was spent, for models asked beside this one too."""
        if self._memory is None:
            return
        spent = list(completions)
        tokens = sum((one.input_tokens or 0) + (one.output_tokens or 0) for one in spent)
        self._memory.spend(calls=_calls(spent), tokens=tokens, usd=self._cost(spent) or 0.0)

    def _cost(self, completions: Iterable[Completion]) -> float | None:
        """US dollars; None where a model among them has no price."""
        costs = [
            cost_of(self._price(one), one.input_tokens or 0, one.output_tokens or 0) for one in completions
        ]
        known = [cost for cost in costs if cost is not None]
        return math.fsum(known) if len(known) == len(costs) else None

    def _price(self, completion: Completion) -> Price | None:
        """That of the model which answered, else of the one that was asked."""
        answered = self._prices.get(completion.model or "")
        return answered or self._prices.get(completion.asked or self.model)

    def answered_as(self, completions: Iterable[Completion]) -> str:
        """The name under which the model answered last; as it was asked for where it does not say.

        What others owed stands in front, and may be of a snapshot that is gone.
        """
        own = [one.model for one in completions if one.asked in (None, self.model)]
        return next(filter(None, reversed(own)), self.model)

    def usage(self, completions: Iterable[Completion]) -> dict[str, object]:
        """Calls, tokens and US dollars; no dollars where the model has no price. What is remembered costs nothing."""
        said = list(completions)
        spent = [one for one in said if not one.remembered]
        told: dict[str, object] = {
            "calls": _calls(spent),
            "input_tokens": sum(one.input_tokens or 0 for one in spent),
            "output_tokens": sum(one.output_tokens or 0 for one in spent),
            "cost_usd": self._cost(spent),
        }
        return told | ({"remembered": len(said) - len(spent)} if len(said) > len(spent) else {})

    async def close(self) -> None:
        """Let go of the endpoint."""
        if self._memory is not None:
            await self._memory.close()
        await self._endpoint.close()


def _calls(completions: Iterable[Completion]) -> int:
    return sum(one.calls for one in completions)


def _obeys(filled: Filled, text: str, said: object) -> bool:
    """Whether the JSON of a reply has the word of the bait; what the model thinks aloud before it does not count."""
    if filled.bait is None or not (filled.bait in text or "\\u" in text):
        return False  # nowhere, not even in escapes
    return filled.bait in json.dumps(said, ensure_ascii=False, default=dict)


def language_of(prepared: Prepared) -> str | None:
    """Code of the language in which a judge is instructed: that of the answer, as the service says or as it reads."""
    segment = prepared.record.segment
    told = code_of(segment.get("language") or "") or code_of(segment.get("locale") or "")
    return told or prepared.language
