"""citation_support: F1 of citation precision and recall (ALCE, Gao et al., 2023).

Range [0, 1]. Recall: claims that their own citations support, over claims. Precision: (claim, cited passage) pairs
where the passage carries the claim, over such pairs; a dead citation carries nothing. A passage carries a claim that
the evidence supports when it is among those that the alignment names, or holds at least `_ENOUGH` of what those hold.
Where several words stand before each of two citations of a claim, and none behind the last, each is of those before
it: a passage that holds as much of these as any does carries them, and one that holds less than half of it does not.
Where the answer cites only in a list of sources at its end, a listed passage is one pair, good when it carries any
claim; a document or file is good where any of its chunks is. ALCE asks an entailment model; this asks the alignment of
`supported_claims`, and shares its limits. None where nothing is cited, or there is no claim or no evidence text, and
across languages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragvigil.scorer.checks.alignment.assess import VERSION
from ragvigil.scorer.checks.check import Check, Finding
from ragvigil.scorer.checks.prepared import DEFAULT_MODEL, Prepared
from ragvigil.scorer.checks.reading.attribution import sources_at_end
from ragvigil.scorer.checks.reading.citations import Citation
from ragvigil.scorer.checks.reading.claims import Statement
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import FRAME_STEMS, Word, words
from ragvigil.scorer.verdict import Claim

_ENOUGH = 0.9
_FEW = 0.5
_FEWEST_WORDS = 3
"""Of a part of a claim: of fewer nobody knows who holds them."""
_MOST_LISTED = 3
_MOST_NAMED = 3
_MOST_CHARACTERS = 120


_Cited = tuple[str | None, str]
"""Which passage is cited, None where it is none of them, and as what."""
_Holders = dict[str, int]
"""For a stem the passages that hold it, a bit for each place."""


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A claim with citations that do not carry it."""

    claim: Claim
    cited: list[str]

    @property
    def complaint(self) -> str:
        """In words fit for a page."""
        return f"{', '.join(self.cited[:_MOST_NAMED])} does not carry: {self.claim.text[:_MOST_CHARACTERS]}"

    @property
    def detail(self) -> dict[str, object]:
        """For the record's page."""
        return {
            "claim": self.claim.text[:_MOST_CHARACTERS],
            "cited": self.cited,
            "supported_by": list(self.claim.supported_by),
        }


def _measure(prepared: Prepared) -> Finding:
    lacking = _lacking(prepared)
    if lacking:
        return Finding(None, lacking)
    leads = {prepared.statements[place].start for place in prepared.leads}
    claims = {claim.start: claim for claim in prepared.assessment.claims if claim.start not in leads}
    if not claims:
        return Finding(None, "the answer makes no claim")
    fitting = _fitting(prepared, claims)
    at_end = sources_at_end(prepared.answer, prepared.statements, prepared.citations) is not None
    if at_end:
        useful: dict[_Cited, bool] = {}
        for _, found in fitting:
            useful |= {name: fits or useful.get(name, False) for name, fits in found.items()}
        pairs = list(useful.values())
    else:
        pairs = [fits for _, found in fitting for fits in found.values()]
    wrong = [
        _Mistake(claim, [told for (_, told), fits in found.items() if not fits])
        for claim, found in fitting
        if found and not (any(found.values()) if at_end else all(found.values()))
    ]
    recalled = sum(any(found.values()) for _, found in fitting)
    precision = sum(pairs) / len(pairs) if pairs else 0.0
    return _finding(recalled / len(claims), precision, wrong, len(claims), len(pairs))


def _fitting(prepared: Prepared, claims: Mapping[int, Claim]) -> list[tuple[Claim, dict[_Cited, bool]]]:
    """Each of the `claims`, given by where they start, with what it cites and whether that carries it."""
    held: _Holders = {}
    found: list[tuple[Claim, dict[_Cited, bool]]] = []
    for place, statement in enumerate(prepared.statements):
        claim = claims.get(statement.start) if statement.checkworthy else None
        if claim is None:
            continue
        citations = prepared.attribution.get(place, ())
        told = {(one.id, one.cited): one.others for one in citations}
        parts = _parts(prepared, statement, citations) if len(told) > 1 else {}
        carried = {
            name: any(
                _carries(prepared, place, claim, one, held, parts.get(name)) for one in (name[0], *others)
            )
            for name, others in told.items()
        }
        found.append((claim, carried))
    return found


