"""A generator's answer, in whatever shape it comes, whole or streamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from ragvigil.tracer import _reading
from ragvigil.tracer._citing import Citing, Markers
from ragvigil.tracer._reading import whole
from ragvigil.tracer.attributes import UNREADABLE_USAGE

ANSWER = (
    "answer", "output", "text", "content", "output_text", "response", "completion", "result", "message", "reply",
    "generated_text", "final_answer", "parts",
)  # fmt: skip
PIECE = ("delta", "message", "text")
MODEL = ("model", "model_name", "response_model")
RESPONSE_ID = ("response_id", "id")
FINISH = ("finish_reason", "stop_reason", "done_reason")
USAGE = ("usage", "usage_metadata", "token_usage")
INPUT_TOKENS = ("input_tokens", "prompt_tokens")
OUTPUT_TOKENS = ("output_tokens", "completion_tokens")
_SAYING = (
    "type",
    "event",
    "object",
    "event_type",
    "kind",
    "role",
    "id",
    "choices",
    "candidates",
    *MODEL,
    *FINISH,
    *USAGE,
)
_DEEPEST = 3
_MOST_MARKS = 16
_MOST_PARTS = 256


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
    answer.unreadable = type(result).__name__ if answer.text is None else None
    return answer


def _named(result: object) -> Answer:
    """An answer in a mapping or an object with the usual names."""
    usage = _reading.field(result, USAGE)
    choice = _first(_reading.field(result, ("choices", "generations", "candidates")))
    gaps: list[str] = []
    odd: list[str] = []
    return Answer(
        text=_text(result, 0, gaps),
        model=_string(_reading.field(result, MODEL)),
        response_id=_string(_reading.field(result, RESPONSE_ID)),
        finish_reason=_string(_reading.field(result, FINISH)) or _string(_reading.field(choice, FINISH)),
        input_tokens=_tokens(usage, result, INPUT_TOKENS, odd),
        output_tokens=_tokens(usage, result, OUTPUT_TOKENS, odd),
        cut=bool(gaps),
        odd=odd or None,
    )


class AnswerPieces:
    """Collects a streamed answer up to a number of characters; the last word on model and usage wins."""

    def __init__(self, *, at_most: int) -> None:
        self._room = at_most
        self._texts: list[str] = []
        self._answer = Answer()
        self._seen = False
        self._markers: Markers | None = None
        self._odd: list[str] = []

    def add(self, piece: object) -> None:
        """Take one streamed piece: text, or anything that an answer may be."""
        if type(piece) is not str:
            given, found = piece, read_answer(piece)
            self._keep(found)
            piece = found.text
            if piece is None:
                self._answer.unreadable = found.unreadable
                self._note_odd(given, found)
                return
        self._seen = True
        if len(piece) > self._room:
            self._read_on(piece)
            piece = piece[: self._room]
        if piece:
            self._room -= len(piece)
            self._texts.append(piece)

    def result(self) -> Answer:
        """The answer as far as it came."""
        if self._seen:
            self._answer.text = "".join(self._texts)
            self._answer.unreadable = None
            self._mark(self._odd)
        if self._markers is not None:
            self._answer.citing = self._markers.result()
        return self._answer

    def _note_odd(self, piece: object, found: Answer) -> None:
        """Note the type of a piece that may have been text; many say only that something began, ended or was counted.

        Those are mappings, or objects that say what they are.
        """
        if piece is None or found.unreadable is None or _reading.is_mapping(piece):
            return
        if _reading.field(piece, _SAYING) is None:
            mark = f"answer: {found.unreadable}"
            if mark not in self._odd and len(self._odd) < _MOST_MARKS:
                self._odd.append(mark)

    def _mark(self, marks: list[str]) -> None:
        """Add marks to the answer's, each once."""
        if marks:
            self._answer.odd = list(dict.fromkeys([*(self._answer.odd or ()), *marks]))

    def _read_on(self, piece: str) -> None:
        """Read the citations of what will not be kept, with all that came before it."""
        if self._markers is None:
            self._answer.cut = True
            self._markers = Markers()
            self._markers.feed("".join(self._texts))
        self._markers.feed(piece)

    def _keep(self, found: Answer) -> None:
        for name in ("model", "response_id", "finish_reason", "input_tokens", "output_tokens"):
            if (value := getattr(found, name)) is not None:
                setattr(self._answer, name, value)
        self._answer.cut = self._answer.cut or found.cut
        if found.odd is not None and found.odd != self._answer.odd:
            self._mark(found.odd)


def _text(value: object, depth: int, gaps: list[str]) -> str | None:
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
        parts = [_text(part, depth + 1, gaps) for part in given[:_MOST_PARTS]]
        texts = [part for part in parts if part is not None]
        return "".join(texts) if texts else None
    choice = _first(_reading.field(value, ("choices",)))
    if choice is not None:
        return _text(_reading.field(choice, PIECE), depth + 1, gaps)
    for name in ANSWER:
        if (found := _text(_reading.field(value, (name,)), depth + 1, gaps)) is not None:
            return found
    return None


def _first(value: object) -> object:
    return cast("Sequence[object]", value)[0] if isinstance(value, list | tuple) and value else None


def _string(value: object) -> str | None:
    return _reading.text(value) if isinstance(value, str) else None


def _tokens(usage: object, result: object, names: tuple[str, ...], odd: list[str]) -> int | None:
    given = _reading.field(usage, names) if usage is not None else None
    if given is None and isinstance(result, Mapping):
        given = _reading.field(cast("Mapping[str, object]", result), names)
    found = whole(given)
    if found is None and given is not None:
        odd.append(UNREADABLE_USAGE + type(given).__name__)
    return found
