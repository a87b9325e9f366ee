"""Why it fell: where, since when, what changed, which half of the service, and what to try."""
