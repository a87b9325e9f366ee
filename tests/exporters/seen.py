"""What a person gets to see of a channel's requests, as plain text: the content of the golden files."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, cast
from urllib.parse import unquote

from tests.exporters.conftest import Received


def pagerduty(requests: Sequence[Received]) -> str:
    """The alert's page in PagerDuty."""
    return "\n".join(_pagerduty(json.loads(request.said())) for request in requests)


def _pagerduty(event: dict[str, Any]) -> str:
    lines = [f"event      {event['event_action']}", f"dedup key  {event['dedup_key']}"]
    payload = event.get("payload")
    if payload is None:
        return _text(lines)
    lines += [f"severity   {payload['severity']}", f"source     {payload['source']}", "", payload["summary"]]
    lines += ["", *_flat(payload["custom_details"]), ""]
    return _text([*lines, *(f"[{link['text']}] {link['href']}" for link in event["links"])])


def jira(requests: Sequence[Received]) -> str:
    """Each request, and the alert or note that it makes."""
    return "\n".join(_jira(request) for request in requests)


def _jira(request: Received) -> str:
    return _text([f"POST {unquote(request.path)}", *_flat(json.loads(request.said()))])


def alertmanager(requests: Sequence[Received]) -> str:
    """The alerts as Alertmanager gets them."""
    alerts = [alert for request in requests for alert in json.loads(request.said())]
    return "\n".join(_text(_flat(alert)) for alert in alerts)


def grafana_irm(requests: Sequence[Received]) -> str:
    """The fields that IRM's own templates know, and those for routes."""
    return "\n".join(_text(_flat(json.loads(request.said()))) for request in requests)


webhook = grafana_irm


def slack(requests: Sequence[Received]) -> str:
    """Each message, as Slack shows it."""
    return "\n".join(_slack(request) for request in requests)


def _slack(request: Received) -> str:
    message = json.loads(request.said())
    method = request.path.rpartition("/")[2]
    what = "posted"
    if method == "chat.update":
        what = f"edited: {message['ts']}"
    elif "thread_ts" in message:
        what = f"in the thread of {message['thread_ts']}" + (
            ", shown to the channel" if message["reply_broadcast"] else ""
        )
    lines = [f"({what}; on a lock screen: {message['text']})"]
    for block in message["blocks"]:
        if block["type"] == "header":
            lines += [block["text"]["text"], "=" * 40]
        elif block["type"] == "actions":
            lines += ["", *(f"({button['text']['text']})" for button in block["elements"])]
        else:
            lines += [
                "".join(_slack_text(part) for part in group["elements"])
                for group in _quoted(block["elements"])
            ]
    return _text(lines)


def _quoted(groups: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    for group in groups:
        if group["type"] == "rich_text_quote":
            (part,) = group["elements"]
            part["text"] = "\n".join(f"| {line}" for line in part["text"].split("\n"))
    return groups


def _slack_text(part: dict[str, Any]) -> str:
    if part["type"] == "link":
        return f"[{part['text']}] {part['url']}"
    return f"*{part['text']}*" if part.get("style", {}).get("bold") and part["text"].strip() else part["text"]


def teams(requests: Sequence[Received]) -> str:
    """The card."""
    lines: list[str] = []
    for request in requests:
        card = json.loads(request.said())["attachments"][0]["content"]
        for element in card["body"]:
            if element["type"] == "Container":
                lines += [_runs(element["items"][0]), "=" * 40]
            else:
                lines += ([""] if element["spacing"] == "Medium" else []) + [_runs(element)]
        lines += ["", *(f"({action['title']}) {action['url']}" for action in card["actions"])]
    return _text(lines)


def _runs(block: dict[str, Any]) -> str:
    return "".join(run["text"] for run in block["inlines"])


def discord(requests: Sequence[Received]) -> str:
    """The message with its embed, Markdown read."""
    lines: list[str] = []
    for request in requests:
        edited = f"edited: {request.path.rpartition('/')[2]}" if request.method == "PATCH" else "posted"
        (embed,) = json.loads(request.said())["embeds"]
        lines += [f"({edited})", _unescaped(embed["title"]), embed.get("url", "(no link)"), "=" * 40]
        lines += [_unescaped(embed["description"]), ""]
        lines += [f"{field['name']}: {_unescaped(field['value'])}" for field in embed.get("fields", ())]
        if "image" in embed:
            lines += ["", "(chart.png)", embed["footer"]["text"]]
    return _text(lines)


def _unescaped(text: str) -> str:
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", text)


def _flat(value: dict[str, Any], prefix: str = "") -> list[str]:
    """Name and value of each leaf, a text of several lines under its name."""
    lines: list[str] = []
    for name, part in value.items():
        if isinstance(part, dict):
            lines += _flat(cast("dict[str, Any]", part), f"{prefix}{name}.")
        elif isinstance(part, str) and "\n" in part:
            lines += [f"{prefix}{name}:", *(f"    {line}" for line in part.split("\n"))]
        elif name == "what":
            lines += [f"{prefix}{name}:", *(f"    {line}" for line in part)]
        else:
            lines.append(
                f"{prefix}{name}: {part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)}"
            )
    return lines


def _text(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")).rstrip("\n") + "\n"
