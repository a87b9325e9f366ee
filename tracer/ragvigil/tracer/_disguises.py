"""Characters that hide an address or a number from patterns, not from people: invisible, wide, or written as codes."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragvigil.tracer._clues import Look

_CODED = re.compile(
    r"&#(?:[xX]([0-9A-Fa-f]{1,6})|([0-9]{1,7}));?|&(commat|period);|\\{1,15}u(00[2-7][0-9A-Fa-f])"
)
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_NARROW = {
    ord(wide): ord(wide) - 0xFEE0 for wide in map(chr, (0xFF0B, 0xFF0E, *range(0xFF10, 0xFF1A), 0xFF20))
}
_NARROW[0xFE6B] = ord("@")
_NAMED = {"commat": "@", "period": "."}
_BYTES = re.compile(
    rb"\xc2\xad|\xe2\x80[\x8b-\x8f]|\xe2\x81[\xa0-\xa4]|\xef\xbb\xbf|\xef\xbc[\x8b\x8e\x90-\x99\xa0]|\xef\xb9\xab"
)


def disguised(look: Look) -> bool:
    """Whether any of these may be there.

    >>> disguised(Look("ana\u200b@example.org".encode())), disguised(Look(b"ana@example.org"))
    (True, False)
    """
    data = look.data
    return (
        (not data.isascii() and _BYTES.search(data) is not None)
        or (b"&" in data and (b"&#" in data or b"&commat;" in data or b"&period;" in data))
        or (b"\\" in data and b"\\u00" in data)
    )


def undisguised(text: str, found_in: Callable[[str], bool]) -> str:
    """The text with those lines plainly written in which something is found then; all others stay as they are.

    >>> undisguised("ana&#64;example.org", lambda line: "@" in line), undisguised("a &#38; b", lambda line: "@" in line)
    ('ana@example.org', 'a &#38; b')
    """
    lines = text.split("\n")
    for number, line in enumerate(lines):
        plain = _plain(line)
        if plain != line and found_in(plain):
            lines[number] = plain
    return "\n".join(lines)


def _plain(line: str) -> str:
    return _INVISIBLE.sub("", _CODED.sub(_decoded, line)).translate(_NARROW)


def _decoded(match: re.Match[str]) -> str:
    hexadecimal, decimal, name, escape = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal or escape, 16)
    return chr(code) if 0x20 <= code < 0x7F else match[0]
