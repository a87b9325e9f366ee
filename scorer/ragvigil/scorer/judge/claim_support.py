"""Whether the passages carry some claims, by a model that must quote them; a quotation that is not there is none.

The second stage of the claim-wise judge, and the tie-breaker for claims that the built-in judge is in doubt
about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from pydantic import ValidationError

from ragvigil.prompts import Prompt
from ragvigil.scorer.checks.prepared import Prepared
from ragvigil.scorer.judge.asker import Asker, language_of
from ragvigil.scorer.judge.endpoint import Completion, EndpointError
from ragvigil.scorer.judge.quoting import found_in
from ragvigil.scorer.judge.replies import ClaimSupport, ClaimSupportReply
from ragvigil.scorer.verdict import Source

_MOST_AT_ONCE = 30
"""Claims in one question: of more, models lose count."""


@dataclass(frozen=True, slots=True)
class Support:
    """What stands of what the model said of one claim."""

    supported: bool
    passage: str | None = None
    nearest: Source | None = None
    """Where the quotation stands, when it stands there letter for letter."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of some claims, in their order."""

    supports: tuple[Support | None, ...]
    """None: no reply could be read about that claim."""
    flags: tuple[str, ...]
    completions: tuple[Completion, ...]
    problem: str | None = None
    """Why a claim has no support that could be read."""


async def checked(claims: Sequence[str], prepared: Prepared, asker: Asker, prompt: Prompt) -> Checked:
    """What the passages say of each claim; raises UnavailableError and RefusedError, as the endpoint does."""
    supports: list[Support | None] = []
    flags: list[str] = []
    completions: list[Completion] = []
    problem: str | None = None
    evidence = asker.digest(prepared.record)["evidence"]
    for begin in range(0, len(claims), _MOST_AT_ONCE):
        some = claims[begin : begin + _MOST_AT_ONCE]
        numbered = [{"number": number, "claim": claim} for number, claim in enumerate(some, 1)]
        try:
            asked = await asker.ask(
                prompt,
                {"evidence": evidence, "claims": numbered},
                ClaimSupportReply,
                language=language_of(prepared),
                objection=partial(_objection, size=len(some)),
                of=prepared.record.trace_id,
            )
        except EndpointError:
            asker.owe(completions)
            raise
        completions += asked.completions
        problem = problem or asked.problem
        told = asked.reply.verdicts if asked.reply else _survivors(asked.damaged)
        by_number = {one.claim: one for one in reversed(told)}
        for number in range(1, len(some) + 1):
            one = by_number.get(number)
            supports.append(None if one is None else _held(one, prepared, flags))
        if asked.reply is None:
            flags.append("partial_reply")
    return Checked(tuple(supports), tuple(dict.fromkeys(flags)), tuple(completions), problem)


def _held(said: ClaimSupport, prepared: Prepared, flags: list[str]) -> Support:
    """What stands of it: support needs a passage that exists and words that are in it."""
    if not said.supported:
        return Support(supported=False)
    name = (said.passage or "").strip().removeprefix("[").removesuffix("]")
    document = dict(zip(reversed(prepared.names), reversed(prepared.record.documents), strict=True)).get(name)
    if document is None:
        flags.append("unknown_passage" if name else "support_without_passage")
        return Support(supported=False)
    text, quote = document.text or "", said.quote or ""
    if not found_in(quote, text):
        flags.append("quote_not_in_passage")
        return Support(supported=False)
    at = text.find(quote)
    return Support(True, name, Source(name, at, at + len(quote)) if at >= 0 else None)


def _objection(reply: ClaimSupportReply, size: int) -> str | None:
    lacking = sorted(set(range(1, size + 1)) - {one.claim for one in reply.verdicts})
    return f"verdicts lacks claim {', '.join(map(str, lacking[:10]))}" if lacking else None


def _survivors(damaged: Sequence[object]) -> list[ClaimSupport]:
    """Verdicts of damaged replies that can be read, those of the last one first."""
    found: list[ClaimSupport] = []
    for reply in reversed(damaged):
        told = cast("Mapping[str, object]", reply).get("verdicts") if isinstance(reply, dict) else None
        for one in cast("list[object]", told) if isinstance(told, list) else []:
            try:
                found.append(ClaimSupport.model_validate(one))
            except ValidationError:
                continue
    return found
