"""The settings of the judge: the built-in one, or a language model behind an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Literal, Self, cast

from pydantic import Field, ValidationError, model_validator

from ragvigil.exporters import is_address
from ragvigil.scorer.config.fields import Key, Name, Seconds, Url, Words
from ragvigil.scorer.config.fields import Section as _Section
from ragvigil.scorer.errors import meant

ENDPOINTS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
}
"""Kinds of judge behind an endpoint, and where each is asked when nothing else is said."""
MEASURES = ("answer_relevance", "context_relevance", "six_axes")
"""What can be measured beside faithfulness."""
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


class Panelist(_Section):
    """Another judge of the same answers; its limits are those of `judge`."""

    kind: Literal["builtin", "openai", "anthropic", "nli"] = Field(description="as judge.kind")
    model: str = Field(default="", description="as judge.model")
    base_url: Url = Field(default="", description="as judge.base_url")
    api_key: Key | None = Field(default=None, description="as judge.api_key")
    prompt: str = Field(default="", description="as judge.prompt")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        try:
            self.as_judge({})
        except ValidationError as error:
            raise ValueError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
        return self

    def as_judge(self, limits: Mapping[str, object]) -> Judge:
        """The same as if it were the only one, with limits of others."""
        return Judge.model_validate(
            {**limits, **{key: getattr(self, key) for key in type(self).model_fields}}
        )


class Judge(_Section):
    """The instrument."""

    kind: Literal["builtin", "openai", "anthropic", "nli", "none"] = Field(
        default="builtin",
        description="builtin: offline and deterministic; openai: any server that speaks OpenAI's chat completions "
        "(vLLM, Ollama, llama.cpp, LiteLLM, Azure); anthropic: its messages; nli: an entailment model at "
        "base_url (text-embeddings-inference); none: checks only",
    )
    model: str = Field(
        default="",
        description="name of the model; for builtin, of the fitted coefficients (lexical-1). "
        "Not set: OPENAI_MODEL or ANTHROPIC_MODEL",
    )
    base_url: Url = Field(
        default="",
        description="address of the endpoint up to its version, such as http://127.0.0.1:11434/v1. Not set: "
        "OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the vendor's own",
    )
    api_key: Key | None = Field(
        default=None,
        description="its key; local servers need none. Not set: OPENAI_API_KEY or ANTHROPIC_API_KEY",
    )
    prompt: str = Field(
        default="",
        description="rubric that is judged by, such as rubric, rubric/1 or a file of your own (path/to/it.md); "
        "default: faithfulness for builtin, "
        "the newest rubric for a model",
    )
    mode: Literal["rubric", "claimwise", "tiebreak"] = Field(
        default="rubric",
        description="how a model judges: rubric: claims and scores in one question; claimwise: claims first, then "
        "each with quoted evidence; tiebreak: the built-in judge, and the model only on claims that it doubts",
    )
    doubt_above: float = Field(
        default=0.1, ge=0, le=1, description="tiebreak: a claim above this probability of support is in doubt"
    )
    doubt_below: float = Field(
        default=0.9, ge=0, le=1, description="tiebreak: and below this one; others are taken as they are"
    )
    criteria: Path | None = Field(
        default=None,
        description="folder with criteria of your own, one Markdown file each; each has a series, criteria.NAME",
    )
    measures: Words = Field(
        default=(),
        description="what is measured beside faithfulness, each with series of its own: answer_relevance, "
        "context_relevance, six_axes",
    )
    measures_share: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="share of the judged answers for which those are asked; a criterion's file has its own share",
    )
    embedding_model: str = Field(
        default="",
        description="model by which answer_relevance compares questions, asked over OpenAI's embeddings; "
        "not set: their words are compared",
    )
    embedding_url: Url = Field(
        default="",
        description="address of its endpoint up to its version; not set: judge.base_url, with judge.api_key",
    )
    embedding_key: Key | None = Field(
        default=None,
        description="its key; judge.api_key is sent to judge.base_url only",
    )
    max_jobs: int = Field(
        default=10_000,
        gt=0,
        description="records waiting for the judge; above it those of services and environments that have more than "
        "their share of it are shed, and counted",
    )
    max_wait_seconds: Seconds = Field(
        default=86_400.0,
        description="longest wait for a verdict: while any record has waited longer, half of those that wait of its "
        "service and environment expire, by the hash of their trace ids, and the others count twice; again after each "
        "eighth of it",
    )
    remember: bool = Field(
        default=True,
        description="whether an answer that was judged before, word for word, is not asked about again",
    )
    shared: Path | None = Field(
        default=None,
        description="file of what was asked and spent, for all processes that share the budget of sample; "
        "default: beside the store file",
    )
    max_in_flight: int = Field(default=8, ge=1, le=256, description="questions asked at once")
    attempt_seconds: Seconds = Field(
        default=60.0, description="longest wait for one answer of the endpoint; then it is asked again"
    )
    hedge_seconds: Seconds | None = Field(
        default=None,
        description="after so long without an answer the same is asked a second time, and the first answer counts, at "
        "the price of both; default: never",
    )
    max_evidence_chars: int = Field(
        default=24_000,
        ge=1_000,
        description="characters of the passages that a model is shown; of more, those nearest to question and answer",
    )
    max_answer_chars: int = Field(
        default=16_000,
        ge=1_000,
        description="characters of the answer that a model is shown; one with statements beyond them can fail "
        "by the rubric, and never pass",
    )
    max_reply_tokens: int = Field(
        default=4_000, ge=256, description="tokens that a reply may have, thoughts not counted"
    )
    panel: dict[Name, Panelist] = Field(
        default={},
        description="more judges of the same answers, by name: judge.panel.NAME.kind, .model and so on; where one "
        "differs by more than a rubric point, people should read the answer",
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
            raise ValueError(
                f"no model {self.model!r} for the builtin judge; {meant(self.model or '', known)}"
            )
        strange = [one for one in self.measures if one not in MEASURES]
        if strange:
            raise ValueError(f"no measure is called {strange[0]!r}; {meant(strange[0], MEASURES)}")
        if (self.criteria or self.measures) and self.kind not in ENDPOINTS:
            raise ValueError(
                f"criteria and measures need a language model, and judge.kind is {self.kind}: "
                f"set it to {' or '.join(ENDPOINTS)}"
            )
        if self.panel and self.kind == "none":
            raise ValueError("panel needs a judge beside which it judges, and judge.kind is none: name one")
        if self.doubt_above >= self.doubt_below:
            raise ValueError("doubt_above must be less than doubt_below")
        if self.embedding_url and not is_address(self.embedding_url):
            raise ValueError("embedding_url must look like http://127.0.0.1:11434/v1")
        if self.embedding_model and not self.embedding_url and self.kind == "anthropic":
            raise ValueError("embedding_model needs embedding_url: Anthropic's endpoint has no embeddings")
        if self.kind == "nli" and not is_address(self.base_url):
            raise ValueError(
                "base_url of an nli judge must be its server's address, like http://127.0.0.1:8080"
            )
        return self

    @model_validator(mode="after")
    def _reachable(self) -> Self:
        if self.kind not in ENDPOINTS:
            return self
        usual, variables = ENDPOINTS[self.kind], self.kind.upper()
        if not self.model:
            raise ValueError(f"no model for the {self.kind} judge: set judge.model or {variables}_MODEL")
        if not is_address(self.address):
            raise ValueError(f"base_url must look like {usual}")
        if self.address == usual and self.api_key is None:
            raise ValueError(f"no key for {usual}: set judge.api_key or {variables}_API_KEY")
        return self

    @property
    def panelists(self) -> dict[str, Judge]:
        """Each judge of the panel, as if it were the only one."""
        limits = self.model_dump(exclude={"panel", "criteria", "measures", *Panelist.model_fields})
        return {name: one.as_judge(limits) for name, one in self.panel.items()}

    @property
    def address(self) -> str:
        """Where a model is asked; empty for a judge that asks none."""
        return self.base_url or ENDPOINTS.get(self.kind, "")


def borrowed(kind: object, variables: Mapping[str, str]) -> dict[str, str]:
    """What the vendors' own variables say of a judge of that kind.

    >>> borrowed("openai", {"OPENAI_MODEL": "m", "ANTHROPIC_MODEL": "n"})
    {'model': 'm'}
    """
    if not isinstance(kind, str) or kind not in ENDPOINTS:
        return {}
    names = {"base_url": "BASE_URL", "api_key": "API_KEY", "model": "MODEL"}
    found = {key: variables.get(f"{kind.upper()}_{name}", "").strip() for key, name in names.items()}
    if kind == "anthropic" and found["base_url"] and not found["base_url"].rstrip("/").endswith("/v1"):
        found["base_url"] = f"{found['base_url'].rstrip('/')}/v1"  # Anthropic's own clients add it
    return {key: value for key, value in found.items() if value}


def _lexical_models() -> list[str]:
    data = (path.name for path in files("ragvigil.scorer.data").iterdir())
    return sorted(name.removesuffix(".json") for name in data if name.startswith("lexical-"))
