"""Passages of a prompt that stand between tags of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragvigil.scorer.dialects.frames import Context, asked_at, asks, framed, wrapped
from ragvigil.scorer.dialects.shapes import is_sentence, is_template
from ragvigil.scorer.trace import Document

_ITEM = (
    "document|doc|passage|source|chunk|excerpt|snippet|article|search_result|context_?item|context|result|item"
    "|dokument|documento|quelle|fuente|fonte|fragmento|passaggio"
)
_GENERIC = frozenset(("result", "item", "article", "source"))
"""Names that any XML may have."""
_ATTRIBUTES = r"""\s(?>[^<>"']+|"[^"<\n]*"|'[^'<\n]*')*"""
_TAG = re.compile(
    rf"<(?P<opened>{_ITEM})(?P<attributes>{_ATTRIBUTES})?>|</(?P<closed>{_ITEM})>", re.IGNORECASE
)
_ID = re.compile(
    r"""\b(?:id|doc_id|document_id|chunk_id)\s*=\s*(?P<quote>["'])(?P<id>[^"']{1,200})(?P=quote)""",
    re.IGNORECASE,
)
_ID_BELOW = re.compile(
    r"\s*<(?P<tag>(?:source_|doc_|document_|chunk_)?id)>\s*(?P<id>[^<>\n]{1,200}?)\s*</(?P=tag)>",
    re.IGNORECASE,
)
_CONTENT = re.compile(
    r"<(?P<tag>document_content|page_content|source_context|contents?|text)>", re.IGNORECASE
)
_DATA = re.compile(r"<!\[CDATA\[(?P<text>.*)\]\]>", re.DOTALL)
_GAP = re.compile(
    r"(?:\s+|</?[a-z_]+>|<(?P<tag>file_?name|type|title|name)>[^<>\n]*</(?P=tag)>)*", re.IGNORECASE
)
"""Tags may stand between passages of several files, with the file's name and type; anything else may not."""
_INDENT = 40
_FORM = re.compile(
    r"(?:\b(?:format|form|so|like this|as follows|example|template|output|reply|respond|write|return|wrap|put"
    r"|beispiel|formato?|ejemplo|exemple|esempio|exemplo)\b[^\n]{0,60}|\u683c\u5f0f[^\n]{0,10})"
    r"[:\uff1a]\s*(?:```[a-z]*\s*)?\Z",
    re.IGNORECASE,
)
"""What says that a form follows in which to answer."""
_FORM_ABOVE = 200


def tagged(prompt: str, *, apart: bool = False) -> Context | None:
    """The passages between tags, each opened and closed in turn and nothing between them; None where there are none.

    One alone is a passage where a question stands beside it, or `apart` from it.

    >>> [(each.id, each.text) for each in tagged("\\n<doc id='a'>Snow.</doc>\\n<doc>Coal.</doc>").documents]
    [('a', 'Snow.'), (None, 'Coal.')]
    >>> tagged("\\n<doc>a.</doc> is older than\\n<doc>b.</doc>.")
    """
    tags = [*_TAG.finditer(prompt)] if "</" in prompt and "<example" not in prompt else []
    names = [tag["opened"].lower() for tag in tags if tag["opened"] and _begins_line(prompt, tag.start())]
    inner = next((name for name in names if name != "context"), None) if names[:1] == ["context"] else None
    # where others stand within, <context> is the frame of all, or of each file's
    found = _between(prompt, tags, inner) if inner else None
    found = found or (_between(prompt, tags, names[0]) if names else None)
    return found or (_alone(prompt, tags, names[0], apart=apart) if names else None)


def _between(prompt: str, tags: Sequence[re.Match[str]], name: str) -> Context | None:
    """The passages in tags of one name."""
    own = _own(prompt, tags, name)
    opened, closed = own[::2], own[1::2]
    if not _in_turn(opened, closed) or not _is_evidence(prompt, opened, name):
        return None
    gaps = (prompt[end.end() : start.start()] for end, start in zip(closed, opened[1:], strict=False))
    if not all(_GAP.fullmatch(gap) for gap in gaps):
        return None
    pairs = zip(opened, closed, strict=True)
    documents = [_document(one["attributes"], prompt[one.end() : other.start()]) for one, other in pairs]
    return wrapped(prompt, documents, opened[0].start(), closed[-1].end())


def _own(prompt: str, tags: Sequence[re.Match[str]], name: str) -> list[re.Match[str]]:
    """The tags of that name, from the first that begins a line on: others are mentioned."""
    begun = next(
        tag.start()
        for tag in tags
        if (tag["opened"] or "").lower() == name and _begins_line(prompt, tag.start())
    )
    own = [tag for tag in tags if name in _names(tag) and tag.start() >= begun]
    return [tag for tag in own if tag["closed"] or _begins_line(prompt, tag.start())]


def _alone(prompt: str, tags: Sequence[re.Match[str]], name: str, *, apart: bool) -> Context | None:
    """The passage in the one pair of tags, on lines of its own, that is no code and shows no form."""
    tags = _own(prompt, tags, name)
    if len(tags) != 2 or not _in_turn(tags[:1], tags[1:]):
        return None
    (start, first), (last, end) = tags[0].span(), tags[1].span()
    inside = prompt[first:last].strip()
    if prompt[end:].strip(" \t")[:1] not in ("", "\n", "<"):
        return None
    above, labelled = prompt[max(0, start - _FORM_ABOVE) : start], asked_at(prompt, 0) is not None
    if name == "context" or (
        name in _GENERIC and not (name in ("source", "article") and (apart or labelled))
    ):
        return None
    if is_template([inside]) or prompt.count("```", 0, start) % 2 or _FORM.search(above):
        return None
    if not (apart or labelled or asks(prompt[:start]) or asks(prompt[end:])):
        return None
    document = _document(tags[0]["attributes"], prompt[first:last])
    told = labelled or is_sentence(document.text or "")
    return Context((document,) if told else (), start, end)


def _names(tag: re.Match[str]) -> tuple[str, str]:
    return (tag["opened"] or "").lower(), (tag["closed"] or "").lower()


def _in_turn(opened: Sequence[re.Match[str]], closed: Sequence[re.Match[str]]) -> bool:
    """Whether each tag is closed before the next one opens."""
    whole = len(opened) == len(closed)
    return whole and all(tag["opened"] for tag in opened) and all(tag["closed"] for tag in closed)


def _is_evidence(prompt: str, opened: Sequence[re.Match[str]], name: str) -> bool:
    """Whether the tags say more than that a text stands in them: attributes, a frame, or several and no code."""
    start = opened[0].start()
    if opened[0]["attributes"] or framed(prompt, start):
        return True
    if name == "context" and len(opened) == 1:
        return False  # it is a frame itself
    return len(opened) > 1 and name not in _GENERIC and prompt.count("```", 0, start) % 2 == 0


def _begins_line(prompt: str, place: int) -> bool:
    """Whether nothing but white space or another tag stands before."""
    return prompt[max(0, place - _INDENT) : place].rstrip(" \t")[-1:] in ("", "\n", ">")


def _document(attributes: str | None, text: str) -> Document:
    """A passage without what some put around its text: Anthropic's form, CDATA."""
    named = _ID.search(attributes or "") or _ID_BELOW.match(text)
    found = _CONTENT.search(text)
    end = text.rfind(f"</{found['tag']}>") if found else -1
    content = (text[found.end() : end] if found and found.end() <= end else text).strip()
    data = _DATA.fullmatch(content)
    return Document(named["id"] if named else None, data["text"].strip() if data else content)
