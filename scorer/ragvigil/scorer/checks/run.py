"""Every check on one record, in the order of the table."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from ragvigil.scorer.checks import (
    abstention,
    answer_first,
    answer_structure,
    answer_truncated,
    citation_correctness,
    citation_coverage,
    citation_format,
    citation_support,
    citations_dead,
    citations_duplicate,
    citations_over_broad,
    citations_present,
    claims_misread,
    conditions_kept,
    conflict_surfaced,
    conflicting_passages,
    context_precision,
    context_relevance,
    context_utilisation,
    copied_share,
    cost_budget,
    duplicate_retrieval,
    empty_retrieval,
    evidence_sufficiency,
    finish_reason,
    injected_instructions,
    language_match,
    latency_budget,
    leaked_personal_data,
    length_budget,
    missing_refusal,
    no_hallucinated_entities,
    over_refusal,
    qualifiers_supported,
    quotes_verbatim,
    relevant_context_used,
    repetition,
    retrieval_scores,
    supported_claims,
)
from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS
from ragvigil.scorer.checks.check import Check
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.checks.reading.budget import UNLIMITED, Budget
from ragvigil.scorer.checks.reading.citing.rules import EVERYTHING, Rules
from ragvigil.scorer.checks.reading.stretches import read_ahead
from ragvigil.scorer.trace import RagTrace
from ragvigil.scorer.verdict import NOTHING, CheckResult

_log = logging.getLogger(__name__)
_result = partial(tuple[object, ...].__new__, CheckResult)
"""A result of its fields, in a fifth of the time: a record has dozens."""
_LIGHT = ("record", "answer")
"""What checks read that read no passage."""
_TOGETHER, _CHARACTERS_TOGETHER, _LEAST_OF_A_PASSAGE = 16, 200_000, 100
"""Records that are held at once, and characters of their texts; a short passage counts for so many more."""

CHECKS: tuple[Check, ...] = (
    empty_retrieval.CHECK,
    duplicate_retrieval.CHECK,
    retrieval_scores.CHECK,
    context_relevance.CHECK,
    context_precision.CHECK,
    conflicting_passages.CHECK,
    injected_instructions.CHECK,
    evidence_sufficiency.CHECK,
    abstention.CHECK,
    over_refusal.CHECK,
    missing_refusal.CHECK,
    citations_present.CHECK,
    citation_correctness.CHECK,
    citations_dead.CHECK,
    citations_over_broad.CHECK,
    citations_duplicate.CHECK,
    citation_format.CHECK,
    citation_coverage.CHECK,
    supported_claims.CHECK,
    claims_misread.CHECK,
    citation_support.CHECK,
    quotes_verbatim.CHECK,
    no_hallucinated_entities.CHECK,
    qualifiers_supported.CHECK,
    conflict_surfaced.CHECK,
    context_utilisation.CHECK,
    relevant_context_used.CHECK,
    copied_share.CHECK,
    answer_structure.CHECK,
    conditions_kept.CHECK,
    answer_first.CHECK,
    answer_truncated.CHECK,
    finish_reason.CHECK,
    repetition.CHECK,
    length_budget.CHECK,
    language_match.CHECK,
    leaked_personal_data.CHECK,
    latency_budget.CHECK,
    cost_budget.CHECK,
)
"""What runs on every record."""
MOST_SECONDS = 10.0
"""CPU seconds of one check on one record; beyond, it counts as failed. What it reads for all checks is charged apart.

