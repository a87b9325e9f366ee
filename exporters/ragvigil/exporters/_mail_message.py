"""An alert as a mail: plain text for every reader, the same as HTML, one conversation per incident."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape
from importlib.resources import files
from string import Template

from ragvigil.exporters._alert import Alert
from ragvigil.exporters._page import Page, Shown, page_of
from ragvigil.exporters._text import as_text
from ragvigil.exporters._trend import thinned
from ragvigil.exporters._wire import rfc3339

_SUBJECT_CHARACTERS = 140
_BARS = 30
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
    return Template(files("ragvigil.exporters").joinpath("mail.html").read_text(encoding="utf-8")).substitute(
        colour=page.colour,
        title=escape(page.title),
        summary="<br>\n".join(map(escape, page.summary)),
        chart=_chart(page, alert),
        facts="\n".join(
            _FACT.substitute(name=escape(name), value=escape(value)) for name, value in page.facts
        ),
        link=_LINK.substitute(url=escape(page.link), colour=page.colour) if page.link else "",
        examples="\n".join(map(_example, page.examples)),
    )


def _example(example: Shown) -> str:
    trace = f'<a href="{escape(example.url)}">trace</a>' if example.url else f"trace {escape(example.trace)}"
    said = "".join(_SAID.substitute(name=name, text=escape(text)) for name, text in example.lines)
    return _EXAMPLE.substitute(reason=escape(example.reason), trace=trace, said=said)


def _chart(page: Page, alert: Alert) -> str:
    """Bars as cells of a table, from 0 to 100 %: no picture to load or to block."""
    if page.trend is None:
        return ""
    bars = "\n".join(_BAR.substitute(height=_height(value)) for value in thinned(alert.history, _BARS))
    reach = escape(page.trend.partition(" ")[2])
    return _CHART.substitute(label=escape(page.trend), height=_CHART_PIXELS, bars=bars, reach=reach)


def _height(value: float | None) -> int:
    """Pixels of a bar; one at least where something was seen."""
    return 0 if value is None else max(1, round(_CHART_PIXELS * min(1.0, max(0.0, value))))


_FACT = Template(
    '<tr><td style="color:#666;padding:2px 12px 2px 0;vertical-align:top">$name</td>'
    '<td style="padding:2px 0;overflow-wrap:anywhere">$value</td></tr>'
)
_LINK = Template(
    '<p><a href="$url" style="background:#$colour;color:#fff;padding:10px 16px;text-decoration:none;'
    'border-radius:4px;display:inline-block">Open the incident</a></p>'
)
_EXAMPLE = Template(
    '<div style="border-left:3px solid #ccc;padding:2px 0 2px 12px;margin:14px 0;overflow-wrap:anywhere">'
    "<b>$reason</b> $trace$said</div>"
)
_SAID = Template('<p style="margin:4px 0"><span style="color:#666">$name</span> $text</p>')
_CHART = Template(
    '<table role="img" aria-label="$label" style="border-collapse:collapse;margin:14px 0 0;'
    'border-bottom:1px solid #999;height:${height}px"><tr>\n$bars\n</tr></table>\n'
    '<p style="margin:2px 0 0;color:#666;font-size:13px">from $reach, bars from 0 to 100 %</p>'
)
_BAR = Template(
    '<td style="vertical-align:bottom;padding:0 1px">'
    '<div style="width:8px;height:${height}px;background:#5c7a99;font-size:0"></div></td>'
)
