"""Passages in what tools answered, where nothing but the conversation with the model tells it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from ragvigil.scorer.dialects.documents import documents_of, ranked
from ragvigil.scorer.dialects.tool_turns import ANSWER_MARKS, Turn, turns_of
from ragvigil.scorer.dialects.tools import is_search, tool_reading
from ragvigil.scorer.dialects.values import mapping_of, structure_of, text_of
from ragvigil.scorer.dialects.written import written_in
from ragvigil.scorer.trace import Document

_PRINTED = ("[{", "[Document(")
"""How a list of objects begins that Python printed: LlamaIndex and others make a text of what a tool returned."""
_HAND_OVER = re.compile(r"(?:transfer|hand_?off)_(?:back_)?to_(?P<agent>\w+)")
"""How OpenAI's agents, LangGraph's swarms and supervisors and AutoGen's name the tool that hands over."""
_APART = re.compile(r"[\W_]+")
_MARKS = re.compile(f'"(?:{"|".join(sorted(ANSWER_MARKS))})"')


@dataclass(frozen=True, slots=True)
class Answered:
    """What tools answered for the last question of a conversation."""

    documents: tuple[Document, ...] | None = None
    """The passages; None where there are none."""
    unread: bool = False
    """Whether a tool that is called a search answered something else than passages, or nothing that is told."""


_NOTHING = Answered()


def passages_answered(messages: object, *, earlier: bool = False) -> Answered:
    """What tools found for the last question of a conversation, whoever's messages it is made of.

    `earlier`: for those before it, where no tool was called for it but one that handed over to another agent.

    >>> found = {"type": "tool_call_response", "id": "c", "response": [{"id": "a", "text": "Snow."}]}
    >>> [each.text for each in passages_answered([{"role": "tool", "parts": [found]}]).documents or ()]
    ['Snow.']
    >>> said = '[{"role": "tool", "tool_call_id": "c", "content": "[1] Snow.\\\\n[2] Coal."}]'
    >>> [each.text for each in passages_answered(said).documents or ()]
    ['Snow.', 'Coal.']
    >>> passages_answered([{"role": "user", "parts": [{"type": "text", "content": "why?"}]}])
    Answered(documents=None, unread=False)
    """
    if messages is None or (isinstance(messages, str) and not _has_marks(messages)):
        return _NOTHING  # as nearly always: nothing is decoded for it
    conversation = _Conversation()
    for turn in turns_of(messages):
        if turn.kind == "called":
            conversation.call(turn)
        elif turn.kind == "answered":
            conversation.answer(turn)
        else:
            conversation.ask(forgetting=not earlier)
    return _NOTHING if earlier and conversation.has_called() else conversation.found()


class _Conversation:
    """What tools found, as far as a conversation is heard."""

    def __init__(self) -> None:
        self._names: dict[str | None, str] = {}
        self._open: dict[str | None, str] = {}
        """Names of the tools whose calls are not answered yet, by the call's id."""
        self._served = False
        """Whether a tool answered the last question that did more than hand it over."""
        self._documents: list[Document] = []
        self._known = set[tuple[str | None, str | None]]()
        self._unread = False

    def ask(self, *, forgetting: bool) -> None:
        """A question; `forgetting` what was found for one before."""
        if forgetting:
            self._documents, self._unread = [], False
            self._known.clear()
        self._open.clear()
        self._served = False

    def call(self, turn: Turn) -> None:
        """A model called a tool."""
        self._names[turn.call] = self._open[turn.call] = turn.name or ""

    def answer(self, turn: Turn) -> None:
        """A tool answered; what several searches found counts once."""
        self._open.pop(turn.call if turn.call in self._names else self._meant(turn.name), None)
        name = self._names.get(turn.call) or turn.name or ""
        self._served = self._served or not _hands_over(name, turn.result)
        passages = _found(turn.result, name)
        new = [each for each in passages or () if (each.id, each.text) not in self._known]
        self._documents += new
        self._known.update((each.id, each.text) for each in new)
        nameless = turn.result is None and not name
        self._unread = self._unread or (passages is None and (nameless or is_search(name)))

    def has_called(self) -> bool:
        """Whether a tool was called for the last question that did more than hand it over, or never answered."""
        return self._served or bool(self._open)

    def found(self) -> Answered:
        """All of it; a search that nobody answered cannot be read, either."""
        unread = self._unread or any(map(is_search, self._open.values()))
        return Answered(ranked(self._documents) or None, unread) if self._documents or unread else _NOTHING

    def _meant(self, name: str | None) -> str | None:
        """The call that an answer without its id is to: the first that is open of the tool's, else the first of all."""
        calls = self._open
        return next((call for call, called in calls.items() if called == name), next(iter(calls), None))


def _hands_over(name: str, result: object) -> bool:
    """Whether a tool passed the conversation on to the agent that it names, as its name and its result say.

    >>> _hands_over("transfer_to_billing_desk", '{"assistant": "Billing desk"}')
    True
    >>> _hands_over("transfer_to_billing_desk", "Successfully transferred to billing_desk")
    True
    >>> [_hands_over("transfer_to_savings", said) for said in ("Transferred to savings: 10 crowns", "Done.", None)]
    [False, False, False]
    """
    called = _HAND_OVER.match(name)
    if called is None:
        return False
    fields = mapping_of(result)
    told = text_of(fields.get("assistant")) if [*fields] == ["assistant"] else text_of(result)
    said = _APART.sub("_", (told or "").casefold())
    agent = re.escape(_APART.sub("_", called["agent"].casefold()))
    return (
        re.fullmatch(rf"(?:(?:successfully_)?transferred_(?:back_)?to_)?{agent}(?:_adopting\w*)?_?", said)
        is not None
    )


def _has_marks(text: str) -> bool:
    """Two words of which each mark has one are looked for first: in a tenth of the time."""
    return ("tool" in text or "function" in text) and _MARKS.search(text) is not None


def _found(result: object, name: str) -> tuple[Document, ...] | None:
    """The passages, by their shape; words under the name of a search may say that it failed, a list does not."""
    structure = structure_of(result)
    if structure == []:
        return ()
    passages = tool_reading("", None, result).documents
    if passages is None and structure is not None and is_search(name):
        listed = documents_of(structure)
        return listed if listed is not None and _tells(structure, listed) else None
    if passages is None and is_search(name) and isinstance(result, str) and result.startswith(_PRINTED):
        return written_in(result) or None
    return passages


def _tells(structure: object, documents: tuple[Document, ...]) -> bool:
    """Whether these are objects with texts: a list of words may be an apology as well."""
    held = cast("Mapping[str, object]", structure).values() if isinstance(structure, dict) else (structure,)
    lists = [cast("list[object]", each) for each in held if isinstance(each, list)]
    words = any(isinstance(one, str) for each in lists for one in each)
    return not words and all(document.text for document in documents)
