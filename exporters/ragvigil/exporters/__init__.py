"""What leaves ragvigil: alerts to on-call channels."""

from ragvigil.exporters._alert import Action, Alert, Example, Measurement, Outcome, Severity

__all__ = ["Action", "Alert", "Example", "Measurement", "Outcome", "Severity"]
