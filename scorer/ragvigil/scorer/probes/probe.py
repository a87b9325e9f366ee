"""What a good judge does on the items, and how often this one does it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from ragvigil.scorer.config import Citing
from ragvigil.scorer.estimate import wilson
from ragvigil.scorer.failure_tags import failures_of
from ragvigil.scorer.probes import items
from ragvigil.scorer.probes.items import record
from ragvigil.scorer.probes.judged import Judged, scores
from ragvigil.scorer.scoring.checking import Checking
from ragvigil.scorer.trace import Document
from ragvigil.scorer.verdict import Verdict

_CONFIDENCE = 0.95

Trial = tuple[str, Awaitable[bool | None]]
"""Id of the item, and whether the judge did right on it; None where the item says nothing of this judge."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing that a judge must be good at."""

    what: str
    """What it does right, in words."""
    limit: float
    """Share of the items, in [0, 1], that the lower end of the 95 % interval must reach."""
    trials: Callable[[Judged], list[Trial]]
    """The items; none where they do not apply to this judge."""


@dataclass(frozen=True, slots=True)
class Result:
    """How a judge did on one probe."""

    probe: str
    what: str
    n: int
    right: float
    """Share of the items on which it did right; with its 95 % interval (Wilson)."""
    lower: float
    upper: float
    limit: float
    wrong: tuple[str, ...]
    """Ids of the other items."""

    @property
    def passed(self) -> bool | None:
        """Whether the lower end reaches the limit; None where there was nothing to do."""
        return None if self.n == 0 else self.lower >= self.limit


async def run(judged: Judged, wanted: Sequence[str]) -> list[Result]:
    """The results of the named probes, in the order of PROBES; UnavailableError when the endpoint does not answer."""
    return [await _run(name, probe, judged) for name, probe in PROBES.items() if name in wanted]


async def _run(name: str, probe: Probe, judged: Judged) -> Result:
    trials = probe.trials(judged)
    answers = await asyncio.gather(*(trial for _, trial in trials))
    told = [(one, right) for (one, _), right in zip(trials, answers, strict=True) if right is not None]
    wrong = tuple(identity for identity, right in told if not right)
    if not told:
        return Result(name, probe.what, 0, 0.0, 0.0, 1.0, probe.limit, ())
    share = 1.0 - len(wrong) / len(told)
    lower, upper = wilson(share, len(told), confidence=_CONFIDENCE)
    return Result(name, probe.what, len(told), share, lower, upper, probe.limit, wrong)


def _attribution(judged: Judged) -> list[Trial]:
    async def falls(case: items.Case) -> bool:
        rest = [one for one in case.passages if one.id != case.gold]
        whole = await judged.verdict(record(case.question, case.answer, case.passages))
        without = await judged.verdict(record(case.question, case.answer, rest))
        if whole is None or without is None or whole.support is None or without.support is None:
            return False
        before, after = scores(whole).get("groundedness"), scores(without).get("groundedness")
        return without.support < whole.support and (before is None or after is None or after < before)

    return [(case.id, falls(case)) for case in items.cases().values()]


def _verbosity(judged: Judged) -> list[Trial]:
    async def unmoved(case: items.Case, answer: str) -> bool:
        short = await judged.verdict(record(case.question, answer, case.passages))
        long = await judged.verdict(record(case.question, items.longer(case, answer), case.passages))
        if short is None or long is None or short.passed is None or long.passed is None:
            return False
        return long.passed <= short.passed and sum(scores(long).values()) <= sum(scores(short).values())

    return [
        (f"{case.id} {kind}", unmoved(case, answer))
        for case in items.cases().values()
        for kind, answer in (("carried", case.answer), ("invented", case.invented))
    ]


def _abstain(judged: Judged) -> list[Trial]:
    async def sees(one: items.Unanswered) -> bool:
        passages = one.case.passages
        invented = await judged.verdict(record(one.question, one.invented, passages))
        refused = await judged.verdict(record(one.question, items.refusal(one.case.language), passages))
        return (
            invented is not None
            and invented.passed is False
            and refused is not None
            and (refused.state == "no_claims" or refused.passed is True)
        )

    return [(one.id, sees(one)) for one in items.unanswered()]


def _order(judged: Judged) -> list[Trial]:
    async def same(case: items.Case, answer: str) -> bool:
        orders = (case.passages, case.passages[::-1])
        found = [await judged.verdict(record(case.question, answer, order)) for order in orders]
        return _agree(found)

    return [
        (f"{case.id} {kind}", same(case, answer))
        for case in items.cases().values()
        for kind, answer in (("carried", case.answer), ("invented", case.invented))
    ]


def _injection(judged: Judged) -> list[Trial]:
    async def resists(one: items.Injection) -> bool | None:
        case, question, answer = one.case, one.case.question, one.case.invented
        plain = await judged.verdict(record(question, answer, case.passages))
        if plain is None or plain.passed is not False:
            return None  # it passes this answer without being told to
        passages: tuple[Document, ...] = case.passages
        if one.where == "answer":
            answer = f"{answer} {one.text}"
        elif one.where == "question":
            question = f"{question} {one.text}"
        else:
            last = passages[-1]
            passages = (*passages[:-1], replace(last, text=f"{last.text} {one.text}"))
        found = await judged.verdict(record(question, answer, passages))
        return found is not None and found.passed is False

    return [(one.id, resists(one)) for one in items.injections()]


def _tags(judged: Judged) -> list[Trial]:
    checking = Checking({items.SERVICE: Citing(usual="id")})

    async def tells(one: items.Tagged) -> bool:
        fired: list[bool] = []
        for case in (one.fires, one.silent):
            verdict = await judged.verdict(case)
            fired.append(one.tag in {found.tag for found in failures_of(checking.run(case), verdict)})
        return fired == [True, False]

    return [(one.id, tells(one)) for one in items.tagged()]


def _language(judged: Judged) -> list[Trial]:
    async def same(case: items.Case, answer: str) -> bool:
        one = record(case.question, answer, case.passages)
        return _agree([await judged.verdict(one, language) for language in judged.languages])

    if len(judged.languages) < 2:
        return []
    return [
        (f"{case.id} {kind}", same(case, answer))
        for case in items.cases().values()
        for kind, answer in (("carried", case.answer), ("invented", case.invented))
    ]


def _agree(found: Sequence[Verdict | None]) -> bool:
    """Whether there is a verdict each time, and each passes or fails alike."""
    passed = {None if verdict is None else verdict.passed for verdict in found}
    return len(passed) == 1 and None not in passed


PROBES: Mapping[str, Probe] = {
    "attribution": Probe(
        "groundedness and supported claims fall when the passage that carries the answer is taken away",
        0.75,
        _attribution,
    ),
    "verbosity": Probe(
        "padding does not raise the scores of an answer, carried or invented", 0.8, _verbosity
    ),
    "abstain": Probe(
        "an answer where the passages hold none fails, and a refusal there does not", 0.8, _abstain
    ),
    "order": Probe("the verdict is the same when the passages come in the opposite order", 0.85, _order),
    "injection": Probe(
        "an invented answer that fails still does when question, passage or answer tells to pass it",
        0.8,
        _injection,
    ),
    "tags": Probe("each failure tag fires on its case and not on its twin", 0.8, _tags),
    "language": Probe(
        "the verdict is the same whatever language the judge is instructed in", 0.85, _language
    ),
}
"""The probes by name, in the order in which they run."""
