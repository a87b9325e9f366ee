"""The sequential core: batches of traces in, alerts out; numpy only, no store, server or clock."""

from ragvigil.scorer.detect.sequential.batch import Alert, Batch
from ragvigil.scorer.detect.sequential.gold import GoldSet
from ragvigil.scorer.detect.sequential.monitor import Monitor
from ragvigil.scorer.detect.sequential.settings import MonitorSettings

__all__ = ["Alert", "Batch", "GoldSet", "Monitor", "MonitorSettings"]
