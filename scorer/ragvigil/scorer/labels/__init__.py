"""Answers for people to read: drawn, labelled, agreed on, and held against the judge."""
