"""Labelled rows as arrays: words, claims and answers with what the alignment measures of them."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragvigil.scorer.checks.alignment.align import Alignment, Stated, align
from ragvigil.scorer.checks.alignment.assess import novelty_ceiling
from ragvigil.scorer.checks.alignment.overlap import Weights
from ragvigil.scorer.checks.alignment.tokens import MARKS, TOKEN_FEATURES
from ragvigil.scorer.checks.reading.citations import definitions, read_citations
from ragvigil.scorer.checks.reading.claims import Statement, read_statements
from ragvigil.scorer.checks.reading.evidence import Evidence
from ragvigil.scorer.checks.reading.restating import restated
from ragvigil.scorer.checks.reading.words import offsets, words
from ragvigil.scorer.trace import Document

Array = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Row = dict[str, Any]

STRANGERS = "strangers"
"""Task of an answer that was put beside another question's evidence."""
FOLDS = 5
RAREST = 10
"""Documents a stem must occur in to get a weight of its own."""
VERDICTS = {
    "supported_at": 0.75,
    "partial_at": 0.5,
    "contradicted_at_most": 0.25,
    "unfounded_number_at_most": 0.74,
}


@dataclass(frozen=True, slots=True)
class Source:
    """One labelled set, or a part of it."""

    name: str
    weight: float
    """Of one row in fitting; 0: only measured."""
    origin: str
    subset: str | None = None
    """Only the rows of that subset; None: of all subsets that are not named by another source."""
    shares_intercept: bool = False
    """Whether its level is taken for that of the first source, instead of for an artefact of how it was sampled."""
    supported: float | None = None
    """Share of supported answers where they come from, if the set was sampled to have one half of them."""
    alone: float = 1.0
    """How many times as much its rows weigh in the model of a claim that is all an answer says."""
    strangers: float = 0.0
    """Weight of a row that was put beside another question's evidence; 0: there are none."""
    strangers_among: float = 0.0
    """The same in the model of claims among others, for which the answer's model sees what is strange."""


@dataclass(frozen=True, slots=True)
class Words:
    """Every meaningful word of the claims; a label of -1 means that nobody marked this one."""

    figures: Array
    """(words, TOKEN_FEATURES)."""
    unfounded: Array
    claim: Places
    span: Places
    """(words, 2): offsets in the answer."""
    stem: Places
    """Place of each word's stem in `stems`."""
    missing: npt.NDArray[np.bool_]
    """Whether neither the evidence nor the question has it."""
    stems: list[str]


@dataclass(frozen=True, slots=True)
class Claims:
    """Every check-worthy claim; a label of -1 means that nobody marked this one."""

    statements: list[Statement]
    alignments: list[Alignment]
    supported: Array
    ceiling: Array
    """What the probability must not exceed: see VERDICTS."""
    answer: Places


@dataclass(frozen=True, slots=True)
class Answers:
    """Every answer that makes a claim."""

    rows: list[Row]
    supported: Array
    source: Places
    intercept: Places
    """The source whose intercept an answer has; strangers have the first, so that they set the level that ships."""
    group: list[str]
    fold: Places
    weight: Array
    """Of an answer as a whole."""
    alone: Array
    """Of its claim if that is all it says."""
    among: Array
    """Of its claims among others."""
    refuses: npt.NDArray[np.bool_]
    """Whether a sentence of it says that there is no answer."""


