"""The texts of a record, read once for all checks: words, sentences, citations, claims, evidence."""
