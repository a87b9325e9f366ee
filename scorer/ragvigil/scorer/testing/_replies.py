"""What a scripted judge replies to each prompt, from the text that it is shown."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import cast

from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.sentences import sentences
from ragvigil.scorer.checks.reading.words import words
from ragvigil.scorer.grounded_answer import WEIGHTS, grounded_answer
from ragvigil.scorer.judge.similarity import Lexical
from ragvigil.scorer.testing._shown import Believes, Shown
from ragvigil.scorer.trace import Document, RagTrace

_SUPPORTED = 0.5
_ALIKE = 0.35
Reply = dict[str, object]


def _verdict_on(script: Believes, shown: Shown) -> bool:
    about = (shown.query, shown.answer, [one.text for one in shown.evidence])
    return script.passes(script.truth(shown), "verdict", *about)


def _rubric(script: Believes, shown: Shown) -> dict[str, object]:
    passes = _verdict_on(script, shown)
    prepared = Prepared(shown.record)
    names = [str(one.id) for one in shown.evidence]
    claims: list[dict[str, object]] = [
        {"claim": shown.answer[one.start : one.end], "supported_by": names[:1], "verdict": "supported"}
        for one in prepared.statements
        if one.checkworthy
    ]
    if claims and not passes:
        claims[-1] |= {"supported_by": cast("list[str]", []), "verdict": "unsupported"}
    point = 5 if passes else 2
    return {
        "supported_claims": claims,
        "must_pass": dict.fromkeys(
            (
                "schema_valid",
                "language_match",
                "safety_pass",
                "citations_present",
                "citations_valid",
                "no_hallucinated_entities",
            ),
            True,
        ),
        "scores": {"groundedness": point, "completeness": 4, "directness": 4, "style": 5},
        "abstain": {"should_have_abstained": not names, "abstain_quality": None},
    }


def _criterion(script: Believes, shown: Shown) -> dict[str, object]:
    """Of an answer that is shown without its passages it believes that it meets the criterion."""
    truth = script.truth(shown) if "evidence" in shown.parts else True
    passes = script.passes(truth, "criterion", shown.query, shown.answer)
    return {
        "critique": "The answer does what is asked." if passes else "The answer does not do what is asked.",
        "quote": shown.answer[:80] or None,
        "verdict": "pass" if passes else "fail",
    }


def _claims(script: Believes, shown: Shown) -> Reply:
    """Every statement of the answer, as it stands."""
    del script
    prepared = Prepared(shown.record)
    found = [shown.answer[one.start : one.end] for one in prepared.statements if one.checkworthy]
    return {"claims": found}


def _claim_support(script: Believes, shown: Shown) -> Reply:
    """Right about each claim with the script's sensitivity and specificity; the truth is the built-in judge's."""
    verdicts: list[Reply] = []
    for numbered in _lines(shown, "claims"):
        claim = str(numbered["claim"])
        record = RagTrace("0" * 32, "0" * 16, "scripted", 0, documents=shown.evidence, answer=claim)
        judged = Prepared(record).assessment.claims
        truth = script.truth(Shown(shown.query, shown.evidence, claim))
        supported = script.passes(truth, "claim", claim)
        nearest = judged[0].nearest if judged else None
        passage = nearest.passage if nearest else str(shown.evidence[0].id) if shown.evidence else None
        text = next((one.text or "" for one in shown.evidence if one.id == passage), "")
        quote = text[nearest.start : nearest.end] if nearest else text
        verdicts.append(
            {
                "claim": numbered["number"],
                "passage": passage if supported else None,
                "quote": quote if supported else None,
                "supported": supported,
            }
        )
    return {"verdicts": verdicts}


def _questions(script: Believes, shown: Shown) -> Reply:
    """What the answer says, turned into questions."""
    del script
    said = [shown.answer[start:end].rstrip(".!") for start, end in sentences(shown.answer)] or ["nothing"]
    return {"questions": [f"{(said * 3)[number]}?" for number in range(3)], "noncommittal": not shown.answer}


def _context_relevance(script: Believes, shown: Shown) -> Reply:
    """A passage is relevant when it has enough words of the question; right as often as the script says."""
    near = Lexical()
    labels: list[Reply] = []
    for one in shown.evidence:
        relevant = script.passes(
            near.between(shown.query, one.text or "") >= _ALIKE, "passage", one.id, one.text
        )
        why = "it answers the question" if relevant else "it is about something else"
        labels.append({"id": one.id, "why": why, "relevant": relevant})
    return {"passages": labels}


def _six_axes(script: Believes, shown: Shown) -> Reply:
    """The points that the checks give, 4 where they give none; the last statement is unsupported when it fails."""
    checks = run_checks(shown.record)
    points = {
        axis.name: 4 if axis.value is None else round(axis.value) for axis in grounded_answer(checks).axes
    }
    passes = _verdict_on(script, shown)
    said = cast("list[str]", _claims(script, shown)["claims"])
    points["factuality"] = 4 if passes else 2
    return {
        "unsupported": [] if passes else said[-1:],
        **{name: {"why": "as the checks see it", "points": points[name]} for name in WEIGHTS},
    }


def _preference(script: Believes, shown: Shown) -> Reply:
    """The answer that the built-in judge finds more faithful."""
    worth = [_faithfulness(shown, _text(shown, name)) for name in ("first", "second")]
    better = "tie" if abs(worth[0] - worth[1]) < 1 / 10 else "first" if worth[0] > worth[1] else "second"
    both = sorted((_text(shown, "first"), _text(shown, "second")))
    if better != "tie" and not script.passes(True, "preference", *both):
        better = "second" if better == "first" else "first"
    return {"first_notes": "as it reads", "second_notes": "as it reads", "better": better}


def _synthetic(script: Believes, shown: Shown) -> Reply:
    """The passage's sentences as facts, with a question about each."""
    del script
    passage = cast("Reply", json.loads(shown.parts.get("passage", "{}")))
    text, count = str(passage.get("text", "")), int(json.loads(shown.parts.get("count", "1")))
    facts = [text[start:end] for start, end in sentences(text)][:count]
    return {"pairs": [{"fact": fact, "question": f"Is it so that {fact.rstrip('.')}?"} for fact in facts]}


