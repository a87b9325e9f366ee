"""Rates with intervals: judged, corrected by human labels, and as changes; refusals where there is no number."""

from ragvigil.scorer.estimate.agreement import cohen_kappa, krippendorff_alpha
from ragvigil.scorer.estimate.anchored import anchored_level, change_since, quality_change
from ragvigil.scorer.estimate.audit import audited_level
from ragvigil.scorer.estimate.calibration import Calibration
from ragvigil.scorer.estimate.confusion import Confusion, confusion
from ragvigil.scorer.estimate.efficiency import Efficiency, efficiency
from ragvigil.scorer.estimate.hajek import rate
from ragvigil.scorer.estimate.judged import judged_rate
from ragvigil.scorer.estimate.mix import MixChange, mix_change
from ragvigil.scorer.estimate.newcombe import Difference, difference
from ragvigil.scorer.estimate.planning import Plan, labels_for
from ragvigil.scorer.estimate.portable import closed_form, portable_level
from ragvigil.scorer.estimate.promotion import Promotion, promotion
from ragvigil.scorer.estimate.replay import Replay, replay
from ragvigil.scorer.estimate.result import FEWEST, FEWEST_CONVERSATIONS, Estimate, Refusal
from ragvigil.scorer.estimate.sequence import at_every_look, betting_sequence
from ragvigil.scorer.estimate.strata import Draw, Strata, next_labels, strata_of
from ragvigil.scorer.estimate.wilson import observations_for, wilson
from ragvigil.scorer.estimate.window import Window, window

__all__ = [
    "FEWEST",
    "FEWEST_CONVERSATIONS",
    "Calibration",
    "Confusion",
    "Difference",
    "Draw",
    "Efficiency",
    "Estimate",
    "MixChange",
    "Plan",
    "Promotion",
    "Refusal",
    "Replay",
    "Strata",
    "Window",
    "anchored_level",
    "at_every_look",
    "audited_level",
    "betting_sequence",
    "change_since",
    "closed_form",
    "cohen_kappa",
    "confusion",
    "difference",
    "efficiency",
    "judged_rate",
    "krippendorff_alpha",
    "labels_for",
    "mix_change",
    "next_labels",
    "observations_for",
    "portable_level",
    "promotion",
    "quality_change",
    "rate",
    "replay",
    "strata_of",
    "wilson",
    "window",
]
