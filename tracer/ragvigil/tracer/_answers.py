"""A generator's answer, in whatever shape it comes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from ragvigil.tracer import _reading
from ragvigil.tracer._citing import Citing
from ragvigil.tracer._reading import whole
from ragvigil.tracer.attributes import UNREADABLE_USAGE

ANSWER = (
    "answer", "output", "text", "content", "output_text", "response", "completion", "result", "message", "reply",
    "generated_text", "final_answer", "parts", "refusal",
)  # fmt: skip
PIECE = ("delta", "message", "text", "content")
CHOICES = ("choices", "generations", "candidates")
REPLIES = ("replies", "answers")
"""What a component of a pipeline answers, under its own name."""
FURTHER = ("response_metadata", "meta", "raw", "llm_output")
"""Where frameworks keep what the vendor said beside the answer."""
MODEL = ("model", "model_name", "response_model")
RESPONSE_ID = ("response_id", "id")
FINISH = ("finish_reason", "stop_reason", "done_reason")
USAGE = ("usage", "usage_metadata", "token_usage")
INPUT_TOKENS = ("input_tokens", "prompt_tokens")
OUTPUT_TOKENS = ("output_tokens", "completion_tokens")
CACHED_TOKENS = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""Input that Anthropic does not count as such."""
_OWN_RUN = ("run-", "lc_run-")
"""How the ids begin that LangChain makes up where the vendor gave none."""
_NOT_SAID = frozenset({"reasoning", "thinking", "call", "tool", "tools"})
_DEEPEST = 4
_MOST_PARTS = 256
_MOST_COMPONENTS = 16


@dataclass(slots=True)
class Answer:
    """An answer as read: what it does not tell is None."""

    text: str | None = None
    model: str | None = None
    response_id: str | None = None
    finish_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cut: bool = False
    """Whether there was more than what was read, or kept of a stream."""
    citing: Citing | None = None
    """Markers of a stream that was longer than what was kept of it."""
    unreadable: str | None = None
    """Type of the result when no text was found in it."""
    odd: list[str] | None = None
    """Marks for what could not be read beside the text: numbers of tokens, pieces of a stream."""
    adds: bool = False
    """Whether the tokens of a piece come on top of those of earlier ones, instead of taking their place."""


def read_answer(result: object) -> Answer:
    """Read an answer; ``text`` is None when none was found.

    >>> answer = read_answer({"answer": "100 °C", "usage": {"prompt_tokens": 87, "completion_tokens": 14}})
    >>> answer.text, answer.output_tokens
    ('100 °C', 14)
    """
    if isinstance(result, str | bytes):
        return Answer(text=_reading.text(result))
    if isinstance(result, Answer):
        return result
    if isinstance(result, tuple):
        read = (read_answer(part) for part in cast("tuple[object, ...]", result)[:_MOST_PARTS])
        return next((found for found in read if found.text), Answer(unreadable="tuple"))
    if result is None or isinstance(result, int | float):
        return Answer(unreadable=type(result).__name__)
    if isinstance(result, list):
        return Answer(unreadable="list")
    answer = _named(result)
    if answer.text is None:
        answer = _of_a_component(result) or _of_the_last_message(result) or answer
    answer.unreadable = type(result).__name__ if answer.text is None else None
    return answer


def read_facts(result: object) -> Answer:
    """What a result says beside its text: the model, the response's id, tokens, why it stopped."""
    answer = Answer()
    _note_facts(answer, result, first_choice(result))
    return answer


def _named(result: object) -> Answer:
    """An answer in a mapping or an object with the usual names."""
    gaps: list[str] = []
    choice = first_choice(result)
    answer = Answer(text=_text_of(result, choice, 0, gaps))
    answer.cut = bool(gaps)
    _note_facts(answer, result, choice)
    return answer


def _note_facts(answer: Answer, result: object, choice: object) -> None:
    """Note the first that is said of each fact."""
    odd: list[str] = []
    beside = _beside(result)
    several = _answers_several(result)
    for source in _sources(result, choice, beside):
        if answer.model is None:
            answer.model = string(_reading.field(source, MODEL))
        if answer.response_id is None:
            told = string(_reading.field(source, RESPONSE_ID))
            answer.response_id = None if told is not None and told.startswith(_OWN_RUN) else told
        if answer.finish_reason is None:
            answer.finish_reason = string(_reading.field(source, FINISH)) or _why_incomplete(source)
        if (
            answer.input_tokens is None
            and answer.output_tokens is None
            and not (several and source is beside)
        ):
            note_usage(answer, source, odd)
    answer.odd = odd or None


def _sources(result: object, choice: object, beside: object) -> Iterator[object]:
    """The result, and what may say more of it: the message of its first choice, and what frameworks keep beside."""
    yield result
    if choice is not None and not isinstance(choice, str):
        yield choice
        if _reading.field(result, CHOICES[:1]) is not None:
            return  # the vendor's own response has no more
        message = _reading.field(choice, ("message",))
        for value in (message, _reading.field(message, FURTHER), _reading.field(choice, FURTHER)):
            if value is not None:
                yield value
    if beside is not None:
        yield beside
        if (choice := first_choice(beside)) is not None:
            yield choice


