"""Names in a sentence, and lines below each other: the first few, and how many more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def listed(names: Sequence[str], most: int, *, between: str = ", ") -> str:
    """The first `most` of them, and how many there are besides.

    >>> listed(["a", "b"], 3), listed("abcde", 3)
    ('a, b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{between.join(names[:most])}{more}"


def some_lines(lines: Iterable[str], most: int) -> list[str]:
    """The first `most` of them, and a line that says how many more `--json` has.

    >>> some_lines("abc", 2)
    ['a', 'b', 'and 1 more (--json has all)']
    """
    told = [*lines]
    more = [f"and {len(told) - most:,} more (--json has all)"] if len(told) > most else []
    return [*told[:most], *more]