def _lacking(prepared: Prepared) -> str | None:
    """Why nothing can be measured, as far as that is known without looking at the claims."""
    if not prepared.answer.strip():
        return "there is no answer"
    if not prepared.citations:
        return "the answer cites nothing"
    return prepared.incomparable if prepared.has_evidence else "there is no evidence text"


def _finding(recall: float, precision: float, wrong: Sequence[_Mistake], claims: int, cited: int) -> Finding:
    return Finding(
        round(2 * precision * recall / (precision + recall), 6) if precision + recall else 0.0,
        wrong[0].complaint if wrong else None,
        {
            "precision": round(precision, 6),
            "recall": round(recall, 6),
            "claims": claims,
            "pairs": cited,
            "misattributed": sum([bool(one.claim.supported_by) for one in wrong]),
            "mismatched": [one.detail for one in wrong[:_MOST_LISTED]],
        },
    )


def _parts(
    prepared: Prepared, statement: Statement, citations: Sequence[Citation]
) -> dict[_Cited, frozenset[str]]:
    """What each of the citations of a statement is of, where they stand behind what they carry: the stems of that."""
    found: dict[_Cited, frozenset[str]] = {}
    begins, stems = statement.start, frozenset[str]()
    for one in sorted(citations, key=lambda citation: citation.start):
        if one.start < begins:
            return {}  # of another statement
        stems = _stems(words(prepared.prose[begins : one.start])) or stems
        if len(stems) < _FEWEST_WORDS:
            return {}
        name = (one.id, one.cited)
        found[name] = found.get(name, frozenset()) | stems
        begins = one.end
    return {} if _stems(words(prepared.prose[begins : statement.end])) else found


def _stems(sequence: Sequence[Word]) -> frozenset[str]:
    return frozenset([word.stem for word in sequence if word.content]) - FRAME_STEMS


def _carries(
    prepared: Prepared,
    place: int,
    claim: Claim,
    name: str | None,
    held: _Holders,
    part: frozenset[str] | None,
) -> bool:
    """Whether the passage of this name carries a claim, or the `part` of it that it is cited for."""
    if name is None or claim.verdict not in ("supported", "partial"):
        return False
    evidence = prepared.evidence
    passages = sum([1 << index for index, one in enumerate(evidence.names) if one == name])
    if part and passages:
        holds = [_holders(evidence, stem, held) for stem in part]
        most = max([_how_many(holds, 1 << index) for index in range(len(evidence.names))])
        there = _how_many(holds, passages)
        if there >= _ENOUGH * most > 0:
            return True
        if most >= _FEWEST_WORDS and there < _FEW * most:
            return False
    if name in claim.supported_by:
        return True
    if not claim.supported_by or not passages:
        return False
    carriers = sum([1 << index for index, one in enumerate(evidence.names) if one in claim.supported_by])
    holds = [_holders(evidence, stem, held) for stem in _stems(prepared.told[place].words)]
    there = _how_many(holds, passages)
    return bool(there) and there >= _ENOUGH * _how_many(holds, carriers)


def _how_many(holds: Sequence[int], passages: int) -> int:
    """Of how many stems any of the `passages` is a holder."""
    return sum([1 for one in holds if one & passages])


def _holders(evidence: Evidence, stem: str, held: _Holders) -> int:
    """The passages that hold `stem`; looked up once for all claims of the answer."""
    if stem not in held:
        held[stem] = sum([1 << passage for passage in evidence.passages_of(stem)])
    return held[stem]


CHECK = Check("citation_support", f"17+{VERSION}+{DEFAULT_MODEL}", _measure, cost="claims")