def _beside(result: object) -> object:
    """What a framework keeps beside the answer; of a list the first."""
    further = _reading.field(result, FURTHER)
    return first(cast("list[object]", further)) if isinstance(further, list) else further


def _answers_several(result: object) -> bool:
    """Whether it answers several questions, a list of choices for each: LangChain counts the tokens of all together."""
    choices = _reading.field(result, CHOICES)
    each = cast("list[object]", choices) if isinstance(choices, list) else []
    return len(each) > 1 and isinstance(each[0], list)


def note_usage(answer: Answer, source: object, odd: list[str]) -> None:
    """Note the tokens, if the source has any."""
    usage = _reading.field(source, USAGE)
    answer.input_tokens = _tokens(usage, source, INPUT_TOKENS, odd)
    answer.output_tokens = _tokens(usage, source, OUTPUT_TOKENS, odd)
    if usage is None:
        return
    if answer.input_tokens is not None and _reading.field(usage, INPUT_TOKENS[1:]) is None:
        cached = (whole(_reading.field(usage, (name,))) for name in CACHED_TOKENS)
        answer.input_tokens += sum(tokens for tokens in cached if tokens is not None)
    answer.adds = _reading.is_mapping(usage) and usage is _reading.field(source, USAGE[1:2])


def _why_incomplete(source: object) -> str | None:
    """Why a response object of OpenAI's stopped early."""
    return string(_reading.field(_reading.field(source, ("incomplete_details",)), ("reason",)))


def _of_a_component(result: object) -> Answer | None:
    """The answer of the last component of a pipeline that answers: ``{"llm": {"replies": [...]}}``."""
    if not _reading.is_mapping(result):
        return None
    for outputs in reversed(list(islice(result.values(), _MOST_COMPONENTS))):
        if _reading.is_mapping(outputs) and _reading.field(outputs, REPLIES) is not None:
            return _named(outputs)
    return None


def _of_the_last_message(result: object) -> Answer | None:
    """The last message of a state: ``{"messages": [question, answer]}``."""
    messages = _reading.field(result, ("messages",))
    if not isinstance(messages, list) or not messages:
        return None
    last = cast("list[object]", messages)[-1]
    return _named(last) if _reading.field(last, ("role", "type")) in ("ai", "assistant") else None


def answer_text(value: object, depth: int, gaps: list[str]) -> str | None:
    """The text of an answer under its usual names, through wrappers, message parts and choices.

    Where there are more parts than are read, ``gaps`` says so.
    """
    if isinstance(value, str | bytes):
        return _reading.text(value)
    if value is None or depth > _DEEPEST:
        return None
    if isinstance(value, list | tuple):
        given = cast("Sequence[object]", value)
        if len(given) > _MOST_PARTS:
            gaps.append("parts")
        parts = [answer_text(part, depth + 1, gaps) for part in given[:_MOST_PARTS] if _is_said(part)]
        texts = [part for part in parts if part is not None]
        return "".join(texts) if texts else None
    return _text_of(value, first_choice(value), depth, gaps)


def _text_of(value: object, choice: object, depth: int, gaps: list[str]) -> str | None:
    """The text of a wrapper, with the first of its answers where it has several."""
    if choice is not None:
        if isinstance(choice, str):
            return choice
        if (found := answer_text(_reading.field(choice, PIECE), depth + 1, gaps)) is not None:
            return found
        if (found := string(_reading.field(choice, ("data",)))) is not None:
            return found
    if _reading.field(value, ("object",)) == "response":
        return answer_text(_reading.field(value, ("output",)), depth, gaps)
    for name in ANSWER:
        if (found := answer_text(_reading.field(value, (name,)), depth + 1, gaps)) is not None:
            return found
    return None


def _is_said(part: object) -> bool:
    """Whether a part of a message is for the reader, as opposed to a thought, a call, or what a tool gave."""
    if type(part) is str:
        return True
    kind = _reading.field(part, ("type",))
    return not isinstance(kind, str) or _NOT_SAID.isdisjoint(re.split(r"[_.\-]", kind))


def first_choice(value: object) -> object:
    """The first of several answers, where the value holds several; of a batch, the first one's."""
    choice = first(_reading.field(value, CHOICES))
    if choice is None:
        choice = first(_reading.field(value, REPLIES))
    return first(cast("object", choice)) if isinstance(choice, list) else choice


def first(value: object) -> object:
    """The first of a list; None of anything else."""
    return cast("Sequence[object]", value)[0] if isinstance(value, list | tuple) and value else None


def string(value: object) -> str | None:
    """The value, if it is a text; bytes are none."""
    return _reading.text(value) if isinstance(value, str) else None


def _tokens(usage: object, source: object, names: tuple[str, ...], odd: list[str]) -> int | None:
    given = _reading.field(usage, names) if usage is not None else None
    if given is None and isinstance(source, Mapping):
        given = _reading.field(cast("Mapping[str, object]", source), names)
    found = whole(given)
    if found is None and given is not None:
        odd.append(UNREADABLE_USAGE + type(given).__name__)
    return found
