"""For code that has questions, answers and a judge at hand: the checks and judge of production, in one call.

>>> item = {"question": "When does it open?", "contexts": ["It opens at nine."]}
>>> found = evaluate([item], ["It opens at nine."], "builtin")
>>> found.results[0].verdict.state, found.results[0].checks["context_relevance"].value
('supported', 1.0)
>>> faithfulness("When does it open?", ["It opens at nine."], "It opens at ten.", "builtin").passed
False
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from ragvigil.scorer import config
from ragvigil.scorer.checks import run_checks
from ragvigil.scorer.config.judging import ENDPOINTS
from ragvigil.scorer.errors import ConfigError, InputError
from ragvigil.scorer.estimate import Estimate, rate
from ragvigil.scorer.failure_tags import tagged
from ragvigil.scorer.grounded_answer import as_result
from ragvigil.scorer.judge import asker_at_a_terminal, build_asker, build_judge, measures_of, rubric_of
from ragvigil.scorer.judge.asker import Asker
from ragvigil.scorer.judge.endpoint.pace import Quotas
from ragvigil.scorer.judge.measures import Measuring
from ragvigil.scorer.judge.measures.correctness import Correctness, Reference
from ragvigil.scorer.judge.port import Judge
from ragvigil.scorer.judge.terminal import PATIENCE_SECONDS, told_when_away
from ragvigil.scorer.monitoring import Sums
from ragvigil.scorer.offline.rows import record_of, unread
from ragvigil.scorer.offline.synthetic import is_synthetic, warning
from ragvigil.scorer.scoring.checking import budget_of
from ragvigil.scorer.series import faithfulness_value, success_value
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult, Measured, Verdict

__all__ = ["Evaluation", "Result", "evaluate", "faithfulness", "relevance"]

_REFERENCE = ("ground_truth", "reference", "golden_answer")
_BUDGET = budget_of(config.Budgets())
T = TypeVar("T")
JudgeName = str | config.Judge


@dataclass(frozen=True, slots=True)
class Result:
    """One answer."""

    verdict: Verdict
    checks: Mapping[str, CheckResult]
    """By id, with `failure_tags` and `grounded_answer`."""
    measured: Mapping[str, Measured]
    """What the judge measured beside faithfulness, by name; correctness where the item has a reference."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All answers, in the order of the items."""

    results: tuple[Result, ...]
    warnings: tuple[str, ...] = ()
    """What the rates should not be taken for."""

    @property
    def rates(self) -> Mapping[str, Estimate | None]:
        """The mean of each figure that any answer has, in [0, 1], with its 95 % interval; None with fewer than 20."""
        values: dict[str, list[float]] = {}
        for result in self.results:
            passed = faithfulness_value(result.verdict)
            figures = {
                "faithfulness": passed,
                "success": success_value(result.verdict),
                **{name: one.value for name, one in result.checks.items()},
                **{name: one.value for name, one in result.measured.items()},
            }
            for name, value in figures.items():
                if value is not None:
                    values.setdefault(name, []).append(value)
        return {name: rate(sum(map(Sums.of, found), Sums())) for name, found in values.items()}


def evaluate(
    items: Sequence[Mapping[str, object]], answers: Sequence[str], judge: JudgeName = "builtin"
) -> Evaluation:
    """Each answer by the checks and the judge.

    An item is a row {question, contexts} or {query, evidence: [{id, text}]}; with ground_truth, required_facts and
    forbidden_claims where they are known, which a language model compares with the answer, and sources, texts that the
    six axes take for evidence beside what was retrieved. `judge` is a name
    (``builtin``, ``openai``, …; the environment says the rest) or a `config.Judge`, whose `criteria` and `measures`
    are taken too; what it asks counts against the budget of the scorers that share the file `judge.shared`, where it is
    set. `warnings` says where items lack question or passages, and which of their keys nobody reads. Raises InputError
    that names item and field, or says that the endpoint does not answer, and ConfigError.
    """
    if len(items) != len(answers):
        raise InputError("answers", f"{len(answers)} for {len(items)} items; give one for each, in order")
    rows = [{**item, "answer": answer} for item, answer in zip(items, answers, strict=True)]
    records = [record_of(row, number) for number, row in enumerate(rows, 1)]
    warnings = [unread(items)]
    references = [_reference(item, number) for number, item in enumerate(items, 1)]
    sources = {
        record.trace_id: _texts(item, "sources", number)
        for number, (record, item) in enumerate(zip(records, items, strict=True), 1)
    }
    found = _finished(_evaluated(_settings(judge), records, references, sources))
    warnings.append(warning(sum(map(is_synthetic, items)), len(items)))
    return replace(found, warnings=tuple(one for one in warnings if one))


