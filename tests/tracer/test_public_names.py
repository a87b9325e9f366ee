"""The public names of the tracer."""

from __future__ import annotations

import inspect

import ragvigil.tracer
from ragvigil.tracer import attributes


def test_all_is_sorted_and_is_what_the_package_offers() -> None:
    """``__all__`` neither misses nor invents a name."""
    offered = {
        name
        for name, value in vars(ragvigil.tracer).items()
        if not name.startswith("_") and not inspect.ismodule(value) and name != "annotations"
    }
    assert ragvigil.tracer.__all__ == sorted(offered)


def test_every_attribute_name_is_written_once() -> None:
    """Two constants with one value would drift apart."""
    values = [value for name, value in vars(attributes).items() if name.isupper()]
    assert len(values) == len(set(values))
