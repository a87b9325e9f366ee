"""docs/prompts.md is made from the prompt files; ``python tests/test_prompts_docs.py`` renews it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from ragvigil.prompts import Prompt, load
from ragvigil.scorer.judge.fill import check
from ragvigil.scorer.judge.replies import REPLIES, check_reply

PAGE = Path(__file__).parent.parent / "docs" / "prompts.md"
INTRODUCTION = """# Prompts

Every question that ragvigil puts to a language model is a versioned file in `prompts/ragvigil/prompts`: TOML in front,
the instructions in English, Portuguese and Spanish, and how what is judged is laid out. A version is never edited once
it is released; its digest (SHA-256 of the file) stands with every score that it led to, so that another prompt is
another instrument. `ragvigil prompts` lists them, `ragvigil prompts NAME --language pt` prints one.

The language of the answer chooses the instructions (`segment.language` where the service says it). What is judged
stands as JSON between fences with a nonce, and is data: see [judge.md](judge.md). Replies follow a strict schema, and
what can be decided without a model is decided without it.

| prompt | what it judges | it is shown | it replies |
|---|---|---|---|
"""
END = """
`faithfulness` asks no model: it tells people what a judge decides, and what the built-in one does.
`generator` is for your own service: a system prompt for answers that are grounded and cited, which the checks and the
judge then find so.

```python
from ragvigil import prompts

SYSTEM = prompts.load("generator", "1").in_language("en")
```

This page is made from the files; a test holds it.
"""


def newest() -> list[Prompt]:
    """Every prompt in its newest version."""
    folders = files("ragvigil.prompts").iterdir()
    return [load(name) for name in sorted(one.name for one in folders if one.is_dir() and one.name[0] != "_")]


def page() -> str:
    """The whole page."""
    rows = [
        f"| `{one.name}` | {one.metadata['judges']} | {_code(name for name in one.fields if name != 'nonce')} | "
        f"{_code(REPLIES[one.reply].model_fields) if one.reply else ''} |"
        for one in newest()
    ]
    return INTRODUCTION + "\n".join(rows) + "\n" + END


def _code(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]


def test_the_page_says_what_the_files_do() -> None:
    """A prompt that nobody can find does not exist."""
    assert PAGE.read_text() == page()


@pytest.mark.parametrize("prompt", newest(), ids=lambda one: one.name)
def test_every_prompt_is_short_complete_and_in_three_languages(prompt: Prompt) -> None:
    """At most twelve instructions; each language asks for every field; whatever is shown has its place."""
    assert {"judges", "changes"} <= prompt.metadata.keys()
    if prompt.id == "faithfulness":
        return
    assert list(prompt.texts) == prompt.metadata["languages"] == ["en", "pt", "es"]
    for text in prompt.texts.values():
        numbered = [line for line in text.splitlines() if line[:1].isdigit()]
        assert 3 <= len(numbered) <= 12
    if prompt.reply is not None:
        check(prompt, prompt.fields)
        check_reply(prompt, prompt.reply)


if __name__ == "__main__":
    PAGE.write_text(page())
