"""Every prompt against the corpus of attacks: nothing that is judged gets out of its fence, whatever the prompt."""

from __future__ import annotations

import json
import re

import pytest
from tests.scorer.judge.test_attacks import ATTACKS
from tests.test_prompts_docs import newest

from ragvigil.prompts import Prompt
from ragvigil.scorer.judge.fill import fill
from ragvigil.scorer.testing import Shown

_LISTS = ("evidence", "claims", "others", "required_facts", "forbidden_claims")
FILLED = [one for one in newest() if one.data is not None]


def values(prompt: Prompt, text: str) -> dict[str, object]:
    """The attack in every place that the prompt has."""
    item: dict[str, object] = {"id": text, "number": 1, "text": text, "claim": text}
    shown = {name: [item, item] if name in _LISTS else text for name in prompt.fields if name != "nonce"}
    return {name: item if name == "metadata" else value for name, value in shown.items()}


@pytest.mark.parametrize("language", ["en", "pt", "es"])
@pytest.mark.parametrize("prompt", FILLED, ids=lambda one: one.name)
def test_no_attack_gets_out_of_its_fence(prompt: Prompt, language: str) -> None:
    """What is left outside is ours: the same for every attack but for the nonce."""
    outside: set[str] = set()
    for attack in ATTACKS:
        given = values(prompt, attack.text)
        filled = fill(prompt, given, language=language)
        nonce = re.findall(r" ([0-9a-f]{16})>", filled.data)[0]
        rest = re.sub(rf"<(\w+) {nonce}>\n.*?\n</\1 {nonce}>", "", filled.data, flags=re.DOTALL)
        outside.add((rest + filled.system).replace(nonce, "NONCE"))
        parts = Shown.read(filled.data).parts
        for name, value in given.items():
            fence = "question" if name == "query" else name
            lines = parts[fence].splitlines() if name in _LISTS else [parts[fence]]
            read = [json.loads(line) for line in lines if line.strip()]
            assert read == (value if name in _LISTS else [value])
    assert len(outside) == 1
    assert all(attack.text not in next(iter(outside)) for attack in ATTACKS)
