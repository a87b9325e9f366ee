"""One answer as a person reads it: question, passages, answer. Nothing of the judge or the checks."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ragvigil.exporters import clean
from ragvigil.scorer.trace import RagTrace

_LONGEST_LINE = 20_000
_NOTHING = "(nothing)"


def page(record: RagTrace, *, width: int) -> str:
    """The text of one answer, wrapped to `width` columns, without anything that could steer a terminal.

    The answer comes last: what is to be decided stands just above the keys.
    """
    lines: list[str] = ["QUESTION", *_wrapped(record.query, width), ""]
    for rank, document in enumerate(record.documents, start=1):
        name = clean(document.id, limit=80) if document.id else f"#{rank}"
        lines += [f"PASSAGE {rank} of {len(record.documents)} [{name}]", *_wrapped(document.text, width), ""]
    if not record.documents:
        lines += ["PASSAGES", f"  {_NOTHING}", ""]
    return "\n".join([*lines, "ANSWER", *_wrapped(record.answer, width)])


def _wrapped(text: str | None, width: int) -> Iterator[str]:
    for line in (text or _NOTHING).splitlines():
        yield textwrap.fill(
            clean(line, limit=_LONGEST_LINE),
            width=max(20, width),
            initial_indent="  ",
            subsequent_indent="  ",
            break_on_hyphens=False,
        )
