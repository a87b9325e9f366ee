"""One section per kind of channel: its settings, what makes them usable, and the channel itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, Field, SecretStr, model_validator

from ragvigil import exporters
from ragvigil.scorer.config.fields import Seconds, Secret, Url, Words
from ragvigil.scorer.config.fields import Section as _Section


class WebhookChannel(_Section):
    """A signed HTTP callback (Standard Webhooks)."""

    type: Literal["webhook"] = Field(description='"webhook"')
    url: Secret = Field(description="where to POST; shown nowhere, for it may hold a token")
    secret: Secret = Field(
        description="whsec_ and base64, as Standard Webhooks writes it: echo whsec_$(openssl rand -base64 32)"
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Webhook.check(url=self.url.get_secret_value(), secret=self.secret.get_secret_value())
        return self

    def channel(self) -> exporters.Webhook:
        """The channel, ready to send."""
        return exporters.Webhook(url=self.url.get_secret_value(), secret=self.secret.get_secret_value())


class PagerDutyChannel(_Section):
    """PagerDuty Events API v2."""

    type: Literal["pagerduty"] = Field(description='"pagerduty"')
    routing_key: Secret = Field(description="integration key of the service, 32 characters")
    url: Url = Field(
        default="https://events.pagerduty.com/v2/enqueue",
        description="events endpoint; the EU region has its own",
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.PagerDuty.check(url=self.url, routing_key=self.routing_key.get_secret_value())
        return self

    def channel(self) -> exporters.PagerDuty:
        """The channel, ready to send."""
        return exporters.PagerDuty(routing_key=self.routing_key.get_secret_value(), url=self.url)


class JiraChannel(_Section):
    """Jira Service Management Operations, once Opsgenie."""

    type: Literal["jira"] = Field(description='"jira"')
    api_key: Secret = Field(description="key of an API integration")
    responders: dict[str, Literal["team", "user", "escalation", "schedule"]] = Field(
        default={},
        description="ids of those to notify and what each is; none: as the integration's rules say",
    )
    url: Url = Field(
        default="https://api.atlassian.com/jsm/ops/integration/v2/alerts",
        description="alerts endpoint of the integration events API",
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Jira.check(api_key=self.api_key.get_secret_value(), url=self.url)
        return self

    def channel(self) -> exporters.Jira:
        """The channel, ready to send."""
        return exporters.Jira(self.api_key.get_secret_value(), self.url, self.responders)


class AlertmanagerChannel(_Section):
    """Prometheus Alertmanager, API v2."""

    type: Literal["alertmanager"] = Field(description='"alertmanager"')
    url: Url = Field(description="where its page is, for example http://alertmanager:9093")
    username: str | None = Field(default=None, description="for basic authentication")
    password: Secret | None = Field(default=None, description="for basic authentication")
    token: Secret | None = Field(default=None, description="bearer token, instead of a password")
    hold_seconds: Seconds = Field(
        default=30 * 86_400.0, description="an alert that nobody ends is over after this long"
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Alertmanager.check(
            url=self.url, username=self.username, password=_shown(self.password), token=_shown(self.token)
        )
        return self

    def channel(self) -> exporters.Alertmanager:
        """The channel, ready to send."""
        return exporters.Alertmanager(
            self.url,
            username=self.username,
            password=_shown(self.password),
            token=_shown(self.token),
            hold_seconds=self.hold_seconds,
        )


class GrafanaIRMChannel(_Section):
    """Grafana Cloud IRM (OnCall), an integration of the kind Formatted Webhook."""

    type: Literal["grafana_irm"] = Field(description='"grafana_irm"')
    url: Secret = Field(description="address of the integration; whoever has it can page")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.GrafanaIRM.check(url=self.url.get_secret_value())
        return self

    def channel(self) -> exporters.GrafanaIRM:
        """The channel, ready to send."""
        return exporters.GrafanaIRM(self.url.get_secret_value())


class SlackChannel(_Section):
    """Slack through a bot: one message per incident, edited in place, its changes in its thread."""

    type: Literal["slack"] = Field(description='"slack"')
    token: Secret = Field(description="bot token of a Slack app with the scope chat:write, xoxb-…")
    channel_id: str = Field(
        description="where to post: an id such as C024BE91L, or a name such as #rag-alerts, which a renaming "
        "breaks; the bot must be a member"
    )
    url: Url = Field(default="https://slack.com/api", description="the Web API; GovSlack has its own")
    acknowledge: bool = Field(
        default=False, description="whether pages have a button; needs inbound.slack_signing_secret"
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Slack.check(token=self.token.get_secret_value(), channel=self.channel_id, url=self.url)
        return self

    def channel(self) -> exporters.Slack:
        """The channel, ready to send."""
        return exporters.Slack(
            self.token.get_secret_value(), self.channel_id, self.url, acknowledge=self.acknowledge
        )


class SlackWebhookChannel(_Section):
    """Slack through an incoming webhook: a message for each change."""

    type: Literal["slack_webhook"] = Field(description='"slack_webhook"')
    url: Secret = Field(description="address of the incoming webhook")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.SlackWebhook.check(url=self.url.get_secret_value())
        return self

    def channel(self) -> exporters.SlackWebhook:
        """The channel, ready to send."""
        return exporters.SlackWebhook(self.url.get_secret_value())


class TeamsChannel(_Section):
    """Microsoft Teams through a workflow: a card for each change."""

    type: Literal["teams"] = Field(description='"teams"')
    url: Secret = Field(description="address of the workflow's webhook trigger")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Teams.check(url=self.url.get_secret_value())
        return self

    def channel(self) -> exporters.Teams:
        """The channel, ready to send."""
        return exporters.Teams(self.url.get_secret_value())


class DiscordChannel(_Section):
    """Discord through a channel's webhook: one message per incident, edited in place."""

    type: Literal["discord"] = Field(description='"discord"')
    url: Secret = Field(description="address of the webhook; ?thread_id= posts into a thread")

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Discord.check(url=self.url.get_secret_value())
        return self

    def channel(self) -> exporters.Discord:
        """The channel, ready to send."""
        return exporters.Discord(self.url.get_secret_value())


