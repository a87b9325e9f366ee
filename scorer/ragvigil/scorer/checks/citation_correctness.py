"""citation_correctness: share of the cited ids that are among the retrieved ids of this trace.

Range [0, 1]; each id counts once, however often it is cited. An answer that makes claims and cites nothing scores 0
(the strict definition), also where nothing was retrieved; one that refuses or makes no claim owes no citation and
scores None, also where it says whom to ask instead. An id of a whole document of which chunks were retrieved counts
as correct and is listed as over-broad. Where ids are words, `[sick-pay]` at the place of a citation is one; remarks
such as `[sic]`, what is to be filled in and what redaction leaves are none (`reading/citing/unretrieved.py`), nor are
lines of a log, menus and JSON (`unread.py`), a number of a step, row or equation (`numbering.py`), or, where ids are
cited, one that no passage has. A link cites only where passages come from the web, and not what one of them holds. An
id counts in other separators, without its scheme, cut short, or with a page or lines behind it (`reading/aliases.py`).
A file's name counts where ids or metadata hold it (`reading/described.py` has the keys), with a page as the passage of
that page (`reading/paged.py`); one that none is of is dead only where all passages of the file tell their pages for
sure, as `#page=12` does, and none is it or next to it.
Where the answer is not sent, what the service found in it itself is counted.
"""

from __future__ import annotations

from collections.abc import Iterable

from ragvigil.scorer.checks.check import Check, Finding, why_claimless
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citations import dead, live
from ragvigil.scorer.trace import Cited

_MOST_NAMED = 3
_LONGEST_NAME = 60


def _measure(prepared: Prepared) -> Finding:
    record = prepared.record
    if not prepared.answer.strip():
        return Finding(None, "there is no answer") if record.cited is None else _told(record.cited)
    if not record.retrieved:
        return Finding(None, "no retrieval was seen")
    if prepared.nothing_retrieved and prepared.owes_citations:
        cited = list(dict.fromkeys(citation.cited for citation in prepared.citations))
        return Finding(0.0, "nothing was retrieved", {"cited": [], "not_retrieved": cited, "over_broad": []})
    if not prepared.citations:
        return _uncited(prepared)
    valid, missing = live(prepared.citations), dead(prepared.citations)
    if missing and record.completeness == "partial_evidence":
        return Finding(None, "the list of retrieved passages is incomplete")
    return Finding(
        len(valid) / (len(valid) + len(missing)),
        f"cites {_named(missing)}, which {_was(missing)} not retrieved" if missing else None,
        {
            "cited": sorted(valid),
            "not_retrieved": missing,
            "over_broad": sorted({citation.cited for citation in prepared.citations if citation.over_broad}),
        },
    )


def _told(cited: Cited) -> Finding:
    """What the service found itself: the ids left it, the answer did not."""
    if cited.read_characters is not None:
        return Finding(None, f"only the first {cited.read_characters} characters were read for citations")
    count = len(cited.ids) + len(cited.unknown)
    if not count:
        return Finding(None, "the answer was not sent, and cites nothing")
    reason = f"cites {_named(list(cited.unknown))}, which {_was(list(cited.unknown))} not retrieved"
    details = {"cited": sorted(cited.ids), "not_retrieved": list(cited.unknown), "over_broad": []}
    return Finding(len(cited.ids) / count, reason if cited.unknown else None, details)


def _uncited(prepared: Prepared) -> Finding:
    if not prepared.owes_citations:
        return Finding(None, why_claimless(prepared))
    if not prepared.record.documents:
        return Finding(None, "what was retrieved is not known")
    return Finding(0.0, "cites nothing")


def _named(names: list[str]) -> str:
    shown: Iterable[str] = (name[:_LONGEST_NAME] for name in names[:_MOST_NAMED])
    rest = len(names) - _MOST_NAMED
    return ", ".join(shown) + (f" and {rest} more" if rest > 0 else "")


def _was(names: list[str]) -> str:
    return "was" if len(names) == 1 else "were"


CHECK = Check("citation_correctness", "22", _measure)