def read(folder: Path, sources: Sequence[Source]) -> list[tuple[int, Row]]:
    """Rows with the place of their source."""
    found: list[tuple[int, Row]] = []
    named = {(one.name, one.subset) for one in sources if one.subset}
    for place, source in enumerate(sources):
        with gzip.open(folder / f"{source.name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            rows: list[Row] = [json.loads(line) for line in lines]
        found += [
            (place, row)
            for row in rows
            if (
                row.get("subset") == source.subset
                if source.subset
                else (source.name, row.get("subset")) not in named
            )
        ]
    return found


def strangers(rows: Sequence[tuple[int, Row]], place: int) -> Iterator[tuple[int, Row]]:
    """Each answer of the source at `place` beside other evidence, so that extremes are learnt: nothing carries it."""
    own = [row for source, row in rows if source == place]
    shuffled = sorted(own, key=lambda row: hashlib.sha256(row["id"].encode()).digest())
    for row, other in zip(shuffled, [*shuffled[1:], shuffled[0]], strict=True):
        if row["group"] != other["group"]:
            whole = [[0, len(row["answer"])]]
            alien = {"evidence": other["evidence"], "label": 0, "unsupported_spans": whole}
            yield place, {**row, **alien, "task": STRANGERS}


def stem_weights(rows: Sequence[tuple[int, Row]]) -> Weights:
    """Inverse document frequency over distinct sources."""
    sources = {(place, row["group"]): row["evidence"] for place, row in rows}
    counts = Counter(
        stem
        for evidence in sources.values()
        for stem in {word.stem for part in evidence for word in words(part["text"])}
    )
    total = len(sources) + 1
    known = {
        stem: round(math.log(total / (count + 1)), 2) for stem, count in counts.items() if count >= RAREST
    }
    return Weights(dict(sorted(known.items())), round(math.log(total / 2), 2))


def extract(
    rows: Sequence[tuple[int, Row]], weights: Weights, sources: Sequence[Source]
) -> tuple[Words, Claims, Answers]:
    """Everything measured of `rows`, each with the place of its source."""
    kept: list[tuple[int, Row]] = []
    refusing: list[bool] = []
    laid: list[tuple[float, Statement, Alignment, int]] = []
    for place, row in rows:
        told = _told(row)
        aligned = [(label, claim, one, len(kept)) for label, claim, one in _aligned(row, told, weights)]
        if aligned:
            kept.append((place, row))
            refusing.append(any(one.kind == "refusal" for one in told))
            laid += aligned
    owners = Counter(owner for _, _, _, owner in laid)
    claims = Claims(
        [statement for _, statement, _, _ in laid],
        [alignment for _, _, alignment, _ in laid],
        np.array([label for label, _, _, _ in laid]),
        np.array([_ceiling(alignment, lone=owners[owner] == 1) for _, _, alignment, owner in laid]),
        np.array([owner for _, _, _, owner in laid]),
    )
    weight = np.array([_weight(sources[place], row, sources[place].strangers) for place, row in kept])
    answers = Answers(
        rows=[row for _, row in kept],
        supported=np.array([float(row["label"]) for _, row in kept]),
        source=np.array([place for place, _ in kept]),
        intercept=np.array(
            [
                0 if row["task"] == STRANGERS or sources[place].shares_intercept else place
                for place, row in kept
            ]
        ),
        group=[f"{place}/{row['group']}" for place, row in kept],
        fold=np.array([part(f"{place}/{row['group']}", FOLDS) for place, row in kept]),
        weight=weight,
        alone=weight * np.array([sources[place].alone for place, _ in kept]),
        among=np.array([_weight(sources[place], row, sources[place].strangers_among) for place, row in kept]),
        refuses=np.array(refusing),
    )
    return _words(laid, answers), claims, answers


def _weight(source: Source, row: Row, stranger: float) -> float:
    """The weight of `row`, which is that of a `stranger` beside evidence not its own."""
    if row["task"] == STRANGERS:
        return stranger
    if source.supported is None:
        return source.weight
    return source.weight * 2 * (source.supported if row["label"] else 1 - source.supported)


def part(group: str, parts: int) -> int:
    """Which of `parts` a group falls into, always the same."""
    return int.from_bytes(hashlib.sha256(group.encode()).digest()[:4]) % parts


def _documents(row: Row) -> list[Document]:
    return [Document(one["id"], one["text"], rank=rank) for rank, one in enumerate(row["evidence"], 1)]


def _told(row: Row) -> list[Statement]:
    documents, answer = _documents(row), str(row["answer"])
    markers = [(one.start, one.end) for one in read_citations(answer, documents)]
    said = read_statements(answer, [*markers, *definitions(answer)])
    return [*restated(said, [one.text for one in documents if one.text])]


def _aligned(
    row: Row, told: Sequence[Statement], weights: Weights
) -> Iterator[tuple[float, Statement, Alignment]]:
    claims = [one for one in told if one.checkworthy]
    evidence = Evidence(_documents(row), {word.stem for claim in claims for word in claim.words})
    question = {one for word in words(row["query"] or "") for one in (word.stem, *word.numbers[:1])}
    stated = Stated([(claim.words, claim.text) for claim in claims], evidence, question)
    (aligned,) = align([stated], weights)
    for claim, alignment in zip(claims, aligned, strict=True):
        yield _label(row, claim, len(claims)), claim, alignment


def _label(row: Row, claim: Statement, claims: int) -> float:
    spans = row["unsupported_spans"]
    if spans:
        return float(not any(start < claim.end and end > claim.start for start, end in spans))
    return float(row["label"]) if row["label"] or claims == 1 else -1.0


def _ceiling(alignment: Alignment, *, lone: bool) -> float:
    """As `bounded` has it at run time."""
    ceiling = novelty_ceiling(alignment, lone=lone)
    if alignment.contradiction:
        return min(ceiling, VERDICTS["contradicted_at_most"])
    return min(ceiling, VERDICTS["unfounded_number_at_most"]) if alignment.unfounded_number else ceiling


def _words(laid: Sequence[tuple[float, Statement, Alignment, int]], answers: Answers) -> Words:
    figures: list[list[float]] = []
    labels: list[float] = []
    owners: list[int] = []
    spans: list[tuple[int, int]] = []
    stems: list[int] = []
    missing: list[bool] = []
    known: dict[str, int] = {}
    for number, (_, claim, alignment, owner) in enumerate(laid):
        row = answers.rows[owner]
        marked = row["unsupported_spans"]
        where = offsets(claim.text)
        for token in alignment.tokens:
            first, last = (claim.start + one for one in where[token.place])
            figures.append(_figures(token.marks, token.weight, missing=token.missing))
            touched = any(start < last and end > first for start, end in marked)
            labels.append(float(touched) if row["label"] or marked else -1.0)
            owners.append(number)
            spans.append((first, last))
            stems.append(known.setdefault(token.stem, len(known)))
            missing.append(token.missing)
    return Words(
        np.array(figures),
        np.array(labels),
        np.array(owners),
        np.array(spans),
        np.array(stems),
        np.array(missing),
        list(known),
    )


def _figures(marks: Sequence[int], weight: float, *, missing: bool) -> list[float]:
    found = [0.0] * len(TOKEN_FEATURES)
    for mark in marks:
        found[mark] = 1.0
    found[len(MARKS) :] = [weight, weight if missing else 0.0]
    return found
