"""The desk: one answer after the other, one key each. Every label is kept before the next answer is shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragvigil.exporters import clean
from ragvigil.scorer.labels.page import page
from ragvigil.scorer.labels.port import Given, Label
from ragvigil.scorer.trace import RagTrace

KEYS: dict[str, Label] = {"f": "faithful", "p": "partial", "u": "unfaithful", "s": "skip"}
_LONGEST_NOTE = 500
_UNDO = ("z", "\x7f", "\b")
_QUIT = ("q", "\x03", "\x04", "")
HELP = """  f  faithful: every statement of the answer is carried by the passages
  p  partial: some statements are not, or only in part
  u  unfaithful: what the answer turns on is not in the passages, or they say otherwise
  s  skip: cannot be decided
  n  note, kept with the label     z  undo     ?  this     q  stop, to go on later
  Only the passages count: a true statement that they do not carry is not faithful."""
_PROMPT = "[f]aithful [p]artial [u]nfaithful [s]kip  [n]ote [z] undo [?] help [q]uit > "


class Terminal(Protocol):
    """Where the person sits."""

    @property
    def width(self) -> int:
        """Columns."""
        ...

    def key(self) -> str:
        """The next key; empty when the terminal is gone."""
        ...

    def line(self, prompt: str) -> str:
        """A line that the person types."""
        ...

    def show(self, text: str) -> None:
        """Print it as it is."""
        ...


@dataclass(frozen=True, slots=True)
class Task:
    """One answer to read."""

    record_id: int
    input_hash: str
    record: RagTrace


class Desk:
    """One person's sitting."""

    def __init__(
        self,
        terminal: Terminal,
        annotator: str,
        *,
        keep: Callable[[Given], bool],
        take_back: Callable[[Given], None],
        final: bool = False,
    ) -> None:
        """`keep` says whether it was kept: an answer may be gone, or have changed since it was shown."""
        self._terminal = terminal
        self._annotator = annotator
        self._keep = keep
        self._take_back = take_back
        self._final = final
        self._done: list[tuple[Given, bool]] = []
        """What was said of each answer before this one, and whether it was kept."""

    def sit(self, tasks: Sequence[Task]) -> int:
        """Show them in order until the person stops; how many labels were given and stand."""
        self._terminal.show(f"{len(tasks)} answers to read, as {self._annotator}.\n{HELP}\n")
        place = 0
        while place < len(tasks):
            pressed, note = self._ask(tasks[place], place, len(tasks))
            if pressed in _QUIT:
                break
            if pressed in _UNDO:
                place -= self._undo()
            else:
                place += self._label(tasks[place], KEYS[pressed], note)
        count = sum(kept for _, kept in self._done)
        self._terminal.show(f"\n{count} labels kept, {len(tasks) - place} answers left.\n")
        return count

    def _ask(self, task: Task, place: int, total: int) -> tuple[str, str]:
        """(a key that decides, the note)."""
        width = self._terminal.width
        rule = f"--- {place + 1} of {total} ".ljust(min(width, 78), "-")
        self._terminal.show(f"\n{rule}\n\n{page(task.record, width=width)}\n\n{_PROMPT}")
        note = ""
        while True:
            pressed = self._terminal.key().lower()
            if pressed in KEYS:
                self._terminal.show(f"{KEYS[pressed]}\n")
                return pressed, note
            if pressed in _QUIT or (pressed in _UNDO and self._done):
                return pressed, note
            if pressed == "n":
                note = clean(self._terminal.line("\nnote: "), limit=_LONGEST_NOTE)
                self._terminal.show(_PROMPT)
            elif pressed == "?":
                self._terminal.show(f"\n{HELP}\n{_PROMPT}")
            elif pressed in _UNDO:
                self._terminal.show(f"\nnothing to undo in this sitting\n{_PROMPT}")

    def _label(self, task: Task, label: Label, note: str) -> int:
        given = Given(task.record_id, task.input_hash, self._annotator, label, note, final=self._final)
        kept = self._keep(given)
        self._done.append((given, kept))
        if not kept:
            self._terminal.show("this answer has changed or was deleted meanwhile: nothing was kept\n")
        return 1

    def _undo(self) -> int:
        last, kept = self._done.pop()
        if kept:
            self._take_back(last)
        self._terminal.show(f"\ntaken back: {last.label}\n")
        return 1
