"""A day again: recorded OTLP through the whole scorer on the recording's own clock."""
