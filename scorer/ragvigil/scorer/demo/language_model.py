"""A real model as the example service's generator: any server that speaks OpenAI's chat completions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import httpx

from ragvigil.scorer.demo.retrieval import Hit
from ragvigil.scorer.errors import ConfigError

_PATH = "/chat/completions"
_TIMEOUT_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """Where the model is, and how it is called."""

    url: str
    """Address of the chat completions endpoint."""
    model: str
    key: str | None = field(default=None, repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> LanguageModel | None:
        """The model that ``RAGVIGIL_DEMO_LLM_URL`` (and ``_MODEL``, ``_KEY``) names; None when it names none.

        >>> LanguageModel.from_environment({"RAGVIGIL_DEMO_LLM_URL": "http://127.0.0.1:8080/v1"}).url
        'http://127.0.0.1:8080/v1/chat/completions'
        """
        url = environment.get("RAGVIGIL_DEMO_LLM_URL", "").strip().rstrip("/")
        if not url:
            return None
        if not url.startswith(("http://", "https://")):
            raise ConfigError(
                "RAGVIGIL_DEMO_LLM_URL", "is not an http address", "for example http://host:8080/v1"
            )
        return cls(
            url if url.endswith(_PATH) else url + _PATH,
            environment.get("RAGVIGIL_DEMO_LLM_MODEL", "default"),
            environment.get("RAGVIGIL_DEMO_LLM_KEY") or None,
        )

    async def answer(self, client: httpx.AsyncClient, question: str, hits: Sequence[Hit]) -> str:
        """The model's answer over the passages of `hits`; raises httpx.HTTPError or ValueError."""
        passages = "\n".join(f"[{hit.document.id}] {hit.document.text}" for hit in hits)
        messages = [
            {"role": "system", "content": read_prompt()},
            {"role": "user", "content": f"Question: {question}\n\nPassages:\n{passages}"},
        ]
        response = await client.post(
            self.url,
            json={"model": self.model, "temperature": 0, "messages": messages},
            headers={"authorization": f"Bearer {self.key}"} if self.key else {},
            timeout=_TIMEOUT_SECONDS,
        )
        response.raise_for_status()
        return _content(response.json())


def read_prompt() -> str:
    """The system prompt, as shipped."""
    return files("ragvigil.scorer.demo").joinpath("generator_prompt.txt").read_text(encoding="utf-8")


def _content(reply: Any) -> str:
    try:
        content = reply["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        content = None
    if not isinstance(content, str) or not content.strip():
        raise ValueError("the model's reply holds no text in choices[0].message.content")
    return content.strip()
