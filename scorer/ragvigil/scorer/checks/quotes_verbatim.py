"""quotes_verbatim: share of the quotations that stand in the evidence word by word.

Range [0, 1]. A quotation is a span of four words or more (eight characters in scripts without spaces) between
quotation marks of any kind, over line breaks too, or a Markdown block quote below a colon or above its source.
Case, white space and punctuation are set aside; an ellipsis or a ``[changed]`` word cuts it, and each piece must
stand in the same passage, in order, in whole words. Where the claim around it cites passages, it must stand in one
of them. What the question itself quotes is no quotation of the evidence, nor what the reader is told to type, to search
for or to ask, or what somebody may ask, where it stands nowhere. None where nothing is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.markup import Span
from ragvigil.scorer.checks.reading.passages import name_of
from ragvigil.scorer.checks.reading.quotations import pieces, plain, quotations, stands

_MOST_CHARACTERS = 120
_MOST_LISTED = 10
_BEFORE = 80
_TYPED = re.compile(
    r"(?:(?:\A|[.!?\n]|,|[-*\u2022]|\d[.)]|\b(?:try|please|then|and|or|you can))[ ]{0,3}"
    r"(?:(?:please|just) )?(?:search(?:ing)?(?: (?:in |on )?(?:the|our|your) \w{1,20}(?: \w{1,20})?)? for"
    r"|(?:type|enter)(?: in)?|key in|(?<!,)(?<!, )ask|google"
    r"|(?:use|write|put|with) (?:the )?(?:subject(?: line)?|search terms?)"
    r"|(?:suchen|suche|geben|gib|tippen)(?: sie)?(?: (?:im|in der) \w{1,20})?(?: nach)?"
    r"|such(?: (?:im|in der) \w{1,20}| nach){1,2}"
    r"|(?:cherchez|recherchez|tapez|saisissez|busque|busca|escriba|escribe|introduzca|(?:procure|pesquise)(?: por)?"
    r"|digite|cerca|cerchi|digita|digiti|inserisci))"
    r"|(?P<asked>\b(?:if|when) (?:someone|somebody|anyone|anybody|they|an? \w{1,20}|customers?|users?) asks?(?: you)?))"
    r"[:,]?\s{0,3}\W?[ ]?\Z",
    re.IGNORECASE,
)
"""What stands before words that the reader is to type or to ask: they are nobody's yet."""

_SAYS = re.compile(
    r"\b(?:manual|polic(?:y|ies)|docs?|documentation|handbook|guide)s? (?:says?|states?|reads?|puts?)\b"
    r"|\bsays? the (?:manual|policy|docs?|documentation|handbook|guide)\b",
    re.IGNORECASE,
)
"""Who is named so is quoted."""


def _measure(prepared: Prepared) -> Finding:
    if not prepared.answer.strip():
        return Finding(None, "there is no answer")
    quoted = _quoted(prepared)
    if not quoted:
        return Finding(None, "the answer quotes nothing")
    if not prepared.has_evidence:
        return Finding(None, "there is no evidence text")
    texts = {name_of(one): plain(one.text) for one in prepared.record.documents if one.text}
    quoted = [one for one in quoted if _found(one[1], texts.values()) or not _is_typed(prepared, one[0])]
    if not quoted:
        return Finding(None, "the answer quotes nothing")
    missing = [_text(prepared, span) for span, parts in quoted if not _found(parts, texts.values())]
    elsewhere = [
        _text(prepared, span)
        for span, parts in quoted
        if _found(parts, texts.values()) and _is_cited_wrongly(prepared, span, parts, texts)
    ]
    wrong = missing + elsewhere
    where = "evidence" if missing else "cited passage"
    reason = f"not in the {where}: “{wrong[0][:_MOST_CHARACTERS]}”" if wrong else None
    details = {
        "quotations": len(quoted),
        "missing": [one[:_MOST_CHARACTERS] for one in missing[:_MOST_LISTED]],
        "elsewhere": [one[:_MOST_CHARACTERS] for one in elsewhere[:_MOST_LISTED]],
    }
    return Finding(1 - len(wrong) / len(quoted), reason, details)


def _quoted(prepared: Prepared) -> list[tuple[Span, list[str]]]:
    """What the answer quotes and the question does not say, with its pieces."""
    spans = quotations(prepared.prose)
    question = plain(prepared.record.query or "") if spans else ""
    quoted = [(span, parts) for span in spans if (parts := pieces(_text(prepared, span)))]
    return [(span, parts) for span, parts in quoted if not stands(parts, question)]


def _is_cited_wrongly(prepared: Prepared, span: Span, parts: list[str], texts: Mapping[str, str]) -> bool:
    """Whether the claim around a quotation cites passages, and none of these holds it."""
    cited = _cited(prepared, span)
    return bool(cited) and not _found(parts, [texts[name] for name in cited if name in texts])


def _text(prepared: Prepared, span: Span) -> str:
    return prepared.answer[span[0] : span[1]]


def _is_typed(prepared: Prepared, span: Span) -> bool:
    """Whether the reader is told to type a span, to search for it or to ask it, or that somebody may ask it."""
    match = _TYPED.search(prepared.prose, max(0, span[0] - _BEFORE), span[0])
    if match is None or (
        match["asked"] and not _text(prepared, span).rstrip("\"'\u201d\u00bb ").endswith("?")
    ):
        return False
    around = prepared.prose[max(0, span[0] - _BEFORE) : span[0]], prepared.prose[span[1] : span[1] + _BEFORE]
    return not _cited(prepared, span) and not any(map(_SAYS.search, around))


def _cited(prepared: Prepared, span: Span) -> set[str]:
    """The retrieved passages that the claim around a quotation cites."""
    return {
        one.id
        for place, cited in prepared.attribution.items()
        if prepared.statements[place].start < span[1] and span[0] < prepared.statements[place].end
        for one in cited
        if one.id is not None
    }


def _found(parts: list[str], texts: Iterable[str]) -> bool:
    return any(stands(parts, text) for text in texts)


CHECK = Check("quotes_verbatim", "4", _measure)