def _realism(script: Believes, shown: Shown) -> Reply:
    """4 or 5, and 2 as often as the script errs."""
    real = script.passes(True, "realism", shown.query)
    return {"reason": "as users ask" if real else "made from a text", "realism": 5 if real else 2}


def _correctness(script: Believes, shown: Shown) -> Reply:
    """A fact is stated when a sentence of the answer has most of its words."""
    near = Lexical()
    said = [shown.answer[start:end] for start, end in sentences(shown.answer)]

    def stated(key: str, numbered: Reply) -> Reply:
        best = max(said, key=lambda one: near.between(one, str(numbered["text"])), default="")
        found = near.between(best, str(numbered["text"])) >= 2 * _ALIKE
        return {key: numbered["number"], "sentence": best if found else None, "stated": found}

    right = script.passes(
        near.between(shown.answer, _text(shown, "reference")) >= _ALIKE, "correct", shown.answer
    )
    decided = {"sentence": said[0] if said else None, "points": 5 if right else 1}
    return {
        "required": [stated("fact", one) for one in _lines(shown, "required_facts")],
        "forbidden": [stated("claim", one) for one in _lines(shown, "forbidden_claims")],
        "factual_accuracy": decided,
        "completeness": decided,
        "relevance": {**decided, "points": 5},
    }


def vector_of(text: str) -> list[float]:
    """An embedding in which texts with the same meaningful words are near."""
    vector = [0.01] * 64
    for word in words(text):
        if word.content:
            vector[int.from_bytes(hashlib.sha256(word.stem.encode()).digest()[:2]) % 64] += 1.0
    return vector


def entailment(premise: str, hypothesis: str) -> list[Reply]:
    """What an NLI model says of a pair: the built-in judge's probability, and contradiction where it sees one."""
    evidence = (Document("premise", premise),)
    record = RagTrace("0" * 32, "0" * 16, "scripted", 0, documents=evidence, answer=hypothesis)
    claims = Prepared(record).assessment.claims
    supported = min((claim.probability for claim in claims), default=0.0)
    against = float(any(claim.verdict == "contradicted" for claim in claims)) * (1 - supported)
    scores = {"entailment": supported, "contradiction": against, "neutral": 1 - supported - against}
    return [{"label": label, "score": score} for label, score in scores.items()]


def _lines(shown: Shown, name: str) -> list[Reply]:
    return [json.loads(line) for line in shown.parts.get(name, "").splitlines() if line.strip()]


def _text(shown: Shown, name: str) -> str:
    return str(json.loads(shown.parts.get(name, '""')))


def _faithfulness(shown: Shown, answer: str) -> float:
    found = Prepared(Shown(shown.query, shown.evidence, answer).record).assessment.faithfulness
    return _SUPPORTED if found is None else found


REPLIES: Mapping[str, Callable[[Believes, Shown], Reply]] = {
    "rubric": _rubric,
    "criterion": _criterion,
    "claims": _claims,
    "claim_support": _claim_support,
    "questions": _questions,
    "context_relevance": _context_relevance,
    "six_axes": _six_axes,
    "preference": _preference,
    "synthetic": _synthetic,
    "realism": _realism,
    "correctness": _correctness,
}
"""Replies by the name of what a prompt wants."""
