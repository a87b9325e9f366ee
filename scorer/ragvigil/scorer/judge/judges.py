"""Whoever judges by a configuration: a judge with its panel, one that judges again, and what is measured beside."""

from __future__ import annotations

import logging
from typing import NamedTuple
from urllib.parse import urlsplit

from ragvigil.scorer import config
from ragvigil.scorer.config.judging import ENDPOINTS
from ragvigil.scorer.judge.build import (
    WIRES,
    build_asker,
    build_judge,
    build_measuring,
    embedder_of,
    panel_of,
)
from ragvigil.scorer.judge.endpoint.pace import Quotas
from ragvigil.scorer.judge.endpoint.trouble import Trouble
from ragvigil.scorer.judge.measures import Measuring
from ragvigil.scorer.judge.memory import Memory
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.judge.panel import Panel
from ragvigil.scorer.judge.port import Judge
from ragvigil.scorer.judge.similarity import EmbeddingWire
from ragvigil.scorer.scoring.citing import CitingRules

_log = logging.getLogger(__name__)

_LOOK_SECONDS = 10.0


class Judges(NamedTuple):
    """Whoever judges, over one endpoint."""

    judge: Judge | None
    afresh: Judge | None
    """Judges again: it remembers nothing that was said before."""
    measuring: Measuring | None
    """What is measured beside faithfulness."""


async def look_at(settings: config.Judge) -> None:
    """Say in the log what should be mended of each endpoint, as far as that can be told without a question."""
    for key, one in {
        "judge": settings,
        **{f"judge.panel.{name}": one for name, one in settings.panelists.items()},
    }.items():
        if one.kind not in WIRES:
            continue
        secret = one.api_key.get_secret_value() if one.api_key else None
        seconds = min(one.attempt_seconds, _LOOK_SECONDS)
        from ragvigil.scorer.judge.endpoint.look import look

        wire = WIRES[one.kind]()
        problem = await look(wire, url=one.address, key=secret, model=one.model, seconds=seconds)
        if problem is not None:
            _log.warning("%s: the endpoint %s %s", key, urlsplit(one.address).hostname, problem)
    if settings.kind in WIRES and settings.embedding_model and "answer_relevance" in settings.measures:
        await _look_at_embeddings(settings)


async def _look_at_embeddings(settings: config.Judge) -> None:
    from ragvigil.scorer.judge.endpoint.look import look

    key = "judge.embedding_model"
    url, secret = embedder_of(settings)
    problem = await look(
        EmbeddingWire(),
        url=url,
        key=secret,
        model=settings.embedding_model,
        seconds=min(settings.attempt_seconds, _LOOK_SECONDS),
        setting=key,
    )
    if problem is not None:
        _log.warning("%s: the endpoint %s %s", key, urlsplit(url).hostname, problem)


def judges_of(
    settings: config.Settings, paid: Paid | None, trouble: Trouble | None = None, *, tries: int | None = None
) -> Judges:
    """The judges of a configuration; ConfigError says why there can be none.

    `trouble` is told what keeps the endpoint of the first from answering; after `tries` failures in a row it raises
    LaterError; None: it waits.
    """
    citing, own = CitingRules(settings.citations).of, settings.content.kept
    quotas = Quotas()
    memory = None if paid is None else Memory(paid)
    members = panel_of(settings.judge, citing=citing, own=own, memory=memory, quotas=quotas)
    if settings.judge.kind not in ENDPOINTS:
        judge = build_judge(settings.judge, citing=citing, trouble=trouble, tries=tries, quotas=quotas)
        return Judges(None if judge is None else Panel(judge, members), judge, None)
    memory = None if paid is None else Memory(paid)
    asker = build_asker(settings.judge, memory=memory, trouble=trouble, tries=tries, quotas=quotas)
    anew = asker.afresh()
    usual = asker if settings.judge.remember else anew
    first = build_judge(settings.judge, citing=citing, own=own, asker=usual)
    assert first is not None
    return Judges(
        Panel(first, members),
        build_judge(settings.judge, citing=citing, own=own, asker=anew),
        build_measuring(settings.judge, usual, citing=citing, quotas=quotas),
    )
