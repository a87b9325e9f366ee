"""``ragvigil fake-judge``."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from typing import Annotated

import typer

from ragvigil.scorer.commands._options import JsonOption
from ragvigil.scorer.commands._say import say
from ragvigil.scorer.errors import InputError

_Errors = Annotated[
    list[str] | None, typer.Option(metavar="STATUS=SHARE", help="Such as 429=0.2; may be repeated.")
]
_Key = Annotated[
    str,
    typer.Option(metavar="KEY", help="Key it asks for; empty: none.", envvar="RAGVIGIL_DEMO_JUDGE_KEY"),
]
_Models = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Model that it has; may be repeated. Default: any that is asked for."),
]


def fake_judge(
    port: Annotated[int, typer.Option(help="0 picks a free one.", min=0, max=65_535)] = 4320,
    seed: Annotated[int, typer.Option(help="The same seed says the same.")] = 0,
    sensitivity: Annotated[
        float, typer.Option(help="Share of faithful answers it passes.", min=0, max=1)
    ] = 0.85,
    specificity: Annotated[
        float, typer.Option(help="Share of unfaithful answers it does not pass.", min=0, max=1)
    ] = 0.92,
    latency: Annotated[
        float, typer.Option(metavar="SECONDS", help="Before it answers.", min=0, max=600)
    ] = 0.2,
    damage: Annotated[float, typer.Option(help="Share of replies that are spoilt.", min=0, max=1)] = 0.0,
    error: _Errors = None,
    hangs: Annotated[float, typer.Option(help="Share of requests never answered.", min=0, max=1)] = 0.0,
    cuts: Annotated[
        float, typer.Option(help="Share of answers that break off in the middle.", min=0, max=1)
    ] = 0.0,
    key: _Key = "",
    model: _Models = None,
    as_json: JsonOption = False,
) -> int:
    """Rehearse with a judge that is as good, as slow and as broken as you like: a real endpoint, no model.

    It speaks OpenAI's chat completions and Anthropic's messages, and lists its models as they do. What it takes for
    the truth is the built-in judge's verdict. Point judge.base_url at the address that it prints.
    """
    from threading import Event

    from ragvigil.scorer.testing import Script, ScriptedJudge

    script = Script(
        seed=seed,
        sensitivity=sensitivity,
        specificity=specificity,
        latency_seconds=latency,
        damage=damage,
        errors=_errors(error or []),
        hangs=hangs,
        cuts=cuts,
    )
    try:
        with (
            ScriptedJudge(script, key=key or None, port=port, keep=0, models=model or ()) as server,
            suppress(KeyboardInterrupt),
        ):
            say(json.dumps({"url": server.url}) if as_json else f"fake judge at {server.url}", whole=as_json)
            Event().wait()
    except OSError as problem:
        raise InputError(f"port {port}", problem.strerror or "cannot be used") from None
    return 0


def _errors(told: list[str]) -> dict[int, float]:
    """Shares by status."""
    shares: dict[int, float] = {}
    for one in told:
        status, _, share = one.partition("=")
        try:
            shares[int(status)] = float(share)
        except ValueError:
            raise InputError("--error", f"{one!r} is not STATUS=SHARE, such as 429=0.2") from None
        if not (400 <= int(status) <= 599 and 0 <= shares[int(status)] <= 1):
            raise InputError("--error", f"{one!r}: a status from 400 to 599 and a share from 0 to 1")
    if math.fsum(shares.values()) > 1:
        raise InputError(
            "--error",
            f"the shares sum to {math.fsum(shares.values()):g}; together at most 1, the rest is answered",
        )
    return shares
