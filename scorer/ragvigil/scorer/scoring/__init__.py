"""From a whole trace to its committed scores: redact, read, filter, check, sample, write."""
