"""A real terminal: single keys without Enter, lines with it."""

from __future__ import annotations

import os
import re
import shutil
import sys
import termios
import tty
from typing import Any, Self

from ragvigil.scorer.errors import InputError

_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|)")
_LOCAL_MODES = 3
"""Index of the local modes in what termios gives."""


class RealTerminal:
    """Standard input and output for one sitting; InputError when they are no terminal.

    Keys are read one by one and not echoed until it is closed, Ctrl-C too: it leaves as `q` does.
    """

    def __init__(self) -> None:
        if not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise InputError("the desk", "needs a terminal; labels in a file: ragvigil calibrate read FILE")
        self._input = sys.stdin.fileno()
        self._typed = b""
        self._before: list[Any] = termios.tcgetattr(self._input)
        self._take_keys()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._take_lines()

    @property
    def width(self) -> int:
        """Columns."""
        return shutil.get_terminal_size().columns

    def key(self) -> str:
        """The next key; arrows and other sequences count as none, the end of input as empty."""
        while True:
            if not self._typed:
                self._typed = os.read(self._input, 64)
            if not self._typed:
                return ""
            sequence = _SEQUENCE.match(self._typed)
            if sequence is None:
                pressed, self._typed = self._typed[:1], self._typed[1:]
                return pressed.decode("ascii", "replace")
            self._typed = self._typed[sequence.end() :]

    def line(self, prompt: str) -> str:
        """A line that the person types; empty after Ctrl-C or Ctrl-D."""
        self._take_lines()
        try:
            return input(prompt).strip()
        except (EOFError, KeyboardInterrupt):
            return ""
        finally:
            self._take_keys()

    def show(self, text: str) -> None:
        """Print it as it is."""
        sys.stdout.write(text)
        sys.stdout.flush()

    def _take_keys(self) -> None:
        tty.setcbreak(self._input, termios.TCSANOW)
        modes: list[Any] = termios.tcgetattr(self._input)
        modes[_LOCAL_MODES] &= ~termios.ISIG
        termios.tcsetattr(self._input, termios.TCSANOW, modes)

    def _take_lines(self) -> None:
        termios.tcsetattr(self._input, termios.TCSANOW, self._before)
