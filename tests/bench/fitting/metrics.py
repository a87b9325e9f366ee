"""How good scores are: the measures of `ragvigil bench-checks`."""

from ragvigil.scorer.offline.measures import (
    Array,
    Flags,
    auroc,
    balanced_accuracy,
    calibration_error,
    f1,
    interval,
    macro_f1,
    threshold,
    within,
)

__all__ = [
    "Array",
    "Flags",
    "auroc",
    "balanced_accuracy",
    "calibration_error",
    "f1",
    "interval",
    "macro_f1",
    "threshold",
    "within",
]
