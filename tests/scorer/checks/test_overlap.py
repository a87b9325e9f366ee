"""What claims share with the evidence, found for all at once, beside what one finds stem by stem."""

from __future__ import annotations

import random

from ragvigil.scorer.checks.alignment.model import load
from ragvigil.scorer.checks.alignment.overlap import Overlap, Stemmed, overlaps
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.trace import Document

WORDS = ("amber", "birch", "cobalt", "dune", "ember", "fjord", "glacier", "harbour", "iris", "jade")
WEIGHTS = load("lexical-1").weights


def passages(source: random.Random, sentences: int) -> Evidence:
    """Six passages of so many sentences of four words, of which some deny."""
    said = (
        " ".join([*source.choices(WORDS, k=4), *(["not"] if source.random() < 0.3 else [])]).capitalize()
        for _ in range(6 * sentences)
    )
    texts = [". ".join(next(said) for _ in range(sentences)) for _ in range(6)]
    return Evidence([Document(str(rank), f"{text}.", rank=rank) for rank, text in enumerate(texts)])


def best(stems: list[str], evidence: Evidence, *, denies: bool) -> tuple[int | None, float]:
    """The segment that holds most, one that denies as the claim does among near equals, and how much it holds."""
    held: dict[int, float] = {}
    for stem in stems:
        for one in evidence.places.get(stem, ())[:400]:
            held[one] = held.get(one, 0.0) + WEIGHTS.of([stem])[0]
    near = sorted(
        (one for one in held if held[one] >= 0.95 * max(held.values())), key=lambda one: (-held[one], one)
    )
    place = next((one for one in near if evidence.segments.negated(one) == denies), next(iter(near), None))
    return place, 0.0 if place is None else held[place]


def expected(
    stems: list[str], evidence: Evidence, *, denies: bool
) -> tuple[int | None, float, int | None, float]:
    """The best segment of a claim, the best of what that lacks, and what they hold."""
    first, held = best(stems, evidence, denies=denies)
    carried = evidence.segments[first].content if first is not None else frozenset[str]()
    return first, held, *best([one for one in stems if one not in carried], evidence, denies=denies)


def test_claims_are_laid_at_once_as_stem_by_stem() -> None:
    """More claims than are laid together, stems in more segments than compete, and one that stands nowhere."""
    source = random.Random(1)
    for sentences in (1, 40, 200):
        evidence = passages(source, sentences)
        stems = [*evidence.places, "nowhere"]
        claims = [sorted(set(source.choices(stems, k=source.randint(1, 6)))) for _ in range(80)]
        denying = [source.random() < 0.5 for _ in claims]
        found = overlaps([Stemmed(claims, denying, evidence)], WEIGHTS)
        assert [(one.best, one.in_best, one.second, one.in_second) for one in found] == [
            expected(claim, evidence, denies=denies) for claim, denies in zip(claims, denying, strict=True)
        ]
    assert max(map(len, evidence.places.values())) > 400


def test_what_surrounds_the_best_sentence_ends_with_its_passage() -> None:
    """And what a passage holds is counted once a stem."""
    evidence = Evidence([Document("a", "Amber. Birch. Amber."), Document("b", "Cobalt. Birch cobalt.")])
    stems = [word.stem for word in words("amber birch cobalt")]
    (found,) = overlaps([Stemmed([stems], [False], evidence)], WEIGHTS)
    amber, birch, cobalt = WEIGHTS.of(stems)
    assert found == Overlap(
        total=amber + birch + cobalt,
        best=4,
        in_best=birch + cobalt,
        second=0,
        in_second=amber,
        around=birch + cobalt,
        passages=[amber + birch, birch + cobalt],
        most=max(amber + birch, birch + cobalt),
        repeated=3,
        weights=[amber, birch, cobalt],
    )
    assert found.carriers(evidence) == (1, 0)
