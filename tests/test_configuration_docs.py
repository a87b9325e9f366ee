"""docs/configuration.md is made from the settings; ``python tests/test_configuration_docs.py`` renews it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from ragvigil.scorer.config import (
    CHANNELS,
    Budgets,
    Citing,
    CustomCheck,
    Filter,
    Forward,
    Route,
    Settings,
    load,
)

PAGE = Path(__file__).parent.parent / "docs" / "configuration.md"
LINKED = re.compile(r"docs/([a-z-]+\.md)")
"""A page, as the code names it from the repository's root; here it is a link."""
INTRODUCTION = """# Configuration

One TOML file, `ragvigil serve --config FILE`; no file is needed. The environment wins over the file: two
underscores nest, so `RAGVIGIL_JUDGE__MODEL` is `judge.model`. Arguments win over both. An unknown key is an
error that names the nearest one; `ragvigil check-config --config FILE` checks without starting anything.

```toml
[store]
url = "sqlite:///ragvigil.db"

[channels.oncall]                       # any name
type = "pagerduty"
# its key: RAGVIGIL_CHANNELS__ONCALL__ROUTING_KEY in the environment, or routing_key = "..." here

[links]
trace_url_template = "https://tempo.example.com/trace/{trace_id}"
```

This page is made from the code; a test holds it.
"""
NAMED: list[tuple[str, type[BaseModel]]] = [
    ("forward", Forward),
    ("filters", Filter),
    ("routes", Route),
    ("citations", Citing),
    ("budgets", Budgets),
    ("custom_checks", CustomCheck),
    *(("channels", section) for section in CHANNELS.values()),
]
"""Sections of which there may be several."""
HEAD = "| setting | default | what it is |\n|---|---|---|"


def sections(tree: BaseModel, prefix: str = "") -> Iterator[tuple[str, type[BaseModel], BaseModel | None]]:
    """Every section with its key, its model, and its defaults."""
    for name in type(tree).model_fields:
        value = getattr(tree, name)
        if isinstance(value, BaseModel):
            yield f"{prefix}{name}", type(value), value
            yield from sections(value, f"{prefix}{name}.")


def rows(key: str, model: type[BaseModel], defaults: BaseModel | None) -> Iterator[str]:
    """One table row per setting."""
    for name, field in model.model_fields.items():
        value: object = field.default if defaults is None else getattr(defaults, name)
        if isinstance(value, BaseModel):
            continue
        shown = "none" if value is None else f"`{json.dumps(value, default=str)}`"
        yield f"| `{key}.{name}` | {'required' if field.is_required() else shown} | {field.description or ''} |"


def top_level() -> str:
    """The settings that stand in no section."""
    table = "\n".join(
        f"| `{name}` | `{json.dumps(field.default)}` | {field.description} |"
        for name, field in Settings.model_fields.items()
        if not isinstance(field.default, (BaseModel, dict))
    )
    return f"## Before any section\n\n{HEAD}\n{table}\n"


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, top_level()]
    named = [(f"{place}.NAME", model, None) for place, model in NAMED]
    for key, model, defaults in [*sections(Settings.model_construct()), *named]:
        table = "\n".join(rows(key, model, defaults))
        parts.append(f"## {key}\n\n{inspect.getdoc(model)}\n\n{HEAD}\n{table}\n")
    return LINKED.sub(r"[\1](\1)", "\n".join(parts))


def test_the_configuration_page_says_what_the_code_does() -> None:
    """A setting that nobody can find does not exist."""
    assert PAGE.read_text() == page()


FORWARDING, DETECTION = ((PAGE.parent / name).read_text() for name in ("forwarding.md", "detection.md"))


@pytest.mark.parametrize("text", re.findall(r"```toml\n(.*?)```", FORWARDING + DETECTION, re.DOTALL))
def test_the_examples_are_valid(text: str, tmp_path: Path) -> None:
    """A copied configuration works."""
    (tmp_path / "ragvigil.toml").write_text(text)
    assert load(tmp_path / "ragvigil.toml") != load()


def test_every_built_in_rule_is_named() -> None:
    """So that it can be switched off."""
    assert [name for name in load().active_filters if f"`{name}`" not in FORWARDING] == []


if __name__ == "__main__":
    PAGE.write_text(page())
