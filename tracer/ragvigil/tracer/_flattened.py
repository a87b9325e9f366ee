"""Documents and messages as OpenInference spreads them: one numbered attribute for each field."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragvigil.tracer import attributes as names
from ragvigil.tracer._documents import Passage
from ragvigil.tracer._reading import encodable

_SIDES = {"user": names.OPENINFERENCE_INPUT_MESSAGE, "assistant": names.OPENINFERENCE_OUTPUT_MESSAGE}
_VALUES = {"user": names.INPUT_VALUE, "assistant": names.OUTPUT_VALUE}


def flattened_documents(
    passages: Sequence[Passage], texts: Sequence[tuple[str, bool] | None], *, metadata: bool
) -> dict[str, str | float]:
    """The numbered attributes of documents, the last document first, so that an eviction takes the last.

    ``texts`` are those of the passages as far as they may be written, each with whether it was cut.

    >>> flattened_documents([Passage(id="a", text="Ice")], [("Ice", False)], metadata=True)
    {'retrieval.documents.0.document.id': 'a', 'retrieval.documents.0.document.content': 'Ice'}
    """
    found: dict[str, str | float] = {}
    for index in reversed(range(len(passages))):
        passage, prefix = passages[index], f"{names.OPENINFERENCE_DOCUMENTS}{index}.document."
        text = texts[index]
        if passage.id is not None:
            found[f"{prefix}id"] = encodable(passage.id)
        if passage.score is not None:
            found[f"{prefix}score"] = passage.score
        if text is not None:
            found[f"{prefix}content"] = encodable(text[0])
        if metadata and passage.metadata:
            found[f"{prefix}metadata"] = json.dumps(passage.metadata, default=str)
    return found


def flattened_message(role: str, text: str) -> dict[str, str]:
    """The numbered attributes of the one message of a side, and the value that a viewer shows for it."""
    prefix = _SIDES[role]
    return {f"{prefix}role": role, f"{prefix}content": text, _VALUES[role]: text}
