"""``ragvigil bench diagnosis``."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ragvigil.scorer.commands._bench import chosen
from ragvigil.scorer.commands._options import FirstSeedOption, JsonOption, OnlyOption
from ragvigil.scorer.commands._say import say

if TYPE_CHECKING:
    from ragvigil.scorer.simulate.localisation import Tally

_FIRST, _THREE, _UNNAMED = 0.90, 0.98, 0.95
_NO_CAUSE = {"everywhere": "all fell alike", "nothing": "nothing fell"}


def diagnosis(
    kind: OnlyOption = None,
    incidents: Annotated[
        int, typer.Option(min=1, max=100_000, help="Simulated incidents of each kind.")
    ] = 40,
    first_seed: FirstSeedOption = 0,
    as_json: JsonOption = False,
) -> int:
    """Plant one cause at a time in simulated traffic, and count how often the diagnosis names it at the page.

    Exit code 1 when the cause is first in less than 90 % of all incidents with one, among the first three in less than
    98 %, or a cause is named in more than 5 % of those where all fell alike, or of those where nothing fell.
    """
    from ragvigil.scorer.simulate.localisation import KINDS, measure_diagnosis

    kinds = chosen("--kind", kind, KINDS)
    tallies: list[Tally] = []
    if not as_json:
        say(f"{'cause':<16} incidents  first            among three      none named       onset in interval")
    for one in measure_diagnosis(kinds, incidents, first_seed):
        tallies.append(one)
        if not as_json:
            say(_row(one))
    held = holds(tallies)
    if as_json:
        found = {"first_seed": first_seed, "holds": held, "kinds": [asdict(one) for one in tallies]}
        typer.echo(json.dumps(found, indent=1))
    else:
        say("\n".join(f"{name}: {'holds' if fine else 'DOES NOT HOLD'}" for name, fine in held.items()))
    return 0 if all(held.values()) else 1


def holds(tallies: list[Tally]) -> dict[str, bool]:
    """Which of the demands hold; each kind without a cause by itself."""
    from ragvigil.scorer.simulate.localisation import NONE

    planted = [one for one in tallies if one.kind not in NONE]
    with_cause = max(sum(one.incidents for one in planted), 1)
    found: dict[str, bool] = {}
    if planted:
        found["cause first, 90 %"] = sum(one.first for one in planted) >= _FIRST * with_cause
        found["cause among three, 98 %"] = sum(one.among_three for one in planted) >= _THREE * with_cause
    for one in tallies:
        if one.kind in NONE:
            found[f"no single cause where {_NO_CAUSE[one.kind]}, 95 %"] = (
                one.unnamed >= _UNNAMED * one.incidents
            )
    return found


def _row(one: Tally) -> str:
    from ragvigil.scorer.simulate.localisation import NONE

    def share(count: int) -> str:
        low, high = one.interval(count)
        return f"{count / max(one.incidents, 1):4.0%} ({low:.0%}-{high:.0%})".ljust(15)

    planted = one.kind not in NONE
    parts = [share(one.first), share(one.among_three)] if planted else ["-".ljust(15)] * 2
    covered = f"{one.onset_covered} of {one.first}" if planted else "-"
    return f"{one.kind:<16} {one.incidents:>9}  {'  '.join([*parts, share(one.unnamed)])}  {covered}"
