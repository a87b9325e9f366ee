"""Every setting: one TOML file, environment overrides, defaults that need no file.

``RAGVIGIL_JUDGE__MODEL`` overrides ``judge.model``: two underscores nest. Unknown keys are errors that name
the nearest known key.
"""

from ragvigil.scorer.config.budgeting import Budgets
from ragvigil.scorer.config.channels import CHANNELS, Channel, shows
from ragvigil.scorer.config.citing import CitationStyle, Citing
from ragvigil.scorer.config.content import Content, ContentMode
from ragvigil.scorer.config.custom import CustomCheck
from ragvigil.scorer.config.exporting import Export, Metrics
from ragvigil.scorer.config.filtering import Filter
from ragvigil.scorer.config.forwarding import Forward
from ragvigil.scorer.config.judging import Judge, Price
from ragvigil.scorer.config.load import load
from ragvigil.scorer.config.oncall import Health, Inbound
from ragvigil.scorer.config.retention import Retention
from ragvigil.scorer.config.routing import Route
from ragvigil.scorer.config.sections import (
    Assemble,
    Inbox,
    Links,
    Receive,
    Sample,
    Settings,
    Sources,
    Store,
)
from ragvigil.scorer.config.showing import Dashboard
from ragvigil.scorer.config.watching import Arrivals, Coverage, Monitor, Rule

__all__ = [
    "CHANNELS",
    "Arrivals",
    "Assemble",
    "Budgets",
    "Channel",
    "CitationStyle",
    "Citing",
    "Content",
    "ContentMode",
    "Coverage",
    "CustomCheck",
    "Dashboard",
    "Export",
    "Filter",
    "Forward",
    "Health",
    "Inbound",
    "Inbox",
    "Judge",
    "Links",
    "Metrics",
    "Monitor",
    "Price",
    "Receive",
    "Retention",
    "Route",
    "Rule",
    "Sample",
    "Settings",
    "Sources",
    "Store",
    "load",
    "shows",
]
