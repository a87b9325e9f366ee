"""Traffic of services that do not exist, with planted faults: what an alert rule is measured on."""

from ragvigil.scorer.simulate.benchmark import OURS, RULES, Line, measure
from ragvigil.scorer.simulate.drive import Build, Rule, Run, drive
from ragvigil.scorer.simulate.scenario import SCENARIOS, Scenario
from ragvigil.scorer.simulate.traffic import Traffic
from ragvigil.scorer.simulate.world import World

__all__ = [
    "OURS",
    "RULES",
    "SCENARIOS",
    "Build",
    "Line",
    "Rule",
    "Run",
    "Scenario",
    "Traffic",
    "World",
    "drive",
    "measure",
]
