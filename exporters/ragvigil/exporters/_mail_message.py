"""An alert as a mail: plain text for every reader, the same as HTML, one conversation per incident."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape

from ragvigil.exporters._alert import Alert
from ragvigil.exporters._page import Page, Shown, page_of
from ragvigil.exporters._text import as_text
from ragvigil.exporters._trend import thinned
from ragvigil.exporters._wire import rfc3339

_SUBJECT_CHARACTERS = 140
_BARS = 40
_CHART_PIXELS = 60
_PRIORITIES = {"critical": "1 (Highest)", "error": "2 (High)"}


def message_of(
    alert: Alert, sender: Address, recipients: Sequence[Address], reference: str | None
) -> EmailMessage:
    """The mail; `reference` is what `reference_of` gave for the incident's first one.

    Message-ID is the same however often that alert is sent. Mail readers join a conversation by References, some
    only with the same subject: so the first one's subject stays, and what is new begins the text.
    """
    page = page_of(alert)
    root, _, subject = (reference or "").partition(" ")
    message = EmailMessage(policy=SMTP)
    message["Subject"] = f"Re: {subject}" if subject else page.headline[:_SUBJECT_CHARACTERS]
    message["From"] = sender
    message["To"] = tuple(recipients)
    message["Date"] = format_datetime(alert.at)
    message["Message-ID"] = _message_id(alert, sender)
    if root:
        message["In-Reply-To"] = message["References"] = root
    if alert.action != "resolve" and alert.severity in _PRIORITIES:
        message["X-Priority"] = _PRIORITIES[alert.severity]
    # No automatic answers from people who are away.
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(as_text(alert) + "\n", cte="quoted-printable")
    message.add_alternative(_html(page, alert), subtype="html", cte="quoted-printable")
    return message


def reference_of(message: EmailMessage) -> str:
    """Message-ID and subject of the mail that begins a conversation."""
    return f"{message['Message-ID']} {message['Subject']}"


def _message_id(alert: Alert, sender: Address) -> str:
    told = "\n".join((alert.incident_id, alert.action, rfc3339(alert.at)))
    name = hashlib.sha256(told.encode(errors="replace")).hexdigest()[:32]
    return f"<{name}.ragvigil@{sender.domain}>"


def _html(page: Page, alert: Alert) -> str:
    """One column of tables with styles in place: what mail readers, phones among them, agree on."""
    facts = "".join(
        f'<tr><td style="color:#666;padding:2px 12px 2px 0;vertical-align:top">{escape(name)}</td>'
        f'<td style="padding:2px 0">{escape(value)}</td></tr>'
        for name, value in page.facts
    )
    link = (
        f'<p><a href="{escape(page.link)}" style="background:#{page.colour};color:#fff;padding:10px 16px;'
        'text-decoration:none;border-radius:4px;display:inline-block">Open the incident</a></p>'
        if page.link
        else ""
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"></head>'
        '<body style="margin:0;padding:16px;background:#fff;color:#222;'
        'font:16px/1.45 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif">'
        '<div style="max-width:600px;margin:0 auto">'
        f'<h1 style="font-size:20px;line-height:1.3;margin:0 0 12px;padding:10px 14px;background:#{page.colour};'
        f'color:#fff;border-radius:4px">{escape(page.title)}</h1>'
        + "".join(f'<p style="margin:0 0 6px">{escape(line)}</p>' for line in page.summary)
        + _chart(page, alert)
        + f'<table role="presentation" style="border-collapse:collapse;margin:14px 0;font-size:15px">{facts}</table>'
        + link
        + "".join(map(_example, page.examples))
        + "</div></body></html>\n"
    )


def _example(example: Shown) -> str:
    trace = f'<a href="{escape(example.url)}">trace</a>' if example.url else f"trace {escape(example.trace)}"
    said = "".join(
        f'<p style="margin:4px 0"><span style="color:#666">{name}</span> {escape(text)}</p>'
        for name, text in example.lines
    )
    return (
        '<div style="border-left:3px solid #ccc;padding:2px 0 2px 12px;margin:14px 0;overflow-wrap:anywhere">'
        f"<b>{escape(example.reason)}</b> {trace}{said}</div>"
    )


def _chart(page: Page, alert: Alert) -> str:
    """Bars as cells of a table, from 0 to 100 %: no picture to load or to block."""
    if page.trend is None:
        return ""
    bars = "".join(map(_bar, thinned(alert.history, _BARS)))
    return (
        f'<table role="img" aria-label="{escape(page.trend)}" style="border-collapse:collapse;margin:14px 0 0;'
        f'border-bottom:1px solid #999;height:{_CHART_PIXELS}px"><tr>{bars}</tr></table>'
        f'<p style="margin:2px 0 0;color:#666;font-size:13px">from {escape(page.trend.partition(" ")[2])}, '
        "bars from 0 to 100 %</p>"
    )


def _bar(value: float | None) -> str:
    height = 0 if value is None else max(1, round(_CHART_PIXELS * min(1.0, max(0.0, value))))
    return (
        '<td style="vertical-align:bottom;padding:0 1px">'
        f'<div style="width:8px;height:{height}px;background:#5c7a99;font-size:0"></div></td>'
    )
