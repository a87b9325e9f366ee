"""Settings of one rule by which records are not scored."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, cast

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from ragvigil.scorer.config.fields import Section

_MOST_PATTERNS = 500
_SET = re.compile(r"\[!?(\]?[^\]]*)\]")
_RANGE = re.compile(r"(.)-(.)", re.DOTALL)


def _patterns(value: object) -> object:
    """One value stands for a list of one; true and 5 are compared as the text that people write for them."""
    several: Sequence[object] = cast("list[object]", value) if isinstance(value, (list, tuple)) else (value,)
    return tuple(_as_text(one) for one in several)


def _as_text(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, (int, float)) else value


def _ordered(pattern: str) -> str:
    """A range from z to a holds nothing, so that what it stands in would match nothing, or less than was meant.

    >>> _ordered("pod-[a-z0-9]")
    'pod-[a-z0-9]'
    """
    for one in _SET.finditer(pattern):
        for first, last in _RANGE.findall(one[1]):
            if first > last:
                raise ValueError(
                    f"the range {first}-{last} in {pattern!r} is the wrong way round: {last}-{first}"
                )
    return pattern


Patterns = Annotated[
    tuple[Annotated[str, AfterValidator(_ordered)], ...],
    BeforeValidator(_patterns),
    Field(min_length=1, max_length=_MOST_PATTERNS),
]
Attributes = Mapping[Annotated[str, Field(min_length=1)], Patterns]


class Filter(Section):
    """Which records are left out before anything is scored: those for which all conditions of one rule hold.

    A condition is a pattern or a list of them, of which one has to match the whole value; * stands for any text,
    ? for one character, [ab] for one of them. Case matters. In a key, | separates names for the same thing.
    """

    enabled: bool = Field(default=True, description="false switches a rule off, a built-in one too")
    environment: Patterns | None = Field(default=None, description="the record's environment")
    service: Patterns | None = Field(default=None, description="the record's service.name")
    resource: Attributes = Field(default={}, description="resource attributes of any span of the trace")
    root: Attributes = Field(default={}, description="attributes of the trace's topmost span")
    span: Attributes = Field(default={}, description="attributes of any one span of the trace")

    @model_validator(mode="after")
    def _says_something(self) -> Filter:
        if self.enabled and not (self.environment or self.service or self.resource or self.root or self.span):
            raise ValueError(
                "would filter everything; give it environment, service, resource, root or span, "
                "or enabled = false"
            )
        for key in (*self.resource, *self.root, *self.span):
            if not all(name.strip() for name in key.split("|")):
                raise ValueError(f"the key {key!r} has an empty name beside |")
        return self


_USER_AGENT = "user_agent.original|http.user_agent"

DEFAULT_FILTERS: Mapping[str, Filter] = {
    "synthetic": Filter(span={"user_agent.synthetic.type": ("bot", "test")}),
    "evaluations": Filter(environment=("langfuse-*", "sdk-experiment")),
    "load_tests": Filter(
        span={_USER_AGENT: ("k6/*", "Grafana k6/*", "ApacheBench/*", "Artillery*", "gatling/*")}
    ),
    "probes": Filter(
        span={
            _USER_AGENT: (
                "kube-probe/*",
                "GoogleHC/*",
                "ELB-HealthChecker/*",
                "Blackbox Exporter/*",
                "*Datadog*Synthetics*",
                "*UptimeRobot/*",
                "Pingdom.com_bot*",
            )
        }
    ),
}
"""Rules that need no file. `user_agent.synthetic.type` is OpenTelemetry's own mark; environments that begin with
langfuse- are those of Langfuse's judges, and sdk-experiment that of its experiments."""
