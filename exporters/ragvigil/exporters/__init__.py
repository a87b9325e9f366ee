"""What leaves ragvigil: alerts to on-call channels."""
