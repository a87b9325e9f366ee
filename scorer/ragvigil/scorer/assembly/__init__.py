"""From spans to whole traces: joined by trace id, and given on once they are complete."""
