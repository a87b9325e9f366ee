"""What other programs fill in from the environment, and this one does not: ``${NAME}`` in a value is an error here.

A token that stood so in the file was the public text "${RAGVIGIL_TOKEN}". Only what nobody takes for a password is
refused: ``${UPPER_CASE}`` anywhere, with ``env:`` or a default as elsewhere, and ``$UPPER_CASE`` as the whole value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from ragvigil.scorer.config.variables import PREFIX
from ragvigil.scorer.errors import ConfigError

_FILLED_IN = re.compile(r"\$\{(?:env:)?[A-Z][A-Z0-9_]*(?::?[-?+=][^{}]*)?\}|^\$[A-Z][A-Z0-9_]{2,}$")
_TEXTS_OF_ANSWERS = ("content.keep", "content.patterns")
"""What stands in answers, and expressions for it: "$USD" is itself there."""
_SETTABLE = re.compile(r"[a-z0-9_]+(?:\.[a-z0-9_]+)+")
"""Keys that a shell can spell as a variable."""


def placeholders(tree: Mapping[str, object], above: str = "") -> Iterator[ConfigError]:
    """An error for each setting that holds one.

    >>> [str(one) for one in placeholders({"judge": {"api_key": "$OPENAI_API_KEY", "model": "gpt"}})]
    ['judge.api_key: $OPENAI_API_KEY is not filled in here (set the environment variable RAGVIGIL_JUDGE__API_KEY, or \
write a secret as { file = "path" })']
    >>> list(placeholders({"a": {"token": "pa$$WORD", "secret": "$ecret", "url": "https://$HOST/{trace_id}"}}))
    []
    >>> list(placeholders({"content": {"keep": ["$USD", "${ORDER}"], "patterns": ["^${ID}$"]}}))
    []
    >>> len(list(placeholders({"content": {"hook": "${HOOK}"}, "receive": {"keep": ["$USD"]}})))
    2
    """
    for name, value in tree.items():
        key = f"{above}{name}"
        if key in _TEXTS_OF_ANSWERS:
            continue
        if isinstance(value, Mapping):
            yield from placeholders(cast("Mapping[str, object]", value), f"{key}.")
            continue
        several = cast("Sequence[object]", value) if isinstance(value, list | tuple) else (value,)
        found = (_FILLED_IN.search(one) for one in several if isinstance(one, str))
        first = next(filter(None, found), None)
        if first is not None:
            yield ConfigError(key, f"{first[0].partition(':-')[0]} is not filled in here", _instead(key))


def _instead(key: str) -> str:
    file = 'write a secret as { file = "path" }'
    if not _SETTABLE.fullmatch(key):
        return file
    return f"set the environment variable {PREFIX}{key.upper().replace('.', '__')}, or {file}"