class MailChannel(_Section):
    """E-mail over SMTP with TLS: one conversation per incident."""

    type: Literal["mail"] = Field(description='"mail"')
    host: str = Field(description="mail server")
    port: int = Field(default=587, gt=0, lt=65_536, description="587 for starttls, 465 for tls")
    security: Literal["starttls", "tls", "none"] = Field(
        default="starttls",
        description="how the way to the server is encrypted; none never carries a password",
    )
    username: str | None = Field(default=None, description="to log in; none: without")
    password: Secret | None = Field(default=None, description="to log in")
    sender: str = Field(description="name@example.com, or Name <name@example.com>")
    recipients: Words = Field(description="who gets each mail")
    trusted: Path | None = Field(
        default=None,
        description="file of certificates to trust instead of the system's, for a server of your own",
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        exporters.Mail.check(
            host=self.host,
            sender=self.sender,
            recipients=self.recipients,
            security=self.security,
            username=self.username,
            password=_shown(self.password),
            trusted=self.trusted,
        )
        return self

    def channel(self) -> exporters.Mail:
        """The channel, ready to send."""
        return exporters.Mail(
            self.host,
            self.sender,
            self.recipients,
            port=self.port,
            security=self.security,
            username=self.username,
            password=_shown(self.password),
            trusted=self.trusted,
        )


class AppriseChannel(_Section):
    """Everything else, through Apprise (`pip install 'ragvigil[apprise]'`)."""

    type: Literal["apprise"] = Field(description='"apprise"')
    url: Secret = Field(
        description="the service as Apprise writes it, for example ntfys://ntfy.example.com/oncall"
    )

    @model_validator(mode="after")
    def _usable(self) -> Self:
        try:
            exporters.Apprise.check(url=self.url.get_secret_value())
        except ImportError as error:
            raise ValueError(str(error)) from None
        return self

    def channel(self) -> exporters.Apprise:
        """The channel, ready to send."""
        return exporters.Apprise(self.url.get_secret_value())


CHANNELS: Mapping[str, type[BaseModel]] = {
    "pagerduty": PagerDutyChannel,
    "jira": JiraChannel,
    "alertmanager": AlertmanagerChannel,
    "grafana_irm": GrafanaIRMChannel,
    "slack": SlackChannel,
    "slack_webhook": SlackWebhookChannel,
    "teams": TeamsChannel,
    "discord": DiscordChannel,
    "mail": MailChannel,
    "webhook": WebhookChannel,
    "apprise": AppriseChannel,
}
"""Every kind of channel, by what `type` calls it."""

_SHOWS: Mapping[str, frozenset[exporters.Action]] = {
    "pagerduty": frozenset({"acknowledge"}),
    "jira": frozenset({"acknowledge"}),
    "slack": frozenset({"acknowledge", "unacknowledge"}),
    "discord": frozenset({"acknowledge", "unacknowledge"}),
    "webhook": frozenset({"acknowledge", "unacknowledge"}),
}
"""Kinds of channels that can show who has an incident in hand without waking anybody."""

Channel = Annotated[
    PagerDutyChannel
    | JiraChannel
    | AlertmanagerChannel
    | GrafanaIRMChannel
    | SlackChannel
    | SlackWebhookChannel
    | TeamsChannel
    | DiscordChannel
    | MailChannel
    | WebhookChannel
    | AppriseChannel,
    Field(discriminator="type"),
]


def shows(section: Channel, action: exporters.Action) -> bool:
    """Whether that channel shows this action.

    >>> url = {"url": "https://discord.com/api/webhooks/1/hush"}
    >>> shows(DiscordChannel.model_validate({"type": "discord", **url}), "acknowledge")
    True
    """
    return action in _SHOWS.get(section.type, ())


def _shown(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
