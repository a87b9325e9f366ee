"""Every example in a docstring runs, under the module's one real name."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import ragvigil

MODULES = [
    module.name
    for module in pkgutil.walk_packages(ragvigil.__path__, "ragvigil.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    """Each module's examples hold, as `doctest.testmod` runs them; it sets up a debugger for each text without one."""
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    runner = doctest.DocTestRunner()
    assert [one.name for one in found if one.examples and runner.run(one).failed] == []


def test_every_room_is_walked() -> None:
    """An import error in one room must not make this file pass silently."""
    assert {name.split(".")[1] for name in MODULES} == {"tracer", "scorer", "exporters", "prompts"}
