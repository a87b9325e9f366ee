"""What leaves ragvigil: alerts to on-call channels."""

from ragvigil.exporters._addresses import is_loopback
from ragvigil.exporters._alert import Action, Alert, Example, Measurement, Outcome, Severity
from ragvigil.exporters._pagerduty import PagerDuty
from ragvigil.exporters._post import retry_after
from ragvigil.exporters._text import as_text, clean, percent, shown
from ragvigil.exporters._webhook import Webhook
from ragvigil.exporters._wire import from_json, to_json

__all__ = [
    "Action",
    "Alert",
    "Example",
    "Measurement",
    "Outcome",
    "PagerDuty",
    "Severity",
    "Webhook",
    "as_text",
    "clean",
    "from_json",
    "is_loopback",
    "percent",
    "retry_after",
    "shown",
    "to_json",
]
