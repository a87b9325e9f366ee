"""Texts from traces, made harmless in the markup of each service."""

from __future__ import annotations

import re
from collections.abc import Callable

from ragvigil.exporters._alert import Alert
from ragvigil.exporters._text import as_text, clean

_PUNCTUATION = re.compile(r"[^\w\s]|_")
_CALLS = re.compile(r"@(?=everyone|here|channel|all\b)", re.IGNORECASE)
_SLACK = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_NEUTRAL = str.maketrans({"<": "\u2039", ">": "\u203a"})


def slack(text: str) -> str:
    """The text as Slack's mrkdwn takes it: without its three control characters nobody is called, nothing links.

    >>> slack("<!channel> & <https://evil.example|click>")
    '&lt;!channel&gt; &amp; &lt;https://evil.example|click&gt;'
    """
    return "".join(_SLACK.get(character, character) for character in text)


def markdown(text: str) -> str:
    """The text as Markdown that shows exactly it, for readers that unescape every punctuation mark.

    >>> markdown("[a](https://b) *c* @here")
    '\\\\[a\\\\]\\\\(https\\\\:\\\\/\\\\/b\\\\) \\\\*c\\\\* \\\\@here'
    """
    return _PUNCTUATION.sub(
        lambda found: "\\" + found.group() if found.group().isascii() else found.group(), text
    )


def neutral(text: str) -> str:
    """The text for services that pass it on to we know not what: no tags, no links in brackets, nobody is called.

    An escape of one markup is litter in another, so the few characters that matter are replaced by look-alikes.

    >>> ascii(neutral("<script> [a](https://b) @everyone"))
    "'\\\\u2039script\\\\u203a [a] (https://b) \\\\uff20everyone'"
    """
    return _CALLS.sub("\uff20", text.translate(_NEUTRAL).replace("](", "] ("))


def neutral_page(alert: Alert, *, limit: int) -> str:
    """The whole page as neutral text, at most `limit` characters; the title is its first line."""
    text = neutral(as_text(alert))
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(text: str, *, limit: int) -> str:
    """The neutral text on one line, at most `limit` UTF-16 units.

    Cleaned before, for what is invisible may stand between two characters that mean something together.

    >>> plain("[a]\\u200b(https://b) " + "x" * 30, limit=20)
    '[a] (https://b) xxx…'
    """
    return fitted(neutral(clean(text, limit=limit)), str, limit=limit)


def fitted(text: str, escape: Callable[[str], str], *, limit: int) -> str:
    """The cleaned and escaped text, cut so that it has at most `limit` UTF-16 units and no half of an escape.

    Services count in different units; these are never fewer than characters.

    >>> fitted("a*b*c", markdown, limit=5), fitted("a*b", markdown, limit=5)
    ('a\\\\*b…', 'a\\\\*b')
    """
    pieces = [escape(character) for character in clean(text, limit=limit)]
    widths = [sum(2 if ord(part) > 0xFFFF else 1 for part in piece) for piece in pieces]
    if sum(widths) <= limit:
        return "".join(pieces)
    kept, width = 0, 1
    while width + widths[kept] <= limit:
        width += widths[kept]
        kept += 1
    return "".join(pieces[:kept]) + "…"
