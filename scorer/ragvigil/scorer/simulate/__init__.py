"""Traffic of services, invented or recorded, with planted faults: what an alert rule is measured on."""

from ragvigil.scorer.simulate.benchmark import OURS, RULES, Line, measure
from ragvigil.scorer.simulate.drive import Build, Rule, Run, drive
from ragvigil.scorer.simulate.recorded import Recorded
from ragvigil.scorer.simulate.replayed import Replayed, world_of
from ragvigil.scorer.simulate.scenario import SCENARIOS, Scenario
from ragvigil.scorer.simulate.stretch import Stretch
from ragvigil.scorer.simulate.supply import Opens
from ragvigil.scorer.simulate.traffic import Traffic
from ragvigil.scorer.simulate.world import World

__all__ = [
    "OURS",
    "RULES",
    "SCENARIOS",
    "Build",
    "Line",
    "Opens",
    "Recorded",
    "Replayed",
    "Rule",
    "Run",
    "Scenario",
    "Stretch",
    "Traffic",
    "World",
    "drive",
    "measure",
    "world_of",
]
