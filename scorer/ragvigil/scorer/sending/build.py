"""The tools that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib.metadata import version
from typing import Literal
from urllib.parse import urlsplit

from ragvigil.exporters import (
    LangfuseScores,
    OtlpGrpc,
    OtlpPost,
    OtlpScores,
    OtlpSend,
    PhoenixScores,
    is_loopback,
)
from ragvigil.scorer import failure_tags, grounded_answer
from ragvigil.scorer.checks import CHECKS
from ragvigil.scorer.config import Settings
from ragvigil.scorer.config.exporting import OtlpExport
from ragvigil.scorer.errors import ConfigError, meant
from ragvigil.scorer.judge.criteria import load_criteria
from ragvigil.scorer.monitoring import JUDGED as MEASURED
from ragvigil.scorer.sending.sender import ScoreSink
from ragvigil.scorer.store.reading_scores import JUDGED, Choice


def sinks_of(settings: Settings) -> Mapping[str, tuple[ScoreSink, Choice]]:
    """Every tool that gets scores, by name, with what it gets. Raises ConfigError for a score that nothing gives."""
    made: dict[str, Callable[[Settings], ScoreSink]] = {
        "otlp": _otlp,
        "langfuse": _langfuse,
        "phoenix": _phoenix,
    }
    _refuse_itself(settings)
    found: dict[str, tuple[ScoreSink, Choice]] = {}
    for name, section in settings.export.sinks.items():
        known(f"export.{name}.scores", section.scores, settings)
        found[name] = (made[name](settings), Choice(tuple(section.scores), section.explanations))
    return found


def metrics_post(settings: Settings) -> OtlpSend | None:
    """Where metrics are sent; None where they are not."""
    section = settings.export.otlp
    return _otlp_send(section, "metrics") if section.url is not None and section.metrics else None


def known(key: str, names: Collection[str], settings: Settings, *, criteria: Collection[str] = ()) -> None:
    """Raises ConfigError that names the nearest score where one of these does not exist.

    `criteria`: ids of those that have been asked about, beside those of the settings.
    """
    there = [*JUDGED, *(check.id for check in CHECKS), *(f"custom.{one}" for one in settings.custom_checks)]
    there += [
        *MEASURED,
        failure_tags.JUDGED,
        grounded_answer.JUDGED,
        *(f"criteria.{one}" for one in criteria),
    ]
    if settings.judge.criteria is not None and not set(names) <= set(there):
        there += [criterion.name for criterion in load_criteria(settings.judge.criteria)]
    for name in names:
        if name not in there:
            raise ConfigError(key, f"no score is called {name!r}", meant(name, there))


def _refuse_itself(settings: Settings) -> None:
    """Scores sent to the scorer that gives them would only come back."""
    url, own = settings.export.otlp.url, (settings.receive.http, settings.receive.grpc)
    if url is None or not is_loopback(url):
        return
    port = urlsplit(url).port
    if port is not None and str(port) in [address.rpartition(":")[2] for address in own]:
        raise ConfigError("export.otlp.url", f"{url} is this scorer's own address", "name the collector's")


def _otlp(settings: Settings) -> ScoreSink:
    return OtlpScores(_otlp_send(settings.export.otlp, "logs"), version=version("ragvigil"))


def _otlp_send(section: OtlpExport, signal: Literal["logs", "metrics"]) -> OtlpSend:
    assert section.url is not None
    made = OtlpGrpc if section.url.startswith("grpc") else OtlpPost
    headers = {name.lower(): value.get_secret_value() for name, value in section.headers.items()}
    return made(section.url, signal, headers=headers, timeout_seconds=section.timeout_seconds)


def _langfuse(settings: Settings) -> ScoreSink:
    section = settings.export.langfuse
    assert section.url is not None
    assert section.public_key is not None
    assert section.secret_key is not None
    return LangfuseScores(
        section.url,
        public_key=section.public_key,
        secret_key=section.secret_key.get_secret_value(),
        timeout_seconds=section.timeout_seconds,
    )


def _phoenix(settings: Settings) -> ScoreSink:
    section = settings.export.phoenix
    assert section.url is not None
    key = section.api_key.get_secret_value() if section.api_key else None
    return PhoenixScores(section.url, api_key=key, timeout_seconds=section.timeout_seconds)
