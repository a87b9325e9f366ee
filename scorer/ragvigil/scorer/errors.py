"""Every exception of the scorer.

RagvigilError
├── ConfigError (ValueError)      a setting that cannot be used
├── InputError (ValueError)       a file or row that cannot be read
├── OrderError (ValueError)       an order about an incident or silence that cannot be carried out
├── StoreError (RuntimeError)     a store that cannot be opened or is in use
│   ├── StoreNotNowError          one that another process holds, or whose disk is full or fails, or that was
│   │                             deleted while in use: that passes
│   ├── InboxFull                 the inbox holds all it may; senders come back later
│   ├── InboxTooSmall             a request that not even an empty inbox has room for
│   └── DamagedSegmentError       a file of the inbox that cannot be read and never will be
└── MissingExtraError (ImportError)  an optional dependency that is not installed
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

_VERY_NEAR = 0.85
"""Names of variables are long and begin alike."""


class RagvigilError(Exception):
    """Base of every error that the command line shows as one line instead of a traceback."""


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what it came of.

    >>> error = ValueError("above")
    >>> error.__cause__ = OSError("below")
    >>> [str(one) for one in causes(error)]
    ['above', 'below']
    """
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


class ConfigError(RagvigilError, ValueError):
    """A setting that cannot be used; names the key, what is wrong, and the fix. `also` are others, a line each."""

    def __init__(
        self, key: str, problem: str, hint: str | None = None, *, also: Sequence[ConfigError] = ()
    ) -> None:
        self.key, self.problem, self.hint = key, problem, hint
        own = f"{key}: {problem}" + (f" ({hint})" if hint else "")
        super().__init__("\n".join([own, *map(str, also)]))


class InputError(RagvigilError, ValueError):
    """A file or row that cannot be read; names the place and the fix."""

    def __init__(self, place: str, problem: str) -> None:
        self.place, self.problem = place, problem
        super().__init__(f"{place}: {problem}")


class OrderError(RagvigilError, ValueError):
    """An order about an incident or silence that cannot be carried out; names what is wrong and the fix."""


class StoreError(RagvigilError, RuntimeError):
    """A store that cannot be opened, or that another scorer is using."""


class StoreNotNowError(StoreError):
    """A store that another process holds, whose disk is full or fails, or that was deleted; a later start may go."""


class InboxFull(StoreError):  # noqa: N818 - it is a state that passes, not a fault
    """The inbox holds all it may; names the folder, the limit and the likely cause."""

    def __init__(self, folder: object, max_bytes: int) -> None:
        super().__init__(
            f"inbox {folder} holds its limit of {max_bytes} bytes (inbox.max_bytes): "
            "the score process is behind or down; try again later"
        )


class InboxTooSmall(StoreError):  # noqa: N818 - a bound of the configuration, as the one above
    """A request that not even an empty inbox has room for; names both sizes, the setting and the other way out."""

    def __init__(self, needed: int, max_bytes: int) -> None:
        super().__init__(
            f"the request takes up to {needed} bytes of the inbox, which may hold {max_bytes}: "
            "lower the exporter's batch size or raise inbox.max_bytes"
        )


class DamagedSegmentError(StoreError):
    """A file of the inbox that cannot be read and never will be; names it and what is wrong with it."""

    def __init__(self, segment: object, problem: object) -> None:
        self.segment = segment
        super().__init__(
            f"inbox segment {segment} is damaged ({problem}); move it out of the folder to go on"
        )


class MissingExtraError(RagvigilError, ImportError):
    """An optional dependency that is not installed; names the exact command that installs it."""

    def __init__(self, extra: str, missing: str) -> None:
        super().__init__(f"{missing} is not installed; run: pip install 'ragvigil[{extra}]'")


def why(error: Exception) -> str:
    """Why a file cannot be read, in words.

    >>> why(FileNotFoundError(2, "No such file or directory")), why(ValueError())
    ('no such file or directory', 'ValueError')
    """
    said = error.strerror if isinstance(error, OSError) else None
    return said.lower() if said else type(error).__name__


def nearest(word: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6) -> list[str]:
    """At most so many of the known names, the likest first; `cutoff` in [0, 1] is how like they have to be.

    Upper and lower case are alike; otherwise it is difflib's ratio.

    >>> nearest("Slak", ["teams", "slack"]), nearest("zulip", ["teams", "slack"])
    (['slack'], [])
    """
    names = {name.casefold(): name for name in known}
    return [names[one] for one in difflib.get_close_matches(word.casefold(), names, most, cutoff)]


def meant(word: str, known: Sequence[str], *, all_of_them: str | None = None) -> str:
    """The hint for a name that does not exist: the nearest one, else all, or `all_of_them` where those are many.

    >>> meant("rat", ["rate", "floor"]), meant("x", ["rate", "floor"])
    ('did you mean rate?', 'known: rate, floor')
    """
    near = nearest(word, known)
    return f"did you mean {near[0]}?" if near else all_of_them or "known: " + ", ".join(known)


def set_instead(variable: str, variables: Iterable[str]) -> str | None:
    """The hint for a variable that is not set, where one is that is spelt nearly so; else None.

    >>> set_instead("OPENAI_MODEL", ["OPENAI_MODLE", "HOME"])
    'OPENAI_MODLE is set; did you mean OPENAI_MODEL?'
    """
    near = nearest(variable, variables, cutoff=_VERY_NEAR)
    return f"{near[0]} is set; did you mean {variable}?" if near and near[0] != variable else None


def located(path: Path) -> str:
    """The path as it was written; of a relative one also in which folder it was looked for.

    >>> located(Path("/var/lib/ragvigil.db"))
    '/var/lib/ragvigil.db'
    >>> located(Path("ragvigil.db")) == f"ragvigil.db (in {Path.cwd()})"
    True
    """
    if path.is_absolute():
        return str(path)
    try:
        return f"{path} (in {Path.cwd()})"
    except OSError:
        return f"{path} (in a folder that is gone)"


def exit_code(error: RagvigilError) -> int:
    """With what the command line ends for it: 3 for a store, 2 for anything else.

    >>> exit_code(StoreError("held")), exit_code(ConfigError("judge.kind", "is not known"))
    (3, 2)
    """
    return 3 if isinstance(error, StoreError) else 2
