"""The three streams that every process begins with, also where whoever started it closed them."""

from __future__ import annotations

import os
import sys

_NULL_MODES = ("r", "w", "w")


def open_what_is_closed() -> None:
    """Put the null device where one of them is closed.

    Else the next file that is opened takes its number, be it the store, and log lines are written into that.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(
                os.open(os.devnull, os.O_RDWR), True
            )  # the lowest number that is free: this one
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, _NULL_MODES[number], encoding="utf-8", closefd=False))  # noqa: SIM115


def say(text: str) -> None:
    """Write to standard output; where nobody reads it any more, nobody is told, then or at the end of the process."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
