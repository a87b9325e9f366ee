"""The settings of the judge: the built-in one, or a language model behind an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Literal, Self, cast
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from ragvigil.scorer.config.fields import Seconds, Secret
from ragvigil.scorer.config.fields import Section as _Section

ENDPOINTS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
}
"""Kinds of judge behind an endpoint, and where each is asked when nothing else is said."""
_PER_MILLION = {"usd_per_million_tokens": 1.0, "usd_per_thousand_tokens": 1000.0}
_BUILTIN = "lexical-1"


class Price(_Section):
    """What the tokens of one model cost."""

    input: float = Field(ge=0, allow_inf_nan=False, description="price of what the model reads")
    output: float = Field(ge=0, allow_inf_nan=False, description="price of what it says, thoughts included")
    unit: Literal["usd_per_million_tokens", "usd_per_thousand_tokens"] = Field(
        default="usd_per_million_tokens", description="what the two figures mean"
    )

    @property
    def per_million(self) -> tuple[float, float]:
        """US dollars per million tokens read and said."""
        factor = _PER_MILLION[self.unit]
        return self.input * factor, self.output * factor


class Judge(_Section):
    """The instrument."""

    kind: Literal["builtin", "openai", "anthropic", "none"] = Field(
        default="builtin",
        description="builtin: offline and deterministic; openai: any server that speaks OpenAI's chat completions "
        "(vLLM, Ollama, llama.cpp, LiteLLM, Azure); anthropic: its messages; none: checks only",
    )
    model: str = Field(
        default="",
        description="name of the model; for builtin, of the fitted coefficients (lexical-1). "
        "Not set: OPENAI_MODEL or ANTHROPIC_MODEL",
    )
    base_url: str = Field(
        default="",
        description="address of the endpoint up to its version, such as http://127.0.0.1:11434/v1. Not set: "
        "OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the vendor's own",
    )
    api_key: Secret | None = Field(
        default=None,
        description="its key; local servers need none. Not set: OPENAI_API_KEY or ANTHROPIC_API_KEY",
    )
    prompt: str = Field(
        default="",
        description="rubric that is judged by, such as rubric or rubric/1; default: faithfulness for builtin, "
        "the newest rubric for a model",
    )
    max_jobs: int = Field(
        default=10_000, gt=0, description="records waiting for the judge; above it they are shed, and counted"
    )
    max_in_flight: int = Field(default=8, ge=1, le=256, description="questions asked at once")
    attempt_seconds: Seconds = Field(
        default=60.0, description="longest wait for one answer of the endpoint; then it is asked again"
    )
    max_evidence_chars: int = Field(
        default=24_000,
        ge=1_000,
        description="characters of the passages that a model is shown; of more, those nearest to question and answer",
    )
    max_answer_chars: int = Field(
        default=16_000, ge=1_000, description="characters of the answer that a model is shown"
    )
    max_reply_tokens: int = Field(
        default=4_000, ge=256, description="tokens that a reply may have, thoughts not counted"
    )
    prices: dict[str, Price] = Field(
        default={},
        description="what tokens cost, by model: judge.prices.NAME.input and .output; without one, costs are unknown",
    )

    @model_validator(mode="before")
    @classmethod
    def _builtin_by_default(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        told = cast("dict[str, object]", values)
        builtin = told.get("kind", "builtin") == "builtin"
        return {**told, "model": told.get("model") or _BUILTIN} if builtin else told

    @model_validator(mode="after")
    def _usable(self) -> Self:
        known = _lexical_models()
        if self.kind == "builtin" and self.model not in known:
            raise ValueError(f"no model {self.model!r} for the builtin judge; known: {', '.join(known)}")
        if self.kind in ENDPOINTS and not self.model:
            raise ValueError(
                f"no model for the {self.kind} judge: set judge.model or {self.kind.upper()}_MODEL"
            )
        if self.kind in ENDPOINTS and not _is_address(self.address):
            raise ValueError(f"base_url must look like {ENDPOINTS[self.kind]}")
        if self.kind in ENDPOINTS and self.address == ENDPOINTS[self.kind] and self.api_key is None:
            raise ValueError(
                f"no key for {ENDPOINTS[self.kind]}: set judge.api_key or {self.kind.upper()}_API_KEY"
            )
        return self

    @property
    def address(self) -> str:
        """Where a model is asked; empty for a judge that asks none."""
        return self.base_url or ENDPOINTS.get(self.kind, "")


def borrowed(kind: object, variables: Mapping[str, str]) -> dict[str, str]:
    """What the vendors' own variables say of a judge of that kind.

    >>> borrowed("openai", {"OPENAI_MODEL": "m", "ANTHROPIC_MODEL": "n"})
    {'model': 'm'}
    """
    if kind not in ENDPOINTS:
        return {}
    names = {"base_url": "BASE_URL", "api_key": "API_KEY", "model": "MODEL"}
    found = {key: variables.get(f"{str(kind).upper()}_{name}", "").strip() for key, name in names.items()}
    if kind == "anthropic" and found["base_url"] and not found["base_url"].rstrip("/").endswith("/v1"):
        found["base_url"] = f"{found['base_url'].rstrip('/')}/v1"  # Anthropic's own clients add it
    return {key: value for key, value in found.items() if value}


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _lexical_models() -> list[str]:
    data = (path.name for path in files("ragvigil.scorer.data").iterdir())
    return sorted(name.removesuffix(".json") for name in data if name.startswith("lexical-"))
