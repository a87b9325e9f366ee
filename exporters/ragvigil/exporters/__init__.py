"""What leaves ragvigil: alerts to on-call channels."""

from ragvigil.exporters._addresses import is_address, is_loopback
from ragvigil.exporters._alert import (
    TITLE_CHARACTERS,
    Acknowledgement,
    Action,
    Alert,
    Example,
    Measurement,
    Outcome,
    Severity,
)
from ragvigil.exporters._alertmanager import Alertmanager
from ragvigil.exporters._apprise import Apprise
from ragvigil.exporters._discord import Discord
from ragvigil.exporters._grafana_irm import GrafanaIRM
from ragvigil.exporters._heartbeat import Heartbeat
from ragvigil.exporters._jira import Jira
from ragvigil.exporters._langfuse import LangfuseScores
from ragvigil.exporters._mail import Mail
from ragvigil.exporters._otlp import OtlpPost, OtlpScores, OtlpSend
from ragvigil.exporters._otlp_grpc import OTLP_METHODS, OtlpGrpc, otlp_channel, otlp_retry_info
from ragvigil.exporters._pagerduty import PagerDuty
from ragvigil.exporters._phoenix import PhoenixScores
from ragvigil.exporters._post import retry_after
from ragvigil.exporters._scores import Score, ScoredAnswer, Sent
from ragvigil.exporters._slack import Slack
from ragvigil.exporters._slack_webhook import SlackWebhook
from ragvigil.exporters._teams import Teams
from ragvigil.exporters._text import as_text, clean, escaped, lasting, percent, shown, visible
from ragvigil.exporters._webhook import Webhook
from ragvigil.exporters._wire import from_json, to_json

__all__ = [
    "OTLP_METHODS",
    "TITLE_CHARACTERS",
    "Acknowledgement",
    "Action",
    "Alert",
    "Alertmanager",
    "Apprise",
    "Discord",
    "Example",
    "GrafanaIRM",
    "Heartbeat",
    "Jira",
    "LangfuseScores",
    "Mail",
    "Measurement",
    "OtlpGrpc",
    "OtlpPost",
    "OtlpScores",
    "OtlpSend",
    "Outcome",
    "PagerDuty",
    "PhoenixScores",
    "Score",
    "ScoredAnswer",
    "Sent",
    "Severity",
    "Slack",
    "SlackWebhook",
    "Teams",
    "Webhook",
    "as_text",
    "clean",
    "escaped",
    "from_json",
    "is_address",
    "is_loopback",
    "lasting",
    "otlp_channel",
    "otlp_retry_info",
    "percent",
    "retry_after",
    "shown",
    "to_json",
    "visible",
]
