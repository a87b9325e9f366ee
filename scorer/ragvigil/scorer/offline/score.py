"""`ragvigil score`: rows of a file through the same checks and judge as production. Budgets do not apply."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import asdict

from ragvigil import prompts
from ragvigil.scorer import config
from ragvigil.scorer.checks import CHECKS, run_checks
from ragvigil.scorer.custom.checks import CustomChecks
from ragvigil.scorer.errors import ConfigError, InputError, meant
from ragvigil.scorer.failure_tags import tagged
from ragvigil.scorer.grounded_answer import as_result
from ragvigil.scorer.judge import JUDGES, Judge, build_judge, build_measuring, rubric_of
from ragvigil.scorer.judge.build import WIRES, build_asker
from ragvigil.scorer.judge.endpoint import UnavailableError
from ragvigil.scorer.judge.endpoint.pace import Quotas
from ragvigil.scorer.judge.measures import Measuring
from ragvigil.scorer.judge.terminal import PATIENCE_SECONDS
from ragvigil.scorer.offline.rows import parse_row, record_of, row_id
from ragvigil.scorer.scoring.checking import budget_of
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import CheckResult, Verdict

_log = logging.getLogger(__name__)

_BUDGET = budget_of(config.Budgets())
_VERDICT_KEYS = ("support", "faithfulness", "passed", "state", "reason")


def score_rows(
    lines: Iterable[str],
    *,
    judge: str | config.Judge,
    model: str = "",
    own: Mapping[str, config.CustomCheck] | None = None,
) -> Iterator[dict[str, object]]:
    """One flat result for each row of `lines`, in order; a bad row gives one with `error`, and the others go on.

    `judge` is a name in JUDGES, or "none" for the checks alone, and the environment says what else it needs; or its
    settings. `own` are checks of one's own, of whichever services. ConfigError when there is no such judge or model,
    or one of them cannot be loaded.

    >>> row = '{"id": 1, "evidence": [{"id": "d1", "text": "It opens at nine."}], "answer": "It opens at nine [d1]."}'
    >>> [(one["id"], one["citation_correctness"], one["state"]) for one in score_rows([row], judge="builtin")]
    [(1, 1.0, 'supported')]
    """
    settings = judge_settings(judge, model) if isinstance(judge, str) else judge
    asker, quotas = None, Quotas()
    if settings.kind in WIRES:
        asker = build_asker(settings, patience_seconds=PATIENCE_SECONDS, quotas=quotas)
    return _results(
        lines,
        build_judge(settings, most_claims=None, patience_seconds=PATIENCE_SECONDS, asker=asker),
        rubric_of(settings),
        build_measuring(settings, asker, sampling=False, quotas=quotas),
        CustomChecks({name: one.model_copy(update={"services": ()}) for name, one in (own or {}).items()}),
    )


def judge_settings(kind: str, model: str) -> config.Judge:
    """The settings of the judge that an argument names; ConfigError when there is no such judge."""
    if kind not in ("none", *JUDGES):
        raise ConfigError("judge", f"unknown judge {kind!r}", meant(kind, ["none", *JUDGES]))
    return config.load(overrides={"judge": {"kind": kind} | ({"model": model} if model else {})}).judge


def _results(
    lines: Iterable[str],
    judge: Judge | None,
    rubric: prompts.Prompt,
    measuring: Measuring | None,
    own: CustomChecks,
) -> Iterator[dict[str, object]]:
    with closing(own), asyncio.Runner() as runner:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            identifier: str | int | None = None
            try:
                row = parse_row(line, number)
                identifier = row_id(row, number)
                record = record_of(row, number)
            except InputError as error:
                yield {**dict.fromkeys(own.ids), **_refused(identifier, number, error, judge, rubric)}
                continue
            verdict = _judged(runner, judge, record, rubric) if judge is not None else None
            if verdict is not None and measuring is not None:
                verdict = _measured(runner, measuring, record, verdict)
            checks = run_checks(record, most_claims=None, budget=_BUDGET)
            checks = (*checks, tagged(checks, verdict), as_result(checks, verdict))
            yield _result(identifier, (*checks, *own.run(record, checks)), verdict)
        if measuring is not None:
            runner.run(measuring.close())
        if judge is not None:
            runner.run(judge.close())


def _judged(runner: asyncio.Runner, judge: Judge, record: RagTrace, rubric: prompts.Prompt) -> Verdict:
    try:
        return runner.run(judge.judge(record, rubric))
    except Exception as error:
        _log.exception("the judge failed")
        reason = f"the judge failed: {type(error).__name__}"
        return Verdict(judge.name, judge.version, rubric.digest, "failed", None, None, reason=reason)


def _measured(runner: asyncio.Runner, measuring: Measuring, record: RagTrace, verdict: Verdict) -> Verdict:
    try:
        return runner.run(measuring.added(verdict, record))
    except UnavailableError as error:
        _log.warning("nothing was measured: the endpoint does not answer (%s)", error)
        return verdict


def _result(
    identifier: str | int, checks: tuple[CheckResult, ...], verdict: Verdict | None
) -> dict[str, object]:
    return {
        "id": identifier,
        **{check.check: check.value for check in checks},
        **_flat(verdict),
        **{one.name: one.value for one in (verdict.measured if verdict else ())},
        "measured": {
            one.name: {"value": one.value, "reason": one.reason, "details": dict(one.details)}
            for one in (verdict.measured if verdict else ())
        },
        "checks": {
            check.check: {
                "value": check.value,
                "reason": check.reason,
                "version": check.version,
                "details": dict(check.details),
            }
            for check in checks
        },
    }


def _flat(verdict: Verdict | None) -> Mapping[str, object]:
    said = {key: getattr(verdict, key) if verdict else None for key in _VERDICT_KEYS}
    return {
        **said,
        "success": verdict.details.get("success") if verdict else None,
        "claims": [asdict(claim) | {"supported_by": list(claim.supported_by)} for claim in verdict.claims]
        if verdict
        else [],
        **(
            _versions(verdict.judge, verdict.judge_version, verdict.prompt_digest)
            if verdict
            else _versions("none", None, None)
        ),
    }


def _versions(judge: str, version: str | None, digest: str | None) -> dict[str, object]:
    return {"judge": judge, "judge_version": version, "prompt_digest": digest}


def _refused(
    identifier: str | int | None, number: int, error: InputError, judge: Judge | None, rubric: prompts.Prompt
) -> dict[str, object]:
    """The same keys as any result, without values; the judge is the one that was asked for."""
    nothing = {**{check.id: None for check in CHECKS}, "failure_tags": None, "grounded_answer": None}
    return {
        "id": f"line-{number}" if identifier is None else identifier,
        "error": str(error),
        **nothing,
        **_flat(None),
        **(_versions(judge.name, judge.version, rubric.digest) if judge is not None else {}),
        "measured": {},
        "checks": {},
    }
