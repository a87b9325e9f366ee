"""Ids as models rewrite them: with another separator, without their scheme, cut short, or as the end of an address."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ragvigil.scorer.checks.reading.identifiers import (
    HEXADECIMAL,
    JOINT,
    NUMBERED_ID,
    SCHEME,
    UNIQUE,
    VERSION,
    joined_up,
)
from ragvigil.scorer.lazily import made_once

_SHORTEST_AT_END, _LONGEST_RANK = 5, 3
_DIGIT = re.compile(r"\d")


class Aliases:
    """Other ways to write the ids of one record; none of these is an id itself.

    >>> known = Aliases({"PMID:31415926": "PMID:31415926", "chunk_007": "chunk_007"})
    >>> [known.of(text) for text in ("PMID: 31415926", "31415926", "PMID 31415926", "chunk-7", "3141")]
    ['PMID:31415926', 'PMID:31415926', 'PMID:31415926', 'chunk_007', None]
    """

    def __init__(self, ids: Mapping[str, str]) -> None:
        self._ids = ids

    @made_once
    def _joined(self) -> Mapping[str, str]:
        return {joined_up(one): name for one, name in self._ids.items() if JOINT.search(one)}

    @made_once
    def _without_scheme(self) -> Mapping[str, str]:
        bare = {
            one[match.end() :].casefold(): name
            for one, name in self._ids.items()
            if "://" not in one and (match := SCHEME.match(one))
        }
        return {VERSION.sub("", key): name for key, name in bare.items()} | bare

    @made_once
    def _unique(self) -> Mapping[str, str]:
        return {one.casefold(): name for one, name in self._ids.items() if UNIQUE.match(one)}

    def of(self, text: str) -> str | None:
        """The passage whose id is `text` in other separators, without its scheme, behind a word, or cut short.

        >>> known = Aliases(dict.fromkeys(["7d44b840-9dc0-11d1-b245-5ffdce74fad2"], "#1"))
        >>> known.of("7d44b840"), known.of("7d44")
        ('#1', None)
        """
        if (len(text) <= _LONGEST_RANK and text.isdecimal()) or not _DIGIT.search(text):
            return None
        folded = text.casefold()
        if text[0] == "#" and (found := self._ids.get(text[1:])):
            return found
        found = self._joined.get(joined_up(text)) or self._joined.get(joined_up(text.replace(": ", ":", 1)))
        if found is None:
            found = self._without_scheme.get(folded)
        if found is None and (numbered := NUMBERED_ID.match(text)):
            found = self._ids.get(numbered[1]) or self._without_scheme.get(numbered[1])
        if found is None and self._unique and HEXADECIMAL.match(text):
            longer = [name for one, name in self._unique.items() if one.startswith(folded)]
            found = longer[0] if len(longer) == 1 else None
        return found

    def at_the_end_of(self, address: str) -> str | None:
        """The passage whose id, with a digit, is the last part of `address`, or the beginning or the end of that.

        >>> known = Aliases(dict.fromkeys(["8a5b1c9d2e3f4a6b8c7d9e0f1a2b3c4d", "kb-12", "36004"], "#1"))
        >>> ends = ("Plan-8a5b1c9d2e3f4a6b8c7d9e0f1a2b3c4d", "kb-12", "36004-Reset", "kb-13")
        >>> [known.at_the_end_of(f"https://notes.example/{one}") for one in ends]
        ['#1', '#1', '#1', None]
        """
        last = address.partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]
        for name in (last, last.rpartition("-")[2], last.partition("-")[0], last.rpartition(".")[0]):
            if len(name) >= _SHORTEST_AT_END and any(map(str.isdigit, name)) and name in self._ids:
                return self._ids[name]
        return None
