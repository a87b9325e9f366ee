"""Feeds the sequential detectors from the store, and tells what they find."""
