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
KEYS_OF_CRITERION: dict[str, Label] = {"p": "pass", "f": "fail", "s": "skip"}
HELP_OF_CRITERION = """  p  pass: the criterion is met
  f  fail: it is not, or only in part
  s  skip: it does not concern the answer, or cannot be decided
  n  note, kept with the label     z  undo     ?  this     q  stop, to go on later"""
_PROMPT_OF_CRITERION = "[p]ass [f]ail [s]kip  [n]ote [z] undo [?] help [q]uit > "
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
class Asked:
    """The criterion that people decide."""

    id: str
    question: str


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
        asked: Asked | None = None,
    ) -> None:
        """`keep` says whether it was kept: an answer may be gone, or have changed since it was shown.

        Without `asked` people decide whether answers are faithful.
        """
        self._asked = asked
        self._keys = KEYS_OF_CRITERION if asked else KEYS
        self._help = f"{_clean_lines(asked.question)}\n\n{HELP_OF_CRITERION}" if asked else HELP
        self._prompt = _PROMPT_OF_CRITERION if asked else _PROMPT
        self._terminal = terminal
        self._annotator = annotator
        self._keep = keep
        self._take_back = take_back
        self._final = final
        self._done: list[tuple[Given, bool]] = []
        """What was said of each answer before this one, and whether it was kept."""

    def sit(self, tasks: Sequence[Task]) -> int:
        """Show them in order until the person stops; how many labels were given and stand."""
        self._terminal.show(f"{len(tasks)} answers to read, as {self._annotator}.\n{self._help}\n")
        place = 0
        while place < len(tasks):
            pressed, note = self._ask(tasks[place], place, len(tasks))
            if pressed in _QUIT:
                break
            if pressed in _UNDO:
                place -= self._undo()
            else:
                place += self._label(tasks[place], self._keys[pressed], note)
        count = sum(kept for _, kept in self._done)
        self._terminal.show(f"\n{count} labels kept, {len(tasks) - place} answers left.\n")
        return count

    def _ask(self, task: Task, place: int, total: int) -> tuple[str, str]:
        """(a key that decides, the note)."""
        width = self._terminal.width
        rule = f"--- {place + 1} of {total} ".ljust(min(width, 78), "-")
        self._terminal.show(f"\n{rule}\n\n{page(task.record, width=width)}\n\n{self._prompt}")
        note = ""
        while True:
            pressed = self._terminal.key().lower()
            if pressed in self._keys:
                self._terminal.show(f"{self._keys[pressed]}\n")
                return pressed, note
            if pressed in _QUIT or (pressed in _UNDO and self._done):
                return pressed, note
            if pressed == "n":
                note = clean(self._terminal.line("\nnote: "), limit=_LONGEST_NOTE)
                self._terminal.show(self._prompt)
            elif pressed == "?":
                self._terminal.show(f"\n{self._help}\n{self._prompt}")
            elif pressed in _UNDO:
                self._terminal.show(f"\nnothing to undo in this sitting\n{self._prompt}")

    def _label(self, task: Task, label: Label, note: str) -> int:
        given = Given(
            task.record_id,
            task.input_hash,
            self._annotator,
            label,
            note,
            final=self._final,
            criterion=self._asked.id if self._asked else "",
        )
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


def _clean_lines(text: str) -> str:
    """A text of several lines without anything that could steer a terminal."""
    return "\n".join(f"  {clean(line, limit=400)}" for line in text.splitlines())
