"""`ragvigil gate`: answers judged, and every limit and comparison of a gate file decided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ragvigil.exporters import clean
from ragvigil.scorer import config
from ragvigil.scorer.detect import GoldSet
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.estimate import FEWEST
from ragvigil.scorer.evaluate import evaluate
from ragvigil.scorer.gate.answers import Answered, Answers
from ragvigil.scorer.gate.compare import Compared, compare
from ragvigil.scorer.gate.decide import decide
from ragvigil.scorer.gate.figures import Judged, figure_of, value_of
from ragvigil.scorer.gate.load import Loaded
from ragvigil.scorer.gate.names import WITH_VERDICT, named, rests_on_claims
from ragvigil.scorer.gate.outcome import Outcome, Worst
from ragvigil.scorer.gate.pairs import same_questions, unpaired
from ragvigil.scorer.gate.scenarios import scenario_outcomes
from ragvigil.scorer.gate.settings import CLAIMING, Gate, Limit
from ragvigil.scorer.listed import listed

_WORST = 5
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Held:
    """What came of a gate."""

    judge: str
    answers: int
    outcomes: tuple[Outcome, ...]
    compared: tuple[Compared, ...]
    unanswered: tuple[str, ...]
    """Questions without an answer: such a gate does not hold."""
    unpaired: tuple[str, ...]
    """Questions that have an answer here or in the baseline alone: such a gate does not hold either."""
    notes: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything holds."""
        decided = (*(one.decision.state for one in self.outcomes), *(one.state for one in self.compared))
        return not (self.unanswered or self.unpaired) and all(state == "holds" for state in decided)


def run_gate(loaded: Loaded, answers: Answers, baseline: Answers | None, path: Path) -> Held:
    """The gate on answers, and against those of `baseline`, the file `path`. Raises InputError and ConfigError."""
    gate = loaded.gate
    if gate.baseline is not None and baseline is None:
        raise ConfigError("baseline", "no answers to compare with are named", "give --baseline FILE")
    if gate.baseline is None and baseline is not None:
        fix = 'say [baseline] figures = ["faithfulness"], or leave --baseline out'
        raise ConfigError("baseline", "the gate file compares nothing with the answers of --baseline", fix)
    _known_dimensions(loaded, answers)
    judged, notes = _judged(answers.all, loaded.judge)
    compared: tuple[Compared, ...] = ()
    lacking: tuple[str, ...] = ()
    if gate.baseline is not None and baseline is not None:
        lacking = unpaired(answers, baseline)
        pairs = same_questions(judged, _judged(baseline.all, loaded.judge)[0], path)
        before, now = [one for one, _ in pairs], [one for _, one in pairs]
        compared = tuple(compare(name, before, now, gate.baseline) for name in gate.baseline.figures)
    outcomes = (*_outcomes(loaded, judged),)
    return Held(
        f"{judged[0].result.verdict.judge} {judged[0].result.verdict.judge_version}",
        len(judged),
        outcomes,
        compared,
        answers.unanswered,
        lacking,
        (*notes, *_untold(outcomes, judged), *_without(gate)),
    )


def some(names: Sequence[str]) -> str:
    """The first few.

    >>> some(["a", "b"]), some("abcde")
    ('a, b', 'a, b, c and 2 more')
    """
    return listed([clean(name, limit=40) for name in names], _SHOWN)


def _untold(outcomes: Sequence[Outcome], judged: Sequence[Judged]) -> Iterator[str]:
    """That answers are in no figure of claims, though their questions have one; where no limit is about that."""
    if any(one.name == WITH_VERDICT for one in outcomes):
        return
    names = [one.answered.id for one in judged if value_of(WITH_VERDICT, one) == 0.0 and not one.lost]
    if names:
        yield (
            f"{len(names):,} answers to questions that have one refuse or claim nothing, so that nothing tells of "
            f"them: {some(names)}; limits.with_verdict.at_least holds how many may"
        )


def _without(gate: Gate) -> Iterator[str]:
    """Which scenarios nobody tried, and why."""
    for name, why in gate.scenarios.without.items() if gate.scenarios else ():
        yield f"scenario {name} is left out: {clean(why, limit=200)}"


def _known_dimensions(loaded: Loaded, answers: Answers) -> None:
    """A misspelt dimension would be a segment without answers, of which nobody sees why."""
    known = sorted({"tag"}.union(*(one.dimensions for one in answers.all)))
    for name, section in loaded.gate.segments.items():
        for key in section.where:
            if key not in known:
                raise ConfigError(f"segments.{name}.where", f"no answer says its {key}", meant(key, known))


def _judged(answers: Sequence[Answered], judge: config.Judge) -> tuple[list[Judged], tuple[str, ...]]:
    found = evaluate([one.item for one in answers], [one.record.answer or "" for one in answers], judge)
    return [Judged(*pair) for pair in zip(answers, found.results, strict=True)], found.warnings


def _outcomes(loaded: Loaded, judged: Sequence[Judged]) -> Iterator[Outcome]:
    yield from _scope(loaded, loaded.gate.limits, None, judged, "limits")
    for segment, section in loaded.gate.segments.items():
        members = [one for one in judged if _is_in(one.answered, section.where)]
        yield from _scope(loaded, section.limits, segment, members, f"segments.{segment}.limits")
    if loaded.gate.scenarios is not None:
        yield from scenario_outcomes(loaded.gate.scenarios, judged)


def _scope(
    loaded: Loaded, limits: Mapping[str, Limit], segment: str | None, judged: Sequence[Judged], key: str
) -> Iterator[Outcome]:
    """Each limit, and that enough answers claim something where limits rest on claims and none is about that.

    Else a service that refuses half of what it is asked would be as faithful as before.
    """
    for name, limit in limits.items():
        yield _outcome(name, limit, segment, judged, loaded.gold.get(f"{key}.{name}"))
    due = sum(value_of(WITH_VERDICT, one) is not None for one in judged)
    if WITH_VERDICT not in limits and due >= FEWEST and any(map(rests_on_claims, limits)):
        yield replace(_outcome(WITH_VERDICT, Limit(at_least=CLAIMING), segment, judged), by_default=True)


def _is_in(one: Answered, where: Mapping[str, str]) -> bool:
    return all(
        wanted in one.tags if key == "tag" else one.dimensions.get(key) == wanted
        for key, wanted in where.items()
    )


def _outcome(
    name: str, limit: Limit, segment: str | None, judged: Sequence[Judged], gold: GoldSet | None = None
) -> Outcome:
    kind, better, _ = named(name, name)
    figure, raw = figure_of(name, judged, at=limit.quantile, gold=gold)
    decision = decide(figure, limit, kind)
    show = kind == "share" and decision.state != "holds"
    return Outcome(
        name,
        segment,
        len(judged),
        figure,
        raw,
        limit.at_least,
        limit.at_most,
        limit.quantile if kind == "quantile" else None,
        decision,
        _worst(name, judged, high=limit.at_least is not None or better == "high") if show else (),
        by_default=False,
    )


def _worst(name: str, judged: Sequence[Judged], *, high: bool) -> tuple[Worst, ...]:
    """Those that are furthest from good, the first ones first among equals."""
    valued = [(value, one) for one in judged if (value := value_of(name, one)) is not None]
    valued.sort(key=lambda pair: pair[0] if high else -pair[0])
    return tuple(
        Worst(one.answered.id, value, one.result.verdict.state, one.answered.record.answer or "")
        for value, one in valued[:_WORST]
        if value != float(high)
    )