def faithfulness(query: str, contexts: Sequence[str], answer: str, judge: JudgeName = "builtin") -> Verdict:
    """The verdict on one answer: whether its passages carry what it says."""
    return evaluate([{"question": query, "contexts": list(contexts)}], [answer], judge).results[0].verdict


def relevance(query: str, answer: str, judge: JudgeName) -> Measured:
    """How near one answer is to the question that was asked; ConfigError without a language model."""
    settings = _settings(judge)
    wanted = settings.model_copy(update={"measures": ("answer_relevance",), "criteria": None})
    record = record_of({"question": query, "answer": answer, "contexts": []}, 1)
    quotas = Quotas()
    return _finished(_measured_alone(Measuring(_asker(wanted, quotas), measures_of(wanted, quotas)), record))


async def _measured_alone(measuring: Measuring, record: RagTrace) -> Measured:
    try:
        verdict = await measuring.added(Verdict("none", "", "", "not_scoreable", None, None), record)
    finally:
        await measuring.close()
    if not verdict.measured:
        raise InputError("answer", "is empty")
    return verdict.measured[0]


async def _evaluated(
    settings: config.Judge,
    records: Sequence[RagTrace],
    references: Sequence[Reference | None],
    sources: Mapping[str, Sequence[str]],
) -> Evaluation:
    quotas = Quotas()
    asker = _asker(settings, quotas) if settings.kind in ENDPOINTS else None
    judge = build_judge(settings, most_claims=None, patience_seconds=PATIENCE_SECONDS, asker=asker)
    if judge is None:
        raise ConfigError("judge", "is none", "name one: builtin, openai, anthropic or nli")
    measuring = None if asker is None else Measuring(asker, measures_of(settings, quotas, sources=sources))
    try:
        pairs = zip(records, references, strict=True)
        found = await asyncio.gather(
            *(_result(record, reference, judge, settings, asker, measuring) for record, reference in pairs)
        )
    finally:
        if measuring is not None:
            await measuring.close()
        await judge.close()
    return Evaluation(tuple(found))


async def _result(
    record: RagTrace,
    reference: Reference | None,
    judge: Judge,
    settings: config.Judge,
    asker: Asker | None,
    measuring: Measuring | None,
) -> Result:
    verdict = await judge.judge(record, rubric_of(settings))
    if measuring is not None:
        verdict = await measuring.added(verdict, record)
    if asker is not None and reference is not None:
        compared = await Measuring(asker, [Correctness(reference)]).added(verdict, record)
        verdict = replace(compared, measured=(*verdict.measured, *compared.measured))
    checks = run_checks(record, most_claims=None, budget=_BUDGET)
    checks = (*checks, tagged(checks, verdict), as_result(checks, verdict))
    return Result(verdict, {one.check: one for one in checks}, {one.name: one for one in verdict.measured})


def _asker(settings: config.Judge, quotas: Quotas) -> Asker:
    """Counts against the budget of the scorers whose file `judge.shared` names; without one there is no such budget."""
    found = None
    if settings.shared is not None:
        found = asker_at_a_terminal(config.Settings(judge=settings), settings, quotas=quotas)
    return found or build_asker(settings, patience_seconds=PATIENCE_SECONDS, quotas=quotas)


def _settings(judge: JudgeName) -> config.Judge:
    return (
        judge if isinstance(judge, config.Judge) else config.load(overrides={"judge": {"kind": judge}}).judge
    )


def _reference(item: Mapping[str, object], number: int) -> Reference | None:
    said = next((item[name] for name in _REFERENCE if item.get(name)), None)
    if said is None:
        return None
    if not isinstance(said, str):
        raise InputError(f"line {number}, ground_truth", "must be text; put it in quotes")
    return Reference(said, _texts(item, "required_facts", number), _texts(item, "forbidden_claims", number))


def _texts(item: Mapping[str, object], name: str, number: int) -> tuple[str, ...]:
    said = item.get(name, [])
    told = cast("list[object]", said) if isinstance(said, list) else None
    if told is None or not all(isinstance(one, str) for one in told):
        raise InputError(f"line {number}, {name}", 'must be a list of texts, such as ["It opens at nine."]')
    return tuple(map(str, told))


def _finished(work: Coroutine[object, object, T]) -> T:
    """What it comes to; on a thread of its own where a loop runs already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        with told_when_away():
            return asyncio.run(work)
    found: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            with told_when_away():
                found.append(asyncio.run(work))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="evaluate")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return found[0]
