"""Is this a fall, since when, and is it over: decisions on rollups, event time, nothing else."""

from ragvigil.scorer.detect.changepoint import Level, Split, current_level, split
from ragvigil.scorer.detect.drop import Comparison, compare
from ragvigil.scorer.detect.evaluate import Evaluation, evaluate, fills_its_window, told_from
from ragvigil.scorer.detect.recovery import Course, follow
from ragvigil.scorer.detect.sequential import Alert, Batch, GoldSet, Monitor, MonitorSettings
from ragvigil.scorer.detect.stretches import nanoseconds, outside, stretches, total, untouched, without

__all__ = [
    "Alert",
    "Batch",
    "Comparison",
    "Course",
    "Evaluation",
    "GoldSet",
    "Level",
    "Monitor",
    "MonitorSettings",
    "Split",
    "compare",
    "current_level",
    "evaluate",
    "fills_its_window",
    "follow",
    "nanoseconds",
    "outside",
    "split",
    "stretches",
    "told_from",
    "total",
    "untouched",
    "without",
]
