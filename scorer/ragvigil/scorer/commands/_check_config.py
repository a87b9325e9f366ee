"""``ragvigil check-config``."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from glob import glob
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ragvigil.scorer.commands._options import (
    ConfigArgument,
    ConfigOption,
    JsonOption,
    one_config,
    settings_of,
)
from ragvigil.scorer.commands._own import (
    load_and_end,
    own_dialects,
    refuse_exploding_patterns,
    refuse_missing_hook,
    refuse_unknown_scores,
    refuse_unusable_prompts,
)
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import ConfigError

if TYPE_CHECKING:
    from ragvigil.scorer.config import Judge, Settings
    from ragvigil.scorer.dialects import Dialect
    from ragvigil.scorer.watch.gold import Labels


_PATIENCE_SECONDS = 5.0
_BARE = re.compile(r"[A-Za-z0-9_-]+")


def check_config(
    file: ConfigArgument = None,
    config: ConfigOption = None,
    ask: Annotated[
        bool,
        typer.Option(
            "--ask",
            help="Also ask each configured language model one question: is key, model, address right?",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Check a configuration without starting anything, and show what is set otherwise than by default.

    Without a file: the environment alone. A misspelt key is named with the nearest one that exists; secrets are
    shown as stars. Environment variables count too: RAGVIGIL_JUDGE__MODEL overrides judge.model.
    """
    config = one_config(file, config)
    settings = settings_of(config)
    labels, dialects = _made(settings)
    if ask:
        _ask(settings)
    tree, notes = json.loads(settings.model_dump_json()), [*_notes(settings, labels), *_unreadable(dialects)]
    if as_json:
        typer.echo(json.dumps({"ok": True, "notes": notes, "settings": tree}, indent=2))
        return 0
    say(f"{config or 'defaults'}: ok")
    for note in notes:
        say(f"  note: {note}")
    for line in _set(tree):
        say(f"  {line}")
    return 0


def _made(settings: Settings) -> tuple[Labels, Sequence[Dialect]]:
    """Labels and own dialects; ConfigError names the first setting that nothing can be made of.

    What is imported here takes as long as all before it, and a misspelt key need not wait for it.
    """
    from ragvigil.scorer.receive.forward import refuse_itself
    from ragvigil.scorer.receive.settings import receiving
    from ragvigil.scorer.watch.gold import labels_of

    dialects = own_dialects(settings.dialects)
    labels = labels_of(settings.monitor, settings.judge)
    refuse_unusable_prompts(settings.judge)
    refuse_unknown_scores(settings)
    load_and_end(settings.custom_checks)
    refuse_exploding_patterns(settings.citations)
    refuse_missing_hook(settings.content.hook)
    refuse_itself(receiving(settings).forward, grpc=settings.receive.grpc, http=settings.receive.http)
    return labels, dialects


def _set(tree: dict[str, object]) -> Iterator[str]:
    """The settings that are not as they would be without file and environment, and how many others there are."""
    from ragvigil.scorer.config import Settings

    usual = _flat(json.loads(Settings().model_dump_json()))
    found = _flat(tree)
    own = {key: value for key, value in found.items() if key not in usual or usual[key] != value}
    for key, value in own.items():
        if value is not None:  # TOML has no word for what is not set
            yield f"{key} = {json.dumps(value, ensure_ascii=False)}"
    yield f"{len(found) - len(own)} settings as by default (--json shows all)"


def _notes(settings: Settings, labels: Labels) -> Iterator[str]:
    """What is allowed, and probably not meant."""
    from ragvigil.exporters import is_loopback

    if settings.detect.slo is not None and labels.source != "file":
        yield (
            "detect.slo pages nobody: no labels of yours say what the level is; name them in monitor.gold "
            "(ragvigil label)"
        )
    yield from _unpriced(settings)
    for place in settings.sources.files:
        if not glob(place, recursive=True):  # noqa: PTH207 - Path.glob takes no absolute pattern
            yield f"sources.files: nothing is at {place} now; it is read once it is there"
    for name, rule in (
        ("faithfulness", settings.monitor.faithfulness),
        ("citation", settings.monitor.citation),
    ):
        if rule.window_seconds < settings.monitor.bucket_seconds:
            yield f"monitor.{name}.window_seconds is shorter than monitor.bucket_seconds, the grain of what is counted"
    if not settings.channels:
        return
    yield from _unpaged(settings.monitor.page_environments)
    for key, url in settings.links:
        if url is None and key != "public_url":  # not every team lets people reach the dashboard
            yield f"links.{key} is not set: pages carry no such link"
        elif url is not None and is_loopback(url):
            yield f"links.{key} leads to this machine alone: pages carry no such link"


