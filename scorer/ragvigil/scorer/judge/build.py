"""From settings to a judge, and to the rubric that it judges by."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import SecretStr

from ragvigil import prompts
from ragvigil.prompts import Prompt
from ragvigil.scorer import config
from ragvigil.scorer.checks.alignment.assess import MOST_CLAIMS
from ragvigil.scorer.checks.reading.citing.rules import Rules, any_style
from ragvigil.scorer.config.fields import without_secrets
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.judge import terminal
from ragvigil.scorer.judge.asker import Asker, Budget
from ragvigil.scorer.judge.builtin import Builtin
from ragvigil.scorer.judge.claimwise import ClaimwiseJudge
from ragvigil.scorer.judge.criteria import criterion_of, load_criteria
from ragvigil.scorer.judge.digest import FIELDS
from ragvigil.scorer.judge.endpoint import Limits
from ragvigil.scorer.judge.endpoint.anthropic import Anthropic
from ragvigil.scorer.judge.endpoint.openai import OpenAI
from ragvigil.scorer.judge.endpoint.pace import Quotas
from ragvigil.scorer.judge.endpoint.trouble import Trouble
from ragvigil.scorer.judge.endpoint.wire import Wire
from ragvigil.scorer.judge.fill import check
from ragvigil.scorer.judge.measures import Measure, Measuring
from ragvigil.scorer.judge.measures.alone import CriterionAlone
from ragvigil.scorer.judge.measures.answer_relevance import AnswerRelevance
from ragvigil.scorer.judge.measures.context_relevance import ContextRelevance
from ragvigil.scorer.judge.measures.criterion import CriterionMeasure
from ragvigil.scorer.judge.measures.six_axes import SixAxes
from ragvigil.scorer.judge.memory import Memory
from ragvigil.scorer.judge.nli import NliJudge, NliWire, name_of_model
from ragvigil.scorer.judge.paid import Paid
from ragvigil.scorer.judge.panel import Member
from ragvigil.scorer.judge.port import Judge
from ragvigil.scorer.judge.presence import Presence
from ragvigil.scorer.judge.prices import Price
from ragvigil.scorer.judge.replies import check_reply, usable
from ragvigil.scorer.judge.rubric import RubricJudge
from ragvigil.scorer.judge.similarity import Embedding, EmbeddingWire, Lexical, Similarity
from ragvigil.scorer.judge.tiebreak import TiebreakJudge

WIRES: Mapping[str, Callable[[], Wire]] = {"openai": OpenAI, "anthropic": Anthropic}
"""Wire formats by the kind of judge that uses them."""
JUDGES = ("builtin", *WIRES, "nli")
"""Kinds of judge."""
_REPLY = "rubric"
_ATTEMPTS_BESIDE = 2.0
"""So many attempts long is waited for whoever is asked beside the judge."""
_SPARE = 1.1
"""Factor of time for a member that gives up by itself, to say why."""


def build_judge(
    settings: config.Judge,
    *,
    most_claims: int | None = MOST_CLAIMS,
    patience_seconds: float | None = None,
    citing: Callable[[str], Rules] = any_style,
    own: re.Pattern[str] | None = None,
    asker: Asker | None = None,
    trouble: Trouble | None = None,
    tries: int | None = None,
    quotas: Quotas | None = None,
) -> Judge | None:
    """The configured judge, None when judging is off; ConfigError names the known kinds or models.

    The built-in judge takes an evenly spread sample of more than `most_claims` claims; None: all of them. An
    endpoint that does not answer is waited for `patience_seconds`; None: for ever. `citing` says how a service cites,
    `own` what it may say of itself. `asker` is the endpoint where others ask it too, with the patience and the trouble
    that it has. `trouble` is told what keeps the endpoint from answering. `tries` is how often a question may fail
    before LaterError. `quotas` are shared with all who may ask with the same key.

    >>> judge = build_judge(config.Judge())
    >>> judge.name if judge else None
    'builtin'
    """
    if settings.kind == "none":
        return None
    if settings.kind == "builtin":
        return Builtin(settings.model, most_claims=most_claims, citing=citing)
    if settings.kind == "nli":
        return _nli(settings, _limits(settings, patience_seconds, tries), citing, trouble, quotas)
    if settings.kind not in WIRES:
        raise ConfigError(
            "judge.kind", f"unknown judge {settings.kind!r}", meant(settings.kind, ["none", *JUDGES])
        )
    asker = asker or build_asker(
        settings, patience_seconds=patience_seconds, trouble=trouble, tries=tries, quotas=quotas
    )
    if settings.mode == "claimwise":
        return ClaimwiseJudge(asker, citing=citing)
    if settings.mode == "tiebreak":
        builtin = Builtin(most_claims=most_claims, citing=citing)
        band = (settings.doubt_above, settings.doubt_below)
        return TiebreakJudge(asker, builtin, band=band, citing=citing)
    return RubricJudge(asker, citing=citing, own=own)


def _nli(
    settings: config.Judge,
    limits: Limits,
    citing: Callable[[str], Rules],
    trouble: Trouble | None,
    quotas: Quotas | None,
) -> NliJudge:
    from ragvigil.scorer.judge.endpoint.client import Client

    client = Client(
        NliWire(),
        url=settings.base_url,
        key=_revealed(settings.api_key),
        model=settings.model,
        limits=limits,
        trouble=trouble,
        quotas=quotas,
    )
    return NliJudge(client, model=name_of_model(settings.model, settings.base_url), citing=citing)


def _limits(settings: config.Judge, patience_seconds: float | None, tries: int | None = None) -> Limits:
    return Limits(
        settings.max_in_flight, settings.attempt_seconds, patience_seconds, tries, settings.hedge_seconds
    )


def _revealed(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret else None


def build_asker(
    settings: config.Judge,
    *,
    patience_seconds: float | None = None,
    memory: Memory | None = None,
    trouble: Trouble | None = None,
    tries: int | None = None,
    quotas: Quotas | None = None,
) -> Asker:
    """The configured language model, with its limits and prices; ConfigError when none is configured.

    `trouble` is told what keeps the endpoint from answering; `tries` is how often a question may fail before
    LaterError; `quotas` are shared with all who may ask with the same key.
    """
    from ragvigil.scorer.judge.endpoint.client import Client

    if settings.kind not in WIRES:
        raise ConfigError(
            "judge.kind",
            f"is {settings.kind}, and this needs a language model",
            f"set it to {' or '.join(WIRES)}, with judge.model",
        )
    client = Client(
        WIRES[settings.kind](),
        url=settings.address,
        key=_revealed(settings.api_key),
        model=settings.model,
        limits=_limits(settings, patience_seconds, tries),
        trouble=trouble,
        quotas=quotas,
    )
    return Asker(
        client,
        name=settings.kind,
        model=settings.model,
        budget=Budget(settings.max_evidence_chars, settings.max_answer_chars, settings.max_reply_tokens),
        prices={name: Price(*price.per_million) for name, price in settings.prices.items()},
        address=without_secrets(settings.address),
        memory=memory,
    )


def panel_of(
    settings: config.Judge,
    *,
    citing: Callable[[str], Rules] = any_style,
    own: re.Pattern[str] | None = None,
    memory: Memory | None = None,
    quotas: Quotas | None = None,
) -> list[Member]:
    """The other judges of the same answers; no endpoint among them is waited for longer than two attempts take."""
    patience = _ATTEMPTS_BESIDE * settings.attempt_seconds
    members: list[Member] = []
    for name, one in settings.panelists.items():
        asker: Asker | None = None
        if one.kind in WIRES:
            asker = build_asker(one, patience_seconds=patience, memory=memory, quotas=quotas)
            asker = asker if settings.remember else asker.afresh()
        judge = build_judge(
            one, patience_seconds=patience, citing=citing, own=own, asker=asker, quotas=quotas
        )
        assert judge is not None
        presence = Presence(seconds=None if one.kind == "builtin" else _SPARE * patience)
        members.append(Member(name, judge, rubric_of(one), presence))
    return members


def paid_of(settings: config.Settings, judge: config.Judge, owner: str | None = None) -> Paid | None:
    """What was asked and spent by all processes that share it; None where nobody asks a model.

    `owner` is who asks; default: the scorer of this store, of which there is one at a time.
    """
    if not any(one.kind in WIRES for one in (judge, *judge.panelists.values())):
        return None
    return Paid(settings.shared_path, owner or str(settings.store.path.resolve()))


def judge_at_a_terminal(settings: config.Settings, judge: config.Judge) -> Judge | None:
    """A judge for a command: what it is asked is asked anew, and counts against the budget of the scorer of `settings`.

    It waits for an endpoint that does not answer for three minutes.
    """
    asker = asker_at_a_terminal(settings, judge)
    return build_judge(judge, patience_seconds=terminal.PATIENCE_SECONDS, asker=asker)


def asker_at_a_terminal(
    settings: config.Settings, judge: config.Judge, *, quotas: Quotas | None = None
) -> Asker | None:
    """The same for commands that ask in ways of their own; None for a judge that asks nobody."""
    paid = paid_of(settings, judge, f"command {os.getpid()}") if judge.kind in WIRES else None
    if paid is None:
        return None
    memory = Memory(paid, alone=True)
    return build_asker(
        judge, patience_seconds=terminal.PATIENCE_SECONDS, memory=memory, quotas=quotas
    ).afresh()


def model_at_a_terminal(settings: config.Settings) -> Asker:
    """The same of `settings`; ConfigError where no language model is configured."""
    return asker_at_a_terminal(settings, settings.judge) or build_asker(settings.judge)


def criterion_at_a_terminal(settings: config.Settings, judge: config.Judge, criterion: str) -> Judge:
    """A criterion of `judge` as a judge for a command; ConfigError where it, or a language model, is not there."""
    found = criterion_of(judge, criterion)
    asker = asker_at_a_terminal(settings, judge)
    return CriterionAlone(found, asker or build_asker(judge))


def build_measuring(
    settings: config.Judge,
    asker: Asker | None = None,
    *,
    citing: Callable[[str], Rules] = any_style,
    sampling: bool = True,
    quotas: Quotas | None = None,
) -> Measuring | None:
    """What is measured beside faithfulness; None when nothing is. ConfigError names each file that is wrong.

    Without `sampling` every record is asked about, whatever the share.
    """
    measures = measures_of(settings, quotas)
    if not measures:
        return None
    return Measuring(
        asker or build_asker(settings, quotas=quotas), measures, citing=citing, sampling=sampling
    )


def measures_of(
    settings: config.Judge,
    quotas: Quotas | None = None,
    *,
    sources: Mapping[str, Sequence[str]] | None = None,
) -> list[Measure]:
    """The measures and criteria of the settings; ConfigError names each file that is wrong.

    `sources` are texts by trace that carry an answer beside its passages, as a test set lists them.
    """
    criteria = load_criteria(settings.criteria) if settings.criteria is not None else ()
    share = settings.measures_share
    ours: Mapping[str, Callable[[], Measure]] = {
        "answer_relevance": lambda: AnswerRelevance(_similarity(settings, quotas), share=share),
        "context_relevance": lambda: ContextRelevance(share=share),
        "six_axes": lambda: SixAxes(share=share, sources=sources),
    }
    chosen = [make() for name, make in ours.items() if name in settings.measures]
    return [*chosen, *(CriterionMeasure(criterion) for criterion in criteria)]


def embedder_of(settings: config.Judge) -> tuple[str, str | None]:
    """Address and key of the embedding model; the judge's key goes to the judge's address alone."""
    url = settings.embedding_url or settings.address
    return url, _revealed(settings.embedding_key or (settings.api_key if url == settings.address else None))


def _similarity(settings: config.Judge, quotas: Quotas | None) -> Similarity:
    """By the configured embedding model, else by words."""
    if not settings.embedding_model:
        return Lexical()
    from ragvigil.scorer.judge.endpoint.client import Client

    limits = _limits(settings, _ATTEMPTS_BESIDE * settings.attempt_seconds)
    model = settings.embedding_model
    url, key = embedder_of(settings)
    client = Client(EmbeddingWire(), url=url, key=key, model=model, limits=limits, quotas=quotas)
    return Embedding(client, model)


_PROMPTS: Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "claimwise": (("claims", ("answer",)), ("claim_support", ("evidence", "claims"))),
    "tiebreak": (("claim_support", ("evidence", "claims")),),
}
"""Prompts of the modes that have their own, the first one first, with what each is filled with."""


def _of_mode(settings: config.Judge) -> Prompt:
    """The prompt with which a mode begins, under a digest of all that it uses."""
    if settings.prompt:
        raise ConfigError(
            "judge.prompt",
            f"is not used where judge.mode is {settings.mode}",
            'leave it out, or use "rubric"',
        )
    found = [usable(name, name, fields) for name, fields in _PROMPTS[settings.mode]]
    if len(found) == 1:
        return found[0]
    digest = hashlib.sha256(" ".join(prompt.digest for prompt in found).encode()).hexdigest()
    return replace(found[0], digest=digest)


def rubric_of(settings: config.Judge) -> Prompt:
    """The rubric that the configured judge judges by; ConfigError says why it cannot be used.

    >>> rubric_of(config.Judge()).id
    'faithfulness'
    """
    asks = settings.kind in WIRES
    if asks and settings.mode in _PROMPTS:
        return _of_mode(settings)
    name, _, version = (settings.prompt or ("rubric" if asks else "faithfulness")).partition("/")
    try:
        if settings.prompt.endswith(".md"):
            prompt = prompts.load_file(Path(settings.prompt))
        else:
            prompt = prompts.load(name, version or None)
        if asks:
            check(prompt, FIELDS)
            check_reply(prompt, _REPLY)
    except (prompts.UnknownPromptError, prompts.PromptError) as error:
        raise ConfigError("judge.prompt", str(error)) from None
    return prompt