It is measured, not enforced in the middle: `re` cannot be interrupted, nor can a thread be. Every pattern is bounded
so that the largest record stays far below."""


def run_checks(
    record: RagTrace,
    checks: tuple[Check, ...] = CHECKS,
    *,
    most_claims: int | None = MOST_CLAIMS,
    rules: Rules = EVERYTHING,
    budget: Budget = UNLIMITED,
) -> tuple[CheckResult, ...]:
    """One result for each of `checks`; a check that fails says so and hurts no other.

    Of more than `most_claims` claims an evenly spread sample is compared; None: all of them.
    `rules` say how the service cites, `budget` what an answer of it may take.
    """
    return check_all([Asked(record, rules, budget)], checks, most_claims=most_claims)[0]


class Asked(NamedTuple):
    """One record to check, with what its service says of its answers."""

    record: RagTrace
    rules: Rules = EVERYTHING
    """How it cites."""
    budget: Budget = UNLIMITED
    """What one may take."""
    own: re.Pattern[str] | None = None
    """What it may say of itself."""


def check_all(
    asked: Sequence[Asked], checks: tuple[Check, ...] = CHECKS, *, most_claims: int | None = MOST_CLAIMS
) -> list[tuple[CheckResult, ...]]:
    """For each record what `run_checks` gives, in less time than one after the other.

    A check that reads no passage runs on all records before the next one does, so that its code stays in the
    processor's cache; what is read of the passages would fill that, so the others take some records at a time.
    """
    waiting = [
        Prepared(one.record, most_claims=most_claims, rules=one.rules, budget=one.budget, own=one.own)
        for one in asked
    ]
    clock = _Clock()
    if len(waiting) == 1:
        return [tuple([_of_one(check, waiting[0], clock) for check in checks])]
    light = _light(checks)
    heavy = [place for place in range(len(checks)) if place not in light]
    found = {place: _of_all(checks[place], waiting, clock) for place in light}
    found |= {place: [] for place in heavy}
    compared = any(check.cost == "claims" for check in checks)
    waiting.reverse()
    while heavy and waiting:
        group = _next_group(waiting)  # what it holds of the passages goes before the next one is read
        _read_ahead(group)
        if compared:
            _assess_ahead(group)
        clock.wall = time.perf_counter()
        for place in heavy:
            found[place] += _of_all(checks[place], group, clock)
    return (
        list(zip(*map(found.__getitem__, range(len(checks))), strict=True)) if checks else [()] * len(asked)
    )


def _next_group(waiting: list[Prepared]) -> list[Prepared]:
    """The last ones, in order of their taking: some, as long as their passages and answers are short; always one."""
    group: list[Prepared] = []
    room = _CHARACTERS_TOGETHER
    while waiting and len(group) < _TOGETHER:
        record = waiting[-1].record
        room -= len(record.answer or "")
        room -= sum([_LEAST_OF_A_PASSAGE + len(document.text or "") for document in record.documents])
        if group and room < 0:
            break
        group.append(waiting.pop())
    return group


def _read_ahead(group: Sequence[Prepared]) -> None:
    """Read the passages of several records at once; each record finds its own among what is kept of texts."""
    texts = [document.text or "" for one in group for document in one.record.documents]
    if len(group) > 1:
        with suppress(Exception):  # then the checks that read them fail, each on its own record
            read_ahead(texts)


def _assess_ahead(group: Sequence[Prepared]) -> None:
    """Compare the claims of several records with their passages at once, as far as any check asks for that."""
    with suppress(Exception):  # then the checks that ask for it fail, each on its own record
        Prepared.assess_ahead(group)


def _light(checks: Sequence[Check]) -> list[int]:
    """Places of those that read no passage; first the one that reads citations alone, so that those of all are read."""
    places = [place for place, check in enumerate(checks) if check.cost in _LIGHT]
    return sorted(places, key=lambda place: checks[place] is not citations_dead.CHECK)


class _Clock:
    """CPU time of one check after another. Asking for it is dear, so wall time, never less, is asked first."""

    def __init__(self) -> None:
        self._begun = self.wall = time.perf_counter()
        """`wall`: when the last check ended."""
        self._cpu = time.thread_time()

    def seconds(self, now: float) -> float:
        """CPU seconds that the check took, at least, that ended `now`; wall seconds where those are few."""
        wall, before = now - self.wall, self.wall - self._begun
        return wall if wall <= MOST_SECONDS else time.thread_time() - self._cpu - before


def _of_all(check: Check, waiting: Sequence[Prepared], clock: _Clock) -> list[CheckResult]:
    """What one check says of each record."""
    return [_of_one(check, prepared, clock) for prepared in waiting]


def _of_one(check: Check, prepared: Prepared, clock: _Clock) -> CheckResult:
    """What one check says of a record. It runs some dozen times a record, so what is around it is kept short."""
    apart = prepared.apart.seconds
    try:
        value, reason, details = check.measure(prepared)
    except Exception as error:
        _log.exception("check %s failed on trace %s", check.id, prepared.record.trace_id)
        clock.wall = time.perf_counter()
        return CheckResult(check.id, check.version, None, f"the check failed: {type(error).__name__}")
    now = time.perf_counter()
    if (
        now - clock.wall > MOST_SECONDS
        and (seconds := clock.seconds(now) - (prepared.apart.seconds - apart)) > MOST_SECONDS
    ):
        _log.error("check %s took %.1f s on trace %s", check.id, seconds, prepared.record.trace_id)
        value, details = None, NOTHING
        reason = f"the check failed: more than {MOST_SECONDS:g} s of CPU time"
    clock.wall = now
    return _result((check.id, check.version, value, reason, details))
