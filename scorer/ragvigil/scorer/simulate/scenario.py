"""Faults that a simulated service can have, and when."""

from __future__ import annotations

from dataclasses import dataclass

DAY = 86400.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """What goes wrong, in a world that is otherwise quiet; everything is off by default."""

    name: str
    describe: str
    pages: tuple[str, ...] = ()
    """Metrics whose page is right; any page is wrong where this is empty."""
    faithful_drop: float = 0.0
    """Fall of the faithful share, in the segment or everywhere."""
    ramp_days: float = 0.0
    """How long the fall takes to come; 0 for at once."""
    one_segment: bool = False
    """Only in the segment whose share is nearest to 5 %."""
    blind: bool = False
    """The added errors look faithful to the cheap score."""
    mix_shift: float = 0.0
    """Share of all traffic that moves to the worst small segment."""
    sensitivity_drop: float = 0.0
    """Fall of P(passed | faithful) of the judge."""
    version_change: bool = False
    """Whether the judge says that it is another one."""
    cheap_drop: float = 0.0
    """Fall of every cheap score."""
    empty_retrievals: float = 0.0
    """Share of traces without any passage."""
    bad_citations: float = 0.0
    """Share of traces whose citations do not resolve."""
    missing_verdicts: float = 0.0
    """Share of the chosen traces for which the judge does not answer."""
    late_batches: float = 0.0
    """Share of the batches that come `late_hours` late, verdicts and all."""
    late_hours: float = 0.0
    volume: float = 1.0
    """Factor on the traffic."""
    lasts_days: float = float("inf")


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("null30", "nothing happens for thirty days"),
        Scenario("drop88", "95 % faithful to 88 % at once", ("faithfulness",), faithful_drop=0.07),
        Scenario("drop80", "95 % faithful to 80 % at once", ("faithfulness",), faithful_drop=0.15),
        Scenario(
            "slow88", "95 % to 88 % over ten days", ("faithfulness",), faithful_drop=0.07, ramp_days=10.0
        ),
        Scenario("seg70", "one 5 % segment to 70 %", ("faithfulness",), faithful_drop=0.25, one_segment=True),
        Scenario(
            "blind88",
            "95 % to 88 % by errors that the cheap score cannot see",
            ("faithfulness",),
            faithful_drop=0.07,
            blind=True,
        ),
        Scenario("mix_shift", "a fifth of the traffic moves to the worst small segment", mix_shift=0.2),
        Scenario(
            "judge_drift", "the judge passes 7 % fewer faithful answers, silently", sensitivity_drop=0.07
        ),
        Scenario(
            "judge_change",
            "a new judge version passes 7 % fewer faithful answers",
            sensitivity_drop=0.07,
            version_change=True,
        ),
        Scenario("cheap_drift", "every cheap score falls by .05", cheap_drop=0.05),
        Scenario("traffic_dip", "a day with a third of the traffic", volume=0.35, lasts_days=1.0),
        Scenario(
            "judge_outage",
            "the judge answers half of the time for a day",
            missing_verdicts=0.5,
            lasts_days=1.0,
        ),
        Scenario("silence", "nothing comes for half a day", volume=0.0, lasts_days=0.5),
        Scenario(
            "late_verdicts",
            "a third of the batches comes five hours late",
            late_batches=0.33,
            late_hours=5.0,
        ),
        Scenario(
            "outage",
            "the retriever returns nothing for 60 %",
            ("retrieval", "faithfulness"),
            empty_retrievals=0.6,
            faithful_drop=0.2,
        ),
        Scenario("cite_drift", "citations resolve for 60 % only", ("citation",), bad_citations=0.38),
    )
}
"""Every scenario by its name."""
