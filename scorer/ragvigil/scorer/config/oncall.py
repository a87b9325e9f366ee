"""What comes back from on-call services, and how the scorer itself is: settings."""

from __future__ import annotations

from pydantic import Field, SecretStr, field_validator

from ragvigil.exporters import Heartbeat
from ragvigil.scorer.config.fields import Seconds, Secret
from ragvigil.scorer.config.fields import Section as _Section


class Health(_Section):
    """The scorer's own health: what of it is a page, and who hears that it lives."""

    enabled: bool = Field(default=True, description="whether the scorer pages when it is ill itself")
    every_seconds: Seconds = Field(default=30.0, description="time between two looks")
    resolve_seconds: Seconds = Field(
        default=300.0, description="how long it must be well before that resolves"
    )
    backlog_seconds: Seconds = Field(
        default=300.0,
        description="a page when what is read from the inbox, or waits to be stored, arrived longer ago",
    )
    judge_seconds: Seconds = Field(
        default=900.0,
        description="a page when verdicts are due for longer and none comes; window of judge_failures",
    )
    judge_failures: float = Field(
        default=0.5, gt=0, lt=1, description="a page when a larger share of the verdicts failed"
    )
    judge_sample: int = Field(default=20, ge=1, description="verdicts that this share needs")
    least_free_bytes: int = Field(
        default=500 * 10**6, gt=0, description="a page when less is free on the disk of store or inbox"
    )
    most_inbox: float = Field(
        default=0.8, gt=0, lt=1, description="a page when the inbox holds a larger share of inbox.max_bytes"
    )
    heartbeat_url: Secret | None = Field(
        default=None,
        description="address of a dead man's switch, POSTed to while evaluations succeed; shown nowhere",
    )
    heartbeat_seconds: Seconds = Field(default=60.0, description="time between two heartbeats")

    @field_validator("heartbeat_url")
    @classmethod
    def _is_address(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None:
            Heartbeat.check(url=url.get_secret_value())
        return url


class Inbound(_Section):
    """Acknowledgements that come back from on-call services, to the HTTP server of receive; all are signed."""

    pagerduty_secret: Secret | None = Field(
        default=None,
        description="secret of a PagerDuty V3 webhook to POST /v1/acknowledge/pagerduty; none: not served",
    )
    slack_signing_secret: Secret | None = Field(
        default=None,
        description="signing secret of the Slack app that posts to /v1/acknowledge/slack; none: not served",
    )

    @property
    def secrets(self) -> dict[str, str]:
        """Those that are set, by the service that signs with them."""
        given = {"pagerduty": self.pagerduty_secret, "slack": self.slack_signing_secret}
        return {sender: secret.get_secret_value() for sender, secret in given.items() if secret is not None}
