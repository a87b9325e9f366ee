"""Rates with intervals."""
