"""An entailment (NLI) model behind an HTTP endpoint as the judge (I4).

Each claim of the answer is held against the stretches of the passages that are nearest to it, by a server that
classifies pairs of texts, such as text-embeddings-inference: POST ``predict`` with ``inputs``, a list of [premise,
hypothesis], answered by a list of {label, score} for each. A claim's probability is its highest entailment; the
faithfulness of an answer is that of its weakest claim.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import cast
from urllib.parse import urlsplit

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.judge.conclude import disagrees
from ragvigil.scorer.judge.endpoint import Completion, Endpoint, Question, RefusedError
from ragvigil.scorer.judge.endpoint.manner import Manner, Structure
from ragvigil.scorer.judge.endpoint.wire import Json, items, mapping, text
from ragvigil.scorer.judge.obstacles import obstacle_to, remark, unjudged
from ragvigil.scorer.judge.verify import located
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import Claim, ClaimVerdict, Source, State, Verdict

VERSION = "1"
"""Changes with everything here that may change a verdict."""
_SENTENCES = 3
"""Of one premise: such models are made for short texts."""
_PREMISES = 6
"""Held against one claim."""
_PAIRS_AT_ONCE = 32
_HALF = 0.5
_WORST_FIRST: tuple[ClaimVerdict, ...] = ("contradicted", "unsupported", "supported")


class NliWire:
    """Classification of pairs, as text-embeddings-inference serves it."""

    path = "predict"
    structures: tuple[Structure, ...] = ("plain",)

    def headers(self, key: str | None) -> Mapping[str, str]:
        """A bearer token where there is a key."""
        return {"authorization": f"Bearer {key}"} if key else {}

    def body(self, question: Question, model: str, manner: Manner) -> dict[str, object]:
        """The pairs."""
        del model, manner
        return {"inputs": json.loads(question.data), "truncate": True}

    def completion(self, answer: Json) -> Completion:
        """What it says of each pair, as JSON."""
        return Completion(json.dumps(answer.get("items", [])), None, cut=False)


class NliJudge:
    """Asks a classifier about every claim."""

    def __init__(self, endpoint: Endpoint, *, model: str, citing: Callable[[str], Rules] = any_style) -> None:
        """`model` is what its verdicts are told apart by; `citing` says how a service cites."""
        self._endpoint = endpoint
        self._model = model
        self._citing = citing

    @property
    def name(self) -> str:
        """``nli``."""
        return "nli"

    @property
    def version(self) -> str:
        """Version of the code and name of the model."""
        return f"{VERSION}+{self._model}"

    async def judge(self, record: RagTrace, rubric: Prompt) -> Verdict:
        """The verdict on one record; raises UnavailableError when the endpoint does not answer."""
        prepared = Prepared(record, rules=self._citing(record.service))
        obstacle = obstacle_to(prepared)
        if obstacle is not None:
            return unjudged(self, rubric, obstacle)
        found = located([], prepared)
        premises = _premises(prepared)
        pairs = [
            (place, source, [premise, prepared.answer[place[0] : place[1]]])
            for place in found.places
            for premise, source in _nearest(prepared.answer[place[0] : place[1]], premises)
        ]
        try:
            said = await self._ask([pair for _, _, pair in pairs])
        except RefusedError as error:
            return unjudged(self, rubric, ("failed", f"the model refused: {error}"))
        by_place: dict[tuple[int, int], list[tuple[float, float, Source]]] = {
            place: [] for place in found.places
        }
        for (place, source, _), (supports, denies) in zip(pairs, said, strict=True):
            by_place[place].append((supports, denies, source))
        claims = tuple(_claim(prepared.answer, place, told) for place, told in by_place.items())
        faithfulness = min(claim.probability for claim in claims)
        flags = ["disagrees_with_checks"] if disagrees(prepared, faithfulness) else []
        verdicts = {claim.verdict for claim in claims}
        state: State = next(one for one in _WORST_FIRST if one in verdicts)
        return Verdict(
            self.name,
            self.version,
            rubric.digest,
            state,
            sum(claim.verdict == "supported" for claim in claims) / len(claims),
            faithfulness,
            claims,
            remark(prepared, *flags),
            {"flags": flags, "usage": {"calls": -(-len(pairs) // _PAIRS_AT_ONCE)}},
        )

    async def close(self) -> None:
        """Let go of the endpoint."""
        await self._endpoint.close()

    async def _ask(self, pairs: Sequence[list[str]]) -> list[tuple[float, float]]:
        """(entailment, contradiction) of each pair."""
        found: list[tuple[float, float]] = []
        for begin in range(0, len(pairs), _PAIRS_AT_ONCE):
            some = pairs[begin : begin + _PAIRS_AT_ONCE]
            completion = await self._endpoint.ask(Question("", json.dumps(some), {}, 1))
            told = cast("list[object]", json.loads(completion.text))
            if len(told) != len(some):
                raise RefusedError(f"{len(some)} pairs were sent and {len(told)} answers came")
            found += [_scores(one) for one in told]
        return found


def name_of_model(model: str, url: str) -> str:
    """The model's name; where none is told, the endpoint's host.

    >>> name_of_model("", "http://nli.internal:8080")
    'nli.internal'
    """
    return model or urlsplit(url).hostname or "nli"


def _scores(said: object) -> tuple[float, float]:
    """Entailment and contradiction; RefusedError names labels that are neither."""
    scores: dict[str, float] = {}
    for one in items(said):
        row = mapping(one)
        score = row.get("score")
        if isinstance(score, int | float) and 0.0 <= score <= 1.0:
            scores[text(row.get("label")).casefold()] = float(score)
    if "entailment" not in scores:
        labels = ", ".join(sorted(scores)[:5]) or "none"
        raise RefusedError(
            f"its labels are {labels}: serve a model whose labels are entailment and contradiction"
        )
    return scores["entailment"], scores.get("contradiction", 0.0)


def _premises(prepared: Prepared) -> list[tuple[str, frozenset[str], Source]]:
    """Stretches of a few sentences of each passage, with the stems of their meaningful words."""
    found: list[tuple[str, frozenset[str], Source]] = []
    for name, document in zip(prepared.names, prepared.record.documents, strict=True):
        whole = document.text or ""
        spans = sentences(whole)
        for begin in range(max(1, len(spans) - _SENTENCES + 1) if spans else 0):
            start, end = spans[begin][0], spans[min(begin + _SENTENCES, len(spans)) - 1][1]
            found.append((whole[start:end], _stems(whole[start:end]), Source(name, start, end)))
    return found


def _nearest(claim: str, premises: Sequence[tuple[str, frozenset[str], Source]]) -> list[tuple[str, Source]]:
    """The stretches with most of the claim's words; the first ones where none has any, as between two languages."""
    said = _stems(claim)
    ranked = sorted(premises, key=lambda one: -len(one[1] & said))
    return [(premise, source) for premise, _, source in ranked[:_PREMISES]]


def _stems(said: str) -> frozenset[str]:
    return frozenset(word.stem for word in words(said) if word.content)


def _claim(answer: str, place: tuple[int, int], told: Sequence[tuple[float, float, Source]]) -> Claim:
    start, end = place
    supports, _, source = max(told, key=lambda one: one[0], default=(0.0, 0.0, None))
    denies = max((one[1] for one in told), default=0.0)
    verdict: ClaimVerdict = "supported" if supports >= _HALF else "unsupported"
    if denies >= _HALF and denies > supports:
        verdict = "contradicted"
    by = (source.passage,) if source is not None and verdict == "supported" else ()
    return Claim(answer[start:end], start, end, by, verdict, supports, nearest=source)
