"""A generator's answer that comes in pieces."""

from __future__ import annotations

from ragvigil.tracer import _reading
from ragvigil.tracer._answers import FINISH, MODEL, USAGE, Answer, read_answer
from ragvigil.tracer._citing import Markers
from ragvigil.tracer._events import read_event

_SAYING = (
    "type", "event", "object", "event_type", "kind", "role", "id", "choices", "candidates", *MODEL, *FINISH, *USAGE,
)  # fmt: skip
_MOST_MARKS = 16


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
        """Take one streamed piece: text, an event of a vendor's stream, or anything that an answer may be."""
        if type(piece) is not str:
            given, found = piece, _read(piece)
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
            self._answer.odd = list(dict.fromkeys([*(self._answer.odd or ()), *marks]))[:_MOST_MARKS]

    def _read_on(self, piece: str) -> None:
        """Read the citations of what will not be kept, with all that came before it."""
        if self._markers is None:
            self._answer.cut = True
            self._markers = Markers()
            self._markers.feed("".join(self._texts))
        self._markers.feed(piece)

    def _keep(self, found: Answer) -> None:
        """Take what the piece says beside its text; no tokens are no news, as where the end repeats the start."""
        answer = self._answer
        for name in ("model", "response_id", "finish_reason"):
            if (value := getattr(found, name)) is not None:
                setattr(answer, name, value)
        for name in ("input_tokens", "output_tokens"):
            if (tokens := getattr(found, name)) is not None:
                known = getattr(answer, name) or 0
                setattr(answer, name, known + tokens if found.adds else tokens or known)
        answer.cut = answer.cut or found.cut
        if found.odd is not None and found.odd != answer.odd:
            self._mark(found.odd)


def _read(piece: object) -> Answer:
    """What a piece says; where it holds all that came before beside what is new, what is new."""
    event = read_event(piece)
    if event is not None:
        return event
    found = read_answer(piece)
    if hasattr(piece, "delta") and hasattr(piece, "raw"):
        delta = _reading.field(piece, ("delta",))
        found.text = _reading.text(delta) or ""
    return found