def _unpaged(environments: Sequence[str]) -> Iterator[str]:
    """Environments of which nobody is told, though somebody may think so."""
    if not environments:
        yield "monitor.page_environments is empty: only services that name no environment page"
    for one in environments:
        if one != one.lower() and one.lower() not in environments:
            yield f"monitor.page_environments: {one!r} is compared letter by letter, so {one.lower()!r} does not page"


def _unreadable(dialects: Sequence[Dialect]) -> Iterator[str]:
    """What dialects of the operator's own cannot read, though no tracer should write it."""
    if not dialects:
        return
    from ragvigil.scorer.dialects.custom import Guarded
    from ragvigil.scorer.dialects.odd_spans import complaints

    for dialect in dialects:
        if isinstance(dialect, Guarded):
            for said in complaints(dialect):
                yield f"dialect {dialect.name} fails on odd spans, which are read without it: {said}"


def _unpriced(settings: Settings) -> Iterator[str]:
    """Budgets in dollars that cannot hold, because nobody says what a model costs."""
    from ragvigil.scorer.config.judging import ENDPOINTS

    limits = [
        name for name in ("usd_per_minute", "usd_per_day") if getattr(settings.sample, name) is not None
    ]
    judge = settings.judge
    asked = [
        ("judge.model", judge),
        *((f"judge.panel.{name}.model", one) for name, one in judge.panelists.items()),
    ]
    models = [(key, one.model) for key, one in asked if one.kind in ENDPOINTS]
    if judge.kind in ENDPOINTS and judge.embedding_model and "answer_relevance" in judge.measures:
        models.append(("judge.embedding_model", judge.embedding_model))
    for limit in limits:
        for key, model in models:
            if model not in judge.prices:
                yield (
                    f"sample.{limit} does not hold for {key} {model!r}, which has no price: what it asks counts as 0 "
                    f"dollars; set judge.prices.{json.dumps(model)}, or sample.tokens_per_day"
                )


def _ask(settings: Settings) -> None:
    """Have every language model judge one answer; ConfigError says which one cannot, and what to check."""
    from ragvigil.scorer.config.judging import ENDPOINTS

    judges = {"judge": settings.judge} | {
        f"judge.panel.{name}": one for name, one in settings.judge.panelists.items()
    }
    for key, one in judges.items():
        if one.kind in ENDPOINTS:
            asyncio.run(_ask_one(key, one))


async def _ask_one(key: str, settings: Judge) -> None:
    from ragvigil.scorer.judge import build_asker, build_judge, rubric_of
    from ragvigil.scorer.judge.endpoint import UnavailableError
    from ragvigil.scorer.judge.endpoint.trouble import Trouble
    from ragvigil.scorer.probes import items

    case = next(iter(items.cases().values()))
    trouble = Trouble()
    patience = settings.attempt_seconds + _PATIENCE_SECONDS
    judge = build_judge(settings, asker=build_asker(settings, patience_seconds=patience, trouble=trouble))
    assert judge is not None
    asked = asyncio.create_task(
        judge.judge(items.record(case.question, case.answer, case.passages), rubric_of(settings))
    )
    try:
        while not asked.done() and trouble.said is None:
            await asyncio.wait({asked}, timeout=0.05)
        if not asked.done():  # what may pass is told at once: nobody waits at a terminal
            raise ConfigError(key, f"the endpoint does not answer: {trouble.said}")
        verdict = await asked
        if verdict.state == "failed":
            raise ConfigError(key, verdict.reason or "the model refused")
    except UnavailableError as error:
        raise ConfigError(key, f"the endpoint does not answer: {error}") from None
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        await judge.close()


def _flat(tree: dict[str, object], above: str = "") -> dict[str, object]:
    """Its values by their whole keys, as TOML writes them: a part with a dot in it is quoted.

    >>> _flat({"judge": {"kind": "none"}, "dialects": []})
    {'judge.kind': 'none', 'dialects': []}
    >>> _flat({"span": {"user.id": ["u1"]}})
    {'span."user.id"': ['u1']}
    """
    flat: dict[str, object] = {}
    for name, value in tree.items():
        key = f"{above}{name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)}"
        flat |= (
            _flat(cast("dict[str, object]", value), f"{key}.") if isinstance(value, dict) else {key: value}
        )
    return flat
